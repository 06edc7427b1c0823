//! Limits: nodes, evaluations, requests to stop, counted clocks; and reports, which change nothing.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use yomi_core::Line;
use yomi_core::clock::Stopwatch;
use yomi_core::toy::{Column, ConnectFour};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::time::{MoveTime, Paced};
use yomi_search::{Ended, Limits, Search, Verdict, Watch};

use super::{Noise, SharpTree, TreeValues, small};

#[test]
fn node_and_evaluation_limits_are_met_exactly() {
    let line = Line::new(ConnectFour::default());
    for limit in [0, 1, 2, 77, 1000, 12_345] {
        let mut search = AlphaBeta::new(Noise, small(AlphaBetaOptions::default()));
        let verdict = search.search(&line, &Limits::nodes(limit), &mut ());
        assert_eq!((verdict.nodes, verdict.ended), (limit, Some(Ended::Nodes)));
        assert!(line.is_legal(verdict.best.unwrap()));
        let verdict = search.search(&line, &Limits::evaluations(limit), &mut ());
        assert_eq!((verdict.evaluations, verdict.ended), (limit, Some(Ended::Evaluations)));
        assert!(line.is_legal(verdict.best.unwrap()));
    }
    let mut search = AlphaBeta::new(Noise, AlphaBetaOptions { threads: 2, ..small(AlphaBetaOptions::default()) });
    let verdict = search.search(&line, &Limits::nodes(100_000), &mut ());
    assert!((100_000..120_000).contains(&verdict.nodes), "{}", verdict.nodes);
}

/// Asks to stop when it is asked for the n-th time, and notes when the search came back to it.
struct Impatient {
    asked: Cell<u64>,
    patience: u64,
}

impl<M> Watch<M> for Impatient {
    fn should_stop(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get() >= self.patience
    }
}

#[test]
fn stops_on_request() {
    let line = Line::new(ConnectFour::default());
    for threads in [1, 2] {
        for patience in [1, 2, 10, 30] {
            let mut search = AlphaBeta::new(Noise, AlphaBetaOptions { threads, ..small(AlphaBetaOptions::default()) });
            let mut watch = Impatient { asked: Cell::new(0), patience };
            let verdict = search.search(&line, &Limits::infinite(), &mut watch);
            assert_eq!((watch.asked.get(), verdict.ended), (patience, Some(Ended::Stopped)), "asked and stopped");
            assert!(line.is_legal(verdict.best.unwrap()));
        }
        let flag = Arc::new(AtomicBool::new(true));
        let mut search = AlphaBeta::new(Noise, AlphaBetaOptions { threads, ..small(AlphaBetaOptions::default()) });
        let verdict = search.search(&line, &Limits::infinite(), &mut flag.clone());
        assert_eq!((verdict.nodes, verdict.ended), (0, Some(Ended::Stopped)));
        assert!(flag.load(Relaxed));
    }
}

/// A watch whose clock shows a millisecond more each time it is read.
struct Ticking(&'static AtomicU64);

impl<M> Watch<M> for Ticking {
    fn clock(&self) -> Stopwatch {
        Stopwatch::counted(self.0, Duration::from_millis(1))
    }
}

#[test]
fn keeps_to_its_time() {
    static READINGS: AtomicU64 = AtomicU64::new(0);
    let line = Line::new(ConnectFour::default());
    for (threads, ms) in [(1, 0), (1, 1), (1, 30), (2, 30)] {
        let limit = Duration::from_millis(ms);
        let mut search = AlphaBeta::new(Noise, AlphaBetaOptions { threads, ..small(AlphaBetaOptions::default()) });
        let verdict = search.search(&line, &Limits::time(limit), &mut Ticking(&READINGS));
        assert_eq!(verdict.ended, Some(Ended::Time), "{threads} threads, {ms} ms");
        // The reading that reaches the limit ends it; a few more date the verdict.
        let late = limit + Duration::from_millis(4);
        assert!((limit..=late).contains(&verdict.elapsed), "{threads} threads, {ms} ms: {:?}", verdict.elapsed);
        assert!(line.is_legal(verdict.best.unwrap()));
    }
}

#[test]
fn a_soft_limit_ends_it_earlier() {
    static READINGS: AtomicU64 = AtomicU64::new(0);
    let line = Line::new(ConnectFour::default());
    let time = MoveTime { soft: Duration::from_millis(10), hard: Duration::from_secs(3600) };
    let mut search = AlphaBeta::new(Noise, small(AlphaBetaOptions::default()));
    let mut ticking = Ticking(&READINGS);
    let verdict = search.search(&line, &Limits::time(time.hard), &mut Paced::new(time, &mut ticking));
    assert_eq!(verdict.ended, Some(Ended::Stopped), "the hard limit, an hour, would have ended it by time");
    assert!(verdict.elapsed >= time.soft && verdict.elapsed < time.hard, "{:?}", verdict.elapsed);
}

/// A tree in which the first move looks best until depth 3 refutes it, the second is sound, and the third takes long to look at.
fn late_refutation(first: &str) -> Line<SharpTree> {
    let wide = format!("-50:({})", vec!["-50:(-50:(-50:(0 0) -50:(0 0)))"; 20].join(" "));
    Line::new(SharpTree(format!("1:(60:(60:({first})) 40:(40:(40:(0 0) 40:(0 0))) {wide})").parse().unwrap(), false))
}

/// If the time runs out in the middle of an iteration, what it has found so far counts.
#[test]
fn half_an_iteration_is_better_than_none() {
    let best_at = |line: &Line<SharpTree>, nodes| {
        let options =
            AlphaBetaOptions { pawn: 100.0, extend: false, quiet: None, ..small(AlphaBetaOptions::default()) };
        let verdict = AlphaBeta::tactical(TreeValues, options).search(line, &Limits::nodes(nodes), &mut ());
        (verdict.depth, verdict.best.unwrap().0, verdict.proof)
    };
    // The refutation costs material: the second move is best as soon as it has been looked at.
    let line = late_refutation("-90:(0 0) -90:(0 0)");
    let answers: Vec<_> = (1..200).map(|nodes| best_at(&line, nodes)).collect();
    assert!(answers.iter().any(|&(depth, best, _)| depth == 2 && best == 0), "{answers:?}");
    assert!(answers.iter().any(|&(depth, best, _)| depth == 2 && best == 1), "{answers:?}");
    // The refutation loses at once: any other move is better, and nothing is proven before all have been looked at.
    let line = late_refutation("-1");
    let answers: Vec<_> = (1..200).map(|nodes| best_at(&line, nodes)).collect();
    let second_iteration = answers.iter().position(|&(depth, _, _)| depth == 2).unwrap();
    assert_eq!(answers[second_iteration].1, 0, "{answers:?}");
    assert_eq!(answers[second_iteration + 4].1, 1, "three nodes refute the first move: {answers:?}");
    assert!(answers.iter().all(|&(_, _, proof)| proof.is_none()), "{answers:?}");
}

/// Every report is one that could be played.
#[derive(Default)]
struct Reports {
    reports: Vec<Verdict<Column>>,
}

impl Watch<Column> for Reports {
    fn interval(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
    fn progress(&mut self, so_far: &Verdict<Column>) {
        self.reports.push(so_far.clone());
    }
}

#[test]
fn reports_do_not_change_the_result() {
    let line = Line::new(ConnectFour::default());
    let mut quiet = AlphaBeta::new(Noise, small(AlphaBetaOptions::default()));
    let mut loud = AlphaBeta::new(Noise, small(AlphaBetaOptions::default()));
    let mut heard = Reports::default();
    let a = quiet.search(&line, &Limits::nodes(30_000), &mut ());
    let b = loud.search(&line, &Limits::nodes(30_000), &mut heard);
    assert_eq!((&a.best, a.value, &a.pv, a.nodes, a.depth), (&b.best, b.value, &b.pv, b.nodes, b.depth));
    assert!(heard.reports.len() > 3);
    assert!(heard.reports.iter().all(|r| r.best == r.pv.first().copied() && r.best.is_some() && r.ended.is_none()));
    assert!(heard.reports.is_sorted_by_key(|r| (r.depth, r.nodes)));
}
