//! What a search believes, in the words of USI.

use yomi_core::Notation;
use yomi_search::{Proof, RootMove, Verdict};

use crate::usi::{Bound, Info, Reply, Score};

/// How the values of a search become hundredths of a pawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// This much is a pawn.
    Pawn(f32),
    /// Values run from -1, lost, to 1, won. A chance of winning p stands for `600·ln(p / (1 - p))`, the curve shogi programs share.
    Result,
}

/// The steepness of the curve between hundredths of a pawn and chances of winning.
const STEEPNESS: f64 = 600.0;
/// No score is told beyond it: what lies there is a mate or as good as one.
const MOST: f64 = 29_999.0;

impl Scale {
    /// The value in hundredths of a pawn.
    pub fn centipawns(self, value: f32) -> i64 {
        let value = f64::from(value);
        let cp = match self {
            Scale::Pawn(pawn) => value * 100.0 / f64::from(pawn),
            Scale::Result => {
                let chance = value.midpoint(1.0).clamp(0.0, 1.0);
                STEEPNESS * (chance / (1.0 - chance)).ln()
            }
        };
        if cp.is_nan() { 0 } else { cp.clamp(-MOST, MOST).round() as i64 }
    }

    /// The value that so many hundredths of a pawn stand for: the way back of [`Scale::centipawns`].
    pub fn value(self, centipawns: i64) -> f32 {
        let cp = (centipawns as f64).clamp(-MOST, MOST);
        match self {
            Scale::Pawn(pawn) => (cp / 100.0 * f64::from(pawn)) as f32,
            // Twice the chance less one.
            Scale::Result => (cp / STEEPNESS / 2.0).tanh() as f32,
        }
    }

    /// The score of a move or a position.
    pub fn score(self, value: f32, proof: Option<Proof>) -> Score {
        match proof {
            Some(Proof::Win(plies)) => Score::Mate(true, Some(plies)),
            Some(Proof::Loss(plies)) => Score::Mate(false, Some(plies)),
            Some(Proof::Draw) => Score::Cp(0, Bound::Exact),
            None => Score::Cp(self.centipawns(value), Bound::Exact),
        }
    }
}

/// The lines of `info` for what a search believes: one a move, best first, and one for people.
pub(super) fn report<P: Notation>(
    position: &P,
    verdict: &Verdict<P::Move>,
    scale: Scale,
    lines: usize,
    note: &str,
) -> String {
    let samples = verdict.simulations > 0;
    // A tree is as deep as its value rests on; an iteration is as deep as it has completed.
    let depth = if samples { (verdict.effective_depth.round() as u32).max(1) } else { verdict.depth };
    let seldepth = verdict.selective_depth.max(verdict.depth).max(depth);
    let nodes = if samples { verdict.evaluations } else { verdict.nodes };
    let ms = verdict.elapsed.as_millis() as u64;
    let nps = if verdict.elapsed.is_zero() { 0.0 } else { nodes as f64 / verdict.elapsed.as_secs_f64() };
    let info = |rank: usize, score: Score, pv: &[P::Move]| Info {
        depth: Some(depth),
        seldepth: Some(seldepth),
        time: Some(ms),
        nodes: Some(nodes),
        nps: Some(nps as u64),
        hashfull: Some((verdict.fullness * 1000.0) as u32),
        multipv: (lines > 1).then_some(rank as u32 + 1),
        score: Some(score),
        pv: variation(position, pv),
        ..Info::default()
    };
    let mut rows: Vec<Info> = Vec::new();
    if lines > 1 {
        let row = |(i, mv): (usize, &RootMove<P::Move>)| info(i, scale.score(mv.value, mv.proof), &mv.pv);
        rows.extend(verdict.moves.iter().take(lines).enumerate().map(row));
    }
    if rows.is_empty() {
        rows.push(info(0, scale.score(verdict.value, verdict.proof), &verdict.pv));
    }
    if samples {
        let words = format!(
            "{note}entropy {:.3} effective depth {:.2} simulations {}",
            verdict.entropy, verdict.effective_depth, verdict.simulations
        );
        rows.push(Info::words(words));
    }
    let rows: Vec<String> = rows.into_iter().map(|info| Reply::Info(Box::new(info)).to_string()).collect();
    rows.join("\n")
}

/// Moves from this position on, as words.
pub(super) fn variation<P: Notation>(position: &P, moves: &[P::Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &mv in moves {
        words.push(position.move_text(mv));
        position.play(mv);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_hundredths_of_a_pawn() {
        assert_eq!(Scale::Pawn(87.0).centipawns(87.0), 100);
        assert_eq!(Scale::Pawn(87.0).centipawns(-43.5), -50);
        assert_eq!(Scale::Pawn(87.0).centipawns(1e9), 29_999);
        assert_eq!(Scale::Pawn(87.0).centipawns(f32::NAN), 0);
        assert_eq!(Scale::Result.centipawns(0.0), 0);
        // One in (1 + e): a chance of 73 %.
        assert_eq!(Scale::Result.centipawns(0.462_117), 600);
        assert_eq!(Scale::Result.centipawns(1.0), 29_999);
        assert_eq!(Scale::Result.centipawns(-1.0), -29_999);
        for scale in [Scale::Pawn(87.0), Scale::Result] {
            for cp in [0, -2, 100, -1500, 5000] {
                assert_eq!(scale.centipawns(scale.value(cp)), cp, "{scale:?}");
            }
        }
    }

    #[test]
    fn proofs_are_mates() {
        assert_eq!(Scale::Result.score(1.0, Some(Proof::Win(3))).to_string(), "mate +3");
        assert_eq!(Scale::Result.score(-1.0, Some(Proof::Loss(2))).to_string(), "mate -2");
        assert_eq!(Scale::Pawn(1.0).score(0.5, Some(Proof::Draw)).to_string(), "cp 0");
    }
}
