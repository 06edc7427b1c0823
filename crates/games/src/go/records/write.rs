//! From a record to SGF.

use std::time::Duration;

use yomi_core::record::ROOT;
use yomi_core::{Color, Position, Record};

use super::facts::{read_ending, read_komi, read_rules, same_game, write_ending, write_rules};
use super::{move_id, position_at, side, write_point};
use crate::go::{Go, Rules};
use crate::sgf::{Writer, escape, write_tree};

/// Writes a record as an SGF `FF[4]` file in UTF-8.
pub fn write<const LEN: usize>(record: &Record<Go<LEN>>) -> String {
    let movers = movers(record);
    let clocks = clocks(record, &movers);
    write_tree(
        |i| &record.nodes[i].children,
        |i, writer| {
            if i == ROOT {
                root(record, writer);
            }
            let node = &record.nodes[i];
            if let Some(mv) = node.mv {
                let point = mv.vertex().map_or(String::new(), |v| write_point(&record.start, v));
                writer.property(move_id(movers[i]), [point]);
            }
            for (id, values) in &node.properties {
                writer.property(id, values);
            }
            if let Some(left) = clocks[i] {
                writer.property(["BL", "WL"][movers[i].index()], [left.as_secs_f64().to_string()]);
            }
            if !node.comment.is_empty() {
                writer.property("C", [escape(&node.comment)]);
            }
        },
    )
}

/// Format, size, rules, facts and the stones of the start position.
fn root<const LEN: usize>(record: &Record<Go<LEN>>, writer: &mut Writer) {
    let start = &record.start;
    let rules = start.ruleset();
    writer.property("FF", ["4"]);
    writer.property("GM", ["1"]);
    writer.property("CA", ["UTF-8"]);
    writer.property("SZ", [start.size().to_string()]);
    // A fact that the record still bears out is written in its own words.
    let same_rules =
        |text: &str| same_game(Rules { komi: rules.komi, handicap: rules.handicap, ..read_rules(text) }, rules);
    let words =
        |id: &str, holds: &dyn Fn(&str) -> bool| record.header(id).filter(|text| holds(text)).map(str::to_string);
    let rules_text = words("RU", &same_rules).unwrap_or_else(|| write_rules(start));
    let komi_text = words("KM", &|text| read_komi(text) == Ok(rules.komi)).unwrap_or_else(|| rules.komi.to_string());
    writer.property("RU", [escape(&rules_text)]);
    writer.property("KM", [escape(&komi_text)]);
    if rules.handicap > 0 {
        writer.property("HA", [rules.handicap.to_string()]);
    }
    for (id, text) in record.headers.iter().filter(|(id, _)| !["RU", "KM", "HA", "RE"].contains(&id.as_str())) {
        writer.property(id, [escape(text)]);
    }
    if let Some(result) = result(record) {
        writer.property("RE", [escape(&result)]);
    }
    for color in Color::BOTH {
        let stones = start.vertices().filter(|&v| start.at(v) == Some(color));
        writer.property(["AB", "AW"][color.index()], stones.map(|v| write_point(start, v)));
    }
    let stones = start.stones(Color::Black) + start.stones(Color::White);
    // Readers of a record with a handicap expect White to begin.
    if stones > 0 || start.turn() == Color::White || rules.handicap >= 2 {
        writer.property("PL", [move_id(start.turn())]);
    }
    if start.ko().is_some() || start.passes() > 0 || Color::BOTH.iter().any(|&c| start.prisoners(c) > 0) {
        writer.property("YOMI", [escape(&yomi_core::Notation::position_text(start))]);
    }
}

/// The result: in the words of the header if it gives the ending of the main line, or as that ending is usually written.
fn result<const LEN: usize>(record: &Record<Go<LEN>>) -> Option<String> {
    let header = record.header("RE");
    let last = record.main_line().last().unwrap_or(ROOT);
    let (Some(ending), Ok(position)) = (record.nodes[last].ending, position_at(record, last)) else {
        return header.map(str::to_string);
    };
    let stated = header.filter(|text| read_ending(text, position.turn()) == Some(ending));
    Some(stated.map_or_else(|| write_ending(ending, &position), str::to_string))
}

/// Who made the move of each node; who moves next at nodes without one.
fn movers<const LEN: usize>(record: &Record<Go<LEN>>) -> Vec<Color> {
    let mut next = vec![record.start.turn(); record.nodes.len()];
    let mut movers = next.clone();
    for (i, node) in record.nodes.iter().enumerate() {
        let given = node.properties.iter().filter(|(id, _)| id == "PL").flat_map(|(_, values)| values.last());
        let turn = if i == ROOT { record.start.turn() } else { next[node.parent] };
        movers[i] = given.last().and_then(|value| side(value)).unwrap_or(turn);
        next[i] = if node.mv.is_some() { !movers[i] } else { movers[i] };
    }
    movers
}

/// Time left after each move whose time is known, where the file's time limit is; nodes that say so themselves are left alone.
fn clocks<const LEN: usize>(record: &Record<Go<LEN>>, movers: &[Color]) -> Vec<Option<Duration>> {
    let limit = record.header("TM").and_then(|text| text.trim().parse().ok());
    let mut left = vec![[limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()); 2]; record.nodes.len()];
    let mut written = vec![None; record.nodes.len()];
    for (i, node) in record.nodes.iter().enumerate() {
        left[i] = left[node.parent];
        let clock = &mut left[i][movers[i].index()];
        if let (Some(used), Some(_)) = (node.time, node.mv) {
            *clock = clock.and_then(|before| before.checked_sub(used));
            let stated = node.properties.iter().any(|(id, _)| id == "BL" || id == "WL");
            written[i] = clock.filter(|_| !stated);
        }
    }
    written
}
