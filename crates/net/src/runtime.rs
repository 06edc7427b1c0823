//! Any graph on any hardware through ONNX Runtime (feature `ort`), whose library is loaded when a network is first opened with it.
//!
//! A graph has the inputs and outputs of this project's exports: `planes`, or `input1` and `input2` of dlshogi; `output_policy` with a logit
//! for each label, `output_value` with the probability of winning, or of win, draw and loss. What lies between is the graph's affair.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use ort::environment::Environment;
use ort::ep::{self, ExecutionProviderDispatch};
use ort::session::{Session, SessionInputValue, SessionOutputs};
use ort::value::{Outlet, ValueType};
use yomi_core::TextError;

use crate::backend::{Answers, Backend, Request, Ticket};
use crate::input::{Layout, Planes};
use crate::label::Labels;
use crate::open::Provider;

/// Planes of dlshogi's first input; the second has the others.
const FIRST_INPUT: usize = 62;

/// The library's environment, of which a process has one. It is loaded from `ORT_DYLIB_PATH`, or from where the system looks for libraries.
static ENVIRONMENT: OnceLock<Result<Environment, TextError>> = OnceLock::new();

fn fault(what: &str) -> impl Fn(&dyn std::fmt::Display) -> TextError {
    move |error| TextError::new(format!("ONNX Runtime: {what}: {error}"))
}

fn environment() -> Result<&'static Environment, TextError> {
    let load = || {
        let usual = format!("{}onnxruntime{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let path = std::env::var_os("ORT_DYLIB_PATH").map_or_else(|| PathBuf::from(usual), PathBuf::from);
        let builder = ort::init_from(&path).map_err(|error| {
            fault("its library does not load")(&error)
                .hinting("set ORT_DYLIB_PATH to the library of version 1.17 or later")
        })?;
        builder.build().map_err(|error| fault("it does not start")(&error))
    };
    ENVIRONMENT.get_or_init(load).as_ref().map_err(TextError::clone)
}

/// What the library says of itself.
pub(crate) fn version() -> Result<String, TextError> {
    environment()?;
    Ok(ort::info().to_string())
}

/// What is asked to compute, or an error: the library would fall back to the CPU in silence.
fn dispatch(provider: Provider) -> Option<ExecutionProviderDispatch> {
    let chosen = match provider {
        Provider::Cpu => return None,
        Provider::Cuda => ep::CUDA::default().build(),
        Provider::TensorRt => ep::TensorRT::default().build(),
        Provider::DirectMl => ep::DirectML::default().build(),
        Provider::CoreMl => ep::CoreML::default().build(),
        Provider::OpenVino => ep::OpenVINO::default().build(),
        Provider::MiGraphX => ep::MIGraphX::default().build(),
    };
    Some(chosen.error_on_failure())
}

/// A graph that ONNX Runtime computes. Batches are computed when they are submitted, one after the other.
#[derive(Debug)]
pub struct Runtime {
    session: Mutex<Session>,
    layout: Layout,
    provider: Provider,
}

impl Runtime {
    /// Opens a graph, with up to `threads` threads where the CPU computes.
    pub fn new(graph: &[u8], provider: Provider, threads: usize) -> Result<Runtime, TextError> {
        let builder = Session::builder(environment()?).map_err(|error| fault("no session")(&error))?;
        let builder = builder.with_intra_threads(threads.max(1)).map_err(|error| fault("threads")(&error))?;
        let mut builder = match dispatch(provider) {
            Some(chosen) => builder
                .with_execution_providers([chosen])
                .map_err(|error| fault(&format!("provider {}", provider.name()))(&error))?,
            None => builder,
        };
        let session = builder.commit_from_memory(graph).map_err(|error| fault("the graph does not open")(&error))?;
        let layout = layout_of(session.inputs())?;
        for wanted in ["output_policy", "output_value"] {
            if !session.outputs().iter().any(|output| output.name() == wanted) {
                return Err(TextError::new(format!("the graph has no output `{wanted}`")));
            }
        }
        Ok(Runtime { session: Mutex::new(session), layout, provider })
    }

    /// The numbers of an output, as many for each position as there should be.
    fn numbers<'a>(outputs: &'a SessionOutputs<'_>, name: &str, count: usize) -> Result<(&'a [f32], usize), TextError> {
        let Some(value) = outputs.get(name) else { return Ok((&[], 0)) };
        let (_, numbers) =
            value.try_extract_tensor::<f32>().map_err(|error| fault(&format!("output `{name}`"))(&error))?;
        if count == 0 || !numbers.len().is_multiple_of(count) {
            return Err(TextError::new(format!("output `{name}` has {} numbers for {count} positions", numbers.len())));
        }
        Ok((numbers, numbers.len() / count))
    }

    fn evaluate(&self, request: &Request<'_>) -> Result<Answers, TextError> {
        let (layout, count) = (self.layout, request.positions.len());
        let (squares, all, board) = (layout.squares(), layout.planes(), layout.board());
        let (mut planes, mut first, mut second) = (Planes::default(), Vec::new(), Vec::new());
        let split = if layout == Layout::Dlshogi { FIRST_INPUT } else { all };
        for packed in request.positions {
            layout.expand(packed, &mut planes);
            let dense = planes.dense(all, squares);
            let (head, tail) = dense.split_at(split * squares);
            first.extend_from_slice(head);
            second.extend_from_slice(tail);
        }
        let tensor = |planes: usize, numbers: &'_ [f32]| -> Result<SessionInputValue<'static>, TextError> {
            let owned = ort::value::Tensor::from_array(([count, planes, board, board], numbers.to_vec()));
            Ok(owned.map_err(|error| fault("input")(&error))?.into())
        };
        let inputs = match layout {
            Layout::Dlshogi => {
                vec![("input1", tensor(split, &first)?), ("input2", tensor(all - split, &second)?)]
            }
            _ => vec![("planes", tensor(all, &first)?)],
        };
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let outputs = session.run(inputs).map_err(|error| fault("the graph fails")(&error))?;
        let mut answers = Answers::default();
        let (value, width) = Runtime::numbers(&outputs, "output_value", count)?;
        for row in value.chunks_exact(width.max(1)) {
            answers.value.push(match *row {
                [win] => [win, 0.0, 1.0 - win],
                [win, draw, loss] => [win, draw, loss],
                _ => return Err(TextError::new(format!("output `output_value` has {width} numbers: one or three"))),
            });
        }
        let (policy, width) = Runtime::numbers(&outputs, "output_policy", count)?;
        let labels = Labels::of(layout).count();
        if width != labels {
            return Err(TextError::new(format!(
                "output `output_policy` has {width} numbers, the game {labels} labels"
            )));
        }
        let mut start = 0;
        for (logits, &end) in policy.chunks_exact(labels).zip(request.ends) {
            let own = &request.labels[start..end as usize];
            answers.policy.extend(own.iter().map(|&label| logits[usize::from(label)]));
            start = end as usize;
        }
        answers.score.extend(Runtime::numbers(&outputs, "output_score", count)?.0);
        if request.ownership {
            answers.ownership.extend(Runtime::numbers(&outputs, "output_ownership", count)?.0);
        }
        match answers.not_finite() {
            None => Ok(answers),
            Some(at) => Err(TextError::new(format!("the value of position {at} of a batch is not a number"))),
        }
    }
}

/// The layout whose planes a graph reads.
fn layout_of(inputs: &[Outlet]) -> Result<Layout, TextError> {
    let shape = |input: &Outlet| match input.dtype() {
        ValueType::Tensor { shape, .. } => shape.iter().copied().collect::<Vec<i64>>(),
        _ => Vec::new(),
    };
    let named: Vec<(&str, Vec<i64>)> = inputs.iter().map(|input| (input.name(), shape(input))).collect();
    let said = || named.iter().map(|(name, shape)| format!("`{name}` {shape:?}")).collect::<Vec<_>>().join(", ");
    let unknown = || TextError::new(format!("the graph's inputs ({}) are of no known layout", said()));
    let words: Vec<(&str, &[i64])> = named.iter().map(|(name, shape)| (*name, &shape[..])).collect();
    match words[..] {
        [("input1", [_, 62, 9, 9]), ("input2", [_, 57, 9, 9])] => Ok(Layout::Dlshogi),
        [("planes", &[_, planes, rows, columns])] if rows == columns => {
            let board = u8::try_from(rows).map_err(|_| unknown())?;
            let fits = |layout: &Layout| {
                layout.planes() as i64 == planes && layout.board() == usize::from(board) && board <= 19
            };
            let known = [Layout::Shogi, Layout::Minishogi, Layout::BlokusDuo, Layout::Go(board)];
            known.into_iter().find(fits).ok_or_else(unknown)
        }
        _ => Err(unknown()),
    }
}

impl Backend for Runtime {
    fn name(&self) -> String {
        format!("ONNX Runtime, {}", self.provider.name())
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn preferred_batches(&self) -> Vec<usize> {
        vec![if self.provider == Provider::Cpu { 32 } else { 256 }]
    }

    fn largest_batch(&self) -> usize {
        1024
    }

    fn flights(&self) -> usize {
        usize::MAX
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        request.check(Labels::of(self.layout))?;
        if request.positions.is_empty() {
            return Ok(Answers::default().into());
        }
        Ok(self.evaluate(&request)?.into())
    }
}
