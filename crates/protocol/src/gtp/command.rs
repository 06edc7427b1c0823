//! What is said to an engine.

use std::fmt;

use yomi_core::TextError;

/// A command: `12 play black D4`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The number that the answer repeats.
    pub id: Option<u32>,
    /// What to do.
    pub name: String,
    /// With what.
    pub args: Vec<String>,
}

impl Command {
    /// A command without a number.
    pub fn new(name: &str, args: impl IntoIterator<Item = impl Into<String>>) -> Command {
        Command { id: None, name: name.to_string(), args: args.into_iter().map(Into::into).collect() }
    }

    /// Reads a line. Comments, control characters and empty lines are nothing, as the protocol wants it.
    pub fn parse(line: &str) -> Result<Option<Command>, TextError> {
        let clean: String =
            line.chars().take_while(|&c| c != '#').filter(|c| !c.is_control() || c.is_whitespace()).collect();
        let mut words = clean.split_whitespace().peekable();
        let id = words.peek().filter(|word| word.bytes().all(|b| b.is_ascii_digit())).map(|word| word.parse::<u32>());
        let id = id.transpose().map_err(|_| TextError::at(line, 0, "this number of a command is too large"))?;
        if id.is_some() {
            words.next();
        }
        match words.next() {
            Some(name) => Ok(Some(Command { id, name: name.to_string(), args: words.map(str::to_string).collect() })),
            None if id.is_some() => Err(TextError::at(line, 0, "a command was expected after its number")),
            None => Ok(None),
        }
    }

    /// The argument at `index`, or an error that says what was expected.
    pub fn arg(&self, index: usize, what: &str) -> Result<&str, TextError> {
        let arg = self.args.get(index).map(String::as_str);
        arg.ok_or_else(|| TextError::new(format!("{} expects {what}", self.name)))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.iter().try_for_each(|id| write!(f, "{id} "))?;
        write!(f, "{}", self.name)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_as_the_protocol_says() {
        let read = |line: &str| Command::parse(line).unwrap().map(|command| command.to_string());
        assert_eq!(read("play black D4").as_deref(), Some("play black D4"));
        assert_eq!(read(" 7\tgenmove\u{7}  w # my move\r").as_deref(), Some("7 genmove w"));
        assert_eq!(read("# nothing"), None);
        assert_eq!(read("   "), None);
        assert!(Command::parse("12").is_err() && Command::parse("99999999999 name").is_err());
        let command = Command::parse("play b").unwrap().unwrap();
        assert_eq!(command.arg(0, "a colour"), Ok("b"));
        assert_eq!(command.arg(1, "a point").unwrap_err().message, "play expects a point");
    }

    proptest! {
        #[test]
        fn never_panics(line in "[ -~é\u{1}\t]{0,60}") {
            if let Ok(Some(command)) = Command::parse(&line) {
                prop_assert_eq!(Command::parse(&command.to_string()).unwrap(), Some(command));
            }
        }
    }
}
