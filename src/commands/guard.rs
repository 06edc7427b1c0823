//! `yomi guard`: stands beside every program that a match starts, and ends it when Yomi ends. Called by Yomi only.

use std::ffi::OsString;

use yomi_protocol::client::guard::{self, Guard};

use yomi_lab::players::program::GUARD;

/// Watch over a program that a match started, and end it when the match ends
#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

#[allow(clippy::exit, reason = "a guard ends with the status of its program")]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let here = Guard::here(GUARD).unwrap_or_else(|| Guard { program: "yomi".into(), args: vec![GUARD.into()] });
    std::process::exit(guard::run(&here, &args.command)?);
}
