//! A conversation: what is heard comes from a thread that reads, what is said goes out at once.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::lines::{self, Line};

/// What came in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// A line without its end.
    Line(String),
    /// A line that was too long to be kept.
    TooLong,
    /// There will be nothing more.
    End,
}

enum Event {
    Heard(Heard),
    /// The search has something to say.
    Told(String),
    /// The search is over.
    Finished,
}

/// The comment by which GTP controllers end a thought.
pub(crate) const INTERRUPT: &str = "# interrupt";

/// Two streams of lines.
pub struct Console<W> {
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// What was heard while thinking and put off.
    waiting: VecDeque<Heard>,
    ended: bool,
    out: W,
}

/// How a search speaks while it thinks.
pub(crate) struct Whisper(Sender<Event>);

impl Whisper {
    /// Lines to be printed.
    pub(crate) fn tell(&self, lines: String) {
        // Nobody listens any more only when the conversation is over.
        let _ = self.0.send(Event::Told(lines));
    }
}

impl<W: Write> Console<W> {
    /// Begins to read `input`. The thread that does so ends with the stream, or with the program.
    pub fn new(input: impl Read + Send + 'static, out: W) -> Console<W> {
        let (sender, events) = channel();
        let reader = sender.clone();
        thread::spawn(move || {
            let mut input = BufReader::new(input);
            // A stream that fails has ended.
            while let Ok(Some(line)) = lines::next(&mut input) {
                let heard = match line {
                    Line::Text(text) => Heard::Line(text),
                    Line::TooLong => Heard::TooLong,
                };
                if reader.send(Event::Heard(heard)).is_err() {
                    return;
                }
            }
            let _ = reader.send(Event::Heard(Heard::End));
        });
        Console { events, sender, waiting: VecDeque::new(), ended: false, out }
    }

    /// Ends a thought from elsewhere, a signal handler for example, as the line `# interrupt` does in GTP. Does nothing otherwise.
    pub fn interrupter(&self) -> impl Fn() + Send + 'static {
        let sender = self.sender.clone();
        // Nobody hears it any more only when the conversation is over.
        move || drop(sender.send(Event::Heard(Heard::Line(INTERRUPT.to_string()))))
    }

    /// Prints lines at once.
    pub fn say(&mut self, lines: impl Display) -> io::Result<()> {
        writeln!(self.out, "{lines}")?;
        self.out.flush()
    }

    /// Prints text as it is, at once.
    pub fn print(&mut self, text: impl Display) -> io::Result<()> {
        write!(self.out, "{text}")?;
        self.out.flush()
    }

    /// Waits for the next line.
    pub fn hear(&mut self) -> Heard {
        if let Some(heard) = self.waiting.pop_front() {
            return heard;
        }
        while !self.ended {
            match self.events.recv() {
                Ok(Event::Heard(heard)) => {
                    self.ended = heard == Heard::End;
                    return heard;
                }
                // What a search said when nobody was listening any more.
                Ok(Event::Told(_) | Event::Finished) => {}
                Err(_) => self.ended = true,
            }
        }
        Heard::End
    }

    /// Waits for the next line, but not longer than this.
    pub(crate) fn hear_within(&mut self, time: Duration) -> Option<Heard> {
        if self.ended || !self.waiting.is_empty() {
            return Some(self.hear());
        }
        match self.events.recv_timeout(time) {
            Ok(Event::Heard(heard)) => {
                self.ended = heard == Heard::End;
                Some(heard)
            }
            Ok(Event::Told(_) | Event::Finished) | Err(_) => None,
        }
    }

    /// Puts a line off until the thinking is over.
    pub(crate) fn put_off(&mut self, heard: Heard) {
        self.waiting.push_back(heard);
    }

    /// Gives back what was heard: it is heard again, next.
    pub(crate) fn unhear(&mut self, heard: Heard) {
        self.waiting.push_front(heard);
    }

    /// Runs `work` on a thread of its own, prints what it whispers, and hands every line that comes meanwhile to `heed`. When that fails,
    /// which is when nobody can be told anything any more, `abandon` is called so that the work ends.
    pub(crate) fn think<T: Send>(
        &mut self,
        work: impl FnOnce(Whisper) -> T + Send,
        mut heed: impl FnMut(&mut Self, Heard) -> io::Result<()>,
        abandon: impl Fn(),
    ) -> io::Result<T> {
        let whisper = Whisper(self.sender.clone());
        let finished = self.sender.clone();
        let mut failure = None;
        let result = thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = work(whisper);
                let _ = finished.send(Event::Finished);
                result
            });
            // The sender of this very struct keeps the channel open.
            while let Ok(event) = self.events.recv() {
                let done = match event {
                    Event::Finished => break,
                    Event::Told(lines) => self.say(lines),
                    Event::Heard(heard) => {
                        self.ended |= heard == Heard::End;
                        heed(self, heard)
                    }
                };
                if let Err(error) = done {
                    failure.get_or_insert(error);
                    abandon();
                }
            }
            worker.join()
        });
        finish(failure, result)
    }

    /// Runs `work` on a thread of its own and prints an empty line whenever so much time has passed: a sign of life for whoever waits. What
    /// comes in meanwhile is heard afterwards.
    pub(crate) fn work<T: Send>(&mut self, work: impl FnOnce() -> T + Send, every: Duration) -> io::Result<T> {
        let (sender, done) = channel();
        let mut failure = None;
        let result = thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = work();
                let _ = sender.send(());
                result
            });
            while done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = self.say("") {
                    failure.get_or_insert(error);
                }
            }
            worker.join()
        });
        finish(failure, result)
    }
}

/// What a thread came to, unless nobody could be told about it.
fn finish<T>(failure: Option<io::Error>, result: thread::Result<T>) -> io::Result<T> {
    match (failure, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn lines_come_in_order_and_the_end_stays_the_end() {
        let mut console = Console::new(&b"one\ntwo"[..], Vec::new());
        assert_eq!(console.hear(), Heard::Line("one".to_string()));
        console.put_off(Heard::Line("late".to_string()));
        assert_eq!(console.hear(), Heard::Line("late".to_string()));
        assert_eq!(console.hear(), Heard::Line("two".to_string()));
        assert_eq!((console.hear(), console.hear()), (Heard::End, Heard::End));
    }

    #[test]
    fn thinking_is_interrupted_by_lines() {
        let mut console = Console::new(&b"stop\n"[..], Vec::new());
        let stop = AtomicBool::new(false);
        let work = |whisper: Whisper| {
            whisper.tell("thinking".to_string());
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            7
        };
        let heed = |_: &mut Console<Vec<u8>>, heard| {
            if heard == Heard::Line("stop".to_string()) {
                stop.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        assert_eq!(console.think(work, heed, || ()).unwrap(), 7);
        assert_eq!(console.out, b"thinking\n");
    }

    #[test]
    fn long_work_shows_signs_of_life_and_leaves_what_was_said() {
        /// Tells the work when something was printed.
        struct Watched<'a>(Vec<u8>, &'a AtomicBool);
        impl Write for Watched<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.1.store(true, Ordering::Relaxed);
                self.0.write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let wait_for = |flag: &AtomicBool| {
            while !flag.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        };
        let printed = AtomicBool::new(false);
        let mut console = Console::new(&b"stop\n"[..], Watched(Vec::new(), &printed));
        let slow = || {
            wait_for(&printed);
            5
        };
        assert_eq!(console.work(slow, Duration::from_millis(2)).unwrap(), 5);
        let signs = std::mem::take(&mut console.out.0);
        assert!(!signs.is_empty() && signs.iter().all(|&byte| byte == b'\n'), "{signs:?}");
        assert_eq!(console.work(|| 6, Duration::from_secs(3600)).unwrap(), 6);
        assert!(console.out.0.is_empty(), "what is quick says nothing");
        // A thought that begins now hears it.
        let heard = AtomicBool::new(false);
        let heed = |_: &mut Console<Watched<'_>>, line| {
            heard.fetch_or(line == Heard::Line("stop".to_string()), Ordering::Relaxed);
            Ok(())
        };
        console.think(|_| wait_for(&heard), heed, || ()).unwrap();
    }

    #[test]
    fn a_closed_output_ends_the_thinking() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut console = Console::new(io::empty(), Closed);
        let stop = AtomicBool::new(false);
        let work = |whisper: Whisper| {
            whisper.tell("thinking".to_string());
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        };
        assert!(console.think(work, |_, _| Ok(()), || stop.store(true, Ordering::Relaxed)).is_err());
    }
}
