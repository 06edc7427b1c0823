//! S0.8 with a network: the gradient of ln π through the tree and the tower agrees with finite differences.

use yomi_core::{Line, Move, Position, Seed};
use yomi_games::shogi::Minishogi;
use yomi_learn::frozen::{Below, Frozen};
use yomi_learn::policy::boltzmann;
use yomi_net::architecture::Activation;
use yomi_net::backend::CpuBackend;
use yomi_net::input::{Encode, Layout};
use yomi_net::{Architecture, NetEvaluator, Network};
use yomi_search::{Limits, Method, Search, TreeSearch};
use yomi_train::policy_gradient::{drawn_leaves, gradient, leaves, values};
use yomi_train::trainer::native::Student;

const T_A: f64 = 0.1;

/// ln π of the `played`-th move with the leaves of a tree judged by a network.
fn log_policy(tree: &Frozen, line: &Line<Minishogi>, played: usize, student: &Student) -> f64 {
    let mut tree = tree.clone();
    let places: Vec<usize> = (1..tree.nodes.len()).filter(|&at| tree.nodes[at].below == Below::Leaf).collect();
    let position = |&at: &usize| {
        let position = tree.position(line.position(), at);
        position.pack(position.turn())
    };
    let packed: Vec<_> = places.iter().map(position).collect();
    for (at, value) in places.into_iter().zip(values(student, &packed, 1)) {
        tree.values[at] = f64::from(-value);
    }
    tree.recompute();
    boltzmann(tree.choices(0), T_A)[played].ln()
}

#[test]
fn the_gradient_through_tree_and_tower_agrees_with_differences() {
    let architecture = Architecture {
        activation: Activation::Swish,
        value_hidden: 8,
        value_channels: 3,
        ..Architecture::new(Layout::Minishogi, 1, 4)
    };
    let network = Network::random(architecture, Seed::new(3)).unwrap();
    let mut student = Student::new(&network).unwrap();
    let net = NetEvaluator::with_batch(Box::new(CpuBackend::new(&network, 1)), 1);
    let method: Method = "mcss-puct(ts=0.2,tb=0.1)".parse().unwrap();
    let mut search = TreeSearch::new(method, net);
    let line = Line::new(Minishogi::default());
    let verdict = search.search(&line, &Limits::simulations(6), &mut ());
    let tree = Frozen::of(search.tree(), &search.method().recipe, 1.0).unwrap();
    let mv = verdict.moves[1].mv;
    let played = tree.children(0).position(|child| tree.nodes[child].mv == mv.to_bits()).unwrap();
    // The tree's values are the network's, and the search's own.
    assert!((tree.value() - f64::from(verdict.value)).abs() < 1e-5);
    let before = log_policy(&tree, &line, played, &student);
    assert!((before - boltzmann(tree.choices(0), T_A)[played].ln()).abs() < 1e-4, "{before}");
    let list = leaves(&tree, &line, mv, T_A, 0.0);
    assert!(list.len() > 40);
    // Leaves that are drawn add up to the same sum on the average: by position, and in all.
    let mut draws = Seed::new(5).rng();
    let rounds = 4000;
    let drawn: Vec<_> = (0..rounds).flat_map(|_| drawn_leaves(&tree, &line, mv, T_A, 2, &mut draws)).collect();
    assert_eq!(drawn.len(), 2 * rounds);
    let size: f32 = list.iter().map(|leaf| leaf.coefficient.abs()).sum();
    for leaf in &list {
        let same = drawn.iter().filter(|drawn| drawn.position == leaf.position);
        let mean = same.map(|drawn| drawn.coefficient).sum::<f32>() / rounds as f32;
        let all: f32 = list.iter().filter(|other| other.position == leaf.position).map(|other| other.coefficient).sum();
        // The standard deviation of a mean of 8,000 draws, each of this size, is 1/89 of it at most; six of them.
        assert!((mean - all).abs() < 6.0 * size / 89.0 / 2.0, "{mean} {all} of {size}");
    }
    let gradients = gradient(&student, &list, 1).unwrap();
    let mut rng = Seed::new(8).rng();
    for (name, gradient) in gradients.iter().filter(|(name, _)| !name.starts_with("policy")) {
        let longest = gradient.iter().fold(0f32, |most, g| most.max(g.abs()));
        for _ in 0..3 {
            let at = rng.below(gradient.len());
            let kept = student.state.model[name].data[at];
            let mut with = |x: f32| {
                student.state.model.get_mut(name).unwrap().data[at] = x;
                log_policy(&tree, &line, played, &student)
            };
            let difference = (with(kept + 2e-3) - with(kept - 2e-3)) / 4e-3;
            with(kept);
            let error = (difference - f64::from(gradient[at])).abs();
            assert!(error < 5e-3 * f64::from(longest.max(0.1)), "{name} {at}: {difference} {}", gradient[at]);
        }
    }
}
