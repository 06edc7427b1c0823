//! Several matches side by side: the chi-square test of a table of counts, a row a match, a column a result.

use yomi_core::TextError;

use super::distributions::chi_square_tail;
use super::tally::MAX_GAMES;

/// Counts in rows and columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    rows: Vec<Vec<u64>>,
}

/// The outcome of a chi-square test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChiSquare {
    /// The sum of (observed - expected)² / expected.
    pub statistic: f64,
    /// Degrees of freedom: (rows - 1)·(columns - 1), rows and columns without any count left out.
    pub freedom: u64,
    /// How often chance alone gives so great a statistic.
    pub p: f64,
    /// The smallest count that was expected: below 5 the test is not to be trusted.
    pub least_expected: f64,
}

/// More rows or columns than this are taken for a mistake.
const MAX_SIDE: usize = 1000;

impl Table {
    /// A table of equally long rows, two or more of them, with two or more columns.
    pub fn new(rows: Vec<Vec<u64>>) -> Result<Table, TextError> {
        let width = rows.first().map_or(0, Vec::len);
        if rows.len() < 2 || width < 2 {
            return Err(TextError::new("a table has two rows and two columns at least"));
        }
        if rows.len() > MAX_SIDE || width > MAX_SIDE {
            return Err(TextError::new(format!("more than {MAX_SIDE} rows or columns are taken for a mistake")));
        }
        if let Some(odd) = rows.iter().position(|row| row.len() != width) {
            let (length, row) = (rows[odd].len(), odd + 1);
            return Err(TextError::new(format!("row {row} has {length} counts, the first has {width}")));
        }
        let sum = rows.iter().flatten().try_fold(0u64, |sum, &n| sum.checked_add(n));
        if sum.is_none_or(|sum| sum > MAX_GAMES) {
            return Err(TextError::new(format!("more than {MAX_GAMES} games are taken for a mistake")));
        }
        Ok(Table { rows })
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<u64>] {
        &self.rows
    }

    /// The chi-square test of independence. Yates's correction moves each count half a unit towards what is expected; it is meant
    /// for tables of two by two and is only applied to them.
    pub fn chi_square(&self, yates: bool) -> ChiSquare {
        let width = self.rows[0].len();
        let row_sums: Vec<u64> = self.rows.iter().map(|row| row.iter().sum()).collect();
        let column_sums: Vec<u64> = (0..width).map(|c| self.rows.iter().map(|row| row[c]).sum()).collect();
        let total = row_sums.iter().sum::<u64>() as f64;
        let filled = |sums: &[u64]| sums.iter().filter(|&&sum| sum > 0).count().saturating_sub(1) as u64;
        let freedom = filled(&row_sums) * filled(&column_sums);
        let shift = if yates && self.rows.len() == 2 && width == 2 { 0.5 } else { 0.0 };
        let (mut statistic, mut least_expected) = (0.0, f64::INFINITY);
        for (row, &row_sum) in self.rows.iter().zip(&row_sums) {
            for (&count, &column_sum) in row.iter().zip(&column_sums) {
                if row_sum == 0 || column_sum == 0 {
                    continue;
                }
                let expected = row_sum as f64 * column_sum as f64 / total;
                let distance = (count as f64 - expected).abs();
                statistic += (distance - distance.min(shift)).powi(2) / expected;
                least_expected = least_expected.min(expected);
            }
        }
        ChiSquare { statistic, freedom, p: chi_square_tail(statistic, freedom), least_expected }
    }

    /// Each row against all the others together: which worker, opponent or opening is out of line? Correct the p-values with
    /// [`holm`](super::holm::holm), for there are as many tests as rows.
    pub fn row_tests(&self) -> Vec<ChiSquare> {
        let width = self.rows[0].len();
        let column_sums: Vec<u64> = (0..width).map(|c| self.rows.iter().map(|row| row[c]).sum()).collect();
        let test = |row: &Vec<u64>| {
            let others = column_sums.iter().zip(row).map(|(sum, count)| sum - count).collect();
            Table { rows: vec![row.clone(), others] }.chi_square(false)
        };
        self.rows.iter().map(test).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(rows: &[&[u64]]) -> Table {
        Table::new(rows.iter().map(|row| row.to_vec()).collect()).unwrap()
    }

    /// Comparisons within the tables of S0.6: T=80 against 40 at one thread, T'=60 against 40.
    #[test]
    fn audit_of_the_tables_of_s0() {
        let shogi = table(&[&[124, 171], &[100, 194]]).chi_square(false);
        assert_eq!(format!("{:.3}", shogi.p), "0.045");
        let minishogi = table(&[&[651, 316], &[647, 296]]).chi_square(false);
        assert_eq!(format!("{:.2}", minishogi.p), "0.55");
        assert_eq!(minishogi.freedom, 1);
    }

    #[test]
    fn empty_rows_and_columns_do_not_count() {
        let with = table(&[&[10, 0, 20], &[30, 0, 5], &[0, 0, 0]]).chi_square(false);
        let without = table(&[&[10, 20], &[30, 5]]).chi_square(false);
        assert_eq!(with, without);
        let nothing = table(&[&[0, 0], &[0, 0]]).chi_square(true);
        assert_eq!((nothing.statistic, nothing.freedom, nothing.p), (0.0, 0, 1.0));
        let wins_only = table(&[&[10, 0], &[90, 0]]).chi_square(false);
        assert_eq!(wins_only.p, 1.0);
    }

    #[test]
    fn bad_tables_are_refused() {
        assert!(Table::new(vec![]).is_err());
        assert!(Table::new(vec![vec![1, 2]]).is_err());
        assert!(Table::new(vec![vec![1], vec![2]]).is_err());
        assert!(Table::new(vec![vec![1, 2], vec![1, 2, 3]]).unwrap_err().message.contains("row 2"));
        assert!(Table::new(vec![vec![u64::MAX, 2], vec![1, 2]]).is_err());
        assert!(Table::new(vec![vec![1; 2000]; 2]).is_err());
    }

    proptest! {
        /// Rows and columns may change places, and rows their order.
        #[test]
        fn symmetric(a in [0u64..500, 0u64..500, 0u64..500], b in [0u64..500, 0u64..500, 0u64..500]) {
            let straight = table(&[&a, &b]).chi_square(false);
            let turned = table(&[&[b[0], a[0]], &[b[1], a[1]], &[b[2], a[2]]]).chi_square(false);
            prop_assert!((straight.statistic - turned.statistic).abs() < 1e-9 * (1.0 + straight.statistic));
            prop_assert_eq!(straight.freedom, turned.freedom);
            prop_assert!((0.0..=1.0).contains(&straight.p));
        }

        #[test]
        fn yates_is_cautious(a in [1u64..500, 1u64..500], b in [1u64..500, 1u64..500]) {
            let both = table(&[&a, &b]);
            prop_assert!(both.chi_square(true).p >= both.chi_square(false).p);
            // Of two rows each is "against the other".
            prop_assert!((both.row_tests()[0].p - both.chi_square(false).p).abs() < 1e-12);
        }
    }
}
