//! A conversation with a server on a thread of its own, and a search that does nothing but wait.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::disallowed_methods, reason = "a search that does nothing but wait")]

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use yomi_core::{Line, Notation, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_protocol::server::Console;
use yomi_protocol::server::gtp::{Builder, Engine};
use yomi_search::{Ended, Limits, RootMove, Search, Verdict, Watch};

/// No honest answer takes longer, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Talk {
    to: Option<PipeWriter>,
    from: Receiver<String>,
    server: Option<JoinHandle<()>>,
}

impl Talk {
    /// Starts a server that talks over two pipes.
    pub(crate) fn with(serve: impl FnOnce(Console<PipeWriter>) + Send + 'static) -> Talk {
        let (input, to) = pipe().unwrap();
        let (output, out) = pipe().unwrap();
        let server = thread::spawn(move || serve(Console::new(input, out)));
        let (sender, from) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Talk { to: Some(to), from, server: Some(server) }
    }

    pub(crate) fn say(&mut self, text: &str) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(text.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
    }

    /// The next line, whatever it is.
    pub(crate) fn next(&self) -> String {
        self.from.recv_timeout(PATIENCE).expect("an answer in time")
    }

    /// The next line that begins so; others are passed over.
    pub(crate) fn wait_for(&self, start: &str) -> String {
        loop {
            let line = self.next();
            if line.starts_with(start) {
                return line;
            }
        }
    }

    /// What has been said and not been waited for yet.
    pub(crate) fn said(&self) -> Vec<String> {
        self.from.try_iter().collect()
    }

    /// Says no more, and collects what is still said until the server ends.
    pub(crate) fn close(mut self) -> Vec<String> {
        self.to = None;
        let rest = self.from.iter().collect();
        self.server.take().unwrap().join().unwrap();
        rest
    }
}

/// What one look at the limits is said to take; no clock is read.
const ROUND: Duration = Duration::from_millis(1);

/// Waits until it is stopped or has spent its nodes or time, then plays the first legal move. Everything is worth what a draw is worth to
/// Black.
pub(crate) struct Patient;

impl<P: Notation> Search<P> for Patient {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let rows: Vec<_> = moves.iter().map(|&mv| RootMove { visits: 1, ..RootMove::new(mv) }).collect();
        let mut verdict =
            Verdict { best: moves.first().copied(), pv: moves[..1].to_vec(), moves: rows, ..Verdict::empty() };
        verdict.value = limits.draw;
        (verdict.simulations, verdict.depth, verdict.effective_depth) = (1, 1, 1.0);
        let mut reported = Duration::ZERO;
        let ended = loop {
            if watch.should_stop() {
                break Ended::Stopped;
            }
            if limits.nodes.is_some() || limits.simulations.is_some() {
                break Ended::Nodes;
            }
            if limits.time.is_some_and(|time| verdict.elapsed >= time) {
                break Ended::Time;
            }
            if watch.interval().is_some_and(|every| verdict.elapsed - reported >= every) {
                reported = verdict.elapsed;
                watch.progress(&verdict);
            }
            thread::sleep(ROUND);
            verdict.elapsed += ROUND;
        };
        Verdict { ended: Some(ended), ..verdict }
    }
}

/// How often searches have asked whether to stop. A patient search counts a millisecond before it asks again, however long it takes on
/// a busy machine.
#[derive(Clone, Default)]
pub(crate) struct Questions(Arc<(Mutex<u64>, Condvar)>);

impl Questions {
    fn count(&self) {
        *self.0.0.lock().unwrap() += 1;
        self.0.1.notify_all();
    }

    /// Waits until `n` more were asked.
    pub(crate) fn wait_for(&self, n: u64) {
        let count = self.0.0.lock().unwrap();
        let goal = *count + n;
        let (count, _) = self.0.1.wait_timeout_while(count, PATIENCE, |count| *count < goal).unwrap();
        assert!(*count >= goal, "the search has stopped");
    }
}

/// A [`Patient`] that counts how often it asks.
pub(crate) struct Counted(pub(crate) Questions);

impl<P: Notation> Search<P> for Counted {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        Patient.search(line, limits, &mut Counting { watch, questions: &self.0 })
    }
}

struct Counting<'a, M> {
    watch: &'a mut dyn Watch<M>,
    questions: &'a Questions,
}

impl<M> Watch<M> for Counting<'_, M> {
    fn should_stop(&self) -> bool {
        let stop = self.watch.should_stop();
        self.questions.count();
        stop
    }

    fn interval(&self) -> Option<Duration> {
        self.watch.interval()
    }

    fn progress(&mut self, so_far: &Verdict<M>) {
        self.watch.progress(so_far);
    }
}

/// A [`Patient`] for every board, under these limits, that counts how often it asks.
pub(crate) struct Patients {
    pub(crate) limits: Limits,
    pub(crate) questions: Questions,
}

impl Patients {
    pub(crate) fn under(limits: Limits) -> Patients {
        Patients { limits, questions: Questions::default() }
    }

    fn engine<P: Notation>(&self) -> Result<Engine<P>, TextError> {
        let search = Box::new(Counted(self.questions.clone()));
        Ok(Engine { search, win: 1.0, limits: self.limits.clone(), forecaster: None })
    }
}

impl Builder for Patients {
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
