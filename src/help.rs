//! Laws of the help: every command has examples that fit a narrow terminal, can be copied and are understood.

use clap::{CommandFactory, Parser};

use crate::Command;

/// The width that every terminal has.
const COLUMNS: usize = 80;

/// All commands with their names, those inside others too. Hidden ones are not for people.
fn commands() -> Vec<(String, clap::Command)> {
    fn add(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        let path = format!("{path} {}", command.get_name()).trim().to_string();
        let shown = |below: &&clap::Command| below.get_name() != "help" && !below.is_hide_set();
        command.get_subcommands().filter(shown).for_each(|below| add(below, &path, found));
        found.push((path, command.clone()));
    }
    let mut program = Command::command();
    program.build();
    let mut found = Vec::new();
    add(&program, "", &mut found);
    found
}

fn after_help(command: &clap::Command) -> String {
    command.get_after_help().map(ToString::to_string).unwrap_or_default()
}

/// The indented lines below the options: examples.
fn example_lines(help: &str) -> Vec<&str> {
    help.lines().filter(|line| line.starts_with("  ")).collect()
}

/// The examples, those that go on in the next line joined.
fn examples(help: &str) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in example_lines(help) {
        let (text, more) = line.trim().strip_suffix('\\').map_or((line.trim(), false), |text| (text, true));
        match examples.last_mut().filter(|_| goes_on) {
            Some(last) => *last += text,
            None => examples.push(text.to_string()),
        }
        goes_on = more;
    }
    examples
}

/// The programs that a line for the shell starts, each with its arguments: quotes, pipes, redirections and remarks.
fn shell(line: &str) -> Vec<Vec<String>> {
    let (mut programs, mut word, mut quote) = (vec![Vec::new()], None::<String>, None);
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => {
                let Some(word) = word.take() else { continue };
                match word.as_str() {
                    "|" | "&&" | ">" | ">>" | "<" => programs.push(Vec::new()),
                    _ => programs.last_mut().expect("one at least").push(word),
                }
            }
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    assert_eq!(quote, None, "an open quote in {line}");
    programs
}

#[test]
fn lines_for_the_shell_are_read() {
    let programs = shell("echo 'a b' | yomi x --y \"c d\"'e' '' >> f # more 'words");
    assert_eq!(programs, [vec!["echo", "a b"], vec!["yomi", "x", "--y", "c de", ""], vec!["f"]]);
    assert_eq!(examples("Examples:\n  a \\\n    b\n  c\n\nText"), ["a b", "c"]);
}

#[test]
fn no_example_is_broken_on_a_narrow_terminal() {
    let mut broken = Vec::new();
    for (path, command) in commands() {
        let help = after_help(&command);
        let shown = command.term_width(COLUMNS).render_long_help().to_string();
        let whole = |line: &str| shown.lines().any(|other| other.trim_end() == line.trim_end());
        let fits = |line: &str| line.chars().count() <= COLUMNS && whole(line);
        broken
            .extend(example_lines(&help).into_iter().filter(|line| !fits(line)).map(|line| format!("{path}: {line}")));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_command_has_examples_that_are_understood() {
    let mut wrong = Vec::new();
    for (path, command) in commands() {
        let examples: Vec<Vec<Vec<String>>> = examples(&after_help(&command)).iter().map(|line| shell(line)).collect();
        let ours: Vec<&Vec<String>> =
            examples.iter().flatten().filter(|words| words.first().is_some_and(|word| word == "yomi")).collect();
        // Those of `yomi stats elo` stand with `yomi stats`.
        assert!(!ours.is_empty() || path.split(' ').count() != 2, "{path} has no example");
        for words in ours {
            let error = Command::try_parse_from(words).err();
            wrong.extend(error.map(|error| format!("{path}: {}: {error}", words.join(" "))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
