//! Ratings of pools: symmetries, degenerate pools, and whether the intervals hold the truth.

use proptest::prelude::*;
use yomi_core::Seed;
use yomi_statistics::elo::elo_of_score;
use yomi_statistics::ratings::{Options, Pool, Ratings, fit, read_games};
use yomi_statistics::tally::Game;
use yomi_statistics::{Estimate, Level};

fn rate(text: &str) -> Ratings {
    fit(&read_games(text).unwrap(), &Options::default()).unwrap()
}

fn of(ratings: &Ratings, name: &str) -> Estimate {
    ratings.players.iter().find(|p| p.name == name).unwrap().rating
}

/// With hardly a prior, no draws and no advantage, two players differ by the Elo of their score.
#[test]
fn two_players_are_a_match() {
    let text = "a b 1-0\n".repeat(30) + &"b a 1-0\n".repeat(10);
    let options = Options { prior: 0.001, advantage: Some(0.0), ..Options::default() };
    let ratings = fit(&read_games(&text).unwrap(), &options).unwrap();
    let gap = ratings.difference(0, 1, Level::P95).unwrap();
    assert!((gap.value - elo_of_score(0.75)).abs() < 0.05, "{gap:?}");
    // The error of a logit is 1/√(n p q).
    let error = 400.0 / std::f64::consts::LN_10 / (40.0f64 * 0.75 * 0.25).sqrt();
    assert!((gap.interval.radius() / Level::P95.z() - error).abs() < 0.05);
    assert_eq!((ratings.advantage.value, ratings.draw.value, ratings.draw_rate()), (0.0, 0.0, 0.0));
    assert!(ratings.superiority(0, 1).unwrap() > 0.99 && ratings.superiority(1, 0).unwrap() < 0.01);
}

#[test]
fn degenerate_pools_have_finite_ratings() {
    for text in [
        "a b 1-0",
        "a b 1/2-1/2",
        "a b 1-0\nb c 1-0\na c 1-0",
        "a b 0-1\nb a 1-0\n",
        "a b 1-0\nc d 0-1\ne f 1/2-1/2",
        "a b 1-0\na b 1-0\na b 1/2-1/2\n",
    ] {
        for many in [1, 1000] {
            let ratings = rate(&format!("{text}\n").repeat(many));
            let all = ratings.players.iter().map(|p| p.rating).chain([ratings.advantage, ratings.draw]);
            for estimate in all {
                let Estimate { value, interval } = estimate;
                assert!(
                    value.abs() < 4000.0 && interval.low.is_finite() && interval.high.is_finite(),
                    "{text}: {ratings:?}"
                );
            }
            assert!((0.0..1.0).contains(&ratings.draw_rate()));
        }
    }
    assert!(fit(&Pool::new(), &Options::default()).is_err());
    assert!(fit(&read_games("a b *").unwrap(), &Options::default()).is_err());
    let pool = read_games("a b 1-0").unwrap();
    for options in [
        Options { prior: 0.0, ..Options::default() },
        Options { prior: f64::NAN, ..Options::default() },
        Options { advantage: Some(1e9), ..Options::default() },
        Options { draw: Some(-1.0), ..Options::default() },
    ] {
        assert!(fit(&pool, &options).is_err(), "{options:?}");
    }
    for options in [
        Options { prior: 0.001, ..Options::default() },
        Options { prior: 1000.0, ..Options::default() },
        Options { advantage: Some(2000.0), draw: Some(2000.0), ..Options::default() },
    ] {
        assert!(fit(&pool, &options).unwrap().players[0].rating.value.is_finite(), "{options:?}");
    }
}

/// Players who never met are not compared: each pool has its own zero.
#[test]
fn separate_pools() {
    let ratings = rate("a b 1-0\nc d 1-0\nd c 1/2-1/2\n");
    assert_eq!(ratings.pools, 2);
    assert!((of(&ratings, "a").value + of(&ratings, "b").value).abs() < 1e-6);
    assert!((of(&ratings, "c").value + of(&ratings, "d").value).abs() < 1e-6);
    assert_eq!((ratings.superiority(0, 2), ratings.difference(0, 2, Level::P95)), (None, None));
    let names: Vec<&str> = ratings.players.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

/// A pool as large as allowed takes a while, not for ever.
#[test]
fn large_pool() {
    let mut rng = Seed::new(5).rng();
    let mut pool = Pool::new();
    for i in 0..200usize {
        for _ in 0..20 {
            let j = (i + 1 + rng.below(199)) % 200;
            let result = if rng.below(200) + i > rng.below(200) + j { Game::Win } else { Game::Loss };
            pool.add(&i.to_string(), &j.to_string(), result).unwrap();
        }
    }
    let ratings = fit(&pool, &Options::default()).unwrap();
    assert!(of(&ratings, "190").value > of(&ratings, "10").value + 200.0);
}

/// 60 tournaments of 6 players whose ratings are drawn, as the prior believes, around zero: 95 % of the intervals for differences
/// should hold the truth. Of 900 correlated intervals; the bounds are wide enough for an effective number of 300.
#[test]
fn intervals_cover() {
    let (mut held, mut all) = (0, 0);
    for run in 0..60 {
        let mut rng = Seed::new(6).branch("tournament", run).rng();
        // Six sums of uniform numbers: close to normal, standard deviation about 100 Elo.
        let truth: Vec<f64> =
            (0..6).map(|_| ((0..6).map(|_| f64::from(rng.unit())).sum::<f64>() - 3.0) * 140.0).collect();
        let mut pool = Pool::new();
        for (i, j) in (0..36).map(|ij| (ij / 6, ij % 6)).filter(|(i, j)| i != j) {
            for _ in 0..12 {
                // Advantage 30, draw parameter 90.
                let x = truth[i] - truth[j] + 30.0;
                let [win, loss] = [x, -x].map(|x| 1.0 / (1.0 + 10f64.powf((90.0 - x) / 400.0)));
                let u = f64::from(rng.unit());
                let result = if u < win {
                    Game::Win
                } else if u < win + loss {
                    Game::Loss
                } else {
                    Game::Draw
                };
                pool.add(&i.to_string(), &j.to_string(), result).unwrap();
            }
        }
        let ratings = fit(&pool, &Options::default()).unwrap();
        assert!(ratings.advantage.interval.low < 90.0 && ratings.advantage.interval.high > -30.0);
        for a in 0..6 {
            for b in 0..a {
                let [i, j] = [a, b].map(|line| ratings.players[line].name.parse::<usize>().unwrap());
                let gap = ratings.difference(a, b, Level::P95).unwrap();
                held += u32::from(gap.interval.contains(truth[i] - truth[j]));
                all += 1;
            }
        }
    }
    let share = f64::from(held) / f64::from(all);
    assert!((share - 0.95).abs() < 0.04, "{share}");
}

/// Up to 40 games between up to 5 players.
fn games() -> impl Strategy<Value = Vec<(usize, usize, Game)>> {
    let result = prop_oneof![Just(Game::Win), Just(Game::Draw), Just(Game::Loss)];
    let game = (0..5usize, 1..5usize, result).prop_map(|(i, step, result)| (i, (i + step) % 5, result));
    proptest::collection::vec(game, 1..40)
}

fn pool(games: &[(usize, usize, Game)]) -> Pool {
    let mut pool = Pool::new();
    for &(i, j, result) in games {
        pool.add(&i.to_string(), &j.to_string(), result).unwrap();
    }
    pool
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The order of the file does not matter; telling every game from the other side turns the advantage; turning every result turns
    /// all ratings.
    #[test]
    fn symmetries(games in games()) {
        let straight = fit(&pool(&games), &Options::default()).unwrap();
        let reversed: Vec<_> = games.iter().rev().copied().collect();
        let exchanged: Vec<_> = games.iter().map(|&(i, j, result)| (j, i, result.swapped())).collect();
        let turned: Vec<_> = games.iter().map(|&(i, j, result)| (i, j, result.swapped())).collect();
        for (other, rating_sign, advantage_sign) in [(reversed, 1.0, 1.0), (exchanged, 1.0, -1.0), (turned, -1.0, -1.0)] {
            let other = fit(&pool(&other), &Options::default()).unwrap();
            for player in &straight.players {
                let rating = of(&other, &player.name);
                prop_assert!((player.rating.value - rating_sign * rating.value).abs() < 1e-4, "{straight:?} {other:?}");
                prop_assert!((player.rating.interval.radius() - rating.interval.radius()).abs() < 1e-3);
            }
            prop_assert!((straight.advantage.value - advantage_sign * other.advantage.value).abs() < 1e-4);
            prop_assert!((straight.draw.value - other.draw.value).abs() < 1e-4);
        }
    }

    /// A win instead of a loss lifts the winner over the loser.
    #[test]
    fn a_win_never_hurts(mut games in games()) {
        let (i, j, _) = games[0];
        let [lost, won] = [Game::Loss, Game::Win].map(|result| {
            games[0].2 = result;
            let ratings = fit(&pool(&games), &Options { draw: Some(60.0), ..Options::default() }).unwrap();
            of(&ratings, &i.to_string()).value - of(&ratings, &j.to_string()).value
        });
        prop_assert!(won > lost, "{won} {lost}");
    }
}
