//! Programs as they are typed.
//!
//! ```text
//! usi:fairy-stockfish                                   the language, a colon, the command
//! gtp:gnugo --mode gtp --level 10                       with its arguments
//! usi(fairy-stockfish, "Skill Level"=3, Threads=1)      with options of the program
//! gtp("gnugo --mode gtp", level=10, patience=60)        the command in quotes if it has arguments
//! xboard(gnuminishogi) depth=4
//! ```
//!
//! The second form is a [`Spec`]: its keys are the program's own options. Over USI they are sent with `setoption`, over GTP each is a
//! command with its argument (`level 10`), over the xboard dialogue too. Five keys are kept for us: `patience`, `grace` and `ready`
//! (seconds, see [`Patience`]), `directory` (where the program is started) and `timing` (`byoyomi` or `movetime`: how a USI program is
//! given the time for a move). The budget per move (`nodes=500`, `time=1`) stands behind, as with players of ours.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use yomi_core::{Spec, TextError};
pub use yomi_session::foreign::Protocol;
use yomi_session::foreign::long_form;

use super::engine::Engine;
use super::fault::Fault;
use super::gtp::Gtp;
use super::patience::Patience;
use super::process::CommandLine;
use super::usi::Usi;
use super::xboard::Xboard;

/// How a USI program is given the time for a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Timing {
    /// `btime 0 wtime 0 byoyomi MS`, which every program knows.
    #[default]
    Byoyomi,
    /// `movetime MS`, which some obey better.
    Movetime,
}

/// A program and how to start it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// What it speaks.
    pub protocol: Protocol,
    /// The command.
    pub command: CommandLine,
    /// Options of its own: name and value. No value presses a button.
    pub options: Vec<(String, Option<String>)>,
    /// How long it is waited for.
    pub patience: Patience,
    /// How it is given the time.
    pub timing: Timing,
}

impl Launch {
    /// The short form as a specification, settings behind it kept: `gtp:gnugo --mode gtp time=1` is `gtp("gnugo --mode gtp") time=1`.
    /// Any other text comes back as it is.
    pub fn expand(text: &str) -> Result<String, TextError> {
        Ok(long_form(text)?.unwrap_or_else(|| text.trim().to_string()))
    }

    /// Reads `usi(…)`, `gtp(…)` or `xboard(…)`.
    pub fn from_spec(spec: &Spec) -> Result<Launch, TextError> {
        let found = Protocol::named(&spec.name);
        let protocol = found.ok_or_else(|| spec.error("the languages are usi, gtp and xboard"))?;
        let command = spec.positional(0).ok_or_else(|| spec.error(format!("{}(…) needs a command", spec.name)))?;
        let mut launch = Launch {
            protocol,
            command: words(&command.name).map_err(|message| command.error(message))?,
            options: Vec::new(),
            patience: Patience::default(),
            timing: Timing::default(),
        };
        for (key, value) in spec.keyed() {
            match key {
                "patience" => launch.patience.think = seconds(value)?,
                "grace" => launch.patience.grace = seconds(value)?,
                "ready" => (launch.patience.start, launch.patience.ready) = (seconds(value)?, seconds(value)?),
                "directory" => launch.command.directory = Some(PathBuf::from(&value.name)),
                "timing" => {
                    launch.timing = value.choice(&[("byoyomi", Timing::Byoyomi), ("movetime", Timing::Movetime)])?;
                }
                _ => launch.options.push((key.to_string(), Some(value.to_string()))),
            }
        }
        // A name alone presses a button: `usi(engine, "Clear Hash")`.
        for index in 1.. {
            let Some(button) = spec.positional(index) else { break };
            launch.options.push((button.name.clone(), None));
        }
        spec.reject_unused()?;
        Ok(launch)
    }

    /// Starts the program and waits for its introduction. What is said is written to `log`.
    pub fn start(&self, log: Option<Box<dyn Write + Send>>) -> Result<Box<dyn Engine>, Fault> {
        Ok(match self.protocol {
            Protocol::Usi => Box::new(Usi::start(self, log)?),
            Protocol::Gtp => Box::new(Gtp::start(self, log)?),
            Protocol::Xboard => Box::new(Xboard::start(self, log)?),
        })
    }
}

impl FromStr for Launch {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Launch, TextError> {
        Launch::from_spec(&Spec::parse(&Launch::expand(text)?)?)
    }
}

fn seconds(value: &Spec) -> Result<Duration, TextError> {
    let duration =
        Duration::try_from_secs_f64(value.value()?).ok().filter(|d| *d <= Duration::from_secs(7 * 24 * 3600));
    duration.ok_or_else(|| value.error("a number of seconds was expected, a week at most"))
}

/// A command as its words: spaces separate, quotes of either kind hold together.
fn words(text: &str) -> Result<CommandLine, String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                if !open {
                    words.push(String::new());
                }
                open = true;
            }
            None if c.is_whitespace() => open = false,
            _ if open => words.last_mut().into_iter().for_each(|word| word.push(c)),
            _ => {
                words.push(c.to_string());
                open = true;
            }
        }
    }
    if quote.is_some() {
        return Err("a quote in this command is never closed".to_string());
    }
    let mut words = words.into_iter();
    let program = words.next().filter(|word| !word.is_empty()).ok_or("a command was expected here")?;
    Ok(CommandLine { program, args: words.collect(), directory: None, guard: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_become_specifications() {
        for (short, long) in [
            ("usi:fairy-stockfish", "usi(fairy-stockfish)"),
            ("gtp:gnugo --mode gtp --level 10", "gtp(\"gnugo --mode gtp --level 10\")"),
            ("gtp: pachi threads=1 -t =500  nodes=3 time=0.5", "gtp(\"pachi threads=1 -t =500\") nodes=3 time=0.5"),
            (r#"usi:"my engine" -x"#, r#"usi("\"my engine\" -x")"#),
            ("usi(x,A=1) nodes=5", "usi(x,A=1) nodes=5"),
            ("mcss(t=80) sims=5", "mcss(t=80) sims=5"),
        ] {
            assert_eq!(Launch::expand(short).unwrap(), long);
        }
        for wrong in ["usi:", "gtp:  ", "usi: nodes=5"] {
            assert!(Launch::expand(wrong).is_err(), "{wrong}");
        }
        assert_eq!((Protocol::named("gtp"), Protocol::named("uct")), (Some(Protocol::Gtp), None));
    }

    #[test]
    fn reads_commands_and_options() {
        let launch: Launch = r#"usi("fairy-stockfish 'a b' c", "Skill Level"=3, patience=60, timing=movetime, "Clear Hash")"#
            .parse()
            .unwrap();
        assert_eq!((launch.protocol, launch.command.program.as_str()), (Protocol::Usi, "fairy-stockfish"));
        assert_eq!(launch.command.args, ["a b", "c"]);
        let options: Vec<(&str, Option<&str>)> =
            launch.options.iter().map(|(n, v)| (n.as_str(), v.as_deref())).collect();
        assert_eq!(options, [("Skill Level", Some("3")), ("Clear Hash", None)]);
        assert_eq!((launch.patience.think, launch.timing), (Duration::from_secs(60), Timing::Movetime));
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (text, column) in [
            ("usi()", 1),
            ("foo(x)", 1),
            ("usi(x,patience=soon)", 16),
            ("usi(x,patience=1e99)", 16),
            ("usi(x,timing=never)", 14),
            ("usi(\"'x\")", 5),
        ] {
            assert_eq!(text.parse::<Launch>().unwrap_err().column, column, "{text}");
        }
    }
}
