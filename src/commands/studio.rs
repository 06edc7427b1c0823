//! `yomi studio`: a page to play, analyse, learn and experiment.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, ensure};
use yomi_lab::players::build::Programs;
use yomi_page::Limits;
use yomi_studio::{Options, Studio, export, offers};

use crate::build;
use crate::commands::bench;
use crate::files;

/// Open a page to play, analyse, learn and experiment, served on this machine only
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi studio
  yomi studio --port 8000 --no-open
  yomi studio --runs results --runs runs      # whose results to show
  yomi studio --weights weights/nets          # networks that players may use
  yomi studio --allow-programs                # experiments may start engines
  yomi studio --export site --runs results    # a site for any web server
  yomi studio --export site --wasm yomi-page.wasm

The page is served on 127.0.0.1 only; closing it ends its searches. An exported site has
the league and all games; with the WebAssembly program (scripts/wasm_site builds it) it
plays and analyses, too.")]
pub(crate) struct Args {
    /// The port; any that is free if it is 0
    #[arg(long, default_value_t = 7321)]
    port: u16,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
    /// Folders of run directories; new experiments run in the first [default: runs, results]
    #[arg(long, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// Folders of networks and weights that players may use, by name [default: weights]
    #[arg(long, value_name = "DIR")]
    weights: Vec<PathBuf>,
    /// Folders of saved trees; new ones are kept in the first [default: trees]
    #[arg(long, value_name = "DIR")]
    trees: Vec<PathBuf>,
    /// Let the page start experiments that run other people's programs
    #[arg(long)]
    allow_programs: bool,
    /// The most threads of a search
    #[arg(long, value_name = "K")]
    threads: Option<usize>,
    /// The most memory of a search, in mebibytes
    #[arg(long, default_value_t = 256, value_name = "MIB")]
    hash: usize,
    /// Searches at the same time, over all pages
    #[arg(long, default_value_t = 4, value_name = "N")]
    searches: usize,
    /// The most seconds of a search
    #[arg(long, default_value_t = 600.0, value_name = "SECONDS")]
    seconds: f64,
    /// Write the page and all results into this folder instead, as a site for any web server
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// The WebAssembly program for the site; yomi-page.wasm beside this program if left out
    #[arg(long, value_name = "FILE", requires = "export")]
    wasm: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let or_default = |given: &[PathBuf], default: &[&str]| -> Vec<PathBuf> {
        if given.is_empty() { default.iter().map(PathBuf::from).collect() } else { given.to_vec() }
    };
    let folders = or_default(&args.runs, &["runs", "results"]);
    let signature = || Ok(build::version(bench::build_signature().map_err(|error| error.to_string())?));
    if let Some(path) = &args.export {
        let wasm = wasm(args)?;
        let exported = export::export(path, &folders, wasm.as_deref(), Arc::new(signature))?;
        let plays = match &wasm {
            Some(wasm) => format!("it plays with a WebAssembly program of {:.1} MB", wasm.len() as f64 / 1e6),
            None => "without the WebAssembly program it shows results only (--wasm)".to_string(),
        };
        let size = exported.bytes as f64 / 1e6;
        writeln!(out, "{}: {} files, {size:.1} MB, {} runs; {plays}", path.display(), exported.files, exported.runs)?;
        return Ok(());
    }
    ensure!(args.seconds > 0.0 && args.seconds.is_finite(), "--seconds: {} is no time", args.seconds);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = Limits {
        threads: args.threads.unwrap_or(cores).max(1),
        hash: args.hash.max(1),
        searches: args.searches.max(1),
        seconds: args.seconds,
        ..Limits::default()
    };
    let options = Options {
        port: args.port,
        limits,
        folders,
        trees: or_default(&args.trees, &["trees"]),
        offers: offers(&or_default(&args.weights, &["weights"])),
        programs: if args.allow_programs { Programs::Allowed } else { Programs::Refused },
        signature: Arc::new(signature),
    };
    let open = !args.no_open;
    Studio::serve(options, |address| {
        let url = format!("http://{address}/");
        // What started it in the background may not read.
        let _ = writeln!(out, "the studio is at {url} (Ctrl-C ends it)").and_then(|()| out.flush());
        if open {
            open_browser(&url);
        }
    })
    .with_context(|| format!("cannot listen on port {}: another --port may be free", args.port))
}

/// The WebAssembly program that was named, or the one beside this program.
fn wasm(args: &Args) -> anyhow::Result<Option<Vec<u8>>> {
    if let Some(path) = &args.wasm {
        return files::read(path).map(Some);
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("yomi-page.wasm")));
    beside.filter(|path| path.is_file()).map(|path| files::read(&path)).transpose()
}

/// Shows a page in the browser that the system would use. If there is none, the address was printed.
fn open_browser(url: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
