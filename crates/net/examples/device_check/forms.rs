//! Each form of the fused kernel alone: whether it is right, and how long it takes. `plan.rs` chooses among them by these times.

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_net::backend::{Answers, Backend, Request};
use yomi_net::cuda::{Cuda, Options, Tier};
use yomi_net::fold::Folded;
use yomi_net::input::Layout;
use yomi_net::open::Precision;
use yomi_net::sample::{Comparison, Sample};
use yomi_net::{Architecture, Network};

use crate::{network, on_the_cpu, sample_of};

const SHOGI: (Layout, usize, usize) = (Layout::Shogi, 5, 192);

/// A network (layout, blocks, channels) and the only form of the kernel that it gets: boards, blocks that share them, squares as columns or not.
#[derive(Clone, Copy)]
pub(super) struct Check {
    network: (Layout, usize, usize),
    form: (usize, usize, bool),
}

const fn rows_of(network: (Layout, usize, usize), boards: usize, blocks: usize) -> Check {
    Check { network, form: (boards, blocks, false) }
}

const fn columns_of(network: (Layout, usize, usize), boards: usize, blocks: usize) -> Check {
    Check { network, form: (boards, blocks, true) }
}

pub(super) const CHECKS: [Check; 19] = [
    columns_of(SHOGI, 1, 3),
    columns_of(SHOGI, 1, 1),
    rows_of(SHOGI, 1, 4),
    rows_of(SHOGI, 1, 2),
    rows_of(SHOGI, 2, 2),
    rows_of(SHOGI, 1, 1),
    rows_of(SHOGI, 2, 1),
    rows_of(SHOGI, 3, 1),
    columns_of((Layout::Go(9), 5, 128), 1, 2),
    columns_of((Layout::Shogi, 5, 128), 1, 2),
    rows_of(SHOGI, 2, 4),
    rows_of(SHOGI, 1, 8),
    rows_of(SHOGI, 2, 8),
    rows_of((Layout::Shogi, 5, 128), 1, 8),
    rows_of((Layout::Go(9), 5, 64), 1, 8),
    rows_of((Layout::Go(9), 5, 64), 1, 4),
    rows_of((Layout::Go(9), 5, 64), 1, 1),
    rows_of((Layout::Go(19), 2, 128), 1, 8),
    rows_of((Layout::BlokusDuo, 3, 192), 1, 8),
];

/// A form in a word: boards, blocks that share them, `c` for squares as columns.
fn form_name(&(boards, blocks, columns): &(usize, usize, bool)) -> String {
    format!("{boards}.{blocks}{}", if columns { "c" } else { "" })
}

impl Check {
    pub(super) fn name(&self) -> String {
        let (layout, blocks, channels) = self.network;
        format!("forms-{}-{blocks}x{channels}-{}", layout.game(), form_name(&self.form))
    }

    fn options(&self, largest_batch: usize) -> Options {
        Options {
            tier: Tier::Fused,
            largest_batch,
            only_form: Some(self.form),
            clusters: vec![8, 4, 2],
            ..Options::default()
        }
    }
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
        let request = Request { positions: &sample.positions[first..last], labels, ends: &ends, ..Request::default() };
        backend.collect(backend.submit(request)?, &mut part)?;
        all.value.extend(&part.value);
        all.score.extend(&part.score);
        all.policy.extend(&part.policy);
        first = last;
    }
    Ok(all)
}

/// One form against the CPU, then its times.
pub(super) fn rows(check: &Check) -> Result<Vec<Value>, TextError> {
    let (layout, blocks, channels) = check.network;
    let network: Network = network(Architecture::new(layout, blocks, channels));
    let cuda = Cuda::new(&network, check.options(512))?;
    let sample = sample_of(layout, 1024)?;
    let answers = answers_of(&cuda, &sample, &[1, 2, 3, 7, 16, 33, 48, 96, 131, 200, 263])?;
    let cpu = on_the_cpu(Folded::new(&network), &sample);
    let compared = Comparison::new(&sample, &answers, &cpu);
    let mut times = serde_json::Map::new();
    for batch in [1, 16, 32, 64, 85, 132, 264, 396] {
        let plain = sample.cycle(batch, false);
        times.insert(batch.to_string(), json!(cuda.device_time(plain.request(), 20, 5)?.round()));
    }
    Ok(vec![json!({
        "check": "forms", "network": check.name(), "value_max": compared.value, "policy_rms": compared.policy_relative,
        "top_move": compared.top_move, "ok": compared.value < 1e-2 && compared.policy_relative < 3e-3 && compared.top_move > 0.99,
        "device_us": times, "tier": cuda.tier(),
    })])
}

/// The forms that the rule of `plan.rs` chooses among.
const CHOICE: [(usize, usize, bool); 8] = [
    (1, 3, true),
    (1, 1, true),
    (1, 4, false),
    (1, 2, false),
    (2, 2, false),
    (1, 1, false),
    (2, 1, false),
    (3, 1, false),
];

/// Microseconds of 5x192 by batch: what the rule takes, and every form alone.
pub(super) fn rule(batches: &[usize]) -> Result<Vec<Value>, TextError> {
    let (layout, blocks, channels) = SHOGI;
    let network = network(Architecture::new(layout, blocks, channels));
    let most = batches.iter().copied().max().unwrap_or(1);
    let sample = sample_of(layout, 4096)?;
    let with = |options: Options| Cuda::new(&network, Options { flights: 1, ..options });
    let chosen = with(Options { largest_batch: most, ..Options::default() })?;
    let alone = |&form: &(usize, usize, bool)| Ok((form, with(Check { network: SHOGI, form }.options(most))?));
    let wanted = CHOICE.iter().filter(|(_, _, columns)| !columns || Options::default().columns);
    let alone = wanted.map(alone).collect::<Result<Vec<_>, TextError>>()?;
    let mut rows = Vec::new();
    for &batch in batches {
        let plain = sample.cycle(batch, false);
        let time = |cuda: &Cuda| cuda.device_time(plain.request(), (4_000 / batch).clamp(2, 30), 5);
        let mut times = serde_json::Map::new();
        for (form, cuda) in &alone {
            times.insert(form_name(form), json!((time(cuda)? * 10.0).round() / 10.0));
        }
        rows.push(json!({
            "check": "rule", "network": "shogi-5x192", "batch": batch, "ok": true, "rule_us": time(&chosen)?,
            "takes": chosen.division(batch), "alone_us": times,
        }));
    }
    Ok(rows)
}

/// A trained network against the CPU, in every precision.
pub(super) fn trained(file: &str) -> Result<Vec<Value>, TextError> {
    let network = yomi_net::open::read(file)?;
    let layout = Folded::new(&network).layout;
    let sample = sample_of(layout, 10_240)?;
    let cpu = on_the_cpu(Folded::new(&network), &sample);
    let mut rows = Vec::new();
    let all: &[usize] = &[1, 20, 40, 85, 132, 200, 396, 1024];
    // In halves all kinds of batches, then those of one form.
    let runs: [(Precision, &[&[usize]]); 3] =
        [(Precision::Half, &[all, &[40], &[100], &[1024]]), (Precision::Single, &[all]), (Precision::Eight, &[all])];
    for (precision, runs) in runs {
        let cuda = match Cuda::new(&network, Options { precision, flights: 1, ..Options::default() }) {
            // Some towers are too wide for eight bits.
            Err(_) if precision == Precision::Eight => continue,
            opened => opened?,
        };
        let name = Precision::NAMES.iter().find(|(_, known)| *known == precision).map(|(name, _)| *name);
        for &sizes in runs {
            let answers = answers_of(&cuda, &sample, sizes)?;
            let compared = Comparison::new(&sample, &answers, &cpu);
            let good = match precision {
                Precision::Half => compared.value < 1e-2 && compared.top_move > 0.99,
                Precision::Single => compared.value < 1e-3 && compared.top_move > 0.999,
                Precision::Eight => true,
            };
            rows.push(json!({
                "check": "trained", "network": file, "precision": name, "positions": 10_240, "batches": sizes,
                "takes": sizes.iter().map(|&size| cuda.division(size)).collect::<Vec<_>>(),
                "value_max": compared.value, "policy_max": compared.policy, "policy_rms": compared.policy_relative,
                "top_move": compared.top_move, "top_move_clear": compared.top_move_clear, "ok": good,
            }));
        }
    }
    Ok(rows)
}
