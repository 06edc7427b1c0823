//! The native trainer: hand-written gradients for the one family of towers, on the CPU. For small networks, tests, and learning that needs
//! gradients for cotangents of its own ([`tower::Tower::backward`]).

mod layers;
pub mod loss;
pub mod optimizer;
pub mod tower;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, TextError};
use yomi_net::architecture::Value;
use yomi_net::input::Layout;
use yomi_net::safetensors::{self, Container, Tensor};
use yomi_net::{Architecture, Network};

use super::{Lesson, Report, Settings, Symmetries, Trainer};
use crate::files::{replace, trouble};
use crate::samples::{Kind, Sample};
use crate::{open, samples};
use loss::{Target, Weights};
use optimizer::{Options, State};
use tower::{Statistics, Tower};

/// A trainer that needs nothing but this program.
pub struct Native {
    settings: Settings,
    threads: usize,
    options: Options,
    weights: Weights,
    student: Option<Student>,
}

/// A network under training.
pub struct Student {
    /// Its header.
    pub architecture: Architecture,
    /// Its planes.
    pub layout: Layout,
    /// Its weights and what the optimiser remembers.
    pub state: State,
}

impl Student {
    /// Begins with a network.
    pub fn new(network: &Network) -> Result<Student, TextError> {
        let architecture = network.architecture().clone();
        let (layout, _) = architecture.check()?;
        if architecture.value != Value::WinDrawLoss {
            return Err(TextError::new("the native trainer teaches win, draw and loss; this network knows only wins"));
        }
        let step = architecture.step;
        Ok(Student { architecture, layout, state: State::new(network.tensors().clone(), step) })
    }

    /// The tower with its present weights, for training.
    pub fn tower(&self, threads: usize) -> Tower<'_> {
        let statistics = Statistics::Batch;
        Tower { architecture: &self.architecture, tensors: &self.state.model, threads, statistics }
    }

    /// The tower with its present weights, as searches ask it.
    pub fn as_asked(&self, threads: usize) -> Tower<'_> {
        Tower { statistics: Statistics::Running, ..self.tower(threads) }
    }

    /// The network of the present weights.
    pub fn network(&self) -> Result<Network, TextError> {
        let architecture = Architecture { step: self.state.step, ..self.architecture.clone() };
        Network::new(architecture, self.state.model.clone())
    }

    /// One step on a batch; the parts of its loss.
    pub fn take_step(
        &mut self,
        targets: &[Target],
        rate: f64,
        weights: Weights,
        options: &Options,
        threads: usize,
    ) -> BTreeMap<String, f64> {
        let positions: Vec<_> = targets.iter().map(|target| target.position).collect();
        let tower = self.tower(threads);
        let tape = tower.forward(self.layout, &positions);
        let (parts, cotangents) = loss::loss(&tape.outputs, targets, weights);
        let gradients = tower.backward(&tape, &cotangents);
        self.state.take_step(&gradients, &tape, rate, options);
        parts
    }

    /// The network of the averaged weights.
    pub fn averaged(&self) -> Result<Network, TextError> {
        let architecture = Architecture { step: self.state.step, ..self.architecture.clone() };
        Network::new(architecture, self.state.average.clone())
    }

    /// Everything that is needed to go on, as a file.
    pub fn checkpoint(&self) -> Vec<u8> {
        let State { model, average, moments: [first, second], step, seen } = &self.state;
        let mut tensors = BTreeMap::new();
        for (part, of) in [("model", model), ("average", average), ("first", first), ("second", second)] {
            tensors.extend(of.iter().map(|(name, tensor)| (format!("{part}.{name}"), tensor.clone())));
        }
        let metadata = [("step".to_string(), step.to_string()), ("seen".to_string(), seen.to_string())].into();
        safetensors::write(&Container { metadata, tensors })
    }

    /// Goes on from a checkpoint of the same network.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), TextError> {
        let Container { metadata, tensors } = safetensors::read(bytes)?;
        let number = |name: &str| {
            let number = metadata.get(name).and_then(|text| text.parse().ok());
            number.ok_or_else(|| {
                TextError::new(format!("no {name} in its metadata: no checkpoint of the native trainer"))
            })
        };
        let part = |part: &str, like: &BTreeMap<String, Tensor>| -> Result<BTreeMap<String, Tensor>, TextError> {
            let one = |(name, like): (&String, &Tensor)| {
                let found = tensors.get(&format!("{part}.{name}")).filter(|tensor| tensor.shape == like.shape);
                let found =
                    found.ok_or_else(|| TextError::new(format!("no tensor {part}.{name} of shape {:?}", like.shape)));
                Ok((name.clone(), found?.clone()))
            };
            like.iter().map(one).collect()
        };
        let old = &self.state;
        self.state = State {
            model: part("model", &old.model)?,
            average: part("average", &old.average)?,
            moments: [part("first", &old.moments[0])?, part("second", &old.moments[1])?],
            step: number("step")?,
            seen: number("seen")?,
        };
        Ok(())
    }
}

impl Native {
    /// A trainer with this many threads; what it learns does not depend on them.
    pub fn new(settings: Settings, threads: usize) -> Native {
        let options = Options::default();
        let (value, gradient) = (settings.value_weight, settings.gradient_weight);
        let weights = Weights { value, gradient, ..Weights::default() };
        Native { settings, threads: threads.max(1), options, weights, student: None }
    }

    /// The targets of the replay window, with the sum of their weights up to each.
    fn window(&self, student: &Student, files: &[(PathBuf, u64)]) -> Result<(Vec<Target>, Vec<f64>), TextError> {
        let (mut targets, mut surprises) = (Vec::new(), Vec::new());
        for (i, (path, count)) in files.iter().enumerate() {
            let (_, list) = samples::read(path, Some(&student.layout.game()))?;
            if list.len() as u64 != *count {
                return Err(trouble(path, format!("{} samples, expected {count}", list.len())));
            }
            // A policy gradient is that of the policy that played: leaves of older generations are left out.
            let newest = i + 1 == files.len();
            let list: Vec<_> = list.into_iter().filter(|sample| newest || sample.kind == Kind::Position).collect();
            let surprise = |sample: &Sample| (sample.kind == Kind::Position).then_some(f64::from(sample.surprise));
            surprises.extend(list.iter().map(surprise));
            let squares = student.layout.squares();
            targets.extend(list.iter().map(|sample| Target::new(sample, self.settings.search_share, squares)));
        }
        if targets.is_empty() {
            return Err(TextError::new("there are no samples to learn from"));
        }
        let known = || surprises.iter().copied().flatten();
        let mean = (known().sum::<f64>() / known().count().max(1) as f64).max(1e-6);
        let share = f64::from(self.settings.surprise_share);
        let mut sum = 0.0;
        let cumulative = surprises.iter().map(|surprise| {
            sum += surprise.map_or(1.0, |surprise| 1.0 - share + share * surprise / mean);
            sum
        });
        let cumulative = cumulative.collect();
        Ok((targets, cumulative))
    }
}

impl Trainer for Native {
    fn begin(&mut self, network: &Path, checkpoint: Option<&Path>) -> Result<(), TextError> {
        let mut student = Student::new(&open::read(network)?)?;
        if let Some(path) = checkpoint {
            let bytes = std::fs::read(path).map_err(|error| trouble(path, error))?;
            student.restore(&bytes).map_err(|error| trouble(path, error))?;
        }
        self.student = Some(student);
        Ok(())
    }

    fn train(&mut self, lesson: &Lesson) -> Result<Report, TextError> {
        let watch = Stopwatch::start();
        let Some(mut student) = self.student.take() else { return Err(TextError::new("there is no network to train")) };
        let (targets, cumulative) = self.window(&student, &lesson.files)?;
        let loading_seconds = watch.elapsed().as_secs_f64();
        let mut rng = Seed::new(lesson.seed).branch("batches", 0).rng();
        // A stream of its own: without symmetries the batches are what they always were.
        let mut turns = Seed::new(lesson.seed).branch("symmetries", 0).rng();
        let symmetries = self.settings.symmetries.unwrap_or(Symmetries::None).of(student.layout);
        let all = cumulative.last().copied().unwrap_or(1.0);
        let mut losses: BTreeMap<String, f64> = BTreeMap::new();
        let counted = lesson.steps - lesson.steps / 2;
        for step in 0..lesson.steps {
            let draw = |_| {
                let at = f64::from(rng.unit()) * all;
                let index = cumulative.partition_point(|&sum| sum <= at).min(targets.len() - 1);
                match &symmetries[..] {
                    [_] => targets[index].clone(),
                    several => targets[index].seen(&several[turns.below(several.len())]),
                }
            };
            let batch: Vec<Target> = (0..self.settings.batch).map(draw).collect();
            let parts = student.take_step(&batch, lesson.rate, self.weights, &self.options, self.threads);
            if step >= lesson.steps / 2 {
                for (name, part) in parts {
                    *losses.entry(name).or_default() += part / counted as f64;
                }
            }
        }
        replace(&lesson.checkpoint, &student.checkpoint())?;
        replace(&lesson.out, &student.averaged()?.write())?;
        let seconds = watch.elapsed().as_secs_f64() - loading_seconds;
        let report = Report {
            losses,
            step: student.state.step,
            window: targets.len() as u64,
            loading_seconds,
            seconds,
            positions_per_second: (lesson.steps * self.settings.batch as u64) as f64 / seconds.max(1e-9),
        };
        self.student = Some(student);
        Ok(report)
    }

    fn name(&self) -> String {
        "native, on the CPU".into()
    }
}
