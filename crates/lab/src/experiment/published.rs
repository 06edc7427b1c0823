//! What a paper printed, kept as printed, and what of it can be compared.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;

use crate::report::text::record_text;
use crate::statistics::Proportion;

/// The result of a match as it stands in a paper. Everything is as printed; what the paper does not say is left out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Published {
    /// Games won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wins: Option<u64>,
    /// Games lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<u64>,
    /// Games drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<u64>,
    /// Games played, where the paper gives a rate only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// The rate as printed, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The p-value as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The interval as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What the losses must have been where the printed ones contradict the printed rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_losses: Option<u64>,
}

/// A printed rate may differ from its counts by this much: half a unit of its last digit, and a little.
const ROUNDING: f64 = 0.000_51;

impl Published {
    /// Wins out of decided games, as the counts say.
    fn counted(&self) -> Option<Proportion> {
        let wins = self.wins?;
        let trials = match (self.losses, self.games) {
            (Some(losses), _) => wins.checked_add(losses)?,
            (None, Some(games)) => games.checked_sub(self.draws.unwrap_or(0))?,
            (None, None) => return None,
        };
        Proportion::new(wins, trials).ok()
    }

    /// What measured games are compared with: the counts (the corrected ones, if there are any), or the printed rate as that many of
    /// the games.
    pub fn proportion(&self) -> Option<Proportion> {
        if let (Some(wins), Some(losses)) = (self.wins, self.corrected_losses) {
            return Proportion::new(wins, wins.checked_add(losses)?).ok();
        }
        self.counted().or_else(|| {
            let games = self.games?;
            Proportion::new((self.rate? * games as f64).round() as u64, games).ok()
        })
    }

    /// Every reading of what was printed: the one that [`Published::proportion`] gives and, where counts and percentage contradict each
    /// other, the other one. Empty if nothing can be compared.
    pub fn readings(&self) -> Vec<(&'static str, Proportion)> {
        let Some(used) = self.proportion() else { return Vec::new() };
        let (Some(_), Some(counted), Some(rate)) = (self.misprint(), self.counted(), self.rate) else {
            return vec![("counts", used)];
        };
        // The percentage as a number of games; with the corrected losses it is what they say.
        let games = self.corrected_losses.map_or(counted.trials(), |_| used.trials());
        let printed = Proportion::new((rate * games as f64).round() as u64, games).unwrap_or(used);
        if self.corrected_losses.is_some() {
            vec![("percentage", printed), ("counts", counted)]
        } else {
            vec![("counts", counted), ("percentage", printed)]
        }
    }

    /// What contradicts itself in print, in words.
    pub fn misprint(&self) -> Option<String> {
        let (printed, counted) = (self.rate?, self.counted()?);
        let rate = counted.rate()?;
        if (rate - printed).abs() <= ROUNDING {
            return None;
        }
        let mut text = format!(
            "printed as {} wins, {} losses and {:.1} %, but these counts give {:.1} %",
            counted.successes(),
            counted.failures(),
            100.0 * printed,
            100.0 * rate
        );
        if let Some(losses) = self.corrected_losses {
            text.push_str(&format!("; {losses} losses fit and are used here"));
        }
        Some(text)
    }

    /// As the table shows it: the rate in percent, and the counts: wins, draws and losses, or wins of all that count.
    pub fn text(&self) -> String {
        let Some(rate) = self.rate.or_else(|| self.proportion()?.rate()) else { return String::new() };
        let counts = match (self.wins, self.losses, self.draws) {
            (Some(wins), Some(losses), Some(draws)) => format!(" ({})", record_text(wins, draws, losses)),
            (Some(wins), Some(losses), None) => format!(" ({wins} of {})", wins.saturating_add(losses)),
            (Some(wins), None, _) => self.games.map_or(String::new(), |games| format!(" ({wins} of {games})")),
            _ => self.games.map_or(String::new(), |games| format!(" (of {games})")),
        };
        format!("{:.1}{counts}", 100.0 * rate)
    }

    /// Refuses numbers that no match can have.
    pub fn check(&self) -> Result<(), TextError> {
        let shares = [self.rate, self.p].into_iter().flatten().chain(self.interval.into_iter().flatten());
        if let Some(wrong) = shares.into_iter().find(|share| !(0.0..=1.0).contains(share)) {
            return Err(TextError::new(format!("published: {wrong} is not between 0 and 1")));
        }
        let counts = [self.wins, self.losses, self.draws, self.games, self.corrected_losses].into_iter().flatten();
        if counts.into_iter().any(|count| count > crate::statistics::tally::MAX_GAMES) {
            return Err(TextError::new("published: a number of games this large is taken for a mistake"));
        }
        if self.proportion().is_none() {
            return Err(TextError::new("published: give wins and losses, wins and games, or a rate and games"));
        }
        Ok(())
    }
}

/// A number as it stands in a paper, for what is not a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedNumber {
    /// The row it belongs to.
    pub label: String,
    /// The number.
    pub value: f64,
    /// How many measurements like ours it is the mean of.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub of: u64,
}

fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_one(of: &u64) -> bool {
    *of == 1
}

/// What a paper says in words about the order of its rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// In words.
    pub says: String,
    /// The rows by their labels, from the smallest to the greatest.
    pub increasing: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rates_and_misprints() {
        let row = |wins, losses, rate| Published {
            wins: Some(wins),
            losses: Some(losses),
            rate: Some(rate),
            ..Published::default()
        };
        let good = row(124, 171, 0.420);
        assert_eq!((good.misprint(), good.text().as_str()), (None, "42.0 (124 of 295)"));
        let bad = Published { corrected_losses: Some(343), ..row(635, 132, 0.649) };
        assert_eq!(bad.proportion().unwrap().trials(), 635 + 343);
        let readings: Vec<_> = bad.readings().iter().map(|(what, p)| (*what, p.successes(), p.trials())).collect();
        assert_eq!(readings, [("percentage", 635, 978), ("counts", 635, 767)]);
        let readings: Vec<_> = row(740, 220, 0.773).readings().iter().map(|(what, p)| (*what, p.successes())).collect();
        assert_eq!(readings, [("counts", 740), ("percentage", 742)]);
        assert_eq!(good.readings().len(), 1);
        let text = bad.misprint().unwrap();
        assert!(text.contains("82.8 %") && text.contains("343 losses"), "{text}");
        let rate_only = Published { rate: Some(0.653), games: Some(500), ..Published::default() };
        assert_eq!((rate_only.proportion().unwrap().successes(), rate_only.misprint()), (327, None));
        assert!(Published::default().check().is_err());
        assert!(Published { rate: Some(65.3), games: Some(5), ..Published::default() }.check().is_err());
        assert!(Published { wins: Some(u64::MAX), losses: Some(u64::MAX), ..Published::default() }.check().is_err());
    }
}
