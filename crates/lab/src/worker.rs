//! A worker: jobs come in as lines of JSON, games go out as lines of JSON. Whatever distributes the work (a cluster, GNU parallel, a
//! shell) speaks this.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::TextError;

use crate::arena::{Arena, Place};
use crate::config::MatchConfig;
use crate::ledger::line;
use crate::row::Job;

/// A line that a worker reads: everything that one game needs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The signature of the program that planned the game. A worker with another one refuses it.
    pub signature: u64,
    /// The match.
    #[serde(rename = "match")]
    pub config: MatchConfig,
    /// The game.
    pub job: Job,
}

/// Longer lines are refused.
const LONGEST: u64 = 1 << 24;

/// Opens the arena of a game by its specification.
pub type Open<'a> = dyn Fn(&str) -> Result<Box<dyn Arena>, TextError> + 'a;

/// Answers a line that is no game of a match; nothing if it does not know the line either.
pub type Other<'a> = dyn Fn(&[u8]) -> Option<String> + 'a;

/// Answers every line of `input` with one line on `output`: the row of a ledger, or an object with the member `error`. Only an error of
/// input or output ends it early. Lines that `other` knows are answered by it.
pub fn serve(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    signature: u64,
    open: &Open<'_>,
    other: &Other<'_>,
) -> std::io::Result<()> {
    let mut lines = Lines { input, number: 0, other };
    let mut pending = lines.next_job(output, signature)?;
    // Players are kept as long as the jobs are of the same match.
    while let Some(assignment) = pending.take() {
        let config = assignment.config.clone();
        let opened = config.check().and_then(|()| open(&config.game));
        let arena = match &opened {
            Ok(arena) => arena,
            Err(error) => {
                refuse(output, lines.number, &error.to_string())?;
                pending = lines.next_job(output, signature)?;
                continue;
            }
        };
        let mut table = match arena.table(&config, Place::default()) {
            Ok(table) => table,
            Err(error) => {
                refuse(output, lines.number, &error.to_string())?;
                pending = lines.next_job(output, signature)?;
                continue;
            }
        };
        let mut next = Some(assignment);
        while let Some(assignment) = next.take() {
            if assignment.config != config {
                pending = Some(assignment);
                break;
            }
            let job = assignment.job;
            let seats = config.players.len();
            if job.first >= seats || job.second >= seats || job.first == job.second {
                refuse(output, lines.number, "the job names no two players of its match")?;
            } else if let Some(row) = table.play(&job, &Arc::new(AtomicBool::new(false))) {
                writeln!(output, "{}", line(&row)?)?;
                output.flush()?;
            }
            next = lines.next_job(output, signature)?;
        }
    }
    Ok(())
}

fn refuse(output: &mut dyn Write, number: u64, message: &str) -> std::io::Result<()> {
    writeln!(output, "{}", json!({ "error": message, "line": number }))?;
    output.flush()
}

struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
    other: &'a Other<'a>,
}

impl Lines<'_> {
    /// The next assignment that this worker accepts; lines that it cannot accept are answered on the way.
    fn next_job(&mut self, output: &mut dyn Write, signature: u64) -> std::io::Result<Option<Assignment>> {
        loop {
            let mut line = Vec::new();
            let read = (&mut *self.input).take(LONGEST).read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read as u64 == LONGEST && !line.ends_with(b"\n") {
                self.skip_line()?;
                refuse(output, self.number, "the line is too long")?;
                continue;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if let Some(answer) = (self.other)(&line) {
                writeln!(output, "{answer}")?;
                output.flush()?;
                continue;
            }
            match serde_json::from_slice::<Assignment>(&line) {
                Err(error) => refuse(output, self.number, &format!("this is no job: {error}"))?,
                Ok(assignment) if assignment.signature != signature => {
                    let message = format!(
                        "the job was planned by a build of signature {}; this one has {signature} and would play another game",
                        assignment.signature
                    );
                    refuse(output, self.number, &message)?;
                }
                Ok(assignment) => return Ok(Some(assignment)),
            }
        }
    }

    /// Reads to the end of a line without keeping it.
    fn skip_line(&mut self) -> std::io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let (length, end) = match buffer.iter().position(|&byte| byte == b'\n') {
                Some(place) => (place + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(length);
            if end {
                return Ok(());
            }
        }
    }
}
