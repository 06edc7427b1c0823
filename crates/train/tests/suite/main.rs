//! Training of networks. One program: every test program links, and compiles generic code, anew.

mod gradients;
mod policy_gradient;
mod records;
mod run;
mod samples;
mod symmetries;
