//! Against MCSS on trees that both see in full, and against alpha-beta where the temperature is zero.

use yomi_core::toy::ToyTree;
use yomi_core::{Line, Spec};
use yomi_eval::TreeValues;

use crate::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use crate::search::{Limits, Search};
use crate::testing::{Found, complete_tree, search};

/// Full width, so that every value is that of the tree.
fn deep(parameters: &str, text: &str, depth: u32) -> Found {
    let plain = "hash=1,aspiration=0,null=false,lmr=false,futility=false,move-count=false,probcut=0,extend=false,\
                 repetition=rule,quiet=off";
    let spec = Spec::parse(&format!("mcss-deep({parameters},{plain})")).unwrap();
    let options = AlphaBetaOptions::from_spec(&spec).unwrap();
    let tree: ToyTree = text.parse().unwrap();
    AlphaBeta::new(TreeValues, options).search(&Line::new(tree), &Limits::depth(depth), &mut ())
}

/// With every move near enough and every reply in the tree, iteration n is the softmax tree of n plies (S0.3), which MCSS grows by
/// samples.
#[test]
fn the_whole_tree_is_that_of_mcss() {
    for seed in 0..4 {
        let text = complete_tree(3, 4, &crate::synthetic::leaves(3, 4, seed));
        for (t, tb) in [(0.1, 0.1), (0.3, 0.05)] {
            // Where the game ends alpha-beta hears the outcome, not the value: one ply is left.
            for depth in 1..=3 {
                let mcss = search(&format!("mcss(t={t},tb={tb})"), &text, depth, 2_000);
                let deep = deep(&format!("t={t},tb={tb},k=1000000,reach=0,leaf=0"), &text, depth);
                assert!((mcss.value - deep.value).abs() < 1e-5, "{} {} {depth}", mcss.value, deep.value);
                assert_eq!((mcss.best, deep.best.map(|_| deep.depth)), (deep.best, Some(depth)));
                for row in &deep.moves {
                    let twin = mcss.moves.iter().find(|other| other.mv == row.mv).unwrap();
                    assert!((twin.value - row.value).abs() < 1e-5, "{} {}", twin.value, row.value);
                    assert!((twin.selection - row.selection).abs() < 1e-4, "{} {}", twin.selection, row.selection);
                    assert!((twin.backup - row.backup).abs() < 1e-4, "{} {}", twin.backup, row.backup);
                }
                assert_eq!(mcss.nodes_per_depth, deep.nodes_per_depth);
                assert!((mcss.entropy - deep.entropy).abs() < 1e-4);
            }
        }
    }
}

/// The other backups, by hand: the replies to the first move are worth 1 and 3, to the second 2 and 2.5, to the first player.
#[test]
fn backups_by_hand() {
    let text = "((1:(0) 3:(0)) (2:(0) 2.5:(0)))";
    let value = |backup: &str| deep(&format!("t=1,k=1000000,reach=0,leaf=0,backup={backup}"), text, 2).value;
    assert!((value("max") - 2.0).abs() < 1e-6);
    let ln = |values: [f32; 2]| values.map(f32::exp).iter().sum::<f32>().ln();
    let expected = ln([-ln([-1.0, -3.0]), -ln([-2.0, -2.5])]);
    assert!((value("logsumexp") - expected).abs() < 1e-5, "{} {expected}", value("logsumexp"));
}

/// With three plies the first move is worth 2, with two nothing; the second 1.5 with both.
#[test]
fn a_steady_choice_remembers_the_iteration_before() {
    let text = "((0:(2:(0))) (1.5:(1.5:(0))))";
    let best = |steady: &str| deep(&format!("t=1,k=1000000,reach=1,steady={steady}"), text, 3).best.map(|mv| mv.0);
    assert_eq!((best("0"), best("0.2"), best("0.5")), (Some(0), Some(0), Some(1)));
}
