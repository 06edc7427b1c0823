//! Long columns of zeroed atomics in pages of two megabytes.
//!
//! A search jumps about in a tree or a table of hundreds of megabytes. With the usual pages of four kilobytes nearly every jump also
//! misses the processor's small memory of where pages lie, and finding out again takes longer than the jump; of a sample of UCT on 9x9
//! that was the tenth part. Linux gives large pages on request; elsewhere columns are plain boxes.

use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// What columns are made of.
pub(crate) trait Word: Sized {
    /// The memory of a column.
    type Pages: Deref<Target = [Self]> + Send + Sync;

    /// `n` zeroes, mapped by the system only where they are touched.
    fn zeroes(n: usize) -> io::Result<Self::Pages>;

    /// Replaces a zero by a zero.
    fn rewrite(&self);
}

/// The smallest page of any system we know.
const SMALL_PAGE: usize = 4096;

/// Makes the system map a column now and not at the first write to each of its pages: where something else than zero stands, it is mapped
/// already. Changes nothing, and may run beside readers and writers.
pub(crate) fn populate<W: Word>(column: &[W]) {
    column.iter().step_by(SMALL_PAGE / size_of::<W>()).for_each(Word::rewrite);
}

/// Columns shorter than this would waste most of a large page.
#[cfg(target_os = "linux")]
const WORTH_IT: usize = 4 << 20;

#[cfg(target_os = "linux")]
macro_rules! word {
    ($word:ty, $pages:ident, $slice:ident) => {
        type $slice<'a> = &'a [$word];

        self_cell::self_cell! {
            /// A mapping of memory, and the same memory as words.
            pub(crate) struct $pages {
                owner: self_cell::MutBorrow<memmap2::MmapMut>,
                #[covariant]
                dependent: $slice,
            }
        }

        impl Deref for $pages {
            type Target = [$word];

            #[inline(always)]
            fn deref(&self) -> &[$word] {
                self.borrow_dependent()
            }
        }

        impl Word for $word {
            type Pages = $pages;

            fn zeroes(n: usize) -> io::Result<$pages> {
                use zerocopy::FromBytes;
                let bytes = n.checked_mul(size_of::<$word>()).ok_or(io::ErrorKind::OutOfMemory)?;
                let map = memmap2::MmapMut::map_anon(bytes.max(1))?;
                if bytes >= WORTH_IT {
                    // A system that has no large pages says no, and small ones will do.
                    let _ = map.advise(memmap2::Advice::HugePage);
                }
                $pages::try_new(self_cell::MutBorrow::new(map), |map| {
                    let words = <[$word]>::mut_from_bytes(&mut map.borrow_mut()[..bytes]);
                    words.map(|words| &*words).map_err(|e| io::Error::other(e.to_string()))
                })
            }

            fn rewrite(&self) {
                // Adding nothing would be compiled to a load, which maps no memory. Relaxed: it publishes nothing.
                let _ = self.compare_exchange(0, 0, Relaxed, Relaxed);
            }
        }
    };
}

#[cfg(not(target_os = "linux"))]
macro_rules! word {
    ($word:ty, $pages:ident, $slice:ident) => {
        impl Word for $word {
            type Pages = Box<[$word]>;

            fn zeroes(n: usize) -> io::Result<Box<[$word]>> {
                bytemuck::allocation::try_zeroed_slice_box(n).map_err(|()| io::ErrorKind::OutOfMemory.into())
            }

            fn rewrite(&self) {
                // Adding nothing would be compiled to a load, which maps no memory. Relaxed: it publishes nothing.
                let _ = self.compare_exchange(0, 0, Relaxed, Relaxed);
            }
        }
    };
}

word!(AtomicU16, Pages16, Slice16);
word!(AtomicU32, Pages32, Slice32);
word!(AtomicU64, Pages64, Slice64);

#[cfg(test)]
mod tests {
    use super::*;

    fn holds<W: Word>(n: usize) -> W::Pages {
        let pages = W::zeroes(n).expect("little memory");
        assert_eq!(pages.len(), n);
        pages
    }

    #[test]
    fn columns_are_as_long_as_asked_and_empty() {
        for n in [0, 1, 1000, 3 << 20] {
            assert!(holds::<AtomicU16>(n).iter().all(|x| x.load(Relaxed) == 0));
            assert!(holds::<AtomicU32>(n).iter().all(|x| x.load(Relaxed) == 0));
            let words = holds::<AtomicU64>(n);
            assert!(words.iter().all(|x| x.load(Relaxed) == 0));
            words.iter().enumerate().for_each(|(i, x)| x.store(i as u64, Relaxed));
            populate(&words);
            assert!(words.iter().enumerate().all(|(i, x)| x.load(Relaxed) == i as u64));
        }
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(AtomicU64::zeroes(usize::MAX).is_err());
        assert!(AtomicU64::zeroes(1 << 59).is_err());
    }
}
