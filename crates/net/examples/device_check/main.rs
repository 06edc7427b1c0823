//! Everything worth knowing about the CUDA backend on a machine with a GPU, in one run:
//! `device_check [--json FILE] [--only WORD,WORD] [--seconds N] [--total N] [--list]`.
//!
//! `--nets DIRECTORY` adds the trained networks there. `--only search-,selfplay-` measures whole searches alone; `--cpu` runs those in miniature on the CPU.
//!
//! Every check runs in a process of its own that is ended after `--seconds` (60), so that a kernel that fails or never ends does not stop the
//! others; after `--total` (540) none is begun. Results are lines of JSON; a table of them comes last.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

mod forms;
mod searches;
mod table1;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, TextError};
use yomi_net::architecture::Activation;
use yomi_net::backend::{Answers, Backend, CpuBackend, Input, Request};
use yomi_net::cpu::{Cpu, Unit, Workspace};
use yomi_net::cuda::{self, Cuda, Device, Options, Tier};
use yomi_net::fold::Folded;
use yomi_net::input::{Layout, Planes};
use yomi_net::measure::{flow, latency};
use yomi_net::open::Precision;
use yomi_net::sample::{Comparison, Sample, differences};
use yomi_net::{Architecture, Evaluations, Network};

/// Positions that each network is compared on.
const COMPARED: usize = 10_240;

/// A network, and how it is put on the device.
#[derive(Clone, Copy)]
struct Setting {
    layout: Layout,
    blocks: usize,
    channels: usize,
    swish: bool,
    tier: Tier,
    graphs: bool,
    precision: Precision,
}

const fn fused(layout: Layout, blocks: usize, channels: usize) -> Setting {
    Setting { layout, blocks, channels, swish: false, tier: Tier::Fused, graphs: false, precision: Precision::Half }
}

const fn portable(layout: Layout, blocks: usize, channels: usize) -> Setting {
    Setting { tier: Tier::Portable, graphs: true, ..fused(layout, blocks, channels) }
}

const fn eight(layout: Layout, blocks: usize, channels: usize) -> Setting {
    Setting { precision: Precision::Eight, ..fused(layout, blocks, channels) }
}

const fn single(layout: Layout, blocks: usize, channels: usize) -> Setting {
    Setting { precision: Precision::Single, ..portable(layout, blocks, channels) }
}

impl Setting {
    fn name(&self) -> String {
        let layout = if self.layout == Layout::Dlshogi { "dlshogi".into() } else { self.layout.game() };
        let swish = if self.swish { "-swish" } else { "" };
        let tier = if self.tier == Tier::Portable { "portable" } else { "fused" };
        let graphs = if self.graphs == (self.tier == Tier::Portable) { "" } else { "-graphs" };
        let precision = match self.precision {
            Precision::Half => "",
            Precision::Single => "-fp32",
            Precision::Eight => "-fp8",
        };
        format!("{layout}-{}x{}{swish}-{tier}{graphs}{precision}", self.blocks, self.channels)
    }

    fn network(&self) -> Network {
        let activation = if self.swish { Activation::Swish } else { Activation::Relu };
        network(Architecture { activation, ..Architecture::new(self.layout, self.blocks, self.channels) })
    }

    fn options(&self, largest_batch: usize) -> Options {
        let Setting { tier, graphs, precision, .. } = *self;
        Options { tier, graphs, largest_batch, precision, ..Options::default() }
    }
}

/// What is compared with the CPU.
const COMPARISONS: [Setting; 27] = [
    fused(Layout::Shogi, 5, 192),
    portable(Layout::Shogi, 5, 192),
    fused(Layout::Shogi, 10, 192),
    fused(Layout::Shogi, 4, 64),
    fused(Layout::Shogi, 5, 128),
    fused(Layout::Shogi, 3, 96),
    fused(Layout::Dlshogi, 5, 192),
    Setting { swish: true, ..fused(Layout::Dlshogi, 5, 192) },
    portable(Layout::Dlshogi, 3, 64),
    fused(Layout::Minishogi, 5, 64),
    fused(Layout::Minishogi, 3, 32),
    fused(Layout::Go(9), 5, 64),
    fused(Layout::Go(13), 4, 128),
    fused(Layout::Go(19), 2, 128),
    portable(Layout::Go(19), 1, 192),
    fused(Layout::BlokusDuo, 4, 64),
    fused(Layout::BlokusDuo, 3, 192),
    portable(Layout::BlokusDuo, 3, 64),
    single(Layout::Shogi, 5, 192),
    single(Layout::Dlshogi, 3, 64),
    single(Layout::Go(9), 5, 64),
    single(Layout::BlokusDuo, 3, 64),
    eight(Layout::Shogi, 5, 192),
    eight(Layout::Shogi, 10, 192),
    eight(Layout::Minishogi, 5, 64),
    eight(Layout::Go(9), 5, 64),
    eight(Layout::BlokusDuo, 4, 64),
];

/// Batch sizes at which 5x192 is timed; `scripts/net_cudnn_times.py` has the same.
const SHOGI_BATCHES: &[usize] = &[
    1, 2, 4, 8, 16, 17, 24, 32, 33, 48, 49, 64, 85, 96, 97, 128, 132, 133, 160, 198, 256, 264, 265, 300, 396, 397, 448,
    512, 528, 640, 792, 793, 1024, 2048, 3960, 4096,
];

/// What is timed, and at which batch sizes.
const SPEEDS: [(Setting, &[usize]); 15] = [
    (fused(Layout::Shogi, 5, 192), &[1, 85, 396, 792, 3960, 15840]),
    (Setting { graphs: true, ..fused(Layout::Shogi, 5, 192) }, &[1, 8, 16, 32, 48, 64, 85, 132, 198, 396]),
    (portable(Layout::Shogi, 5, 192), &[85, 256, 1024, 4096]),
    (fused(Layout::Shogi, 10, 192), &[85, 256, 396, 1024, 3960, 4096, 15840]),
    (fused(Layout::Shogi, 4, 64), &[85, 256, 1024, 4096, 16384]),
    (fused(Layout::Shogi, 5, 128), &[85, 396, 4096]),
    (fused(Layout::Minishogi, 5, 64), &[40, 256, 1024, 4096, 16384]),
    (fused(Layout::Go(9), 5, 64), &[82, 256, 1024, 4096, 16384]),
    (fused(Layout::Go(19), 5, 128), &[132, 1024]),
    (portable(Layout::Go(19), 5, 192), &[132, 1024]),
    (fused(Layout::BlokusDuo, 4, 64), &[85, 396, 4096]),
    (single(Layout::Shogi, 5, 192), &[1, 85, 396, 1024, 4096]),
    (eight(Layout::Shogi, 5, 192), &[85, 396, 1024, 3960]),
    (eight(Layout::Shogi, 10, 192), &[85, 396, 3960]),
    (eight(Layout::Minishogi, 5, 64), &[40, 4096]),
];

const LAYOUTS: [Layout; 7] = [
    Layout::Shogi,
    Layout::Dlshogi,
    Layout::Minishogi,
    Layout::Go(9),
    Layout::Go(13),
    Layout::Go(19),
    Layout::BlokusDuo,
];

/// A random network whose batch norms are not those of the start of training.
fn network(architecture: Architecture) -> Network {
    let mut tensors = Network::random(architecture.clone(), Seed::new(5)).expect("a known layout").tensors().clone();
    let mut rng = Seed::new(5).branch("norms", 0).rng();
    for (name, tensor) in &mut tensors {
        let (least, most) = match name.rsplit('.').next() {
            Some("running_var") => (0.5, 2.0),
            Some("weight") if name.contains("norm") => (0.5, 1.5),
            Some("bias" | "running_mean" | "label_bias") => (-0.2, 0.2),
            _ => continue,
        };
        tensor.data.iter_mut().for_each(|x| *x = least + (most - least) * rng.unit());
    }
    Network::new(architecture, tensors).expect("the tensors of the header")
}

/// The CPU's answers, in parts so that all policies need not be in memory at once.
fn on_the_cpu(folded: Folded, sample: &Sample) -> Answers {
    let cpu = Cpu::from_folded(folded, Unit::best());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (mut work, mut all, mut answers) = (Workspace::default(), Evaluations::default(), Answers::default());
    let mut i = 0;
    for positions in sample.positions.chunks(1024) {
        cpu.evaluate(positions, threads, &mut work, &mut all);
        answers.value.extend(&all.value);
        answers.score.extend(&all.score);
        answers.ownership.extend(&all.ownership);
        for at in 0..positions.len() {
            let logits = all.policy_of(at);
            answers.policy.extend(sample.labels_of(i).iter().map(|&label| logits[usize::from(label)]));
            i += 1;
        }
    }
    answers
}

/// Positions of random games.
fn sample_of(layout: Layout, count: usize) -> Result<Sample, TextError> {
    Sample::of(layout, count, Seed::new(9))
}

fn compare(setting: &Setting) -> Result<Vec<Value>, TextError> {
    let network = setting.network();
    let sample = sample_of(setting.layout, COMPARED)?;
    let watch = Stopwatch::start();
    let cuda = Cuda::new(&network, setting.options(1100))?;
    let opened = watch.elapsed().as_secs_f64();
    // Batches of all kinds of sizes, several in flight.
    let sizes = [1, 2, 3, 85, 131, 132, 133, 395, 396, 397, 512, 700, 1024, 1100];
    let (mut answers, mut part, mut tickets) =
        (Answers::default(), Answers::default(), std::collections::VecDeque::new());
    let mut take = |answers: &mut Answers, ticket| -> Result<(), TextError> {
        cuda.collect(ticket, &mut part)?;
        answers.value.extend(&part.value);
        answers.score.extend(&part.score);
        answers.policy.extend(&part.policy);
        answers.ownership.extend(&part.ownership);
        Ok(())
    };
    let mut first = 0;
    for &size in sizes.iter().cycle() {
        let last = (first + size).min(COMPARED);
        let start = first.checked_sub(1).map_or(0, |before| sample.ends[before]);
        let ends: Vec<u32> = sample.ends[first..last].iter().map(|end| end - start).collect();
        let labels = &sample.labels[start as usize..sample.ends[last - 1] as usize];
        let positions = &sample.positions[first..last];
        let request = Request { positions, labels, ends: &ends, ownership: true, ..Request::default() };
        if tickets.len() == cuda.flights() {
            let ticket = tickets.pop_front().expect("some are in flight");
            take(&mut answers, ticket)?;
        }
        tickets.push_back(cuda.submit(request)?);
        first = last;
        if first == COMPARED {
            break;
        }
    }
    for ticket in tickets {
        take(&mut answers, ticket)?;
    }
    let eight = setting.precision == Precision::Eight;
    let mut rows = if eight { Vec::new() } else { vec![written_out(&cuda, &sample)?] };
    for (reference, folded, count) in [
        ("f32", Folded::new(&network), COMPARED),
        ("f32 of f16 weights", Folded::new(&network).rounded_to_half(), COMPARED / 4),
    ] {
        let sample = sample.cycle(count, true);
        let squares = if answers.ownership.is_empty() { 0 } else { setting.layout.squares() };
        answers.value.truncate(count);
        answers.score.truncate(count);
        answers.policy.truncate(sample.labels.len());
        answers.ownership.truncate(count * squares);
        let cpu = on_the_cpu(folded, &sample);
        let difference = Comparison::new(&sample, &answers, &cpu);
        let (ownership, ..) = differences(&answers.ownership, &cpu.ownership);
        // Eight bits are two digits less exact; the match rate is reported, not judged.
        let good = match setting.precision {
            Precision::Eight => difference.policy_relative < 0.15,
            // Its weights are not rounded to halves.
            Precision::Single => reference != "f32" || difference.value < 1e-4 && difference.policy_relative < 1e-4,
            Precision::Half => {
                difference.value < 1e-2
                    && difference.policy_relative < 3e-3
                    && ownership < 2e-2
                    && difference.top_move > 0.99
            }
        };
        rows.push(json!({
            "check": "compare", "network": setting.name(), "reference": reference, "positions": count, "ok": good,
            "value_max": difference.value, "policy_max": difference.policy, "policy_rms": difference.policy_relative,
            "score_max_share": difference.score, "ownership_max": ownership, "top_move": difference.top_move,
            "top_move_clear": difference.top_move_clear,
            "open_s": opened, "compile_s": cuda.compiled_in().as_secs_f64(), "tier": cuda.tier(),
        }));
    }
    Ok(rows)
}

/// Positions given as planes that were written out against the same packed.
fn written_out(cuda: &Cuda, sample: &Sample) -> Result<Value, TextError> {
    let (layout, sample) = (cuda.layout(), sample.cycle(500, true));
    let (mut planes, mut dense) = (Planes::default(), Vec::new());
    for packed in &sample.positions {
        layout.expand(packed, &mut planes);
        dense.extend(planes.dense(layout.planes(), layout.squares()));
    }
    let (mut a, mut b) = (Answers::default(), Answers::default());
    cuda.evaluate_in_steps(Input::Packed(&sample.positions), sample.request(), &mut a)?;
    cuda.evaluate_in_steps(Input::Planes(&dense), sample.request(), &mut b)?;
    let (value, ..) = differences(a.value.as_flattened(), b.value.as_flattened());
    let (policy, ..) = differences(&a.policy, &b.policy);
    // The same halves go in, so the same numbers come out, but for the rounding of komi.
    Ok(json!({"check": "written_out", "network": layout.game(), "value_max": value, "policy_max": policy,
        "ok": value < 1e-3 && policy < 1e-2}))
}

/// Planes expanded by the device against those of the CPU.
fn planes(layout: Layout) -> Result<Vec<Value>, TextError> {
    let count = 4096;
    let network = network(Architecture::new(layout, 0, 32));
    let sample = sample_of(layout, count)?;
    let cuda =
        Cuda::new(&network, Options { tier: Tier::Portable, flights: 1, largest_batch: count, ..Options::default() })?;
    let device = cuda.planes(&sample.positions)?;
    let (squares, width) = (layout.squares(), layout.planes());
    let (mut wrong, mut first, mut expanded) = (0, Value::Null, Planes::default());
    for (i, packed) in sample.positions.iter().enumerate() {
        layout.expand(packed, &mut expanded);
        let dense = expanded.dense(width, squares);
        for square in 0..squares {
            for plane in 0..width {
                let (ours, theirs) = (dense[plane * squares + square], device[(i * squares + square) * width + plane]);
                if (ours - theirs).abs() > 1e-3 {
                    wrong += 1;
                    if first.is_null() {
                        first = json!({"position": i, "plane": plane, "square": square, "cpu": ours, "device": theirs});
                    }
                }
            }
        }
    }
    Ok(vec![json!({
        "check": "planes", "network": layout.game(), "layout": layout.id(), "positions": count, "wrong": wrong,
        "first_wrong": first, "ok": wrong == 0,
    })])
}

fn speed(setting: &Setting, batches: &[usize]) -> Result<Vec<Value>, TextError> {
    let network = setting.network();
    let most = batches.iter().copied().max().unwrap_or(1);
    let cuda = Cuda::new(&network, setting.options(most))?;
    let sample = sample_of(setting.layout, 4096)?;
    let operations = network.architecture().operations() as f64;
    let (to_device, back) = cuda.bus_bytes();
    let budget = Duration::from_millis(60);
    let mut rows = vec![json!({
        "check": "open", "network": setting.name(), "tier": cuda.tier(), "compile_s": cuda.compiled_in().as_secs_f64(),
        "preferred": cuda.preferred_batches().iter().take(6).collect::<Vec<_>>(), "ok": true,
    })];
    for &batch in batches {
        let (plain, full) = (sample.cycle(batch, false), sample.cycle(batch, true));
        let labels = full.labels.len() as f64 / batch as f64;
        let device = cuda.device_time(plain.request(), (20_000 / batch).clamp(3, 40), 5)?;
        let (rate, each) = flow(&cuda, &plain, budget)?;
        let (full_rate, _) = flow(&cuda, &full, budget)?;
        rows.push(json!({
            "check": "speed", "network": setting.name(), "batch": batch, "ok": true,
            "device_us": device, "device_per_s": batch as f64 / device * 1e6,
            "tflops": operations * batch as f64 / device / 1e6,
            "latency_us": latency(&cuda, &plain, budget)?, "latency_policy_us": latency(&cuda, &full, budget)?,
            "flow_per_s": rate, "flow_policy_per_s": full_rate, "busy": device / each,
            "bus_bytes": to_device + back, "bus_bytes_policy": (to_device + back) as f64 + 4.0 + 6.0 * labels,
        }));
    }
    Ok(rows)
}

fn doctor() -> Result<Vec<Value>, TextError> {
    let devices = Device::count()?;
    let device = Device::open(0)?;
    let (free, all) = device.memory()?;
    Ok(vec![json!({
        "check": "doctor", "network": "", "devices": devices, "name": device.name(), "capability": device.capability()?,
        "multiprocessors": device.multiprocessors()?, "shared": device.shared_memory()?, "free_mib": free >> 20,
        "all_mib": all >> 20, "driver": Device::driver_version()?, "compiler": cuda::compiler_present(),
        "cpu": CpuBackend::with_all_threads(&network(Architecture::new(Layout::Minishogi, 0, 16))).name(), "ok": true,
    })])
}

/// A check: its results as rows.
type Check = Box<dyn Fn() -> Result<Vec<Value>, TextError>>;

/// Where a check comes in a run: what matters most first, in case the time does not suffice.
fn rank(name: &str) -> usize {
    match (name.split('-').next(), name.contains("-shogi-5x192-")) {
        (Some("forms"), _) => 0,
        (Some("compare" | "trained"), true) => 1,
        (Some("speed"), true) | (Some("rule"), _) => 2,
        (Some("compare"), false) => 3,
        (Some("speed"), false) => 4,
        (Some("table1"), _) => 2,
        (Some("search" | "selfplay"), _) => 3,
        _ => 0,
    }
}

/// Every check, with a name.
fn checks(nets: &Path) -> Vec<(String, Check)> {
    let mut list: Vec<(String, Check)> = vec![("doctor".into(), Box::new(doctor))];
    for layout in LAYOUTS {
        let name = if layout == Layout::Dlshogi { "dlshogi".into() } else { layout.game() };
        list.push((format!("planes-{name}"), Box::new(move || planes(layout))));
    }
    for setting in COMPARISONS {
        list.push((format!("compare-{}", setting.name()), Box::new(move || compare(&setting))));
    }
    for (setting, batches) in SPEEDS {
        list.push((format!("speed-{}", setting.name()), Box::new(move || speed(&setting, batches))));
    }
    for check in forms::CHECKS {
        list.push((check.name(), Box::new(move || forms::rows(&check))));
    }
    list.push(("rule".into(), Box::new(|| forms::rule(SHOGI_BATCHES))));
    for file in std::fs::read_dir(nets).into_iter().flatten().flatten() {
        let file = file.path().display().to_string();
        if file.ends_with(".safetensors") {
            list.push((format!("trained-{file}"), Box::new(move || forms::trained(&file))));
        }
    }
    for (name, kind) in searches::CHECKS {
        list.push((name.into(), Box::new(move || searches::rows(name, kind, searches::On::Cuda))));
    }
    list.push(("table1".into(), Box::new(|| table1::rows(searches::On::Cuda))));
    list.sort_by_key(|(name, _)| rank(name));
    list
}

/// Adds lines to the file of results.
fn note(file: &Path, rows: &[Value]) {
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let written =
        OpenOptions::new().create(true).append(true).open(file).and_then(|mut f| f.write_all(text.as_bytes()));
    if let Err(error) = written {
        eprintln!("{}: {error}", file.display());
    }
}

/// Runs a check in a process of its own; why it failed, if it did not end by itself.
fn run_apart(name: &str, file: &Path, nets: &Path, limit: Duration) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args([Path::new("--nets"), nets])
        .args([Path::new("--child"), Path::new(name)])
        .arg("--json")
        .arg(file)
        .spawn()
        .map_err(|e| e.to_string())?;
    let watch = Stopwatch::start();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("ended with {status}")),
            Ok(None) if watch.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", limit.as_secs()));
            }
            #[allow(clippy::disallowed_methods, reason = "a process has no other way to be waited for with a limit")]
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// A line of the table.
fn line(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    let network = row["network"].as_str().unwrap_or_default();
    match row["check"].as_str().unwrap_or_default() {
        "compare" => format!(
            "compare {network:32} {:4} value {:.1e} policy max {:.1e} rms {:.1e} score {:.1e} own {:.1e} top {:.4} clear {:.4}",
            if row["reference"] == "f32" { "f32" } else { "f16w" },
            number("value_max"),
            number("policy_max"),
            number("policy_rms"),
            number("score_max_share"),
            number("ownership_max"),
            number("top_move"),
            number("top_move_clear")
        ),
        "speed" => format!(
            "speed {network:26} {:6} dev {:8.1} us {:8.0} k/s {:4.0} TF lat {:7.1} ({:7.1}) flow {:6.0} k/s ({:6.0}) busy {:.2} bus {} ({:.0})",
            row["batch"],
            number("device_us"),
            number("device_per_s") / 1e3,
            number("tflops"),
            number("latency_us"),
            number("latency_policy_us"),
            number("flow_per_s") / 1e3,
            number("flow_policy_per_s") / 1e3,
            number("busy"),
            row["bus_bytes"],
            number("bus_bytes_policy")
        ),
        "search" => searches::line(row),
        "forms" => format!(
            "{network:44} value {:.1e} policy rms {:.1e} top {:.4} us {}",
            number("value_max"),
            number("policy_rms"),
            number("top_move"),
            row["device_us"]
        ),
        "trained" => format!(
            "trained {network:44} {} by {} value {:.1e} policy max {:.1e} rms {:.1e} top {:.4} clear {:.4}",
            row["precision"],
            row["takes"],
            number("value_max"),
            number("policy_max"),
            number("policy_rms"),
            number("top_move"),
            number("top_move_clear")
        ),
        "rule" => format!(
            "rule {network} batch {:5} {:8.1} us by {:24} alone {}",
            row["batch"],
            number("rule_us"),
            row["takes"].as_str().unwrap_or_default(),
            row["alone_us"]
        ),
        "planes" => format!("planes {network}: wrong {} {}", row["wrong"], row["first_wrong"]),
        _ => row.to_string(),
    }
}

/// Whole searches in miniature, without a device.
fn on_cpu() -> ExitCode {
    match table1::rows(searches::On::Cpu) {
        Ok(rows) => rows.iter().for_each(|row| println!("{row}")),
        Err(error) => eprintln!("table1: {error}"),
    }
    for (name, kind) in searches::CHECKS {
        match searches::rows(name, kind, searches::On::Cpu) {
            Ok(rows) => rows.iter().for_each(|row| println!("{}", searches::line(row))),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let (mut file, mut only, mut child) = (PathBuf::from("device_check.jsonl"), String::new(), None);
    let (mut limit, mut total, mut nets) = (60, 540, PathBuf::from("weights/nets"));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--json" => file = value().into(),
            "--only" => only = value(),
            "--nets" => nets = value().into(),
            "--child" => child = Some(value()),
            "--seconds" => limit = value().parse().unwrap_or(limit),
            "--total" => total = value().parse().unwrap_or(total),
            "--cpu" => return on_cpu(),
            "--list" => {
                checks(&nets).iter().for_each(|(name, _)| println!("{name}"));
                return ExitCode::SUCCESS;
            }
            other => {
                eprintln!(
                    "unknown argument `{other}`: [--json FILE] [--only WORD,WORD] [--seconds N] [--total N] [--list] [--cpu]"
                );
                return ExitCode::from(2);
            }
        }
    }
    if let Some(name) = child {
        let Some((_, check)) = checks(&nets).into_iter().find(|(other, _)| *other == name) else {
            return ExitCode::from(2);
        };
        return match check() {
            Ok(rows) => {
                note(&file, &rows);
                ExitCode::SUCCESS
            }
            Err(error) => {
                note(&file, &[json!({"check": "failed", "network": name, "ok": false, "why": error.to_string()})]);
                eprintln!("{name}: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let _ = std::fs::remove_file(&file);
    let wanted = |name: &str| only.is_empty() || only.split(',').any(|word| name.contains(word));
    let (mut failed, begun) = (Vec::new(), Stopwatch::start());
    for (name, _) in checks(&nets).into_iter().filter(|(name, _)| wanted(name)) {
        if begun.elapsed() > Duration::from_secs(total) {
            println!("{name}: no time left");
            continue;
        }
        let watch = Stopwatch::start();
        let result = run_apart(&name, &file, &nets, Duration::from_secs(limit));
        println!(
            "{name}: {} in {:.1} s",
            result.as_ref().map_or_else(String::as_str, |()| "done"),
            watch.elapsed().as_secs_f64()
        );
        if let Err(why) = result {
            note(&file, &[json!({"check": "ended", "network": name, "ok": false, "why": why})]);
            failed.push(name);
        }
    }
    println!();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    rows.iter().for_each(|row| println!("{}", line(row)));
    let bad: Vec<&str> =
        rows.iter().filter(|row| row["ok"] == false).filter_map(|row| row["network"].as_str()).collect();
    println!("not as it should be: {}", if bad.is_empty() { "nothing".into() } else { bad.join(", ") });
    if failed.is_empty() && bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
