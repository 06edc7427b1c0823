//! The runs of learners: folders with a file of curves, a JSON object a line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::file::read_text_file;

/// The names of such files.
const FILES: [&str; 2] = ["curves.jsonl", "curve.jsonl"];
/// How deep below a folder they lie.
const DEPTH: u32 = 3;
/// The largest file that is read.
const LARGEST: u64 = 64 << 20;
/// The most points of a curve: more than a screen has.
const MOST_POINTS: usize = 1500;

/// The learners' runs, in order of their names.
pub(crate) fn list(folders: &[PathBuf]) -> Value {
    let names: Vec<String> = find(folders).into_iter().map(|(name, _)| name).collect();
    json!({ "type": "learners", "learners": names })
}

fn find(folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        walk(folder, &name, DEPTH, &mut found);
    }
    found.sort();
    found
}

fn walk(path: &Path, name: &str, depth: u32, found: &mut Vec<(String, PathBuf)>) {
    if let Some(file) = FILES.iter().map(|file| path.join(file)).find(|file| file.is_file()) {
        found.push((name.to_string(), file));
    }
    if depth == 0 {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), &format!("{name}/{}", entry.file_name().to_string_lossy()), depth - 1, found);
        }
    }
}

/// The numbers of every line, field by field.
pub(crate) fn curves(folders: &[PathBuf], name: &str) -> Result<Value, TextError> {
    let found = find(folders).into_iter().find(|(other, _)| other == name);
    let (_, file) = found.ok_or_else(|| TextError::new(format!("there is no learner called {name}")))?;
    let text = read_text_file(&file.to_string_lossy(), LARGEST)?;
    // A line that is being written is not there yet.
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    let last = rows.len().saturating_sub(1);
    let shown: Vec<&Value> =
        rows.iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, row)| row).collect();
    let mut fields: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (place, row) in shown.iter().enumerate() {
        for (field, number) in numbers(row) {
            fields.entry(field).or_insert_with(|| vec![None; shown.len()])[place] = Some(number);
        }
    }
    let order: Vec<String> = rows.last().map(numbers).unwrap_or_default().into_iter().map(|(field, _)| field).collect();
    Ok(json!({ "type": "curves", "name": name, "lines": rows.len(), "fields": fields, "order": order }))
}

/// The numbers of a line by their names, those of an object inside it with its name in front: `gate.elo`.
fn numbers(row: &Value) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (key, value) in row.as_object().into_iter().flatten() {
        match value {
            Value::Object(inside) => {
                let numbers =
                    inside.iter().filter_map(|(name, value)| Some((format!("{key}.{name}"), value.as_f64()?)));
                found.extend(numbers);
            }
            value => found.extend(value.as_f64().map(|number| (key.clone(), number))),
        }
    }
    found
}
