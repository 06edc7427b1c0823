//! Servers and clients. One program: every test program links, and compiles generic code, anew.

mod analysis_server;
mod common;
mod csa;
mod dialogue;
mod fakes;
mod gone;
mod gtp_clock;
mod gtp_server;
mod gtp_settings;
mod guard;
mod leaving;
mod liveness;
mod readiness;
mod referee;
mod stale_answers;
mod usi_server;
