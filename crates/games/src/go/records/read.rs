//! From a tree of properties to a record.

use std::rc::Rc;
use std::time::Duration;

use yomi_core::record::ROOT;
use yomi_core::{Color, Notation, Position, Record, TextError};

use super::facts::{read_ending, read_komi, read_rules, same_game};
use super::{SETUP, excerpt, move_id, read_move, set_up};
use crate::go::{Go, GoMove, Rules};
use crate::sgf::{Entry, Tree, Value};

/// Variations within variations deeper than this are refused: each keeps a position alive.
const MAX_NESTING: usize = 4096;

/// Root properties that are facts about the game, and so become headers.
const FACTS: [&str; 24] = [
    "AN", "AP", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "HA", "KM", "ON", "OT", "PB", "PC", "PW", "RE", "RO", "RU",
    "SO", "TM", "US", "WR", "WT",
];

/// Root properties that every file writes anew.
const FORMAL: [&str; 5] = ["FF", "GM", "CA", "SZ", "YOMI"];

/// The size of the board a tree is for, from 2 to 19; 19 if it does not say. An error if the game is not Go or the board not square.
pub fn size(tree: &Tree<'_>) -> Result<usize, TextError> {
    if let Some(game) = tree.get(0, "GM").map(Value::line).filter(|g| !g.is_empty() && g != "1") {
        return Err(tree.error(0, format!("GM[{}] is not Go", excerpt(&game))));
    }
    let Some(value) = tree.get(0, "SZ").filter(|v| !v.0.trim().is_empty()) else { return Ok(19) };
    let (columns, rows) = value.parts().unwrap_or((value, value));
    let number = |text: &str| text.trim().parse().ok().filter(|n| (2..=19).contains(n));
    match (number(columns.0), number(rows.0)) {
        (Some(columns), Some(rows)) if columns == rows => Ok(columns),
        (Some(columns), Some(rows)) => Err(tree.error(0, format!("the board is not square: {columns} by {rows}"))),
        _ => Err(tree.error(0, format!("SZ[{}]: boards have 2 to 19 rows", excerpt(value.0)))),
    }
}

/// Reads a tree as a game of Go. Every move is checked, the variations' too, except for superko. A file that goes on after two passes is
/// taken to resume the game, and one that names no rules but contains suicide is taken to allow it.
pub fn read<const LEN: usize>(tree: &Tree<'_>) -> Result<Record<Go<LEN>>, TextError> {
    let start: Go<LEN> = start(tree)?;
    let tolerant = Rules { suicide: true, ..start.rules };
    read_from(tree, start.clone()).or_else(|error| match tree.get(0, "RU") {
        None => read_from(tree, Go { rules: tolerant, ..start }).map_err(|_| error),
        Some(_) => Err(error),
    })
}

fn read_from<const LEN: usize>(tree: &Tree<'_>, start: Go<LEN>) -> Result<Record<Go<LEN>>, TextError> {
    let mut record = Record::new(start);
    for entry in tree.entries(0) {
        if FACTS.contains(&&*entry.id) {
            record.headers.push((entry.id.to_string(), entry.value.text()));
        }
    }
    let clock = record.header("TM").and_then(|text| text.trim().parse().ok());
    let mut pending = vec![Pending {
        node: 0,
        parent: ROOT,
        position: Rc::new(record.start.clone()),
        clocks: [clock; 2],
        nesting: 0,
    }];
    let mut last_of_main_line = None;
    while let Some(mut here) = pending.pop() {
        here.read(tree, &mut record)?;
        let children: Vec<usize> = tree.children(here.node).collect();
        let nesting = here.nesting + usize::from(children.len() > 1);
        if nesting > MAX_NESTING {
            return Err(tree.error(here.node, "too many variations within variations"));
        }
        if children.is_empty() && last_of_main_line.is_none() {
            last_of_main_line = Some((here.parent, here.position.turn()));
        }
        // The last in the list is the next to be read: the main line.
        pending.extend(children.into_iter().rev().map(|node| Pending { node, nesting, ..here.clone() }));
    }
    if let (Some((last, to_move)), Some(result)) = (last_of_main_line, record.header("RE")) {
        record.nodes[last].ending = read_ending(result, to_move);
    }
    Ok(record)
}

/// The start position: size, rules, stones set up in the root, and who moves first.
fn start<const LEN: usize>(tree: &Tree<'_>) -> Result<Go<LEN>, TextError> {
    let size = size(tree)?;
    let fact = |id: &str| tree.get(0, id).map(Value::line).filter(|text| !text.is_empty());
    let mut rules = fact("RU").map_or(Rules::default(), |text| read_rules(&text));
    rules.handicap = 0;
    if let Some(komi) = fact("KM") {
        rules.komi = read_komi(&komi).map_err(|e| tree.error(0, e.message))?;
    }
    let mut position = Go::new(size, rules).map_err(|e| tree.error(0, e.message))?;
    position.rules.handicap = fact("HA").and_then(|text| text.parse().ok()).unwrap_or(0);
    // Without a handicap the Chinese rules are our usual ones, which are written under that name.
    let default = Rules { komi: position.rules.komi, ..Rules::default() };
    if same_game(position.rules, default) {
        position.rules = default;
    }
    // What SGF cannot say of a position (ko, passes, prisoners) stands in a property of our own.
    if let Some(text) = fact("YOMI") {
        return position.parse_position(&text).map_err(|e| tree.error(0, e.message));
    }
    if position.ruleset().handicap >= 2 {
        position.set_turn(Color::White);
    }
    if let Some(color) = first_mover(tree) {
        position.set_turn(color);
    }
    let entries = tree.entries(0).iter().map(|e| (&*e.id, e.value.0));
    set_up(&mut position, entries).map_err(|e| tree.error(0, e.message))?;
    Ok(position)
}

/// Who makes the first move of the main line, unless a node below the root says whose turn it is before that: then the move decides
/// nothing about the start.
fn first_mover(tree: &Tree<'_>) -> Option<Color> {
    let main_line = std::iter::successors(Some(0), |&node| tree.children(node).next());
    let speaks = |node: &usize| tree.entries(*node).iter().any(|entry| mover(entry).is_some() || entry.id == "PL");
    let entries = tree.entries(main_line.into_iter().find(speaks)?);
    if entries.iter().any(|entry| entry.id == "PL") { None } else { entries.iter().find_map(mover) }
}

fn mover(entry: &Entry<'_>) -> Option<Color> {
    Color::BOTH.into_iter().find(|&color| entry.id == move_id(color))
}

/// A node that is still to be read, and what is known where it stands.
#[derive(Clone)]
struct Pending<const LEN: usize> {
    /// The node of the tree.
    node: usize,
    /// The node of the record that it continues.
    parent: usize,
    /// The position there, shared with the other children.
    position: Rc<Go<LEN>>,
    /// Seconds left on the clocks.
    clocks: [Option<f64>; 2],
    /// How many variations it lies in.
    nesting: usize,
}

impl<const LEN: usize> Pending<LEN> {
    /// Adds what the node says to the record. One node may become several: setup and move are separate, and so are two moves.
    fn read(&mut self, tree: &Tree<'_>, record: &mut Record<Go<LEN>>) -> Result<(), TextError> {
        let entries = tree.entries(self.node);
        let is_root = self.node == 0;
        let is_setup = |e: &Entry<'_>| e.id == "PL" || SETUP.iter().any(|(id, _)| e.id == *id);
        let mut target = if is_root { Some(ROOT) } else { None };
        if !is_root && entries.iter().any(is_setup) {
            let changes = entries.iter().map(|e| (&*e.id, e.value.0));
            let position = Rc::make_mut(&mut self.position);
            set_up(position, changes).map_err(|e| tree.error(self.node, e.message))?;
            let node = self.add(record, None);
            keep(record, node, entries.iter().filter(|e| is_setup(e)));
            target = Some(node);
        }
        let forced = entries.iter().any(|e| e.id == "KO");
        for entry in entries {
            let Some(color) = mover(entry) else { continue };
            let node = self.node;
            let fault = |message: String| {
                tree.error_at(node, entry, format!("{}[{}]: {message}", entry.id, excerpt(entry.value.0)))
            };
            let mv = read_move(&self.position, entry.value.0)
                .ok_or_else(|| fault("not a point of the board".to_string()))?;
            if self.position.turn() != color {
                self.play(record, GoMove::PASS);
            }
            if let Some(v) = mv.vertex() {
                let position = Rc::make_mut(&mut self.position);
                position.resume(forced);
                if let Some(why) = position.objection(v) {
                    return Err(fault(format!("{}: {why}", position.vertex_text(v))));
                }
            }
            target = Some(self.play(record, mv));
        }
        let node = target.unwrap_or_else(|| self.add(record, None));
        self.annotate(record, node, entries);
        let skip = |e: &Entry<'_>| {
            let in_headers = is_root && (FACTS.contains(&&*e.id) || FORMAL.contains(&&*e.id));
            is_setup(e) || mover(e).is_some() || in_headers || e.id == "C"
        };
        keep(record, node, entries.iter().filter(|e| !skip(e)));
        Ok(())
    }

    /// Comment and clocks.
    fn annotate(&mut self, record: &mut Record<Go<LEN>>, node: usize, entries: &[Entry<'_>]) {
        let said: Vec<String> = entries.iter().filter(|e| e.id == "C").map(|e| e.value.text()).collect();
        record.nodes[node].comment = said.join("\n");
        for color in Color::BOTH {
            let left_id = ["BL", "WL"][color.index()];
            let Some(left) =
                entries.iter().find(|e| e.id == left_id).and_then(|e| e.value.0.trim().parse::<f64>().ok())
            else {
                continue;
            };
            let before = self.clocks[color.index()].replace(left);
            let used = before.and_then(|before| Duration::try_from_secs_f64(before - left).ok());
            if self.position.turn() != color && record.nodes[node].mv.is_some() {
                record.nodes[node].time = used;
            }
        }
    }

    fn play(&mut self, record: &mut Record<Go<LEN>>, mv: GoMove) -> usize {
        Rc::make_mut(&mut self.position).play(mv);
        self.add(record, Some(mv))
    }

    fn add(&mut self, record: &mut Record<Go<LEN>>, mv: Option<GoMove>) -> usize {
        self.parent = record.add(self.parent, mv);
        self.parent
    }
}

/// Keeps entries as properties of a node, values of one name together.
fn keep<'e, const LEN: usize>(record: &mut Record<Go<LEN>>, node: usize, entries: impl Iterator<Item = &'e Entry<'e>>) {
    let properties = &mut record.nodes[node].properties;
    for entry in entries {
        match properties.last_mut().filter(|(id, _)| *id == entry.id) {
            Some((_, values)) => values.push(entry.value.0.to_string()),
            None => properties.push((entry.id.to_string(), vec![entry.value.0.to_string()])),
        }
    }
}
