//! A conversation: what is heard comes from a thread that reads, what is said goes out at once.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use yomi_core::clock::Stopwatch;

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
    /// Lines of the running search, to be printed.
    Output(String),
    /// The search is over.
    Finished,
}

/// What becomes of a line that a running search was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is dealt with.
    Taken,
    /// It keeps its place and is heard after the search.
    Kept,
    /// It keeps its place and ends the conversation: the search has a moment to finish ([`LAST_MOMENT`]) and is ended then.
    Leaving,
}

/// What all searches together may still take after `quit` or the end of the input. Small budgets in scripts are spent in less; a person does not notice the delay.
const LAST_MOMENT: Duration = Duration::from_millis(50);

/// The word that ends a conversation.
const QUIT: &str = "quit";

/// The comment by which GTP controllers end a thought.
pub(crate) const INTERRUPT: &str = "# interrupt";

/// Two streams of lines.
///
/// There is one queue. A line stays in it until it is taken, and a search that begins is shown the whole queue, so it makes no
/// difference whether a line came before or during the search. The end of the input is the last line, and is never taken.
pub struct Console<W> {
    events: Receiver<Event>,
    sender: Sender<Event>,
    queue: VecDeque<Heard>,
    /// Since when the conversation has been ending.
    leaving: Option<Stopwatch>,
    out: W,
}

/// Prints lines of a search while it runs.
pub(crate) struct Reporter(Sender<Event>);

impl Reporter {
    /// Prints these lines.
    pub(crate) fn print(&self, lines: String) {
        // The receiver is gone only when the conversation is over.
        let _ = self.0.send(Event::Output(lines));
    }
}

/// Says that the search is over, however it ended: a panic must not leave the conversation waiting.
struct Finished(Sender<Event>);

impl Drop for Finished {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Finished);
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
        Console { events, sender, queue: VecDeque::new(), leaving: None, out }
    }

    /// Ends a thought from elsewhere, a signal handler for example, as the line `# interrupt` does in GTP. Does nothing otherwise.
    pub fn interrupter(&self) -> impl Fn() + Send + 'static {
        let sender = self.sender.clone();
        // The receiver is gone only when the conversation is over.
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
        self.wait_for_line();
        self.pop()
    }

    /// Waits until there is a line, and leaves it in the queue.
    pub(crate) fn wait_for_line(&mut self) {
        while self.queue.is_empty() {
            match self.events.recv() {
                Ok(Event::Heard(heard)) => self.queue.push_back(heard),
                // Output of a search that is over.
                Ok(Event::Output(_) | Event::Finished) => {}
                // The sender of this very struct keeps the channel open.
                Err(_) => self.queue.push_back(Heard::End),
            }
        }
    }

    /// Waits for the next line, but not longer than this.
    pub(crate) fn hear_within(&mut self, time: Duration) -> Option<Heard> {
        let clock = Stopwatch::start();
        while self.queue.is_empty() {
            match self.events.recv_timeout(time.saturating_sub(clock.elapsed())) {
                Ok(Event::Heard(heard)) => self.queue.push_back(heard),
                Ok(Event::Output(_) | Event::Finished) => {}
                Err(_) => return None,
            }
        }
        Some(self.pop())
    }

    /// Takes the next line. The end stays.
    fn pop(&mut self) -> Heard {
        match self.queue.front() {
            None | Some(Heard::End) => Heard::End,
            Some(_) => self.queue.pop_front().unwrap_or(Heard::End),
        }
    }

    /// Runs `work` on a thread of its own, prints what it whispers, and shows every line to `heed`, in order and once: those that wait already
    /// and those that come meanwhile. `end` makes the work end; it is called when nothing can be printed any more, and a moment
    /// after a line whose sender is leaving.
    pub(crate) fn think<T: Send>(
        &mut self,
        work: impl FnOnce(Reporter) -> T + Send,
        mut heed: impl FnMut(&mut Self, &Heard) -> io::Result<Fate>,
        end: impl Fn(),
    ) -> io::Result<T> {
        let reporter = Reporter(self.sender.clone());
        let finished = Finished(self.sender.clone());
        let mut failure = None;
        let result = thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let _finished = finished;
                work(reporter)
            });
            // How many lines of the queue were shown and kept, and whether the sender of one of them is leaving.
            let (mut kept, mut leaves) = (0, false);
            loop {
                match self.show(&mut kept, &mut heed) {
                    Ok(leaving) => leaves |= leaving,
                    Err(error) => {
                        failure.get_or_insert(error);
                        end();
                    }
                }
                let Some(event) = self.next_event(leaves) else {
                    leaves = false;
                    end();
                    continue;
                };
                let said = match event {
                    Event::Finished => break,
                    Event::Output(lines) => self.say(lines),
                    Event::Heard(heard) => {
                        self.queue.push_back(heard);
                        Ok(())
                    }
                };
                if let Err(error) = said {
                    failure.get_or_insert(error);
                    end();
                }
            }
            worker.join()
        });
        finish(failure, result)
    }

    /// Shows the lines behind the first `kept`, and says whether the sender of one of them is leaving.
    fn show(
        &mut self,
        kept: &mut usize,
        heed: &mut impl FnMut(&mut Self, &Heard) -> io::Result<Fate>,
    ) -> io::Result<bool> {
        let mut leaves = false;
        while let Some(heard) = self.queue.get(*kept).cloned() {
            *kept += 1;
            let fate = heed(self, &heard)?;
            leaves |= fate == Fate::Leaving;
            if fate == Fate::Taken && heard != Heard::End {
                *kept -= 1;
                self.queue.remove(*kept);
            }
        }
        Ok(leaves)
    }

    /// The next thing that happens; none when the conversation is ending and the last moment is over.
    fn next_event(&mut self, leaves: bool) -> Option<Event> {
        if leaves {
            let left = LAST_MOMENT.saturating_sub(self.leaving.get_or_insert_with(Stopwatch::start).elapsed());
            return self.events.recv_timeout(left).ok();
        }
        // The sender of this very struct keeps the channel open.
        Some(self.events.recv().unwrap_or(Event::Finished))
    }

    /// Runs a preparation on a thread of its own and prints an empty line at this interval: a sign of life. What comes in meanwhile is heard
    /// afterwards, except that `end` is called a moment after `quit` or the end of the input.
    pub(crate) fn work<T: Send>(
        &mut self,
        work: impl FnOnce() -> T + Send,
        every: Duration,
        end: impl Fn(),
    ) -> io::Result<T> {
        let alive = |reporter: Reporter| {
            thread::scope(|scope| {
                let (done, over) = channel::<()>();
                scope.spawn(move || {
                    while over.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                        reporter.print(String::new());
                    }
                });
                let result = work();
                drop(done);
                result
            })
        };
        let leaves = |heard: &Heard| match heard {
            Heard::Line(line) => line.trim() == QUIT,
            Heard::End => true,
            Heard::TooLong => false,
        };
        let heed = |_: &mut Self, heard: &Heard| Ok(if leaves(heard) { Fate::Leaving } else { Fate::Kept });
        let result = self.think(alive, heed, end);
        // The searches that were asked for have a last moment of their own.
        self.leaving = None;
        result
    }
}

/// The result of a thread, unless printing failed.
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

    fn line(text: &str) -> Heard {
        Heard::Line(text.to_string())
    }

    /// No search that is stopped yields this many times: a test that hangs fails.
    const GUARD: u64 = 100_000_000;

    /// A search that ends only when it is stopped: no clock, no budget.
    fn until<'a>(stop: &'a AtomicBool) -> impl FnOnce(Reporter) -> u8 + Send + 'a {
        move |reporter| {
            reporter.print("thinking".to_string());
            let mut waited = 0;
            while !stop.load(Ordering::Relaxed) {
                waited += 1;
                assert!(waited < GUARD, "this search was not stopped");
                thread::yield_now();
            }
            7
        }
    }

    /// A console over this input, when all of it has arrived and waits.
    fn console_after(input: &'static [u8]) -> Console<Vec<u8>> {
        let mut console = Console::new(input, Vec::new());
        while console.queue.back() != Some(&Heard::End) {
            match console.events.recv() {
                Ok(Event::Heard(heard)) => console.queue.push_back(heard),
                _ => panic!("nothing else is sent"),
            }
        }
        console
    }

    #[test]
    fn lines_come_in_order_and_the_end_stays_the_end() {
        let mut console = Console::new(&b"one\ntwo"[..], Vec::new());
        console.wait_for_line();
        assert_eq!((console.hear(), console.hear()), (line("one"), line("two")));
        assert_eq!((console.hear(), console.hear_within(Duration::ZERO)), (Heard::End, Some(Heard::End)));
    }

    #[test]
    fn a_search_is_shown_every_line_that_waits_and_every_line_that_comes() {
        // All lines are there before the first search begins, and each ends one search.
        let mut console = console_after(b"play\nstop\nplay\nstop\nplay\n");
        for _ in 0..2 {
            assert_eq!(console.hear(), line("play"));
            let (stop, mut shown) = (AtomicBool::new(false), Vec::new());
            let heed = |_: &mut Console<Vec<u8>>, heard: &Heard| {
                shown.push(heard.clone());
                let first = shown.len() == 1;
                if first {
                    stop.store(true, Ordering::Relaxed);
                }
                Ok(if first { Fate::Taken } else { Fate::Kept })
            };
            assert_eq!(console.think(until(&stop), heed, || ()).unwrap(), 7);
            assert_eq!(shown[0], line("stop"));
        }
        // What was kept is still there, in order.
        assert_eq!((console.hear(), console.hear()), (line("play"), Heard::End));
        assert_eq!(console.out, b"thinking\nthinking\n");
    }

    #[test]
    fn lines_are_shown_once_and_in_order() {
        let mut console = console_after(b"a\nb\nc\nd\n");
        let (stop, mut shown) = (AtomicBool::new(false), String::new());
        let heed = |_: &mut Console<Vec<u8>>, heard: &Heard| match heard {
            Heard::Line(line) => {
                shown += line;
                Ok(if line == "b" || line == "c" { Fate::Taken } else { Fate::Kept })
            }
            _ => {
                stop.store(true, Ordering::Relaxed);
                Ok(Fate::Taken)
            }
        };
        console.think(until(&stop), heed, || ()).unwrap();
        assert_eq!(shown, "abcd");
        // The end cannot be taken.
        assert_eq!([console.hear(), console.hear(), console.hear()], [line("a"), line("d"), Heard::End]);
    }

    #[test]
    fn leaving_ends_every_search() {
        let mut console = console_after(b"quit\n");
        for _ in 0..3 {
            let stop = AtomicBool::new(false);
            let heed = |_: &mut Console<Vec<u8>>, heard: &Heard| {
                Ok(if *heard == Heard::End { Fate::Kept } else { Fate::Leaving })
            };
            assert_eq!(console.think(until(&stop), heed, || stop.store(true, Ordering::Relaxed)).unwrap(), 7);
        }
        assert_eq!(console.hear(), line("quit"));
    }

    #[test]
    fn long_work_shows_signs_of_life_and_leaves_what_was_said() {
        /// Notifies the work when something was printed.
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
        assert_eq!(console.work(slow, Duration::from_millis(2), || ()).unwrap(), 5);
        let signs = std::mem::take(&mut console.out.0);
        assert!(!signs.is_empty() && signs.iter().all(|&byte| byte == b'\n'), "{signs:?}");
        assert_eq!(console.work(|| 6, Duration::from_secs(3600), || ()).unwrap(), 6);
        assert!(console.out.0.is_empty(), "what is quick says nothing");
        // A thought that begins now hears it.
        let heard = AtomicBool::new(false);
        let heed = |_: &mut Console<Watched<'_>>, shown: &Heard| {
            heard.fetch_or(*shown == line("stop"), Ordering::Relaxed);
            Ok(Fate::Kept)
        };
        console.think(|_| wait_for(&heard), heed, || ()).unwrap();
    }

    /// A preparation that lasts until it is ended is ended by the end of the input and by `quit`, which is still there afterwards.
    #[test]
    fn leaving_ends_a_preparation() {
        for input in [&b"isready\nquit\n"[..], b"isready\n", b""] {
            let mut console = console_after(input);
            let stop = AtomicBool::new(false);
            let endless = until(&stop);
            let (sender, _events) = channel();
            let work = || endless(Reporter(sender));
            console.work(work, Duration::from_secs(3600), || stop.store(true, Ordering::Relaxed)).unwrap();
            assert_eq!(console.hear(), if input.is_empty() { Heard::End } else { line("isready") });
        }
    }

    #[test]
    #[should_panic(expected = "a broken search")]
    fn a_search_that_panics_is_a_panic_and_no_silence() {
        let mut console = console_after(b"");
        let broken = |_: Reporter| panic!("a broken search");
        let _: io::Result<()> = console.think(broken, |_, _| Ok(Fate::Kept), || ());
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
        let kept = |_: &mut Console<Closed>, _: &Heard| Ok(Fate::Kept);
        assert!(console.think(until(&stop), kept, || stop.store(true, Ordering::Relaxed)).is_err());
    }
}
