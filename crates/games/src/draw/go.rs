//! Go as pictures.

use super::picture::{Cell, Face, Grid, Labels, Picture, Style};
use super::theme::Theme;

/// An empty board with coordinates (no column is called I) and star points.
pub fn goban(size: u8) -> Picture {
    let grid = Grid { columns: size, rows: size, style: Style::Points, cell: (32, 32), stars: stars(size) };
    let mut picture = Picture::new(format!("Go {size}x{size}"), Theme::KAYA, grid);
    picture.labels = Labels {
        columns: ('A'..='Z').filter(|c| *c != 'I').take(size.into()).map(Face::plain).collect(),
        rows: (1..=size).rev().map(|row| Face::plain(row.to_string())).collect(),
        top: true,
        right: true,
        bottom: true,
        left: true,
        ..Labels::default()
    };
    picture
}

/// The points with dots: third line on small boards, fourth on large ones, and the middle of odd ones.
fn stars(size: u8) -> Vec<Cell> {
    if size < 7 {
        return Vec::new();
    }
    let near = if size < 13 { 2 } else { 3 };
    let (far, middle) = (size - 1 - near, size / 2);
    let mut stars = vec![(near, near), (far, near), (near, far), (far, far)];
    if size % 2 == 1 {
        stars.push((middle, middle));
    }
    if size % 2 == 1 && size >= 15 {
        stars.extend([(middle, near), (near, middle), (far, middle), (middle, far)]);
    }
    stars.into_iter().map(|(column, row)| Cell::new(column, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_where_boards_have_them() {
        assert_eq!([5, 9, 13, 18, 19].map(|size| stars(size).len()), [0, 5, 5, 4, 9]);
        assert!(stars(19).contains(&Cell::new(3, 9)) && stars(9).contains(&Cell::new(2, 6)));
    }

    #[test]
    fn no_column_is_called_i() {
        let names: String = goban(19).labels.columns.into_iter().map(|face| face.ascii).collect();
        assert_eq!(names, "ABCDEFGHJKLMNOPQRST");
        assert_eq!(goban(19).labels.name(Cell::new(8, 0)), "J19");
    }
}
