//! Hears the playouts of a search.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use yomi_core::policy::play_out;
use yomi_core::{
    Answer, AnyEvaluator, Cancel, Color, Evaluator, Flight, Line, Policy, Position, Question, Rng, Seed, Simulate,
    Uniform, Want,
};
use yomi_games::go::{Go, GoMove, Points, Scoring};
use yomi_search::{RootMove, Verdict};

use super::tally::{Tally, by_stones, credence, settled, unsquandered};
use super::{Forecast, Forecaster, Outlook, heads};

/// Fewer playouts than this are too few for a lead: as many more are played as are missing.
const LEAST: u32 = 200;

/// The playouts of one search after another.
pub struct Playouts<const LEN: usize> {
    /// What the search judges by, if it is known.
    evaluator: Option<Arc<AnyEvaluator<Go<LEN>>>>,
    heard: Arc<Shared>,
}

/// Working memory of an evaluator.
type Scratch<const LEN: usize> = <AnyEvaluator<Go<LEN>> as Evaluator<Go<LEN>>>::Scratch;

/// What was heard so far.
#[derive(Default)]
struct Shared(Mutex<Option<Heard>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Heard>> {
        // Counters are never left half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was heard in one search.
struct Heard {
    /// Whether playouts are still heard.
    open: bool,
    /// How many plies there are up to the root, itself included.
    plies: usize,
    points: usize,
    root: Tally,
    /// By the key of the position after a root move.
    moves: BTreeMap<u64, Tally>,
}

impl Heard {
    fn new(plies: usize, points: usize) -> Heard {
        Heard { open: true, plies, points, root: Tally::new(points), moves: BTreeMap::new() }
    }

    /// A playout that ended in `last` went through the root move with this key, if through any.
    fn add<const LEN: usize>(&mut self, first: Option<u64>, last: &Go<LEN>) {
        let sign = |owner: Option<Color>| owner.map_or(0, |color| if color == Color::Black { 1 } else { -1 });
        let owners: Vec<i32> = last.owners(&[]).into_iter().map(sign).collect();
        let margin = match last.ruleset().scoring {
            Scoring::Area => owners.iter().sum(),
            Scoring::Territory => (last.score(&[]).0 + last.ruleset().white_bonus()).in_halves() / 2,
        };
        self.root.add(margin, owners.iter().copied());
        if let Some(first) = first {
            let points = self.points;
            self.moves.entry(first).or_insert_with(|| Tally::new(points)).add(margin, owners.into_iter());
        }
    }
}

impl<const LEN: usize> Default for Playouts<LEN> {
    /// Nothing to listen to: everything is played out at random.
    fn default() -> Self {
        Playouts { evaluator: None, heard: Arc::default() }
    }
}

impl<const LEN: usize> Playouts<LEN> {
    /// Listens to a search that judges by `evaluator`; the search is to be given what comes second in its place.
    pub fn of(evaluator: AnyEvaluator<Go<LEN>>) -> (Arc<Playouts<LEN>>, AnyEvaluator<Go<LEN>>) {
        let (inner, heard) = (Arc::new(evaluator), Arc::<Shared>::default());
        let playouts = Playouts { evaluator: Some(inner.clone()), heard: heard.clone() };
        (Arc::new(playouts), AnyEvaluator::new(Audible { inner, heard }))
    }

    /// Plays out what is missing, from the ends of the lines that the search expects, each as often as it was visited.
    fn supplement(
        &self,
        heard: &mut Heard,
        line: &Line<Go<LEN>>,
        verdict: &Verdict<GoMove>,
        seed: Seed,
        cancel: Cancel<'_>,
    ) {
        let missing = LEAST.saturating_sub(heard.root.games());
        let visited: Vec<&RootMove<GoMove>> = verdict.moves.iter().filter(|row| row.visits > 0).collect();
        let all: u64 = visited.iter().map(|row| row.visits).sum();
        let mut shares = vec![0; visited.len()];
        let mut stage = Stage::new(self.evaluator.as_deref(), seed);
        for i in 0..u64::from(missing) {
            if heard.root.games() > 0 && cancel.is_cancelled() {
                break;
            }
            // The line that is furthest behind its share of the visits.
            let debt = |(row, share): (&&RootMove<GoMove>, &u64)| {
                (i + 1) as f64 * row.visits as f64 - *share as f64 * all as f64
            };
            let debts: Vec<f64> = visited.iter().zip(&shares).map(debt).collect();
            let next = (0..debts.len()).rev().max_by(|&a, &b| debts[a].total_cmp(&debts[b]));
            let mut end = line.clone();
            if let Some(next) = next {
                shares[next] += 1;
                for &mv in &visited[next].pv {
                    end.play(mv);
                }
            }
            let first = next.map(|next| key_after(line.position(), visited[next].mv));
            stage.play(&end, |last| heard.add(first, last));
        }
    }
}

/// Plays games out from positions that no search has asked about.
struct Stage<'a, const LEN: usize> {
    evaluator: Option<(&'a AnyEvaluator<Go<LEN>>, Scratch<LEN>)>,
    uniform: (Rng, <Go<LEN> as Simulate>::Sampler),
}

impl<'a, const LEN: usize> Stage<'a, LEN> {
    fn new(evaluator: Option<&'a AnyEvaluator<Go<LEN>>>, seed: Seed) -> Self {
        let evaluator = evaluator.map(|evaluator| (evaluator, evaluator.scratch(seed.number())));
        Stage { evaluator, uniform: (seed.rng(), Policy::<Go<LEN>>::scratch(&Uniform)) }
    }

    fn play(&mut self, line: &Line<Go<LEN>>, mut hear: impl FnMut(&Go<LEN>)) {
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() {
            return hear(line.position());
        }
        let mut played = false;
        if let Some((evaluator, scratch)) = &mut self.evaluator {
            let mut answer = Answer::default();
            evaluator.judge(&Question::at(line, &moves).wanting(Want::VALUE | Want::PLAYOUTS), &mut answer, scratch);
            for (moves, _) in answer.playouts.iter() {
                played = true;
                hear(&after(line.position(), moves));
            }
        }
        if !played {
            let mut game = line.position().clone();
            play_out(&mut game, 0, &Uniform, &mut self.uniform.0, &mut self.uniform.1);
            hear(&game);
        }
    }
}

fn after<const LEN: usize>(position: &Go<LEN>, moves: &[GoMove]) -> Go<LEN> {
    let mut last = position.clone();
    moves.iter().for_each(|&mv| last.play(mv));
    last
}

fn key_after<const LEN: usize>(position: &Go<LEN>, mv: GoMove) -> u64 {
    after(position, &[mv]).ply().key
}

impl<const LEN: usize> Forecaster<Go<LEN>> for Playouts<LEN> {
    fn begin(&self, line: &Line<Go<LEN>>) {
        let size = line.position().size();
        *self.heard.lock() = Some(Heard::new(line.plies().len(), size * size));
    }

    fn end(&self) {
        self.heard.lock().iter_mut().for_each(|heard| heard.open = false);
    }

    fn forecast(
        &self,
        line: &Line<Go<LEN>>,
        verdict: &Verdict<GoMove>,
        seed: Seed,
        cancel: Cancel<'_>,
    ) -> Forecast<GoMove> {
        if let Some(evaluator) = &self.evaluator {
            let mut scratch = evaluator.scratch(seed.number());
            if let Some(known) = heads::forecast(&**evaluator, &mut scratch, line, verdict, cancel) {
                return known;
            }
        }
        let mut guard = self.heard.lock();
        let position = line.position();
        let size = position.size();
        let heard = guard.get_or_insert_with(|| Heard { open: false, ..Heard::new(line.plies().len(), size * size) });
        self.supplement(heard, line, verdict, seed, cancel);
        let view = View::new(position, &heard.root);
        let shift = |mv: GoMove| {
            let tally = heard.moves.get(&key_after(position, mv))?;
            let belief = credence(tally.games(), heard.root.spread());
            Some((tally, belief, belief * (tally.middle() - heard.root.middle())))
        };
        let root = view.outlook(&heard.root, heard.root.middle(), |point| heard.root.owner(point));
        // What a move is worth beside the best one: the best itself loses nothing.
        let best = verdict.best.and_then(shift).map_or(0.0, |(_, _, shift)| shift);
        let moves = verdict.moves.iter().filter_map(|row| {
            let (tally, belief, shift) = shift(row.mv)?;
            let owner = |point| belief * tally.owner(point) + (1.0 - belief) * heard.root.owner(point);
            Some((row.mv, view.outlook(tally, heard.root.middle() + shift - best, owner)))
        });
        Forecast { moves: moves.collect(), root }
    }
}

/// How the side to move sees a board.
struct View {
    size: usize,
    sign: f64,
    bonus: f64,
    empty_share: f64,
    /// What is added to every lead, so that the position's own is [`settled`] and moves differ as much as before.
    correction: f64,
    /// No side can be further ahead than this, komi apart.
    widest: f64,
}

impl View {
    fn new<const LEN: usize>(position: &Go<LEN>, root: &Tally) -> View {
        let sign = if position.turn() == Color::Black { 1.0 } else { -1.0 };
        let size = position.size();
        let bonus = points(position.ruleset().white_bonus());
        let board = (size * size) as f64;
        let widest = match position.ruleset().scoring {
            Scoring::Area => board,
            // Prisoners count as well.
            Scoring::Territory => 2.0 * board,
        };
        let empty_share = position.empties().len() as f64 / board;
        let (black, white) = (position.stones(Color::Black), position.stones(Color::White));
        let played = unsquandered(root.middle(), empty_share);
        let prior = by_stones(black, white, position.turn());
        let correction = settled(played, prior, black + white, root.games(), root.spread()) - played;
        View { size, sign, bonus, empty_share, correction, widest }
    }

    fn outlook(&self, tally: &Tally, margin: f64, owner: impl Fn(usize) -> f64) -> Outlook {
        let View { size, sign, bonus, empty_share, correction, widest } = *self;
        let rows = (0..size).rev().flat_map(|y| (0..size).map(move |x| y * size + x));
        Outlook {
            lead: (sign * ((unsquandered(margin, empty_share) + correction).clamp(-widest, widest) - bonus)) as f32,
            mean: (sign * (tally.mean() - bonus)) as f32,
            spread: tally.spread() as f32,
            points: rows.map(|point| (sign * owner(point)) as f32).collect(),
        }
    }
}

fn points(points: Points) -> f64 {
    f64::from(points.in_halves()) / 2.0
}

/// The evaluator of a search whose playouts are heard. It judges as it did.
struct Audible<const LEN: usize> {
    inner: Arc<AnyEvaluator<Go<LEN>>>,
    heard: Arc<Shared>,
}

impl<const LEN: usize> Audible<LEN> {
    /// Whether playouts are heard.
    fn listens(&self) -> bool {
        self.heard.lock().as_ref().is_some_and(|heard| heard.open)
    }

    /// Notes the playouts of an answer.
    fn hear(&self, question: &Question<'_, Go<LEN>>, answer: &Answer<GoMove>) {
        for (moves, _) in answer.playouts.iter() {
            let last = after(question.position, moves);
            if let Some(heard) = &mut *self.heard.lock() {
                let first = match question.past.len().checked_sub(heard.plies) {
                    None => None,
                    Some(0) => Some(question.position.ply().key),
                    Some(_) => Some(question.past[heard.plies].key),
                };
                heard.add(first, &last);
            }
        }
    }
}

impl<const LEN: usize> Evaluator<Go<LEN>> for Audible<LEN> {
    type Scratch = Scratch<LEN>;

    fn scratch(&self, seed: u64) -> Scratch<LEN> {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    /// Playouts from children are not counted: the answer does not say whose they are.
    fn judge(&self, question: &Question<'_, Go<LEN>>, answer: &mut Answer<GoMove>, scratch: &mut Scratch<LEN>) {
        self.judge_all(&mut [Flight { question: *question, answer }], scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, Go<LEN>>], scratch: &mut Scratch<LEN>) {
        if !self.listens() {
            return self.inner.judge_all(flights, scratch);
        }
        for Flight { question, answer } in &mut *flights {
            // A search that wants no playouts, alpha-beta for one, does not clear them either.
            answer.playouts.clear();
            question.want = question.want.and_if(question.want.has(Want::VALUE), Want::PLAYOUTS);
        }
        self.inner.judge_all(flights, scratch);
        for Flight { question, answer } in flights.iter().filter(|flight| flight.question.want.has(Want::VALUE)) {
            self.hear(question, answer);
        }
    }

    fn batch(&self) -> usize {
        self.inner.batch()
    }
}

#[cfg(test)]
mod tests {
    use yomi_core::{Notation, Spec};
    use yomi_eval::rollout::Rollout;
    use yomi_games::go::Go9;

    use super::*;

    /// Answers everything that can be wanted.
    struct Everything;

    impl Evaluator<Go9> for Everything {
        type Scratch = ();

        fn scratch(&self, _seed: u64) {}

        fn win(&self) -> f32 {
            777.0
        }

        fn judge(&self, question: &Question<'_, Go9>, answer: &mut Answer<GoMove>, (): &mut ()) {
            answer.by_value(question, 777.0, |question| 10.0 + question.depth as f32);
            if question.want.has(Want::PLAYOUTS) {
                answer.playouts.play(GoMove::PASS);
                answer.playouts.finish(0.5);
            }
            if question.want.has(Want::COUNTERS) {
                answer.count("questions", 1);
            }
            if question.want.has(Want::SCORE) {
                (answer.score, answer.owners) = (Some(3.5), vec![1.0]);
            }
        }

        fn batch(&self) -> usize {
            5
        }
    }

    /// Whether anything is heard or not, and alone or in a batch, the answer is that of the evaluator inside.
    #[test]
    fn hearing_playouts_drops_nothing_of_the_answer() {
        let line = Line::new(Go9::start(&Spec::named("go5")).unwrap());
        let mut moves = Vec::new();
        assert!(line.generate(&mut moves).is_none());
        let everything = Want::VALUE | Want::PRIORS | Want::CHILDREN | Want::PLAYOUTS | Want::COUNTERS | Want::SCORE;
        let question = Question::at(&line, &moves).wanting(everything);
        let answered = |evaluator: &AnyEvaluator<Go9>, batched: bool| {
            let (mut answer, mut scratch) = (Answer::default(), evaluator.scratch(1));
            match batched {
                true => evaluator.judge_all(&mut [Flight { question, answer: &mut answer }], &mut scratch),
                false => evaluator.judge(&question, &mut answer, &mut scratch),
            }
            let playouts: Vec<_> = answer.playouts.iter().map(|(moves, result)| (moves.to_vec(), result)).collect();
            assert!(playouts.len() == 1 && answer.score.is_some() && answer.counters.len() == 1);
            (
                answer.value,
                answer.priors,
                answer.values,
                answer.outcomes,
                playouts,
                answer.counters,
                answer.score,
                answer.owners,
            )
        };
        let expected = answered(&AnyEvaluator::new(Everything), false);
        let (playouts, audible) = Playouts::of(AnyEvaluator::new(Everything));
        assert_eq!((audible.win(), audible.batch()), (777.0, 5));
        for (open, batched) in [(false, false), (false, true), (true, false), (true, true)] {
            match open {
                true => playouts.begin(&line),
                false => playouts.end(),
            }
            assert_eq!(answered(&audible, batched), expected, "heard: {open}, in a batch: {batched}");
        }
        assert_eq!(
            playouts.heard.lock().as_ref().map(|heard| heard.root.games()),
            Some(1),
            "since the last search began"
        );
    }

    /// Alpha-beta hands over the same answer again and again, as it was: moves of an old playout are illegal elsewhere.
    #[test]
    fn playouts_are_heard_once() {
        let line = Line::new(Go9::start(&Spec::named("go9")).unwrap());
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let (playouts, audible) = Playouts::of(AnyEvaluator::new(Rollout::new(Uniform)));
        playouts.begin(&line);
        let (mut answer, mut scratch) = (Answer::default(), audible.scratch(1));
        for asked in 1..=3 {
            audible.judge(&Question::at(&line, &moves), &mut answer, &mut scratch);
            assert_eq!(playouts.heard.lock().as_ref().map(|heard| heard.root.games()), Some(asked));
        }
    }

    #[test]
    fn no_lead_is_wider_than_the_board() {
        let start = Go9::start(&Spec::named("go5")).unwrap();
        let mut tally = Tally::new(25);
        tally.add(25, std::iter::repeat_n(1, 25));
        let outlook = View::new(&start, &tally).outlook(&tally, tally.middle(), |_| 1.0);
        assert_eq!(outlook.lead, 25.0 - 7.5, "every playout ended with all points Black's");
    }
}
