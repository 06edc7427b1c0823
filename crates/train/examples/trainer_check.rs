//! Half of `scripts/trainer_check.py`: plays a few games with a random network, and writes the network, the samples and what the CPU
//! kernels say about their positions, so that PyTorch's planes and tower can be compared; and the weights after each of five steps of the native
//! trainer.
#![allow(clippy::print_stderr, reason = "an example speaks to people")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use yomi_core::{Seed, Spec, TextError};
use yomi_net::backend::{Answers, Backend, CpuBackend, Request};
use yomi_net::label::Labels;
use yomi_net::open::Choice;
use yomi_net::symmetry::{Symmetry, Which};
use yomi_net::{Architecture, Network};
use yomi_train::dispatch::{self, Order};
use yomi_train::self_play::Settings;
use yomi_train::trainer::native::Student;
use yomi_train::trainer::native::loss::{Target, Weights};
use yomi_train::trainer::native::optimizer::Options;
use yomi_train::{files, open, samples};

/// As in the script.
const BATCH: usize = 32;
const STEPS: usize = 5;
const RATE: f64 = 1e-3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, folder] = &arguments[..] else {
        eprintln!("trainer_check GAME FOLDER");
        return ExitCode::from(2);
    };
    match write(game, &PathBuf::from(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(game: &str, folder: &std::path::Path) -> Result<(), TextError> {
    let game = Spec::parse(game)?;
    let layout = dispatch::layout(&game)?;
    let network = Network::random(Architecture::new(layout, 2, 16), Seed::new(7))?;
    let named = |ending: &str| folder.join(format!("{}.{ending}", game.name));
    files::replace(&named("safetensors"), &network.write())?;
    let settings = Settings { full: 16, fast: 4, full_share: 0.5, seats: 8, ..Settings::default() };
    let out = named("samples");
    let order = Order { game: &game, settings: &settings, games: 0..4, seed: 3, threads: 1, out: &out };
    let net = open::open(&network, Choice::Cpu, 1)?;
    dispatch::self_play(&order, net, &network, &AtomicBool::new(false), &mut |_| {})?;
    let (_, list) = samples::read(&out, None)?;
    let positions: Vec<_> = list.iter().map(|sample| sample.position).collect();
    let labels: Vec<u16> = list.iter().flat_map(|sample| sample.policy.iter().map(|&(label, _)| label)).collect();
    let mut end = 0;
    let ends: Vec<u32> = list
        .iter()
        .map(|sample| {
            end += sample.policy.len() as u32;
            end
        })
        .collect();
    let mut answers = Answers::default();
    let request =
        Request { positions: &positions, labels: &labels, ends: &ends, ownership: true, ..Request::default() };
    CpuBackend::new(&network, 1).evaluate(request, &mut answers)?;
    let Answers { value, score, policy, ownership } = answers;
    let lists = |symmetry: &Symmetry| {
        let squares: Vec<usize> = (0..layout.squares()).map(|at| symmetry.square(at)).collect();
        let labels: Vec<usize> = (0..Labels::of(layout).count()).map(|at| symmetry.label(at)).collect();
        (squares, labels)
    };
    let symmetries: Vec<_> = Symmetry::list(layout, Which::OfTheRules).iter().map(lists).collect();
    let text = json!({"symmetries": symmetries, "labels": labels, "ends": ends, "value": value, "score": score, "policy": policy, "ownership": ownership});
    files::replace(&named("json"), text.to_string().as_bytes())?;
    // The same batch again and again: the first positions of the file.
    let mut student = Student::new(&network)?;
    let first = &list[..list.len().min(BATCH)];
    let targets: Vec<Target> = first.iter().map(|sample| Target::new(sample, 0.3, layout.squares())).collect();
    for step in 1..=STEPS {
        student.take_step(&targets, RATE, Weights::default(), &Options::default(), 2);
        files::replace(&named(&format!("{step}.safetensors")), &student.network()?.write())?;
    }
    files::replace(&named("average.safetensors"), &student.averaged()?.write())
}
