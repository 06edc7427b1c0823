//! Requests as lines in, answers as lines out: what the WebAssembly program does.

use std::io::{self, BufRead, Write};
use std::sync::Mutex;

use serde_json::Value;
use yomi_session::Control;

use crate::admit::Limits;
use crate::{LONGEST_REQUEST, Request, answer, error_json, numbered, parse_request};

/// Answers every line of `input` until it ends. Searches run to their end, one after the other.
///
/// ```
/// let input = r#"{"id": 7, "do": "search", "game": "tic-tac-toe", "player": "uct(c=0.7,hash=1) sims=50"}"#;
/// let mut out = Vec::new();
/// yomi_page::serve_lines(&mut input.as_bytes(), &mut out, &yomi_page::Limits::default())?;
/// let answer: serde_json::Value = serde_json::from_slice(&out)?;
/// assert_eq!((&answer["type"], &answer["id"], &answer["simulations"]), (&"analysis".into(), &7.into(), &50.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve_lines(input: &mut dyn BufRead, out: &mut (dyn Write + Send), limits: &Limits) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = io::Read::take(&mut *input, LONGEST_REQUEST as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        let envelope = match parse_request(text.trim()) {
            Ok(envelope) => envelope,
            Err(error) => {
                write(out, &error_json(&error))?;
                continue;
            }
        };
        let answer = match &envelope.request {
            Request::Search(order) => {
                let failed = Mutex::new(Ok(()));
                let result = order.place.open().and_then(|mut session| {
                    let player = order.player(limits, &[])?;
                    order.run(&mut *session, &player, limits, &Control::default(), &mut |value| {
                        let written = write(out, &numbered(value, envelope.id));
                        if let Ok(mut failed) = failed.lock() {
                            *failed = std::mem::replace(&mut *failed, Ok(())).and(written);
                        }
                    })
                });
                failed.into_inner().unwrap_or(Ok(()))?;
                result
            }
            request => answer(request, limits)
                .unwrap_or_else(|| Err(yomi_core::TextError::new("only the server of the studio answers this"))),
        };
        let value = answer.unwrap_or_else(|error| error_json(&error));
        write(out, &numbered(value, envelope.id))?;
    }
}

fn write(out: &mut (dyn Write + Send), value: &Value) -> io::Result<()> {
    writeln!(out, "{value}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(input: &str) -> Vec<Value> {
        let mut out = Vec::new();
        serve_lines(&mut input.as_bytes(), &mut out, &Limits::default()).unwrap();
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn lines_are_answered_in_order() {
        let answers = served(concat!(
            r#"{"id":1,"do":"show","game":"go5","moves":"C3"}"#,
            "\nnonsense\n\n",
            r#"{"id":2,"do":"play","game":"minishogi","move":"5d5a"}"#,
            "\n",
            r#"{"id":3,"do":"search","game":"minishogi","player":"mcss(t=80) sims=200","tree":{"depth":1}}"#,
            "\n",
            r#"{"id":4,"do":"runs"}"#,
        ));
        assert_eq!((answers[0]["type"].as_str(), answers[0]["id"].as_u64()), (Some("shown"), Some(1)));
        assert_eq!(answers[0]["board"]["pieces"].as_array().unwrap().len(), 1);
        assert!(answers[1]["message"].as_str().unwrap().contains("no request"));
        assert!(answers[2]["type"] == "error" && answers[2]["id"] == 2, "{}", answers[2]);
        let last = &answers[answers.len() - 2];
        assert!(last["type"] == "analysis" && last["final"] == true && last["simulations"] == 200, "{last}");
        assert!(answers.iter().any(|answer| answer["type"] == "tree" && answer["id"] == 3));
        assert!(answers.last().unwrap()["message"].as_str().unwrap().contains("server"));
    }
}
