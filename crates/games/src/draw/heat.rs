//! What a heat map shows of its values: a shade and a short number.

use super::picture::{Cell, Picture, Scale};

/// The values of a picture's heat map, cell by cell.
pub(super) struct Heat {
    values: Vec<(Cell, f32)>,
    scale: Scale,
    largest: f32,
}

impl Heat {
    /// Collects the values on the board; of several for one cell the last counts, and what is no number is left out.
    pub(super) fn of(picture: &Picture) -> Heat {
        let mut by_cell = vec![None; picture.grid.len()];
        for &(cell, value) in &picture.heat {
            if let Some(index) = picture.grid.index(cell) {
                by_cell[index] = Some(value).filter(|v| v.is_finite());
            }
        }
        let values: Vec<(Cell, f32)> = picture.grid.cells().zip(by_cell).filter_map(|(c, v)| Some((c, v?))).collect();
        let largest = values.iter().fold(0.0, |largest: f32, (_, v)| largest.max(v.abs()));
        Heat { values, scale: picture.scale, largest }
    }

    /// The cells that have a value, row by row.
    pub(super) fn values(&self) -> &[(Cell, f32)] {
        &self.values
    }

    /// Strength between 0 and 1, and whether it speaks for White; nothing where there is nothing to show.
    pub(super) fn shade(&self, value: f32) -> Option<(f32, bool)> {
        let (strength, white) = match self.scale {
            Scale::Share => (value / self.largest, false),
            Scale::Balance => (value.abs(), value < 0.0),
        };
        (strength > 0.0).then_some((strength.min(1.0), white))
    }

    /// Whether [`Heat::text`] writes percent.
    pub(super) fn in_percent(&self) -> bool {
        self.largest <= 1.0
    }

    /// The value as a short text: percent while all values lie between -1 and 1, otherwise a count of about three digits.
    pub(super) fn text(&self, value: f32) -> String {
        match value.abs() {
            _ if self.in_percent() => format!("{}", (100.0 * value).round() as i32),
            size if size < 999.5 => format!("{}", value.round() as i32),
            size if size < 999.5e3 => format!("{:.0}k", value / 1e3),
            size if size < 999.5e6 => format!("{:.0}M", value / 1e6),
            _ => format!("{value:.0e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{Grid, Style};
    use super::super::theme::Theme;
    use super::*;

    fn heat(scale: Scale, values: &[f32]) -> Heat {
        let grid = Grid { columns: 5, rows: 1, style: Style::Points, cell: (10, 10), stars: Vec::new() };
        let mut picture = Picture::new("", Theme::KAYA, grid);
        picture.scale = scale;
        picture.heat = values.iter().enumerate().map(|(i, v)| (Cell::new(i as u8, 0), *v)).collect();
        Heat::of(&picture)
    }

    #[test]
    fn shares_are_relative_to_the_largest_and_balances_are_not() {
        let share = heat(Scale::Share, &[0.1, 0.2, 0.0, f32::NAN, f32::INFINITY]);
        assert_eq!(share.values().len(), 3);
        assert_eq!(share.shade(0.1), Some((0.5, false)));
        assert_eq!(share.shade(0.0), None);
        assert_eq!(share.text(0.2), "20");
        let balance = heat(Scale::Balance, &[-0.5, 0.25]);
        assert_eq!(balance.shade(-0.5), Some((0.5, true)));
        assert_eq!(balance.shade(0.25), Some((0.25, false)));
        assert_eq!(balance.text(-0.001), "0");
    }

    #[test]
    fn counts_are_shortened() {
        let visits = heat(Scale::Share, &[3.0, 12_345.0]);
        let texts: Vec<String> = [3.0, 999.0, 12_345.0, 2.5e6, 3e38].iter().map(|v| visits.text(*v)).collect();
        assert_eq!(texts, ["3", "999", "12k", "2M", "3e38"]);
    }
}
