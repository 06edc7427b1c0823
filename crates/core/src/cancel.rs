//! Stopping in the middle of an evaluation that takes long.

/// A cancellation token: whether an answer is still wanted. It is [`Sync`], so that an evaluator which hands its work to other threads
/// can hand the token on.
#[derive(Clone, Copy, Default)]
pub struct Cancel<'a>(Option<&'a (dyn Fn() -> bool + Sync)>);

impl<'a> Cancel<'a> {
    /// The answer is wanted however long it takes.
    pub const NEVER: Cancel<'static> = Cancel(None);

    /// Cancelled as soon as `cancelled` returns true.
    pub fn when(cancelled: &'a (dyn Fn() -> bool + Sync)) -> Cancel<'a> {
        Cancel(Some(cancelled))
    }

    /// Whether the answer is not wanted any more. Cheap; ask every few microseconds at most.
    #[inline]
    pub fn is_cancelled(self) -> bool {
        self.0.is_some_and(|cancelled| cancelled())
    }
}

impl std::fmt::Debug for Cancel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Cancel(..)" } else { "Cancel::NEVER" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn other_threads_see_the_cancellation() {
        let flag = AtomicBool::new(false);
        let cancelled = || flag.load(Ordering::Relaxed);
        let token = Cancel::when(&cancelled);
        assert!(!token.is_cancelled() && !Cancel::NEVER.is_cancelled());
        flag.store(true, Ordering::Relaxed);
        assert!(std::thread::scope(|scope| scope.spawn(move || token.is_cancelled()).join().unwrap()));
    }
}
