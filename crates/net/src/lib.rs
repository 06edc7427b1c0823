//! Policy and value networks: residual towers over the boards of the four games.
//!
//! Read it in this order:
//!
//! 1. [`input`]: packed positions, planes, and what a move changes in them; [`label`]: moves as outputs of the policy head.
//! 2. [`architecture`], [`network`], [`safetensors`]: which networks there are, their weights, their files; `fold` prepares them for use.
//! 3. [`cpu`]: the backend that is always there: a plain reference, and kernels that are fast.
//! 4. [`onnx`]: networks for other programs, and networks of dlshogi.
//!
//! `docs/networks.md` describes planes, labels, tensors and measured speeds.

pub mod architecture;
pub mod cpu;
pub mod evaluation;
pub mod fold;
pub mod input;
pub mod label;
pub mod network;
pub mod onnx;
pub mod safetensors;

pub use architecture::Architecture;
pub use evaluation::Evaluations;
pub use network::Network;
