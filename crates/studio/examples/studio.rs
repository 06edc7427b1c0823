//! The studio alone, without the rest of the program: quicker to build while the page is worked on.
//!
//! `cargo run -p yomi-studio --example studio -- studio --port 0 --no-open --runs results`

use std::path::PathBuf;
use std::sync::Arc;

use yomi_lab::experiment::workshop::Version;
use yomi_page::Limits;
use yomi_studio::{Options, Studio};

#[allow(clippy::print_stdout, reason = "an example speaks")]
fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let after = |key: &str| {
        words
            .iter()
            .zip(words.iter().skip(1))
            .filter(|(word, _)| *word == key)
            .map(|(_, value)| value.clone())
            .collect::<Vec<_>>()
    };
    let port = after("--port").first().and_then(|port| port.parse().ok()).unwrap_or(0);
    let folders = after("--runs").into_iter().map(PathBuf::from).collect();
    let limits = Limits { threads: 2, ..Limits::default() };
    // Runs of this example are nobody's: their signature is 0.
    let signature = Arc::new(|| Ok(Version::default()));
    Studio::serve(Options { port, limits, folders, signature }, |address| {
        println!("the studio is at http://{address}/");
    })
}
