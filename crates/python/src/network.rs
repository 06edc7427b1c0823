//! Networks: what they say about boards.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use yomi_core::{Seed, Spec};
use yomi_net::backend::{Answers, Backend, Request};
use yomi_net::label::Labels;
use yomi_net::open::{self, Choice};
use yomi_net::{Architecture, Network as Weights};
use yomi_train::{dispatch, run};

use crate::board::Board;
use crate::error::{OrRaise, read, wrong};

/// A network, open on a device.
#[pyclass(module = "yomi._native", frozen)]
pub(crate) struct Network {
    weights: Weights,
    backend: Box<dyn Backend>,
}

impl Network {
    fn open(weights: Weights, device: &str) -> PyResult<Network> {
        let backend = open::open(&weights, Choice::parse(device).or_raise()?, 1).or_raise()?.backend;
        Ok(Network { weights, backend })
    }
}

#[pymethods]
impl Network {
    /// A network file: safetensors, or ONNX of dlshogi's kind.
    #[new]
    #[pyo3(signature = (file, device = "auto"))]
    fn new(file: PathBuf, device: &str) -> PyResult<Network> {
        Network::open(open::read(&file.display().to_string()).or_raise()?, device)
    }

    /// The network a training run begins with: random, and of no opinion.
    #[staticmethod]
    #[pyo3(signature = (game, blocks = 3, channels = 32, seed = 1, device = "auto"))]
    fn random(game: &str, blocks: usize, channels: usize, seed: u64, device: &str) -> PyResult<Network> {
        if blocks > 64 || !(1..=512).contains(&channels) {
            return Err(wrong("a random network is blocks x channels, at most 64x512: random=5x192"));
        }
        let layout = dispatch::layout(&read::<Spec>(game)?).or_raise()?;
        let architecture = Architecture::new(layout, blocks, channels);
        Network::open(run::first_network(architecture, &Seed::new(seed)).or_raise()?, device)
    }

    /// The network in these bytes of a safetensors file.
    #[staticmethod]
    #[pyo3(signature = (data, device = "auto"))]
    fn from_bytes(data: &[u8], device: &str) -> PyResult<Network> {
        Network::open(Weights::read(data).or_raise()?, device)
    }

    /// The bytes of a safetensors file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.weights.write())
    }

    /// What it is: game, tower, parameters, device.
    fn describe(&self) -> String {
        let architecture = self.weights.architecture();
        let layout = self.backend.layout();
        json!({ "game": layout.game(), "layout": layout.id(), "labels": Labels::of(layout).id,
            "blocks": architecture.blocks, "channels": architecture.channels, "parameters": self.weights.parameters(),
            "step": architecture.step, "backend": self.backend.name() })
        .to_string()
    }

    /// What it says about boards, in one batch: for each the probabilities of win, draw and loss of the side to move, and the logits of
    /// the legal moves in their order, all boards after each other, with the places where they end.
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn evaluate_boards(
        &self,
        py: Python<'_>,
        boards: Vec<PyRef<'_, Board>>,
    ) -> PyResult<(Vec<[f32; 3]>, Vec<f32>, Vec<u32>)> {
        let layout = self.backend.layout();
        let (mut positions, mut labels, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for board in &boards {
            let (game, position, moves) = board.seen()?;
            let (seen, packed, numbers) = dispatch::encode(&game, &position, &moves).or_raise()?;
            if seen.game() != layout.game() {
                return Err(wrong(format!("the network is for {}, not for {}", layout.game(), game.name)));
            }
            positions.push(packed);
            labels.extend(numbers.iter().map(|&label| label as u16));
            ends.push(labels.len() as u32);
        }
        let mut answers = Answers::default();
        let request = Request { positions: &positions, labels: &labels, ends: &ends, ..Request::default() };
        py.detach(|| self.backend.evaluate(request, &mut answers)).or_raise()?;
        Ok((answers.value, answers.policy, ends))
    }
}
