//! `yomi man`: the help of all commands as manual pages.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use yomi_core::text::counted;

use crate::files;

/// Write the manual pages of all commands
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi man ~/.local/share/man/man1
  yomi man . && man ./yomi-match.1")]
pub(crate) struct Args {
    /// The directory for yomi.1, yomi-match.1 and the others; made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(args: &Args, program: clap::Command, out: &mut dyn Write) -> anyhow::Result<()> {
    let shown = args.directory.display();
    std::fs::create_dir_all(&args.directory).with_context(|| format!("cannot make {shown}"))?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let pages = write(&program, &args.directory)?;
    Ok(writeln!(out, "{} in {shown}", counted(pages, "page", "pages"))?)
}

/// Writes the page of a command and those of the commands below it, and counts them.
fn write(command: &clap::Command, directory: &Path) -> anyhow::Result<u64> {
    let mut pages = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages += write(below, directory)?;
    }
    let man = Man::new(command.clone()).source(concat!("yomi ", env!("CARGO_PKG_VERSION"))).manual("Yomi");
    files::write(&directory.join(man.get_filename()), &page(command, &man)?, &mut std::io::sink())?;
    Ok(pages)
}

/// A page: clap's sections, and the examples line by line as they are in the help.
fn page(command: &clap::Command, man: &Man) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_help() {
        page.extend(after_help(&help.to_string()).into_bytes());
    }
    Ok(page)
}

/// What stands below the options: examples are indented and stay as they are, everything else is filled.
fn after_help(text: &str) -> String {
    let mut roff = Roff::default();
    let text = match text.strip_prefix("Examples:\n") {
        Some(rest) => {
            roff.control("SH", ["EXAMPLES"]);
            rest
        }
        None => {
            roff.control("SH", ["NOTES"]);
            text
        }
    };
    let mut filled = true;
    for line in text.lines() {
        let example = line.starts_with("  ");
        if example == filled {
            roff.control(if example { "nf" } else { "fi" }, []);
            filled = !example;
        }
        match line.is_empty() {
            true => roff.control("PP", []),
            false => roff.text([roman(line)]),
        };
    }
    if !filled {
        roff.control("fi", []);
    }
    roff.to_roff()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_not_filled() {
        let text = after_help("Examples:\n  yomi a \\\n    -b\n\nA text\nof two lines.");
        let wanted = ".SH EXAMPLES\n.nf\n  yomi a \\\\\n    \\-b\n.fi\n.PP\nA text\nof two lines.\n";
        assert!(text.ends_with(wanted), "{text}");
    }
}
