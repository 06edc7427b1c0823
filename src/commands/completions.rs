//! `yomi completions`: what a shell needs to complete our commands.

use std::io::Write;

use clap_complete::{Shell, generate};

/// Print the completion script of a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi completions bash > ~/.local/share/bash-completion/completions/yomi
  yomi completions zsh > ~/.zfunc/_yomi      # ~/.zfunc must be in fpath
  yomi completions fish > ~/.config/fish/completions/yomi.fish
  yomi completions powershell >> $PROFILE")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, mut program: clap::Command, out: &mut dyn Write) -> anyhow::Result<()> {
    // Not straight to `out`: the generator panics where writing fails (`yomi completions bash | head -1`).
    let mut script = Vec::new();
    generate(args.shell, &mut program, "yomi", &mut script);
    Ok(out.write_all(&script)?)
}
