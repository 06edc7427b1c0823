//! RAVE led by priors instead of exploration: how the strongest Go programs without networks search (Pachi, michi; Gelly and Silver 2011).
//!
//! Every move begins with samples that never took place, `even` of them even and `wins·√p` won, p being its prior probability. That and
//! all moves as first say where to look; no term for exploration is added. Where there are hundreds of moves, only the most probable need
//! be considered at first (`widen`). The move played is the one sampled most.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{CRITICAL, Select, Unit, parse_rave};

pub(super) const ENTRY: Entry = Entry {
    name: "prior-rave",
    about: "RAVE without exploration, led by the evaluator's priors. Made for playouts; in Go with + go the strong player.",
    paper: "S2.1; Gelly and Silver 2011; Baudiš and Gailly 2011 (Pachi)",
    parameters: &[
        parameter("c", "win rate", "0", "weight of exploration"),
        parameter("beta", "hand(k) | least-squares(b)", "least-squares(0.009)", "how all moves as first fade"),
        parameter("even", "samples", "10", "virtual samples of every move, all even"),
        parameter("wins", "samples", "80", "virtual wins of a move of prior p: wins·√p"),
        CRITICAL,
        parameter("after", "visits", "8", "a leaf gets children when more playouts than this started there"),
        parameter("widen", "moves", "0", "only the best widen·√n moves by prior are considered after n visits; 0: all"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let c = args.number("c", Range::NotNegative)?;
    let select = Select::Rave { c, unit: Unit::WinRate, rave: parse_rave(args)? };
    let after = args.value("after")?;
    let widen = args.number("widen", Range::NotNegative)?;
    let expand = if widen > 0.0 { Expand::Widening { c: widen, power: 0.5, after } } else { Expand::Leaf { after } };
    Ok(Recipe::new(select, expand, Backup::Mean).by_visits())
}
