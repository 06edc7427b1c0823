//! How much of its time a move takes in GTP. The searches count their time themselves, so no test waits.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::Talk;
use yomi_core::{Line, Notation, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_protocol::server::gtp::{self, Engine, GtpOptions};
use yomi_search::{Limits, Search, Verdict, Watch};

/// No move takes that many milliseconds here.
const NEVER: u64 = 1_000_000;

/// A search whose every step takes a millisecond. It looks at its own limit at each of them, as searches do, and reports now and then; and it
/// changes its mind all the time, so that it gets all the time there is.
struct Counter {
    reports_every: u64,
    took: Arc<AtomicU64>,
}

impl<P: Notation> Search<P> for Counter {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let mut step = 0;
        let mut verdict = Verdict::empty();
        while step < NEVER && !watch.should_stop() && limits.time.is_none_or(|time| verdict.elapsed < time) {
            step += 1;
            verdict.best = moves.get(step as usize % moves.len()).copied();
            verdict.elapsed = Duration::from_millis(step);
            if step % self.reports_every == 0 {
                watch.progress(&verdict);
            }
        }
        self.took.store(step, Ordering::Relaxed);
        verdict
    }
}

struct Builder {
    reports_every: u64,
    took: Arc<AtomicU64>,
}

impl Builder {
    fn engine<P: Notation>(&self) -> Result<Engine<P>, TextError> {
        let search = Box::new(Counter { reports_every: self.reports_every, took: Arc::clone(&self.took) });
        Ok(Engine { search, win: 1.0, limits: Limits::infinite(), forecaster: None })
    }
}

impl gtp::Builder for Builder {
    fn go9(&self) -> Result<Engine<Go9>, TextError> {
        self.engine()
    }
    fn go13(&self) -> Result<Engine<Go13>, TextError> {
        self.engine()
    }
    fn go19(&self) -> Result<Engine<Go19>, TextError> {
        self.engine()
    }
    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError> {
        self.engine()
    }
}

/// How many milliseconds the search takes for a move after these lines.
fn took(lines: &str, delay: Option<u64>, reports_every: u64) -> u64 {
    let took = Arc::new(AtomicU64::new(0));
    let builder = Builder { reports_every, took: Arc::clone(&took) };
    let mut talk = Talk::with(move |console| {
        let options = GtpOptions::new(Seed::new(1), 0.0).with_delay(delay.map(Duration::from_millis));
        gtp::serve(console, &Spec::parse("go9").unwrap(), &builder, options).unwrap().unwrap();
    });
    talk.say(&format!("{lines}\ngenmove b\nname"));
    talk.wait_for("= Yomi");
    drop(talk.close());
    took.load(Ordering::Relaxed)
}

/// A second is kept to with room to spare, however rarely the search reports.
#[test]
fn byoyomi_leaves_room_for_a_busy_machine() {
    for reports_every in [1, 5, 10_000] {
        for lines in ["time_settings 0 1 1", "time_settings 60 1 1\ntime_left b 1 1", "kgs-time_settings byoyomi 0 1 3"]
        {
            assert_eq!(took(lines, None, reports_every), 750, "{lines}");
        }
        assert_eq!(took("time_settings 0 10 1", None, reports_every), 9_750);
        // Of a very short time most is left for the search.
        assert_eq!(took("kgs-time_settings byoyomi 0 0.1 1", None, reports_every), 75);
    }
}

#[test]
fn the_room_can_be_set() {
    assert_eq!(took("time_settings 0 1 1", Some(400), 1), 600);
    assert_eq!(took("time_settings 0 1 1", Some(0), 1), 1_000);
    assert_eq!(took("time_settings 300 0 0\ntime_settings 0 1 1", Some(400), 1), 600);
}
