//! Networks as evaluations: `net(file=F)`.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use yomi_core::file::read_file;
use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_net::input::{Encode, Layout};
use yomi_net::open::{self, Choice};
use yomi_net::{NetEvaluator, Network, WeakNet, onnx};

/// No network of the field is larger.
const LARGEST: u64 = 1 << 30;

/// What tells networks that are open from others: the file as it was, and how it was opened.
#[derive(Clone, PartialEq)]
struct Key {
    file: String,
    length: u64,
    modified: Option<SystemTime>,
    choice: Choice,
    threads: usize,
    batch: usize,
}

/// The networks in use: players with the same one share it, and so all games of a process share a device.
static OPEN: Mutex<Vec<(Key, WeakNet)>> = Mutex::new(Vec::new());

/// `net(file=F,device=auto,batch=0,threads=1)`: a network file (safetensors, or ONNX of dlshogi's kind) on `auto`, `cpu`, `cuda` or
/// `cuda:1`; `batch` positions at once, 0 for what the device likes; `threads` of the CPU for each batch. `fits` says which boards the
/// players of this game have.
pub(super) fn net<P: Encode>(spec: &Spec, fits: impl Fn(Layout) -> bool) -> Result<AnyEvaluator<P>, TextError> {
    let file = spec.get("file").ok_or_else(|| spec.error("a network needs a file: net(file=network.safetensors)"))?;
    let choice = match spec.get("device") {
        Some(word) => Choice::parse(&word.to_string()).map_err(|error| word.error(error.message))?,
        None => Choice::Auto,
    };
    let (batch, threads) = (spec.value_or("batch", 0usize)?, spec.value_or("threads", 1usize)?);
    if !(1..=1024).contains(&threads) || batch > 1 << 16 {
        return Err(spec.error("threads are 1 to 1024, batch is at most 65536"));
    }
    spec.reject_unused()?;
    let about = std::fs::metadata(&file.name).ok();
    let key = Key {
        file: file.name.clone(),
        length: about.as_ref().map_or(0, std::fs::Metadata::len),
        modified: about.and_then(|about| about.modified().ok()),
        choice,
        threads,
        batch,
    };
    // Whoever comes second waits for the first to open it.
    let mut list = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|(_, net)| net.upgrade().is_some());
    let known = list.iter().find(|(other, _)| *other == key).and_then(|(_, net)| net.upgrade());
    let net = match known {
        Some(net) => net,
        None => {
            let bytes = read_file(&file.name, LARGEST).map_err(|error| file.error(error.message))?;
            let fault = |error: TextError| file.error(format!("{}: {}", file.name, error.message));
            let is_onnx = file.name.to_lowercase().ends_with(".onnx");
            let network = if is_onnx { onnx::import(&bytes) } else { Network::read(&bytes) }.map_err(fault)?;
            let backend = open::open(&network, choice, threads).map_err(fault)?.backend;
            let net = if batch == 0 { NetEvaluator::new(backend) } else { NetEvaluator::with_batch(backend, batch) };
            list.push((key, net.downgrade()));
            net
        }
    };
    let layout = net.backend().layout();
    if !fits(layout) {
        return Err(file.error(format!("{}: the network is for {}, not for {}", file.name, layout.game(), P::NAME)));
    }
    Ok(AnyEvaluator::new(net))
}
