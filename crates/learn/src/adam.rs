//! Adam (Kingma and Ba 2015), each parameter in its own unit.

/// The moving means of one vector of parameters.
#[derive(Clone, Debug)]
pub struct Adam {
    mean: Vec<[f32; 2]>,
    square: Vec<[f32; 2]>,
    steps: i32,
}

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
/// Large for an Adam on purpose: a relation that occurs once in a batch should not move as far as one that occurs always.
const EPSILON: f32 = 1e-4;

impl Adam {
    /// Means of nothing yet.
    pub fn new(parameters: usize) -> Adam {
        Adam { mean: vec![[0.0; 2]; parameters], square: vec![[0.0; 2]; parameters], steps: 0 }
    }

    /// One step down the gradient; each parameter moves by about `rate` of its own unit at most.
    pub fn step(&mut self, parameters: &mut [[f32; 2]], gradient: &[[f32; 2]], units: &[[f32; 2]], rate: f32) {
        self.steps += 1;
        let (c1, c2) = (1.0 - BETA1.powi(self.steps), 1.0 - BETA2.powi(self.steps));
        let moments = self.mean.as_flattened_mut().iter_mut().zip(self.square.as_flattened_mut());
        let values = parameters.as_flattened_mut().iter_mut().zip(gradient.as_flattened());
        for (((mean, square), (value, &g)), unit) in moments.zip(values).zip(units.as_flattened()) {
            *mean += (1.0 - BETA1) * (g - *mean);
            *square += (1.0 - BETA2) * (g * g - *square);
            *value -= rate * unit * *mean / c1 / ((*square / c2).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimum of a bowl is found from far away, and a parameter without a gradient stays where it is.
    #[test]
    fn finds_the_bottom_of_a_bowl() {
        let mut parameters = vec![[40.0, -30.0], [7.0, 0.0]];
        let mut adam = Adam::new(2);
        for i in 0..4000 {
            let [x, y] = parameters[0];
            let rate = 0.1 * (1.0 - i as f32 / 4000.0);
            adam.step(&mut parameters, &[[2.0 * (x - 3.0), 0.2 * (y + 1.0)], [0.0; 2]], &[[1.0; 2]; 2], rate);
        }
        assert!((parameters[0][0] - 3.0).abs() < 0.05 && (parameters[0][1] + 1.0).abs() < 0.05, "{parameters:?}");
        assert_eq!(parameters[1], [7.0, 0.0]);
    }

    /// By hand: the first step is rate·unit·g/(|g| + ε).
    #[test]
    fn the_first_step_is_known() {
        let mut parameters = vec![[1.0, 0.0]];
        Adam::new(1).step(&mut parameters, &[[0.5, -0.0001]], &[[1.0, 30.0]], 0.1);
        assert!((parameters[0][0] - (1.0 - 0.1 * 0.5 / 0.5001)).abs() < 1e-6);
        assert!((parameters[0][1] - 0.1 * 30.0 * 0.5).abs() < 1e-5, "{parameters:?}");
    }
}
