//! Networks through ONNX Runtime (feature `ort`), against the definition. Its library is the user's: without `ORT_DYLIB_PATH` only the messages
//! for a user without it are tested.
#![cfg(feature = "ort")]

use crate::common;

use yomi_core::Seed;
use yomi_net::backend::Answers;
use yomi_net::fold::Folded;
use yomi_net::input::Layout;
use yomi_net::open::{Choice, Precision, Provider, open, open_file};
use yomi_net::runtime::Runtime;
use yomi_net::sample::{Comparison, Sample};
use yomi_net::{Architecture, onnx};

fn library() -> bool {
    std::env::var_os("ORT_DYLIB_PATH").is_some()
}

#[test]
fn every_layout_answers_as_the_definition_does() {
    if !library() {
        return;
    }
    for layout in [Layout::Shogi, Layout::Dlshogi, Layout::Minishogi, Layout::Go(9), Layout::Go(13), Layout::BlokusDuo]
    {
        let network = common::network(Architecture::new(layout, 1, 8), 3);
        let backend = open(&network, Choice::Runtime(Provider::Cpu), 1).unwrap().backend;
        assert_eq!(backend.layout(), layout);
        let sample = Sample::of(layout, 6, Seed::new(2)).unwrap();
        let mut answers = Answers::default();
        backend.evaluate(sample.request(), &mut answers).unwrap();
        let compared = Comparison::new(&sample, &answers, &sample.by_reference(&Folded::new(&network)));
        assert!(
            compared.value < 1e-4 && compared.policy_relative < 1e-4 && compared.score < 1e-3,
            "{layout:?}: {compared:?}"
        );
        assert_eq!(compared.top_move, 1.0);
    }
}

/// A graph that this project could not import is taken as it is, from a file.
#[test]
fn files_are_taken_as_they_are() {
    let network = common::network(Architecture::new(Layout::Minishogi, 1, 8), 3);
    let folder = std::env::temp_dir().join(format!("yomi-net-runtime-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("graph.onnx");
    std::fs::write(&file, onnx::export(&network)).unwrap();
    let opened = open_file(&file.display().to_string(), Choice::Runtime(Provider::Cpu), 1, Precision::default());
    assert_eq!(opened.is_ok(), library(), "{:?}", opened.err());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_is_reported() {
    let error = Runtime::new(b"not a graph", Provider::Cpu, 1).err().unwrap();
    let words = if library() { "the graph does not open" } else { "its library does not load" };
    assert!(error.message.contains(words), "{error:?}");
}
