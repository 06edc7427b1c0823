//! Memory is mapped when a search is prepared, not when it begins. One test, because the memory of a process is one number.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use yomi_core::toy::Nim;
use yomi_core::{Answer, Evaluator, Line, Position, Question};
use yomi_games::shogi::Shogi9;
use yomi_search::mate::{Mate, MateOptions, MateSearch};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Method, Search, TreeSearch};

/// Counts how often it is asked.
struct Even<'a>(&'a AtomicU32);

impl Evaluator<Nim> for Even<'_> {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, Nim>, answer: &mut Answer<<Nim as Position>::Move>, (): &mut ()) {
        answer.by_value(question, 1.0, |_| {
            self.0.fetch_add(1, Ordering::Relaxed);
            0.0
        });
    }
}

/// MiB of memory in use; 256 pages are one.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap();
    pages / 256
}

#[test]
fn memory_and_evaluators_are_ready_before_the_first_search() {
    let line = Line::new(Nim::new(12));
    let asked = AtomicU32::new(0);
    let options: AlphaBetaOptions = "alpha-beta(hash=128)".parse().unwrap();
    let before = resident();
    let mut search = AlphaBeta::new(Even(&asked), options);
    search.new_game();
    assert!(resident() < before + 16, "an unused table needs no clearing");
    search.prepare(&line, &AtomicBool::new(true));
    assert!(resident() < before + 32, "nothing is mapped for a conversation that has ended");
    asked.store(0, Ordering::Relaxed);
    search.prepare(&line, &AtomicBool::new(false));
    let ready = resident();
    assert!(ready >= before + 120, "{before} -> {ready}");
    assert_eq!(asked.swap(0, Ordering::Relaxed), 1);
    let found = search.search(&line, &Limits::depth(6), &mut ());
    assert!(resident() < ready + 16);
    // Nothing that is found depends on it, and a new game forgets everything.
    let elapsed = std::time::Duration::ZERO;
    let plain = AlphaBeta::new(Even(&asked), options).search(&line, &Limits::depth(6), &mut ());
    search.new_game();
    let again = search.search(&line, &Limits::depth(6), &mut ());
    for other in [plain, again] {
        let other = yomi_search::Verdict { elapsed, ..other };
        assert_eq!(other, yomi_search::Verdict { elapsed, ..found.clone() });
    }
    drop(search);

    let method: Method = "mcss(t=0.3,hash=256)".parse().unwrap();
    let before = resident();
    let mut search = TreeSearch::new(method, Even(&asked));
    asked.store(0, Ordering::Relaxed);
    search.prepare(&line, &AtomicBool::new(false));
    let ready = resident();
    // The first part of it: what a tree never grows to stays free.
    assert!((before + 56..before + 100).contains(&ready), "{before} -> {ready}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let found = search.search(&line, &Limits::simulations(500), &mut ());
    let plain = TreeSearch::new("mcss(t=0.3,hash=256)".parse().unwrap(), Even(&asked));
    let plain = { plain }.search(&line, &Limits::simulations(500), &mut ());
    assert_eq!((found.best, found.value, found.nodes), (plain.best, plain.value, plain.nodes));
    drop(search);

    // A short question to a mate search does not touch all of a large table: that took a second for a gigabyte, during which nothing could end it.
    let before = resident();
    let mut search = MateSearch::new(MateOptions { hash: 1024, ..MateOptions::default() });
    let line = Line::new(Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").unwrap());
    assert!(matches!(search.solve(&line, &Limits::infinite(), &mut ()).mate, Mate::Found { .. }));
    let after = resident();
    assert!(after < before + 512, "{before} -> {after}");
}
