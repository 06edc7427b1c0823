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
//!
//! Two tiers: on Hopper (compute capability 9.0) the whole tower is one kernel whose activations stay in shared memory
//! (`kernels/tower.cu`); elsewhere, and for networks too wide for that, there is a kernel for each layer (`kernels/portable.cu`).

mod driver;
mod embedded;
mod engine;
mod flight;
mod pack;
mod plan;
mod shape;
mod source;

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
    let folded = Folded::new(network);
    let fused = shape::Shape::new(&folded, shape::STEP);
    let wide = shape::Shape::new(&folded, engine::PORTABLE_CHANNELS);
    let mut list = Vec::new();
    for form in plan::chosen(&fused, shared_memory, &engine::CLUSTERS) {
        let cluster = if form.cluster > 1 { format!("-cluster{}", form.cluster) } else { String::new() };
        let name = format!("tower-{}x{}x{}{cluster}", form.boards, form.warpgroups, form.tiles);
        list.push(Source {
            name,
            architecture: source::HOPPER_ARCHITECTURE,
            text: source::tower(&fused, &form, false),
        });
    }
    let eight = shape::Shape::eight(&folded);
    for form in plan::chosen(&eight, shared_memory, &[]) {
        let name = format!("tower8-{}x{}x{}", form.boards, form.warpgroups, form.tiles);
        list.push(Source {
            name,
            architecture: source::HOPPER_ARCHITECTURE,
            text: source::tower(&eight, &form, false),
        });
    }
    let portable = source::PORTABLE_ARCHITECTURE;
    list.push(Source { name: "portable".into(), architecture: portable, text: source::portable(&wide) });
    list.push(Source { name: "finish".into(), architecture: portable, text: source::finish(&fused) });
    list
}

/// The kernels of a network as an archive that a build can embed (`YOMI_PTX`): those of the fused tower and the last one.
pub fn archive(network: &Network, shared_memory: usize) -> Result<String, TextError> {
    let sources = sources(network, shared_memory);
    let wanted = sources.iter().filter(|source| !source.name.starts_with("tower8"));
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
