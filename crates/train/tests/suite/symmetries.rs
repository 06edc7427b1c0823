//! Training under symmetries: what is learned of a position is learned of its image, and nothing changes where there are none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use yomi_core::{Seed, Spec};
use yomi_net::input::Layout;
use yomi_net::open::Choice;
use yomi_net::symmetry::{Symmetry, Which};
use yomi_net::{Architecture, Network};
use yomi_train::dispatch::{self, Order};
use yomi_train::self_play;
use yomi_train::trainer::native::loss::{self, Target, Weights};
use yomi_train::trainer::native::{Native, Student};
use yomi_train::trainer::{Lesson, Settings, Symmetries, Trainer};
use yomi_train::{open, samples};

/// A folder with a random network and the samples of a few games.
fn games(test: &str, game: &str, layout: Layout) -> (PathBuf, u64) {
    let path = std::env::temp_dir().join(format!("yomi-symmetries-{}-{test}-{game}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    let network = Network::random(Architecture::new(layout, 1, 8), Seed::new(7)).unwrap();
    std::fs::write(path.join("begin.safetensors"), network.write()).unwrap();
    let settings =
        self_play::Settings { full: 8, fast: 2, full_share: 0.5, seats: 2, ..self_play::Settings::default() };
    let (game, out) = (Spec::parse(game).unwrap(), path.join("samples"));
    let order = Order { game: &game, settings: &settings, games: 0..2, seed: 3, threads: 1, out: &out };
    let net = open::open(&network, Choice::Cpu, 1).unwrap();
    dispatch::self_play(&order, net, &network, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let count = samples::read(&out, None).unwrap().1.len() as u64;
    (path, count)
}

/// The network that a lesson leaves.
fn learned(path: &Path, count: u64, symmetries: Option<Symmetries>, steps: u64, threads: usize) -> Vec<u8> {
    let settings = Settings { batch: 32, symmetries, ..Settings::default() };
    let mut trainer = Native::new(settings, threads);
    trainer.begin(&path.join("begin.safetensors"), None).unwrap();
    let files = vec![(path.join("samples"), count)];
    let (out, checkpoint) = (path.join("net.safetensors"), path.join("checkpoint"));
    trainer.train(&Lesson { files, steps, rate: 1e-2, seed: 5, out: out.clone(), checkpoint }).unwrap();
    std::fs::read(out).unwrap()
}

/// The losses of a network on the samples under a symmetry.
fn losses(path: &Path, network: &[u8], symmetry: &Symmetry, squares: usize) -> BTreeMap<String, f64> {
    let (_, list) = samples::read(&path.join("samples"), None).unwrap();
    let targets: Vec<Target> = list.iter().map(|sample| Target::new(sample, 0.3, squares).seen(symmetry)).collect();
    let student = Student::new(&Network::read(network).unwrap()).unwrap();
    let positions: Vec<_> = targets.iter().map(|target| target.position).collect();
    let outputs = student.tower(1).forward(student.layout, &positions).outputs;
    loss::loss(&outputs, &targets, Weights::default()).0
}

/// A network that sees samples as they are knows less of their images; one that sees them under symmetries knows both alike. The margin of Blokus is learned
/// of both as well.
#[test]
fn images_are_learned_as_well() {
    for (game, layout) in [("minishogi", Layout::Minishogi), ("blokus-duo", Layout::BlokusDuo)] {
        let (path, count) = games("images", game, layout);
        let image = &Symmetry::list(layout, Which::OfTheRules)[1];
        let same = &Symmetry::list(layout, Which::OfTheRules)[0];
        let loss = |network: &[u8], symmetry: &Symmetry| losses(&path, network, symmetry, layout.squares());
        let plain = learned(&path, count, None, 60, 2);
        let turned = learned(&path, count, Some(Symmetries::Rules), 60, 2);
        let apart = |network: &[u8], part: &str| loss(network, image)[part] - loss(network, same)[part];
        let (of_plain, of_turned) = (apart(&plain, "policy"), apart(&turned, "policy"));
        assert!(of_plain > 0.2 && of_turned.abs() < of_plain / 2.0, "{game}: {of_plain}, {of_turned}");
        if layout == Layout::BlokusDuo {
            let begin = std::fs::read(path.join("begin.safetensors")).unwrap();
            let [before, after] = [&begin, &turned].map(|network| loss(network, image)["score"]);
            assert!(after < before, "{after} of {before}");
        }
        std::fs::remove_dir_all(&path).unwrap();
    }
}

/// Without symmetries, and with those of a starting position that has none, the bits are the same; with them they are whatever the threads.
#[test]
fn bits_stay_where_nothing_is_turned() {
    let (path, count) = games("bits", "minishogi", Layout::Minishogi);
    let net = |symmetries, threads| learned(&path, count, symmetries, 3, threads);
    let plain = net(None, 1);
    assert!(plain == net(Some(Symmetries::None), 2) && plain == net(Some(Symmetries::Start), 1));
    let turned = net(Some(Symmetries::Rules), 1);
    assert!(turned != plain && turned == net(Some(Symmetries::Rules), 3));
    std::fs::remove_dir_all(&path).unwrap();
}
