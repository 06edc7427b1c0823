//! The native trainer: gradients agree with differences, a small set is learned by heart.

use yomi_core::{Line, Position, Seed};
use yomi_games::shogi::Minishogi;
use yomi_net::architecture::Activation;
use yomi_net::input::{Encode, Layout, PackedPosition};
use yomi_net::{Architecture, Network};
use yomi_train::trainer::native::Student;
use yomi_train::trainer::native::loss::{Target, Weights, loss, total};
use yomi_train::trainer::native::optimizer::Options;

/// Packed bytes that differ, whatever they mean.
fn positions(layout: Layout, count: usize) -> Vec<PackedPosition> {
    let mut rng = Seed::new(5).rng();
    let one = |_| {
        let mut packed = PackedPosition::EMPTY;
        packed.0[..layout.packed_bytes()].fill_with(|| (rng.next() as u8) & 7);
        packed
    };
    (0..count).map(one).collect()
}

fn targets(layout: Layout, count: usize, labels: usize) -> Vec<Target> {
    let (mut rng, mut pulls) = (Seed::new(6).rng(), Seed::new(7).rng());
    let squares = layout.squares();
    let one = |position: PackedPosition| Target {
        position,
        policy: vec![(rng.below(labels), 0.75), (rng.below(labels), 0.25)],
        value: [0.5, 0.125, 0.375],
        score: Some(20.0 * rng.unit() - 10.0),
        owned: Some((0..squares).map(|_| rng.below(3) as f32 - 1.0).collect()),
        pull: Some(pulls.unit() - 0.5),
    };
    positions(layout, count).into_iter().map(one).collect()
}

/// Every tensor, some of its numbers: the gradient is what the loss does when the number changes. Swish has no corners that a difference
/// could step over.
#[test]
fn gradients_agree_with_differences() {
    for layout in [Layout::Minishogi, Layout::Go(5), Layout::BlokusDuo] {
        let architecture = Architecture {
            activation: Activation::Swish,
            value_hidden: 8,
            value_channels: 3,
            label_bias: true,
            ..Architecture::new(layout, 1, 4)
        };
        let labels = yomi_net::label::Labels::of(layout).count();
        let network = Network::random(architecture, Seed::new(3)).unwrap();
        let targets = targets(layout, 6, labels);
        let batch: Vec<_> = targets.iter().map(|target| target.position).collect();
        let mut student = Student::new(&network).unwrap();
        let weights = Weights::default();
        let measure = |student: &Student| {
            let tape = student.tower(1).forward(layout, &batch);
            total(&loss(&tape.outputs, &targets, weights).0, weights)
        };
        let tape = student.tower(1).forward(layout, &batch);
        let (_, cotangents) = loss(&tape.outputs, &targets, weights);
        let gradients = student.tower(2).backward(&tape, &cotangents);
        let names: Vec<String> = student.state.model.keys().filter(|name| !name.contains("running")).cloned().collect();
        assert_eq!(gradients.keys().cloned().collect::<Vec<_>>(), names);
        let mut rng = Seed::new(9).rng();
        for name in names {
            let gradient = &gradients[&name];
            let longest = gradient.iter().fold(0f32, |most, g| most.max(g.abs()));
            for _ in 0..4 {
                let at = rng.below(gradient.len());
                let kept = student.state.model[&name].data[at];
                let mut with = |x: f32| {
                    student.state.model.get_mut(&name).unwrap().data[at] = x;
                    measure(&student)
                };
                let step = 2e-3f32;
                let difference = (with(kept + step) - with(kept - step)) / f64::from(2.0 * step);
                with(kept);
                let error = (difference - f64::from(gradient[at])).abs();
                assert!(error < 2e-3 * f64::from(longest.max(0.05)), "{name} {at}: {difference} {}", gradient[at]);
            }
        }
    }
}

/// Sixteen positions of a game are learned by heart: the loss falls to the entropy of its targets.
#[test]
fn a_small_set_is_learnt_by_heart() {
    let network = Network::random(Architecture::new(Layout::Minishogi, 1, 16), Seed::new(2)).unwrap();
    let mut student = Student::new(&network).unwrap();
    let (mut line, mut moves, mut rng) = (Line::new(Minishogi::default()), Vec::new(), Seed::new(4).rng());
    let mut targets = Vec::new();
    while targets.len() < 16 && line.generate(&mut moves).is_none() {
        let (position, mv) = (line.position(), moves[rng.below(moves.len())]);
        let won = targets.len() % 2 == 0;
        targets.push(Target {
            position: position.pack(position.turn()),
            policy: vec![(position.label(mv), 1.0)],
            value: if won { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] },
            score: None,
            owned: None,
            pull: None,
        });
        line.play(mv);
    }
    let options = Options { warm_up: 1, ..Options::default() };
    let losses: Vec<f64> = (0..120)
        .map(|_| total(&student.take_step(&targets, 1e-2, Weights::default(), &options, 1), Weights::default()))
        .collect();
    assert!(losses[0] > 5.0 && losses[119] < 0.05, "{} {}", losses[0], losses[119]);
}
