//! The PyTorch trainer (`python/yomi_train`): a process that lives as long as the run, asked by lines of JSON.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use yomi_core::TextError;

use super::{Lesson, Report, Settings, Trainer};

/// The conversation with the process.
pub struct Python {
    command: String,
    settings: Settings,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    ready: bool,
    device: String,
}

impl Python {
    /// Starts the trainer: a program and its arguments, as `python3 python/yomi_train`. It gets ready while others work.
    pub fn start(command: &str, settings: Settings) -> Result<Python, TextError> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| TextError::new("no trainer was named"))?;
        let failed = |error: std::io::Error| {
            TextError::new(format!("{command}: {error}"))
                .hinting("--trainer names a Python with PyTorch and the folder python/yomi_train; --trainer native needs neither")
        };
        let mut child = Command::new(program)
            .args(words)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(TextError::new(format!("{command}: no pipes")));
        };
        let output = BufReader::new(output);
        Ok(Python { command: command.into(), settings, child, input, output, ready: false, device: String::new() })
    }

    fn hear(&mut self) -> Result<Value, TextError> {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line);
            if !matches!(read, Ok(n) if n > 0) {
                let status =
                    self.child.try_wait().ok().flatten().map_or(String::new(), |status| format!(" ({status})"));
                return Err(TextError::new(format!("{}: it ended without an answer{status}", self.command)));
            }
            match serde_json::from_str::<Value>(&line) {
                Ok(answer) if answer.get("progress").is_some() => {}
                Ok(answer) => match answer.get("error").and_then(Value::as_str) {
                    Some(error) => return Err(TextError::new(format!("{}: {error}", self.command))),
                    None => return Ok(answer),
                },
                // What libraries print is none of our business.
                Err(_) => {}
            }
        }
    }

    fn ask(&mut self, request: &Value) -> Result<Value, TextError> {
        if !self.ready {
            self.hear()?;
            self.ready = true;
        }
        let sent = writeln!(self.input, "{request}").and_then(|()| self.input.flush());
        sent.map_err(|error| TextError::new(format!("{}: {error}", self.command)))?;
        self.hear()
    }
}

impl Trainer for Python {
    fn begin(&mut self, network: &Path, checkpoint: Option<&Path>) -> Result<(), TextError> {
        let settings = serde_json::to_value(&self.settings).unwrap_or_default();
        let answer =
            self.ask(&json!({"do": "begin", "net": network, "settings": settings, "checkpoint": checkpoint}))?;
        self.device = answer["device"].as_str().unwrap_or_default().to_string();
        Ok(())
    }

    fn train(&mut self, lesson: &Lesson) -> Result<Report, TextError> {
        let answer = self.ask(&json!({
            "do": "train", "files": lesson.files, "steps": lesson.steps, "rate": lesson.rate, "seed": lesson.seed,
            "out": lesson.out, "checkpoint": lesson.checkpoint,
        }))?;
        serde_json::from_value(answer).map_err(|error| TextError::new(format!("{}: {error}", self.command)))
    }

    fn name(&self) -> String {
        format!("PyTorch on {}", if self.device.is_empty() { "?" } else { &self.device })
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "{}", json!({"do": "end"}));
        let _ = self.input.flush();
        // It reads the end of its input after the work at hand; it is not waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
