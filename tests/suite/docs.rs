//! The documentation names what the program has (pages of methods, their parameters, commands, files) in words that readers know.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use yomi_learn::run::{Config, METHODS};

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

/// The page of a method, which has what every page has.
fn page_of(name: &str) -> String {
    let page = read(&format!("docs/methods/{name}.md"));
    assert!(page.starts_with(&format!("# {name}\n")), "{name}");
    for heading in ["## When to use it", "## Measured", "Code: "] {
        assert!(page.contains(heading), "{name}: {heading} is missing");
    }
    page
}

/// Commands of `yomi learn` that are no methods of learning: the overview describes them.
const LEARN_TOOLS: [&str; 4] = ["nnue-samples", "nnue-round", "compare", "gradient-speed"];

/// All commands of `yomi learn`: they are indented by two columns in its help, and descriptions by more.
fn learn_commands() -> Vec<String> {
    let help = yomi(&["learn", "--help"]);
    let words = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let command = |name: &&str| help.contains(&format!("\n  {name} ")) && !name.starts_with('-');
    words.filter(command).filter(|name| *name != "help" && *name != "yomi").map(str::to_string).collect()
}

/// The default of a setting of `yomi learn`; `steps.rate` is the rate in the table of steps.
fn setting(settings: &toml::Table, key: &str) -> Option<String> {
    let value = match key.split_once('.') {
        Some((table, key)) => settings.get(table)?.get(key)?,
        None => settings.get(key)?,
    };
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_string))
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
        let page = page_of(&name);
        let text = |value: &Value| value.as_str().expect("text").to_string();
        let parameters = method["parameters"].as_array().expect("parameters");
        let known: Parameters = parameters.iter().map(|p| (text(&p["key"]), text(&p["default"]))).collect();
        assert_eq!(documented(&page), known, "docs/methods/{name}.md");
        names.push(name);
    }
    let overview = read("docs/methods/learn.md");
    let commands = learn_commands();
    assert!(commands.len() > 15, "{commands:?}");
    for name in &commands {
        assert!(overview.contains(&format!("`{name}`")), "docs/methods/learn.md does not name {name}");
    }
    let learners = commands.iter().filter(|name| !LEARN_TOOLS.contains(&name.as_str()));
    names.extend(learners.map(|name| format!("learn-{name}")));
    names.push("train-loop".to_string());
    names.iter().for_each(|name| drop(page_of(name)));
    names.push("learn".to_string());
    let index = read("docs/methods/README.md");
    for name in &names {
        assert!(index.contains(&format!("({name}.md)")), "docs/methods/README.md does not list {name}");
    }
    // And no page of a method that is gone.
    for entry in fs::read_dir(root("docs/methods")).expect("a folder") {
        let file = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let name = file.trim_end_matches(".md");
        assert!(
            name == "README" || names.iter().any(|known| known == name),
            "docs/methods/{file}: there is no such method"
        );
    }
}

#[test]
fn pages_of_learners_have_the_settings_of_the_program() {
    let settings = toml::to_string(&Config::default()).expect("TOML").parse::<toml::Table>().expect("TOML");
    let overview = read("docs/methods/learn.md");
    let (_, shared) = overview.split_once("\n## Settings\n").expect("settings");
    let shared = shared.split("\n## ").next().unwrap_or_default().to_string();
    assert!(documented(&shared).len() > 10, "{shared}");
    let pages = METHODS.iter().map(|name| page_of(&format!("learn-{name}")));
    for page in pages.chain([shared]) {
        for (key, default) in documented(&page) {
            let known = setting(&settings, &key).unwrap_or_else(|| panic!("{key} is no setting: {page}"));
            assert!(known == default || known == format!("{default}.0"), "{key} is {known}: {page}");
        }
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

#[test]
fn what_holds_the_invariants_exists() {
    let page = read("ARCHITECTURE.md");
    let (_, table) = page.split_once("### What holds them\n").expect("the table");
    let rows: Vec<&str> = table.split("\n## ").next().unwrap_or_default().lines().skip(3).collect();
    assert!(rows.iter().filter(|row| row.starts_with("| ")).count() > 10, "{rows:?}");
    for row in rows.iter().filter(|row| row.starts_with("| ")) {
        let holder = row.trim_end_matches(" |").rsplit(" | ").next().expect("a cell");
        for path in holder.split('`').skip(1).step_by(2).filter(|word| word.contains('/') || word.contains(".toml")) {
            assert!(root(path).exists(), "{row}");
        }
    }
}

/// Where the links and pictures of a page lead.
fn links(page: &str) -> std::collections::BTreeSet<&str> {
    let after = |mark: &'static str, end: char| page.split(mark).skip(1).filter_map(move |rest| rest.split_once(end));
    after("](", ')').chain(after("src=\"", '"')).map(|(link, _)| link).collect()
}

/// The two READMEs say the same: the same sections, rows, commands, links and pictures, all of which exist.
#[test]
fn the_readme_is_the_same_in_japanese() {
    let (english, japanese) = (read("README.md"), read("README.ja.md"));
    let (mut here, mut there) = (links(&english), links(&japanese));
    assert!(here.remove("README.ja.md") && there.remove("README.md"), "each leads to the other");
    assert_eq!(here, there);
    assert!(here.len() > 25, "{here:?}");
    for link in here.iter().filter(|link| !link.contains("://")) {
        assert!(root(link).exists(), "{link}");
    }
    let count = |page: &str, start: &str| page.lines().filter(|line| line.starts_with(start)).count();
    for start in ["## ", "|", "cargo "] {
        assert_eq!(count(&english, start), count(&japanese, start), "lines that begin with {start:?}");
    }
}

/// Words that readers of the field stumbled over, and what is said instead.
const WORDS: &[(&str, &str)] = &[
    ("told", "given, reported, settings"),
    ("nobody", "no player, neither side"),
    ("whoever", "every worker, the side that"),
    ("so many", "this many, a number of"),
    ("learnt", "learned"),
    ("foretell", "predict"),
    ("foretold", "predicted"),
    ("chance descends", "the seed of all random numbers"),
    ("to be had", "available"),
];

/// Quantities, and what they are counted per: "200 games per row", never "200 games a row".
const QUANTITIES: &[&str] = &[
    "evaluations",
    "games",
    "milliseconds",
    "ms",
    "nodes",
    "nats",
    "playouts",
    "plies",
    "seconds",
    "siblings",
    "simulations",
    "visits",
];
const COUNTED_PER: &[&str] = &[
    "evaluation",
    "game",
    "line",
    "move",
    "node",
    "playout",
    "ply",
    "point",
    "position",
    "row",
    "sample",
    "search",
    "second",
    "side",
    "step",
];

/// Names that do not say what they stand for.
const NAMES: &[&str] =
    &["Told", "Written", "Smaller", "Here", "Around", "Facts", "Manner", "Aim", "Glance", "Whim", "whim"];

/// Words that no name of a function, a type or a variable has, as parts between underscores.
const WORDS_OF_NAMES: &[&str] = &["told", "tells", "nobody", "somebody", "somebodys", "whoever"];

/// The names with such words that a source declares: `fn every_sample_is_told`, `let told =`; and those that call something usual or so many.
fn stumbling_names(code: &str) -> Vec<&str> {
    let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "let ", "let mut ", "mod "];
    let declared = |kind: &&'static str| {
        let whole = move |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        code.match_indices(*kind).filter(move |(at, _)| whole(*at)).map(move |(at, kind)| &code[at + kind.len()..])
    };
    let end = |rest: &str| rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let names = kinds.iter().flat_map(declared).map(|rest| &rest[..end(rest)]);
    let stumbles = |name: &&str| {
        let lower = name.to_lowercase();
        let word = lower.split('_').any(|part| WORDS_OF_NAMES.contains(&part));
        word || lower.starts_with("usual_") || lower.contains("so_many")
    };
    names.filter(stumbles).collect()
}

/// What readers read of a line of code: its comment, and its strings unless they are inputs of a test. A string of one word is a key or a name and
/// keeps its marks.
fn prose_of_code(line: &str, strings: bool) -> String {
    let comment = line.split_once("//").map_or("", |(_, comment)| comment);
    let quoted = line.split('"').skip(1).step_by(2).filter(|_| strings);
    let quoted = quoted.map(|text| if text.contains(' ') { text.to_string() } else { format!("\"{text}\"") });
    quoted.chain([comment.to_string()]).collect::<Vec<_>>().join(" . ")
}

/// What readers read of a file: the comments and strings of Rust, TypeScript and CUDA, the whole of everything else.
fn prose(path: &Path, text: &str) -> String {
    let endings = ["rs", "ts", "tsx", "mjs", "cu"];
    let code = path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
    let strings = !path.iter().any(|part| part == "tests");
    let shown = |line: &str| if code { prose_of_code(line, strings) } else { line.to_string() };
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// A shell script of `scripts`, without an ending.
fn is_script(path: &Path) -> bool {
    path.extension().is_none() && path.parent().is_some_and(|folder| folder.ends_with("scripts"))
}

/// The files of a folder that people read or write, those of programs (runs, bundles, tables) left out.
fn written_by_people(folder: &Path, found: &mut Vec<PathBuf>) {
    let left_out = ["target", "node_modules", "dist", "perft", "results", "playthroughs", "seeds"];
    let endings = ["rs", "md", "py", "ts", "tsx", "mjs", "toml", "cu"];
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if entry.is_dir() {
            if !left_out.contains(&name) && !name.starts_with('.') {
                written_by_people(&entry, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(&format!(".{ending}"))) || is_script(&entry) {
            found.push(entry);
        }
    }
}

/// The complaints about a text.
fn complaints(prose: &str) -> Vec<String> {
    // A full stop between two words keeps them apart.
    let words: Vec<String> = prose
        .replace(['.', ':', ';', ',', '|', '('], " . ")
        .split(|c: char| !(c.is_alphanumeric() || ['\'', '"', '.'].contains(&c)))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found = Vec::new();
    for (wrong, instead) in WORDS {
        let parts: Vec<&str> = wrong.split(' ').collect();
        if words.windows(parts.len()).any(|window| window == parts) {
            found.push(format!("{wrong:?}: {instead}"));
        }
    }
    for window in words.windows(4) {
        let [before, quantity, article, unit] = window else { continue };
        let relative = ["many", "which", "the", "of"].contains(&before.as_str());
        let per = ["a", "an"].contains(&article.as_str()) && COUNTED_PER.contains(&unit.as_str());
        if per && !relative && QUANTITIES.contains(&quantity.as_str()) {
            found.push(format!("\"{quantity} {article} {unit}\": {quantity} per {unit}"));
        }
    }
    found
}

#[test]
fn words_are_those_of_the_field() {
    assert_eq!(complaints("So many things were told: 200 games a row, or 3 ms a move.").len(), 4);
    assert_eq!(complaints("How many visits a move has; 200 games per row; the key is \"told\".").len(), 0);
    assert_eq!(prose_of_code("say(\"was told\", \"key\"); // why", true), "was told . \"key\" .  why");
    assert_eq!(prose_of_code("say(\"was told\", \"key\"); // why", false), " why");
    assert_eq!(stumbling_names("fn it_is_told() { let told = 1; let mut usual_komi = 2; }").len(), 3);
    assert_eq!(stumbling_names("fn unusual() { let usual = 1; outlet told; whoever() }"), [""; 0]);
    let mut files =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Cargo.toml", ".ci/run"].map(root).to_vec();
    for run in fs::read_dir(root("results")).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        files.extend([run.join("README.md"), run].into_iter().filter(|file| file.is_file()));
    }
    for folder in [
        "crates",
        "src",
        "tests",
        "docs",
        "experiments",
        "python",
        "web",
        "weights",
        "benches",
        "examples",
        "scripts",
        "fuzz",
        "packaging",
    ] {
        written_by_people(&root(folder), &mut files);
    }
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| **file != root("tests/suite/docs.rs")) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut found = complaints(&prose(file, &text));
        for name in NAMES {
            let declared = ["struct ", "enum ", "trait ", "type ", "fn "].iter().any(|kind| {
                let whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                text.split(&format!("{kind}{name}")).skip(1).any(whole)
            });
            if declared {
                found.push(format!("{name} does not say what it stands for"));
            }
        }
        if file.extension().is_some_and(|ending| ending == "rs") {
            let names = stumbling_names(&text);
            found.extend(names.iter().map(|name| format!("the name {name} has a word that readers stumble over")));
        }
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
