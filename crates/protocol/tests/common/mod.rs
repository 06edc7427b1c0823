//! A conversation with a server on a thread of its own, and a search that does nothing but wait.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::disallowed_methods, reason = "a search that does nothing but wait")]

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
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

    /// Nothing that begins so is said for this long.
    pub(crate) fn silent(&self, start: &str, time: Duration) {
        let watch = Stopwatch::start();
        while watch.elapsed() < time {
            match self.from.recv_timeout(time.saturating_sub(watch.elapsed())) {
                Ok(line) => assert!(!line.starts_with(start), "{line}"),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the server is gone"),
            }
        }
    }

    /// Says no more, and collects what is still said until the server ends.
    pub(crate) fn close(mut self) -> Vec<String> {
        self.to = None;
        let rest = self.from.iter().collect();
        self.server.take().unwrap().join().unwrap();
        rest
    }
}

/// Waits until it is stopped or has spent its nodes or time, then plays the first legal move. Everything is worth what a draw is worth to
/// Black.
pub(crate) struct Patient;

impl<P: Notation> Search<P> for Patient {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let clock = Stopwatch::start();
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let rows: Vec<_> = moves.iter().map(|&mv| RootMove { visits: 1, ..RootMove::new(mv) }).collect();
        let mut verdict =
            Verdict { best: moves.first().copied(), pv: moves[..1].to_vec(), moves: rows, ..Verdict::empty() };
        verdict.value = limits.draw;
        (verdict.simulations, verdict.depth, verdict.effective_depth) = (1, 1, 1.0);
        let mut reported = Duration::ZERO;
        let ended = loop {
            verdict.elapsed = clock.elapsed();
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
            thread::sleep(Duration::from_millis(1));
        };
        Verdict { ended: Some(ended), ..verdict }
    }
}

/// A [`Patient`] for every board, under these limits.
pub(crate) struct Patients(pub(crate) Limits);

impl Patients {
    fn engine<P: Notation>(&self) -> Result<Engine<P>, TextError> {
        Ok(Engine { search: Box::new(Patient), win: 1.0, limits: self.0.clone(), forecaster: None })
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
