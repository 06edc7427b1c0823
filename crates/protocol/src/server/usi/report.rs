//! What a search believes, in the words of USI.

use yomi_core::Notation;
use yomi_search::{Proof, RootMove, Verdict};
pub use yomi_session::Scale;
use yomi_session::variation;

use crate::usi::{Bound, Info, Reply, Score};

/// The score of a move or a position.
fn score(scale: Scale, value: f32, proof: Option<Proof>) -> Score {
    match proof {
        Some(Proof::Win(plies)) => Score::Mate(true, Some(plies)),
        Some(Proof::Loss(plies)) => Score::Mate(false, Some(plies)),
        Some(Proof::Draw) => Score::Cp(0, Bound::Exact),
        None => Score::Cp(scale.centipawns(value), Bound::Exact),
    }
}

/// The lines of `info` for what a search believes: one per move, best first, and one for people.
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
        let row = |(i, mv): (usize, &RootMove<P::Move>)| info(i, score(scale, mv.value, mv.proof), &mv.pv);
        rows.extend(verdict.moves.iter().take(lines).enumerate().map(row));
    }
    if rows.is_empty() {
        rows.push(info(0, score(scale, verdict.value, verdict.proof), &verdict.pv));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_mates() {
        assert_eq!(score(Scale::Result, 1.0, Some(Proof::Win(3))).to_string(), "mate +3");
        assert_eq!(score(Scale::Result, -1.0, Some(Proof::Loss(2))).to_string(), "mate -2");
        assert_eq!(score(Scale::Pawn(1.0), 0.5, Some(Proof::Draw)).to_string(), "cp 0");
    }
}
