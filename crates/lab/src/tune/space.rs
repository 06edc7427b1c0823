//! What is tuned: a player with ranges in the place of numbers, `mcss(t={10..200:log},tb={1..100:log})`.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;

use crate::report::text::short;

/// A number that is tuned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// What stands before its equals sign, or its place in the text.
    pub name: String,
    /// The least value.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Whether equal ratios are equally far apart.
    pub log: bool,
    /// Whether only whole numbers make sense.
    pub whole: bool,
}

/// A player with ranges.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Space {
    /// The text as it was typed.
    pub template: String,
    /// The ranges, in the order of the text.
    pub axes: Vec<Axis>,
}

/// More are taken for a mistake: a quadratic in eight parameters has 45 coefficients.
const MOST_AXES: usize = 8;

impl Axis {
    /// The value at a coordinate from -1 to 1.
    pub fn value(&self, x: f64) -> f64 {
        let share = f64::midpoint(x.clamp(-1.0, 1.0), 1.0);
        let value = if self.log {
            (self.low.ln() + share * (self.high.ln() - self.low.ln())).exp()
        } else {
            self.low + share * (self.high - self.low)
        };
        if self.whole { value.round() } else { value }
    }

    /// The coordinate of a value.
    pub fn coordinate(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        (2.0 * share - 1.0).clamp(-1.0, 1.0)
    }

    /// A value as it is typed: four digits are more than games can tell.
    pub fn text(&self, x: f64) -> String {
        let value = self.value(x);
        if self.whole {
            return format!("{value:.0}");
        }
        let digits = (3.0 - value.abs().max(1e-12).log10().floor()).clamp(0.0, 12.0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    }

    fn parse(name: &str, text: &str) -> Result<Axis, TextError> {
        let wrong = |what: &str| {
            TextError::new(format!("{{{text}}}: {what}; a range is {{10..200}}, {{10..200:log}} or {{1..8:whole}}"))
        };
        let (range, words) = text.split_once(':').unwrap_or((text, ""));
        let (low, high) =
            range.split_once("..").ok_or_else(|| wrong("two numbers with .. between them are expected"))?;
        let number = |text: &str| {
            text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| wrong("this is no number"))
        };
        let mut axis =
            Axis { name: name.to_string(), low: number(low)?, high: number(high)?, log: false, whole: false };
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "log" => axis.log = true,
                "whole" => axis.whole = true,
                _ => return Err(wrong(&format!("{word} is neither log nor whole"))),
            }
        }
        if axis.low >= axis.high {
            return Err(wrong("the first number is the smaller one"));
        }
        if axis.log && axis.low <= 0.0 {
            return Err(wrong("only numbers above 0 have ratios"));
        }
        Ok(axis)
    }
}

impl Space {
    /// Reads a player with ranges in braces.
    pub fn parse(template: &str) -> Result<Space, TextError> {
        let mut axes: Vec<Axis> = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, behind) =
                after.split_once('}').ok_or_else(|| TextError::new("a brace is opened and not closed"))?;
            let start = before.trim_end().strip_suffix('=').unwrap_or("");
            let name = start.rsplit(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or("");
            let number = axes.len() + 1;
            let unnamed = name.is_empty() || axes.iter().any(|axis| axis.name == name);
            axes.push(Axis::parse(&if unnamed { format!("{name}#{number}") } else { name.to_string() }, inside)?);
            rest = behind;
        }
        if axes.is_empty() {
            return Err(TextError::new(
                "nothing to tune: put a range in the place of a number, as in mcss(t={10..200:log})",
            ));
        }
        if axes.len() > MOST_AXES {
            return Err(TextError::new(format!("more than {MOST_AXES} numbers at once are taken for a mistake")));
        }
        Ok(Space { template: template.to_string(), axes })
    }

    /// The player at a point of coordinates from -1 to 1.
    pub fn player(&self, point: &[f64]) -> String {
        let (mut text, mut rest) = (String::new(), self.template.as_str());
        for (axis, &x) in self.axes.iter().zip(point) {
            let Some((before, after)) = rest.split_once('{') else { break };
            text += before;
            text += &axis.text(x);
            rest = after.split_once('}').map_or("", |(_, behind)| behind);
        }
        text + rest
    }

    /// The values of a point in words: `t = 42.0, tb = 5.0`.
    pub fn words(&self, point: &[f64]) -> String {
        let one = |(axis, &x): (&Axis, &f64)| format!("{} = {}", axis.name, short(axis.value(x)));
        self.axes.iter().zip(point).map(one).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_numbers() {
        let space = Space::parse("mcss(t={10..1000:log},tb={1..3}) + quiet(linear)").unwrap();
        assert_eq!(space.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(), ["t", "tb"]);
        assert_eq!(space.player(&[0.0, 0.5]), "mcss(t=100,tb=2.5) + quiet(linear)");
        assert_eq!(space.player(&[-1.0, 9.0]), "mcss(t=10,tb=3) + quiet(linear)");
        assert!((space.axes[0].coordinate(100.0)).abs() < 1e-12 && (space.axes[1].coordinate(3.0) - 1.0).abs() < 1e-12);
        let whole = Space::parse("flat(n={1..9:whole})").unwrap();
        assert_eq!(whole.player(&[0.1]), "flat(n=5)");
        let twice = Space::parse("a(t={1..2}) + b(t={1..2})").unwrap();
        assert_eq!(twice.axes[1].name, "t#2");
        assert_eq!(Space::parse("a(c={0.001..0.1:log})").unwrap().player(&[0.0]), "a(c=0.01)");
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["mcss", "a{", "a{1}", "a{1..}", "a{2..1}", "a{0..1:log}", "a{1..2:lin}", "a{x..2}", "a{1..inf}"] {
            assert!(Space::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Space::parse(&"{1..2}".repeat(9)).is_err());
    }
}
