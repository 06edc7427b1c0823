//! Gumbel AlphaZero's search: a policy improvement with few simulations (Danihelka et al. 2022).
//!
//! Give it a limit of simulations: the plan of sequential halving is made for it. Under other limits the plan is for 64 simulations, and
//! the two best moves share what comes after them. Trees are not reused, for a plan begins with no visits.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::Select;

pub(super) const ENTRY: Entry = Entry {
    name: "gumbel",
    about: "Gumbel AlphaZero: sequential halving at the root, the improved policy below; for few simulations.",
    paper: "Danihelka et al. 2022",
    parameters: &[
        parameter("moves", "count", "16", "moves that are considered at the root"),
        parameter("visit", "visits", "50", "c_visit: how much values count before there are visits"),
        parameter("scale", "factor", "1", "c_scale: how much values count against priors"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let moves = args.number("moves", Range::Positive)?;
    let (visit, scale) = (args.number("visit", Range::NotNegative)?, args.number("scale", Range::NotNegative)?);
    Ok(Recipe::new(Select::gumbel(moves, visit, scale), Expand::Leaf { after: 0 }, Backup::Mean).by_visits())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use yomi_core::toy::ToyTree;
    use yomi_core::{Answer, Evaluator, Line, Position, Question, Seed, Want};
    use yomi_eval::TreeValues;

    use crate::search::{Limits, Search};
    use crate::tree_search::TreeSearch;

    /// The values that are written down, and these priors at the root.
    struct Prior(&'static [f32]);

    impl Evaluator<ToyTree> for Prior {
        type Scratch = <TreeValues as Evaluator<ToyTree>>::Scratch;
        fn scratch(&self, seed: u64) -> Self::Scratch {
            Evaluator::<ToyTree>::scratch(&TreeValues, seed);
        }
        fn win(&self) -> f32 {
            1.0
        }
        fn judge(
            &self,
            question: &Question<'_, ToyTree>,
            answer: &mut Answer<<ToyTree as Position>::Move>,
            scratch: &mut Self::Scratch,
        ) {
            TreeValues.judge(question, answer, scratch);
            if question.want.has(Want::PRIORS) && question.moves.len() == self.0.len() {
                answer.priors.clear();
                answer.priors.extend_from_slice(self.0);
            }
        }
    }

    const VALUES: [f32; 6] = [0.1, -0.4, 0.3, 0.0, 0.5, -0.2];
    const PRIORS: [f32; 6] = [0.3, 0.4, 0.1, 0.1, 0.02, 0.08];

    /// The mean value of the move that is played, over many seeds.
    fn mean_value(method: &str, simulations: u64) -> f64 {
        let text = "(0.1:(0.1 0.1) -0.4:(-0.4 -0.4) 0.3:(0.3 0.3) 0.0:(0.0 0.0) 0.5:(0.5 0.5) -0.2:(-0.2 -0.2))";
        let tree: ToyTree = text.parse().unwrap();
        let seeds = 400;
        let played = |seed: u64| {
            let mut search = TreeSearch::new(method.parse().unwrap(), Prior(&PRIORS));
            let limits = Limits { depth: Some(1), ..Limits::simulations(simulations) }.seeded(Seed::new(seed));
            let verdict = search.search(&Line::new(tree.clone()), &limits, &mut ());
            f64::from(VALUES[usize::from(verdict.best.unwrap().0)])
        };
        (0..seeds).map(played).sum::<f64>() / f64::from(seeds as u32)
    }

    /// The property that gives the paper its name: with values that are right, the move played is worth no less in the mean than a move
    /// drawn by the priors, with however few simulations.
    #[test]
    fn few_simulations_improve_the_policy() {
        let by_priors: f64 = VALUES.iter().zip(PRIORS).map(|(value, prior)| f64::from(value * prior)).sum();
        let means: Vec<f64> = [2, 3, 5, 9, 17, 33].into_iter().map(|n| mean_value("gumbel(moves=4)", n)).collect();
        // One simulation judges the root alone, the second one move: that is a draw by the priors.
        assert!((means[0] - by_priors).abs() < 0.06, "{means:?} {by_priors}");
        assert!(means[1..].iter().all(|mean| *mean > by_priors + 0.02), "{means:?} {by_priors}");
        assert!(means[5] > means[1], "{means:?}");
        // All moves considered: the best one is found.
        assert!(mean_value("gumbel(moves=6)", 40) > 0.45);
    }

    /// The visits of the root are those of the plan: 16 simulations for four moves are 2, 2, 2, 2 and then 4 more for each of two.
    #[test]
    fn visits_follow_the_plan() {
        let tree: ToyTree =
            "(0.1:(0.1 0.1) -0.4:(-0.4 -0.4) 0.3:(0.3 0.3) 0.0:(0.0 0.0) 0.5:(0.5 0.5) -0.2:(-0.2 -0.2))"
                .parse()
                .unwrap();
        let mut search = TreeSearch::new("gumbel(moves=4)".parse().unwrap(), Prior(&PRIORS));
        let limits = Limits { depth: Some(1), ..Limits::simulations(17) };
        let verdict = search.search(&Line::new(tree), &limits, &mut ());
        let mut visits: Vec<u64> = verdict.moves.iter().map(|row| row.visits).collect();
        visits.sort_unstable();
        assert_eq!(visits, [0, 0, 2, 2, 6, 6]);
    }
}
