//! Networks on the device that self-play shares.

use std::path::Path;

use yomi_core::TextError;
use yomi_net::backend::{Backend, CpuBackend};
use yomi_net::open::{self, Choice};
use yomi_net::{NetEvaluator, Network};

use crate::files::trouble;

/// No network of a run is larger.
const LARGEST_FILE: u64 = 1 << 30;

/// Any batch is welcome: searches of self-play have one sample in flight each.
pub(crate) const BATCH: usize = 64;

/// Reads a network file.
pub fn read(path: &Path) -> Result<Network, TextError> {
    let bytes = yomi_core::file::read_file(&path.display().to_string(), LARGEST_FILE)?;
    Network::read(&bytes).map_err(|error| trouble(path, error))
}

/// Opens a network for this many threads that ask at the same time. On the CPU each computes its own answers.
pub fn open(network: &Network, choice: Choice, threads: usize) -> Result<NetEvaluator, TextError> {
    Ok(NetEvaluator::with_batch(backend(network, choice, threads)?, BATCH))
}

/// The same, before it is an evaluation.
pub fn backend(network: &Network, choice: Choice, threads: usize) -> Result<Box<dyn Backend>, TextError> {
    Ok(match choice {
        Choice::Cpu => cpu(network),
        Choice::Cuda(device) => gpu(network, device, threads)?,
        Choice::Auto => gpu(network, 0, threads).unwrap_or_else(|_| cpu(network)),
        Choice::Runtime(_) => open::open(network, choice, threads)?.backend,
    })
}

fn cpu(network: &Network) -> Box<dyn Backend> {
    Box::new(CpuBackend::new(network, 1))
}

#[cfg(any(target_os = "linux", target_os = "windows"))]
fn gpu(network: &Network, device: usize, threads: usize) -> Result<Box<dyn Backend>, TextError> {
    use yomi_net::cuda::{Cuda, Options};
    // Batches differ in size from round to round, so that recorded graphs would hardly be used again. Each thread has two on their way.
    let options = Options {
        device,
        flights: (2 * threads).clamp(2, 64),
        largest_batch: 1024,
        graphs: false,
        crowded: threads > 2,
        ..Options::default()
    };
    Ok(Box::new(Cuda::new(network, options)?))
}

#[cfg(not(any(target_os = "linux", target_os = "windows")))]
fn gpu(_: &Network, _: usize, _: usize) -> Result<Box<dyn Backend>, TextError> {
    Err(TextError::new("this program has no GPU backend for this system"))
}
