//! The program as a whole, and what the project promises of itself. One program: every test program links, and compiles generic code, anew.

mod architecture;
mod cli;
mod common;
mod csa_password;
mod docs;
mod experiment;
mod go_leads;
#[cfg(unix)]
#[path = "../../crates/protocol/tests/suite/gone.rs"]
mod gone;
mod lab_safety;
mod learn;
mod learn_blokus;
mod liveness;
mod matches;
mod net;
mod play;
mod playthroughs;
mod records;
mod release;
mod repairs;
mod reports;
mod review;
mod session;
mod transcripts;
mod words;
