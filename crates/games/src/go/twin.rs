//! The rules of Go again, in the plainest way: a grid of cells and flood fills. Slow, and right by inspection.

use yomi_core::conformance::Twin;
use yomi_core::{Color, zobrist};

use super::board::Board;
use super::vertex::GoMove;
use super::{Go, Vertex};

type Point = (usize, usize);

/// A grid of stones, `cells[row][column]`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Grid {
    cells: Vec<Vec<Option<Color>>>,
}

impl Grid {
    fn of<const LEN: usize>(position: &Go<LEN>) -> Grid {
        let size = position.size();
        let at = |column, row| position.vertex(column, row).and_then(|v| position.at(v));
        Grid { cells: (0..size).map(|row| (0..size).map(|column| at(column, row)).collect()).collect() }
    }

    fn at(&self, (column, row): Point) -> Option<Color> {
        self.cells[row][column]
    }

    fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let size = self.cells.len();
        (0..size).flat_map(move |row| (0..size).map(move |column| (column, row)))
    }

    fn beside(&self, (column, row): Point) -> Vec<Point> {
        let all = [(column + 1, row), (column.wrapping_sub(1), row), (column, row + 1), (column, row.wrapping_sub(1))];
        all.into_iter().filter(|&(x, y)| x < self.cells.len() && y < self.cells.len()).collect()
    }

    /// The points connected to `start` over points of the same content, and the other points these touch, each sorted.
    fn region(&self, start: Point) -> (Vec<Point>, Vec<Point>) {
        let (mut inside, mut border) = (vec![start], Vec::new());
        let mut seen = vec![vec![false; self.cells.len()]; self.cells.len()];
        seen[start.1][start.0] = true;
        let mut at = 0;
        while at < inside.len() {
            for p in self.beside(inside[at]) {
                if !std::mem::replace(&mut seen[p.1][p.0], true) {
                    (if self.at(p) == self.at(start) { &mut inside } else { &mut border }).push(p);
                }
            }
            at += 1;
        }
        inside.sort_unstable();
        border.sort_unstable();
        (inside, border)
    }

    fn liberties(&self, p: Point) -> Vec<Point> {
        self.region(p).1.into_iter().filter(|&q| self.at(q).is_none()).collect()
    }

    /// Takes off every chain of `color` without liberties and says which stones went.
    fn clear_dead(&mut self, color: Color) -> Vec<Point> {
        let of_color = self.points().filter(|&p| self.at(p) == Some(color));
        let dead: Vec<Point> = of_color.filter(|&p| self.liberties(p).is_empty()).collect();
        dead.iter().for_each(|&(column, row)| self.cells[row][column] = None);
        dead
    }

    /// The grid after a stone, with the stones taken from the enemy and from the own side.
    fn after(&self, (column, row): Point, color: Color) -> (Grid, Vec<Point>, Vec<Point>) {
        let mut grid = self.clone();
        grid.cells[row][column] = Some(color);
        let captured = grid.clear_dead(!color);
        let lost = grid.clear_dead(color);
        (grid, captured, lost)
    }
}

impl<const LEN: usize> Twin for Go<LEN> {
    fn slow_legal(&self, mv: GoMove) -> bool {
        if self.passes() >= 2 {
            return false;
        }
        if mv == GoMove::PASS {
            return true;
        }
        let Some(v) = self.vertices().find(|&v| GoMove::at(v) == mv) else { return false };
        let (grid, point) = (Grid::of(self), (self.column(v), self.row(v)));
        if grid.at(point).is_some() || self.ko() == Some(v) {
            return false;
        }
        let (_, _, lost) = grid.after(point, self.turn);
        lost.is_empty() || (self.ruleset().suicide && lost.len() > 1)
    }

    fn slow_key(&self) -> u64 {
        let size = self.size();
        let mut key = zobrist::mix(size as u64);
        for point in Grid::of(self).points() {
            let Vertex(v) = self.vertex(point.0, point.1).expect("a point of the board");
            if let Some(color) = self.at(Vertex(v)) {
                key ^= Board::<LEN>::stone_key(v, color);
            }
        }
        self.key_of_stones(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::code::DIRECTIONS;
    use crate::go::{Go9, Go13, Go19, Rules, Score, Symmetry};
    use yomi_core::conformance::{Effort, check};
    use yomi_core::{Line, Notation, Position, Seed, Spec};

    /// The score by the book: living stones, regions that touch one colour only, prisoners.
    fn slow_score<const LEN: usize>(position: &Go<LEN>, dead: &[Point]) -> Score {
        use crate::go::{Compensation, Points, Scoring};
        let rules = position.ruleset();
        let mut grid = Grid::of(position);
        let mut points = [0i32; 2];
        for &p in dead {
            for (column, row) in grid.region(p).0 {
                if let Some(color) = grid.cells[row][column].take() {
                    points[(!color).index()] += i32::from(rules.scoring == Scoring::Territory);
                }
            }
        }
        for p in grid.points() {
            match grid.at(p) {
                Some(color) => points[color.index()] += i32::from(rules.scoring == Scoring::Area),
                None => {
                    let border = grid.region(p).1;
                    for color in Color::BOTH {
                        let alone = !border.is_empty() && border.iter().all(|&q| grid.at(q) == Some(color));
                        points[color.index()] += i32::from(alone);
                    }
                }
            }
        }
        if rules.scoring == Scoring::Territory {
            points[0] += position.prisoners(Color::Black) as i32;
            points[1] += position.prisoners(Color::White) as i32;
        }
        let given = match rules.compensation {
            Compensation::None => 0,
            Compensation::AllButOne => i32::from(rules.handicap.saturating_sub(1)),
            Compensation::All => i32::from(rules.handicap),
        };
        Score(Points::whole(points[0] - points[1] - given) - rules.komi)
    }

    /// Everything the board keeps, against the grid.
    fn compare<const LEN: usize>(position: &Go<LEN>) {
        let grid = Grid::of(position);
        let size = position.size() as i32;
        let point = |v: Vertex| (position.column(v), position.row(v));
        let sorted = |vertices: &mut dyn Iterator<Item = Vertex>| {
            let mut points: Vec<Point> = vertices.map(point).collect();
            points.sort_unstable();
            points
        };
        let mut empties = sorted(&mut position.empties());
        empties.sort_unstable_by_key(|&(column, row)| (row, column));
        let empty: Vec<Point> = grid.points().filter(|&p| grid.at(p).is_none()).collect();
        assert_eq!(empties, empty, "the list of empty points\n{position}");
        for color in Color::BOTH {
            let count = grid.points().filter(|&p| grid.at(p) == Some(color)).count();
            assert_eq!(position.stones(color), count as u32);
        }
        for v in position.vertices() {
            let (column, row) = point(v);
            for (d, (x, y)) in DIRECTIONS.into_iter().enumerate() {
                let (x, y) = (column as i32 + x, row as i32 + y);
                let outside = x < 0 || y < 0 || x >= size || y >= size;
                let field = if outside { 3 } else { grid.at((x as usize, y as usize)).map_or(0, |c| c as u8 + 1) };
                assert_eq!(position.code(v).field(d), field, "the code of {v:?}\n{position}");
            }
            if grid.at((column, row)).is_none() {
                assert_eq!((position.chain(v).count(), position.chain_len(v), position.atari(v)), (0, 0, None));
                continue;
            }
            let (chain, _) = grid.region((column, row));
            let liberties = grid.liberties((column, row));
            assert_eq!(sorted(&mut position.chain(v)), chain, "the chain of {v:?}\n{position}");
            assert_eq!(position.chain_len(v) as usize, chain.len());
            assert!(position.chain(v).all(|u| position.head(u) == position.head(v)));
            let found = position.liberties::<400>(v);
            assert_eq!(sorted(&mut found.as_slice().iter().copied()), liberties, "the liberties of {v:?}\n{position}");
            assert_eq!(position.liberties::<2>(v).len(), liberties.len().min(2));
            let only = if liberties.len() == 1 { Some(liberties[0]) } else { None };
            assert_eq!(position.atari(v).map(point), only, "atari of {v:?}\n{position}");
        }
        assert_eq!(position.score(&[]), slow_score(position, &[]), "{position}");
        assert_eq!(position.outcome(), slow_score(position, &[]).outcome(), "{position}");
    }

    /// Random games of legal moves under the whole of the rules: every move is compared, and every n-th position in full.
    fn follow<const LEN: usize>(spec: &str, games: u64, plies: usize, every: usize) {
        let start = Go::<LEN>::start(&Spec::parse(spec).unwrap()).unwrap();
        for game in 0..games {
            let mut rng = Seed::new(game).branch(spec, 0).rng();
            let mut line = Line::new(start.clone());
            let mut grids = vec![(Grid::of(&start), start.turn())];
            let mut moves = Vec::new();
            for ply in 0..plies {
                if line.generate(&mut moves).is_some() {
                    break;
                }
                let thorough = ply % every == 0;
                if thorough {
                    check_superko(line.position(), &grids, &moves);
                }
                let mv = moves[rng.below(moves.len())];
                let before = line.position().clone();
                let grid = Grid::of(&before);
                line.play(mv);
                let position = line.position();
                if let Some(v) = mv.vertex() {
                    let (after, captured, lost) = grid.after((before.column(v), before.row(v)), before.turn());
                    assert_eq!(Grid::of(position), after, "{mv:?} in\n{before}");
                    assert_eq!(before.captured_by(mv) as usize, captured.len());
                    let [own, other] =
                        [before.turn(), !before.turn()].map(|c| position.prisoners(c) - before.prisoners(c));
                    assert_eq!([own as usize, other as usize], [captured.len(), lost.len()], "{mv:?} in\n{before}");
                    let alone = after
                        .beside((before.column(v), before.row(v)))
                        .iter()
                        .all(|&p| after.at(p) == Some(!before.turn()) || captured.contains(&p));
                    let ko = (captured.len() == 1 && alone).then(|| captured[0]);
                    assert_eq!(position.ko().map(|v| (position.column(v), position.row(v))), ko, "{mv:?} in\n{before}");
                }
                if thorough {
                    compare(position);
                    let dead: Vec<Vertex> =
                        position.vertices().filter(|&v| v.0 % 7 == 3 && position.at(v).is_some()).collect();
                    let points: Vec<Point> = dead.iter().map(|&v| (position.column(v), position.row(v))).collect();
                    assert_eq!(position.score(&dead), slow_score(position, &points), "{position}");
                }
                grids.push((Grid::of(position), position.turn()));
            }
        }
    }

    /// The moves of a line are those of the position less the ones that repeat.
    fn check_superko<const LEN: usize>(position: &Go<LEN>, past: &[(Grid, Color)], moves: &[GoMove]) {
        use crate::go::Ko;
        let mut all = Vec::new();
        position.generate(&mut all);
        all.retain(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            let (grid, turn) = (Grid::of(&next), next.turn());
            let repeats = past.iter().any(|(g, t)| match position.ruleset().ko {
                Ko::Simple => false,
                Ko::Positional => *g == grid,
                Ko::Situational => *g == grid && *t == turn,
            });
            mv == GoMove::PASS || !repeats
        });
        assert_eq!(moves, all, "{position}");
    }

    #[test]
    fn small_boards_agree() {
        for rules in ["", "(suicide=true)", "(ko=situational,suicide=true)", "(ko=simple,scoring=territory)"] {
            for size in 2..=6 {
                follow::<128>(&format!("go{size}{rules}"), 20, 150, 1);
            }
        }
    }

    #[test]
    fn large_boards_agree() {
        follow::<128>("go9(scoring=territory,handicap=5,compensation=n-1)", 4, 200, 5);
        follow::<256>("go13(suicide=true)", 2, 300, 20);
        follow::<512>("go19", 1, 600, 60);
    }

    /// The general laws. `ends` is set where superko must end every game within the given length.
    #[test]
    fn obeys_the_laws() {
        let effort = |games, max_plies, ends| Effort { games, max_plies, ends, brute_force_every: 40 };
        let nine = |text: &str| Go9::start(&Spec::parse(text).unwrap()).unwrap();
        check(&nine("go2"), effort(50, 100, true), 1);
        check(&nine("go3(suicide=true)"), effort(50, 400, true), 2);
        check(&nine("go5(ko=situational,suicide=true,scoring=territory)"), effort(20, 300, false), 3);
        check(&nine("go7(ko=simple,scoring=territory)"), effort(10, 300, false), 4);
        check(&nine("go9(handicap=3,compensation=n)"), effort(5, 300, false), 5);
        check(&Go13::new(13, Rules::default()).unwrap(), effort(2, 300, false), 6);
        check(&Go19::new(19, Rules::named("tromp-taylor").unwrap()).unwrap(), effort(1, 500, false), 7);
    }

    #[test]
    fn symmetries_commute_with_playing() {
        let start = Go9::start(&Spec::parse("go5(suicide=true,scoring=territory)").unwrap()).unwrap();
        for game in 0..20 {
            let mut rng = Seed::new(game).branch("symmetry", 0).rng();
            let mut position = start.clone();
            let mut moves = Vec::new();
            for _ in 0..60 {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                let mv = moves[rng.below(moves.len())];
                let mut next = position.clone();
                next.play(mv);
                for symmetry in Symmetry::ALL {
                    let mut turned = position.transformed(symmetry);
                    let turned_mv = position.transformed_move(mv, symmetry);
                    assert!(turned.is_legal(turned_mv));
                    turned.play(turned_mv);
                    assert_eq!(turned.key(), next.transformed(symmetry).key());
                    assert_eq!(turned.score(&[]), next.score(&[]));
                    for v in next.vertices() {
                        let there = next.transformed_vertex(v, symmetry);
                        assert_eq!(turned.code(there), next.code(v).transformed(symmetry));
                    }
                }
                position = next;
            }
        }
    }
}
