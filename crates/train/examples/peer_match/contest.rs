//! One match: what its threads share, and the games that each of them plays.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Line, Outcome, Seed, TextError};
use yomi_net::backend::CpuBackend;
use yomi_net::open::Choice;
use yomi_net::{NetEvaluator, Network};
use yomi_search::{Limits, Method, Search, TreeSearch};
use yomi_train::{Trainable, open};

use crate::gathering::Gathering;
use crate::opponent::{Opponent, Own, Program};

/// What a move may cost.
fn limits(order: &Value) -> Result<Limits, TextError> {
    let number = |name: &str| order[name].as_u64();
    match (number("evaluations"), number("simulations"), number("nodes"), order["seconds"].as_f64()) {
        (Some(n), ..) => Ok(Limits::evaluations(n)),
        (_, Some(n), ..) => Ok(Limits::simulations(n)),
        (_, _, Some(n), _) => Ok(Limits::nodes(n)),
        (.., Some(seconds)) => Ok(Limits::time(Duration::from_secs_f64(seconds))),
        _ => Err(TextError::new("no `evaluations`, `simulations`, `nodes` or `seconds`")),
    }
}

/// A match, whatever its game.
pub(crate) trait Contest: Sync {
    /// How many games it has.
    fn games(&self) -> usize;
    /// A player of each side for one thread.
    fn seat(&self, thread: u64) -> Result<Box<dyn Seat + '_>, TextError>;
    /// The result so far.
    fn result(&self) -> Value;
}

/// What a thread needs to play games of a match.
pub(crate) trait Seat {
    /// Plays the game of this number.
    fn play(&mut self, number: usize) -> Result<(), TextError>;
}

/// What all threads of a match share.
pub(crate) struct Match<P> {
    start: P,
    order: Value,
    network: Network,
    /// The network on a device that all games share; none if each thread computes its own answers.
    net: Option<NetEvaluator>,
    method: Method,
    limits: Limits,
    seed: Seed,
    scores: Mutex<Vec<Option<usize>>>,
}

impl<P: Trainable + Own> Match<P> {
    /// The match of an order.
    pub(crate) fn new(start: P, order: &Value) -> Result<Match<P>, TextError> {
        let number = |name: &str, default: u64| order[name].as_u64().unwrap_or(default);
        let network = open::read(order["net"].as_str().unwrap_or_default().as_ref())?;
        let net = match Choice::parse(order["device"].as_str().unwrap_or("cpu"))? {
            Choice::Cpu => None,
            choice => Some(NetEvaluator::new(Box::new(Gathering::new(open::backend(&network, choice, 1)?)))),
        };
        Ok(Match {
            start,
            order: order.clone(),
            network,
            net,
            method: order["method"].as_str().unwrap_or("puct").parse()?,
            limits: limits(order)?,
            seed: Seed::new(number("seed", 1)),
            scores: Mutex::new(vec![None; 2 * number("pairs", 10) as usize]),
        })
    }

    /// An opening of random moves that does not end the game and, if it is to be balanced, is nearly even.
    fn opening(&self, seed: &Seed) -> Result<Vec<P::Move>, TextError> {
        let random = self.order["random"].as_u64().unwrap_or(2) as usize;
        let mut judge = P::judge().filter(|_| self.order["openings"].as_str() == Some("balanced"));
        for attempt in 0..500 {
            let mut rng = seed.branch("opening", attempt).rng();
            let (mut line, mut moves, mut played) = (Line::new(self.start.clone()), Vec::new(), Vec::new());
            for _ in 0..random {
                if line.generate(&mut moves).is_some() {
                    break;
                }
                let mv = moves[rng.below(moves.len())];
                line.play(mv);
                played.push(mv);
            }
            let over = line.generate(&mut moves).is_some();
            let even = judge.as_mut().is_none_or(|judge| {
                let verdict = judge.search(&line, &Limits::nodes(30_000).seeded(*seed), &mut ());
                verdict.proof.is_none() && verdict.value.abs() <= 100.0
            });
            if !over && even {
                return Ok(played);
            }
        }
        Err(TextError::new(format!("none of 500 openings of {random} random moves is even")))
    }

    /// Plays one game; our half points.
    fn game(
        &self,
        number: usize,
        search: &mut dyn Search<P>,
        opponent: &mut dyn Opponent<P>,
    ) -> Result<usize, TextError> {
        let seed = self.seed.branch("pair", number as u64 / 2);
        let colour = if number.is_multiple_of(2) { Color::Black } else { Color::White };
        let mut line = Line::new(self.start.clone());
        let (mut moves, mut text) = (Vec::new(), Vec::new());
        let opening = self.opening(&seed)?;
        search.new_game();
        opponent.begin(&self.start)?;
        let (mut evaluations, mut seconds, before) = (0, [0.0; 2], opponent.work());
        let outcome = loop {
            if let Some(outcome) = line.generate(&mut moves) {
                break outcome;
            }
            let position = line.position().clone();
            if line.len() >= position.longest_game() {
                break position.broken_off();
            }
            let (turn, watch) = (position.turn(), Stopwatch::start());
            let (mv, ours) = if let Some(&mv) = opening.get(line.len()) {
                (Some(mv), true)
            } else if turn == colour {
                let limits = self.limits.clone().seeded(seed.branch("move", line.len() as u64));
                let verdict = search.search(&line, &limits, &mut ());
                evaluations += verdict.evaluations;
                (verdict.best, true)
            } else {
                let limits_seed = seed.branch("opponent", line.len() as u64);
                (opponent.choose(&line, &text, limits_seed)?.filter(|mv| moves.contains(mv)), false)
            };
            if line.len() >= opening.len() {
                seconds[usize::from(!ours)] += watch.busy().as_secs_f64();
            }
            // No move is a resignation, and so is one that is not legal.
            let Some(mv) = mv else { break Outcome::Win(!turn) };
            text.push(position.move_text(mv));
            if ours {
                opponent.hear(&position, mv)?;
            }
            line.play(mv);
        };
        let score = match outcome {
            Outcome::Win(winner) => 2 * usize::from(winner == colour),
            Outcome::Draw => 1,
        };
        println!(
            "{}",
            json!({ "type": "game", "name": self.order["name"], "number": number, "first": colour == Color::Black, "half_points": score,
                "moves": text, "evaluations": evaluations, "work": opponent.work() - before, "cpu_seconds": seconds })
        );
        Ok(score)
    }
}

impl<P: Trainable + Own> Contest for Match<P> {
    fn games(&self) -> usize {
        self.scores.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn seat(&self, thread: u64) -> Result<Box<dyn Seat + '_>, TextError> {
        let net = match &self.net {
            Some(net) => net.clone(),
            None => NetEvaluator::new(Box::new(CpuBackend::new(&self.network, 1))),
        };
        let search = Box::new(TreeSearch::new(self.method.clone(), net.clone()));
        let search = P::wrap(search, self.order["mate"].as_u64());
        let opponent = &self.order["opponent"];
        let opponent: Box<dyn Opponent<P>> = match opponent["own"].as_bool() {
            Some(true) => P::own(limits(opponent)?),
            _ => Box::new(Program::start(&self.start, opponent, thread)?),
        };
        Ok(Box::new(Players { all: self, net, search, opponent }))
    }

    fn result(&self) -> Value {
        let scores = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        let played: Vec<usize> = scores.iter().copied().flatten().collect();
        // Only whole pairs count for intervals.
        let points: Vec<usize> = scores.as_chunks::<2>().0.iter().filter_map(|&[a, b]| Some(a? + b?)).collect();
        let mut answer = self.order.clone();
        answer["type"] = json!("match");
        answer["games"] = json!(played.len());
        answer["won"] = json!(played.iter().filter(|&&score| score == 2).count());
        answer["drawn"] = json!(played.iter().filter(|&&score| score == 1).count());
        answer["score"] = json!(played.iter().sum::<usize>() as f64 / (2 * played.len().max(1)) as f64);
        answer["half_points"] = json!(points);
        answer
    }
}

/// The players of one thread.
struct Players<'a, P: Trainable> {
    all: &'a Match<P>,
    net: NetEvaluator,
    search: Box<dyn Search<P>>,
    opponent: Box<dyn Opponent<P>>,
}

impl<P: Trainable + Own> Seat for Players<'_, P> {
    fn play(&mut self, number: usize) -> Result<(), TextError> {
        let score = self.all.game(number, &mut *self.search, &mut *self.opponent)?;
        if let Some(error) = self.net.failure() {
            return Err(error.clone());
        }
        self.all.scores.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(score);
        Ok(())
    }
}
