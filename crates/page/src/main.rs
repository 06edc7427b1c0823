//! `yomi-page`: requests as JSON lines on standard input, answers on standard output. Built for `wasm32-wasip1` it is what the exported site
//! of the studio runs in a worker.

use std::process::ExitCode;

use yomi_page::{Limits, serve_lines};

fn main() -> ExitCode {
    let limits = Limits { hash: 128, ..Limits::default() };
    match serve_lines(&mut std::io::stdin().lock(), &mut std::io::stdout(), &limits) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
