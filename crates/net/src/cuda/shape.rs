//! What the kernels have to know of a network before they are compiled.

use std::fmt::Write as _;

use yomi_games::blokus::START;

use crate::architecture::{Activation, Value};
use crate::fold::Folded;
use crate::input::Layout;

/// Inputs and channels are computed in steps of this many.
pub(super) const STEP: usize = 32;
/// How many outputs the last layers have on the device: win, draw, loss, score.
pub(super) const LAST: usize = 4;

/// The numbers that kernels are compiled with. Two networks of the same shape, whatever their depth, use the same kernels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) layout: Layout,
    /// Planes, rounded up.
    pub(super) inputs: usize,
    /// Channels, rounded up; the additional ones are always 0.
    pub(super) channels: usize,
    pub(super) policy_planes: usize,
    pub(super) pass: bool,
    pub(super) value_planes: usize,
    pub(super) ownership: bool,
    /// Numbers that the hidden layer reads, rounded up.
    pub(super) features: usize,
    /// Numbers of the hidden layer, rounded up.
    pub(super) hidden: usize,
    pub(super) swish: bool,
    pub(super) win_draw_loss: bool,
    /// Whether products are of numbers of eight bits.
    pub(super) eight: bool,
    /// Whether numbers are kept as two halves, for products as exact as those of 32 bits.
    pub(super) single: bool,
}

impl Shape {
    /// The shape of a network; `granularity` is what its channels are rounded up to.
    pub(super) fn new(network: &Folded, granularity: usize) -> Shape {
        let layout = network.layout;
        Shape {
            layout,
            inputs: layout.planes().next_multiple_of(STEP),
            channels: network.channels().next_multiple_of(granularity),
            policy_planes: network.labels.planes,
            pass: network.pass.is_some(),
            value_planes: network.value_conv.outputs,
            ownership: network.ownership.is_some(),
            features: network.fc1.inputs.next_multiple_of(16),
            hidden: network.fc1.outputs.next_multiple_of(STEP),
            swish: network.activation == Activation::Swish,
            win_draw_loss: network.value == Value::WinDrawLoss,
            eight: false,
            single: false,
        }
    }

    /// The shape for products of numbers of eight bits.
    pub(super) fn eight(network: &Folded) -> Shape {
        let inputs = network.layout.planes().next_multiple_of(2 * STEP);
        Shape { inputs, eight: true, ..Shape::new(network, 2 * STEP) }
    }

    /// The shape for products as exact as those of 32 bits, layer by layer.
    pub(super) fn single(network: &Folded, granularity: usize) -> Shape {
        Shape { single: true, ..Shape::new(network, granularity) }
    }

    /// Halves that an activation is kept as.
    pub(super) fn terms(&self) -> usize {
        if self.single { 2 } else { 1 }
    }

    /// Products of halves that one product is made of.
    pub(super) fn products(&self) -> usize {
        if self.single { 3 } else { 1 }
    }

    /// Bytes of a number that products of the tower read.
    pub(super) fn number_bytes(&self) -> usize {
        if self.eight { 1 } else { 2 }
    }

    /// Outputs of the 1x1 convolutions: policy, pass, value, ownership.
    pub(super) fn heads(&self) -> usize {
        self.policy_planes + usize::from(self.pass) + self.value_planes + usize::from(self.ownership)
    }

    /// Numbers of the policy that a position has on the device.
    pub(super) fn policy_stride(&self) -> usize {
        (self.policy_planes + usize::from(self.pass)) * self.layout.squares()
    }

    /// The shape as definitions of the preprocessor.
    pub(super) fn definitions(&self) -> String {
        let mut text = String::new();
        let layouts = ["SHOGI", "DLSHOGI", "MINISHOGI", "GO", "BLOKUS"];
        let layout = match self.layout {
            Layout::Shogi => 0,
            Layout::Dlshogi => 1,
            Layout::Minishogi => 2,
            Layout::Go(_) => 3,
            Layout::BlokusDuo => 4,
        };
        let mut define = |name: &str, value: &dyn std::fmt::Display| {
            let _ = writeln!(text, "#define {name} {value}");
        };
        for (i, name) in layouts.iter().enumerate() {
            define(&format!("LAYOUT_{name}"), &i);
        }
        define("LAYOUT", &layout);
        define("BOARD", &self.layout.board());
        define("STRIDE", &self.layout.packed_bytes());
        define("PLANES", &self.layout.planes());
        define("INPUTS", &self.inputs);
        define("CHANNELS", &self.channels);
        define("POLICY_PLANES", &self.policy_planes);
        define("PASS", &u8::from(self.pass));
        define("VALUE_PLANES", &self.value_planes);
        define("OWNERSHIP", &u8::from(self.ownership));
        define("FEATURES", &self.features);
        define("HIDDEN", &self.hidden);
        define("FP8", &u8::from(self.eight));
        define("SINGLE", &u8::from(self.single));
        define("SWISH", &u8::from(self.swish));
        define("WIN_DRAW_LOSS", &u8::from(self.win_draw_loss));
        define("FIRST_START", &START[0].index());
        define("SECOND_START", &START[1].index());
        if let Some(tables) = self.layout.piece_hand_tables() {
            define("PLANE_OF_CODE", &list(&tables.plane_of_code));
            define("HAND_FIRST", &list(&tables.hands.map(|(first, _)| first)));
            define("HAND_MOST", &list(&tables.hands.map(|(_, most)| most)));
        }
        text
    }
}

fn list(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}
