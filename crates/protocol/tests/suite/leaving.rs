//! `quit` and the end of the input are heard while something is being prepared.

use crate::common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::{Patient, Talk};
use yomi_core::{Line, TextError};
use yomi_games::shogi::{Nine, Rules, Shogi9, ShogiMove};
use yomi_protocol::server::usi::{self, Scale, Settings};
use yomi_search::{Limits, Search, Verdict, Watch};

/// No preparation that is ended gives way so often: a test that hangs fails.
const GUARD: u64 = 100_000_000;

/// A search with so much memory that only the end of the conversation ends its preparation.
struct Endless;

impl Search<Shogi9> for Endless {
    fn search(&mut self, line: &Line<Shogi9>, limits: &Limits, watch: &mut dyn Watch<ShogiMove>) -> Verdict<ShogiMove> {
        Patient.search(line, limits, watch)
    }

    fn prepare(&mut self, _: &Line<Shogi9>, stop: &AtomicBool) {
        let mut waited = 0;
        while !stop.load(Ordering::Relaxed) {
            waited += 1;
            assert!(waited < GUARD, "this preparation was not ended");
            std::thread::yield_now();
        }
    }
}

struct Builder;

impl usi::Builder<Nine> for Builder {
    fn build(&self, _: &Settings) -> Result<usi::Engine<Nine>, TextError> {
        let (scale, limits, note) = (Scale::Pawn(87.0), Limits::infinite(), String::new());
        Ok(usi::Engine { search: Box::new(Endless), scale, limits, note })
    }
}

fn talk() -> Talk {
    Talk::with(|console| {
        let settings = Settings::new::<Nine>("endless", Rules::default());
        usi::serve::<Nine, _>(console, settings, &Builder).unwrap();
    })
}

/// The question before is answered all the same.
#[test]
fn leaving_ends_preparations() {
    let mut quits = talk();
    quits.say("isready\nquit");
    assert_eq!(quits.next(), "readyok");
    assert!(quits.close().is_empty());
    let mut closes = talk();
    closes.say("isready");
    assert_eq!(closes.close(), ["readyok"]);
}
