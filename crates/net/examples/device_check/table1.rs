//! S4.5's table 1 on a device: where the time of a search goes, with the inputs that the paper compares.

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Line, Seed, TextError};
use yomi_games::shogi::Shogi9;
use yomi_net::backend::{Backend, CpuBackend};
use yomi_net::cuda::{Cuda, Options};
use yomi_net::input::Layout;
use yomi_net::steps::{Features, STEPS, TimedNet};
use yomi_net::{Architecture, NetEvaluator, Network};
use yomi_search::{Limits, Method, Search, TreeSearch};

use crate::searches::{On, opening};

const MCSS: &str = "mcss-puct(ts=0.05,tb=0.001,c=1,hash=1024,reuse=off,flights=1)";

/// The programs: the paper's three, then ours.
const PROGRAMS: [(&str, &str, Features); 6] = [
    ("puct", "puct(c=1,hash=1024,reuse=off,flights=1)", Features::Planes),
    ("mcss", MCSS, Features::Planes),
    ("mcss, difference", MCSS, Features::Difference),
    ("puct, packed", "puct(c=1,hash=1024,reuse=off,flights=1)", Features::Packed),
    ("mcss, packed", MCSS, Features::Packed),
    ("mcss, packed, in flight", "mcss-puct(ts=0.05,tb=0.001,c=1,hash=1024,reuse=off)", Features::Packed),
];

/// A position with about as many moves as the paper's had on average.
fn middle_game() -> Line<Shogi9> {
    let mut moves = Vec::new();
    let lines = (0..).map(|seed| opening(Seed::new(seed), 60));
    let mut rich = lines.filter(|line| line.generate(&mut moves).is_none() && (80..=100).contains(&moves.len()));
    rich.next().expect("random games have such positions")
}

/// Seconds of each step of each program, the mean of some runs.
pub(super) fn rows(on: On) -> Result<Vec<Value>, TextError> {
    let (blocks, channels, simulations, runs) = if on == On::Cuda { (5, 192, 1000, 20) } else { (1, 8, 20, 2) };
    let network = Network::random(Architecture::new(Layout::Shogi, blocks, channels), Seed::new(5))?;
    let backend: Box<dyn Backend> = match on {
        On::Cpu => Box::new(CpuBackend::new(&network, 1)),
        On::Cuda => Box::new(Cuda::new(&network, Options::default())?),
    };
    let net = NetEvaluator::new(backend);
    let line = middle_game();
    let mut rows = Vec::new();
    for (name, method, features) in PROGRAMS {
        let (mut total, mut squares, mut evaluations, mut simulated) = (0.0, 0.0, 0, 0);
        let mut steps = [0.0; STEPS.len()];
        // The first run is for warming up.
        for run in 0..=runs {
            let timed = TimedNet::new(net.clone(), features);
            let mut search = TreeSearch::new(method.parse::<Method>()?, &timed);
            let limits = Limits::simulations(simulations).seeded(Seed::new(run));
            let watch = Stopwatch::start();
            let verdict = search.search(&line, &limits, &mut ());
            if run > 0 {
                let seconds = watch.elapsed().as_secs_f64();
                total += seconds / runs as f64;
                squares += seconds * seconds / runs as f64;
                evaluations += verdict.evaluations / runs;
                simulated += verdict.simulations / runs;
                steps.iter_mut().zip(timed.nanoseconds()).for_each(|(sum, n)| *sum += n as f64 / 1e9 / runs as f64);
            }
            if let Some(error) = timed.failure() {
                return Err(error.clone());
            }
        }
        let rest = total - steps.iter().sum::<f64>();
        let steps: serde_json::Map<String, Value> =
            STEPS.iter().zip(steps).map(|(name, seconds)| ((*name).to_string(), json!(seconds))).collect();
        rows.push(json!({
            "check": "table1", "network": name, "ok": true, "total_s": total, "selection_s": rest, "steps": steps,
            "evaluations": evaluations, "simulations": simulated, "runs": runs,
            "deviation_s": (squares - total * total).max(0.0).sqrt(), "positions_per_s": evaluations as f64 / total,
        }));
    }
    Ok(rows)
}
