//! What can be said of a move: the features that move probabilities are made of (Coulom 2007).
//!
//! Every move has one value of each [`Group`]; the value 0 means that there is nothing to say. Ladders and liberties are looked at once
//! per position, not once per move.

use std::sync::OnceLock;

use yomi_core::{Color, Position};
use yomi_games::go::{Code, Go, GoMove, Symmetry, Vertex};

use super::ladder::Ladders;
use super::neighbourhood::{answers, contact, distance, rings};
use super::tactics::{liberties_after, stones_beside};

/// The kinds of features.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Group {
    /// The 3x3 shape around the move.
    Shape,
    /// 1 takes a chain whose neighbour is in atari, 2 takes the chain of the last move, 3 takes several stones, 4 takes one.
    Capture,
    /// A chain in atari extends: 1 and gets away from the last move, 2 and gets away, 3 in vain.
    Escape,
    /// Goes into atari: 1 with a single stone, 2 with more.
    SelfAtari,
    /// Puts a chain in atari: 1 the first move of a ladder that works, 2 the chain of the last move, 3 another.
    Atari,
    /// 1 a liberty of a chain of one's own that a ladder would take.
    Danger,
    /// The line: 1 to 5 with stones near by, 6 to 10 without.
    Line,
    /// The distance to the last move, from 2 on; 1 beyond.
    Last,
    /// The distance to the move before, likewise.
    BeforeLast,
    /// Passes: 1 first, 2 after a pass.
    Pass,
    /// The largest known pattern around the move, by its place in the book; so are the others.
    Pattern,
    /// The largest known pattern with the last move in it.
    Answer,
    /// The 3x3 shape with the liberties of the chains that touch the move.
    Contact,
}

impl Group {
    /// All kinds, those that have a book last.
    pub const ALL: [Group; 13] = [
        Group::Shape,
        Group::Capture,
        Group::Escape,
        Group::SelfAtari,
        Group::Atari,
        Group::Danger,
        Group::Line,
        Group::Last,
        Group::BeforeLast,
        Group::Pass,
        Group::Pattern,
        Group::Answer,
        Group::Contact,
    ];

    /// The kinds that have a book.
    pub const BOOKS: [Group; 3] = [Group::Pattern, Group::Answer, Group::Contact];

    /// The place of its book among all books.
    pub fn book(self) -> Option<usize> {
        Group::BOOKS.iter().position(|&group| group == self)
    }

    /// What it is called in files.
    pub fn name(self) -> &'static str {
        match self {
            Group::Shape => "shape",
            Group::Capture => "capture",
            Group::Escape => "escape",
            Group::SelfAtari => "self-atari",
            Group::Atari => "atari",
            Group::Danger => "danger",
            Group::Line => "line",
            Group::Last => "last",
            Group::BeforeLast => "before-last",
            Group::Pass => "pass",
            Group::Pattern => "pattern",
            Group::Answer => "answer",
            Group::Contact => "contact",
        }
    }

    /// What a value is called where each has a weight of its own; a shape by its smallest 3x3 code.
    pub fn value_name(self, value: usize) -> String {
        match (self, ShapeClasses::get().codes.get(value)) {
            (Group::Shape, Some(code)) => format!("shape-{code:04x}"),
            _ => format!("{}-{value}", self.name()),
        }
    }

    /// How many values it has, the one for nothing included; the patterns of a book apart.
    pub fn values(self) -> usize {
        match self {
            Group::Shape => ShapeClasses::get().count,
            Group::Capture => 5,
            Group::Escape | Group::Atari => 4,
            Group::SelfAtari | Group::Pass => 3,
            Group::Danger => 2,
            Group::Line => 11,
            Group::Last | Group::BeforeLast => FARTHEST + 1,
            Group::Pattern | Group::Answer | Group::Contact => 1,
        }
    }
}

/// The values of one move, by group.
pub type Values = [u16; Group::ALL.len()];

/// Moves farther away than this are all alike.
const FARTHEST: usize = 17;

/// 3x3 codes by class: those that turning makes equal have the same number. Black is the side to move.
pub(super) struct ShapeClasses {
    classes: Vec<u16>,
    /// The smallest code of each class.
    pub(super) codes: Vec<u16>,
    pub(super) count: usize,
}

impl ShapeClasses {
    pub(super) fn get() -> &'static ShapeClasses {
        static CLASSES: OnceLock<ShapeClasses> = OnceLock::new();
        CLASSES.get_or_init(|| {
            let mut found = ShapeClasses { classes: vec![0; 1 << 16], codes: vec![0], count: 1 };
            for code in (0..=u16::MAX).map(Code).filter(|&code| is_possible(code)) {
                let turned = || Symmetry::ALL.iter().map(|&symmetry| code.transformed(symmetry).0);
                if turned().all(|other| other >= code.0) {
                    turned().for_each(|other| found.classes[usize::from(other)] = found.count as u16);
                    found.codes.push(code.0);
                    found.count += 1;
                }
            }
            found
        })
    }

    #[inline]
    fn class(&self, code: Code) -> u16 {
        self.classes[usize::from(code.0)]
    }
}

/// Whether the border of a code is a border: whole sides of the square.
fn is_possible(code: Code) -> bool {
    // Which orthogonal directions each diagonal lies between, in the order of DIRECTIONS.
    const BETWEEN: [(usize, usize); 4] = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let outside = |d: usize| code.field(d) == 3;
    let edges = (0..4).filter(|&d| outside(d)).count();
    let opposite = (outside(0) && outside(3)) || (outside(1) && outside(2));
    edges <= 2 && !opposite && (0..4).all(|i| outside(4 + i) == (outside(BETWEEN[i].0) || outside(BETWEEN[i].1)))
}

/// Everything that the features of a position's moves need to know, found once.
pub struct Scene<'a, const LEN: usize> {
    go: &'a Go<LEN>,
    own: Color,
    last: Option<Vertex>,
    before: Option<Vertex>,
    passed: bool,
    /// What each point means by the chains around it, by index.
    marks: [Mark; LEN],
    /// The liberties of the chain that each point is the head of, up to four.
    liberties: [u8; LEN],
}

/// What playing on a point does to the chains beside it.
#[derive(Clone, Copy, Default)]
struct Mark {
    escape: u16,
    atari: u16,
    danger: u16,
}

impl<'a, const LEN: usize> Scene<'a, LEN> {
    /// Looks at a position, its ladders included.
    pub fn new(go: &'a Go<LEN>, ladders: &mut Ladders<LEN>) -> Scene<'a, LEN> {
        let mut scene = Scene::without_ladders(go);
        scene.mark_chains(ladders);
        scene
    }

    /// Looks at a position without reading ladders: enough for [`Scene::patterns`].
    pub fn without_ladders(go: &'a Go<LEN>) -> Scene<'a, LEN> {
        let (last, before) = (go.last_move(0), go.last_move(1));
        let mut liberties = [0; LEN];
        for v in go.vertices().filter(|&v| go.head(v) == Some(v)) {
            liberties[go.index(v)] = go.liberties::<4>(v).len() as u8;
        }
        Scene {
            go,
            own: go.turn(),
            last: last.and_then(GoMove::vertex),
            before: before.and_then(GoMove::vertex),
            passed: last == Some(GoMove::PASS),
            marks: [Mark::default(); LEN],
            liberties,
        }
    }

    fn mark_chains(&mut self, ladders: &mut Ladders<LEN>) {
        let go = self.go;
        let mut other = None;
        for v in go.vertices().filter(|&v| go.head(v) == Some(v)) {
            if self.liberties[go.index(v)] > 2 {
                continue;
            }
            let own = go.at(v) == Some(self.own);
            if let Some(way_out) = go.atari(v) {
                if own {
                    self.mark_escape(v, way_out, ladders);
                }
                continue;
            }
            let liberties = go.liberties::<3>(v);
            let &[a, b] = liberties.as_slice() else { continue };
            if own {
                // The same position with the other side to move.
                let theirs = other.get_or_insert_with(|| {
                    let mut theirs = go.clone();
                    theirs.set_turn(!self.own);
                    theirs
                });
                if ladders.is_in_ladder(theirs, v) {
                    [a, b].iter().for_each(|&at| self.marks[go.index(at)].danger = 1);
                }
            } else {
                let answers = self.last.is_some_and(|last| go.head(last) == Some(v));
                for at in [a, b] {
                    let atari = if ladders.begins_ladder(go, v, at) { 1 } else { 3 - u16::from(answers) };
                    let mark = &mut self.marks[go.index(at)].atari;
                    *mark = if *mark == 0 { atari } else { atari.min(*mark) };
                }
            }
        }
    }

    fn mark_escape(&mut self, v: Vertex, way_out: Vertex, ladders: &mut Ladders<LEN>) {
        let go = self.go;
        let attacked = self
            .last
            .is_some_and(|last| go.neighbors(last).any(|u| go.head(u) == Some(v)) && go.at(last) == Some(!self.own));
        let escape = match (ladders.dies_running(go, v), attacked) {
            (true, _) => 3,
            (false, true) => 1,
            (false, false) => 2,
        };
        let mark = &mut self.marks[go.index(way_out)].escape;
        *mark = if *mark == 0 { escape } else { escape.min(*mark) };
    }

    /// Calls `visit` with the patterns of one kind around a point, from the smallest to the largest, until it returns false.
    pub fn patterns(&self, group: Group, v: Vertex, mut visit: impl FnMut(u64) -> bool) {
        let go = self.go;
        match group {
            Group::Pattern => rings(go, v, self.own, visit),
            Group::Answer => {
                if let Some(last) = self.last {
                    answers(go, v, self.own, last, visit);
                }
            }
            Group::Contact => {
                let liberties = |u: Vertex| go.head(u).map_or(0, |head| usize::from(self.liberties[go.index(head)]));
                if let Some(hash) = contact(go, v, self.own, liberties) {
                    visit(hash);
                }
            }
            _ => {}
        }
    }

    /// The features of a legal move, all but those that stand in books.
    pub fn values(&self, mv: GoMove) -> Values {
        let mut values = [0; Group::ALL.len()];
        let Some(v) = mv.vertex() else {
            values[Group::Pass as usize] = 1 + u16::from(self.passed);
            return values;
        };
        let go = self.go;
        let code = if self.own == Color::Black { go.code(v) } else { go.code(v).recolored() };
        let mark = self.marks[go.index(v)];
        values[Group::Shape as usize] = ShapeClasses::get().class(code);
        values[Group::Capture as usize] = self.capture(v);
        values[Group::Escape as usize] = mark.escape;
        values[Group::SelfAtari as usize] = self.self_atari(v);
        values[Group::Atari as usize] = mark.atari;
        values[Group::Danger as usize] = mark.danger;
        values[Group::Line as usize] = self.line(v);
        values[Group::Last as usize] = self.distance(v, self.last);
        values[Group::BeforeLast as usize] = self.distance(v, self.before);
        values
    }

    fn capture(&self, v: Vertex) -> u16 {
        let go = self.go;
        let mut found = 0;
        for enemy in stones_beside(go, v, !self.own).filter(|&enemy| go.atari(enemy) == Some(v)) {
            let saves =
                || go.chain(enemy).any(|stone| stones_beside(go, stone, self.own).any(|u| go.atari(u).is_some()));
            let capture = match () {
                () if saves() => 1,
                () if self.last.is_some_and(|last| go.head(last) == go.head(enemy)) => 2,
                () if go.chain_len(enemy) > 1 => 3,
                () => 4,
            };
            found = if found == 0 { capture } else { capture.min(found) };
        }
        found
    }

    fn self_atari(&self, v: Vertex) -> u16 {
        let free = self.go.code(v).liberties();
        if free & free.wrapping_sub(1) != 0 || liberties_after::<LEN, 2>(self.go, v, self.own) >= 2 {
            return 0;
        }
        1 + u16::from(stones_beside(self.go, v, self.own).next().is_some())
    }

    fn line(&self, v: Vertex) -> u16 {
        let go = self.go;
        let (column, row, size) = (go.column(v), go.row(v), go.size());
        let line = [column, row, size - 1 - column, size - 1 - row].into_iter().min().unwrap_or(0).min(4) as u16;
        let near = |x: usize, y: usize| go.vertex(x, y).is_some_and(|u| go.at(u).is_some());
        let span = |i: usize| i.saturating_sub(3)..=i + 3;
        let lonely = !span(row).any(|y| span(column).any(|x| x.abs_diff(column) + y.abs_diff(row) <= 3 && near(x, y)));
        1 + line + if lonely { 5 } else { 0 }
    }

    fn distance(&self, v: Vertex, from: Option<Vertex>) -> u16 {
        let Some(from) = from else { return 0 };
        let go = self.go;
        let (x, y) = (go.column(v) as i32 - go.column(from) as i32, go.row(v) as i32 - go.row(from) as i32);
        match distance(x, y) {
            far if far > FARTHEST => 1,
            near => near as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Seed, Simulate};
    use yomi_games::go::{Go9, Rules};

    fn at(rows: [&str; 5], turn: &str, moves: &[&str]) -> Go9 {
        let start = Go9::new(5, Rules::default()).unwrap();
        let mut go = start.parse_position(&format!("{} {turn}", rows.join("/"))).unwrap();
        for text in moves {
            go.play(go.parse_move(text).unwrap());
        }
        go
    }

    fn value(go: &Go9, mv: &str, group: Group) -> u16 {
        Scene::new(go, &mut Ladders::default()).values(go.parse_move(mv).unwrap())[group as usize]
    }

    #[test]
    fn captures_and_escapes() {
        // B2 has liberties left at C2 and B1; then White takes the second away.
        let go = at([".....", ".....", ".w...", ".b...", "w...."], "w", &["A2"]);
        assert_eq!(value(&go, "C2", Group::Escape), 0, "two liberties are no atari");
        let go = at([".....", ".....", ".w...", "wb...", "....."], "w", &["B1"]);
        assert_eq!(value(&go, "C2", Group::Escape), 1);
        assert_eq!(value(&go, "C2", Group::Last), distance(1, 1) as u16);
        let go = at([".....", ".....", "bw...", "wb...", ".w..."], "b", &[]);
        assert_eq!(value(&go, "A1", Group::Capture), 1, "takes A2, a neighbour of B2 which is in atari");
        assert_eq!(value(&go, "D4", Group::Capture), 0);
    }

    #[test]
    fn lines_and_passes() {
        let go = at([".....", ".....", ".....", ".....", "....."], "b", &[]);
        assert_eq!(["A1", "B2", "C3"].map(|mv| value(&go, mv, Group::Line)), [6, 7, 8]);
        assert_eq!(value(&go, "pass", Group::Pass), 1);
        let go = at([".....", ".....", ".....", ".....", "....."], "b", &["C3", "pass"]);
        assert_eq!((value(&go, "pass", Group::Pass), value(&go, "B2", Group::Line)), (2, 2));
    }

    #[test]
    fn going_into_atari() {
        let go = at([".....", ".....", "w....", ".w...", "....."], "b", &[]);
        assert_eq!((value(&go, "A2", Group::SelfAtari), value(&go, "D4", Group::SelfAtari)), (1, 0));
    }

    /// All along random games: values are in range, and turning the board changes nothing.
    #[test]
    fn features_know_no_direction() {
        let mut rng = Seed::new(2).rng();
        let mut sampler = Default::default();
        let mut moves = Vec::new();
        let mut go = Go9::new(9, Rules::default()).unwrap();
        for ply in 0..100 {
            if go.generate(&mut moves).is_some() {
                break;
            }
            if ply % 9 == 0 {
                let scene = Scene::new(&go, &mut Ladders::default());
                for symmetry in Symmetry::ALL {
                    let turned = go.transformed(symmetry);
                    let turned_scene = Scene::new(&turned, &mut Ladders::default());
                    for &mv in &moves {
                        let values = scene.values(mv);
                        assert_eq!(values, turned_scene.values(go.transformed_move(mv, symmetry)), "{go}");
                        assert!(Group::ALL.iter().all(|&g| usize::from(values[g as usize]) < g.values()));
                    }
                }
            }
            if let std::ops::ControlFlow::Continue(mv) = go.draw(&mut sampler, &mut rng) {
                go.play(mv);
            }
        }
    }
}
