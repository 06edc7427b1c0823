//! The studio alone, without the rest of the program: quicker to build while the page is worked on.
//!
//! `cargo run -p yomi-studio --example studio -- studio --port 0 --no-open --runs results`, or `--export DIR [--wasm FILE]`.

use std::path::PathBuf;
use std::sync::Arc;

use yomi_lab::experiment::workshop::Version;
use yomi_lab::players::build::Programs;
use yomi_page::Limits;
use yomi_studio::{Options, Studio, export, offers};

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
    let paths = |key: &str| -> Vec<PathBuf> { after(key).into_iter().map(PathBuf::from).collect() };
    let limits = Limits { threads: 2, ..Limits::default() };
    // Runs of this example belong to no build: their signature is 0.
    let signature = Arc::new(|| Ok(Version::default()));
    if let Some(out) = paths("--export").first() {
        let wasm = paths("--wasm").first().map(std::fs::read).transpose()?;
        let exported =
            export::export(out, &paths("--runs"), wasm.as_deref(), signature).map_err(std::io::Error::other)?;
        println!("{}: {} files, {} runs", out.display(), exported.files, exported.runs);
        return Ok(());
    }
    let options = Options {
        port,
        limits,
        folders: paths("--runs"),
        trees: paths("--trees"),
        offers: offers(&paths("--weights")),
        programs: Programs::Refused,
        signature,
    };
    Studio::serve(options, |address| {
        println!("the studio is at http://{address}/");
    })
}
