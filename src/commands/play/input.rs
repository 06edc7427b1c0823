//! Lines that a person types: with editing and history at a terminal, plain from a pipe. Ctrl-C is an event like any other.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

/// What came in.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Heard {
    Line(String),
    /// The input was closed.
    End,
    /// Ctrl-C.
    Interrupt,
}

/// Where lines come from.
pub(super) struct Input {
    source: Source,
    /// Raised by Ctrl-C: a search that is thinking stops.
    pub(super) interrupted: Arc<AtomicBool>,
}

enum Source {
    Editor(Box<DefaultEditor>),
    /// A thread reads lines, so that Ctrl-C is heard while nothing comes.
    Pipe(Receiver<Heard>),
}

impl Input {
    /// Standard input, and Ctrl-C from now on.
    pub(super) fn open() -> anyhow::Result<Input> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let (sender, lines) = channel();
        let (flag, bell) = (Arc::clone(&interrupted), sender.clone());
        crate::signals::on_interrupt(move || {
            // Relaxed: the flag carries no data.
            flag.store(true, Ordering::Relaxed);
            // The line editor reads the keys itself.
            let _ = bell.send(Heard::Interrupt);
        })?;
        let source = if Input::is_terminal() {
            Source::Editor(Box::new(DefaultEditor::new()?))
        } else {
            std::thread::spawn(move || listen(&sender));
            Source::Pipe(lines)
        };
        Ok(Input { source, interrupted })
    }

    /// Whether a person sits at both ends.
    pub(super) fn is_terminal() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    /// The next line, without the spaces around it.
    pub(super) fn read(&mut self, prompt: &str, out: &mut dyn Write) -> anyhow::Result<Heard> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(Heard::Interrupt);
        }
        let heard = match &mut self.source {
            Source::Editor(editor) => {
                out.flush()?;
                match editor.readline(prompt) {
                    Ok(line) => {
                        editor.add_history_entry(&line)?;
                        Heard::Line(line)
                    }
                    Err(ReadlineError::Eof) => Heard::End,
                    Err(ReadlineError::Interrupted) => Heard::Interrupt,
                    Err(error) => return Err(error.into()),
                }
            }
            Source::Pipe(lines) => {
                write!(out, "{prompt}")?;
                out.flush()?;
                let heard = lines.recv().unwrap_or(Heard::End);
                if !matches!(heard, Heard::Line(_)) {
                    writeln!(out)?;
                }
                heard
            }
        };
        Ok(match heard {
            Heard::Line(line) => Heard::Line(line.trim().to_string()),
            other => other,
        })
    }
}

/// Hands on every line of standard input. Bytes that are no UTF-8 are shown as such, not fatal.
fn listen(sender: &Sender<Heard>) {
    let mut input = std::io::stdin().lock();
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
        let line = String::from_utf8_lossy(&bytes).into_owned();
        bytes.clear();
        if sender.send(Heard::Line(line)).is_err() {
            return;
        }
    }
    let _ = sender.send(Heard::End);
}
