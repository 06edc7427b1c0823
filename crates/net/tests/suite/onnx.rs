//! Export and import. `scripts/net_onnx_check.py` compares both with ONNX Runtime.

use crate::common;

use common::{difference, network, positions};
use yomi_net::architecture::Activation;
use yomi_net::cpu::reference;
use yomi_net::fold::Folded;
use yomi_net::input::Layout;
use yomi_net::{Architecture, Network, onnx};

fn dlshogi(activation: Activation) -> Network {
    network(Architecture { activation, ..Architecture::new(Layout::Dlshogi, 2, 8) }, 5)
}

#[test]
fn what_is_exported_is_imported() {
    for activation in [Activation::Relu, Activation::Swish] {
        let network = dlshogi(activation);
        let back = onnx::import(&onnx::export(&network)).unwrap();
        assert_eq!(back.architecture().activation, activation);
        assert_eq!((back.architecture().tower(), back.architecture().value_channels), ("2x8".into(), 27));
        let positions = positions(Layout::Dlshogi, 3);
        let [a, b] = [&network, &back].map(|network| reference::evaluate(&Folded::new(network), &positions));
        assert!(difference(&a, &b) < 1e-6);
    }
}

/// Networks of other games are no networks of dlshogi; damaged files are refused or read, never a panic.
#[test]
fn other_files_are_refused() {
    let message = |bytes: &[u8]| onnx::import(bytes).unwrap_err().message;
    for layout in [Layout::Shogi, Layout::Go(9), Layout::BlokusDuo] {
        let other = onnx::export(&network(Architecture::new(layout, 1, 8), 5));
        assert!(message(&other).contains("not a ResNet of dlshogi: its input is `planes`"), "{}", message(&other));
    }
    assert!(message(b"").contains("it has no graph"));
    assert!(message(b"PK\x03\x04").contains("this is no ONNX file"));
    let whole = onnx::export(&dlshogi(Activation::Relu));
    for length in (0..whole.len()).step_by(whole.len() / 200) {
        assert!(onnx::import(&whole[..length]).is_err(), "{length}");
    }
    let mut broken = 0;
    for at in (0..whole.len()).step_by(whole.len() / 300) {
        let mut bad = whole.clone();
        bad[at] ^= 0xff;
        broken += usize::from(onnx::import(&bad).is_err());
    }
    assert!(broken > 0);
    // The last place is the node that reads it; the first declares it.
    let at = whole.windows(6).rposition(|bytes| bytes == b"input2").unwrap();
    let mut renamed = whole;
    renamed[at..at + 6].copy_from_slice(b"input3");
    assert!(message(&renamed).contains("not a ResNet of dlshogi"), "{}", message(&renamed));
}
