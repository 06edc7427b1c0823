//! Networks. One program: every test program links, and compiles generic code, anew.

mod backend;
mod cache;
mod cancel;
mod common;
mod evaluator;
mod inputs;
mod onnx;
mod runtime;
mod steps;
mod symmetry;
