//! Dynamic komi: in a handicap game playouts are counted with a komi that makes the game nearly even, less and less so as the game goes
//! on. A search that has lost, or won, every playout sees no difference between moves; counted so it does (Baudiš 2011).

use yomi_core::{Answer, Evaluator, Question, Want};
use yomi_games::go::{Go, GoMove, Points};

/// Points a handicap stone is worth.
pub const POINTS_A_STONE: f32 = 8.0;
/// The part of the board that must be filled before the true komi counts: 200 moves on 19x19.
const OPENING: f32 = 200.0 / 361.0;

/// What is added to the komi after `ply` moves on a board of `places` points: so much a stone at first, then ever less, and nothing once
/// the opening is over.
pub fn extra_komi(a_stone: f32, handicap: u8, ply: usize, places: usize) -> Points {
    let left = 1.0 - ply as f32 / (OPENING * places as f32);
    Points::whole((a_stone * f32::from(handicap) * left.max(0.0)).round() as i32)
}

/// Judges positions of handicap games by `evaluator` with the komi shifted; even games as they are.
pub struct DynamicKomi<E> {
    evaluator: E,
    a_stone: f32,
}

impl<E> DynamicKomi<E> {
    /// Shifts the komi by this many points per handicap stone.
    pub fn new(evaluator: E, a_stone: f32) -> DynamicKomi<E> {
        DynamicKomi { evaluator, a_stone }
    }
}

impl<const LEN: usize, E: Evaluator<Go<LEN>>> Evaluator<Go<LEN>> for DynamicKomi<E> {
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.evaluator.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.evaluator.win()
    }

    /// Children get the komi of their own ply, and a game that ends with a move is counted with the true komi.
    fn judge(&self, question: &Question<'_, Go<LEN>>, answer: &mut Answer<GoMove>, scratch: &mut E::Scratch) {
        let rules = question.position.ruleset();
        let size = question.position.size();
        let extra = extra_komi(self.a_stone, rules.handicap, question.past.len(), size * size);
        if extra == Points::whole(0) {
            // So it is for the children: the shift only fades.
            return self.evaluator.judge(question, answer, scratch);
        }
        let mut position = question.position.clone();
        position.set_komi(rules.komi + extra);
        let shifted = Question { position: &position, want: question.want - Want::CHILDREN, ..*question };
        self.evaluator.judge(&shifted, answer, scratch);
        answer.judge_children(question, self.evaluator.win(), |child, answer| self.judge(child, answer, scratch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rollout;
    use yomi_core::{Position, Uniform};
    use yomi_games::go::{Go9, Rules};

    #[test]
    fn the_extra_fades() {
        let at = |ply| extra_komi(8.0, 4, ply, 361);
        assert_eq!([0, 100, 150, 200, 300].map(at), [32, 16, 8, 0, 0].map(Points::whole));
        assert_eq!(extra_komi(8.0, 0, 0, 361), Points::whole(0));
        assert_eq!(extra_komi(-8.0, 2, 0, 81), Points::whole(-16));
    }

    /// Four stones on 9x9 win nearly every playout; with the extra komi the game is open. Even games are left alone.
    #[test]
    fn handicap_games_become_open() {
        let judge = |handicap: u8, a_stone: f32| {
            let go = Go9::new(9, Rules { handicap, ..Rules::default() }).unwrap();
            let mut moves = Vec::new();
            go.generate(&mut moves);
            let evaluator = DynamicKomi::new(Rollout::averaging(Uniform, 500), a_stone);
            let mut scratch = Evaluator::<Go9>::scratch(&evaluator, 1);
            evaluator.value(&Question::of(&go, &moves), &mut scratch)
        };
        // White is to move after handicap stones.
        assert!(judge(4, 0.0) < judge(4, 8.0) - 0.1, "{} {}", judge(4, 0.0), judge(4, 8.0));
        assert_eq!(judge(0, 8.0), judge(0, 0.0));
    }
}
