//! Where do games turn that MCSS loses to alpha-beta? Plays games, looks at the lost ones again with a deep alpha-beta, and sorts the mistakes
//! by what would have been needed to see them: how many plies of alpha-beta, and whether the tree of MCSS had looked at the refutation.
//!
//! `cargo run --release -p yomi-search --features measure --example turning_points -- minishogi 'mcss(t=40)' 10000 20000 30 100000`
//! (game, method, evaluations of MCSS, nodes of alpha-beta, games, nodes of the judge). The output is a table in Markdown. Everything is
//! counted in evaluations and nodes, so that a run can be repeated exactly.
#![allow(clippy::print_stdout, reason = "this program prints")]

use yomi_core::{Line, Move, Outcome, Position, Seed};
use yomi_eval::Linear;
use yomi_games::shogi::{Five, Nine, Shogi, ShogiMove, Variant};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::tree::{NodeId, ROOT, Tree};
use yomi_search::{Limits, Method, Quiet, QuietOptions, Search, TreeSearch};

/// A move is a mistake if it costs at least this much (a pawn is 87) where the game was not lost yet.
const MISTAKE: f32 = 150.0;
/// Below this the game counts as lost already; values are compared up to it.
const LOST: f32 = 800.0;
/// The deepest alpha-beta that is asked whether it sees a mistake.
const DEEPEST: u32 = 10;

/// What MCSS knew when it made a mistake.
struct Mistake {
    cost: f32,
    /// The least depth from which on alpha-beta sees that the better move is better; none up to `DEEPEST`.
    seen_from: Option<u32>,
    /// Samples through the better move, of all.
    share: f64,
    /// Whether the refutation of the move played had been expanded.
    refutation_expanded: bool,
    /// The place of the refutation among the replies, by the tree's values.
    refutation_rank: usize,
}

fn child_of(tree: &Tree, node: NodeId, mv: ShogiMove) -> Option<NodeId> {
    tree.children(node)?.children().find(|&child| tree.mv(child) == mv.to_bits())
}

struct Judge<V: Variant> {
    search: AlphaBeta<Shogi<V>, Linear<V>, yomi_search::ordering::Tactics>,
    nodes: u64,
}

impl<V: Variant> Judge<V> {
    /// The value of a move for the side that plays it, and the reply to it.
    fn value(&mut self, line: &Line<Shogi<V>>, mv: ShogiMove, limits: &Limits) -> (f32, Option<ShogiMove>) {
        let mut after = line.clone();
        after.play(mv);
        self.search.new_game();
        let verdict = self.search.search(&after, limits, &mut ());
        ((-verdict.value).clamp(-LOST, LOST), verdict.best)
    }

    fn best(&mut self, line: &Line<Shogi<V>>) -> Option<ShogiMove> {
        self.search.new_game();
        self.search.search(line, &Limits::nodes(self.nodes / 2), &mut ()).best
    }

    /// What the move of MCSS was worth, if it was a mistake.
    fn look(&mut self, line: &Line<Shogi<V>>, played: ShogiMove, tree: &Tree) -> Option<Mistake> {
        // A quick look first: most moves are the best, or as good.
        let better = self.best(line).filter(|&mv| mv != played)?;
        let limits = Limits::nodes(self.nodes);
        let ((best, _), (value, refutation)) = (self.value(line, better, &limits), self.value(line, played, &limits));
        let cost = best - value;
        if best <= -LOST / 2.0 || cost < MISTAKE {
            return None;
        }
        let mut seen_from = None;
        for depth in (1..=DEEPEST).rev() {
            let limits = Limits::depth(depth - 1);
            let gap = self.value(line, better, &limits).0 - self.value(line, played, &limits).0;
            if gap < MISTAKE / 2.0 {
                break;
            }
            seen_from = Some(depth);
        }
        let all = f64::from(tree.visits(ROOT)).max(1.0);
        let share = child_of(tree, ROOT, better).map_or(0.0, |node| f64::from(tree.visits(node)) / all);
        let reply = child_of(tree, ROOT, played)
            .and_then(|node| Some((tree.children(node)?, child_of(tree, node, refutation?)?)));
        let (refutation_expanded, refutation_rank) = reply.map_or((false, 0), |(replies, reply)| {
            let rank = replies.children().filter(|&other| tree.value(other) > tree.value(reply)).count();
            (tree.children(reply).is_some(), rank + 1)
        });
        Some(Mistake { cost, seen_from, share, refutation_expanded, refutation_rank })
    }
}

fn run<V: Variant>(method: &str, evaluations: u64, nodes: u64, games: u64, judge: u64) {
    let evaluator = || Linear::<V>::embedded();
    let mut mcss: TreeSearch<Shogi<V>, _> =
        TreeSearch::new(method.parse::<Method>().expect("a method"), Quiet::new(evaluator(), QuietOptions::default()));
    let mut opponent = AlphaBeta::tactical(evaluator(), AlphaBetaOptions::default());
    let mut judge = Judge { search: AlphaBeta::tactical(evaluator(), AlphaBetaOptions::default()), nodes: judge };
    let (mut lost, mut mistakes, mut looked_at, mut depth) = (0, Vec::new(), 0u64, 0.0);
    for game in 0..games {
        let seed = Seed::new(23).branch("turning points", game / 2);
        let mut line = Line::new(Shogi::<V>::default());
        let (mut rng, mut moves) = (seed.rng(), Vec::new());
        for _ in 0..4 {
            if line.generate(&mut moves).is_none() {
                line.play(moves[rng.below(moves.len())]);
            }
        }
        mcss.new_game();
        opponent.new_game();
        let start = line.position().turn();
        let side = if game % 2 == 0 { start } else { !start };
        let mut found = Vec::new();
        let outcome = loop {
            if let Some(outcome) = line.generate(&mut moves) {
                break outcome;
            }
            if line.plies().len() > 400 {
                break Outcome::Draw;
            }
            let mv = if line.position().turn() == side {
                let limits = Limits::evaluations(evaluations).seeded(seed.branch("move", line.plies().len() as u64));
                let verdict = mcss.search(&line, &limits, &mut ());
                let Some(mv) = verdict.best else { break Outcome::Draw };
                looked_at += 1;
                depth += f64::from(verdict.effective_depth);
                found.extend(judge.look(&line, mv, mcss.tree()));
                mv
            } else {
                let Some(mv) = opponent.search(&line, &Limits::nodes(nodes), &mut ()).best else { break Outcome::Draw };
                mv
            };
            line.play(mv);
        };
        if outcome == Outcome::Win(!side) {
            lost += 1;
            mistakes.append(&mut found);
        }
    }
    report(games, lost, looked_at, depth / looked_at.max(1) as f64, &mistakes);
}

fn report(games: u64, lost: u64, looked_at: u64, depth: f64, mistakes: &[Mistake]) {
    let all = mistakes.len().max(1) as f64;
    let percent = |n: usize| 100.0 * n as f64 / all;
    println!("{games} games, {lost} lost, {} mistakes in the lost games; {looked_at} moves of MCSS,", mistakes.len());
    println!("whose trees have an effective depth of {depth:.1}.\n");
    println!(
        "| alpha-beta sees it from depth | mistakes | of all | mean cost | better move had < 2 % of the samples |"
    );
    println!("|---|---|---|---|---|");
    let bands: [(&str, std::ops::RangeInclusive<u32>); 6] =
        [("1", 1..=1), ("2-3", 2..=3), ("4-5", 4..=5), ("6-7", 6..=7), ("8-10", 8..=10), ("deeper", 11..=u32::MAX)];
    for (name, band) in bands {
        let rows: Vec<&Mistake> = mistakes.iter().filter(|m| band.contains(&m.seen_from.unwrap_or(u32::MAX))).collect();
        let cost = rows.iter().map(|m| m.cost).sum::<f32>() / rows.len() as f32;
        let cost = if rows.is_empty() { "–".to_string() } else { format!("{cost:.0}") };
        let unseen = rows.iter().filter(|m| m.share < 0.02).count();
        println!("| {name} | {} | {:.0} % | {cost} | {unseen} |", rows.len(), percent(rows.len()));
    }
    let count = |pick: &dyn Fn(&Mistake) -> bool| mistakes.iter().filter(|m| pick(m)).count();
    println!("\n| the refutation of the move played | mistakes | of all |\n|---|---|---|");
    let rows: [(&str, usize); 4] = [
        ("not among the tree's replies", count(&|m| m.refutation_rank == 0)),
        ("a reply never expanded", count(&|m| m.refutation_rank > 0 && !m.refutation_expanded)),
        ("expanded, not the best reply by value", count(&|m| m.refutation_rank > 1 && m.refutation_expanded)),
        (
            "the best reply by value: seen, too little below",
            count(&|m| m.refutation_rank == 1 && m.refutation_expanded),
        ),
    ];
    for (name, n) in rows {
        println!("| {name} | {n} | {:.0} % |", percent(n));
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| arguments.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let method = arguments.get(1).map_or("mcss(t=40)", String::as_str);
    let (evaluations, nodes, games, judge) = (number(2, 10_000), number(3, 20_000), number(4, 30), number(5, 100_000));
    match arguments.first().map(String::as_str) {
        Some("shogi") => run::<Nine>(method, evaluations, nodes, games, judge),
        _ => run::<Five>(method, evaluations, nodes, games, judge),
    }
}
