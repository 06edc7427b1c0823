//! Matches of Blokus Duo without the rest of the program: small enough to be carried to another machine.
//!
//!     cargo run --release -p yomi-learn --features measure --example blokus_arena -- games jobs seed 'PLAYER' 'PLAYER' [records.blksgf]
//!
//! A player is `SEARCH + EVALUATION BUDGET`: `prior-rave + moves=FILE sims=1000`, `alpha-beta + learned=FILE nodes=100000`,
//! `greedy + learned=FILE`, `flat(100)`, `uct(c=0.5) + rollout sims=1000`, `prior-rave + hand + best-of=2 + learned=FILE time=0.03`. Parts of an
//! evaluation: `rollout` (the default), `best-of=N` (playouts with `learned`), `learned=FILE`, `value=FILE` (as the value of a tree search),
//! `moves=FILE`, `hand`, `endgame`. Every opening, two random pentominoes, is played twice with colours swapped.
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use yomi_core::{AnyEvaluator, Color, Line, Outcome, Record, Seed, Uniform};
use yomi_eval::blokus::moves::Model;
use yomi_eval::blokus::{Evaluation, Learned, Unit, Weights};
use yomi_eval::rollout::Selective;
use yomi_eval::{Guided, Rollout};
use yomi_games::blokus::{BlokusDuo, records};
use yomi_learn::blokus::random_pentomino;
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, EndgameFirst, Flat, FlatOptions, Greedy, Limits, Points, Search, TreeSearch,
};

type Player = (Box<dyn Search<BlokusDuo>>, Limits);

fn read(file: &str) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The player that a text describes.
fn player(text: &str) -> Player {
    let mut limits = Limits::infinite();
    let mut parts = Vec::new();
    for word in text.split_whitespace().filter(|word| *word != "+") {
        match word.split_once('=') {
            Some(("sims", n)) => limits.simulations = Some(n.parse().expect("simulations")),
            Some(("nodes", n)) => limits.nodes = Some(n.parse().expect("nodes")),
            Some(("time", n)) => limits.time = Some(Duration::from_secs_f64(n.parse().expect("seconds"))),
            _ => parts.push(word),
        }
    }
    let value = |key: &str| parts.iter().find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
    let weights = |file: &str| Evaluation::new(&Weights::read(&read(file)).expect("weights"));
    let learned = |unit: Unit, file: &str| Learned::new(weights(file), unit, 20.0, "learned");
    let name = parts[0];
    let search: Box<dyn Search<BlokusDuo>> = if name == "alpha-beta" || name.starts_with("alpha-beta(") {
        let options: AlphaBetaOptions = name.parse().expect("options");
        let options = AlphaBetaOptions { siblings: true, ..options };
        Box::new(AlphaBeta::new(learned(Unit::Value, value("learned").expect("learned=FILE")), options))
    } else if name == "greedy" {
        Box::new(Greedy::new(learned(Unit::Value, value("learned").expect("learned=FILE"))))
    } else if let Some(n) = name.strip_prefix("flat(") {
        let n = n.trim_end_matches(')').parse().expect("playouts per move");
        Box::new(Flat::new(Uniform, FlatOptions { playouts: n, ..FlatOptions::default() }))
    } else {
        let evaluator: AnyEvaluator<BlokusDuo> = match (value("value"), value("best-of"), value("learned")) {
            (Some(file), ..) => AnyEvaluator::new(learned(Unit::Result, file)),
            (None, Some(n), Some(file)) => {
                AnyEvaluator::new(Rollout::new(Selective::best_of(n.parse().expect("candidates"), weights(file))))
            }
            _ => AnyEvaluator::new(Rollout::new(Uniform)),
        };
        let model = value("moves").map(|file| Model::read(&read(file)).expect("a model"));
        let evaluator = match model.or_else(|| parts.contains(&"hand").then(Model::by_hand)) {
            Some(model) => AnyEvaluator::new(Guided::new(evaluator, model)),
            None => evaluator,
        };
        Box::new(TreeSearch::new(name.parse().expect("a method"), evaluator))
    };
    if !parts.contains(&"endgame") {
        return (search, limits);
    }
    let points = Points {
        margin: |position: &BlokusDuo| position.score(Color::Black) - position.score(Color::White),
        gain: BlokusDuo::points_left,
        size: |mv| mv.piece().map_or(0, |piece| piece.size() as i32),
    };
    (Box::new(EndgameFirst::new(search, points, 100_000, 40, 1.0)), limits)
}

fn game(players: &mut [Player; 2], first: usize, seed: Seed) -> (Outcome, Record<BlokusDuo>) {
    let mut rng = seed.branch("opening", 0).rng();
    let mut line = Line::new(BlokusDuo::default());
    let mut record = Record::new(BlokusDuo::default());
    let (mut moves, mut node) = (Vec::new(), 0);
    players.iter_mut().for_each(|player| player.0.new_game());
    loop {
        if let Some(outcome) = line.generate(&mut moves) {
            return (outcome, record);
        }
        let ply = line.len();
        let mv = if ply < 2 {
            random_pentomino(&moves, &mut rng)
        } else {
            let (search, limits) = &mut players[(ply + first) % 2];
            let limits = limits.clone().seeded(seed.branch("move", (2 * ply + first) as u64));
            search.search(&line, &limits, &mut ()).best.expect("a move")
        };
        node = record.add(node, Some(mv));
        players.iter_mut().for_each(|player| player.0.played(mv));
        line.play(mv);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [games, jobs, seed] = [0, 1, 2].map(|i| args[i].parse::<u64>().expect("games, jobs and seed"));
    let file = args.get(5).map(|name| Mutex::new(std::fs::File::create(name).expect("a file for records")));
    let (next, tally) = (AtomicU64::new(0), Mutex::new([[0u32; 3]; 2]));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut players = [player(&args[3]), player(&args[4])];
                loop {
                    // Relaxed: the number alone decides who does what.
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= games {
                        return;
                    }
                    let first = (index % 2) as usize;
                    let (outcome, record) = game(&mut players, first, Seed::new(seed).branch("pair", index / 2));
                    let black = Color::Black;
                    let result = match outcome {
                        Outcome::Draw => 1,
                        Outcome::Win(color) => {
                            if (color == black) == (first == 0) {
                                0
                            } else {
                                2
                            }
                        }
                    };
                    tally.lock().expect("no panic")[first][result] += 1;
                    if let Some(file) = &file {
                        let text = records::write(&record).replace('\n', "");
                        writeln!(file.lock().expect("no panic"), "{text}").expect("records can be written");
                    }
                }
            });
        }
    });
    let [a, b] = *tally.lock().expect("no panic");
    let total = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let n = f64::from(total.iter().sum::<u32>().max(1));
    let score = (f64::from(total[0]) + 0.5 * f64::from(total[1])) / n;
    let error = (score * (1.0 - score) / n).sqrt();
    println!(
        "{{\"first\":{:?},\"second\":{:?},\"wins\":{},\"draws\":{},\"losses\":{},\"score\":{score:.4},\"error\":{error:.4},\"as_black\":{a:?},\"as_white\":{b:?}}}",
        args[3], args[4], total[0], total[1], total[2]
    );
}
