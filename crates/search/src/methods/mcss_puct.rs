//! Monte Carlo softmax search with a policy network (S4.1).
//!
//! MCSS whose selection value has the policy term `c·P·√Σn/(1+n)` added, with separate temperatures for selection and backup. As the
//! selection temperature goes to zero it approaches PUCT with a minimax-like backup.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::Select;
use crate::temperature::Temperature;

pub(super) const ENTRY: Entry = Entry {
    name: "mcss-puct",
    about: "MCSS with the policy term in its selection and separate temperatures for selection and backup.",
    paper: "S4.1, S4.5",
    parameters: &[
        parameter("ts", "value | auto(part of a result)", "auto(0.05)", "temperature of selection"),
        parameter("tb", "value | auto(part of a result)", "auto(0.001)", "temperature of the backup"),
        parameter("c", "value | auto(part of a result)", "auto(1)", "weight of the policy term"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Temperature::read(args, "ts")?;
    let c = Constant::read(args, "c", Range::NotNegative)?;
    let backup = Backup::Softmax { t: Temperature::read(args, "tb")? };
    Ok(Recipe::new(Select::Boltzmann { t, c }, Expand::Siblings, backup))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::search;

    /// Without the policy term and with equal temperatures it is MCSS, sample by sample.
    #[test]
    fn without_its_policy_term_it_is_mcss() {
        let text = "((1 3) (2 2.5) (0 4))";
        let mut with = search("mcss-puct(ts=1,tb=1,c=0)", text, 2, 3);
        let without = search("mcss(t=1)", text, 2, 3);
        with.elapsed = without.elapsed;
        assert_eq!(with, without);
    }

    /// As T_b goes to zero the value becomes minimax, whatever the selection does (S4.5 uses 0.001).
    #[test]
    fn a_cold_backup_is_minimax() {
        let found = search("mcss-puct(ts=5,tb=0,c=1)", "((1 3) (2 2.5) (0 4))", 2, 100);
        assert_eq!(found.value, 2.0);
    }
}
