//! RAVE led by priors instead of exploration: how the strongest Go programs without networks search (Pachi, michi; Gelly and Silver 2011).
//!
//! Every move begins with samples that never took place, `even` of them even and `wins·√p` won, p being its prior probability. That and
//! all moves as first say where to look; no term for exploration is added. The move played is the one sampled most.

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
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let c = args.number("c", Range::NotNegative)?;
    let select = Select::Rave { c, unit: Unit::WinRate, rave: parse_rave(args)? };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Mean).by_visits())
}
