//! Which networks there are: a residual tower and its heads, described by a small header.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;

use crate::input::Layout;
use crate::label::Labels;

/// What follows a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `x * sigmoid(x)`, as some networks of dlshogi have it.
    Swish,
}

impl Activation {
    /// The function.
    #[inline]
    pub fn apply(self, x: f32) -> f32 {
        match self {
            Activation::Relu => x.max(0.0),
            Activation::Swish => x * sigmoid(x),
        }
    }
}

/// The logistic function.
#[inline]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// What the value head says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// Logits of win, draw and loss of the side to move.
    WinDrawLoss,
    /// The logit of winning, as dlshogi's networks have it.
    Win,
}

impl Value {
    /// How many numbers the last layer gives.
    pub fn outputs(self) -> usize {
        match self {
            Value::WinDrawLoss => 3,
            Value::Win => 1,
        }
    }

    /// The probabilities of win, draw and loss.
    pub fn probabilities(self, logits: &[f32]) -> [f32; 3] {
        match (self, logits) {
            (Value::WinDrawLoss, &[win, draw, loss]) => {
                let most = win.max(draw).max(loss);
                let parts = [win, draw, loss].map(|logit| (logit - most).exp());
                let sum: f32 = parts.iter().sum();
                parts.map(|part| part / sum)
            }
            (_, &[logit, ..]) => {
                let win = sigmoid(logit);
                [win, 0.0, 1.0 - win]
            }
            (_, &[]) => [f32::NAN; 3],
        }
    }
}

/// The header of a network file: everything but the weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// The version of the header; [`Architecture::FORMAT`].
    pub format: u32,
    /// The game, as players name it: `shogi`, `go9`.
    pub game: String,
    /// Rows and columns of the board.
    pub board: usize,
    /// The id of the plane layout ([`Layout::id`]).
    pub layout: String,
    /// The id of the move labels ([`Labels::id`]).
    pub labels: String,
    /// Filters of each convolution.
    pub channels: usize,
    /// Residual blocks of two convolutions.
    pub blocks: usize,
    /// What follows each convolution.
    pub activation: Activation,
    /// Planes that the value head reduces the trunk to.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
    /// What the value head says.
    pub value: Value,
    /// Whether the policy head adds a number of its own to each label, as dlshogi's networks do.
    #[serde(default)]
    pub label_bias: bool,
    /// Whether a head predicts the final score for the side to move: points of Go, squares of Blokus.
    #[serde(default)]
    pub score: bool,
    /// Whether a head predicts who will own each point (Go).
    #[serde(default)]
    pub ownership: bool,
    /// What batch normalisation adds to variances.
    #[serde(default = "default_epsilon")]
    pub norm_epsilon: f32,
    /// How many training steps made the weights; 0 for random ones.
    #[serde(default)]
    pub step: u64,
}

fn default_epsilon() -> f32 {
    1e-5
}

/// More than any network of the field has; a header beyond them is damaged, and memory is not asked for.
const MOST_CHANNELS: usize = 1024;
const MOST_BLOCKS: usize = 128;
const MOST_HIDDEN: usize = 4096;

impl Architecture {
    /// The version of headers that this program writes and reads.
    pub const FORMAT: u32 = 1;

    /// A tower for the game of a layout, with the heads that help it learn.
    pub fn new(layout: Layout, blocks: usize, channels: usize) -> Architecture {
        let dlshogi = layout == Layout::Dlshogi;
        Architecture {
            format: Architecture::FORMAT,
            game: layout.game(),
            board: layout.board(),
            layout: layout.id().into(),
            labels: Labels::of(layout).id.into(),
            channels,
            blocks,
            activation: Activation::Relu,
            value_channels: if dlshogi { 27 } else { 16 },
            value_hidden: 256,
            value: if dlshogi { Value::Win } else { Value::WinDrawLoss },
            label_bias: dlshogi,
            score: matches!(layout, Layout::Go(_) | Layout::BlokusDuo),
            ownership: matches!(layout, Layout::Go(_)),
            norm_epsilon: default_epsilon(),
            step: 0,
        }
    }

    /// Checks that the header describes a network this program knows, and gives its planes and labels.
    pub fn check(&self) -> Result<(Layout, Labels), TextError> {
        let fault = |what: String| Err(TextError::new(what));
        if self.format != Architecture::FORMAT {
            return fault(format!("format {} of the header is not {}", self.format, Architecture::FORMAT));
        }
        let Some(layout) = Layout::from_id(&self.layout, self.board) else {
            return fault(format!("no plane layout `{}` for a board of {}", self.layout, self.board));
        };
        if layout.game() != self.game {
            return fault(format!(
                "the plane layout `{}` is for {}, not for {}",
                self.layout,
                layout.game(),
                self.game
            ));
        }
        let labels = Labels::of(layout);
        if labels.id != self.labels {
            return fault(format!("the move labels of {} are `{}`, not `{}`", self.game, labels.id, self.labels));
        }
        for (what, value, least, most) in [
            ("channels", self.channels, 1, MOST_CHANNELS),
            ("blocks", self.blocks, 0, MOST_BLOCKS),
            ("value_channels", self.value_channels, 1, MOST_CHANNELS),
            ("value_hidden", self.value_hidden, 1, MOST_HIDDEN),
        ] {
            if !(least..=most).contains(&value) {
                return fault(format!("{what} {value} is not from {least} to {most}"));
            }
        }
        if !(0.0..1.0).contains(&self.norm_epsilon) {
            return fault(format!("norm_epsilon {} is not from 0 to 1", self.norm_epsilon));
        }
        Ok((layout, labels))
    }

    /// Squares of the board.
    pub fn squares(&self) -> usize {
        self.board * self.board
    }

    /// The name and shape of every tensor, in the order of a file.
    pub fn tensors(&self) -> Result<Vec<(String, Vec<usize>)>, TextError> {
        let (layout, labels) = self.check()?;
        let (c, v, h) = (self.channels, self.value_channels, self.value_hidden);
        let mut list: Vec<(String, Vec<usize>)> = Vec::new();
        let mut add = |name: &str, shape: &[usize]| list.push((name.to_string(), shape.to_vec()));
        let norm = |add: &mut dyn FnMut(&str, &[usize]), name: &str, width: usize| {
            for part in ["weight", "bias", "running_mean", "running_var"] {
                add(&format!("{name}.{part}"), &[width]);
            }
        };
        add("stem.conv.weight", &[c, layout.planes(), 3, 3]);
        norm(&mut add, "stem.norm", c);
        for block in 0..self.blocks {
            for half in 1..=2 {
                add(&format!("blocks.{block}.conv{half}.weight"), &[c, c, 3, 3]);
                norm(&mut add, &format!("blocks.{block}.norm{half}"), c);
            }
        }
        add("policy.conv.weight", &[labels.planes, c, 1, 1]);
        add("policy.conv.bias", &[labels.planes]);
        if self.label_bias {
            add("policy.label_bias", &[labels.count()]);
        }
        if labels.pass {
            add("policy.pass.weight", &[1, c]);
            add("policy.pass.bias", &[1]);
        }
        add("value.conv.weight", &[v, c, 1, 1]);
        norm(&mut add, "value.norm", v);
        add("value.fc1.weight", &[h, v * self.squares()]);
        add("value.fc1.bias", &[h]);
        add("value.fc2.weight", &[self.value.outputs(), h]);
        add("value.fc2.bias", &[self.value.outputs()]);
        if self.score {
            add("score.weight", &[1, h]);
            add("score.bias", &[1]);
        }
        if self.ownership {
            add("ownership.weight", &[1, c, 1, 1]);
            add("ownership.bias", &[1]);
        }
        Ok(list)
    }

    /// Multiplications and additions of one evaluation, as a dense program would do them.
    pub fn operations(&self) -> u64 {
        let Ok((layout, labels)) = self.check() else { return 0 };
        let (c, v, h) = (self.channels, self.value_channels, self.value_hidden);
        let heads = labels.planes + v + usize::from(self.ownership);
        let per_square = 9 * c * (layout.planes() + 2 * self.blocks * c) + c * heads;
        2 * (self.squares() * (per_square + v * h) + h * (self.value.outputs() + usize::from(self.score))) as u64
    }

    /// The tower in words: `5x192`.
    pub fn tower(&self) -> String {
        format!("{}x{}", self.blocks, self.channels)
    }
}
