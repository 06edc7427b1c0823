//! What an engine answers.

use std::fmt;

use yomi_core::TextError;

/// An answer: `=12 D4` or `? cannot score`, and an empty line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// The number of the command it belongs to.
    pub id: Option<u32>,
    /// What it says; why not, if it refuses. Lines are separated by `\n`; a text that begins with one is printed from the next line on.
    pub result: Result<String, String>,
}

impl fmt::Display for Response {
    /// With the empty line at the end. An empty line inside the text would end it early, so those are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, text) = match &self.result {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        write!(f, "{mark}")?;
        self.id.iter().try_for_each(|id| write!(f, "{id}"))?;
        let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        if !text.starts_with('\n') {
            lines.next().into_iter().try_for_each(|line| write!(f, " {line}"))?;
        }
        lines.try_for_each(|line| write!(f, "\n{line}"))?;
        write!(f, "\n\n")
    }
}

/// The longest answer that is kept; no honest one comes near.
const MAX_LENGTH: usize = 1 << 20;

/// Puts an answer together from lines.
#[derive(Default, Debug)]
pub struct ResponseReader {
    open: Option<Response>,
}

impl ResponseReader {
    /// Takes the next line; gives the answer that it completes. Text outside of an answer is an error, and forgotten.
    pub fn line(&mut self, line: &str) -> Result<Option<Response>, TextError> {
        let clean: String =
            line.trim_end().chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        if clean.trim().is_empty() {
            return Ok(self.open.take());
        }
        match &mut self.open {
            Some(Response { result: Ok(text) | Err(text), .. }) => {
                if text.len() + clean.len() < MAX_LENGTH {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&clean);
                }
                Ok(None)
            }
            None => {
                self.open = Some(first_line(&clean)?);
                Ok(None)
            }
        }
    }

    /// Whether an answer has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

fn first_line(line: &str) -> Result<Response, TextError> {
    let wrong = || TextError::at(line, 0, "an answer begins with = or ?");
    let mut chars = line.chars();
    let ok = match chars.next() {
        Some('=') => true,
        Some('?') => false,
        _ => return Err(wrong()),
    };
    let rest = chars.as_str();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (id, text) = rest.split_at(end);
    let id = if id.is_empty() { None } else { Some(id.parse().map_err(|_| wrong())?) };
    let text = text.trim().to_string();
    Ok(Response { id, result: if ok { Ok(text) } else { Err(text) } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<Response> {
        let mut reader = ResponseReader::default();
        text.lines().filter_map(|line| reader.line(line).unwrap()).collect()
    }

    #[test]
    fn reads_answers_of_one_and_many_lines() {
        let answers = read("= 2\n\n=7 D4\r\n\r\n\n? unknown command\n\n=\nname\nversion\n\n");
        assert_eq!(answers.len(), 4);
        assert_eq!(answers[0].result, Ok("2".to_string()));
        assert_eq!((answers[1].id, &answers[1].result), (Some(7), &Ok("D4".to_string())));
        assert_eq!(answers[2].result, Err("unknown command".to_string()));
        assert_eq!(answers[3].result, Ok("name\nversion".to_string()));
    }

    #[test]
    fn refuses_text_outside_of_answers() {
        let mut reader = ResponseReader::default();
        assert!(reader.line("GNU Go 3.8").is_err() && !reader.is_open());
        assert!(reader.line("=99999999999").is_err());
        assert_eq!(reader.line("= ok"), Ok(None));
        assert!(reader.is_open());
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut reader = ResponseReader::default();
        reader.line("=").unwrap();
        for _ in 0..300 {
            reader.line(&"x".repeat(10_000)).unwrap();
        }
        assert!(reader.line("").unwrap().unwrap().result.unwrap().len() <= MAX_LENGTH);
    }

    proptest! {
        #[test]
        fn prints_as_it_reads(id in proptest::option::of(0u32..1000), text in "[!-~]{1,9}( [!-~]{1,9}){0,3}", ok in any::<bool>()) {
            let response = Response { id, result: if ok { Ok(text) } else { Err(text) } };
            prop_assert_eq!(read(&response.to_string()), vec![response]);
        }
    }
}
