//! How a match stands: what its games add up to, counted as they come.

use std::collections::{BTreeMap, BTreeSet};

use yomi_core::TextError;

use crate::ending::Reason;
use crate::plan::MatchPlan;
use crate::row::GameRow;
use crate::statistics::clusters::Clusters;
use crate::statistics::sequence::Sequence;
use crate::statistics::tally::Game;
use crate::statistics::{Decision, Tally};

/// How all pairings stand.
#[derive(Clone, Debug)]
pub struct Standing {
    /// One a pairing.
    pub pairings: Vec<Pairing>,
    /// Games that count.
    pub games: u64,
    /// Games of the whole schedule.
    pub scheduled: u64,
    /// Games that did not count and were played again.
    pub voids: u64,
    done: BTreeSet<u64>,
}

/// How one pairing stands, for its first player.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The player the counts are about.
    pub player: String,
    /// Its opponent.
    pub opponent: String,
    /// Games.
    pub games: Tally,
    /// Complete pairs of games; nothing without pairs.
    pub pairs: Option<Tally>,
    /// How often each reason ended a game that was lost, drawn and won.
    pub reasons: BTreeMap<Reason, [u64; 3]>,
    /// Losses, draws and wins with Black and with White.
    pub by_color: [[u64; 3]; 2],
    /// The sequential test over the completed prefix of the schedule.
    pub sequence: Option<Sequence>,
    /// Games whose sequence of moves, or a symmetric image of it, did not occur before with the same colours.
    pub unique: u64,
    /// The points by opening, a draw being half a win: what intervals are made from where openings repeat.
    pub clusters: Clusters,
    /// Why it was given up: void games in a row.
    pub given_up: Option<String>,
    identities: BTreeSet<(bool, String)>,
    /// Half points of the games whose partner is not finished, by round.
    halves: BTreeMap<u64, usize>,
    voids_in_a_row: u32,
}

/// This many void games in a row end a pairing.
const TOO_MANY_VOIDS: u32 = 2;

impl Standing {
    /// Nothing was played yet.
    pub fn new(plan: &MatchPlan) -> Result<Standing, TextError> {
        let sprt = plan.config.sprt.map(|sprt| sprt.sprt()).transpose()?;
        let sequence = sprt.map(if plan.config.pairs { Sequence::of_pairs } else { Sequence::of_games });
        let pairing = |i: usize| {
            let (player, opponent) = plan.names(i);
            Pairing {
                player: player.to_string(),
                opponent: opponent.to_string(),
                games: Tally::Games([0; 3]),
                pairs: plan.config.pairs.then_some(Tally::Pairs([0; 5])),
                reasons: BTreeMap::new(),
                by_color: [[0; 3]; 2],
                sequence: sequence.clone(),
                unique: 0,
                clusters: Clusters::default(),
                given_up: None,
                identities: BTreeSet::new(),
                halves: BTreeMap::new(),
                voids_in_a_row: 0,
            }
        };
        let pairings = (0..plan.pairings.len()).map(pairing).collect();
        Ok(Standing { pairings, games: 0, scheduled: plan.len(), voids: 0, done: BTreeSet::new() })
    }

    /// The standing after these rows.
    pub fn of(plan: &MatchPlan, rows: &[GameRow]) -> Result<Standing, TextError> {
        let mut standing = Standing::new(plan)?;
        rows.iter().try_for_each(|row| standing.add(plan, row))?;
        Ok(standing)
    }

    /// What was given up is tried again.
    pub fn forgive(&mut self) {
        self.pairings.iter_mut().for_each(|pairing| (pairing.voids_in_a_row, pairing.given_up) = (0, None));
    }

    /// Whether the game at this place of the schedule was played.
    pub fn has(&self, job: u64) -> bool {
        self.done.contains(&job)
    }

    /// Whether more games of this pairing are wanted.
    pub fn wants(&self, pairing: usize) -> bool {
        let pairing = &self.pairings[pairing];
        pairing.given_up.is_none() && pairing.decision() == Decision::Continue
    }

    /// Counts a game. It must be one of the schedule, and be there once.
    pub fn add(&mut self, plan: &MatchPlan, row: &GameRow) -> Result<(), TextError> {
        let slot = plan.order.slot(row.job);
        let (a, b) = plan.names(slot.pairing);
        let (first, second) = if slot.swapped { (b, a) } else { (a, b) };
        if (row.pairing, row.round) != (slot.pairing, slot.round) || (&*row.first, &*row.second) != (first, second) {
            return Err(TextError::new(format!("game {} of the ledger is not the one of this schedule", row.job)));
        }
        if row.seed != plan.seed(row.job) {
            let message =
                format!("game {} of the ledger was played under another configuration: its seed differs", row.job);
            return Err(TextError::new(message));
        }
        let pairing = &mut self.pairings[slot.pairing];
        let Some(game) = row.result.game() else {
            self.voids += 1;
            pairing.void(&row.detail);
            return Ok(());
        };
        if !self.done.insert(row.job) {
            return Err(TextError::new(format!("game {} stands in the ledger twice", row.job)));
        }
        self.games += 1;
        pairing.count(row, if slot.swapped { game.swapped() } else { game }, slot.swapped)
    }
}

/// How many moves tell the opening of a game: without one, games are alike only if all of their moves are.
fn opening_length(row: &GameRow) -> usize {
    if row.opening == 0 && row.position.is_none() { usize::MAX } else { row.opening as usize }
}

impl Pairing {
    fn void(&mut self, why: &str) {
        self.voids_in_a_row += 1;
        if self.voids_in_a_row >= TOO_MANY_VOIDS {
            self.given_up = Some(why.to_string());
        }
    }

    fn count(&mut self, row: &GameRow, game: Game, swapped: bool) -> Result<(), TextError> {
        let half_points = game.half_points();
        (self.voids_in_a_row, self.given_up) = (0, None);
        self.games.add(half_points);
        self.reasons.entry(row.reason).or_default()[half_points] += 1;
        self.by_color[usize::from(swapped)][half_points] += 1;
        let given: Vec<&str> = row.moves.split_whitespace().take(opening_length(row)).collect();
        let cluster = format!("{} {}", row.position.as_deref().unwrap_or_default(), given.join(" "));
        self.clusters.add(&cluster, half_points as f64 / 2.0, 1.0);
        self.unique += u64::from(self.identities.insert((swapped, row.identity.clone())));
        let sample = match &mut self.pairs {
            None => Some(half_points),
            Some(pairs) => match self.halves.remove(&row.round) {
                Some(other) => {
                    pairs.add(half_points + other);
                    Some(half_points + other)
                }
                None => {
                    self.halves.insert(row.round, half_points);
                    None
                }
            },
        };
        if let (Some(sequence), Some(sample)) = (&mut self.sequence, sample) {
            sequence.record(row.round, sample)?;
        }
        Ok(())
    }

    /// What the sequential test says.
    pub fn decision(&self) -> Decision {
        self.sequence.as_ref().map_or(Decision::Continue, Sequence::decision)
    }

    /// The counts that error bars are made from: pairs if every game has its partner, else games.
    pub fn tally(&self) -> Tally {
        match self.pairs {
            Some(pairs) if !pairs.is_empty() && self.halves.is_empty() => pairs,
            _ => self.games,
        }
    }

    /// Losses, draws and wins.
    pub fn counts(&self) -> [u64; 3] {
        match self.games {
            Tally::Games(counts) => counts,
            Tally::Pairs(_) => [0; 3],
        }
    }
}
