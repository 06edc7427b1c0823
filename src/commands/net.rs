//! `yomi net`: networks looked into, measured, checked and converted.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use yomi_core::{Seed, Spec};
use yomi_net::architecture::{Activation, Value as ValueHead};
use yomi_net::backend::{Answers, Backend};
use yomi_net::fold::Folded;
use yomi_net::measure::{flow, latency};
use yomi_net::open::{self, Choice, Precision};
use yomi_net::sample::{Comparison, Sample};
use yomi_net::{Architecture, Network, onnx};

use crate::files;
use crate::progress::Progress;

/// Look into networks, measure them, check them, convert them
///
/// A network is a safetensors file of Yomi, or an ONNX file of dlshogi's kind; docs/networks.md describes both. Players use networks as
/// net(file=F).
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi net info network.safetensors
  yomi net bench --random 4x64 --game shogi
  yomi net check network.safetensors --device cuda
  yomi net convert model.onnx network.safetensors")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Describe a network: game, planes, tower, heads, training steps
    Info(Info),
    /// Measure how many positions per second a device evaluates
    Bench(Bench),
    /// Compare the answers of a device with the definition
    Check(Check),
    /// Convert between safetensors and ONNX
    Convert(Convert),
}

/// Describe a network: game, planes, tower, heads, training steps
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi net info network.safetensors
  yomi net info model.onnx --json")]
struct Info {
    /// The network
    file: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// A network: a file, or a random one.
#[derive(clap::Args)]
struct Source {
    /// The network
    #[arg(required_unless_present = "random")]
    file: Option<String>,
    /// A network that has learned nothing instead: blocks x channels
    #[arg(long, value_name = "BxC", conflicts_with = "file")]
    random: Option<String>,
    /// The game of the random network
    #[arg(long, short, value_name = "GAME", default_value = "shogi")]
    game: Spec,
    /// What evaluates it: auto, cpu, cuda, cuda:1
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    /// The numbers that a GPU computes with: fp16, fp32 (slower, and as exact as the CPU), or fp8 on Hopper GPUs
    #[arg(long, default_value = "fp16", value_name = "NAME")]
    precision: Spec,
    /// Threads of the CPU
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// Measure how many positions per second a device evaluates
///
/// Batches of positions of random games, with the logits of their legal moves: one after the other (latency) and several in flight.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi net bench network.safetensors
  yomi net bench --random 4x64 --game minishogi --batch 1,32 --seconds 0.5
  yomi net bench --random 5x192 --device cuda --batch 85,396,4096 --json")]
struct Bench {
    #[command(flatten)]
    source: Source,
    /// Positions per batch
    #[arg(long, value_delimiter = ',', value_name = "N,...")]
    batch: Vec<usize>,
    /// How long each batch size is measured
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    seconds: f64,
    /// One JSON object per batch size
    #[arg(long)]
    json: bool,
}

/// Compare the answers of a device with the definition
///
/// The definition is slow code in single precision. A device in half precision agrees to about three digits; its best move may differ where
/// two moves nearly tie.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi net check network.safetensors
  yomi net check network.safetensors --device cuda --positions 1000
  yomi net check --random 2x32 --game go9 --json")]
struct Check {
    #[command(flatten)]
    source: Source,
    /// How many positions of random games
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    positions: u32,
    /// The largest difference of a probability that is allowed
    #[arg(long, default_value_t = 0.01, value_name = "X")]
    most: f64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Convert between safetensors and ONNX
///
/// The endings tell the formats. ONNX files are those of dlshogi's ResNets when read; when written, other programs can evaluate them
/// (batch norm is folded into the convolutions).
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi net convert model.onnx network.safetensors
  yomi net convert network.safetensors network.onnx")]
struct Convert {
    /// The network to read
    input: String,
    /// The file to write
    output: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.command {
        Command::Info(args) => info(args, out),
        Command::Bench(args) => bench(args, out),
        Command::Check(args) => check(args, out),
        Command::Convert(args) => convert(args, out),
    }
}

fn info(args: &Info, out: &mut dyn Write) -> anyhow::Result<()> {
    let network = open::read(&args.file)?;
    let header = network.architecture();
    if args.json {
        let mut line = serde_json::to_value(header)?;
        if let Value::Object(fields) = &mut line {
            fields.insert("type".into(), json!("network"));
            fields.insert("file".into(), json!(args.file));
            fields.insert("parameters".into(), json!(network.parameters()));
            fields.insert("operations".into(), json!(header.operations()));
        }
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let value = match header.value {
        ValueHead::WinDrawLoss => "value (win, draw, loss)",
        ValueHead::Win => "value (win)",
    };
    let activation = match header.activation {
        Activation::Relu => "ReLU",
        Activation::Swish => "Swish",
    };
    let mut heads = vec!["policy".to_string(), value.to_string()];
    heads.extend(header.score.then(|| "score".into()));
    heads.extend(header.ownership.then(|| "ownership".into()));
    let rows = [
        ("game", header.game.clone()),
        ("planes", header.layout.clone()),
        ("moves", header.labels.clone()),
        ("tower", format!("{} blocks of {} channels, {activation}", header.blocks, header.channels)),
        ("heads", heads.join(", ")),
        ("parameters", network.parameters().to_string()),
        ("work", format!("{:.1} million operations per position", header.operations() as f64 / 1e6)),
        ("training", if header.step == 0 { "none".into() } else { format!("{} steps", header.step) }),
    ];
    for (what, text) in rows {
        writeln!(out, "{what:<11} {text}")?;
    }
    Ok(())
}

impl Source {
    fn network(&self) -> anyhow::Result<Network> {
        let Some(size) = &self.random else {
            return Ok(open::read(self.file.as_deref().unwrap_or_default())?);
        };
        let layout = yomi_train::dispatch::layout(&self.game)?;
        let sizes = size.split_once('x').and_then(|(b, c)| Some((b.parse().ok()?, c.parse().ok()?)));
        let (blocks, channels) = sizes.with_context(|| format!("--random {size}: blocks x channels, as in 4x64"))?;
        Ok(Network::random(Architecture::new(layout, blocks, channels), Seed::new(1))?)
    }

    fn backend(&self, network: &Network) -> anyhow::Result<Box<dyn Backend>> {
        let precision = self.precision.choice(&Precision::NAMES)?;
        let opened = open::open_with(network, Choice::parse(&self.device)?, usize::from(self.threads), precision)?;
        if let Some(why) = opened.why_not_gpu {
            eprintln!("yomi: the CPU is used: {}", why.message);
        }
        Ok(opened.backend)
    }
}

fn bench(args: &Bench, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((0.0..=3600.0).contains(&args.seconds), "--seconds is 0 to 3600");
    let network = args.source.network()?;
    let backend = args.source.backend(&network)?;
    let mut batches = args.batch.clone();
    if batches.is_empty() {
        batches = vec![1, 32];
        batches.extend(backend.preferred_batches().into_iter().take(3));
        batches.sort_unstable();
        batches.dedup();
    }
    if let Some(batch) = batches.iter().find(|&&batch| batch == 0 || batch > backend.largest_batch()) {
        bail!("--batch {batch}: {} takes 1 to {} positions", backend.name(), backend.largest_batch());
    }
    let (layout, operations) = (backend.layout(), network.architecture().operations() as f64);
    let sample = Sample::of(layout, batches.iter().copied().max().unwrap_or(1).min(4096), Seed::new(1))?;
    let mut progress = Progress::new("net bench", batches.len() as u64);
    if !args.json {
        writeln!(out, "{} {} on {}", layout.game(), network.architecture().tower(), backend.name())?;
        writeln!(
            out,
            "{:>6} {:>12} {:>12} {:>12} {:>10}",
            "batch", "latency us", "positions/s", "in flight/s", "GFLOP/s"
        )?;
    }
    for batch in batches {
        let sample = sample.cycle(batch, true);
        let budget = Duration::from_secs_f64(args.seconds / 2.0);
        let waited = latency(&*backend, &sample, budget)?;
        let (rate, _) = flow(&*backend, &sample, budget)?;
        progress.step();
        let alone = batch as f64 / waited * 1e6;
        if args.json {
            let line = json!({ "type": "net-bench", "game": layout.game(), "tower": network.architecture().tower(),
                "backend": backend.name(), "batch": batch, "latency_us": waited, "positions_per_s": alone,
                "in_flight_per_s": rate, "flops": rate * operations });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{batch:>6} {waited:>12.1} {alone:>12.0} {rate:>12.0} {:>10.1}", rate * operations / 1e9)?;
        }
        out.flush()?;
    }
    Ok(())
}

fn check(args: &Check, out: &mut dyn Write) -> anyhow::Result<()> {
    let network = args.source.network()?;
    let backend = args.source.backend(&network)?;
    let count = args.positions as usize;
    let sample = Sample::of(backend.layout(), count, Seed::new(1))?;
    let mut answers = Answers::default();
    backend.evaluate(sample.request(), &mut answers)?;
    let (folded, mut expected) = (Folded::new(&network), Answers::default());
    let mut progress = Progress::new("net check", count as u64);
    for i in 0..count {
        let one = Sample {
            positions: vec![sample.positions[i]],
            labels: sample.labels_of(i).to_vec(),
            ends: vec![sample.labels_of(i).len() as u32],
        };
        let one = one.by_reference(&folded);
        expected.value.extend(&one.value);
        expected.score.extend(&one.score);
        expected.policy.extend(&one.policy);
        progress.step();
    }
    drop(progress);
    let difference = Comparison::new(&sample, &answers, &expected);
    // Not a number is no agreement either.
    let agrees = difference.value <= args.most;
    if args.json {
        let line = json!({ "type": "net-check", "backend": backend.name(), "positions": count, "agrees": agrees,
            "value": difference.value, "policy": difference.policy, "policy_relative": difference.policy_relative,
            "score": difference.score, "top_move": difference.top_move, "top_move_clear": difference.top_move_clear });
        writeln!(out, "{line}")?;
    } else {
        writeln!(out, "{} against the definition, {count} positions", backend.name())?;
        writeln!(out, "  win, draw, loss   within {:.1e}", difference.value)?;
        writeln!(
            out,
            "  logits            within {:.1e}, {:.1e} of their size",
            difference.policy, difference.policy_relative
        )?;
        writeln!(
            out,
            "  best move         the same in {:.2} %, in {:.2} % where no tie decides",
            100.0 * difference.top_move,
            100.0 * difference.top_move_clear
        )?;
    }
    ensure!(
        agrees,
        "the device does not agree with the definition: {:.1e} is more than {}",
        difference.value,
        args.most
    );
    Ok(())
}

fn convert(args: &Convert, out: &mut dyn Write) -> anyhow::Result<()> {
    let network = open::read(&args.input)?;
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let bytes = match ending.as_str() {
        "onnx" => onnx::export(&network),
        "safetensors" => network.write(),
        _ => bail!("{}: networks are written as .safetensors or .onnx", args.output.display()),
    };
    files::write(&args.output, &bytes, out)
}
