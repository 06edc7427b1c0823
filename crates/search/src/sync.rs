//! The atomics of the tree: the standard ones, or the model checker's under `--cfg loom`.

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A column of atomics.
#[cfg(not(loom))]
pub(crate) type Column<T> = <T as crate::pages::Word>::Pages;

/// A column of `n` zeroes, mapped by the system only where it is touched. None if it has not so much memory.
#[cfg(not(loom))]
pub(crate) fn column<T: crate::pages::Word>(n: usize) -> Option<Column<T>> {
    T::zeroes(n).ok()
}

#[cfg(not(loom))]
pub(crate) use crate::pages::populate;

/// The model checker's columns are there from the beginning.
#[cfg(loom)]
pub(crate) fn populate<T>(_: &[T]) {}

/// A column the model checker can follow.
#[cfg(loom)]
pub(crate) type Column<T> = Box<[T]>;

/// A column of `n` zeroes.
#[cfg(loom)]
pub(crate) fn column<T: Default>(n: usize) -> Option<Column<T>> {
    Some((0..n).map(|_| T::default()).collect())
}

/// A number that many threads write, on a cache line of its own, so that what lies beside it stays in the others' caches.
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);
