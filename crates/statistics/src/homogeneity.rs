//! Are all rows of a table alike? Asked before anything is said about their order.

use yomi_core::Seed;

use super::binomial::Proportion;
use super::proportions::SMALL_CELL;
use super::table::Table;

/// The outcome of the test that all rates are the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Homogeneity {
    /// The chi-square statistic of the table of wins and losses.
    pub statistic: f64,
    /// How often chance alone gives so great a statistic.
    pub p: f64,
    /// Whether the p-value comes from permutations of the games, because a count below five was expected.
    pub permuted: bool,
}

/// How many permutations stand for all of them.
const PERMUTATIONS: u32 = 9_999;

/// The chi-square test that all rates are the same; by permutations of the results over the games where a count below five is expected.
/// Rows without games do not count.
pub fn homogeneity(rows: &[Proportion]) -> Homogeneity {
    let rows: Vec<Proportion> = rows.iter().copied().filter(|row| row.trials() > 0).collect();
    let cells = rows.iter().map(|row| vec![row.successes(), row.failures()]).collect();
    let Ok(table) = Table::new(cells) else { return Homogeneity { statistic: 0.0, p: 1.0, permuted: false } };
    let test = table.chi_square(false);
    if test.least_expected >= SMALL_CELL || test.freedom == 0 {
        return Homogeneity { statistic: test.statistic, p: test.p, permuted: false };
    }
    Homogeneity { statistic: test.statistic, p: permuted(&rows, test.statistic), permuted: true }
}

/// How often the results of all games, dealt to the rows at random, give so great a statistic.
fn permuted(rows: &[Proportion], statistic: f64) -> f64 {
    let mut rng = Seed::new(1).branch("homogeneity", 0).rng();
    let (games, wins): (u64, u64) = rows.iter().fold((0, 0), |(n, w), row| (n + row.trials(), w + row.successes()));
    let as_great = (0..PERMUTATIONS).filter(|_| {
        let (mut games, mut wins) = (games, wins);
        let cells = rows.iter().map(|row| {
            // One game after the other takes its result out of those that are left.
            let mine = (0..row.trials()).filter(|_| {
                let won = rng.below(games as usize) < wins as usize;
                games -= 1;
                wins -= u64::from(won);
                won
            });
            let mine = mine.count() as u64;
            vec![mine, row.trials() - mine]
        });
        let cells: Vec<Vec<u64>> = cells.collect();
        Table::new(cells).is_ok_and(|table| table.chi_square(false).statistic >= statistic * (1.0 - 1e-9))
    });
    (as_great.count() as f64 + 1.0) / (f64::from(PERMUTATIONS) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fisher::fisher;

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    #[test]
    fn rows_that_are_alike_and_rows_that_are_not() {
        assert!(homogeneity(&[of(50, 100), of(52, 100), of(49, 100)]).p > 0.5);
        assert!(homogeneity(&[of(50, 100), of(80, 100), of(49, 100)]).p < 0.001);
        assert_eq!(homogeneity(&[]).p, 1.0);
        assert_eq!(homogeneity(&[of(3, 3), of(0, 0), of(9, 9)]).p, 1.0);
    }

    /// In small tables of two rows the permutations are Fisher's exact test, up to chance: four standard errors of 9,999 draws.
    #[test]
    fn permutations_of_two_rows_are_fishers_test() {
        for (a, b) in [(of(3, 4), of(1, 4)), (of(7, 8), of(2, 8)), (of(1, 3), of(2, 9))] {
            let (ours, exact) = (homogeneity(&[a, b]), fisher(a, b));
            assert!(
                ours.permuted && (ours.p - exact).abs() < 4.0 * (exact * (1.0 - exact) / 9999.0).sqrt() + 1e-3,
                "{ours:?} {exact}"
            );
        }
    }
}
