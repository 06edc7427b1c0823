//! Players that behave as their specification says, and matches between them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use yomi_core::{Notation, Spec};
use yomi_lab::arena::{Arena, Build, Staged};
use yomi_lab::budget::Budget;
use yomi_lab::conditions::Conditions;
use yomi_lab::config::{MatchConfig, PlayerConfig};
use yomi_lab::directory::RunDirectory;
use yomi_lab::opening::OpeningSource;
use yomi_lab::plan::MatchPlan;
use yomi_lab::player::{Action, Answer, Fault, NewGame, Player, Report, Turn};
use yomi_lab::row::GameRow;
use yomi_lab::runner::{Controls, RunEnd, run};
use yomi_lab::schedule::Schedule;
use yomi_lab::standing::Standing;

/// Counts how often players were asked to begin a game, over all of them.
type Counter = Arc<AtomicU32>;

/// A player that plays the first legal move, a random one, or something else at its n-th move.
pub(crate) struct Actor {
    spec: String,
    moves: u32,
    begun: Counter,
}

impl Actor {
    pub(crate) fn new(spec: &str) -> Actor {
        Actor { spec: spec.to_string(), moves: 0, begun: Counter::default() }
    }
}

impl<P: Notation> Player<P> for Actor {
    fn name(&self) -> &str {
        &self.spec
    }

    fn id(&self) -> String {
        format!("actor {}", self.spec)
    }

    fn new_game(&mut self, _: &NewGame<'_, P>) -> Result<(), Fault> {
        self.moves = 0;
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        let why = || Fault::Unavailable { why: "out of order".into() };
        match self.spec.trim() {
            "never" => Err(why()),
            // Every fourth game fails once.
            "moody" if begun % 4 == 3 => Err(why()),
            _ => Ok(()),
        }
    }

    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Answer<P::Move>, Fault> {
        let mut legal = Vec::new();
        turn.line.generate(&mut legal);
        self.moves += 1;
        let mut rng = turn.limits.seed.rng();
        let first = Answer::silent(legal[0]);
        let says = |value: f32| Answer { report: Report { value: Some(value), ..Report::default() }, ..first.clone() };
        let second_move = self.moves == 2;
        Ok(match self.spec.trim() {
            "random" | "moody" => Answer::silent(legal[rng.below(legal.len())]),
            "last" => Answer::silent(legal[legal.len() - 1]),
            "optimist" => says(900.0),
            "pessimist" => says(-900.0),
            "realist" => says(0.0),
            "timed" if turn.clocks.is_none() => Answer { action: Action::Resign, ..first },
            "resigns" if second_move => Answer { action: Action::Resign, ..first },
            "declares" if second_move => Answer { action: Action::DeclareWin, ..first },
            "cheats" if second_move => Answer::silent(turn.moves[0]),
            "babbles" if second_move => {
                return Err(Fault::Illegal { text: "e9e9".into(), why: "no such square".into() });
            }
            "crashes" if second_move => return Err(Fault::Crash { why: "it died".into() }),
            "hangs" if second_move => return Err(Fault::Timeout { waiting_for: "a move".into() }),
            "broken" if second_move => return Err(Fault::Unavailable { why: "our own fault".into() }),
            _ => first,
        })
    }
}

/// The arena of a game in which these actors play.
pub(crate) fn arena<P: Staged>(game: &str) -> Box<dyn Arena> {
    let start = P::start(&Spec::parse(game).expect("spec")).expect("game");
    let begun = Counter::default();
    let build: Box<Build<P>> =
        Box::new(move |config, _| Ok(Box::new(Actor { begun: begun.clone(), ..Actor::new(&config.spec) })));
    start.arena(build)
}

/// A match of these actors over the usual start position.
pub(crate) fn config(game: &str, players: &[&str], games: u64) -> MatchConfig {
    let player =
        |spec: &&str| PlayerConfig { name: spec.to_string(), spec: spec.to_string(), budget: Budget::default() };
    MatchConfig {
        name: "test".into(),
        game: game.into(),
        seed: 1,
        games,
        pairs: true,
        schedule: if players.len() == 2 { Schedule::Pair } else { Schedule::RoundRobin },
        reproducible: true,
        openings: OpeningSource::Start,
        conditions: Conditions { move_limit: 200, time: None, resign: None, draw: None },
        sprt: None,
        players: players.iter().map(player).collect(),
    }
}

/// A directory of its own for a test, removed in the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("yomi-lab-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a place for tests");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Plays a match in a directory and gives its ledger, sorted, with how it ended.
pub(crate) fn played(
    config: &MatchConfig,
    arena: &dyn Arena,
    directory: &Scratch,
    threads: usize,
) -> (Vec<GameRow>, Standing, RunEnd) {
    let plan = MatchPlan::new(config.clone(), Vec::new()).expect("a plan");
    let run_directory = RunDirectory::create(&directory.0, &plan).expect("a directory");
    let (standing, end) = run(&plan, arena, &run_directory, threads, &Controls::default(), &mut ()).expect("a run");
    (sorted(&run_directory), standing, end)
}

/// The ledger in the order of the schedule, without times.
pub(crate) fn sorted(directory: &RunDirectory) -> Vec<GameRow> {
    let mut rows: Vec<GameRow> = directory.rows().expect("rows").iter().map(GameRow::reproducible).collect();
    rows.sort_by_key(|row| row.job);
    rows
}
