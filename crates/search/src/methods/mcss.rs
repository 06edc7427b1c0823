//! Monte Carlo softmax search (S0.1–S0.3).
//!
//! From the root, children are drawn by their Boltzmann probability until a leaf is met. All its children are made and judged at
//! once, and every node of the path becomes the expectation of its children under the same distribution. There are no playouts.
//! High temperatures search wide and shallow, low ones deep and narrow; towards zero it becomes best-first minimax. The move of
//! highest probability is played.
//!
//! Siblings are judged once and never again, so the evaluation should be repeatable and of low variance: with single random
//! playouts it may freeze on a lucky line. Average many (`rollout(…,n=…)`) or use a learned evaluation.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::{Choose, Recipe};
use crate::select::Select;
use crate::temperature::Temperature;

pub(super) const ENTRY: Entry = Entry {
    name: "mcss",
    about: "Monte Carlo softmax search: Boltzmann selection, all siblings judged at once, softmax backup.",
    paper: "S0.1, S0.2, S0.3",
    parameters: &[
        parameter(
            "t",
            "auto | value | by-depth(t,decay=,floor=) | target(fraction)",
            "auto",
            "temperature of selection; auto: 80 hundredths of a pawn, or 0.1 where a won game is worth 1 (playouts)",
        ),
        parameter("tb", "as t", "", "temperature of the backup (S4.1); as t if left out"),
        parameter(
            "static",
            "fraction",
            "0",
            "how much selection holds to the static value of a child with nothing below it",
        ),
        parameter("td", "value", "100", "temperature of the soft depth (mass) by which that fades"),
        parameter("cool", "factor", "1", "what a unit of a node's soft depth multiplies the temperature by"),
        parameter("expand", "siblings | growth(…)", "siblings", "how the tree grows (S3.2)"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Temperature::read(args, "t")?;
    let backup = Backup::Softmax { t: Temperature::read_or(args, "tb", t)? };
    let (share, td) = (args.number("static", Range::Fraction)?, args.number("td", Range::NotNegative)?);
    let cool = args.number("cool", Range::NotNegative)?;
    // The soft depth is kept only on request.
    let choose = args.spec.get("choose").map(Choose::parse).transpose()?;
    let select = if share == 0.0 && cool == 1.0 && !choose.is_some_and(Choose::weighs_mass) {
        Select::Boltzmann { t, c: Constant::Fixed(0.0) }
    } else {
        Select::Anchored { t, share, td, cool }
    };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, backup))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{line, search};

    /// By hand, T = 1: the replies to the first move are worth -1 and -3 to the second player, e^0 to e^-2, so that move is worth
    /// (1·e^2 + 3)/(e^2 + 1); and so on up to the root.
    #[test]
    fn the_value_is_the_expectation_of_expectations() {
        let e = |x: f64| x.exp();
        let first = (1.0 * e(-1.0) + 3.0 * e(-3.0)) / (e(-1.0) + e(-3.0));
        let second = (2.0 * e(-2.0) + 2.5 * e(-2.5)) / (e(-2.0) + e(-2.5));
        let root = (first * e(first) + second * e(second)) / (e(first) + e(second));
        let found = search("mcss(t=1)", "((1 3) (2 2.5))", 2, 100);
        assert!((f64::from(found.value) - root).abs() < 1e-6, "{} {root}", found.value);
        assert_eq!(line(&found), [1, 0]);
        let probability = e(second) / (e(first) + e(second));
        assert!((f64::from(found.moves[0].selection) - probability).abs() < 1e-6);
        assert!((f64::from(found.moves[0].backup) - probability).abs() < 1e-6);
        assert!((found.effective_depth - 2.0).abs() < 1e-6 && found.nodes_per_depth == [1, 2, 4]);
    }

    /// The selection of the authors' engines changes which leaf is looked at next, not what a node is worth.
    #[test]
    fn holding_to_static_values_changes_the_way_and_not_the_end() {
        let text = "((1 3) (2 2.5))";
        let plain = search("mcss(t=1)", text, 2, 100);
        let held = search("mcss(t=1,static=0.5,td=1)", text, 2, 100);
        assert!((plain.value - held.value).abs() < 1e-6, "{} {}", plain.value, held.value);
        assert_ne!(plain.moves[0].selection, held.moves[0].selection);
    }

    /// Every way to choose of the authors' engines leads to a move, and none changes what the moves are worth.
    #[test]
    fn moves_are_chosen_by_soft_depth_as_well() {
        let text = "((1 3) (2 2.5))";
        let plain = search("mcss(t=1)", text, 2, 100);
        for choose in ["mass(0)", "mass(0.5)", "mass-weighted(1)", "least-mass(1.5)", "anchored"] {
            let found = search(&format!("mcss(t=1,choose={choose})"), text, 2, 100);
            assert!((plain.value - found.value).abs() < 1e-6, "{choose}");
            // Both moves are searched to the end, so the soft depths are equal and the better value decides.
            assert_eq!(line(&found), [1, 0], "{choose}");
        }
        let cooled = search("mcss(t=1,cool=0.5)", text, 2, 100);
        assert!((plain.value - cooled.value).abs() < 1e-6 && plain.moves[0].selection < cooled.moves[0].selection);
    }

    /// S0.2: high temperatures search wide and shallow, low ones narrow and deep.
    #[test]
    fn low_temperatures_go_deep() {
        let text = crate::testing::complete_tree(3, 8, &crate::synthetic::leaves(3, 8, 2));
        let depth = |t: &str| {
            let found = search(&format!("mcss(t={t})"), &text, 8, 60);
            let nodes = &found.nodes_per_depth;
            let total: u64 = nodes.iter().sum();
            nodes.iter().enumerate().map(|(d, &n)| d as f64 * n as f64).sum::<f64>() / total as f64
        };
        assert!(depth("0.01") > depth("100") + 0.5, "{} {}", depth("0.01"), depth("100"));
    }
}
