//! `yomi doctor`: what there is on this machine to evaluate networks with.

use std::io::Write;

use serde_json::json;
use yomi_core::{Seed, TextError};
use yomi_net::backend::Answers;
use yomi_net::fold::Folded;
use yomi_net::input::Layout;
use yomi_net::open::{self, Choice, Finding, Provider};
use yomi_net::sample::{Comparison, Sample};
use yomi_net::{Architecture, Network};

/// Show which devices and libraries were found, and why others were not
///
/// With --test every device that was found evaluates a small network, and its answers are compared with the definition. Forms of the kernels that
/// a GPU computes wrongly with are left out whenever a network is opened; here they are named.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi doctor
  yomi doctor --test
  yomi doctor --json

Players use the GPU if one works, else the CPU; net(file=F,device=cuda) insists
on it and says what is wrong.")]
pub(crate) struct Args {
    /// Try every device
    #[arg(long)]
    test: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut list = open::findings();
    let gpus = list.iter().filter(|finding| finding.what.starts_with("GPU ") && finding.found.is_ok()).count();
    if args.test {
        let runtime = list.iter().any(|finding| finding.what == "ONNX Runtime" && finding.found.is_ok());
        let runtime = runtime.then_some(Choice::Runtime(Provider::Cpu));
        let devices = std::iter::once(Choice::Cpu).chain((0..gpus).map(Choice::Cuda)).chain(runtime);
        list.extend(devices.map(|choice| Finding { what: format!("test on {}", choice.name()), found: test(choice) }));
    }
    for Finding { what, found } in &list {
        match (args.json, found) {
            (true, Ok(found)) => {
                writeln!(out, "{}", json!({ "type": "finding", "what": what, "ok": true, "found": found }))?;
            }
            (true, Err(error)) => {
                let line = json!({ "type": "finding", "what": what, "ok": false, "why": error.message,
                    "hint": error.hint });
                writeln!(out, "{line}")?;
            }
            (false, Ok(found)) => writeln!(out, "yes  {what}: {found}")?,
            (false, Err(error)) => {
                writeln!(out, "no   {what}: {}", error.message)?;
                if !error.hint.is_empty() {
                    writeln!(out, "       {}", error.hint)?;
                }
            }
        }
    }
    if !args.json {
        let device = if gpus > 0 { "the first GPU" } else { "the CPU" };
        writeln!(out, "Networks are evaluated by {device} unless a player says otherwise: net(file=F,device=cpu)")?;
    }
    Ok(())
}

/// Evaluates a small network on a device and compares the answers with the definition. A GPU also tries, when it opens a wide one, the kernels
/// that a small one has no use for.
fn test(choice: Choice) -> Result<String, TextError> {
    let network = Network::random(Architecture::new(Layout::Minishogi, 2, 32), Seed::new(1))?;
    let backend = open::open(&network, choice, 1)?.backend;
    let sample = Sample::of(Layout::Minishogi, 64, Seed::new(1))?;
    let mut answers = Answers::default();
    backend.evaluate(sample.request(), &mut answers)?;
    let difference = Comparison::new(&sample, &answers, &sample.by_reference(&Folded::new(&network)));
    if difference.value < 1e-2 {
        let small = format!("{}; values within {:.0e} of the definition", backend.name(), difference.value);
        return match choice {
            Choice::Cuda(_) => {
                let wide = Network::random(Architecture::new(Layout::Shogi, 1, 192), Seed::new(1))?;
                Ok(format!("{small}; shogi with 192 channels: {}", open::open(&wide, choice, 1)?.backend.name()))
            }
            _ => Ok(small),
        };
    }
    Err(TextError::new(format!("{}: values differ by {:.0e} from the definition", backend.name(), difference.value)))
}
