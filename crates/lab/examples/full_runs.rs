//! Prints what the run directories under `results/` say, for the program to carry: `experiments/full-runs.json`.

use std::path::Path;

#[allow(clippy::print_stdout, reason = "this is what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    print!("{}", yomi_lab::experiment::known::collect(&results)?);
    Ok(())
}
