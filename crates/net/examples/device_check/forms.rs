//! Each form of the fused kernel alone: whether it is right, and how long it takes. `plan.rs` chooses among them by these times.

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_net::backend::{Answers, Backend, Request};
use yomi_net::cuda::{Cuda, Options, Tier};
use yomi_net::fold::Folded;
use yomi_net::input::Layout;
use yomi_net::sample::{Comparison, Sample};
use yomi_net::{Architecture, Network};

use crate::{network, on_the_cpu, sample_of};

const SHOGI: (Layout, usize, usize) = (Layout::Shogi, 5, 192);
/// Networks (layout, blocks, channels), boards, and blocks that share them.
pub(super) const CHECKS: [((Layout, usize, usize), usize, usize); 15] = [
    (SHOGI, 1, 8),
    (SHOGI, 2, 8),
    (SHOGI, 1, 4),
    (SHOGI, 2, 4),
    (SHOGI, 1, 2),
    (SHOGI, 2, 2),
    (SHOGI, 1, 1),
    (SHOGI, 2, 1),
    (SHOGI, 3, 1),
    ((Layout::Shogi, 5, 128), 1, 8),
    ((Layout::Go(9), 5, 64), 1, 8),
    ((Layout::Go(9), 5, 64), 1, 4),
    ((Layout::Go(9), 5, 64), 1, 1),
    ((Layout::Go(19), 2, 128), 1, 8),
    ((Layout::BlokusDuo, 3, 192), 1, 8),
];

pub(super) fn name(&((layout, blocks, channels), boards, cluster): &((Layout, usize, usize), usize, usize)) -> String {
    format!("forms-{}-{blocks}x{channels}-{boards}-boards-{cluster}-blocks", layout.game())
}

/// Answers about all positions, in batches of these sizes in turn.
fn answers_of(backend: &dyn Backend, sample: &Sample, sizes: &[usize]) -> Result<Answers, TextError> {
    let (mut all, mut part, mut first) = (Answers::default(), Answers::default(), 0);
    for &size in sizes.iter().cycle() {
        let last = (first + size).min(sample.positions.len());
        if first == last {
            break;
        }
        let start = first.checked_sub(1).map_or(0, |before| sample.ends[before]);
        let ends: Vec<u32> = sample.ends[first..last].iter().map(|end| end - start).collect();
        let labels = &sample.labels[start as usize..sample.ends[last - 1] as usize];
        let request = Request { positions: &sample.positions[first..last], labels, ends: &ends, ownership: false };
        backend.collect(backend.submit(request)?, &mut part)?;
        all.value.extend(&part.value);
        all.score.extend(&part.score);
        all.policy.extend(&part.policy);
        first = last;
    }
    Ok(all)
}

/// One form against the CPU, then its times.
pub(super) fn rows(check: &((Layout, usize, usize), usize, usize)) -> Result<Vec<Value>, TextError> {
    let &((layout, blocks, channels), boards, cluster) = check;
    let network: Network = network(Architecture::new(layout, blocks, channels));
    let options = Options {
        tier: Tier::Fused,
        largest_batch: 512,
        only_form: Some((boards, cluster)),
        clusters: vec![8, 4, 2],
        graphs: true,
        ..Options::default()
    };
    let cuda = Cuda::new(&network, options)?;
    let sample = sample_of(layout, 1024)?;
    let answers = answers_of(&cuda, &sample, &[1, 2, 3, 7, 16, 33, 48, 96, 131, 200, 263])?;
    let cpu = on_the_cpu(Folded::new(&network), &sample);
    let told = Comparison::new(&sample, &answers, &cpu);
    let mut times = serde_json::Map::new();
    for batch in [1, 8, 16, 17, 32, 33, 48, 64, 66, 85, 96, 99, 128, 132, 198, 256, 264, 396] {
        let plain = sample.cycle(batch, false);
        times.insert(batch.to_string(), json!(cuda.device_time(plain.request(), 20, 5)?.round()));
    }
    Ok(vec![json!({
        "check": "forms", "network": name(check), "value_max": told.value, "policy_rms": told.policy_relative,
        "top_move": told.top_move, "ok": told.value < 1e-2 && told.policy_relative < 3e-3 && told.top_move > 0.99,
        "device_us": times, "tier": cuda.tier(),
    })])
}

/// A trained network against the CPU, in both precisions.
pub(super) fn trained(file: &str) -> Result<Vec<Value>, TextError> {
    let network = yomi_net::open::read(file)?;
    let layout = Folded::new(&network).layout;
    let sample = sample_of(layout, 10_240)?;
    let cpu = on_the_cpu(Folded::new(&network), &sample);
    let mut rows = Vec::new();
    for precision in [yomi_net::open::Precision::Half, yomi_net::open::Precision::Eight] {
        let cuda = Cuda::new(&network, Options { precision, ..Options::default() })?;
        let answers = answers_of(&cuda, &sample, &[1, 20, 40, 85, 132, 200, 396, 1024])?;
        let told = Comparison::new(&sample, &answers, &cpu);
        let half = precision == yomi_net::open::Precision::Half;
        rows.push(json!({
            "check": "trained", "network": file, "precision": if half { "fp16" } else { "fp8" }, "positions": 10_240,
            "value_max": told.value, "policy_max": told.policy, "policy_rms": told.policy_relative,
            "top_move": told.top_move, "top_move_clear": told.top_move_clear,
            "ok": !half || told.value < 1e-2 && told.top_move > 0.99,
        }));
    }
    Ok(rows)
}
