//! Which commands may start programs: those that play, with consent to the programs that a file names.
//!
//! Players typed on the command line and experiments that come with Yomi are agreed to already. A run directory or an experiment file may
//! come from anywhere, and what it names may be any command.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};

use anyhow::bail;
use yomi_lab::players::build::Programs;
use yomi_protocol::harmless::{MESSAGE, harmless};

/// The consent to programs that a file names.
#[derive(Default, clap::Args)]
pub(crate) struct Consent {
    /// Start the programs that a file from elsewhere names (a run directory, an experiment file) without asking
    #[arg(long)]
    allow_programs: bool,
}

impl Consent {
    /// Shows the commands that `file` names and asks for consent: by the option, or at the terminal.
    pub(crate) fn ask(&self, file: &str, commands: &BTreeSet<String>) -> anyhow::Result<Programs> {
        if commands.is_empty() {
            return Ok(Programs::Refused);
        }
        let list: Vec<String> = commands.iter().map(|command| format!("  {}", harmless(command, MESSAGE))).collect();
        eprintln!("{} names programs to be started:\n{}", harmless(file, MESSAGE), list.join("\n"));
        if self.allow_programs || (std::io::stdin().is_terminal() && agrees()?) {
            return Ok(Programs::Allowed);
        }
        bail!("nothing was started: look at these commands, and allow them with --allow-programs");
    }
}

/// Asks at the terminal. Silence is no consent.
fn agrees() -> anyhow::Result<bool> {
    eprint!("Start them? [y/N] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
