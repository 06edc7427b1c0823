//! Networks as evaluations: against a direct evaluation on the CPU, alone and in batches.

use crate::common;

use common::{network, start};
use yomi_core::question::Flight;
use yomi_core::{Answer, Evaluator, Line, Notation, Position, Question, Seed, TextError, Want};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::backend::{Answers, Backend, CpuBackend, Request, Ticket};
use yomi_net::cpu::{Cpu, Workspace};
use yomi_net::input::{Encode, Layout, PackedPosition};
use yomi_net::{Architecture, Evaluations, NetEvaluator, Network};

const EVERYTHING: [Want; 5] = [
    Want::VALUE,
    Want::PRIORS,
    Want::CHILDREN,
    Want::CHILDREN, // with priors, see below
    Want::VALUE,
];

/// Lines of random games, none of them over.
fn lines<P: Encode + Notation>(start: &P, count: usize) -> Vec<Line<P>> {
    let mut rng = Seed::new(4).rng();
    let (mut line, mut moves, mut list) = (Line::new(start.clone()), Vec::new(), Vec::new());
    while list.len() < count {
        if line.generate(&mut moves).is_some() {
            line = Line::new(start.clone());
            continue;
        }
        list.push(line.clone());
        for _ in 0..1 + rng.below(9) {
            if line.generate(&mut moves).is_none() {
                line.play(moves[rng.below(moves.len())]);
            }
        }
    }
    list
}

fn wants(i: usize) -> Want {
    EVERYTHING[i % 5].and_if(i % 5 > 2, Want::PRIORS)
}

/// What the kernels say of one position.
fn directly(cpu: &Cpu, packed: PackedPosition) -> Evaluations {
    let mut all = Evaluations::default();
    cpu.evaluate(&[packed], 1, &mut Workspace::default(), &mut all);
    all
}

fn compare<P: Encode + Notation>(layout: Layout, from: &P) {
    let network = network(Architecture::new(layout, 1, 8), 4);
    let cpu = Cpu::new(&network);
    let net = NetEvaluator::new(Box::new(CpuBackend::new(&network, 2)));
    let mut scratch = Evaluator::<P>::scratch(&net, 1);
    let lines = lines(from, 12);
    let moves: Vec<Vec<P::Move>> = lines
        .iter()
        .map(|line| {
            let mut moves = Vec::new();
            line.generate(&mut moves);
            moves
        })
        .collect();
    let questions = || lines.iter().zip(&moves).enumerate().map(|(i, (l, m))| Question::at(l, m).wanting(wants(i)));
    let mut single: Vec<Answer<P::Move>> = Vec::new();
    for question in questions() {
        let mut answer = Answer::default();
        net.judge(&question, &mut answer, &mut scratch);
        let position = question.position;
        let itself = directly(&cpu, position.pack(position.turn()));
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{layout:?}: {a} {b}");
        if question.want.has(Want::VALUE) {
            near(answer.value, itself.expectation(0));
        }
        let mut priors = Vec::new();
        if question.want.has(Want::PRIORS) {
            itself.priors(0, question.moves.iter().map(|&mv| position.label(mv)), &mut priors);
            near(answer.priors.iter().sum(), 1.0);
        }
        assert_eq!(answer.priors.len(), priors.len());
        answer.priors.iter().zip(&priors).for_each(|(&a, &b)| near(a, b));
        let children = if question.want.has(Want::CHILDREN) { question.moves } else { &[] };
        assert_eq!((answer.values.len(), answer.outcomes.len()), (children.len(), children.len()));
        for ((&mv, &value), &outcome) in children.iter().zip(&answer.values).zip(&answer.outcomes) {
            let mut child = position.clone();
            child.play(mv);
            let over = child.repetition(question.plies).or_else(|| child.generate(&mut Vec::new()));
            assert_eq!(outcome, over);
            match over {
                Some(over) => assert_eq!(value, over.value_for(position.turn(), 1.0)),
                None => near(value, -directly(&cpu, child.pack(child.turn())).expectation(0)),
            }
        }
        single.push(answer);
    }
    // All at once, the same to the last bit.
    let mut together: Vec<Answer<P::Move>> = single.iter().map(|_| Answer::default()).collect();
    let batches = net.counts().1;
    let mut flights: Vec<Flight<'_, P>> =
        questions().zip(&mut together).map(|(question, answer)| Flight { question, answer }).collect();
    net.judge_all(&mut flights, &mut scratch);
    assert_eq!(net.counts().1, batches + 1, "one batch");
    for (a, b) in single.iter().zip(&together) {
        assert_eq!((a.value, &a.priors, &a.values, &a.outcomes), (b.value, &b.priors, &b.values, &b.outcomes));
    }
    assert!(net.failure().is_none());
}

#[test]
fn answers_are_those_of_the_network() {
    compare(Layout::Shogi, &Shogi9::default());
    compare(Layout::Dlshogi, &Shogi9::default());
    compare(Layout::Minishogi, &Minishogi::default());
    compare(Layout::Go(9), &start::<Go9>("go9"));
    compare(Layout::BlokusDuo, &start::<BlokusDuo>("blokus-duo"));
}

/// A backend whose answers are not numbers, or that does not answer.
struct Broken(bool);

impl Backend for Broken {
    fn name(&self) -> String {
        "broken".into()
    }
    fn layout(&self) -> Layout {
        Layout::Go(9)
    }
    fn preferred_batches(&self) -> Vec<usize> {
        vec![100, 300, 900]
    }
    fn largest_batch(&self) -> usize {
        1000
    }
    fn flights(&self) -> usize {
        1
    }
    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        if self.0 {
            return Err(TextError::new("out of order"));
        }
        let value = vec![[f32::NAN; 3]; request.positions.len()];
        let policy = vec![f32::NAN; request.labels.len()];
        Ok(Answers { value, policy, ..Answers::default() }.into())
    }
}

#[test]
fn what_is_no_number_counts_as_even() {
    for fails in [false, true] {
        let net = NetEvaluator::new(Box::new(Broken(fails)));
        let line = Line::new(start::<Go9>("go9"));
        let (mut moves, mut answer) = (Vec::new(), Answer::default());
        line.generate(&mut moves);
        let question = Question::at(&line, &moves).wanting(Want::VALUE | Want::PRIORS | Want::CHILDREN);
        net.judge(&question, &mut answer, &mut Evaluator::<Go9>::scratch(&net, 0));
        assert!(answer.value == 0.0 && answer.values.len() == 82 && answer.values.iter().all(|&value| value == 0.0));
        assert!(answer.priors.iter().all(|prior| (prior - 1.0 / 82.0).abs() < 1e-6));
        assert_eq!(net.failure().map(ToString::to_string).is_some(), fails);
        assert_eq!(Evaluator::<Go9>::batch(&net), 300, "the largest that does not keep a search waiting");
    }
}

#[test]
fn another_board_is_no_crash() {
    let network = Network::random(Architecture::new(Layout::Go(9), 1, 8), Seed::new(1)).unwrap();
    let net = NetEvaluator::new(Box::new(CpuBackend::new(&network, 1)));
    let line = Line::new(start::<Go13>("go13"));
    let (mut moves, mut answer) = (Vec::new(), Answer::default());
    line.generate(&mut moves);
    net.judge(&Question::at(&line, &moves), &mut answer, &mut Evaluator::<Go13>::scratch(&net, 0));
    assert!(net.failure().unwrap().to_string().contains("for go9, not for go13"));
    assert_eq!(answer.value, 0.0);
}

/// Score and owners are those of the heads, whatever else is asked and by whom; evaluators of games without such heads know nothing.
#[test]
fn scores_and_owners_come_from_the_heads() {
    let (go, shogi) = (start::<Go9>("go9"), start::<Minishogi>("minishogi"));
    let network = network(Architecture::new(Layout::Go(9), 1, 8), 4);
    let cpu = Cpu::new(&network);
    let net = NetEvaluator::new(Box::new(CpuBackend::new(&network, 1)));
    let mut scratch = Evaluator::<Go9>::scratch(&net, 1);
    let lines = lines(&go, 5);
    let mut answers: Vec<_> = lines.iter().map(|_| Answer::default()).collect();
    let asked = |at: usize| Want::SCORE.and_if(at.is_multiple_of(2), Want::VALUE);
    let flights = lines.iter().zip(&mut answers).enumerate();
    let mut flights: Vec<_> = flights
        .map(|(at, (line, answer))| Flight { question: Question::at(line, &[]).wanting(asked(at)), answer })
        .collect();
    flights[4].question.want = Want::VALUE;
    net.judge_all(&mut flights, &mut scratch);
    for (line, answer) in lines.iter().zip(&answers).take(4) {
        let direct = directly(&cpu, line.position().pack(line.position().turn()));
        assert!((answer.score.unwrap() - direct.score[0]).abs() < 1e-4);
        assert_eq!(answer.owners.len(), 81);
        assert!(answer.owners.iter().zip(&direct.ownership).all(|(a, b)| (a - b).abs() < 1e-4));
    }
    assert_eq!((answers[4].score, answers[4].owners.len()), (None, 0));
    let plain = common::network(Architecture::new(Layout::Minishogi, 1, 8), 4);
    let net = NetEvaluator::new(Box::new(CpuBackend::new(&plain, 1)));
    let mut answer = Answer::default();
    net.judge(
        &Question::of(&shogi, &[]).wanting(Want::SCORE),
        &mut answer,
        &mut Evaluator::<Minishogi>::scratch(&net, 1),
    );
    assert!(answer.score.is_none() && answer.owners.is_empty());
}
