//! The documentation names what the program has: pages of methods, their parameters, commands, files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn yomi(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).output().expect("the program starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Parameters and their defaults.
type Parameters = BTreeMap<String, String>;

/// The parameters of a page: the rows of its table whose first cell is a word of code.
fn documented(page: &str) -> Parameters {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| {
        let (key, rest) = row.split_once("` |")?;
        let default = rest.trim_end_matches('|').rsplit(" | ").next()?.trim();
        Some((key.to_string(), default.trim_matches('`').to_string()))
    });
    cells.collect()
}

#[test]
fn every_method_has_a_page_with_its_parameters() {
    let mut names = Vec::new();
    for line in yomi(&["methods", "--json"]).lines() {
        let method: Value = serde_json::from_str(line).expect("JSON");
        if method["type"] != "method" {
            continue;
        }
        let name = method["name"].as_str().expect("a name").to_string();
        let page = read(&format!("docs/methods/{name}.md"));
        assert!(page.starts_with(&format!("# {name}\n")), "{name}");
        for heading in ["## When to use it", "## Measured", "Code: "] {
            assert!(page.contains(heading), "{name}: {heading} is missing");
        }
        let text = |value: &Value| value.as_str().expect("text").to_string();
        let parameters = method["parameters"].as_array().expect("parameters");
        let known: Parameters = parameters.iter().map(|p| (text(&p["key"]), text(&p["default"]))).collect();
        assert_eq!(documented(&page), known, "docs/methods/{name}.md");
        names.push(name);
    }
    let index = read("docs/methods/README.md");
    // Methods of learning are indented by two columns, their descriptions by more.
    let learn = yomi(&["learn", "--help"]);
    let methods = learn.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let methods =
        methods.filter(|name| learn.contains(&format!("\n  {name} ")) && *name != "help" && !name.starts_with('-'));
    let page = read("docs/methods/learn.md");
    for name in methods.filter(|name| *name != "yomi") {
        assert!(page.contains(&format!("`{name}`")), "docs/methods/learn.md does not name {name}");
    }
    let learners = ["learn", "learn-go", "learn-blokus", "learn-nnue"].map(str::to_string);
    for name in names.iter().cloned().chain(learners) {
        assert!(index.contains(&format!("({name}.md)")), "docs/methods/README.md does not list {name}");
    }
    // And no page of a method that is gone.
    for entry in fs::read_dir(root("docs/methods")).expect("a folder") {
        let file = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let name = file.trim_end_matches(".md");
        let learner = name.starts_with("learn");
        assert!(
            name == "README" || learner || names.iter().any(|known| known == name),
            "docs/methods/{file}: there is no such method"
        );
    }
}

#[test]
fn the_options_of_tree_searches_are_those_of_the_index() {
    let all = yomi(&["methods"]);
    let (_, options) = all.split_once("with every method of the tree family\n").expect("the options");
    let lines = options.lines().take_while(|line| !line.trim().is_empty());
    let known: Vec<&str> = lines.filter_map(|line| Some(line.trim().split_once('=')?.0)).collect();
    let documented: Vec<String> = documented(&read("docs/methods/README.md")).into_keys().collect();
    let mut sorted = known.clone();
    sorted.sort_unstable();
    assert_eq!(documented, sorted);
}

/// The lines of the code blocks in this language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    page.split(fence.as_str()).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[test]
fn commands_of_the_guide_exist_and_its_experiment_can_be_read() {
    let guide = read("docs/guide.md");
    let help = yomi(&["--help"]);
    for line in blocks(&guide, "sh").iter().flat_map(|block| block.lines()) {
        let Some(command) = line.strip_prefix("yomi ") else { continue };
        let mut words = command.split_whitespace();
        let name = words.next().expect("a command");
        assert!(help.contains(&format!("\n  {name} ")), "{line}");
        let command_help = yomi(&[name, "--help"]);
        let sub = words.clone().next().filter(|word| ["experiment", "stats"].contains(&name) && !word.starts_with('-'));
        let known = sub.map_or(command_help, |sub| yomi(&[name, sub, "--help"]));
        for option in words.filter(|word| word.starts_with("--")) {
            assert!(known.contains(option), "{line}: {option}");
        }
    }
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide.toml");
    fs::write(&file, blocks(&guide, "toml")[0]).expect("a file");
    let shown = yomi(&["experiment", "show", file.to_str().expect("UTF-8")]);
    assert!(shown.contains("How cold should the backup be?") && shown.contains("120 jobs"), "{shown}");
}

#[test]
fn files_of_the_glossary_exist() {
    let mut found = 0;
    for row in read("docs/glossary.md").lines().filter(|line| line.starts_with("| ")) {
        let place = row.trim_end_matches(" |").rsplit(" | ").next().expect("a cell");
        for path in place.split('`').skip(1).step_by(2).filter(|path| path.contains('/')) {
            assert!(root("crates").join(path).exists(), "{row}");
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}
