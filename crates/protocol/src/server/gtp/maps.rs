//! Heat maps and lines for GoGui's analyze commands.

use yomi_core::{Color, Notation, Position};
use yomi_games::go::Go;
use yomi_search::{RootMove, Verdict};
use yomi_session::variation;

use crate::server::candidates::chance;

type GoVerdict<const LEN: usize> = Verdict<<Go<LEN> as Position>::Move>;

/// What GoGui may ask for: kind, name, command.
pub(super) const COMMANDS: &str = "sboard/Visits/yomi-visits
dboard/Visits map/yomi-visits_map
sboard/Chances of winning (%)/yomi-values
dboard/Values map/yomi-values_map
dboard/Priors map/yomi-priors_map
dboard/Ownership/yomi-ownership
gfx/Principal variation/yomi-pv
string/Evaluation/yomi-evaluation
string/Final score/final_score
plist/Final status list dead/final_status_list dead
plist/Final status list seki/final_status_list seki";

/// Rows of the board from the top, one word per point.
pub(super) fn board<const LEN: usize>(position: &Go<LEN>, word: impl Fn(usize) -> String) -> String {
    let size = position.size();
    let row = |y: usize| (0..size).map(|x| word(y * size + x)).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = (0..size).rev().map(row).collect();
    format!("\n{}", rows.join("\n"))
}

/// A word for every point that is a move, `none` for the others.
pub(super) fn moves<const LEN: usize>(
    position: &Go<LEN>,
    verdict: &GoVerdict<LEN>,
    none: &str,
    word: impl Fn(&RootMove<<Go<LEN> as Position>::Move>) -> Option<String>,
) -> String {
    let mut words = vec![none.to_string(); position.size() * position.size()];
    for row in &verdict.moves {
        if let (Some(v), Some(text)) = (row.mv.vertex(), word(row)) {
            words[position.index(v)] = text;
        }
    }
    board(position, |index| words[index].clone())
}

/// The expected moves with their numbers, as GoGui draws them.
pub(super) fn numbered_variation<const LEN: usize>(position: &Go<LEN>, verdict: &GoVerdict<LEN>) -> String {
    let shown = verdict.pv.len().min(9);
    let colors = std::iter::successors(Some(position.turn()), |&color| Some(!color));
    let moves = colors.zip(variation(position, &verdict.pv[..shown]));
    let words = moves.map(|(color, mv)| format!(" {} {mv}", if color == Color::Black { "b" } else { "w" }));
    format!("VAR{}", words.collect::<String>())
}

/// What the search believes, in a line.
pub(super) fn evaluation<const LEN: usize>(position: &Go<LEN>, verdict: &GoVerdict<LEN>, win: f32) -> String {
    let best = verdict.best.map_or("nothing".to_string(), |mv| position.move_text(mv));
    format!(
        "best {best} winrate {:.3} simulations {} nodes {} depth {} entropy {:.3}",
        chance(verdict.value, win),
        verdict.simulations,
        verdict.nodes,
        verdict.depth,
        verdict.entropy
    )
}
