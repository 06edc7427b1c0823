//! The table that games of a run are played at: everything that they depend on but the players' parameters. The run itself has one, and
//! so have all who play for it elsewhere.

use std::sync::Arc;

use yomi_core::clock::Stopwatch;
use yomi_core::rng::fnv1a;
use yomi_core::{Line, Move, Notation, Position, Seed, TextError};
use yomi_search::{Limits, Method as SearchMethod};

use super::config::Config;
use super::episode::{Episode, Player, Setting, play, replay};
use super::gate::{Terms, half_points};
use super::parallel::in_order;
use super::work::{self, Kind, Played, Players, Work};
use crate::games;
use crate::gradient_sum::Accumulator;
use crate::methods::Method;
use crate::model::Model;
use crate::records::{Library, Recorded};

/// A table of one game and model.
pub(super) struct Table<P: Position, M: Model<P>> {
    pub(super) config: Config,
    pub(super) model: M,
    method: Box<dyn Method<P, M>>,
    search: SearchMethod,
    pub(super) start: P,
    records: Library<P>,
}

/// Players with their evaluators made.
pub(super) type Seated<P, M> = Vec<Player<<M as Model<P>>::Evaluator>>;

impl<P: Notation, M: Model<P>> Table<P, M> {
    /// Games begin at `start`; `records` are for methods that play none.
    pub(super) fn new(config: Config, model: M, start: P, records: Library<P>) -> Result<Table<P, M>, TextError> {
        config.check()?;
        let method = config.method::<P, M>()?;
        if method.needs_records() && records.games.is_empty() {
            return Err(match records.skipped.into_iter().next() {
                Some(error) => error.context("no game could be read"),
                None => TextError::new(format!("{} learns from games: name files of them in records", method.name())),
            });
        }
        Ok(Table { search: config.search()?, config, model, method, start, records })
    }

    /// What all who play for a run have to agree about.
    pub(super) fn agreement(&self) -> Result<u64, TextError> {
        let games: Vec<_> = self.records.games.iter().map(|recorded| recorded.game.clone()).collect();
        let mut bytes = games::write::<P>(&games);
        for recorded in self.records.games.iter().filter(|recorded| recorded.start.key() != self.start.key()) {
            bytes.extend(recorded.start.position_text().bytes());
        }
        let records = fnv1a(&bytes);
        Ok(fnv1a(format!("{}{records}", self.config.write()?).as_bytes()))
    }

    /// Players of these parameters. The first one learns.
    pub(super) fn seat<'a>(&self, players: impl Iterator<Item = &'a [f64]>) -> Result<Seated<P, M>, TextError> {
        let one = |(number, parameters): (usize, &[f64])| {
            if parameters.len() != self.model.parameters() {
                let wanted = self.model.parameters();
                return Err(TextError::new(format!(
                    "these weights have {} parameters, not {wanted}",
                    parameters.len()
                )));
            }
            Ok(Player {
                evaluator: Arc::new(self.model.evaluator(parameters)?),
                parameters: (number == 0).then(|| parameters.into()),
                heat: self.model.heat(parameters),
            })
        };
        players.enumerate().map(one).collect()
    }

    /// Plays games, in order.
    pub(super) fn play(
        &self,
        players: &Seated<P, M>,
        work: &Work,
        threads: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Played>, TextError> {
        match work.kind {
            Kind::Lessons => self.lessons(players, work, threads, done),
            Kind::Gate(after) => self.gate(players, work, after, threads),
        }
    }

    fn lessons(
        &self,
        players: &Seated<P, M>,
        work: &Work,
        threads: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Played>, TextError> {
        let (learner, pool) = players.split_first().ok_or_else(|| TextError::new("a learner is missing"))?;
        let setting = Setting {
            model: &self.model,
            method: &*self.method,
            search: &self.search,
            start: &self.start,
            limits: self.limits(),
            temperature: self.config.temperature,
            random: self.config.random,
            plies: self.config.plies,
            leaves: self.config.leaves,
            k: self.config.k,
        };
        let seed = Seed::new(self.config.seed);
        let memory = || Accumulator::new(self.model.parameters());
        let episodes = in_order(length(work), threads, memory, |sum, index| {
            let watch = Stopwatch::start();
            let number = work.games.start + index as u64;
            let seed = seed.branch("game", number);
            let episode = if self.method.needs_records() {
                let Some(recorded) = self.recorded(number) else { return Err(TextError::new("a record is missing")) };
                replay(&setting, &[learner.clone(), learner.clone()], recorded, sum, seed)
            } else {
                let players = opponents(learner, pool, self.config.pool.share, seed);
                play(&setting, &players, sum, seed)
            };
            done();
            episode.map(|episode| Played::Lesson(Episode { whole: watch.busy().as_secs_f64(), ..episode }))
        });
        episodes.into_iter().collect()
    }

    /// The first player is the newest, the second one the best so far.
    fn gate(&self, players: &Seated<P, M>, work: &Work, after: u64, threads: usize) -> Result<Vec<Played>, TextError> {
        let [newest, best] = &players[..] else { return Err(TextError::new("a gate has two players")) };
        let terms = Terms {
            search: &self.search,
            limits: self.limits(),
            start: &self.start,
            random: self.config.random,
            plies: self.config.plies,
        };
        let seed = Seed::new(self.config.seed).branch("gate", after);
        let one = |(): &mut (), index: usize| {
            let number = work.games.start + index as u64;
            Played::Points(half_points(&terms, (&newest.evaluator, &best.evaluator), number, seed))
        };
        Ok(in_order(length(work), threads, || (), one))
    }

    /// The record that the game with this number goes through, for methods that play none.
    fn recorded(&self, number: u64) -> Option<&Recorded<P>> {
        let count = self.records.games.len() as u64;
        self.records.games.get(number.checked_rem(count)? as usize).filter(|_| self.method.needs_records())
    }

    /// Where the game with this number begins.
    pub(super) fn start(&self, number: u64) -> &P {
        self.recorded(number).map_or(&self.start, |recorded| &recorded.start)
    }

    /// Which records were left out, and why.
    pub(super) fn skipped(&self) -> &[TextError] {
        &self.records.skipped
    }

    fn limits(&self) -> Limits {
        Limits::evaluations(self.config.evaluations)
    }

    /// Reads games of this work that were played elsewhere. Whatever cannot have been played so is refused.
    pub(super) fn read(&self, work: &Work, bytes: &[u8]) -> Result<Vec<Played>, TextError> {
        let played = work::read(work, self.model.parameters(), bytes)?;
        for (number, game) in work.games.clone().zip(&played) {
            if let Played::Lesson(episode) = game {
                self.is_possible(self.start(number), episode)
                    .map_err(|error| error.context(format!("game {number}")))?;
            }
        }
        Ok(played)
    }

    fn is_possible(&self, start: &P, episode: &Episode) -> Result<(), TextError> {
        let numbers = [episode.loss, episode.explained, episode.seconds[0], episode.seconds[1], episode.whole];
        if numbers.iter().any(|x| !x.is_finite()) || episode.step.iter().any(|(_, x)| !x.is_finite()) {
            return Err(TextError::new("a number that is none"));
        }
        let mut line = Line::new(start.clone());
        let mut legal = Vec::new();
        for (ply, &bits) in episode.moves.iter().enumerate() {
            let over = line.generate(&mut legal).is_some();
            let Some(&mv) = legal.iter().find(|mv| mv.to_bits() == bits).filter(|_| !over) else {
                return Err(TextError::new(format!("move {} is not legal", ply + 1)));
            };
            line.play(mv);
        }
        Ok(())
    }
}

/// Who plays: the learner on both sides, or against an earlier one.
fn opponents<E>(learner: &Player<E>, pool: &[Player<E>], share: f64, seed: Seed) -> [Player<E>; 2] {
    let mut rng = seed.branch("players", 0).rng();
    if pool.is_empty() || f64::from(rng.unit()) >= share {
        return [learner.clone(), learner.clone()];
    }
    let earlier = pool[rng.below(pool.len())].clone();
    if rng.below(2) == 0 { [learner.clone(), earlier] } else { [earlier, learner.clone()] }
}

fn length(work: &Work) -> usize {
    work.games.end.saturating_sub(work.games.start) as usize
}

/// Plays for runs that are kept elsewhere.
pub trait Hand: Send {
    /// What both sides have to agree about: the configuration and the records of games.
    fn agreement(&self) -> Result<u64, TextError>;

    /// Who plays from now on.
    fn seat(&mut self, players: &Players) -> Result<(), TextError>;

    /// Plays games, in order.
    fn play(&self, work: &Work, threads: usize) -> Result<Vec<Played>, TextError>;
}

/// A table and who sits at it.
pub(super) struct Visitors<P: Position, M: Model<P>> {
    pub(super) table: Table<P, M>,
    pub(super) players: Seated<P, M>,
}

impl<P: Notation, M: Model<P>> Hand for Visitors<P, M> {
    fn agreement(&self) -> Result<u64, TextError> {
        self.table.agreement()
    }

    fn seat(&mut self, players: &Players) -> Result<(), TextError> {
        self.players = self.table.seat(players.0.iter().map(Vec::as_slice))?;
        Ok(())
    }

    fn play(&self, work: &Work, threads: usize) -> Result<Vec<Played>, TextError> {
        self.table.play(&self.players, work, threads, &|| ())
    }
}
