//! The backend for NVIDIA's GPUs.
//!
//! Nothing of it is needed to build: the driver is looked for when a device is opened, kernels are text that is compiled for the network's
//! shape at run time. Only packed positions and labels cross the bus, and values and the wanted logits come back: kernels read and write
//! pinned memory of the host directly.
//!
//! - `driver.rs`: the driver; the only `unsafe` code.
//! - `shape.rs`, `plan.rs`, `source.rs`, `pack.rs`: what is compiled, in which forms, and weights in the order of the kernels.
//! - `embedded.rs`: kernels that were compiled when the program was built, if any were.
//! - `engine.rs`: a network on a device, and what is started for a batch.
//! - `flight.rs`: memory of batches in flight, and the [`Backend`](crate::backend::Backend).
//! - `trial.rs`: which forms answer as they should; the others are left out.
//!
//! Two tiers: on Hopper (compute capability 9.0) the whole tower is one kernel whose activations stay in shared memory
//! (`kernels/tower.cu`, for small batches `kernels/columns.cu` and `kernels/cluster.cu`); elsewhere, for networks too wide for that and for
//! `precision=fp32` there is a kernel for each layer (`kernels/portable.cu`). `kernels/finish.cu` comes last.

mod driver;
mod embedded;
mod engine;
mod flight;
mod pack;
mod plan;
mod shape;
mod source;
mod trial;

pub use driver::{Device, compiler_present, driver_present};
pub use engine::{Options, Tier};
pub use flight::Cuda;
pub use plan::Form;

use yomi_core::TextError;

use crate::Network;
use crate::fold::Folded;

/// A kernel source for a network, for checks that need no device.
#[derive(Clone, Debug)]
pub struct Source {
    /// Which kernel in which form.
    pub name: String,
    /// The virtual architecture it is compiled for.
    pub architecture: &'static str,
    /// The text.
    pub text: String,
}

/// All kernels that a network could be given on a device with so much shared memory.
pub fn sources(network: &Network, shared_memory: usize) -> Vec<Source> {
    // What is chosen, and what is chosen where squares are never columns.
    list(network, shared_memory, &[true, false])
}

fn list(network: &Network, shared_memory: usize, columns: &[bool]) -> Vec<Source> {
    let folded = Folded::new(network);
    let fused = shape::Shape::new(&folded, shape::STEP);
    let wide = shape::Shape::new(&folded, engine::PORTABLE_CHANNELS);
    let (mut list, mut forms) = (Vec::new(), Vec::new());
    for &columns in columns {
        let chosen = plan::chosen(&fused, shared_memory, &engine::CLUSTERS, columns);
        forms.extend(chosen.into_iter().filter(|form| !forms.contains(form)).collect::<Vec<_>>());
    }
    for form in forms {
        let cluster = if form.cluster > 1 { format!("-cluster{}", form.cluster) } else { String::new() };
        let kind = if form.columns { "columns" } else { "tower" };
        let name = format!("{kind}-{}x{}x{}{cluster}", form.boards, form.warpgroups, form.tiles);
        for (name, dense) in [(name.clone(), false), (format!("{name}-dense"), true)] {
            let text = source::tower(&fused, &form, dense);
            list.push(Source { name, architecture: source::HOPPER_ARCHITECTURE, text });
        }
    }
    let eight = shape::Shape::eight(&folded);
    for form in plan::chosen(&eight, shared_memory, &[], false) {
        let name = format!("tower8-{}x{}x{}", form.boards, form.warpgroups, form.tiles);
        list.push(Source {
            name,
            architecture: source::HOPPER_ARCHITECTURE,
            text: source::tower(&eight, &form, false),
        });
    }
    let portable = source::PORTABLE_ARCHITECTURE;
    list.push(Source { name: "portable".into(), architecture: portable, text: source::portable(&wide) });
    let single = shape::Shape::single(&folded, engine::PORTABLE_CHANNELS);
    list.push(Source { name: "single".into(), architecture: portable, text: source::portable(&single) });
    list.push(Source { name: "finish".into(), architecture: portable, text: source::finish(&fused) });
    list
}

/// The kernels of a network as an archive that a build can embed (`YOMI_PTX`): those of the fused tower in halves and the last
/// one.
pub fn archive(network: &Network, shared_memory: usize) -> Result<String, TextError> {
    let sources = list(network, shared_memory, &[true]);
    let rare = |name: &str| name.starts_with("tower8") || name.ends_with("-dense") || name == "single";
    let wanted = sources.iter().filter(|source| !rare(&source.name));
    wanted.map(|source| Ok(embedded::entry(&source.text, source.architecture, &compile(source)?))).collect()
}

/// How many kernels were compiled when the program was built.
pub fn embedded_kernels() -> usize {
    embedded::count()
}

/// Compiles a source; needs NVIDIA's run-time compiler, but no device.
pub fn compile(source: &Source) -> Result<String, TextError> {
    driver::compile(&source.text, source.architecture)
}
