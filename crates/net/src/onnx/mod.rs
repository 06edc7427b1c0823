//! Networks for other programs, and networks of dlshogi: as much of ONNX as residual towers need.
//!
//! `proto` reads and writes the container (protocol buffers), [`export`] writes the graph of any of our networks, [`import`] reads the
//! graphs that dlshogi's ResNets are exported as.

mod export;
mod graph;
mod import;
mod proto;

pub use export::export;
pub use import::import;
