//! The quiescence search against its slow twin, on a toy game made for it and on shogi.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use yomi_core::toy::Branch;
use yomi_core::zobrist::mix;
use yomi_core::{Answer, Color, Evaluator, Line, Outcome, Position, Question, Rng, Seed, Tactical, Want};
use yomi_eval::{Linear, Material};
use yomi_games::shogi::{Five, Minishogi, Nine, Shogi, Shogi9, Variant};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::quiescence::{Quiet, QuietOptions};
use yomi_search::{Limits, Search};

/// Stacks of prizes. The side to move takes the top of a stack (noisy), waits, or shouts (both quiet). A shout and some prizes give check;
/// who is in check must take something or flee, and can flee only twice.
#[derive(Clone, PartialEq)]
struct Prizes {
    /// Prize and whether taking it gives check, the top last.
    stacks: Vec<Vec<(u8, bool)>>,
    scores: [i32; 2],
    flights: [u8; 2],
    check: bool,
    turn: Color,
    plies: u8,
}

const WAIT: Branch = Branch(100);
const SHOUT: Branch = Branch(101);
const FLEE: Branch = Branch(102);

impl Prizes {
    fn random(rng: &mut Rng) -> Prizes {
        let mut prize = |_| (1 + rng.below(9) as u8, rng.chance(0.25));
        let stacks = (0..3).map(|_| (0..3).map(&mut prize).collect()).collect();
        Prizes { stacks, scores: [0; 2], flights: [0; 2], check: false, turn: Color::Black, plies: 0 }
    }

    fn margin(&self) -> i32 {
        self.scores[0] - self.scores[1]
    }
}

impl fmt::Display for Prizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} {:?} {:?} check {} {:?} {}",
            self.stacks, self.scores, self.flights, self.check, self.turn, self.plies
        )
    }
}

impl Position for Prizes {
    type Move = Branch;
    const NAME: &'static str = "prizes";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        self.to_string().bytes().fold(1, |key, byte| mix(key ^ u64::from(byte)))
    }

    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        moves.clear();
        if self.plies >= 12 {
            return Some(Outcome::from_margin(self.margin()));
        }
        moves.extend((0..3).filter(|&i| !self.stacks[i].is_empty()).map(|i| Branch(i as u16)));
        if !self.check {
            moves.extend([WAIT, SHOUT]);
        } else if self.flights[self.turn.index()] < 2 {
            moves.push(FLEE);
        }
        moves.is_empty().then_some(Outcome::Win(!self.turn))
    }

    fn play(&mut self, mv: Branch) {
        self.check = mv == SHOUT;
        if mv == FLEE {
            self.flights[self.turn.index()] += 1;
        } else if let Some((prize, check)) = self.stacks.get_mut(usize::from(mv.0)).and_then(Vec::pop) {
            self.scores[self.turn.index()] += i32::from(prize);
            self.check = check;
        }
        self.plies += 1;
        self.turn = !self.turn;
    }
}

impl Tactical for Prizes {
    fn noisy(&self, moves: &mut Vec<Branch>) {
        self.generate(moves);
        moves.retain(|&mv| self.check || mv.0 < 3);
    }

    fn in_check(&self) -> bool {
        self.check
    }

    fn gain(&self, mv: Branch) -> i32 {
        self.stacks
            .get(usize::from(mv.0))
            .and_then(|stack| stack.last())
            .map_or(0, |&(prize, _)| 100 * i32::from(prize))
    }
}

/// The score so far.
#[derive(Default)]
struct Score {
    asked: AtomicU64,
}

impl Evaluator<Prizes> for Score {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1000.0
    }
    fn judge(&self, question: &Question<'_, Prizes>, answer: &mut Answer<<Prizes as Position>::Move>, (): &mut ()) {
        answer.by_value(question, 1000.0, |leaf| {
            self.asked.fetch_add(1, Relaxed);
            let margin = leaf.position.margin() as f32;
            if leaf.position.turn == Color::Black { margin } else { -margin }
        });
    }
}

fn leaf<P: Position>(position: &P) -> Question<'_, P> {
    Question::of(position, &[])
}

/// The slow twin: no window, no order, no buffers.
fn settle<P: Tactical, E: Evaluator<P, Scratch = ()>>(
    position: &P,
    evaluator: &E,
    options: &QuietOptions,
    deep: u32,
) -> f32 {
    let stand_pat = evaluator.value(&leaf(position), &mut ());
    if deep == options.depth {
        return stand_pat;
    }
    let mut moves = Vec::new();
    let mut all = Vec::new();
    position.generate(&mut all);
    position.noisy(&mut moves);
    if deep < options.checks {
        moves = all.into_iter().filter(|mv| moves.contains(mv) || position.gives_check(*mv)).collect();
    }
    let lost = -evaluator.win() * (1.0 - deep as f32 / (1 << 20) as f32);
    let nothing_done = if position.in_check() { lost } else { stand_pat };
    let replies = moves.iter().map(|&mv| {
        let mut child = position.clone();
        child.play(mv);
        -settle(&child, evaluator, options, deep + 1)
    });
    replies.fold(if moves.is_empty() || !position.in_check() { nothing_done } else { f32::NEG_INFINITY }, f32::max)
}

const PLAIN: QuietOptions = QuietOptions {
    depth: 5,
    checks: 0,
    nodes: u64::MAX,
    exchange: false,
    futility: 0,
    window: 0,
    lazy: false,
    pawn: 87.0,
};

fn agrees_with_twin<P: Tactical, E: Evaluator<P, Scratch = ()>>(position: &P, evaluator: E, options: QuietOptions) {
    let expected = settle(position, &evaluator, &options, 0);
    let quiet = Quiet::new(evaluator, options);
    let mut scratch = Evaluator::<P>::scratch(&quiet, 0);
    let mut answer = Answer::default();
    quiet.judge(&leaf(position), &mut answer, &mut scratch);
    let Answer { value, line, .. } = answer;
    assert!((value - expected).abs() < 1e-4, "{value} {expected} {options:?}\n{position}");
    // The value is the static one at the end of the line, or the game is over there.
    let mut end = position.clone();
    let mut legal = Vec::new();
    for mv in line {
        assert!(end.generate(&mut legal).is_none() && legal.contains(&mv), "{end}");
        end.play(mv);
    }
    let sign = if end.turn() == position.turn() { 1.0 } else { -1.0 };
    let over = end.in_check() && end.generate(&mut legal).is_some();
    let at_end = quiet.inner().value(&leaf(&end), &mut ());
    assert!(over || value == sign * at_end, "{value} {at_end}\n{position}\n{end}");
}

#[test]
fn agrees_with_its_slow_twin() {
    let mut moves = Vec::new();
    for game in 0..400 {
        let mut rng = Seed::new(21).branch("prizes", game).rng();
        let mut position = Prizes::random(&mut rng);
        for _ in 0..rng.below(8) {
            if position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
            }
        }
        if position.generate(&mut moves).is_none() {
            for checks in 0..3 {
                agrees_with_twin(
                    &position,
                    Score::default(),
                    QuietOptions { checks, depth: 1 + rng.below(7) as u32, ..PLAIN },
                );
            }
        }
    }
}

fn random_shogi<P: Tactical>(start: &P, games: u64, try_with: impl Fn(&P)) {
    let mut moves = Vec::new();
    for game in 0..games {
        let mut rng = Seed::new(22).branch("quiet", game).rng();
        let mut position = start.clone();
        for _ in 0..rng.below(90) {
            if position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
            }
        }
        if position.generate(&mut moves).is_none() {
            try_with(&position);
        }
    }
}

#[test]
fn agrees_with_its_slow_twin_in_shogi() {
    random_shogi(&Minishogi::default(), 60, |position| {
        agrees_with_twin(position, Material, QuietOptions { depth: 4, ..PLAIN });
        agrees_with_twin(position, Material, QuietOptions { depth: 3, checks: 2, ..PLAIN });
    });
    random_shogi(&Shogi9::default(), 30, |position| {
        agrees_with_twin(position, Material, QuietOptions { depth: 2, checks: 1, ..PLAIN });
        agrees_with_twin(position, Material, QuietOptions { depth: 3, ..PLAIN });
    });
}

fn value(sfen: &str, options: QuietOptions) -> f32 {
    let quiet = Quiet::new(Material, options);
    let position = Shogi9::from_sfen(sfen).unwrap();
    let mut scratch = Evaluator::<Shogi9>::scratch(&quiet, 0);
    quiet.value(&leaf(&position), &mut scratch)
}

#[test]
fn shogi_positions_come_to_rest() {
    let pawns = |n: f32| n * 87.0 / 90.0;
    let near = |a: f32, b: f32| (a - b).abs() < 0.1;
    // A rook hangs to a pawn: it is taken and changes sides. A guarded pawn is not worth a rook.
    assert!(near(value("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1", PLAIN), pawns(90.0 + 990.0)));
    assert!(near(value("4k4/4g4/4p4/9/9/9/4R4/9/4K4 b - 1", PLAIN), pawns(990.0 - 540.0 - 90.0)));
    // In check by a lance: standing pat on an extra rook is no choice when every evasion loses it.
    let checked = "4k4/9/9/9/9/4r4/9/9/3PKP3 b R 1";
    assert!(value(checked, PLAIN) < pawns(2.0 * 90.0 + 0.1));
    // Mate in the quiescence search: no evasion at all.
    assert!(value("4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1", PLAIN) < -30_000.0);
    // Quiet checks find a mate in one only if they are asked for.
    let mate = "4k4/9/4G4/9/9/9/9/9/4K4 b G 1";
    assert!(near(value(mate, PLAIN), pawns(1080.0)));
    assert!(value(mate, QuietOptions { checks: 1, ..PLAIN }) > 30_000.0);
}

#[test]
fn exchanges_and_futility_change_little() {
    // Both leave moves out, so they can only give less, and rarely do.
    let different = AtomicU64::new(0);
    random_shogi(&Minishogi::default(), 200, |position| {
        let judge = |options| {
            let quiet = Quiet::new(Material, options);
            let mut scratch = Evaluator::<Minishogi>::scratch(&quiet, 0);
            quiet.value(&leaf(position), &mut scratch)
        };
        let full = judge(QuietOptions { depth: 6, ..PLAIN });
        let pruned = judge(QuietOptions { depth: 6, exchange: true, futility: 150, ..PLAIN });
        different.fetch_add(u64::from((full - pruned).abs() > 100.0), Relaxed);
    });
    assert!(different.load(Relaxed) < 40, "{different:?}");
}

#[test]
fn stays_within_its_nodes() {
    let mut rng = Seed::new(23).rng();
    for nodes in [0, 1, 7, 100] {
        for _ in 0..20 {
            let position = Prizes::random(&mut rng);
            let quiet = Quiet::new(Score::default(), QuietOptions { depth: 9, checks: 9, nodes, ..PLAIN });
            let value = quiet.value(&leaf(&position), &mut Evaluator::<Prizes>::scratch(&quiet, 0));
            assert!(quiet.inner().asked.load(Relaxed) <= nodes + 1, "each node is judged once at most");
            assert!(value.is_finite() && (nodes > 0 || value == 0.0));
        }
    }
}

/// At depth 1 alpha-beta is a choice among moves by what the quiescence search says of them.
#[test]
fn serves_alpha_beta_and_greedy_alike() {
    random_shogi(&Minishogi::default(), 60, |position| {
        let options = QuietOptions { depth: 4, ..PLAIN };
        let line = Line::new(*position);
        let mut search = AlphaBeta::tactical(
            Material,
            AlphaBetaOptions { hash: 0, quiet: Some(options), ..AlphaBetaOptions::full_width() },
        );
        let verdict = search.search(&line, &Limits::depth(1), &mut ());
        let mut moves = Vec::new();
        position.generate(&mut moves);
        let after = |mv| {
            let mut child = *position;
            child.play(mv);
            -settle(&child, &Material, &options, 0)
        };
        let expected = moves.iter().map(|&mv| after(mv)).fold(f32::NEG_INFINITY, f32::max);
        assert!((verdict.value - expected).abs() < 0.1, "{} {expected}\n{position}", verdict.value);
        assert!(verdict.selective_depth <= 5);
    });
}

#[test]
fn prints_as_typed() {
    let quiet = Quiet::new(Material, QuietOptions { depth: 4, checks: 1, lazy: true, ..QuietOptions::default() });
    assert_eq!(quiet.to_string(), "quiet(material,depth=4,checks=1,lazy=true)");
    let spec = yomi_core::Spec::parse(&quiet.to_string()).unwrap();
    let read = QuietOptions::from_spec(&spec, QuietOptions::default()).unwrap();
    assert_eq!(read, QuietOptions { depth: 4, checks: 1, lazy: true, ..QuietOptions::default() });
}

/// All siblings at once are worth what each is worth alone; with a window, those far below the best are only known to be so.
fn siblings_together_are_siblings_alone<V: Variant, E: Evaluator<Shogi<V>> + Clone>(evaluator: E, games: u64) {
    let exact = QuietOptions { depth: 3, exchange: true, ..PLAIN };
    let (mut moves, mut bounded) = (Vec::new(), [0; 2]);
    for game in 0..games {
        let mut rng = Seed::new(31).branch("siblings", game).rng();
        let mut line = Line::new(Shogi::<V>::default());
        while line.len() < 60 && line.generate(&mut moves).is_none() {
            line.play(moves[rng.below(moves.len())]);
        }
        if line.generate(&mut moves).is_some() {
            continue;
        }
        let judge = |options: QuietOptions, want: Want| {
            let quiet = Quiet::new(evaluator.clone(), options);
            let mut scratch = Evaluator::<Shogi<V>>::scratch(&quiet, 0);
            let mut out = Answer::default();
            quiet.judge(&Question::at(&line, &moves).wanting(want), &mut out, &mut scratch);
            out
        };
        let window = QuietOptions { window: 300, ..exact };
        let together = judge(exact, Want::CHILDREN);
        let windowed = [false, true].map(|lazy| judge(QuietOptions { lazy, ..window }, Want::CHILDREN));
        assert_eq!(windowed[1].outcomes, together.outcomes);
        assert_eq!(
            judge(window, Want::CHILDREN | Want::EXACT).values,
            together.values,
            "exact values ignore the window"
        );
        let best = together.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let quiet = Quiet::new(evaluator.clone(), exact);
        for (i, &mv) in moves.iter().enumerate() {
            let mut child = *line.position();
            child.play(mv);
            assert_eq!(together.outcomes[i], child.generate(&mut Vec::new()));
            if together.outcomes[i].is_none() {
                let mut scratch = Evaluator::<Shogi<V>>::scratch(&quiet, 0);
                let alone = -quiet.value(&leaf(&child), &mut scratch);
                assert!((together.values[i] - alone).abs() < 0.1, "{} {alone}\n{child}", together.values[i]);
            }
            // Never better than it is, and exact near the best.
            for (windowed, bounded) in windowed.iter().zip(&mut bounded) {
                let (known, value) = (windowed.values[i], together.values[i]);
                assert!(known >= value - 0.1 && (known <= best - 3.0 * 87.0 + 0.1 || (known - value).abs() < 0.1));
                *bounded += usize::from((known - value).abs() > 0.1);
            }
        }
    }
    assert!(bounded.iter().all(|&count| count > 0), "the window saves something: {bounded:?}");
}

#[test]
fn siblings_are_settled_together_as_alone() {
    siblings_together_are_siblings_alone::<Nine, _>(Material, 12);
    siblings_together_are_siblings_alone::<Five, _>(Material, 30);
    siblings_together_are_siblings_alone::<Nine, _>(Linear::<Nine>::embedded(), 8);
    siblings_together_are_siblings_alone::<Five, _>(Linear::<Five>::embedded(), 30);
}
