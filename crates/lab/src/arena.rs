//! The thin edge between matches, which know no game, and the games: an [`Arena`] is a game with its players behind an object.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::clock::unix_seconds;
use yomi_core::rng::fnv1a;
use yomi_core::{Color, Move, Seed, Spec, TextError};
use yomi_games::draw::{Marks, Stage};

use crate::balance;
use crate::budget::Budget;
use crate::clock::TimeControl;
use crate::config::{MatchConfig, PlayerConfig};
use crate::ending::Finish;
use crate::engine_logs::EngineLogs;
use crate::opening::{self, Drawn, Opening, OpeningSource};
use crate::player::{Fault, Player};
use crate::players::build::{Programs, build, check_budget, configure};
use crate::players::spec::launches;
use crate::record::{self, Title};
use crate::referee::{self, Played, Setup};
use crate::report::{self, Drawing, Film, Scene};
use crate::row::{GameResult, GameRow, Job};
use yomi_games::{Game, with_game};

/// A game in which matches are played, whatever its type.
pub trait Arena: Send + Sync {
    /// The game and the rules in force.
    fn rules(&self) -> String;

    /// After how many plies games are drawn unless a match says otherwise.
    fn move_limit(&self) -> u32;

    /// Builds a player once, to see that it can be built, and asks what it is.
    fn identify(&self, player: &PlayerConfig) -> Result<String, Fault>;

    /// A table at which one thread plays one game after the other.
    fn table<'a>(&'a self, config: &'a MatchConfig, place: Place) -> Result<Box<dyn Table + 'a>, TextError>;

    /// An opening drawn as `source` says; it leaves the game open. A collection is read, not drawn.
    fn draw_opening(&self, source: &OpeningSource, seed: Seed) -> Result<Opening, TextError>;

    /// The openings in a file with this ending, its games cut after this many plies.
    fn read_openings(&self, bytes: &[u8], ending: &str, plies: Option<usize>) -> Result<Vec<Opening>, TextError>;

    /// The game of a row as record files: their endings and bytes.
    fn record(&self, row: &GameRow, title: &Title<'_>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError>;

    /// Looks through a row without its players: are all moves legal, and if the rules ended the game, is that its result?
    fn check(&self, row: &GameRow) -> Result<(), TextError>;

    /// The same for a game that is no row: its moves, its result for the first player, and the word for why it ended.
    fn look_through(&self, scene: &Scene, result: GameResult, reason: &str) -> Result<(), TextError>;

    /// The last position of a scene, drawn.
    fn draw(&self, scene: &Scene) -> Result<Drawing, TextError>;

    /// The bare board and its shapes, for pages that show whole games.
    fn stage(&self) -> Stage;

    /// The game of a scene on such a stage, move by move.
    fn film(&self, scene: &Scene, stage: &mut Stage) -> Result<Film, TextError>;
}

/// Where one thread plays.
pub trait Table: Send {
    /// Plays a game. `None` if it was broken off because `stop` was raised.
    fn play(&mut self, job: &Job, stop: &Arc<AtomicBool>) -> Option<GameRow>;
}

/// Which table it is, and where engines write their logs.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The number of the thread.
    pub worker: usize,
    /// Where it is written down what engines say; nothing is kept if none.
    pub logs: Option<EngineLogs>,
}

/// Makes a player as its configuration asks.
pub type Build<P> = dyn Fn(&PlayerConfig, &Place) -> Result<Box<dyn Player<P>>, Fault> + Send + Sync;

/// The arena of a game of one type.
struct GameArena<P: Game> {
    start: P,
    build: Box<Build<P>>,
}

/// A game with an arena.
pub trait Staged: Game {
    /// An arena for games that begin here, with players made by `build`.
    fn arena(self, build: Box<Build<Self>>) -> Box<dyn Arena> {
        Box::new(GameArena { start: self, build })
    }
}

impl<P: Game> Staged for P {}

/// The arena of the game that `game` names, with every player that can be typed.
pub fn open(game: &Spec, programs: Programs) -> Result<Box<dyn Arena>, TextError> {
    with_game!(game, |start| Ok(start.arena(Box::new(move |config, place| build(config, place, programs)))))
}

impl<P: Game> Arena for GameArena<P> {
    fn rules(&self) -> String {
        self.start.rules()
    }

    fn move_limit(&self) -> u32 {
        P::MOVE_LIMIT
    }

    fn identify(&self, player: &PlayerConfig) -> Result<String, Fault> {
        (self.build)(player, &Place::default()).map(|player| player.id())
    }

    fn table<'a>(&'a self, config: &'a MatchConfig, place: Place) -> Result<Box<dyn Table + 'a>, TextError> {
        let players = config.players.iter().map(|_| None).collect();
        Ok(Box::new(GameTable { arena: self, config, time: config.time()?, place, players }))
    }

    fn draw_opening(&self, source: &OpeningSource, seed: Seed) -> Result<Opening, TextError> {
        match source {
            OpeningSource::Start => Ok(Opening::default()),
            OpeningSource::Random { plies } => opening::random(&self.start, *plies, Drawn::Moves, seed),
            OpeningSource::Pentomino => opening::random(&self.start, 2, Drawn::Pentominoes, seed),
            OpeningSource::Balanced { plies, within, by } => {
                if !launches(by)?.is_empty() {
                    return Err(TextError::new(format!("{by}: openings are judged by searches of our own")));
                }
                let game = Spec::parse(&self.start.rules())?;
                let config = configure(&game.name, by, Budget::default())?;
                check_budget(&config, false)?;
                let judge = (self.build)(&config, &Place::default());
                let mut judge = judge.map_err(|fault| TextError::new(format!("{by}: {fault}")))?;
                balance::draw(&self.start, *plies, *within, (&config, judge.as_mut()), seed)
            }
            OpeningSource::File { path, .. } => Err(TextError::new(format!("{path} is read, not drawn"))),
        }
    }

    fn read_openings(&self, bytes: &[u8], ending: &str, plies: Option<usize>) -> Result<Vec<Opening>, TextError> {
        opening::read(&self.start, bytes, ending, plies)
    }

    fn record(&self, row: &GameRow, title: &Title<'_>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        P::write_record(&record::of_row(&self.start, row, title)?)
    }

    fn check(&self, row: &GameRow) -> Result<(), TextError> {
        record::check(&self.start, row)
    }

    fn look_through(&self, scene: &Scene, result: GameResult, reason: &str) -> Result<(), TextError> {
        record::look_through(&self.start, scene, result, reason)
    }

    fn draw(&self, scene: &Scene) -> Result<Drawing, TextError> {
        record::draw(&self.start, scene)
    }

    fn stage(&self) -> Stage {
        Stage::new(&self.start.picture(&Marks::new()))
    }

    fn film(&self, scene: &Scene, stage: &mut Stage) -> Result<Film, TextError> {
        report::film(&self.start, scene, stage)
    }
}

/// A table with the players that sit there, each built when it is first needed.
struct GameTable<'a, P: Game> {
    arena: &'a GameArena<P>,
    config: &'a MatchConfig,
    time: Option<TimeControl>,
    place: Place,
    players: Vec<Option<Box<dyn Player<P>>>>,
}

impl<P: Game> Table for GameTable<'_, P> {
    fn play(&mut self, job: &Job, stop: &Arc<AtomicBool>) -> Option<GameRow> {
        match self.try_play(job, stop) {
            Ok(row) => row,
            // No move was played: whatever went wrong, it is no player's loss.
            Err(why) => Some(self.row(job, &[], None, &Played::void(why), self.arena.start.clone())),
        }
    }
}

impl<P: Game> GameTable<'_, P> {
    fn try_play(&mut self, job: &Job, stop: &Arc<AtomicBool>) -> Result<Option<GameRow>, String> {
        let seats = [job.first, job.second];
        let (start, opening, _) = opening::replay(&self.arena.start, &job.opening).map_err(|error| error.message)?;
        let mut sitting = [self.take(seats[0])?, self.take(seats[1])?];
        let setup = Setup {
            start: &start,
            opening: &opening,
            conditions: &self.config.conditions,
            time: self.time,
            budgets: seats.map(|seat| self.config.players[seat].budget),
            seed: Seed::new(job.seed),
            stop,
        };
        let [black, white] = &mut sitting;
        let played = referee::play(&setup, [black.as_mut(), white.as_mut()]);
        let row = played.as_ref().map(|played| self.row(job, &opening, job.opening.position.clone(), played, start));
        let broken = played.map_or([true; 2], |played| played.broken);
        for ((seat, player), broken) in seats.into_iter().zip(sitting).zip(broken) {
            if !broken {
                self.players[seat] = Some(player);
            }
        }
        Ok(row)
    }

    /// Calls a player to the table.
    fn take(&mut self, seat: usize) -> Result<Box<dyn Player<P>>, String> {
        let player = self.config.players.get(seat).ok_or_else(|| format!("there is no player {seat}"))?;
        match self.players[seat].take() {
            Some(player) => Ok(player),
            None => (self.arena.build)(player, &self.place).map_err(|fault| format!("{}: {fault}", player.name)),
        }
    }

    fn row(
        &self,
        job: &Job,
        opening: &[P::Move],
        position: Option<String>,
        played: &Played<P::Move>,
        start: P,
    ) -> GameRow {
        let name = |seat: usize| self.config.players.get(seat).map_or(String::new(), |player| player.name.clone());
        let identity = identity(&start, &played.moves);
        let mut totals = [Totals::default(), Totals::default()];
        let (mut words, mut values, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = start;
        for (&mv, said) in played.moves.iter().zip(&played.said) {
            words.push(at.move_text(mv));
            if let Some((report, time)) = said {
                totals[at.turn().index()].add(report, *time);
                values.push(report.value);
                lines.push(report.line.clone());
            }
            at.play(mv);
        }
        if values.iter().all(Option::is_none) {
            values.clear();
        }
        if lines.iter().all(String::is_empty) {
            lines.clear();
        }
        let each = |f: fn(&Totals) -> f64| Color::BOTH.map(|color| f(&totals[color.index()]));
        GameRow {
            job: job.index,
            pairing: job.pairing,
            round: job.round,
            first: name(job.first),
            second: name(job.second),
            result: GameResult::of(played.finish.outcome),
            reason: played.finish.reason,
            detail: played.finish.detail.clone(),
            seed: job.seed,
            plies: played.moves.len() as u32,
            opening: opening.len() as u32,
            position,
            moves: words.join(" "),
            values,
            lines,
            made: Color::BOTH.map(|color| totals[color.index()].moves),
            sims: Color::BOTH.map(|color| totals[color.index()].sims),
            nodes: Color::BOTH.map(|color| totals[color.index()].nodes),
            evals: Color::BOTH.map(|color| totals[color.index()].evals),
            depth: each(|t| t.depth / f64::from(t.moves.max(1))).map(|depth| depth as f32),
            identity,
            remarks: played.remarks.clone(),
            attempt: 0,
            ended: Some(unix_seconds()),
            ms: each(|t| round(t.time)),
            cpu_ms: each(|t| round(t.cpu)),
            slowest_ms: each(|t| round(t.slowest)),
            worker: self.place.worker,
        }
    }
}

/// Microseconds are enough.
fn round(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// What a player did in a game.
#[derive(Default)]
struct Totals {
    moves: u32,
    sims: u64,
    nodes: u64,
    evals: u64,
    depth: f64,
    time: Duration,
    cpu: Duration,
    slowest: Duration,
}

impl Totals {
    fn add(&mut self, report: &crate::player::Report, time: Duration) {
        self.moves += 1;
        self.sims = self.sims.saturating_add(report.simulations.unwrap_or(0));
        self.nodes = self.nodes.saturating_add(report.nodes.unwrap_or(0));
        self.evals = self.evals.saturating_add(report.evaluations.unwrap_or(0));
        self.depth += f64::from(report.depth.unwrap_or(0));
        self.cpu = self.cpu.saturating_add(report.cpu.unwrap_or_default());
        self.time = self.time.saturating_add(time);
        self.slowest = self.slowest.max(time);
    }
}

/// A name for a game that its symmetric images share: the smallest hash among them.
pub(crate) fn identity<P: Game>(start: &P, moves: &[P::Move]) -> String {
    let hash = |moves: &Vec<P::Move>| {
        let bits = moves.iter().flat_map(|mv| mv.to_bits().to_le_bytes());
        fnv1a(&start.key().to_le_bytes().into_iter().chain(bits).collect::<Vec<u8>>())
    };
    format!("{:016x}", start.images(moves).iter().map(hash).min().unwrap_or_default())
}

impl<M> Played<M> {
    /// A game that did not come about.
    fn void(why: String) -> Played<M> {
        let (moves, said) = (Vec::new(), Vec::new());
        Played { moves, said, finish: Finish::void(why), ending: None, broken: [false; 2], remarks: [None, None] }
    }
}
