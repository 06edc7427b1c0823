//! Blokus SGF (.blksgf), the format of Pentobi.
//!
//! Moves are `B[f9,e10,f10,g10,f11]` and `W[…]`; setup is `AB`, `AW` and `AE` with one value a piece, and `PL`. The format knows no
//! passes: where a side moves twice, a pass of the other is put between on reading, and passes are left out on writing, so that a
//! record that ends with a pass comes back without it. The rules are not part of the format either; they are kept in `RU` where
//! they are not the default.
//!
//! Headers are the properties of the root as text, except the game, the charset, setup and comment. Properties of other nodes stay as they
//! stand in the file, escapes and all, and so are written as they were: `TE[1]` marks good moves and `BM[1]` bad ones.

use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Notation, Outcome, Position, Record, Spec, TextError};

use super::moves::BlokusMove;
use super::position::BlokusDuo;
use super::setup::name;
use crate::sgf::{Entry, Tree, Value, Writer, decode, escape, trees, write_tree};

/// The value of `GM`.
const GAME: &str = "Blokus Duo";

/// More setups in one line than this are nobody's honest wish.
const MAX_CHANGES: usize = 1000;

/// Reads the first game of a file.
pub fn read(bytes: &[u8]) -> Result<Record<BlokusDuo>, TextError> {
    let text = decode(bytes);
    let tree = trees(&text).next().ok_or_else(|| TextError::new("there is no game in this file"))??;
    Reader::new(&tree)?.read()
}

/// Reads all games of a file.
pub fn read_all(bytes: &[u8]) -> Result<Vec<Record<BlokusDuo>>, TextError> {
    let text = decode(bytes);
    trees(&text).map(|tree| Reader::new(&tree?)?.read()).collect()
}

/// Walks over the nodes in the order of the file, which is depth first.
struct Reader<'t> {
    tree: &'t Tree<'t>,
    record: Record<BlokusDuo>,
    /// Positions on the way to the current node: each with the node of the tree that made it.
    line: Vec<(usize, BlokusDuo)>,
    /// The record's node for each of the tree.
    places: Vec<usize>,
    /// The node of a pass below each node of the record; 0 for none yet.
    passes: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn new(tree: &'t Tree<'t>) -> Result<Reader<'t>, TextError> {
        let game = tree.get(0, "GM").map(Value::line);
        match game.as_deref() {
            Some(GAME) => {}
            Some(other) => return Err(tree.error(0, format!("this is a record of {other}, not of {GAME}"))),
            None => return Err(tree.error(0, format!("GM[{GAME}] is missing"))),
        }
        let start = rules_of(tree);
        let record = Record::new(start.clone());
        Ok(Reader { tree, record, line: vec![(0, start)], places: Vec::with_capacity(tree.len()), passes: vec![0] })
    }

    fn read(mut self) -> Result<Record<BlokusDuo>, TextError> {
        self.root()?;
        for node in 1..self.tree.len() {
            // Whoever is not above this node was left behind.
            let parent = self.tree.parent(node);
            while self.line.last().is_some_and(|&(made_by, _)| made_by > parent) {
                self.line.pop();
            }
            self.set_up(node)?;
            let above = self.places[parent];
            let place = match self.mover(node)? {
                Some(mover) => self.play(node, above, mover)?,
                // A node that says nothing is none.
                None if self.tree.entries(node).is_empty() => above,
                None => self.add(above, None),
            };
            self.places.push(place);
            self.annotate(node, place);
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
                "C" => self.record.nodes[ROOT].comment = entry.value.text(),
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

    /// Keeps what a node says besides its move.
    fn annotate(&mut self, node: usize, place: usize) {
        let kept = &mut self.record.nodes[place];
        for run in self.tree.entries(node).chunk_by(|a, b| a.id == b.id) {
            match &*run[0].id {
                "B" | "W" => {}
                "C" => kept.comment = run[0].value.text(),
                id => kept.properties.push((id.to_string(), run.iter().map(|e| e.value.0.to_string()).collect())),
            }
        }
    }

    /// Applies the setup of a node.
    fn set_up(&mut self, node: usize) -> Result<(), TextError> {
        let tree = self.tree;
        let changes = |entry: &&Entry<'_>| matches!(&*entry.id, "AB" | "AW" | "AE" | "PL");
        let entries: Vec<&Entry<'_>> = tree.entries(node).iter().filter(changes).collect();
        let Some(last) = entries.last() else { return Ok(()) };
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
        self.change(node, position)
    }
}

/// The empty board under the rules that `RU` names, or under the default ones.
fn rules_of(tree: &Tree<'_>) -> BlokusDuo {
    let named = tree.get(0, "RU").and_then(|value| Spec::parse(&value.line()).ok());
    named.and_then(|spec| BlokusDuo::start(&spec).ok()).unwrap_or_default()
}

fn player(text: &str) -> Option<Color> {
    match text.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Color::Black),
        "w" | "white" | "2" => Some(Color::White),
        _ => None,
    }
}

/// Says how the main line ended: nothing fits any more, or `RE` tells that the side to move resigned or ran out of time.
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

/// The position at the end of the main line, unless setups or illegal moves lie on the way.
fn last_position(record: &Record<BlokusDuo>) -> Option<BlokusDuo> {
    let mut position = record.start.clone();
    for node in record.main_line().skip(1).map(|i| &record.nodes[i]) {
        if node.properties.iter().any(|(id, _)| matches!(id.as_str(), "AB" | "AW" | "AE" | "PL")) {
            return None;
        }
        if let Some(mv) = node.mv {
            position.is_legal(mv).then(|| position.play(mv))?;
        }
    }
    Some(position)
}

fn initial(color: Color) -> char {
    if color == Color::Black { 'B' } else { 'W' }
}

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
            if let Some(mv) = said.mv.filter(|mv| !mv.is_pass()) {
                writer.property(&initial(movers[node]).to_string(), [mv.points()]);
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
        let set = node.properties.iter().find(|(id, _)| id == "PL").and_then(|(_, values)| player(values.first()?));
        let next = match record.nodes[node.parent].mv {
            _ if i == ROOT => record.start.turn(),
            Some(_) => !movers[node.parent],
            None => movers[node.parent],
        };
        movers.push(set.unwrap_or(next));
    }
    movers
}

/// The children of each node as the file has them: where a node is only a pass, its children stand in its place.
fn children_without_passes(record: &Record<BlokusDuo>) -> Vec<Vec<usize>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); record.nodes.len()];
    for (i, node) in record.nodes.iter().enumerate().rev() {
        let mut own = Vec::with_capacity(node.children.len());
        for &child in &node.children {
            let said = &record.nodes[child];
            let silent = said.comment.is_empty() && said.properties.is_empty();
            if said.mv.is_some_and(BlokusMove::is_pass) && silent {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::{Seed, record};

    fn shape(record: &Record<BlokusDuo>) -> Vec<record::Node<BlokusMove>> {
        record.nodes.clone()
    }

    /// Reads, writes and reads again: nothing is lost.
    fn round_trip(text: &str) -> Record<BlokusDuo> {
        let record = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        let again = read(write(&record).as_bytes()).unwrap_or_else(|e| panic!("{e}\n{}", write(&record)));
        assert_eq!(shape(&record), shape(&again));
        assert_eq!(record.headers, again.headers);
        assert_eq!(record.start.position_text(), again.start.position_text());
        assert_eq!(record.start.rules(), again.start.rules());
        record
    }

    fn codes(record: &Record<BlokusDuo>) -> Vec<String> {
        record.moves().into_iter().map(BlokusMove::code).collect()
    }

    #[test]
    fn a_game_with_variations_comments_and_marks() {
        let text = "(;GM[Blokus Duo]CA[UTF-8]AP[Pentobi:1.0]PB[A \\] B]C[root]\n(;B[f9,e10,f10,g10,f11]TE[1](;W[j4,i5,j5,k5,j6];B[g8,h6,i6,g7,h7]\
                    BM[1]C[bad: [\\]])(;W[i4,h5,i5,j5,i6]N[b\\]c]LB[a1:x][a2:y]))(;B[e10]))";
        let record = round_trip(text);
        assert_eq!(codes(&record), ["65u0", "aau0", "88r3"]);
        assert_eq!(record.headers, [("AP".into(), "Pentobi:1.0".into()), ("PB".into(), "A ] B".into())]);
        let [root, first, bad, other] = [0, 1, 3, 4].map(|i| &record.nodes[i]);
        assert_eq!((root.comment.as_str(), root.children.as_slice()), ("root", &[1, 5][..]));
        assert_eq!((&first.properties[..], bad.comment.as_str()), (&[("TE".into(), vec!["1".into()])][..], "bad: []"));
        assert_eq!(other.properties[1], ("LB".to_string(), vec!["a1:x".to_string(), "a2:y".to_string()]));
        assert_eq!(
            write(&record).replace('\n', ""),
            text.replace('\n', "").replace("g8,h6,i6,g7,h7]BM[1]C[bad: [\\]]", "h6,i6,g7,h7,g8]C[bad: [\\]]BM[1]")
        );
    }

    #[test]
    fn the_setup_of_the_description() {
        let text = "(;GM[Blokus Duo]AB[e8,e9,f9,d10,e10][g6,f7,g7,h7,g8]\nAW[i4,h5,i5,j5,i6][j7,j8,j9,k9,j10]\nPL[B]\
                    ;AE[g6,f7,g7,h7,g8]PL[W];W[k4]C[only three left];B[f7])";
        let record = round_trip(text);
        assert_eq!(
            record.start.position_text(),
            "14/14/14/14/3bb4w4/4bb3ww3/4b1b2w4/5bbb1w4/6b1w5/7www4/8w5/14/14/14 b"
        );
        assert_eq!(codes(&record), ["bba0", "68a0"]);
        assert_eq!(record.nodes[1].properties.len(), 2);
    }

    /// Points as values of their own, as Pentobi 0.1 and 0.2 wrote them, and a move in the root.
    #[test]
    fn old_files() {
        assert_eq!(codes(&round_trip("(;GM[Blokus Duo];B[f8][g8][e9][f9][e10])")), ["66r3"]);
        assert_eq!(codes(&round_trip("(;GM[Blokus Duo]B[e10];W[j5])")), ["55a0", "aaa0"]);
    }

    /// Random games with their passes, under all rules.
    #[test]
    fn whole_games_come_back() {
        for (game, spec) in
            (0..).zip(["blokus-duo", "blokus-duo(start=free)", "blokus-duo(bonus=true)"].into_iter().cycle().take(30))
        {
            let mut rng = Seed::new(1).branch(spec, game).rng();
            let mut position = BlokusDuo::start(&Spec::parse(spec).unwrap()).unwrap();
            let mut record = Record::new(position.clone());
            let (mut moves, mut node) = (Vec::new(), ROOT);
            let outcome = loop {
                if let Some(outcome) = position.generate(&mut moves) {
                    break outcome;
                }
                let mv = moves[rng.below(moves.len())];
                node = record.add(node, Some(mv));
                position.play(mv);
            };
            record.nodes[node].ending = Some(Ending::Counted(outcome));
            let text = write(&record);
            let margin = position.score(Color::Black) - position.score(Color::White);
            assert!(
                text.contains(&format!("+{margin}]"))
                    || text.contains(&format!("+{}]", -margin))
                    || text.contains("RE[0]")
            );
            let read = round_trip(&text);
            assert_eq!((read.moves(), read.ending()), (record.moves(), Some(Ending::Counted(outcome))));
        }
    }

    #[test]
    fn results_that_the_board_does_not_show() {
        let ending = |re: &str| read(format!("(;GM[Blokus Duo]RE[{re}];B[e10])").as_bytes()).unwrap().ending();
        assert_eq!(
            [ending("B+R"), ending("B+Resign"), ending("B+T")].map(Option::unwrap),
            [Ending::Resign, Ending::Resign, Ending::TimeUp]
        );
        assert_eq!((ending("W+R"), ending("B+3"), ending("?")), (None, None, None));
    }

    #[test]
    fn errors_name_the_node() {
        for (text, line, words) in [
            ("", 0, "no game"),
            ("(;GM[Blokus]\n;B[e10])", 1, "record of Blokus, not of Blokus Duo"),
            ("(;B[e10])", 0, "GM[Blokus Duo] is missing"),
            ("(;GM[Blokus Duo]\n;B[a1])", 2, "node 1: the first piece of Black covers e10"),
            ("(;GM[Blokus Duo]\n;B[e10]\n;B[f9,g9])", 3, "node 2: it is the turn of White"),
            ("(;GM[Blokus Duo]\n;W[j5])", 2, "node 1: it is the turn of Black"),
            ("(;GM[Blokus Duo]\n;B[e10]W[j5])", 2, "both sides"),
            ("(;GM[Blokus Duo]\n;B[e10][e11][e12][e13][e14][d14])", 2, "at most five"),
            ("(;GM[Blokus Duo]\n;B[e10,x])", 2, "a square is"),
            ("(;GM[Blokus Duo]\nAB[e10][e11,e12])", 2, "e11: pieces of Black touch along an edge"),
            ("(;GM[Blokus Duo]\nAB[e10]AW[e10])", 2, "e10: two pieces cover the same square"),
            ("(;GM[Blokus Duo]\n;AE[e10])", 2, "no such piece"),
            ("(;GM[Blokus Duo]\n;PL[x])", 2, "PL is B or W"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.contains(words), "{text}: {error}");
        }
        let many = format!("(;GM[Blokus Duo]{})", ";PL[W];PL[B]".repeat(1000));
        assert!(read(many.as_bytes()).unwrap_err().message.contains("too many setups"));
        let more = format!("(;GM[Blokus Duo]AB{})", "[e10]".repeat(100_000));
        assert!(read(more.as_bytes()).unwrap_err().message.contains("21 pieces"));
        let wide = format!("(;GM[Blokus Duo]{})", "(;B[e10])".repeat(20_000));
        assert_eq!(round_trip(&wide).nodes[ROOT].children.len(), 20_000);
        let deep = format!("(;GM[Blokus Duo]{}{}", "(;C[x]".repeat(20_000), ")".repeat(20_001));
        assert_eq!(round_trip(&deep).nodes.len(), 20_001);
        assert_eq!(round_trip(&format!("(;GM[Blokus Duo]{};C[x])", ";".repeat(20_000))).nodes.len(), 2);
        assert_eq!(read_all("(;GM[Blokus Duo];B[e10])\n(;GM[Blokus Duo])".as_bytes()).unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn no_file_panics(noise: Vec<u8>, body in "([;()]|B\\[e10\\]|W\\[j5\\]|A[BWE]\\[(e10|f9|j5)\\]|PL\\[[BW]\\]|C\\[x\\]){0,12}") {
            let _ = read_all(&noise);
            if let Ok(record) = read(format!("(;GM[Blokus Duo]{body})").as_bytes()) {
                round_trip(&write(&record));
            }
        }
    }
}
