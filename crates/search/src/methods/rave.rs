//! UCT with rapid action value estimation (Gelly and Silver 2007, 2011; S2.1).
//!
//! Every playout is also evidence about the moves played later by the same side, as if each had been played first. That value
//! is biased but quickly there; it is mixed in as `(1-β)·UCB + β·RAVE`, β falling with the move's own samples. Prior probabilities, where
//! the evaluator knows any, count as samples that never took place. The evaluator must
//! report the moves of its playouts ([`yomi_core::Want::PLAYOUTS`]); moves made inside the tree count too. The move played is the
//! one sampled most.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{CRITICAL, EVEN, Select, Unit, WINS, parse_rave};

pub(super) const ENTRY: Entry = Entry {
    name: "rave",
    about: "UCT whose children are also judged by all moves as first. Made for playouts.",
    paper: "S2.1; Gelly and Silver 2007, 2011",
    parameters: &[
        parameter("c", "win rate", "0.2", "weight of exploration"),
        parameter("beta", "hand(k) | least-squares(b)", "hand(1000)", "how all moves as first fade"),
        EVEN,
        WINS,
        CRITICAL,
        parameter("after", "visits", "1", "a leaf gets children when more playouts than this started there"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let c = args.number("c", Range::NotNegative)?;
    let select = Select::Rave { c, unit: Unit::WinRate, rave: parse_rave(args)? };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Mean).by_visits())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::tree::ROOT;
    use crate::{Limits, Search, TreeSearch};
    use yomi_core::toy::Nim;
    use yomi_core::{Evaluator, Line, Seed, Uniform};
    use yomi_eval::Rollout;

    /// Every playout counts for the root move it began with, and for those the first player took later and the second had not.
    #[test]
    fn moves_played_later_count_as_first() {
        let mut search = TreeSearch::new("rave(after=0)".parse().unwrap(), Rollout::new(Uniform));
        search.search(&Line::new(Nim::new(30)), &Limits::simulations(500).seeded(Seed::new(1)), &mut ());
        let tree = search.tree();
        let block = tree.children(ROOT).unwrap();
        let (mut as_first, mut visits) = (0, 0);
        for child in block.children() {
            let (amaf, mean) = tree.amaf(child);
            assert!((1..=500).contains(&amaf) && (-1.0..=1.0).contains(&mean));
            as_first += amaf;
            visits += tree.visits(child);
        }
        assert!(as_first > visits, "{as_first} {visits}");
        assert_eq!(Evaluator::<Nim>::win(search.evaluator()), 1.0);
    }
}
