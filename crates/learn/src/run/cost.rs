//! Where the time of a step goes, and how long it takes on any number of threads.
//!
//! CPU time, not the clock: on a machine that others use as well, the clock says what they do.

/// CPU seconds of one step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StepCost {
    /// What one thread does while the others wait: the evaluation of the new weights, the step, the curves, a checkpoint made ready.
    pub alone: f64,
    /// Each game, in the order in which they are begun.
    pub games: Vec<f64>,
}

impl StepCost {
    /// How long the step takes on this many threads: a thread that is free begins the next game, and the step ends with the last of them.
    pub fn path(&self, threads: usize) -> f64 {
        let mut busy = vec![0.0_f64; threads.max(1)];
        for &game in &self.games {
            if let Some(first) = busy.iter_mut().min_by(|a, b| a.total_cmp(b)) {
                *first += game;
            }
        }
        self.alone + busy.into_iter().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_with_its_last_game() {
        let cost = StepCost { alone: 1.0, games: vec![3.0, 1.0, 1.0, 4.0] };
        // Threads: 3 and then nothing, 1 + 1 + 4.
        assert_eq!([1, 2, 4, 9].map(|threads| cost.path(threads)), [10.0, 7.0, 5.0, 5.0]);
        assert_eq!(StepCost::default().path(0), 0.0);
    }
}
