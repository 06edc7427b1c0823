//! A network: its header and its weights, with batch norm as it was trained.

use std::collections::BTreeMap;

use yomi_core::{Rng, Seed, TextError};

use crate::architecture::Architecture;
use crate::safetensors::{self, Container, Tensor};

/// The name of the header in a file's metadata.
const HEADER: &str = "yomi-net";

/// A header and the tensors it asks for ([`Architecture::tensors`]), all finite.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    architecture: Architecture,
    tensors: BTreeMap<String, Tensor>,
}

impl Network {
    /// A network of these tensors, which must be those of the header.
    pub fn new(architecture: Architecture, tensors: BTreeMap<String, Tensor>) -> Result<Network, TextError> {
        let expected = architecture.tensors()?;
        for (name, shape) in &expected {
            let Some(tensor) = tensors.get(name) else {
                return Err(TextError::new(format!("there is no tensor {name}")));
            };
            check(tensor, shape, name).map_err(|error| error.context(format!("tensor {name}")))?;
        }
        if let Some(name) = tensors.keys().find(|&name| expected.iter().all(|(other, _)| other != name)) {
            return Err(TextError::new(format!("tensor {name} belongs to no {} network", architecture.tower())));
        }
        Ok(Network { architecture, tensors })
    }

    /// A network that has learned nothing. Convolutions keep the size of their inputs (He et al. 2015); the second of a block is damped so
    /// that deep towers do, too.
    pub fn random(architecture: Architecture, seed: Seed) -> Result<Network, TextError> {
        let damping = 1.0 / (architecture.blocks.max(1) as f32).sqrt();
        let mut tensors = BTreeMap::new();
        for (index, (name, shape)) in architecture.tensors()?.into_iter().enumerate() {
            let mut rng = seed.branch("tensor", index as u64).rng();
            let count = shape.iter().product();
            let inputs: usize = shape[1..].iter().product();
            let data = match () {
                () if name.ends_with("running_var") || name.contains("norm") && name.ends_with("weight") => {
                    vec![1.0; count]
                }
                () if name.ends_with("weight") => {
                    let gain = if name.contains("conv2") { damping } else { 1.0 };
                    let deviation = gain * (2.0 / inputs as f32).sqrt();
                    (0..count).map(|_| deviation * gaussian(&mut rng)).collect()
                }
                () => vec![0.0; count],
            };
            tensors.insert(name, Tensor { shape, data });
        }
        Network::new(architecture, tensors)
    }

    /// A network of a file.
    pub fn read(bytes: &[u8]) -> Result<Network, TextError> {
        let Container { metadata, tensors } = safetensors::read(bytes)?;
        let Some(header) = metadata.get(HEADER) else {
            return Err(TextError::new(format!(
                "this safetensors file has no `{HEADER}` in its metadata: no network of Yomi"
            )));
        };
        let architecture: Architecture =
            serde_json::from_str(header).map_err(|error| TextError::new(format!("header `{HEADER}`: {error}")))?;
        Network::new(architecture, tensors)
    }

    /// The file of the network.
    pub fn write(&self) -> Vec<u8> {
        let header = serde_json::to_string(&self.architecture).unwrap_or_default();
        let metadata = [(HEADER.to_string(), header)].into();
        safetensors::write(&Container { metadata, tensors: self.tensors.clone() })
    }

    /// The header.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The numbers of a tensor; none if the network has no such tensor.
    pub fn tensor(&self, name: &str) -> &[f32] {
        self.tensors.get(name).map_or(&[], |tensor| &tensor.data)
    }

    /// All tensors.
    pub fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }

    /// How many numbers were learned.
    pub fn parameters(&self) -> usize {
        self.tensors.iter().filter(|(name, _)| !name.contains("running")).map(|(_, tensor)| tensor.data.len()).sum()
    }

    /// That the network is for a game, as players name it.
    pub fn check_game(&self, game: &str) -> Result<(), TextError> {
        if self.architecture.game == game {
            return Ok(());
        }
        Err(TextError::new(format!("the network is for {}, not for {game}", self.architecture.game)))
    }
}

/// A tensor has the shape it should have, and numbers that are numbers.
fn check(tensor: &Tensor, shape: &[usize], name: &str) -> Result<(), TextError> {
    if tensor.shape != shape || tensor.data.len() != shape.iter().product::<usize>() {
        return Err(TextError::new(format!("shape {:?}, expected {shape:?}", tensor.shape)));
    }
    if let Some(at) = tensor.data.iter().position(|x| !x.is_finite()) {
        return Err(TextError::new(format!("number {at} is {}", tensor.data[at])));
    }
    if let Some(at) = tensor.data.iter().position(|&x| name.ends_with("running_var") && x < 0.0) {
        return Err(TextError::new(format!("variance {at} is {}", tensor.data[at])));
    }
    Ok(())
}

/// A standard normal number (Box and Muller 1958).
fn gaussian(rng: &mut Rng) -> f32 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f32::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Layout;

    fn small() -> Network {
        Network::random(Architecture::new(Layout::Minishogi, 1, 8), Seed::new(1)).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for layout in [Layout::Shogi, Layout::Dlshogi, Layout::Minishogi, Layout::Go(9), Layout::BlokusDuo] {
            let network = Network::random(Architecture::new(layout, 2, 8), Seed::new(3)).unwrap();
            assert_eq!(Network::read(&network.write()), Ok(network));
        }
    }

    #[test]
    fn a_seed_gives_one_network() {
        let other = Network::random(Architecture::new(Layout::Minishogi, 1, 8), Seed::new(2)).unwrap();
        assert_eq!(small(), small());
        assert_ne!(small(), other);
    }

    /// What is wrong with a file, and where.
    #[test]
    fn bad_files_are_refused() {
        let file = |change: &dyn Fn(&mut Architecture, &mut BTreeMap<String, Tensor>)| {
            let Network { mut architecture, mut tensors } = small();
            change(&mut architecture, &mut tensors);
            Network::read(&Network { architecture, tensors }.write()).map(|_| ()).map_err(|error| error.message)
        };
        let refused = |expected: &str, change: &dyn Fn(&mut Architecture, &mut BTreeMap<String, Tensor>)| {
            let message = file(change).unwrap_err();
            assert!(message.contains(expected), "{message}");
        };
        assert_eq!(file(&|_, _| ()), Ok(()));
        refused("tensor value.fc1.bias: number 3 is NaN", &|_, t| {
            t.get_mut("value.fc1.bias").unwrap().data[3] = f32::NAN;
        });
        refused("tensor stem.norm.running_var: variance 0 is -1", &|_, t| {
            t.get_mut("stem.norm.running_var").unwrap().data[0] = -1.0;
        });
        refused("there is no tensor policy.conv.bias", &|_, t| drop(t.remove("policy.conv.bias")));
        refused("tensor extra belongs to no 1x8 network", &|_, t| {
            t.insert("extra".into(), Tensor { shape: vec![1], data: vec![0.0] });
        });
        refused("tensor stem.conv.weight: shape [8, 40, 3, 3], expected [9, 40, 3, 3]", &|a, _| a.channels = 9);
        refused("channels 1000000000 is not from 1 to 1024", &|a, _| a.channels = 1_000_000_000);
        refused("is for minishogi, not for shogi", &|a, _| a.game = "shogi".into());
        refused("no plane layout `minishogi-40` for a board of 9", &|a, _| a.board = 9);
        refused("the move labels of minishogi are `minishogi-27x25`, not `x`", &|a, _| a.labels = "x".into());
        refused("format 2 of the header is not 1", &|a, _| a.format = 2);
        assert!(small().check_game("shogi").unwrap_err().message.contains("for minishogi, not for shogi"));
        let plain = safetensors::write(&Container { metadata: BTreeMap::new(), tensors: small().tensors });
        assert!(Network::read(&plain).unwrap_err().message.contains("no `yomi-net` in its metadata"));
        let whole = small().write();
        for length in (0..whole.len()).step_by(97) {
            assert!(Network::read(&whole[..length]).is_err());
        }
    }
}
