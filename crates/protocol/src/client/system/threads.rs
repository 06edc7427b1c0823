//! Pipes that are read and written without waiting, because a thread of each does the waiting.
//!
//! Memory is bounded: a thread that reads stops while a few pieces wait to be taken. A thread whose pipe a grandchild holds open lives as
//! long as that.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Pieces that may wait to be taken, of at most 16 KiB each.
const PIECES: usize = 4;

/// Says that something may have changed.
#[derive(Clone, Default)]
pub(super) struct Waker(Arc<(Mutex<u64>, Condvar)>);

impl Waker {
    fn wake(&self) {
        let (count, changed) = &*self.0;
        *count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_all();
    }

    fn count(&self) -> u64 {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes after `seen` was counted.
    fn wait(&self, seen: u64, limit: Duration) {
        let (count, changed) = &*self.0;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = changed.wait_timeout_while(count, limit, |count| *count == seen);
    }
}

/// The reading end of a pipe.
pub(in crate::client) struct PipeReader {
    pieces: Receiver<Vec<u8>>,
    /// What was received and not read yet.
    received: VecDeque<u8>,
    waker: Waker,
}

impl PipeReader {
    pub(super) fn new(mut pipe: impl Read + Send + 'static, waker: Waker) -> io::Result<PipeReader> {
        let (sender, pieces) = sync_channel(PIECES);
        let bell = waker.clone();
        std::thread::Builder::new().spawn(move || {
            let mut bytes = vec![0; 1 << 14];
            loop {
                match pipe.read(&mut bytes) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(count) if count > 0 => match sender.send(bytes[..count].to_vec()) {
                        Ok(()) => bell.wake(),
                        Err(_) => break,
                    },
                    _ => break,
                }
            }
            drop(sender);
            bell.wake();
        })?;
        Ok(PipeReader { pieces, received: VecDeque::new(), waker })
    }

    /// Takes a piece that has arrived. True if a read would not wait.
    fn receive(&mut self) -> bool {
        if self.received.is_empty() {
            match self.pieces.try_recv() {
                Ok(piece) => self.received.extend(piece),
                Err(TryRecvError::Disconnected) => {}
                Err(TryRecvError::Empty) => return false,
            }
        }
        true
    }
}

impl Read for PipeReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if !self.receive() { Err(ErrorKind::WouldBlock.into()) } else { self.received.read(bytes) }
    }
}

/// The writing end of a pipe.
pub(in crate::client) struct Writer {
    pieces: SyncSender<Vec<u8>>,
    /// Pieces given to the thread and not written yet.
    under_way: Arc<Mutex<usize>>,
    waker: Waker,
}

impl Writer {
    pub(super) fn new(mut pipe: impl Write + Send + 'static, waker: Waker) -> io::Result<Writer> {
        let (sender, pieces) = sync_channel::<Vec<u8>>(1);
        let under_way = Arc::new(Mutex::new(0));
        let (bell, counted) = (waker.clone(), Arc::clone(&under_way));
        std::thread::Builder::new().spawn(move || {
            for piece in &pieces {
                if pipe.write_all(&piece).and_then(|()| pipe.flush()).is_err() {
                    break;
                }
                *counted.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
                bell.wake();
            }
            // The channel closes before the last piece counts as done: otherwise the next one could be lost in it and never be done.
            drop(pieces);
            *counted.lock().unwrap_or_else(PoisonError::into_inner) = 0;
            bell.wake();
        })?;
        Ok(Writer { pieces: sender, under_way, waker })
    }

    fn is_free(&self) -> bool {
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) == 0
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if *under_way > 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        match self.pieces.try_send(bytes.to_vec()) {
            Ok(()) => {
                *under_way += 1;
                Ok(bytes.len())
            }
            Err(TrySendError::Full(_)) => Err(ErrorKind::WouldBlock.into()),
            Err(TrySendError::Disconnected(_)) => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until one of these pipes can be used, at most this long.
pub(in crate::client) fn wait(
    stdin: Option<&mut Writer>,
    stdout: Option<&mut PipeReader>,
    stderr: Option<&mut PipeReader>,
    limit: Duration,
) {
    let wakers = [stdin.as_ref().map(|pipe| &pipe.waker), stdout.as_ref().map(|pipe| &pipe.waker)];
    let waker = wakers.into_iter().flatten().chain(stderr.as_ref().map(|pipe| &pipe.waker)).next().cloned();
    let waker = waker.unwrap_or_default();
    // Counted before looking: what changes between the look and the wait ends the wait.
    let seen = waker.count();
    let ready = stdin.is_some_and(|pipe| pipe.is_free())
        | stdout.is_some_and(PipeReader::receive)
        | stderr.is_some_and(PipeReader::receive);
    if !ready {
        waker.wait(seen, limit);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// A guard against hangs, not a measure.
    const LONG: Duration = Duration::from_secs(30);

    fn read_until(pipe: &mut PipeReader, end: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let (mut all, mut bytes) = (Vec::new(), [0; 1000]);
        loop {
            match pipe.read(&mut bytes) {
                Ok(0) => return all,
                Ok(count) => all.extend(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(None, Some(pipe), None, LONG),
                Err(error) => panic!("{error}"),
            }
            if end(&all) {
                return all;
            }
        }
    }

    #[test]
    fn a_conversation_over_pipes_never_blocks() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let waker = Waker::default();
        let mut stdin = Writer::new(child.stdin.take().unwrap(), waker.clone()).unwrap();
        let mut stdout = PipeReader::new(child.stdout.take().unwrap(), waker).unwrap();
        assert_eq!(stdout.read(&mut [0; 9]).unwrap_err().kind(), ErrorKind::WouldBlock);
        stdin.write_all(b"usi\n").unwrap();
        assert_eq!(read_until(&mut stdout, |all| all.ends_with(b"\n")), b"usi\n");
        // More than all pipes and pieces hold: writing says that it would wait, and reading goes on.
        let (mut sent, mut received) = (0, 0);
        while sent < 1 << 20 {
            match stdin.write(&[b'x'; 1 << 14]) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait(Some(&mut stdin), Some(&mut stdout), None, LONG);
                    let mut bytes = [0; 1 << 14];
                    received += stdout.read(&mut bytes).unwrap_or(0);
                }
                Err(error) => panic!("{error}"),
            }
        }
        drop(stdin);
        received += read_until(&mut stdout, |_| false).len();
        assert_eq!(received, sent, "the end comes after everything");
        assert_eq!(stdout.read(&mut [0; 9]).unwrap(), 0);
        child.wait().unwrap();
    }

    #[test]
    fn a_child_that_has_left_breaks_the_pipe() {
        let mut child = Command::new("true").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let waker = Waker::default();
        let mut stdin = Writer::new(child.stdin.take().unwrap(), waker.clone()).unwrap();
        let mut stdout = PipeReader::new(child.stdout.take().unwrap(), waker).unwrap();
        child.wait().unwrap();
        assert_eq!(read_until(&mut stdout, |_| false), b"");
        let error = loop {
            match stdin.write(b"hello\n") {
                Ok(_) => wait(Some(&mut stdin), None, None, LONG),
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(Some(&mut stdin), None, None, LONG),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}
