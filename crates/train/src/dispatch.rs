//! The games that networks learn, by name: everything generic is compiled here, once for each of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::{Notation as _, Seed, Spec, TextError};
use yomi_games::{known_game_names, with_known_game};
use yomi_net::input::{Encode, Layout, PackedPosition};
use yomi_net::{NetEvaluator, Network};
use yomi_search::Method;

use crate::contest::{self, Terms};
use crate::live::Live;
use crate::records;
use crate::run::{Conditions, Config, Counter, Generation, Run};
use crate::samples::Writer;
use crate::self_play::{self, Settings};
use crate::tally::Tally;
use crate::trainer::Trainer;

/// Evaluates `$body` with `$start` as the start position of the game that `$spec` names, one that networks learn.
macro_rules! with_trainable {
    ($spec:expr, |$start:ident| $body:expr) => {
        with_known_game!($spec, |$start| $body, not_learned)
    };
}

fn not_learned(game: &Spec) -> TextError {
    game.unknown("a game that networks learn", known_game_names())
}

/// The layout of a game's networks.
pub fn layout(game: &Spec) -> Result<Layout, TextError> {
    with_trainable!(game, |start| Ok(start.layout()))
}

/// A position as networks see it, for its side to move, and the labels of these legal moves.
pub fn encode(
    game: &Spec,
    position: &str,
    moves: &[String],
) -> Result<(Layout, PackedPosition, Vec<usize>), TextError> {
    with_trainable!(game, |start| {
        let position = start.parse_position(position)?;
        let label = |mv: &String| Ok(position.label(position.parse_move(mv)?));
        let labels = moves.iter().map(label).collect::<Result<Vec<usize>, TextError>>()?;
        Ok((position.layout(), position.pack(yomi_core::Position::turn(&position)), labels))
    })
}

/// Begins a run that is not gone on with here: its folder and its first network.
pub fn prepare(config: &Config, conditions: &Conditions, path: &Path) -> Result<(), TextError> {
    let game = Spec::parse(&config.game)?;
    with_trainable!(&game, |start| Run::open(start, config, conditions, path).map(drop))
}

/// Runs the loop: see [`Run::go`].
pub fn run(
    config: &Config,
    conditions: &Conditions,
    path: &Path,
    trainer: &mut dyn Trainer,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Generation),
) -> Result<(), TextError> {
    let game = Spec::parse(&config.game)?;
    with_trainable!(&game, |start| Run::open(start, config, conditions, path)?.go(trainer, stop, tell))
}

/// A file of self-play games that is to be written.
pub struct Order<'a> {
    /// The game.
    pub game: &'a Spec,
    /// How games are played.
    pub settings: &'a Settings,
    /// The numbers of the games, those of earlier calls included.
    pub games: std::ops::Range<u64>,
    /// Seeds the games.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// The file.
    pub out: &'a Path,
}

/// Plays games until the file has as many as are wanted. `tell` hears how many are there.
pub fn self_play(
    order: &Order<'_>,
    net: NetEvaluator,
    network: &Network,
    stop: &AtomicBool,
    tell: &mut (dyn FnMut(u64) + Send),
) -> Result<Tally, TextError> {
    let method: Method = order.settings.method.parse()?;
    order.settings.gradient.iter().try_for_each(|gradient| gradient.check(&method))?;
    network.check_game(&layout(order.game)?.game())?;
    let live = Live::new(net, network.architecture().step as u32);
    let seed = Seed::new(order.seed);
    with_trainable!(order.game, |start| {
        let writer = Writer::open(order.out, start.layout())?;
        let there = writer.games().len() as u64;
        let counter = Counter::new(writer, order.games.clone(), order.settings.resign_below);
        std::thread::scope(|scope| {
            let play = || self_play::play(&start, order.settings, &method, &live, &seed, order.threads, &counter);
            let playing = scope.spawn(play);
            while !playing.is_finished() {
                if stop.load(Ordering::Relaxed) {
                    counter.stop();
                }
                tell(there + counter.wait(Duration::from_millis(100)));
            }
        });
        counter.into_tally()
    })
}

/// Makes sample files of the records of games that others played: see [`crate::records`].
pub fn samples_of_records(
    game: &Spec,
    order: &records::Order<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(records::Event<'_>),
) -> Result<records::Summary, TextError> {
    with_trainable!(game, |start| records::gather(&start, order, stop, tell))
}

/// A match of two networks: see [`contest::pairs`].
pub fn contest(
    game: &Spec,
    terms: &Terms,
    players: [&NetEvaluator; 2],
    pairs: usize,
    threads: usize,
    seed: &Seed,
) -> Result<Vec<usize>, TextError> {
    with_trainable!(game, |start| Ok(contest::pairs(&start, terms, players, pairs, threads, seed)))
}
