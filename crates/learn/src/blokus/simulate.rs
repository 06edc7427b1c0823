//! The win rate of simulated games from every position of an episode.

use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::{Color, Outcome, Policy, Seed};
use yomi_games::blokus::BlokusDuo;

/// Win rates, and what they cost.
pub struct Rates {
    /// Black's share of the wins from each position; a draw is half a win.
    pub black: Vec<f64>,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: f64,
}

/// Plays `simulations` games out from each position. A position draws from a seed of its own, so threads change nothing.
pub fn win_rates<Q: Policy<BlokusDuo>>(
    policy: &Q,
    positions: &[BlokusDuo],
    simulations: u32,
    seed: Seed,
    threads: usize,
) -> Rates {
    let next = AtomicUsize::new(0);
    let work = || {
        let watch = Stopwatch::start();
        let mut scratch = policy.scratch();
        let mut rates = Vec::new();
        loop {
            // Relaxed: the number alone decides who does what.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(position) = positions.get(index) else { return (rates, watch.busy().as_secs_f64()) };
            let mut rng = seed.branch("position", index as u64).rng();
            // In half wins, which are whole numbers.
            let mut score = 0u64;
            for _ in 0..simulations {
                score += match play_out(&mut position.clone(), 0, policy, &mut rng, &mut scratch).0 {
                    Outcome::Win(Color::Black) => 2,
                    Outcome::Draw => 1,
                    Outcome::Win(Color::White) => 0,
                };
            }
            rates.push((index, score as f64 / f64::from(2 * simulations.max(1))));
        }
    };
    let parts = if threads <= 1 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                // A panic of a simulation is a panic of the learner.
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        })
    };
    let mut rates = Rates { black: vec![0.5; positions.len()], cpu_seconds: 0.0 };
    for (part, seconds) in parts {
        part.into_iter().for_each(|(index, rate)| rates.black[index] = rate);
        rates.cpu_seconds += seconds;
    }
    rates
}

/// TDMC(λ): the target of a position is `(1 - λ)` of its own win rate and `λ` of the target of the next position of the game.
pub(super) fn blend(rates: &mut [f64], lambda: f64) {
    for i in (1..rates.len()).rev() {
        rates[i - 1] = (1.0 - lambda) * rates[i - 1] + lambda * rates[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Position, Uniform};

    #[test]
    fn threads_change_nothing_and_finished_games_are_known() {
        let mut positions = vec![BlokusDuo::default()];
        let (mut moves, mut rng) = (Vec::new(), Seed::new(5).rng());
        loop {
            let mut next = positions[positions.len() - 1].clone();
            if next.generate(&mut moves).is_some() {
                break;
            }
            next.play(moves[rng.below(moves.len())]);
            positions.push(next);
        }
        let rates = |threads| win_rates(&Uniform, &positions, 20, Seed::new(3), threads).black;
        assert_eq!(rates(1), rates(3));
        let last = positions.last().unwrap();
        let won = match last.generate(&mut moves) {
            Some(Outcome::Win(Color::Black)) => 1.0,
            Some(Outcome::Win(Color::White)) => 0.0,
            _ => 0.5,
        };
        assert_eq!(*rates(2).last().unwrap(), won);
        // From the empty board random games are won by Black 54 times in a hundred, and 4.5 are drawn.
        let many = win_rates(&Uniform, &positions[..1], 20_000, Seed::new(3), 2).black[0];
        assert!((many - 0.5635).abs() < 6.0 * 0.0035, "{many}");
    }

    #[test]
    fn later_positions_are_blended_in() {
        let mut rates = [0.2, 0.6, 1.0];
        blend(&mut rates, 0.5);
        assert_eq!(rates, [0.5, 0.8, 1.0]);
        blend(&mut rates, 0.0);
        assert_eq!(rates, [0.5, 0.8, 1.0]);
        blend(&mut rates, 1.0);
        assert_eq!(rates, [1.0, 1.0, 1.0]);
    }
}
