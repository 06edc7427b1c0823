//! Many samples in flight on one thread, and many searches that advance together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::common::{Hashed, METHODS, Wide, simulations, with};
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Answer, Cancel, Evaluator, Flight, Line, Position, Question, Uniform, Want};
use yomi_eval::Rollout;
use yomi_search::tree::{NodeId, ROOT, Tree};
use yomi_search::{Limits, Method, Pool, Proof, Search, TreeSearch, Verdict};

/// An evaluator that likes to be asked many questions at once, as a device does. It counts how it is asked.
#[derive(Default)]
struct Batching<E> {
    inner: E,
    batches: AtomicUsize,
    answers: AtomicUsize,
    largest: AtomicUsize,
}

impl<P: Position, E: Evaluator<P>> Evaluator<P> for Batching<E> {
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut E::Scratch) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        self.inner.judge(question, answer, scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut E::Scratch) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.largest.fetch_max(flights.len(), Ordering::Relaxed);
        flights.iter_mut().for_each(|flight| self.judge(&flight.question, flight.answer, scratch));
    }

    fn batch(&self) -> usize {
        8
    }
}

fn saved(tree: &Tree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.save("", &mut bytes).unwrap();
    bytes
}

fn visits_below(tree: &Tree, node: NodeId) -> u64 {
    tree.children(node).map_or(0, |block| block.children().map(|child| u64::from(tree.visits(child))).sum())
}

/// Every sample is counted once on its way, whatever was in flight beside it.
#[test]
fn visits_are_conserved() {
    for method in METHODS {
        let method = with(method, "hash=16,flights=8,solver=off");
        let mut search = TreeSearch::new(method.clone(), Hashed);
        let verdict = search.search(&Line::new(Wide::new(6, 30)), &simulations(2000, 4), &mut ());
        let tree = search.tree();
        // Growth control may leave nothing to learn before the budget is spent.
        let growing = method.recipe.expand.judges_siblings();
        assert!(verdict.simulations == 2000 || growing && tree.is_spent(ROOT), "{method}");
        assert_eq!(u64::from(tree.visits(ROOT)), verdict.simulations, "{method}");
        let mut open = vec![ROOT];
        while let Some(node) = open.pop() {
            let Some(block) = tree.children(node) else { continue };
            // Those that ended at the node itself: before it had children, or because nothing more can be learned below.
            assert!(visits_below(tree, node) <= u64::from(tree.visits(node)), "{method}");
            open.extend(block.children());
        }
        let stayed = verdict.simulations - visits_below(tree, ROOT);
        assert!(stayed <= 16 || tree.is_spent(ROOT), "{method}: {stayed} samples stayed at the root");
    }
}

/// What each node says is what its children and its own judgement say: the virtual loss of every flight was taken back.
#[test]
fn no_virtual_loss_is_left_behind() {
    for method in ["uct(c=0.7)", "puct(c=2)", "uct-max-h(c=1)", "ubfm", "mcss(t=0.3)"] {
        let mut search = TreeSearch::new(with(method, "hash=16,flights=8,virtual-loss=3,solver=off"), Hashed);
        let line = Line::new(Wide::new(5, 40));
        search.search(&line, &simulations(1500, 9), &mut ());
        let tree = search.tree();
        let is_mean = method.starts_with("uct(") || method.starts_with("puct");
        let mut open = vec![(ROOT, line)];
        let mut checked = 0;
        while let Some((node, line)) = open.pop() {
            let own = f64::from(Hashed.value(&Question::at(&line, &[]), &mut ()));
            let (value, n) = (-f64::from(tree.value(node)), f64::from(tree.visits(node)));
            let Some(block) = tree.children(node) else {
                let judged = tree.value(node).abs() < 10.0;
                assert!(!judged || node == ROOT || (value - own).abs() < 1e-5, "{method}: leaf {value} {own}");
                continue;
            };
            if is_mean && n > 0.0 {
                let below: f64 =
                    block.children().map(|c| f64::from(tree.visits(c)) * f64::from(tree.value(c).max(-9.0))).sum();
                let stayed = n - visits_below(tree, node) as f64;
                let mean = (below + stayed * own) / n;
                // At crowded nodes nothing stands for a sample on its way; what it is compared with may have changed a little.
                let most = if n > 64.0 { 5e-3 } else { 1e-3 };
                assert!((mean - value).abs() < most, "{method}: {mean} {value} of {n}");
                checked += 1;
            }
            for child in block.children() {
                let mut next = line.clone();
                next.play(yomi_core::Move::from_bits(tree.mv(child)));
                open.push((child, next));
            }
        }
        assert!(!is_mean || checked > 100);
    }
}

/// With eight samples in flight the best move is that of one, and the value is close to it.
#[test]
fn flights_change_little() {
    for method in ["uct(c=0.7)", "puct(c=2)"] {
        let judge = |flights: usize| {
            let method = with(method, &format!("hash=64,flights={flights}"));
            let mut search = TreeSearch::new(method, Rollout::averaging(Uniform, 8));
            search.search(&Line::new(ConnectFour::default()), &simulations(3000, 2), &mut ())
        };
        let (one, eight) = (judge(1), judge(8));
        assert!((one.value - eight.value).abs() < 0.1, "{method}: {} {}", one.value, eight.value);
        assert_eq!(one.best, eight.best, "{method}: the centre");
    }
    // MCSS draws its way, so values are spread: the means of many searches are compared, within four standard errors.
    let values = |flights: usize| {
        let method = with("mcss(t=0.2)", &format!("hash=1,flights={flights}"));
        let line = Line::new(Wide::new(7, 30));
        let value =
            |seed| TreeSearch::new(method.clone(), Hashed).search(&line, &simulations(400, seed), &mut ()).value;
        let values: Vec<f32> = (0..60).map(value).collect();
        let mean = values.iter().sum::<f32>() / 60.0;
        (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 59.0 / 60.0)
    };
    let (one, eight) = (values(1), values(8));
    assert!((one.0 - eight.0).abs() < 4.0 * (one.1 + eight.1).sqrt(), "{one:?} {eight:?}");
}

/// Proofs are right whatever is in flight.
#[test]
fn flights_prove_what_is_true() {
    for method in ["uct", "puct", "mcss(t=0.3)", "uct-max-h", "rave", "ubfm"] {
        for flights in [1, 8, 64] {
            let method = with(method, &format!("hash=16,flights={flights}"));
            for stones in [5, 6, 9, 12] {
                let mut search = TreeSearch::new(method.clone(), Rollout::new(Uniform));
                let verdict = search.search(&Line::new(Nim::new(stones)), &simulations(20_000, 5), &mut ());
                // One, two or three may be taken: multiples of four are lost.
                let lost = stones % 4 == 0;
                let fits = match verdict.proof {
                    Some(Proof::Win(_)) => !lost,
                    Some(Proof::Loss(_)) => lost,
                    _ => false,
                };
                assert!(fits, "{method} with {stones}: {:?}", verdict.proof);
            }
            let mut search = TreeSearch::new(method.clone(), Rollout::new(Uniform));
            let verdict = search.search(&Line::new(TicTacToe::default()), &simulations(3000, 5), &mut ());
            assert!(!matches!(verdict.proof, Some(Proof::Win(_) | Proof::Loss(_))), "{method}: tic-tac-toe is drawn");
        }
    }
}

/// An evaluator that likes batches gets them, each question once.
#[test]
fn batches_are_asked() {
    let evaluator = Arc::new(Batching::<Hashed>::default());
    let mut search = TreeSearch::new(with("puct(c=2)", "hash=16"), evaluator.clone());
    let verdict = search.search(&Line::new(Wide::new(9, 30)), &simulations(800, 1), &mut ());
    let [batches, answers, largest] =
        [&evaluator.batches, &evaluator.answers, &evaluator.largest].map(|n| n.load(Ordering::Relaxed));
    assert_eq!((answers as u64, largest), (verdict.evaluations, 8));
    assert!(batches < 140, "{batches} batches for {answers} answers");
}

/// A leaf that needs its value and its priors is judged once.
#[test]
fn value_and_priors_are_one_evaluation() {
    let evaluator = Arc::new(Batching::<Hashed>::default());
    let mut search = TreeSearch::new(with("puct(c=2)", "hash=16,flights=1"), evaluator.clone());
    let verdict = search.search(&Line::new(Wide::new(9, 30)), &simulations(300, 1), &mut ());
    assert_eq!((verdict.simulations, verdict.evaluations), (300, 300));
    assert_eq!(evaluator.answers.load(Ordering::Relaxed), 300);
    assert_eq!(evaluator.batches.load(Ordering::Relaxed), 0, "one flight is no batch");
}

fn without_time<M>(mut verdict: Verdict<M>) -> Verdict<M> {
    verdict.elapsed = std::time::Duration::ZERO;
    verdict
}

/// Searches that advance together grow, bit for bit, the trees that they grow alone: with playouts, which draw, and with batches.
fn together_as_alone<E: Evaluator<ConnectFour> + Clone>(method: &Method, evaluator: &E) {
    let starts = ["", "4", "44", "4433", "1"].map(|moves| Line::new(ConnectFour::after(moves).unwrap()));
    let limits = |i: usize| simulations(100 + 50 * i as u64, i as u64);
    let mut pool = Pool::new(starts.iter().map(|_| TreeSearch::new(method.clone(), evaluator.clone())));
    starts.iter().enumerate().for_each(|(i, line)| pool.begin(i, line, &limits(i)));
    let mut rounds = 0;
    while pool.advance(Cancel::NEVER) > 0 {
        rounds += 1;
    }
    assert!((1..=301).contains(&rounds), "{method}: {rounds} rounds");
    for (i, line) in starts.iter().enumerate() {
        let mut alone = TreeSearch::new(method.clone(), evaluator.clone());
        let verdict = without_time(alone.search(line, &limits(i), &mut ()));
        assert_eq!(without_time(pool.take_verdict(i).unwrap()), verdict, "{method}: {i}");
        assert!(pool.take_verdict(i).is_none());
        let together = pool.search_mut(i).unwrap();
        assert!(saved(together.tree()) == saved(alone.tree()), "{method}: {i}");
        // The next search goes on from the move played, as it does alone.
        let (mut next, best) = (line.clone(), verdict.best.unwrap());
        next.play(best);
        together.played(best);
        alone.played(best);
        pool.begin(i, &next, &limits(i));
        while pool.advance(Cancel::NEVER) > 0 {}
        let verdict = without_time(alone.search(&next, &limits(i), &mut ()));
        assert_eq!(without_time(pool.take_verdict(i).unwrap()), verdict, "{method}: {i}, a move later");
    }
}

#[test]
fn searches_together_grow_the_trees_they_grow_alone() {
    for method in METHODS {
        together_as_alone(&with(method, "hash=4,flights=1"), &Rollout::new(Uniform));
    }
    let batching = Arc::new(Batching::<Hashed>::default());
    for method in ["puct(c=2)", "mcss(t=0.3)", "uct(c=0.7)"] {
        together_as_alone(&with(method, "hash=4,flights=1"), &batching);
        // Many flights of a search know only each other, so this holds for them as well.
        together_as_alone(&with(method, "hash=4,flights=8"), &batching);
    }
    assert!(batching.largest.load(Ordering::Relaxed) > 8, "questions of several searches in one batch");
}

/// An evaluator that answers when it is waited for, not when it is asked.
#[derive(Default)]
struct Late<E>(E);

impl<P: Position, E: Evaluator<P>> Evaluator<P> for Late<E> {
    type Scratch = E::Scratch;
    fn scratch(&self, seed: u64) -> E::Scratch {
        self.0.scratch(seed)
    }
    fn win(&self) -> f32 {
        self.0.win()
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut E::Scratch) {
        self.0.judge(question, answer, scratch);
    }
    fn submit_all(&self, flights: &mut [Flight<'_, P>], _: &mut E::Scratch) {
        assert!(flights.iter().all(|flight| flight.answer.values.is_empty()), "answers come empty");
    }
    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut E::Scratch) {
        self.judge_all(flights, scratch);
    }
    fn batch(&self) -> usize {
        8
    }
}

/// Two pools whose rounds overlap, as on a device; a search that begins while questions are on their way does not lose their answers.
#[test]
fn rounds_in_two_halves_grow_the_same_trees() {
    let (line, method) = (Line::new(ConnectFour::after("44").unwrap()), with("mcss(t=0.3)", "hash=4,flights=1"));
    let search = || TreeSearch::new(method.clone(), Late::<Hashed>::default());
    let mut pools = [Pool::new([search(), search()]), Pool::new([search(), search()])];
    pools.iter_mut().for_each(|pool| pool.begin(0, &line, &simulations(12, 0)));
    let mut round = 0;
    loop {
        let running: usize = pools.iter_mut().map(|pool| pool.launch(Cancel::NEVER)).sum();
        if round == 3 {
            pools.iter_mut().for_each(|pool| pool.begin(1, &line, &simulations(12, 1)));
        }
        for pool in &mut pools {
            pool.land(Cancel::NEVER);
        }
        round += 1;
        if running == 0 && round > 4 {
            break;
        }
    }
    for pool in &mut pools {
        for seat in 0..2 {
            let alone = TreeSearch::new(method.clone(), Hashed).search(&line, &simulations(12, seat), &mut ());
            assert_eq!(without_time(pool.take_verdict(seat as usize).unwrap()), without_time(alone), "{seat}");
        }
    }
}

#[test]
fn finished_games_and_unknown_seats_do_no_harm() {
    let mut pool = Pool::new([TreeSearch::new(with("uct", "hash=1"), Rollout::new(Uniform))]);
    let mut line = Line::new(Nim::new(1));
    line.play(yomi_core::Move::from_bits(1));
    pool.begin(0, &line, &Limits::simulations(10));
    pool.begin(7, &line, &Limits::simulations(10));
    assert_eq!((pool.advance(Cancel::NEVER), pool.is_running(0), pool.len()), (0, false, 1));
    assert!(pool.take_verdict(0).unwrap().best.is_none() && pool.take_verdict(7).is_none());
}

/// A question for playouts gets them through a batch as well.
#[test]
fn wants_reach_the_evaluator() {
    let mut search = TreeSearch::new(with("rave", "hash=4,flights=4"), Recording);
    search.search(&Line::new(Wide::new(5, 20)), &simulations(50, 1), &mut ());
}

struct Recording;

impl<P: Position> Evaluator<P> for Recording {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        assert!(question.want.has(Want::VALUE | Want::PLAYOUTS), "RAVE learns from playouts");
        assert!(answer.playouts.is_empty() && answer.priors.is_empty(), "answers come empty");
        answer.value = 0.5;
        answer.playouts.play(question.moves.first().copied().unwrap_or_else(|| yomi_core::Move::from_bits(0)));
        answer.playouts.finish(0.5);
        answer.uniform_priors(question);
    }
}
