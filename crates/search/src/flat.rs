//! Flat Monte Carlo (S1.4): the same number of playouts for every legal move; the best mean is played. No tree.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use yomi_core::policy::play_out;
use yomi_core::{Line, Outcome, Policy, Position, Simulate, Spec, TextError};

use crate::finished::over;
use crate::machine::MAX_THREADS;
use crate::parameters::{Parameter, parameter};
use crate::search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};

/// How a flat Monte Carlo player works: `flat(n=100)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlatOptions {
    /// Playouts for each legal move (S1.4 uses 100).
    pub playouts: u64,
    /// Threads that share the playouts.
    pub threads: usize,
}

/// The parameters, for help pages.
pub const PARAMETERS: &[Parameter] = &[
    parameter("n", "playouts", "100", "playouts for each legal move"),
    parameter("threads", "count", "1", "threads that share the playouts"),
];

impl Default for FlatOptions {
    fn default() -> Self {
        FlatOptions { playouts: 100, threads: 1 }
    }
}

impl FlatOptions {
    /// Reads `flat` and its parameters.
    pub fn from_spec(spec: &Spec) -> Result<FlatOptions, TextError> {
        let default = FlatOptions::default();
        if spec.name != "flat" {
            return Err(spec.error("flat was expected here"));
        }
        let options = FlatOptions {
            playouts: spec.value_or("n", default.playouts)?,
            threads: spec.value_or("threads", default.threads)?,
        };
        if options.playouts == 0 || !(1..=MAX_THREADS).contains(&options.threads) {
            return Err(spec.error(format!("n is at least 1, and threads go from 1 to {MAX_THREADS}")));
        }
        spec.reject_unused_of(PARAMETERS.iter().map(Parameter::line))?;
        Ok(options)
    }
}

impl FromStr for FlatOptions {
    type Err = TextError;
    fn from_str(text: &str) -> Result<Self, TextError> {
        FlatOptions::from_spec(&Spec::parse(text)?)
    }
}

impl fmt::Display for FlatOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flat(n={}", self.playouts)?;
        if self.threads != 1 {
            write!(f, ",threads={}", self.threads)?;
        }
        write!(f, ")")
    }
}

/// A flat Monte Carlo player. Values are mean outcomes: 1 for a win, -1 for a loss.
///
/// The playouts of a move are numbered, and each draws from a seed of its own, so the answer does not depend on the number of threads,
/// unless the policy itself learns from one playout for the next.
#[derive(Clone, Copy, Debug)]
pub struct Flat<Q> {
    policy: Q,
    options: FlatOptions,
}

impl<Q> Flat<Q> {
    /// Plays games out by `policy`.
    pub fn new(policy: Q, options: FlatOptions) -> Flat<Q> {
        Flat { policy, options }
    }
}

/// A legal move of the root.
struct Candidate<P: Position> {
    mv: P::Move,
    position: P,
    /// How the game ends with it, if it does.
    outcome: Option<Outcome>,
}

/// What the playouts of one move add up to, in whole numbers, so that the order of adding does not matter.
#[derive(Clone, Copy, Default)]
struct Sum {
    playouts: u64,
    wins: u64,
    losses: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.playouts += other.playouts;
        self.wins += other.wins;
        self.losses += other.losses;
    }

    fn mean(&self) -> f32 {
        if self.playouts == 0 { 0.0 } else { (self.wins as f32 - self.losses as f32) / self.playouts as f32 }
    }
}

/// The playouts still to be done, round after round of all moves.
struct Work<'a, P: Position, Q> {
    candidates: &'a [Candidate<P>],
    policy: &'a Q,
    limits: &'a Limits,
    next: AtomicU64,
    total: u64,
    stop: AtomicBool,
}

impl<P: Simulate, Q: Policy<P>> Work<'_, P, Q> {
    /// Takes one playout after the other until none is left or `enough` says so, and adds up what came of them.
    fn run(&self, mut enough: impl FnMut(&[Sum]) -> bool) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.candidates.len()];
        let mut scratch = self.policy.scratch();
        while !self.stop.load(Relaxed) && !enough(&sums) {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.total {
                break;
            }
            let (round, index) = (number / sums.len() as u64, (number % sums.len() as u64) as usize);
            let Candidate { position, outcome, .. } = &self.candidates[index];
            let outcome = outcome.unwrap_or_else(|| {
                let mut rng = self.limits.seed.branch("flat", index as u64).branch("playout", round).rng();
                play_out(&mut position.clone(), index as u32, self.policy, &mut rng, &mut scratch).0
            });
            // The side to move at the root has just moved in every candidate.
            let won = outcome == Outcome::Win(!position.turn());
            let lost = outcome == Outcome::Win(position.turn());
            sums[index].add(Sum { playouts: 1, wins: u64::from(won), losses: u64::from(lost) });
        }
        sums
    }
}

impl<P: Simulate, Q: Policy<P>> Search<P> for Flat<Q> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let clock = watch.clock();
        let mut moves = Vec::new();
        if let Some(outcome) = line.generate(&mut moves) {
            return over(line.position(), outcome, 1.0);
        }
        let candidates: Vec<Candidate<P>> = moves
            .iter()
            .map(|&mv| {
                let mut child = line.clone();
                child.play(mv);
                Candidate { mv, position: child.position().clone(), outcome: child.generate(&mut Vec::new()) }
            })
            .collect();
        let all = self.options.playouts.saturating_mul(moves.len() as u64);
        let total = [limits.simulations, limits.evaluations].into_iter().flatten().fold(all, u64::min);
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let work = Work { candidates: &candidates, policy: &self.policy, limits, next, total, stop };

        let mut ended = if total < all { Ended::Simulations } else { Ended::Exhausted };
        let mut last_report = clock.elapsed();
        let threads = self.options.threads.max(1);
        let sums = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(|| work.run(|_| false))).collect();
            let mut sums = work.run(|sums| {
                let elapsed = clock.elapsed();
                if watch.interval().is_some_and(|interval| elapsed - last_report >= interval) {
                    last_report = elapsed;
                    watch.progress(&Verdict { elapsed, ..verdict(&candidates, sums) });
                }
                let reason = match () {
                    () if watch.should_stop() => Ended::Stopped,
                    () if limits.time.is_some_and(|time| elapsed >= time) => Ended::Time,
                    () => return false,
                };
                ended = reason;
                work.stop.store(true, Relaxed);
                true
            });
            for helper in helpers {
                // A panic of a playout is a panic of the search.
                let others = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                sums.iter_mut().zip(others).for_each(|(sum, other)| sum.add(other));
            }
            sums
        });
        Verdict { elapsed: clock.elapsed(), ended: Some(ended), ..verdict(&candidates, &sums) }
    }
}

/// The answer as far as the playouts go.
fn verdict<P: Position>(candidates: &[Candidate<P>], sums: &[Sum]) -> Verdict<P::Move> {
    let mut moves: Vec<RootMove<P::Move>> = candidates
        .iter()
        .zip(sums)
        .map(|(candidate, sum)| RootMove {
            visits: sum.playouts,
            value: sum.mean(),
            proof: candidate.outcome.map(|outcome| match outcome {
                Outcome::Draw => Proof::Draw,
                Outcome::Win(side) if side == candidate.position.turn() => Proof::Loss(1),
                Outcome::Win(_) => Proof::Win(1),
            }),
            depth: 1.0,
            ..RootMove::new(candidate.mv)
        })
        .collect();
    // Moves without playouts come last; of equals the first is played.
    moves.sort_by(|a, b| (b.visits > 0).cmp(&(a.visits > 0)).then(b.value.total_cmp(&a.value)));
    let mut answer = Verdict::empty();
    if let Some(best) = moves.first_mut() {
        best.backup = 1.0;
        answer.best = Some(best.mv);
        answer.value = best.value;
        answer.proof = best.proof.filter(|proof| matches!(proof, Proof::Win(_)));
        answer.pv = vec![best.mv];
    }
    answer.simulations = sums.iter().map(|sum| sum.playouts).sum();
    answer.evaluations = answer.simulations;
    answer.nodes = candidates.len() as u64;
    answer.depth = 1;
    answer.selective_depth = 1;
    answer.moves = moves;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use yomi_core::clock::Stopwatch;
    use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
    use yomi_core::{Notation, Seed, Uniform};

    fn play<P: Simulate>(line: &Line<P>, options: &str, limits: &Limits) -> Verdict<P::Move> {
        let mut verdict = Flat::new(Uniform, options.parse().unwrap()).search(line, limits, &mut ());
        verdict.elapsed = Duration::ZERO;
        verdict
    }

    /// A watch whose clock shows a millisecond more each time it is read.
    struct Ticking(&'static AtomicU64);

    impl<M> Watch<M> for Ticking {
        fn clock(&self) -> Stopwatch {
            Stopwatch::counted(self.0, Duration::from_millis(1))
        }
    }

    /// Means are those of random play, computed exactly: taking 1, 2 or 3 of a pile of 5 leaves 4, 3 or 2.
    #[test]
    fn means_are_those_of_random_play() {
        // The chance that the side to move wins at random: w(0) = 0, w(n) = mean over takes of 1 - w(n - take).
        let mut wins = vec![0.0f64];
        for n in 1..=5usize {
            let takes: Vec<f64> = (1..=n.min(3)).map(|take| 1.0 - wins[n - take]).collect();
            wins.push(takes.iter().sum::<f64>() / takes.len() as f64);
        }
        let verdict = play(&Line::new(Nim::new(5)), "flat(n=20000)", &Limits::infinite());
        assert_eq!(verdict.simulations, 60_000);
        for found in &verdict.moves {
            let expected = 1.0 - 2.0 * wins[5 - usize::from(found.mv.0)];
            // Standard error of a mean of ±1 is at most 0.0071.
            assert!((f64::from(found.value) - expected).abs() < 0.03, "{found:?} {expected}");
            assert_eq!(found.visits, 20_000);
        }
    }

    #[test]
    fn threads_change_nothing() {
        let line = Line::new(ConnectFour::after("4433").unwrap());
        for seed in 0..3 {
            let limits = Limits::infinite().seeded(Seed::new(seed));
            let one = play(&line, "flat(n=200)", &limits);
            assert_eq!(one, play(&line, "flat(n=200)", &limits));
            assert_eq!(one, play(&line, "flat(n=200,threads=2)", &limits));
        }
        assert_ne!(
            play(&line, "flat", &Limits::infinite()).moves,
            play(&line, "flat", &Limits::infinite().seeded(Seed::new(1))).moves
        );
    }

    #[test]
    fn wins_at_once_and_sees_threats() {
        let win = Line::new(TicTacToe::default().parse_position("xx.oo....").unwrap());
        let verdict = play(&win, "flat(n=100)", &Limits::infinite());
        assert_eq!((verdict.best.map(|s| s.0), verdict.value, verdict.proof), (Some(2), 1.0, Some(Proof::Win(1))));
        let threat = Line::new(TicTacToe::default().parse_position("xx..o....").unwrap());
        assert_eq!(play(&threat, "flat(n=500)", &Limits::infinite()).best.map(|s| s.0), Some(2));
    }

    #[test]
    fn budgets_and_finished_games() {
        let line = Line::new(TicTacToe::default());
        for total in [0, 1, 5, 100] {
            let verdict = play(&line, "flat(n=1000,threads=2)", &Limits::simulations(total));
            assert_eq!((verdict.simulations, verdict.ended), (total, Some(Ended::Simulations)));
            assert!(verdict.moves[0].visits > 0 || total == 0);
            assert!(line.is_legal(verdict.best.unwrap()));
        }
        let stopped = Flat::new(Uniform, FlatOptions { playouts: u64::MAX, threads: 2 }).search(
            &line,
            &Limits::infinite(),
            &mut std::sync::Arc::new(AtomicBool::new(true)),
        );
        assert_eq!((stopped.ended, stopped.best.is_some()), (Some(Ended::Stopped), true));
        assert_eq!(play(&Line::new(Nim::new(0)), "flat", &Limits::infinite()).ended, Some(Ended::GameOver));
    }

    /// The clock is read once before the first playout, once before each, and once for the verdict.
    #[test]
    fn time_ends_a_search() {
        static READINGS: AtomicU64 = AtomicU64::new(0);
        let line = Line::new(TicTacToe::default());
        let limits = Limits::time(Duration::from_millis(5));
        let options = FlatOptions { playouts: u64::MAX, threads: 1 };
        let verdict = Flat::new(Uniform, options).search(&line, &limits, &mut Ticking(&READINGS));
        assert_eq!((verdict.ended, verdict.simulations), (Some(Ended::Time), 3));
        assert_eq!(verdict.elapsed, Duration::from_millis(6));
    }

    #[test]
    fn prints_as_typed() {
        for text in ["flat(n=100)", "flat(n=7,threads=2)"] {
            assert_eq!(text.parse::<FlatOptions>().unwrap().to_string(), text);
        }
        for wrong in ["flat(n=0)", "flat(threads=0)", "flat(x=1)", "round", "flat(n=-1)"] {
            assert!(wrong.parse::<FlatOptions>().is_err(), "{wrong}");
        }
    }
}
