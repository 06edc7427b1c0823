//! From .blksgf to records.

use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Notation, Position, Record, Spec, TextError};

use super::{GAME, initial, last_position, player};
use crate::blokus::moves::BlokusMove;
use crate::blokus::position::BlokusDuo;
use crate::blokus::setup::name;
use crate::sgf::{Entry, Tree, Value, decode, trees};

/// More setups in one line than this are refused.
const MAX_CHANGES: usize = 1000;

/// Reads the first game of a file.
pub fn read(bytes: &[u8]) -> Result<Record<BlokusDuo>, TextError> {
    let text = decode(bytes);
    let tree = trees(&text).next().ok_or_else(|| TextError::new("there is no game in this file"))??;
    RecordReader::new(&tree)?.read()
}

/// Reads all games of a file.
pub fn read_all(bytes: &[u8]) -> Result<Vec<Record<BlokusDuo>>, TextError> {
    let text = decode(bytes);
    trees(&text).map(|tree| RecordReader::new(&tree?)?.read()).collect()
}

/// Walks over the nodes in the order of the file, which is depth first.
struct RecordReader<'t> {
    tree: &'t Tree<'t>,
    record: Record<BlokusDuo>,
    /// Positions on the way to the current node: each with the node of the tree that made it.
    line: Vec<(usize, BlokusDuo)>,
    /// The record's node for each of the tree.
    places: Vec<usize>,
    /// The node of a pass below each node of the record; 0 for none yet.
    passes: Vec<usize>,
}

impl<'t> RecordReader<'t> {
    fn new(tree: &'t Tree<'t>) -> Result<RecordReader<'t>, TextError> {
        let game = tree.get(0, "GM").map(Value::line);
        match game.as_deref() {
            Some(GAME) => {}
            Some(other) => {
                let other: String = other.chars().take(40).collect();
                return Err(tree.error(0, format!("this is a record of {other}, not of {GAME}")));
            }
            None => return Err(tree.error(0, format!("GM[{GAME}] is missing"))),
        }
        let start = rules_of(tree);
        let record = Record::new(start.clone());
        Ok(RecordReader {
            tree,
            record,
            line: vec![(0, start)],
            places: Vec::with_capacity(tree.len()),
            passes: vec![0],
        })
    }

    fn read(mut self) -> Result<Record<BlokusDuo>, TextError> {
        self.root()?;
        for node in 1..self.tree.len() {
            // Nodes that are not ancestors of this one are finished.
            let parent = self.tree.parent(node);
            while self.line.last().is_some_and(|&(made_by, _)| made_by > parent) {
                self.line.pop();
            }
            let mut place = self.places[parent];
            // Setup and move become nodes of their own: a pass may come between them.
            if self.set_up(node)? {
                place = self.add(place, None);
                self.annotate(node, place, is_setup);
            }
            if let Some(mover) = self.mover(node)? {
                place = self.play(node, place, mover)?;
            } else if place == self.places[parent] && !self.is_silent(node) {
                place = self.add(place, None);
            }
            self.annotate(node, place, |id| !is_setup(id));
            self.places.push(place);
        }
        end_main_line(&mut self.record);
        Ok(self.record)
    }

    /// The root: headers and the start position, and perhaps a first move, which becomes a node of its own.
    fn root(&mut self) -> Result<(), TextError> {
        self.set_up(0)?;
        self.record.start = self.position().clone();
        for entry in self.tree.entries(0) {
            match &*entry.id {
                "GM" | "CA" | "AB" | "AW" | "AE" | "PL" | "B" | "W" => {}
                "C" => comment(&mut self.record.nodes[ROOT].comment, entry),
                _ => self.record.headers.push((entry.id.to_string(), entry.value.text())),
            }
        }
        let place = match self.mover(0)? {
            Some(mover) => self.play(0, ROOT, mover)?,
            None => ROOT,
        };
        self.places.push(place);
        Ok(())
    }

    fn position(&self) -> &BlokusDuo {
        &self.line[self.line.len() - 1].1
    }

    fn change(&mut self, node: usize, position: BlokusDuo) -> Result<(), TextError> {
        self.line.push((node, position));
        let enough = self.line.len() > MAX_CHANGES;
        if enough { Err(self.tree.error(node, "too many setups in one line")) } else { Ok(()) }
    }

    /// Who moves in a node.
    fn mover(&self, node: usize) -> Result<Option<Color>, TextError> {
        match [self.tree.get(node, "B"), self.tree.get(node, "W")] {
            [None, None] => Ok(None),
            [Some(_), None] => Ok(Some(Color::Black)),
            [None, Some(_)] => Ok(Some(Color::White)),
            [Some(_), Some(_)] => Err(self.tree.error(node, "both sides move in the same node")),
        }
    }

    fn add(&mut self, parent: usize, mv: Option<BlokusMove>) -> usize {
        self.passes.push(0);
        self.record.add(parent, mv)
    }

    /// Plays the move of a node; the other side passes before it if it must.
    fn play(&mut self, node: usize, mut parent: usize, mover: Color) -> Result<usize, TextError> {
        let id = if mover == Color::Black { "B" } else { "W" };
        let entries = self.tree.entries(node);
        // Before Pentobi 0.3 the points of a move were values of their own.
        let points: Vec<String> = entries.iter().filter(|e| e.id == id).map(|e| e.value.line()).take(6).collect();
        let error = |message: String| match entries.iter().find(|e| e.id == id) {
            Some(entry) => self.tree.error_at(node, entry, message),
            None => self.tree.error(node, message),
        };
        let mut position = self.position().clone();
        let mut passed = None;
        if position.turn() != mover {
            let pass = BlokusMove::PASS;
            if !position.is_legal(pass) {
                return Err(error(format!("it is the turn of {}", name(position.turn()))));
            }
            position.play(pass);
            passed = Some(pass);
        }
        let text = points.join(",");
        let mv = position.parse_move(if text.is_empty() { "pass" } else { &text }).map_err(|e| error(e.message))?;
        position.play(mv);
        if passed.is_some() {
            if self.passes[parent] == 0 {
                self.passes[parent] = self.add(parent, passed);
            }
            parent = self.passes[parent];
        }
        self.change(node, position)?;
        Ok(self.add(parent, Some(mv)))
    }

    /// Whether a node says nothing at all; such a node is none.
    fn is_silent(&self, node: usize) -> bool {
        self.tree.entries(node).iter().all(|entry| entry.id == "C" && entry.value.text().is_empty())
    }

    /// Keeps what a node says besides its move, as far as `wanted` goes.
    fn annotate(&mut self, node: usize, place: usize, wanted: impl Fn(&str) -> bool) {
        let kept = &mut self.record.nodes[place];
        for entry in self.tree.entries(node).iter().filter(|entry| wanted(&entry.id)) {
            match (&*entry.id, kept.properties.last_mut()) {
                ("B" | "W", _) => {}
                ("C", _) => comment(&mut kept.comment, entry),
                (id, Some((last, values))) if id == last => values.push(entry.value.0.to_string()),
                (id, _) => kept.properties.push((id.to_string(), vec![entry.value.0.to_string()])),
            }
        }
    }

    /// Applies the setup of a node. Whether there was any.
    fn set_up(&mut self, node: usize) -> Result<bool, TextError> {
        let tree = self.tree;
        let entries: Vec<&Entry<'_>> = tree.entries(node).iter().filter(|entry| is_setup(&entry.id)).collect();
        let Some(last) = entries.last() else { return Ok(false) };
        let mut pieces = Color::BOTH.map(|color| self.position().pieces(color));
        let mut turn = self.position().turn();
        for entry in &entries {
            let error = |message: &str| tree.error_at(node, entry, message);
            let text = entry.value.line();
            if entry.id == "PL" {
                turn = player(&text).ok_or_else(|| error("PL is B or W"))?;
                continue;
            }
            let piece = BlokusMove::from_points(&text).map_err(|e| error(&e.message))?;
            match &*entry.id {
                "AB" => pieces[0].push(piece),
                "AW" => pieces[1].push(piece),
                _ => {
                    let before = pieces[0].len() + pieces[1].len();
                    pieces.iter_mut().for_each(|side| side.retain(|&mv| mv != piece));
                    if pieces[0].len() + pieces[1].len() == before {
                        return Err(error("no such piece lies there"));
                    }
                }
            }
            // Each piece is at least one square, so more of them cannot fit.
            if pieces[0].len() + pieces[1].len() > 42 {
                return Err(error("each side has 21 pieces"));
            }
        }
        let position = BlokusDuo::set_up(self.position().rules_in_force(), [&pieces[0], &pieces[1]], turn);
        let position =
            position.map_err(|fault| tree.error_at(node, last, format!("{}: {}", fault.cell, fault.message)))?;
        self.change(node, position)?;
        Ok(true)
    }
}

/// Whether a property sets up the board.
fn is_setup(id: &str) -> bool {
    matches!(id, "AB" | "AW" | "AE" | "PL")
}

/// The last comment of a node that says something is the one that counts.
fn comment(kept: &mut String, entry: &Entry<'_>) {
    let text = entry.value.text();
    if !text.is_empty() {
        *kept = text;
    }
}

/// The empty board under the rules that `RU` names, or under the default ones.
fn rules_of(tree: &Tree<'_>) -> BlokusDuo {
    let named = tree.get(0, "RU").and_then(|value| Spec::parse(&value.line()).ok());
    named.and_then(|spec| BlokusDuo::start(&spec).ok()).unwrap_or_default()
}

/// Says how the main line ended: nothing fits any more, or `RE` says that the side to move resigned or ran out of time.
fn end_main_line(record: &mut Record<BlokusDuo>) {
    let Some(last) = last_position(record) else { return };
    let result = record.header("RE").unwrap_or("").trim().to_ascii_uppercase();
    let lost = format!("{}+", initial(!last.turn()));
    let ending = match (last.generate(&mut Vec::new()), result.strip_prefix(&lost)) {
        (Some(outcome), _) => Some(Ending::Counted(outcome)),
        (None, Some("R" | "RESIGN")) => Some(Ending::Resign),
        (None, Some("T" | "TIME")) => Some(Ending::TimeUp),
        _ => None,
    };
    if let Some(node) = record.main_line().last() {
        record.nodes[node].ending = ending;
    }
}
