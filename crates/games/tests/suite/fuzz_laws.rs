//! The laws of the fuzz targets on stable Rust: seeds, seeds with faults, and noise, the same in every run.

#[path = "../../../../fuzz/laws.rs"]
mod laws;

use std::panic::catch_unwind;

use yomi_core::{Rng, Seed};

/// How many inputs are made of a law's seeds, and how many of nothing.
const FAULTY: u64 = 4_000;
const NOISE: u64 = 500;

/// The seeds of a law, in the order of their names.
fn seeds(law: &str) -> Vec<Vec<u8>> {
    let folder = format!("{}/../../fuzz/seeds/{law}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// One fault: a byte changed, put in or taken out, a stretch taken out, doubled, or replaced by one of another seed.
fn spoil(data: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let stretch = |data: &[u8], rng: &mut Rng| {
        let from = rng.below(data.len() + 1);
        from..(from + rng.below(24)).min(data.len())
    };
    let at = rng.below(data.len() + 1);
    let byte = rng.below(256) as u8;
    let here = stretch(data, rng);
    match rng.below(6) {
        0 if at < data.len() => data[at] = byte,
        1 if at < data.len() => drop(data.remove(at)),
        2 => data.insert(at, byte),
        3 => drop(data.drain(here)),
        4 => {
            let copy = data[here].to_vec();
            drop(data.splice(at..at, copy));
        }
        _ => {
            let there = stretch(other, rng);
            drop(data.splice(here, other[there].iter().copied()));
        }
    }
}

#[test]
fn every_law_holds_on_seeds_and_noise() {
    for (name, law) in laws::LAWS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let try_it = |data: &[u8]| {
            let shown = || String::from_utf8_lossy(data).into_owned();
            assert!(catch_unwind(|| law(data)).is_ok(), "{name} is broken by {data:?}\n{}", shown());
        };
        seeds.iter().for_each(|seed| try_it(seed));
        for index in 0..FAULTY {
            let mut rng = Seed::new(11).branch(name, index).rng();
            let mut data = seeds[rng.below(seeds.len())].clone();
            for _ in 0..=rng.below(4) {
                let other = &seeds[rng.below(seeds.len())];
                spoil(&mut data, other, &mut rng);
            }
            try_it(&data);
        }
        for index in 0..NOISE {
            let mut rng = Seed::new(12).branch(name, index).rng();
            let data: Vec<u8> = (0..rng.below(200)).map(|_| rng.below(256) as u8).collect();
            try_it(&data);
        }
    }
}

/// Every law is a fuzz target, and every fuzz target a law.
#[test]
fn every_law_has_its_target() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz");
    let manifest = std::fs::read_to_string(format!("{root}/Cargo.toml")).unwrap();
    for (name, _) in laws::LAWS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let target = std::fs::read_to_string(format!("{root}/fuzz_targets/{name}.rs")).unwrap();
        assert!(target.contains(&format!("laws::{name}(data)")), "{name}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), laws::LAWS.len());
}

/// Rows of the record are added up: they name targets that there are, and numbers. Every target has been run.
#[test]
fn what_was_fuzzed_is_on_record() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/executions.jsonl");
    let record = std::fs::read_to_string(path).unwrap();
    let mut run = std::collections::BTreeSet::new();
    for row in record.lines() {
        let field = |name: &str| {
            let (_, rest) = row.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name} in {row}"));
            rest.split([',', '}']).next().unwrap().trim_matches('"').to_string()
        };
        for number in ["cpu_seconds", "executions", "found"] {
            assert!(field(number).parse::<u64>().is_ok(), "{number} in {row}");
        }
        assert!(field("date").len() == 10 && !field("commit").is_empty(), "{row}");
        run.insert(field("target"));
    }
    for (name, _) in laws::LAWS {
        assert!(run.remove(name), "{name} has not been run");
    }
    assert!(run.is_empty(), "no targets: {run:?}");
}
