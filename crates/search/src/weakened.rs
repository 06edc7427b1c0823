//! A search made weaker on purpose: it thinks as usual, but does not always play the best move it found.
//!
//! A weak human opponent overlooks things and now and then picks the second-best move; a random mover does not feel like one. So the
//! budget inside does most of the weakening, and the choice among the moves found does the rest.

use std::sync::atomic::AtomicBool;

use yomi_core::{Line, Position, Rng, Spec, TextError};

use crate::parameters::{Args, Parameter, Range, parameter};
use crate::search::{Limits, Proof, RootMove, Search, Verdict, Watch};
use crate::tree::Explorer;

/// How the move is chosen: `weakened(alpha-beta(multipv=6),values=80,random=0.05)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeakenedOptions {
    /// Temperature over the values of the root moves, in the evaluation's unit; 0 leaves values out.
    pub values: f32,
    /// Temperature over their visits (AlphaZero's: p ∝ N^(1/t)); 0 leaves visits out.
    pub visits: f32,
    /// Probability of playing any legal move.
    pub random: f32,
}

/// The parameters, for help pages.
pub const PARAMETERS: &[Parameter] = &[
    parameter("values", "value", "0", "temperature of a softmax over the values of the root moves; 0: off"),
    parameter("visits", "power", "0", "temperature over their visits, p ∝ N^(1/visits); 0: off"),
    parameter("random", "probability", "0", "probability of any legal move instead"),
];

impl WeakenedOptions {
    /// Reads the parameters of `weakened`; the search inside it is for the caller to read.
    pub fn from_spec(spec: &Spec) -> Result<WeakenedOptions, TextError> {
        let args = Args { spec, table: PARAMETERS };
        let options = WeakenedOptions {
            values: args.number("values", Range::NotNegative)?,
            visits: args.number("visits", Range::NotNegative)?,
            random: args.number("random", Range::Fraction)?,
        };
        spec.reject_unused()?;
        Ok(options)
    }

    /// What a root move weighs in the choice: exp((v - best)/values) · N^(1/visits).
    fn weight<M>(&self, row: &RootMove<M>, best: f32) -> f64 {
        let by_value = if self.values > 0.0 { f64::from((row.value - best) / self.values).exp() } else { 1.0 };
        let by_visits = if self.visits > 0.0 { (row.visits as f64).powf(1.0 / f64::from(self.visits)) } else { 1.0 };
        by_value * by_visits
    }
}

/// Another search with a softened choice. The same seed makes the same choices.
pub struct Weakened<P: Position> {
    inner: Box<dyn Search<P>>,
    options: WeakenedOptions,
}

impl<P: Position> Weakened<P> {
    /// Weakens `inner`. With temperatures it should report several root moves (alpha-beta: `multipv`).
    pub fn new(inner: Box<dyn Search<P>>, options: WeakenedOptions) -> Weakened<P> {
        Weakened { inner, options }
    }

    /// The index of the row to play, the first being the best.
    fn choose(&self, rows: &[RootMove<P::Move>], rng: &mut Rng) -> usize {
        let softened = self.options.values > 0.0 || self.options.visits > 0.0;
        // A win that was seen is taken: even beginners give mate in one.
        if !softened || matches!(rows.first(), None | Some(RootMove { proof: Some(Proof::Win(_)), .. })) {
            return 0;
        }
        let best = rows.iter().map(|row| row.value).fold(f32::NEG_INFINITY, f32::max);
        // Moves that were not searched have no value.
        let weights: Vec<f64> =
            rows.iter().map(|row| if row.visits == 0 { 0.0 } else { self.options.weight(row, best) }).collect();
        let total: f64 = weights.iter().sum();
        if !(total.is_finite() && total > 0.0) {
            return 0;
        }
        let mut left = f64::from(rng.unit()) * total;
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}

impl<P: Position> Search<P> for Weakened<P> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut verdict = self.inner.search(line, limits, watch);
        if verdict.best.is_none() {
            return verdict;
        }
        let mut rng = limits.seed.branch("weakened", line.len() as u64).rng();
        if rng.chance(self.options.random) {
            let mut legal = Vec::new();
            line.generate(&mut legal);
            let mv = legal[rng.below(legal.len())];
            if !verdict.moves.iter().any(|row| row.mv == mv) {
                verdict.moves.push(RootMove { value: verdict.value, ..RootMove::new(mv) });
            }
            let index = verdict.moves.iter().position(|row| row.mv == mv).unwrap_or(0);
            put_first(&mut verdict, index);
        } else {
            let index = self.choose(&verdict.moves, &mut rng);
            put_first(&mut verdict, index);
        }
        verdict
    }

    fn played(&mut self, mv: P::Move) {
        self.inner.played(mv);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        self.inner.prepare(line, stop);
    }

    fn save_tree(&self, notes: &str, out: &mut dyn std::io::Write) -> std::io::Result<bool> {
        self.inner.save_tree(notes, out)
    }

    fn explore(&self, visitor: &mut dyn FnMut(&mut dyn Explorer)) -> bool {
        self.inner.explore(visitor)
    }
}

/// Makes the row at `index` the answer; the best row already is.
fn put_first<M: Copy>(verdict: &mut Verdict<M>, index: usize) {
    if index == 0 {
        return;
    }
    verdict.moves[..=index].rotate_right(1);
    let row = &verdict.moves[0];
    verdict.best = Some(row.mv);
    verdict.value = row.value;
    verdict.proof = row.proof;
    verdict.pv.clone_from(&row.pv);
}

#[cfg(test)]
mod tests {
    use yomi_core::toy::{Branch, ToyTree};
    use yomi_core::{Seed, Spec};
    use yomi_eval::TreeValues;

    use super::*;
    use crate::{AlphaBeta, AlphaBetaOptions};

    /// How often each of the three moves of the root is played; their values for the mover are 20, 10 and -30.
    fn counts(options: &str, games: u64) -> [u64; 3] {
        let tree: ToyTree = "0:(20:(1 -1) 10:(1 -1) -30:(1 -1))".parse().unwrap();
        let line = Line::new(tree);
        let options = WeakenedOptions::from_spec(&Spec::parse(options).unwrap()).unwrap();
        let alpha_beta = AlphaBetaOptions { multipv: 3, ..AlphaBetaOptions::full_width() };
        let mut search = Weakened::new(Box::new(AlphaBeta::new(TreeValues, alpha_beta)), options);
        let mut counts = [0; 3];
        for seed in 0..games {
            let limits = Limits::depth(1).seeded(Seed::new(seed));
            let verdict = search.search(&line, &limits, &mut ());
            let Branch(index) = verdict.best.unwrap();
            assert_eq!(verdict.moves[0].mv, Branch(index), "the answer stands first");
            assert_eq!(verdict.value, verdict.moves[0].value);
            assert_eq!(verdict.pv[0], Branch(index));
            assert_eq!(search.search(&line, &limits, &mut ()).best, verdict.best, "the same seed, the same move");
            counts[usize::from(index)] += 1;
        }
        counts
    }

    #[test]
    fn without_temperature_the_best_move_is_played() {
        assert_eq!(counts("weakened", 50), [50, 0, 0]);
    }

    #[test]
    fn values_make_a_softmax() {
        // exp(0), exp(-1), exp(-5) of 1 + 0.368 + 0.007; the seeds are fixed, and 5 standard deviations are 70 of 2,000.
        let [best, second, last] = counts("weakened(values=10)", 2_000);
        assert!(best.abs_diff(1455) < 100 && second.abs_diff(535) < 100 && last < 40, "{best} {second} {last}");
    }

    #[test]
    fn a_random_move_is_any_legal_move() {
        let counts = counts("weakened(random=0.3)", 2_000);
        assert!(counts[0].abs_diff(1600) < 100 && counts[1].abs_diff(200) < 70 && counts[2].abs_diff(200) < 70);
    }

    #[test]
    fn weights_are_the_published_formulas() {
        let options = WeakenedOptions { values: 0.0, visits: 2.0, random: 0.0 };
        let row = RootMove { visits: 9, value: 1.0, ..RootMove::new(Branch(0)) };
        assert_eq!(options.weight(&row, 5.0), 3.0);
        let options = WeakenedOptions { values: 4.0, visits: 0.0, random: 0.0 };
        assert!((options.weight(&row, 5.0) - (-1.0f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn absurd_parameters_are_refused() {
        for wrong in ["weakened(values=-1)", "weakened(random=2)", "weakened(t=3)"] {
            assert!(WeakenedOptions::from_spec(&Spec::parse(wrong).unwrap()).is_err(), "{wrong}");
        }
    }
}
