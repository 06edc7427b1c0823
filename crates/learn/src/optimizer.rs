//! Steps uphill: plain, with momentum, or Adam; rates that fall; weights that are pulled to 0; gradients that are clipped.
//!
//! Parameters have units (see [`crate::model::Model::units`]): a step is made in parts of them, so one rate fits all.

use serde::{Deserialize, Serialize};

/// How a gradient becomes a step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// `rate·g`.
    Sgd,
    /// `rate·m`, `m ← 0.9·m + g`.
    Momentum,
    /// Kingma and Ba 2015.
    Adam,
}

/// How the rate changes over a run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays.
    Constant,
    /// To nothing at the end, in a straight line.
    Linear,
    /// To nothing at the end, as half a cosine.
    Cosine,
    /// `1/√step`.
    InverseRoot,
}

impl Schedule {
    /// Whether it has to know where the end is.
    pub fn has_end(self) -> bool {
        matches!(self, Schedule::Linear | Schedule::Cosine)
    }

    /// By what the rate is multiplied in step `step` of `steps`, counted from 0.
    pub fn factor(self, step: u64, steps: u64) -> f64 {
        let part = (step as f64 / steps.max(1) as f64).min(1.0);
        match self {
            Schedule::Constant => 1.0,
            Schedule::Linear => 1.0 - part,
            Schedule::Cosine => 0.5 + 0.5 * (std::f64::consts::PI * part).cos(),
            Schedule::InverseRoot => 1.0 / ((step + 1) as f64).sqrt(),
        }
    }
}

/// What the steps of a run have in common.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Steps {
    /// How a gradient becomes a step.
    pub rule: Rule,
    /// The first rate, in parts of the parameters' units.
    pub rate: f64,
    /// The games over which a schedule with an end falls; 0 for all games of the run.
    #[serde(skip_serializing_if = "is_zero")]
    pub horizon: u64,
    /// How it changes.
    pub schedule: Schedule,
    /// How far every step moves each parameter towards 0, in parts of its unit and of the rate.
    pub l1: f64,
    /// Every step takes this part of the rate from each parameter.
    pub l2: f64,
    /// Longer gradients are shortened to this, measured in the parameters' units; 0 leaves them.
    pub clip: f64,
    /// Adam's ε, as a part of the typical gradient of the parameters in use: what has a smaller one hardly moves. A relation that occurs once
    /// in a batch should not move as far as one that occurs always.
    pub epsilon: f64,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps {
            rule: Rule::Adam,
            rate: 0.1,
            horizon: 0,
            schedule: Schedule::Constant,
            l1: 0.0,
            l2: 0.0,
            clip: 0.0,
            epsilon: 0.1,
        }
    }
}

/// Files of runs that name no horizon stay as they are.
fn is_zero(horizon: &u64) -> bool {
    *horizon == 0
}

const MOMENTUM: f64 = 0.9;
const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;

/// The memory of an optimizer.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimizer {
    /// Steps done.
    pub steps: u64,
    /// Moving means of gradients.
    pub mean: Vec<f64>,
    /// Moving means of their squares.
    pub square: Vec<f64>,
}

impl Optimizer {
    /// Before the first step.
    pub fn new(parameters: usize) -> Optimizer {
        Optimizer { steps: 0, mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }

    /// One step uphill; the rate is `factor` of the first. Returns the length of the gradient in units, before it was clipped.
    pub fn step(&mut self, how: &Steps, factor: f64, parameters: &mut [f64], gradient: &[f64], units: &[f64]) -> f64 {
        self.steps += 1;
        let norm = gradient.iter().zip(units).map(|(g, unit)| (g * unit).powi(2)).sum::<f64>().sqrt();
        let shorter = if how.clip > 0.0 && norm > how.clip { how.clip / norm } else { 1.0 };
        let rate = how.rate * factor;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let (c1, c2) = (1.0 - BETA1.powi(power), 1.0 - BETA2.powi(power));
        let epsilon = how.epsilon * self.typical(gradient, units, shorter) + f64::MIN_POSITIVE;
        for (i, value) in parameters.iter_mut().enumerate() {
            let g = gradient[i] * units[i] * shorter;
            let (mean, square) = (&mut self.mean[i], &mut self.square[i]);
            let change = match how.rule {
                Rule::Sgd => g,
                Rule::Momentum => {
                    *mean = MOMENTUM * *mean + g;
                    *mean
                }
                Rule::Adam => {
                    *mean += (1.0 - BETA1) * (g - *mean);
                    *square += (1.0 - BETA2) * (g * g - *square);
                    *mean / c1 / ((*square / c2).sqrt() + epsilon)
                }
            };
            *value += rate * units[i] * change;
            *value -= rate * how.l2 * *value;
            let pull = rate * how.l1 * units[i];
            *value -= value.clamp(-pull, pull);
        }
        norm
    }

    /// Root mean square of the gradients of all parameters that ever had one, as Adam's memory has them after this one.
    fn typical(&self, gradient: &[f64], units: &[f64], shorter: f64) -> f64 {
        let c2 = 1.0 - BETA2.powi(i32::try_from(self.steps).unwrap_or(i32::MAX));
        let squares = self.square.iter().zip(gradient.iter().zip(units)).map(|(square, (g, unit))| {
            let g = g * unit * shorter;
            (square + (1.0 - BETA2) * (g * g - square)) / c2
        });
        let (sum, used) = squares.fold((0.0, 0.0), |(sum, used), x| (sum + x, used + f64::from(u8::from(x > 0.0))));
        if used > 0.0 { (sum / used).sqrt() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule climbs the same hill, and nothing moves that nothing pulls at.
    #[test]
    fn every_rule_finds_the_top() {
        for rule in [Rule::Sgd, Rule::Momentum, Rule::Adam] {
            let rate = if rule == Rule::Adam { 0.05 } else { 0.1 };
            let how = Steps { rule, rate, schedule: Schedule::Linear, ..Steps::default() };
            let (mut x, mut optimizer) = (vec![40.0, -30.0, 7.0], Optimizer::new(3));
            for step in 0..6000 {
                let gradient = [-0.2 * (x[0] - 3.0), -0.05 * (x[1] + 1.0), 0.0];
                optimizer.step(&how, how.schedule.factor(step, 6000), &mut x, &gradient, &[1.0, 2.0, 1.0]);
            }
            assert!((x[0] - 3.0).abs() < 0.1 && (x[1] + 1.0).abs() < 0.1 && x[2] == 7.0, "{rule:?} {x:?}");
        }
    }

    #[test]
    fn pulls_and_clips() {
        let how = Steps { rule: Rule::Sgd, rate: 1.0, l1: 0.5, l2: 0.1, clip: 5.0, ..Steps::default() };
        let mut x = vec![10.0, 0.2, -3.0];
        let norm = Optimizer::new(3).step(&how, 1.0, &mut x, &[30.0, 0.0, 40.0], &[1.0; 3]);
        assert_eq!(norm, 50.0);
        for (found, expected) in x.iter().zip([13.0 * 0.9 - 0.5, 0.0, 1.0 * 0.9 - 0.5]) {
            assert!((found - expected).abs() < 1e-12, "{x:?}");
        }
        assert_eq!([0, 50, 100].map(|step| Schedule::Linear.factor(step, 100)), [1.0, 0.5, 0.0]);
        assert!((Schedule::Cosine.factor(50, 100) - 0.5).abs() < 1e-12);
        assert_eq!(Schedule::InverseRoot.factor(3, 100), 0.5);
    }
}
