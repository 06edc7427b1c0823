//! The border of a set of cells as closed polygons: tiles, the last tile, considered placements.

use std::collections::BTreeSet;

/// Corners in units of cells, each polygon clockwise around its cells (holes run the other way).
pub(super) type Polygon = Vec<(i32, i32)>;

/// The polygons around `cells`, given as (column, row). Cells that touch only at a corner get polygons of their own.
pub(super) fn outline(cells: &[(i32, i32)]) -> Vec<Polygon> {
    let cells: BTreeSet<(i32, i32)> = cells.iter().copied().collect();
    // Every side of a cell with no neighbour behind it, as a directed edge with the cell on its right hand.
    let mut edges: BTreeSet<((i32, i32), (i32, i32))> = BTreeSet::new();
    for &(x, y) in &cells {
        let sides = [
            ((0, -1), (x, y), (x + 1, y)),
            ((1, 0), (x + 1, y), (x + 1, y + 1)),
            ((0, 1), (x + 1, y + 1), (x, y + 1)),
            ((-1, 0), (x, y + 1), (x, y)),
        ];
        edges.extend(sides.iter().filter(|(d, ..)| !cells.contains(&(x + d.0, y + d.1))).map(|(_, a, b)| (*a, *b)));
    }
    let mut polygons = Vec::new();
    while let Some(first) = edges.pop_first() {
        let (start, mut at) = first;
        let mut corners = vec![start];
        let mut heading = (at.0 - start.0, at.1 - start.1);
        while at != start {
            // Turn right where two cells touch at a corner, so that each keeps its own polygon.
            let ways = [(-heading.1, heading.0), heading, (heading.1, -heading.0)];
            let Some(way) = ways.into_iter().find(|w| edges.remove(&(at, (at.0 + w.0, at.1 + w.1)))) else { break };
            if way != heading {
                corners.push(at);
            }
            heading = way;
            at = (at.0 + way.0, at.1 + way.1);
        }
        polygons.push(corners);
    }
    polygons
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area inside a polygon, positive when it runs clockwise on a screen.
    fn double_area(p: &Polygon) -> i32 {
        (0..p.len()).map(|i| p[i].0 * p[(i + 1) % p.len()].1 - p[(i + 1) % p.len()].0 * p[i].1).sum()
    }

    #[test]
    fn polygons_enclose_exactly_the_cells() {
        let shapes: &[(&[(i32, i32)], usize)] = &[
            (&[(0, 0)], 1),
            (&[(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)], 1), // X
            (&[(0, 0), (1, 1)], 2),                         // two that touch at a corner
            (&[(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)], 2), // a ring: outside and hole
            (&[(0, 0), (1, 0), (0, 0)], 1),                 // a cell named twice
            (&[], 0),
        ];
        for (cells, polygons) in shapes {
            let found = outline(cells);
            assert_eq!(found.len(), *polygons, "{cells:?}");
            let distinct: BTreeSet<_> = cells.iter().collect();
            assert_eq!(found.iter().map(double_area).sum::<i32>(), 2 * distinct.len() as i32, "{cells:?}");
        }
        assert_eq!(outline(&[(0, 0), (1, 0)]), [[(0, 0), (2, 0), (2, 1), (0, 1)]]);
    }
}
