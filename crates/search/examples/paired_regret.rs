//! Which of two alpha-beta searches chooses better moves? Asks several searches for a move in the same positions and lets an alpha-beta
//! with many more nodes judge the moves where they differ. The mean difference, paired by position, tells searches apart that hundreds
//! of games cannot; games must then confirm it, as a search also lives from what it remembers of the move before.
//!
//! `cargo run --release -p yomi-search --features measure --example paired_regret -- minishogi 500 400000 'alpha-beta nodes=20000' 'mcss-deep nodes=20000'`
//! (game, positions, nodes of the judge, searches with budgets; the first is what the others are compared with). The positions come from
//! games of a quick alpha-beta with itself. Budgets are nodes or plies, so that a run can be repeated exactly.
//!
//! With `JUDGED=file` in the environment the judge's values are kept there, and later runs with the same game and judge read them.
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;

use yomi_core::{Line, Move, Seed};
use yomi_eval::Linear;
use yomi_games::shogi::{Five, Nine, Shogi, ShogiMove, Variant};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::ordering::Tactics;
use yomi_search::{Limits, Search, Verdict};

/// Values are compared up to this, a won game.
const WON: f32 = 800.0;
/// Nodes per move of the games that the positions come from.
const QUICK: u64 = 2_000;
/// Mebibytes of the judge's table: small, as it is cleared for every move.
const JUDGE_MEMORY: usize = 4;
/// Of each game every fifth position.
const STRIDE: usize = 5;

type Player<V> = AlphaBeta<Shogi<V>, Linear<V>, Tactics>;

fn player<V: Variant>(options: AlphaBetaOptions) -> Player<V> {
    AlphaBeta::tactical(Linear::<V>::embedded(), options)
}

/// The part of a game that is expected of a position of this value.
fn expected(value: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(value) / 300.0).exp())
}

/// Undecided positions of games from four random moves.
fn positions<V: Variant>(count: usize) -> Vec<Line<Shogi<V>>> {
    let (mut quick, mut found, mut game) = (player::<V>(AlphaBetaOptions::default()), Vec::new(), 0);
    while found.len() < count {
        let mut line = Line::new(Shogi::<V>::default());
        let (mut rng, mut moves) = (Seed::new(23).branch("paired regret", game).rng(), Vec::new());
        quick.new_game();
        game += 1;
        while line.generate(&mut moves).is_none() && line.plies().len() < 200 && found.len() < count {
            let played = line.plies().len();
            let verdict = quick.search(&line, &Limits::nodes(QUICK), &mut ());
            if played > 4 && played % STRIDE == 0 && verdict.value.abs() < WON && moves.len() > 1 {
                found.push(line.clone());
            }
            let random = moves[rng.below(moves.len())];
            line.play(verdict.best.filter(|_| played > 4).unwrap_or(random));
        }
    }
    found
}

/// A search, its budget, and its answers.
struct Row {
    name: String,
    options: AlphaBetaOptions,
    limits: Limits,
}

impl Row {
    /// Reads `alpha-beta nodes=20000`.
    fn parse(text: &str) -> Row {
        let (search, budget) = text.rsplit_once(' ').expect("a search and a budget");
        let (unit, count) = budget.split_once('=').expect("nodes=N or depth=N");
        let count: u64 = count.parse().expect("a number");
        let limits = if unit == "depth" { Limits::depth(count as u32) } else { Limits::nodes(count) };
        Row { name: text.to_string(), options: search.parse().expect("a search"), limits }
    }
}

/// A deep search after a move, and what it said before.
struct Judge<V: Variant> {
    search: Player<V>,
    nodes: u64,
    known: BTreeMap<(usize, u16), f32>,
    file: Option<String>,
}

impl<V: Variant> Judge<V> {
    fn new(nodes: u64) -> Judge<V> {
        let file = std::env::var("JUDGED").ok();
        let text = file.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.split(' ');
            let mut word = || words.next();
            Some(((word()?.parse().ok()?, word()?.parse().ok()?), word()?.parse().ok()?))
        };
        let known = text.lines().filter_map(read).collect();
        Judge {
            search: player(AlphaBetaOptions { hash: JUDGE_MEMORY, ..AlphaBetaOptions::default() }),
            nodes,
            known,
            file,
        }
    }

    /// The value of a move for the side that plays it.
    fn value(&mut self, index: usize, line: &Line<Shogi<V>>, mv: ShogiMove) -> f32 {
        let key = (index, mv.to_bits());
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let mut after = line.clone();
        after.play(mv);
        self.search.new_game();
        let value = (-self.search.search(&after, &Limits::nodes(self.nodes), &mut ()).value).clamp(-WON, WON);
        self.known.insert(key, value);
        if let Some(path) = &self.file {
            let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
            writeln!(file, "{} {} {value}", key.0, key.1).expect("room");
        }
        value
    }
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(2) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (square / n).sqrt())
}

fn run<V: Variant>(count: usize, nodes: u64, rows: &[Row]) {
    let lines = positions::<V>(count);
    let mut judge = Judge::<V>::new(nodes);
    println!(
        "| search | nodes | depth | entropy | moves near | not on the first move | differs | better | worse | gain | gain, % of a game |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut first: Vec<Option<ShogiMove>> = Vec::new();
    for row in rows {
        let mut search = player::<V>(row.options);
        let verdicts: Vec<Verdict<ShogiMove>> = lines
            .iter()
            .map(|line| {
                search.new_game();
                search.search(line, &row.limits, &mut ())
            })
            .collect();
        if first.is_empty() {
            first = verdicts.iter().map(|verdict| verdict.best).collect();
        }
        let (mut gains, mut parts, mut differs) = (Vec::new(), Vec::new(), 0);
        for (index, (line, verdict)) in lines.iter().zip(&verdicts).enumerate() {
            let (mut gain, mut part) = (0.0, 0.0);
            if let (Some(a), Some(b)) = (verdict.best, first[index])
                && a != b
            {
                let (a, b) = (judge.value(index, line, a), judge.value(index, line, b));
                (gain, part) = (f64::from(a - b), 100.0 * (expected(a) - expected(b)));
                differs += 1;
            }
            gains.push(gain);
            parts.push(part);
        }
        let average = |pick: &dyn Fn(&Verdict<ShogiMove>) -> f64| {
            verdicts.iter().map(pick).sum::<f64>() / verdicts.len().max(1) as f64
        };
        let near = |v: &Verdict<ShogiMove>| v.moves.iter().filter(|row| row.selection > 0.0).count() as f64;
        let elsewhere = |v: &Verdict<ShogiMove>| {
            let on_first = v.moves.first().map_or(0, |row| row.visits);
            1.0 - on_first as f64 / v.nodes.max(1) as f64
        };
        let ((gain, error), (part, part_error)) = (mean(&gains), mean(&parts));
        let count = |sign: f64| gains.iter().filter(|gain| *gain * sign > 0.0).count();
        println!(
            "| `{}` | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {differs} | {} | {} | {gain:+.2} ± {error:.2} | {part:+.2} ± {part_error:.2} |",
            row.name,
            average(&|v| v.nodes as f64),
            average(&|v| f64::from(v.depth)),
            average(&|v| f64::from(v.entropy)),
            average(&near),
            average(&elsewhere),
            count(1.0),
            count(-1.0),
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| arguments.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (count, nodes) = (number(1, 500) as usize, number(2, 400_000));
    let rows: Vec<Row> = arguments.iter().skip(3).map(|text| Row::parse(text)).collect();
    match arguments.first().map(String::as_str) {
        Some("shogi") => run::<Nine>(count, nodes, &rows),
        _ => run::<Five>(count, nodes, &rows),
    }
}
