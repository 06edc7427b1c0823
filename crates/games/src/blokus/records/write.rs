//! From records to .blksgf.

use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Notation, Outcome, Position, Record};

use super::{GAME, initial, last_position, player};
use crate::blokus::moves::BlokusMove;
use crate::blokus::position::BlokusDuo;
use crate::sgf::{Writer, escape, write_tree};

/// The record as a file in UTF-8.
pub fn write(record: &Record<BlokusDuo>) -> String {
    let children = children_without_passes(record);
    let movers = movers(record);
    write_tree(
        |node| &children[node],
        |node, writer| {
            let said = &record.nodes[node];
            if node == ROOT {
                write_root(record, writer);
            }
            // A pass in between is said by the next move; only the last of a line has to be written.
            let points = said.mv.map(|mv| if mv.is_pass() { String::new() } else { mv.points() });
            if let Some(points) = points.filter(|points| !points.is_empty() || children[node].is_empty()) {
                writer.property(&initial(movers[node]).to_string(), [points]);
            }
            if !said.comment.is_empty() {
                writer.property("C", [escape(&said.comment)]);
            }
            for (id, values) in &said.properties {
                writer.property(id, values);
            }
        },
    )
}

/// Who moves in each node, or would.
fn movers(record: &Record<BlokusDuo>) -> Vec<Color> {
    let mut movers: Vec<Color> = Vec::with_capacity(record.nodes.len());
    for (i, node) in record.nodes.iter().enumerate() {
        let set = node.properties.iter().rfind(|(id, _)| id == "PL").and_then(|(_, values)| player(values.last()?));
        let next = match record.nodes[node.parent].mv {
            _ if i == ROOT => record.start.turn(),
            Some(_) => !movers[node.parent],
            None => movers[node.parent],
        };
        movers.push(set.unwrap_or(next));
    }
    movers
}

/// The children of each node as the file has them: where a node is only a pass, or nothing, its children stand in its place. A pass
/// after which nothing comes stays.
fn children_without_passes(record: &Record<BlokusDuo>) -> Vec<Vec<usize>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); record.nodes.len()];
    for (i, node) in record.nodes.iter().enumerate().rev() {
        let mut own = Vec::with_capacity(node.children.len());
        for &child in &node.children {
            let said = &record.nodes[child];
            let silent = said.comment.is_empty() && said.properties.is_empty();
            let trailing = said.mv.is_some() && children[child].is_empty();
            if said.mv.is_none_or(BlokusMove::is_pass) && silent && !trailing {
                own.append(&mut children[child]);
            } else {
                own.push(child);
            }
        }
        children[i] = own;
    }
    children
}

/// Game, charset, headers, and the start position if it is not the empty board.
fn write_root(record: &Record<BlokusDuo>, writer: &mut Writer) {
    let start = &record.start;
    writer.property("GM", [GAME]);
    writer.property("CA", ["UTF-8"]);
    for run in record.headers.chunk_by(|a, b| a.0 == b.0) {
        writer.property(&run[0].0, run.iter().map(|(_, value)| escape(value)));
    }
    if start.rules() != BlokusDuo::NAME && record.header("RU").is_none() {
        writer.property("RU", [escape(&start.rules())]);
    }
    if let (None, Some(result)) = (record.header("RE"), result(record)) {
        writer.property("RE", [result]);
    }
    for color in Color::BOTH {
        writer.property(&format!("A{}", initial(color)), start.pieces(color).iter().map(|mv| mv.points()));
    }
    let empty = BlokusDuo::new(start.rules_in_force());
    if start.key() != empty.key() {
        writer.property("PL", [initial(start.turn()).to_string()]);
    }
}

/// The value of `RE` for the end of the main line.
fn result(record: &Record<BlokusDuo>) -> Option<String> {
    let last = last_position(record)?;
    let ending = record.ending()?;
    let how = match ending {
        Ending::Counted(_) => (last.score(Color::Black) - last.score(Color::White)).abs().to_string(),
        Ending::Resign => "R".to_string(),
        Ending::TimeUp => "T".to_string(),
        _ => String::new(),
    };
    Some(match ending.outcome(last.turn())? {
        Outcome::Draw => "0".to_string(),
        Outcome::Win(winner) => format!("{}+{how}", initial(winner)),
    })
}
