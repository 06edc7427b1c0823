//! Searches end when they should, and always with an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::common::{Hashed, METHODS, Wide, search, simulations, with};
use yomi_core::clock::Stopwatch;
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Answer, Evaluator, Line, Position, Question, Uniform};
use yomi_eval::{Constant, Rollout};
use yomi_search::time::{MoveTime, Paced, PonderHit};
use yomi_search::{Ended, Limits, Method, Search, TreeSearch, Verdict, Watch};

#[test]
fn simulations_are_counted_exactly() {
    for method in METHODS {
        for threads in [1, 2, 3] {
            let method = with(method, &format!("threads={threads},hash=8,solver=off"));
            let name = method.to_string();
            let verdict = search(method, Hashed, Wide::new(9, 30), &simulations(333, 1));
            // Growth control may leave nothing to grow before.
            if verdict.ended != Some(Ended::Exhausted) || !name.contains("growth") {
                assert_eq!((verdict.simulations, verdict.ended), (333, Some(Ended::Simulations)), "{name}");
            }
            let visits: u64 = verdict.moves.iter().map(|m| m.visits).sum();
            assert!(visits <= 333 && visits + 33 > verdict.simulations, "{name}: {visits} visits");
        }
    }
}

/// Threads defer their updates of crowded nodes, but flush them before they end.
#[test]
fn every_sample_is_reported_in_the_end() {
    for method in ["uct", "rave", "mcss(t=0.1)", "puct(c=1)"] {
        for threads in [1, 2, 3] {
            let method = with(method, &format!("threads={threads},hash=64,solver=off"));
            let verdict = search(method.clone(), Rollout::new(Uniform), ConnectFour::default(), &simulations(6000, 1));
            let visits: u64 = verdict.moves.iter().map(|m| m.visits).sum();
            assert_eq!(verdict.simulations, 6000, "{method}");
            // The first samples of each thread may have found no children.
            assert!(visits <= 6000 && visits + 10 > 6000, "{method}: {visits} visits");
        }
    }
}

/// What is settled stays: the same move as with all simulations, from fewer of them, and the lead is more than those left.
#[test]
fn a_settled_move_is_the_one_that_all_simulations_choose() {
    const ALL: u64 = 1000;
    let mut settled = 0;
    for seed in 0..40 {
        let run = |settled: &str| {
            let method = with("puct(c=1)", &format!("solver=off,settled={settled}"));
            search(method, Rollout::new(Uniform), ConnectFour::default(), &simulations(ALL, seed))
        };
        let (early, full) = (run("on"), run("off"));
        assert_eq!((early.best, full.simulations), (full.best, ALL), "seed {seed}");
        let lead = early.moves[0].visits - early.moves[1].visits;
        if early.ended == Some(Ended::Settled) {
            settled += 1;
            assert!(early.simulations < ALL && lead > ALL - early.simulations, "seed {seed}: {lead}");
            // Not a batch later than it could have been.
            assert!(lead <= ALL - early.simulations + 2 * 16, "seed {seed}: {lead}");
        } else {
            assert_eq!((early.ended, early.simulations), (Some(Ended::Simulations), ALL), "seed {seed}");
        }
    }
    assert!(settled >= 20, "{settled} of 40");
    let several = with("puct(c=1)", "solver=off,settled=on,threads=3");
    let found = search(several, Rollout::new(Uniform), ConnectFour::default(), &simulations(ALL, 1));
    let lead = found.moves[0].visits - found.moves[1].visits;
    assert!(found.simulations == ALL || lead > ALL - found.simulations, "{lead} of {}", found.simulations);
}

#[test]
fn budgets_of_nothing_give_a_legal_move() {
    let none = [
        Limits::simulations(0),
        Limits::evaluations(0),
        Limits::nodes(0),
        Limits { depth: Some(0), ..Limits::simulations(10) },
        Limits::time(Duration::ZERO),
        Limits {
            simulations: Some(0),
            evaluations: Some(0),
            nodes: Some(0),
            depth: Some(0),
            ..Limits::time(Duration::ZERO)
        },
    ];
    for method in METHODS {
        for limits in &none {
            let verdict = search(with(method, "hash=1,threads=2"), Hashed, ConnectFour::default(), limits);
            assert!(
                verdict.best.is_some() && verdict.moves.len() == 7 && !verdict.pv.is_empty(),
                "{method} {limits:?}"
            );
            assert!(verdict.ended.is_some() && verdict.value.is_finite(), "{method} {limits:?}");
            assert!(verdict.simulations <= 10, "{method} {limits:?}: {}", verdict.simulations);
        }
    }
}

/// A sample is never cut short, so a budget of evaluations or nodes is exceeded by less than one family.
#[test]
fn evaluations_and_nodes_end_a_search() {
    for method in METHODS {
        for threads in [1, 2] {
            let method = || with(method, &format!("threads={threads},hash=8,solver=off"));
            let name = method().to_string();
            let verdict = search(method(), Hashed, Wide::new(20, 40), &Limits::evaluations(1000));
            let most = 1000 + 20 * threads;
            assert!(verdict.evaluations < most, "{name}: {}", verdict.evaluations);
            assert!(verdict.evaluations >= 1000 || name.contains("growth"), "{name}: {}", verdict.evaluations);
            let verdict = search(method(), Hashed, Wide::new(20, 40), &Limits::nodes(1000));
            assert!(verdict.nodes <= 1000 + 20 * threads, "{name}: {}", verdict.nodes);
            assert!(verdict.nodes > 1000 || name.contains("growth"), "{name}: {}", verdict.nodes);
        }
    }
}

#[test]
fn no_node_lies_deeper_than_asked() {
    for method in METHODS {
        let limits = Limits { depth: Some(3), ..simulations(2000, 1) };
        let verdict = search(with(method, "hash=8,threads=2"), Hashed, Wide::new(5, 40), &limits);
        assert!(verdict.depth <= 3 && verdict.nodes_per_depth.len() <= 4, "{method}: {:?}", verdict.nodes_per_depth);
        assert_eq!(verdict.nodes_per_depth.iter().sum::<u64>(), verdict.nodes, "{method}");
        assert!(verdict.pv.len() <= 3, "{method}");
    }
    // 1 + 5 + 25 + 125 nodes and no more: a method that samples nothing twice is done.
    let verdict = search("mcss(t=1)".parse().unwrap(), Hashed, Wide::new(5, 40), &Limits::depth(3));
    assert_eq!((verdict.ended, verdict.nodes_per_depth), (Some(Ended::Depth), vec![1, 5, 25, 125]));
}

/// A search that nothing would end still ends when it has nothing left to learn.
#[test]
fn a_finished_tree_ends_an_endless_search() {
    for method in METHODS {
        for solver in ["on", "off"] {
            let method = with(method, &format!("hash=8,solver={solver}"));
            let name = method.to_string();
            let verdict = search(method, Constant::default(), Nim::new(6), &Limits::infinite());
            assert!(matches!(verdict.ended, Some(Ended::Solved | Ended::Exhausted)), "{name}: {:?}", verdict.ended);
        }
    }
}

#[test]
fn a_full_tree_says_so_and_the_search_goes_on() {
    for method in ["mcss(t=0.3)", "uct(after=0)", "puct", "ubfm"] {
        for threads in [1, 2] {
            // One mebibyte holds 47,662 nodes.
            let method = with(method, &format!("hash=1,threads={threads},solver=off"));
            let (name, grows) = (method.to_string(), method.recipe.backup.recomputes());
            let verdict = search(method, Hashed, Wide::new(100, 100), &simulations(3000, 1));
            assert!(
                verdict.tree_full && verdict.nodes <= 47_662 && verdict.fullness > 0.99,
                "{name}: {}",
                verdict.nodes
            );
            assert!(verdict.memory <= 1 << 20);
            // Means go on counting; where nothing can be learned any more the search may say so.
            assert!(verdict.simulations == 3000 || (grows && verdict.ended == Some(Ended::Exhausted)), "{name}");
        }
    }
}

/// Says stop at the n-th time it is asked.
struct StopAt(AtomicU32);

impl<M> Watch<M> for StopAt {
    fn should_stop(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) <= 1
    }
}

/// A sample that judges a leaf asks once, when it is done. One that judges twenty children asks before each of them as well: it is broken
/// off, and leaves nothing behind.
#[test]
fn stop_is_obeyed_after_the_very_sample() {
    for method in METHODS {
        let method: Method = with(method, "hash=8,solver=off");
        let siblings = method.recipe.expand.judges_siblings();
        let grows_by_chance = method.to_string().contains("growth");
        let mut searcher = TreeSearch::new(method.clone(), Hashed);
        let line = Line::new(Wide::new(20, 40));
        let verdict = searcher.search(&line, &Limits::infinite(), &mut StopAt(AtomicU32::new(50)));
        assert_eq!(verdict.ended, Some(Ended::Stopped), "{method}");
        if siblings && !grows_by_chance {
            assert_eq!((verdict.simulations, verdict.evaluations, verdict.nodes), (2, 47, 41), "{method}");
            assert_eq!(verdict.moves.iter().map(|mv| mv.visits).sum::<u64>(), 1, "{method}");
        } else if !grows_by_chance {
            assert_eq!(verdict.simulations, 50, "{method}");
        }
    }
}

/// Knows nothing, and counts how often it is asked.
struct Counted<'a>(&'a AtomicU64);

impl<P: Position> Evaluator<P> for Counted<'_> {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        self.0.fetch_add(1, Ordering::Relaxed);
        answer.by_value(question, 1.0, |_| 0.0);
    }
}

/// Waits until an evaluator was asked so often.
fn wait_for(asked: &AtomicU64, answers: u64) {
    while asked.load(Ordering::Relaxed) < answers {
        std::thread::yield_now();
    }
}

#[test]
fn a_flag_from_another_thread_stops_all_threads() {
    let (stop, asked) = (Arc::new(AtomicBool::new(false)), AtomicU64::new(0));
    let verdict = std::thread::scope(|scope| {
        let (flag, asked) = (stop.clone(), &asked);
        scope.spawn(move || {
            wait_for(asked, 500);
            flag.store(true, Ordering::Relaxed);
        });
        let mut searcher = TreeSearch::new("uct(threads=3,hash=64)".parse().unwrap(), Counted(asked));
        searcher.search(&Line::new(ConnectFour::default()), &Limits::infinite(), &mut stop.clone())
    });
    assert_eq!(verdict.ended, Some(Ended::Stopped));
    assert!(verdict.simulations > 0);
}

/// A watch whose clock shows a millisecond more each time it is read.
struct Ticking(&'static AtomicU64);

impl<M> Watch<M> for Ticking {
    fn clock(&self) -> Stopwatch {
        Stopwatch::counted(self.0, Duration::from_millis(1))
    }
}

#[test]
fn time_ends_a_search() {
    static READINGS: AtomicU64 = AtomicU64::new(0);
    for options in ["threads=1", "threads=2", "threads=2,trees=5"] {
        let method = with("uct", &format!("hash=64,{options}"));
        let line = Line::new(ConnectFour::default());
        let limits = Limits::time(Duration::from_millis(30));
        let verdict = TreeSearch::new(method, Rollout::new(Uniform)).search(&line, &limits, &mut Ticking(&READINGS));
        assert_eq!(verdict.ended, Some(Ended::Time), "{options}");
        assert!(verdict.elapsed >= Duration::from_millis(30), "{options}");
        assert!(verdict.simulations > 0);
    }
}

/// Thinking in the opponent's time: no end until the hit, a budget from then on, and the tree of the guess is the tree of the move.
#[test]
fn pondering_turns_into_thinking() {
    let asked = AtomicU64::new(0);
    let mut search = TreeSearch::new("uct(threads=2,hash=64)".parse().unwrap(), Counted(&asked));
    let mut line = Line::new(ConnectFour::default());
    let verdict = search.search(&line, &simulations(500, 1), &mut ());
    for &mv in &verdict.pv[..2] {
        line.play(mv);
        search.played(mv);
    }
    static READINGS: AtomicU64 = AtomicU64::new(0);
    let (hit, mut ticking) = (PonderHit::default(), Ticking(&READINGS));
    let pondered = std::thread::scope(|scope| {
        let (clock, asked) = (hit.clone(), &asked);
        scope.spawn(move || {
            wait_for(asked, 2000);
            clock.start(MoveTime { soft: Duration::from_millis(10), hard: Duration::from_millis(20) });
        });
        search.search(&line, &Limits::infinite(), &mut Paced::pondering(hit, &mut ticking))
    });
    assert_eq!(pondered.ended, Some(Ended::Stopped));
    assert!(pondered.simulations >= 1000, "it went on until the hit");
    let kept = search.search(&line, &Limits::simulations(0), &mut ());
    assert_eq!((kept.nodes, kept.pv), (pondered.nodes, pondered.pv));
}

/// Keeps every report.
struct Listener(Vec<Verdict<yomi_core::toy::Column>>);

impl Watch<yomi_core::toy::Column> for Listener {
    fn interval(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
    fn progress(&mut self, so_far: &Verdict<yomi_core::toy::Column>) {
        self.0.push(so_far.clone());
    }
}

#[test]
fn reports_come_and_change_nothing() {
    for method in METHODS {
        let limits = simulations(200, 9);
        let line = Line::new(ConnectFour::default());
        let mut listener = Listener(Vec::new());
        let mut heard =
            TreeSearch::new(with(method, "hash=8"), Rollout::new(Uniform)).search(&line, &limits, &mut listener);
        let silent = TreeSearch::new(with(method, "hash=8"), Rollout::new(Uniform)).search(&line, &limits, &mut ());
        assert!(!listener.0.is_empty() && listener.0.iter().all(|v| v.ended.is_none()), "{method}");
        assert!(listener.0.is_sorted_by(|a, b| a.simulations <= b.simulations && a.nodes <= b.nodes), "{method}");
        heard.elapsed = silent.elapsed;
        assert_eq!(heard, silent, "{method}");
    }
}

#[test]
fn finished_games_have_no_move_and_a_value() {
    let lost = ConnectFour::after("1122334").unwrap();
    let drawn = Line::new(Nim::new(0));
    for method in METHODS {
        let verdict = search(method.parse().unwrap(), Hashed, lost.clone(), &simulations(100, 1));
        assert_eq!((verdict.best, verdict.value, verdict.ended), (None, -1.0, Some(Ended::GameOver)), "{method}");
        assert!(verdict.moves.is_empty() && verdict.pv.is_empty());
        let mut searcher = TreeSearch::new(method.parse().unwrap(), Hashed);
        assert_eq!(searcher.search(&drawn, &simulations(100, 1), &mut ()).best, None, "{method}");
    }
}

#[test]
fn the_only_move_is_played() {
    for method in METHODS {
        for n in [0, 1, 2, 50] {
            let verdict = search(with(method, "hash=1"), Hashed, Wide::new(1, 5), &simulations(n, 1));
            assert_eq!(verdict.best.map(|mv| mv.0), Some(0), "{method} {n}");
        }
    }
}

/// What a verdict says about itself holds together.
#[test]
fn verdicts_are_consistent() {
    for method in METHODS {
        for threads in [1, 2] {
            let method = with(method, &format!("hash=8,threads={threads}"));
            let name = method.to_string();
            let verdict = search(method, Constant::default(), TicTacToe::default(), &simulations(500, 2));
            assert_eq!(verdict.best, verdict.pv.first().copied(), "{name}");
            assert_eq!(verdict.best, verdict.moves.first().map(|m| m.mv), "{name}");
            assert_eq!(verdict.nodes_per_depth.iter().sum::<u64>(), verdict.nodes, "{name}");
            assert_eq!(verdict.depth as usize + 1, verdict.nodes_per_depth.len(), "{name}");
            let sum = |f: fn(&yomi_search::RootMove<_>) -> f32| verdict.moves.iter().map(f).sum::<f32>();
            for (what, total) in
                [("selection", sum(|m| m.selection)), ("backup", sum(|m| m.backup)), ("prior", sum(|m| m.prior))]
            {
                assert!((total - 1.0).abs() < 1e-3 || total == 0.0 || name.contains("rents"), "{name}: {what} {total}");
            }
            assert!(verdict.entropy >= 0.0 && verdict.entropy <= 9f32.ln() + 1e-4, "{name}: {}", verdict.entropy);
            assert!(verdict.effective_depth <= verdict.depth as f32 + 1e-3, "{name}");
            for row in &verdict.moves {
                assert!(row.realization <= row.selection + 1e-6 && row.value.abs() <= 1.0, "{name}: {row:?}");
                assert_eq!(row.pv[0], row.mv);
                assert_eq!((row.pv_visits.len(), row.pv_visits[0]), (row.pv.len(), row.visits), "{name}: {row:?}");
                assert!(row.pv_visits.is_sorted_by(|a, b| a >= b), "{name}: {row:?}");
            }
        }
    }
}
