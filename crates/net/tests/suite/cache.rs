//! Kept answers against those of the backend behind them.

use crate::common;

use common::network;
use yomi_core::Seed;
use yomi_net::Architecture;
use yomi_net::backend::{Answers, Backend, CpuBackend, Request};
use yomi_net::cache::Cached;
use yomi_net::input::Layout;
use yomi_net::sample::Sample;

/// Batches drawn from few positions, with labels and without, asked of a cache and of the backend itself: the same to the last bit.
#[test]
fn kept_answers_are_the_backend_s() {
    for layout in [Layout::Go(9), Layout::Minishogi] {
        let network = network(Architecture::new(layout, 1, 8), 4);
        let plain = CpuBackend::new(&network, 1);
        // One MiB has room for two thousand positions, more than there are; nothing is overwritten.
        let cached = Cached::new(Box::new(CpuBackend::new(&network, 1)), 1);
        let sample = Sample::of(layout, 60, Seed::new(2)).unwrap();
        let mut rng = Seed::new(3).rng();
        let (mut asked, mut kept, mut expected) = (0, Answers::default(), Answers::default());
        for round in 0..40 {
            let mut batch = Sample::default();
            for _ in 0..rng.below(20) {
                let i = rng.below(60);
                batch.positions.push(sample.positions[i]);
                if round % 3 > 0 {
                    batch.labels.extend(sample.labels_of(i));
                    batch.ends.push(batch.labels.len() as u32);
                }
            }
            asked += batch.positions.len() as u64;
            cached.evaluate(batch.request(), &mut kept).unwrap();
            plain.evaluate(batch.request(), &mut expected).unwrap();
            assert_eq!(kept, expected, "{layout:?}, round {round}");
        }
        let (lookups, hits) = cached.counts();
        assert_eq!(lookups, asked);
        // At most sixty positions are new, twice each: without labels, then with them; and whatever comes twice in one batch.
        assert!(hits + 200 > asked && hits < asked, "{hits} of {asked}");
        assert!(cached.counters().contains(&("cache hits", hits)));
        assert!(cached.name().ends_with(", cached"));
    }
}

/// A cache that is much too small forgets, and still tells the truth; other moves of a known position are asked for.
#[test]
fn a_full_cache_forgets() {
    let layout = Layout::Minishogi;
    let network = network(Architecture::new(layout, 0, 8), 4);
    let (plain, cached) = (CpuBackend::new(&network, 1), Cached::new(Box::new(CpuBackend::new(&network, 1)), 1));
    let sample = Sample::of(layout, 4000, Seed::new(5)).unwrap();
    let (mut kept, mut expected) = (Answers::default(), Answers::default());
    for _ in 0..2 {
        cached.evaluate(sample.request(), &mut kept).unwrap();
        plain.evaluate(sample.request(), &mut expected).unwrap();
        assert_eq!(kept, expected);
    }
    let (lookups, hits) = cached.counts();
    assert!(lookups == 8000 && (500..4000).contains(&hits), "{hits}");
    let one = &sample.positions[3999..];
    for labels in [&[1u16, 2][..], &[2, 1], &[3], &[1, 2]] {
        let ends = [labels.len() as u32];
        let request = Request { positions: one, labels, ends: &ends, ..Request::default() };
        cached.evaluate(request, &mut kept).unwrap();
        plain.evaluate(request, &mut expected).unwrap();
        assert_eq!(kept, expected);
    }
    let request = Request { positions: one, ownership: true, ..Request::default() };
    cached.evaluate(request, &mut kept).unwrap();
    assert_eq!(cached.counts().0, 8004, "ownership passes by");
}
