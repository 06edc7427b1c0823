//! Playing games out at random.

use yomi_core::policy::{Step, keep_some};
use yomi_core::{Outcome, Policy, Rng, Simulate};

use super::Go;
use super::vertex::{GoMove, Vertex};

/// The points that may still be drawn, while a move is being drawn.
#[derive(Clone, Debug, Default)]
pub struct Candidates(Vec<u16>);

/// Draws from `points` until one is worthy, each of the worthy ones with the same probability; none if there is none.
///
/// The first tries put back what they draw, since nearly every point is worthy most of the time. After that a copy of the list
/// loses what was drawn in vain: about as many tries as a probe from a random start, but without its bias.
#[inline]
fn draw_worthy(
    points: &[u16],
    candidates: &mut Candidates,
    rng: &mut Rng,
    mut worthy: impl FnMut(u16) -> bool,
) -> Option<u16> {
    if points.is_empty() {
        return None;
    }
    for _ in 0..2 {
        let v = points[rng.below(points.len())];
        if worthy(v) {
            return Some(v);
        }
    }
    let list = &mut candidates.0;
    list.clear();
    list.extend_from_slice(points);
    while !list.is_empty() {
        let i = rng.below(list.len());
        if worthy(list[i]) {
            return Some(list[i]);
        }
        list.swap_remove(i);
    }
    None
}

impl<const LEN: usize> Go<LEN> {
    /// Whether a playout would play on the empty point `v`.
    #[inline]
    fn is_worthy(&self, v: u16) -> bool {
        let code = self.board.code(v);
        // A point with an empty neighbour is neither an eye nor ko nor suicide, and most points have one.
        code.has_liberty() || (!code.is_eye_of(self.turn) && v != self.ko && !self.board.is_suicide(v, self.turn))
    }

    /// As [`Simulate::draw`], for playouts that are more particular: only a point that `accept` accepts. It may be asked twice about
    /// the same one. None if there is none.
    #[inline]
    pub fn draw_point(
        &self,
        candidates: &mut Candidates,
        rng: &mut Rng,
        mut accept: impl FnMut(Vertex) -> bool,
    ) -> Option<Vertex> {
        draw_worthy(self.board.empties(), candidates, rng, |v| self.is_worthy(v) && accept(Vertex(v))).map(Vertex)
    }
}

/// Uniformly from the legal moves that fill no eye of their own side and give up no stones (even where suicide is legal); a pass only
/// when there is none. Superko is not looked at.
impl<const LEN: usize> Simulate for Go<LEN> {
    type Sampler = Candidates;

    #[inline]
    fn draw(&self, candidates: &mut Candidates, rng: &mut Rng) -> Step<GoMove> {
        if self.passes >= 2 {
            return Step::Break(self.outcome());
        }
        let drawn = draw_worthy(self.board.empties(), candidates, rng, |v| self.is_worthy(v));
        Step::Continue(drawn.map_or(GoMove::PASS, |v| GoMove::at(Vertex(v))))
    }

    fn draw_several(&self, n: usize, _: &mut Candidates, rng: &mut Rng, moves: &mut Vec<GoMove>) -> Option<Outcome> {
        moves.clear();
        if self.passes >= 2 {
            return Some(self.outcome());
        }
        let worthy = self.board.empties().iter().filter(|&&v| self.is_worthy(v));
        moves.extend(worthy.map(|&v| GoMove::at(Vertex(v))));
        keep_some(moves, n, rng);
        if moves.is_empty() {
            moves.push(GoMove::PASS);
        }
        None
    }

    /// Uniform playouts last 1.2 to 1.4 plies per point; only endless cycles reach three.
    fn horizon(&self) -> usize {
        3 * self.size() * self.size() + 20
    }

    fn places(&self) -> usize {
        self.size() * self.size()
    }

    fn adjudicate(&self) -> Outcome {
        self.outcome()
    }
}

/// Uniformly from all legal moves, own eyes and the pass among them, cut off and counted after twice as many plies as there are
/// points: how OpenSpiel plays Go at random.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryMove;

impl<const LEN: usize> Policy<Go<LEN>> for EveryMove {
    /// The plies left.
    type Scratch = usize;

    fn scratch(&self) -> usize {
        0
    }

    fn begin(&self, position: &Go<LEN>, _node: u32, left: &mut usize) {
        *left = 2 * position.size() * position.size();
    }

    #[inline]
    fn choose(&self, position: &Go<LEN>, rng: &mut Rng, left: &mut usize) -> Step<GoMove> {
        if position.passes >= 2 || *left == 0 {
            return Step::Break(position.outcome());
        }
        *left -= 1;
        // The pass is one choice more, and always legal: so this ends, after as many tries as there are illegal points per legal one.
        let points = position.board.empties();
        loop {
            match points.get(rng.below(points.len() + 1)) {
                None => return Step::Continue(GoMove::PASS),
                Some(&v) if position.may_place(v) => return Step::Continue(GoMove::at(Vertex(v))),
                Some(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Go9, Go19, Rules};
    use yomi_core::policy::play_out;
    use yomi_core::{Color, Notation, Position, Seed, Uniform};

    /// Mean length and black's share of wins of playouts from the empty board.
    fn statistics<const LEN: usize>(size: usize, games: u32) -> (f64, f64) {
        let start = Go::<LEN>::new(size, Rules::default()).unwrap();
        let mut rng = Seed::new(1).branch("playouts", 0).rng();
        let mut candidates = Candidates::default();
        let (mut plies, mut wins) = (0, 0);
        for _ in 0..games {
            let (outcome, length) = play_out(&mut start.clone(), 0, &Uniform, &mut rng, &mut candidates);
            plies += length;
            wins += u32::from(outcome == Outcome::Win(Color::Black));
        }
        (plies as f64 / f64::from(games), f64::from(wins) / f64::from(games))
    }

    /// libego and a prototype give 110.8 plies and 41.9 % on 9x9, 455 plies on 19x19. The standard errors here are 0.11 plies and 0.35 %
    /// on 9x9 and 0.87 plies on 19x19, so one per cent of the length is 10 and 5 of them; four are granted to the share.
    #[test]
    fn length_and_winners_are_the_known_ones() {
        let (length, share) = statistics::<128>(9, 20_000);
        assert!((length / 110.8 - 1.0).abs() < 0.01, "{length} plies");
        assert!((share - 0.419).abs() < 0.014, "{share} won by Black");
        let (length, _) = statistics::<512>(19, 1_000);
        assert!((length / 455.0 - 1.0).abs() < 0.01, "{length} plies");
    }

    /// χ² of `draw` against the moves that it should draw, at the hardest time: when most empty points are eyes or suicide. The seed is
    /// fixed; the limit is beyond the 1 - 1e-6 quantile for up to 20 moves (68).
    #[test]
    fn draws_are_uniform_to_the_end() {
        let mut rng = Seed::new(3).rng();
        let mut candidates = Candidates::default();
        let mut checked = 0;
        let mut position = Go9::new(9, Rules::default()).unwrap();
        while let Step::Continue(mv) = position.draw(&mut candidates, &mut rng) {
            let mut moves = Vec::new();
            position.generate(&mut moves);
            moves.retain(|mv| mv.vertex().is_some_and(|v| !position.is_eye(v, position.turn())));
            if moves.len() < 20 {
                checked += 1;
                let draws = 2000;
                let mut counts = vec![0; moves.len()];
                for _ in 0..draws {
                    match position.draw(&mut candidates, &mut rng) {
                        Step::Continue(GoMove::PASS) => assert!(moves.is_empty(), "{position}"),
                        Step::Continue(mv) => counts[moves.binary_search(&mv).expect("worthy")] += 1,
                        Step::Break(_) => panic!("the game is not over"),
                    }
                }
                let expected = f64::from(draws) / moves.len() as f64;
                let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
                assert!(chi2 < 68.0, "χ² = {chi2} for {counts:?}\n{position}");
            }
            position.play(mv);
        }
        assert!(checked > 20, "{checked} positions");
    }

    #[test]
    fn every_move_is_drawn_alike_and_games_are_cut_off() {
        let start = Go9::new(3, Rules::default()).unwrap();
        // Black may fill its eye at C1, take nothing at C3, and pass; A3 would be suicide.
        let position = start.parse_position(".w./wwb/bb. b").unwrap();
        let mut moves = Vec::new();
        position.generate(&mut moves);
        assert_eq!(moves.iter().map(|&mv| position.move_text(mv)).collect::<Vec<_>>(), ["C1", "C3", "pass"]);
        let mut rng = Seed::new(5).rng();
        let mut left = 0;
        EveryMove.begin(&position, 0, &mut left);
        assert_eq!(left, 18);
        let mut counts = vec![0u32; moves.len()];
        for _ in 0..10_000 {
            let mut left = 1;
            let Step::Continue(mv) = EveryMove.choose(&position, &mut rng, &mut left) else {
                panic!("the game goes on")
            };
            counts[moves.binary_search(&mv).expect("legal")] += 1;
            assert!(EveryMove.choose(&position, &mut rng, &mut left).is_break(), "no plies are left");
        }
        let expected = 10_000.0 / moves.len() as f64;
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(chi2 < 40.0, "χ² = {chi2} for {counts:?}");
        let nineteen = Go19::new(19, Rules::default()).unwrap();
        let (_, plies) = play_out(&mut nineteen.clone(), 0, &EveryMove, &mut rng, &mut left);
        assert!(plies <= 722);
    }
}
