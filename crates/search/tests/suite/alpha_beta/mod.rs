//! Alpha-beta against plain minimax, solved games, limits, and nonsense.

mod limits;

use std::cmp::Ordering;
use std::time::Duration;

use yomi_core::toy::{Branch, Column, ConnectFour, Nim, TicTacToe, ToyTree};
use yomi_core::zobrist::mix;
use yomi_core::{Answer, Color, Evaluator, Line, Outcome, Position, Question, Rng, Seed, Tactical};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::{Ended, Limits, Proof, Search, Verdict};

/// An opinion without sense or symmetry, the same every time: the hardest case for a search that must find the minimax value.
#[derive(Clone, Copy)]
struct Noise;

impl<P: Position> Evaluator<P> for Noise {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        // Few different values, so that ties are common.
        answer.by_value(question, 1.0, |leaf| (mix(leaf.position.key()) % 21) as f32 / 20.0 - 0.5);
    }
}

/// Knows nothing.
struct Nothing;

impl<P: Position> Evaluator<P> for Nothing {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.by_value(question, 1.0, |_| 0.0);
    }
}

/// The value of a position: lost in n, an opinion, won in n.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Worth {
    Lost(u32),
    Opinion(f32),
    Won(u32),
}

impl Worth {
    /// The same seen by the other side, one ply earlier.
    fn before(self) -> Worth {
        match self {
            Worth::Lost(n) => Worth::Won(n + 1),
            Worth::Opinion(v) => Worth::Opinion(-v),
            Worth::Won(n) => Worth::Lost(n + 1),
        }
    }

    fn compare(&self, other: &Worth) -> Ordering {
        let rank = |worth: &Worth| match *worth {
            Worth::Lost(n) => (0, n as f32),
            Worth::Opinion(v) => (1, v),
            Worth::Won(n) => (2, -(n as f32)),
        };
        rank(self).partial_cmp(&rank(other)).unwrap()
    }

    fn of<M>(verdict: &Verdict<M>) -> Worth {
        match verdict.proof {
            Some(Proof::Win(n)) => Worth::Won(n),
            Some(Proof::Loss(n)) => Worth::Lost(n),
            _ => Worth::Opinion(verdict.value),
        }
    }
}

/// The slow twin: every line to the depth, every line of the rules.
fn minimax<P: Position>(line: &Line<P>, depth: u32) -> Worth {
    let mut moves = Vec::new();
    match line.generate(&mut moves) {
        Some(Outcome::Draw) => Worth::Opinion(0.0),
        Some(Outcome::Win(side)) => {
            if side == line.position().turn() {
                Worth::Won(0)
            } else {
                Worth::Lost(0)
            }
        }
        None if depth == 0 => Worth::Opinion(Noise.value(&Question::at(line, &moves), &mut ())),
        None => moves.iter().map(|&mv| after(line, mv, depth)).max_by(Worth::compare).unwrap(),
    }
}

/// The value of a move for the side that plays it.
fn after<P: Position>(line: &Line<P>, mv: P::Move, depth: u32) -> Worth {
    let mut child = line.clone();
    child.play(mv);
    minimax(&child, depth - 1).before()
}

fn random_line<P: Position>(start: P, plies: usize, rng: &mut Rng) -> Line<P> {
    let mut line = Line::new(start);
    let mut moves = Vec::new();
    for _ in 0..plies {
        if line.generate(&mut moves).is_some() {
            break;
        }
        line.play(moves[rng.below(moves.len())]);
    }
    line
}

/// A tree in brackets, up to `depth` deep, every inner node with a value of its own.
fn random_tree(depth: usize, rng: &mut Rng) -> String {
    let value = rng.below(9) as i32 - 4;
    if depth == 0 || rng.chance(0.15) {
        return value.to_string();
    }
    let children: Vec<String> = (0..1 + rng.below(4)).map(|_| random_tree(depth - 1, rng)).collect();
    format!("{value}:({})", children.join(" "))
}

fn small(options: AlphaBetaOptions) -> AlphaBetaOptions {
    AlphaBetaOptions { hash: 0, ..options }
}

/// All settings under which alpha-beta must find the minimax value.
fn sound_settings() -> Vec<AlphaBetaOptions> {
    let mut all = Vec::new();
    for bits in 0..32 {
        let on = |bit: u32| bits >> bit & 1 == 1;
        all.push(AlphaBetaOptions {
            table: on(0),
            scout: on(1),
            killers: on(2),
            history: on(3),
            aspiration: if on(4) { 10 } else { 0 },
            pawn: 1.0,
            ..small(AlphaBetaOptions::full_width())
        });
    }
    all
}

fn agrees_with_minimax<P: Position>(line: &Line<P>, depth: u32, options: AlphaBetaOptions) {
    let verdict = AlphaBeta::new(Noise, options).search(line, &Limits::depth(depth), &mut ());
    let expected = minimax(line, depth);
    assert_eq!(Worth::of(&verdict), expected, "depth {depth}, {options}:\n{}", line.position());
    let mut moves = Vec::new();
    if line.generate(&mut moves).is_none() {
        // A draw that is certain and an opinion of 0 are the same to this search.
        assert_eq!(after(line, verdict.best.unwrap(), depth), expected, "best move, {options}:\n{}", line.position());
        let mut end = line.clone();
        for &mv in &verdict.pv {
            assert!(end.is_legal(mv), "the principal variation is legal");
            end.play(mv);
        }
    }
}

#[test]
fn finds_the_minimax_value() {
    let mut rng = Seed::new(1).rng();
    for options in sound_settings() {
        for i in 0..12 {
            let depth = 1 + i as u32 % 5;
            agrees_with_minimax(&random_line(TicTacToe::default(), i % 8, &mut rng), depth, options);
            agrees_with_minimax(&random_line(ConnectFour::default(), 3 * i, &mut rng), depth, options);
            agrees_with_minimax(&random_line(Nim::new(15), i / 3, &mut rng), depth + 2, options);
            let tree: ToyTree = random_tree(6, &mut rng).parse().unwrap();
            agrees_with_minimax(&Line::new(tree), depth + 1, options);
        }
    }
}

#[test]
fn every_line_of_multipv_has_its_minimax_value() {
    let mut rng = Seed::new(2).rng();
    for (i, options) in sound_settings().into_iter().enumerate() {
        let options = AlphaBetaOptions { multipv: 1 + i % 9, ..options };
        let line = random_line(ConnectFour::default(), i % 20, &mut rng);
        let verdict = AlphaBeta::new(Noise, options).search(&line, &Limits::depth(4), &mut ());
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() {
            continue;
        }
        let mut expected: Vec<Worth> = moves.iter().map(|&mv| after(&line, mv, 4)).collect();
        expected.sort_by(|a, b| b.compare(a));
        assert_eq!(verdict.moves.len(), options.multipv.min(moves.len()));
        // Deepening stops when all lines are solved: then only the lines shown are compared by who wins.
        for (found, expected) in verdict.moves.iter().zip(expected) {
            let worth = match found.proof {
                Some(Proof::Win(n)) => Worth::Won(n),
                Some(Proof::Loss(n)) => Worth::Lost(n),
                _ => Worth::Opinion(found.value),
            };
            assert_eq!(worth, expected, "{options}\n{}", line.position());
            assert_eq!(after(&line, found.mv, 4), expected);
            assert_eq!(found.pv[0], found.mv);
        }
    }
}

/// A literal tree as a tactical game: the first branch of every node is a capture, a null move leaves everything as it is, and a node
/// whose written value is a multiple of seven is in check.
#[derive(Clone)]
struct SharpTree(ToyTree, bool);

impl std::fmt::Display for SharpTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Position for SharpTree {
    type Move = Branch;
    const NAME: &'static str = "sharp-tree";
    fn turn(&self) -> Color {
        if self.1 { !self.0.turn() } else { self.0.turn() }
    }
    fn key(&self) -> u64 {
        self.0.key() ^ u64::from(self.1)
    }
    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        self.0.generate(moves)
    }
    fn play(&mut self, mv: Branch) {
        self.0.play(mv);
    }
}

impl Tactical for SharpTree {
    fn noisy(&self, moves: &mut Vec<Branch>) {
        self.generate(moves);
        if !self.in_check() {
            moves.truncate(1);
        }
    }
    fn in_check(&self) -> bool {
        !self.0.is_leaf() && self.0.written_value() as i64 % 7 == 0
    }
    fn gain(&self, mv: Branch) -> i32 {
        if mv.0 == 0 { 100 } else { 0 }
    }
    fn pass(&self) -> Option<Self> {
        (!self.in_check()).then(|| SharpTree(self.0.clone(), !self.1))
    }
}

/// Answers what the tree says, in hundredths of a pawn.
struct TreeValues;

impl Evaluator<SharpTree> for TreeValues {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        32_768.0
    }
    fn judge(&self, question: &Question<'_, SharpTree>, answer: &mut Answer<Branch>, (): &mut ()) {
        answer.by_value(question, 32_768.0, |leaf| {
            let value = leaf.position.0.written_value() as f32;
            if leaf.position.turn() == Color::Black { value } else { -value }
        });
    }
}

/// A tree whose leaves end the game and whose inner nodes mislead.
fn misleading_tree(depth: usize, rng: &mut Rng) -> String {
    if depth == 0 || rng.chance(0.1) {
        return (rng.below(3) as i32 - 1).to_string();
    }
    let children: Vec<String> = (0..1 + rng.below(4)).map(|_| misleading_tree(depth - 1, rng)).collect();
    format!("{}:({})", rng.below(2000) as i32 - 1000, children.join(" "))
}

/// Who wins by force, and in how many plies.
fn solve(tree: &SharpTree) -> Worth {
    let mut moves = Vec::new();
    match tree.generate(&mut moves) {
        Some(Outcome::Draw) => Worth::Opinion(0.0),
        Some(Outcome::Win(side)) => {
            if side == tree.turn() {
                Worth::Won(0)
            } else {
                Worth::Lost(0)
            }
        }
        None => {
            let after = |&mv: &Branch| {
                let mut child = tree.clone();
                child.play(mv);
                solve(&child).before()
            };
            moves.iter().map(after).max_by(Worth::compare).unwrap()
        }
    }
}

/// Whatever is pruned: a win or loss that is claimed is one.
#[test]
fn proofs_are_proofs_with_all_prunings_on() {
    let mut rng = Seed::new(4).rng();
    let mut claims = [0; 2];
    for _ in 0..1500 {
        let tree = SharpTree(misleading_tree(8, &mut rng).parse().unwrap(), false);
        let truth = solve(&tree);
        let options = AlphaBetaOptions { pawn: 1.0 + rng.below(200) as f32, ..small(AlphaBetaOptions::default()) };
        for limits in [Limits::nodes(1 + rng.below(300) as u64), Limits::depth(1 + rng.below(9) as u32)] {
            let verdict = AlphaBeta::tactical(TreeValues, options).search(&Line::new(tree.clone()), &limits, &mut ());
            match verdict.proof {
                Some(Proof::Win(n)) => {
                    assert!(matches!(truth, Worth::Won(m) if m <= n), "{n} {truth:?} {options}\n{tree}");
                }
                Some(Proof::Loss(_)) => assert!(matches!(truth, Worth::Lost(_)), "{truth:?} {options}\n{tree}"),
                _ => continue,
            }
            claims[usize::from(matches!(truth, Worth::Won(_)))] += 1;
        }
    }
    assert!(claims.iter().all(|&n| n > 200), "{claims:?}");
}

#[test]
fn tic_tac_toe_is_a_draw() {
    for threads in [1, 2] {
        let options = AlphaBetaOptions { threads, hash: 1, depth: 9, ..AlphaBetaOptions::default() };
        let verdict =
            AlphaBeta::new(Nothing, options).search(&Line::new(TicTacToe::default()), &Limits::infinite(), &mut ());
        assert_eq!((verdict.value, verdict.proof, verdict.depth), (0.0, None, 9));
        assert_eq!(verdict.ended, Some(Ended::Depth));
    }
}

/// A side that faces a multiple of four loses.
#[test]
fn nim_is_solved() {
    for threads in [1, 2] {
        let options = AlphaBetaOptions { threads, hash: 1, ..AlphaBetaOptions::default() };
        let mut search = AlphaBeta::new(Nothing, options);
        for pile in 1..=30u16 {
            let verdict = search.search(&Line::new(Nim::new(pile)), &Limits::infinite(), &mut ());
            assert_eq!(verdict.ended, Some(Ended::Solved), "{pile}");
            match verdict.proof {
                Some(Proof::Win(_)) => assert_eq!(verdict.best.unwrap().0, pile % 4),
                proof => assert!(matches!(proof, Some(Proof::Loss(_))) && pile % 4 == 0, "{pile} {proof:?}"),
            }
        }
    }
}

/// Positions of Pascal Pons' published test sets (Test_L1 to L3) with their exact scores: how many of the winner's 21 stones are left
/// after the winning one, plus one; negative if the side to move loses.
const CONNECT_FOUR: [(&str, i32); 13] = [
    ("2252576253462244111563365343671351441", -1),
    ("23163416124767223154467471272416755633", 0),
    ("65214673556155731566316327373221417", -1),
    ("3642756176227637211322113551637574556", 2),
    ("15153233665512265253266243367171", -2),
    ("25567612321766542715753451236", 2),
    ("2135616344362616617444333774221777125", 2),
    ("64261557453565765234637331431614777122", 0),
    ("32113735114523512272777153652673", 3),
    ("71255763773133525731261364622167124446454", 0),
    ("5554224333234511764415115", 4),
    ("43745416472735", -13),
    ("6242432155656447531617622", 0),
];

#[test]
fn connect_four_positions_have_their_published_scores() {
    for threads in [1, 2] {
        let options = AlphaBetaOptions { threads, hash: 16, ..AlphaBetaOptions::default() };
        let mut search = AlphaBeta::new(Nothing, AlphaBetaOptions { move_count: false, lmr: false, ..options });
        for (moves, score) in CONNECT_FOUR {
            let position = ConnectFour::after(moves).unwrap();
            let stones = moves.len() as i32;
            let expected = match score {
                0 => None,
                s if s > 0 => Some(Proof::Win(2 * (22 - s - stones / 2) as u32 - 1)),
                s => Some(Proof::Loss(2 * (22 + s - (stones + 1) / 2) as u32)),
            };
            search.new_game();
            let verdict = search.search(&Line::new(position), &Limits::depth(42 - stones as u32), &mut ());
            assert_eq!(verdict.proof, expected, "{moves} {threads}");
        }
    }
}

#[test]
fn one_thread_does_the_same_every_time() {
    let mut rng = Seed::new(3).rng();
    let line = random_line(ConnectFour::default(), 6, &mut rng);
    let run = || {
        let mut search = AlphaBeta::new(Noise, AlphaBetaOptions { hash: 1, pawn: 0.3, ..AlphaBetaOptions::default() });
        let mut verdicts: Vec<Verdict<Column>> =
            [1_000, 20_000, 5_000].iter().map(|&nodes| search.search(&line, &Limits::nodes(nodes), &mut ())).collect();
        verdicts.iter_mut().for_each(|verdict| verdict.elapsed = Duration::ZERO);
        verdicts
    };
    assert_eq!(run(), run());
}

#[test]
fn finished_games_and_only_moves() {
    let mut search = AlphaBeta::new(Nothing, small(AlphaBetaOptions::default()));
    let over = search.search(&Line::new(Nim::new(0)), &Limits::nodes(100), &mut ());
    assert_eq!((over.best, over.value, over.proof), (None, -1.0, Some(Proof::Loss(0))));
    assert_eq!((over.ended, over.nodes), (Some(Ended::GameOver), 0));

    let mut search = AlphaBeta::new(Nothing, small(AlphaBetaOptions::default()));
    let one = search.search(&Line::new("((1 -1))".parse::<ToyTree>().unwrap()), &Limits::infinite(), &mut ());
    assert_eq!((one.best.map(|b| b.0), one.proof), (Some(0), Some(Proof::Loss(2))));

    let mut search = AlphaBeta::new(Noise, small(AlphaBetaOptions::default()));
    let line = Line::new(ConnectFour::default());
    let none = search.search(&line, &Limits::depth(0), &mut ());
    assert_eq!((none.best, none.ended, none.depth), (Some(none.pv[0]), Some(Ended::Depth), 0));
    assert!(none.value.abs() <= 0.5);
}

/// An evaluator that answers nonsense must not break the search.
struct Mad(f32);

impl<P: Position> Evaluator<P> for Mad {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        self.0
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.by_value(question, self.0, |leaf| {
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0][(leaf.position.key() % 5) as usize]
        });
    }
}

#[test]
fn survives_absurd_numbers() {
    let line = Line::new(ConnectFour::default());
    for win in [0.0, -5.0, f32::NAN, f32::INFINITY, f32::MAX, 1e-40, 100.0] {
        for pawn in [f32::MIN_POSITIVE, 1.0, f32::MAX, f32::NAN] {
            for aspiration in [0, 1, u32::MAX] {
                let options =
                    AlphaBetaOptions { pawn, aspiration, depth: 5, multipv: usize::MAX, hash: 0, ..Default::default() };
                let verdict = AlphaBeta::new(Mad(win), options).search(&line, &Limits::infinite(), &mut ());
                assert!(line.is_legal(verdict.best.unwrap()));
                assert!(verdict.value.is_finite());
            }
        }
    }
    let nothing = AlphaBetaOptions { depth: 0, multipv: 0, threads: 0, hash: 0, ..AlphaBetaOptions::default() };
    let verdict = AlphaBeta::new(Noise, nothing).search(&line, &Limits::infinite(), &mut ());
    assert!(line.is_legal(verdict.best.unwrap()));
}
