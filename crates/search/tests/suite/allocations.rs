//! Nothing is allocated inside a sample once a search is warm, whatever the evaluator.
#![cfg(not(loom))]

use allocation_counter::measure;
use yomi_core::toy::ConnectFour;
use yomi_core::{AnyEvaluator, Cancel, Evaluator, Line, Position, Seed, Uniform};
use yomi_eval::go::{DynamicKomi, Model};
use yomi_eval::{Effect, Guided, Linear, Material, Rollout, WinInOne};
use yomi_games::go::{Go9, Rules};
use yomi_games::shogi::{Five, Minishogi, Nine, Shogi9};
use yomi_search::{Limits, Pool, Quiet, QuietOptions, TreeSearch};

/// Grows a tree and counts the allocations of its last hundred rounds. The seed is fixed, so the count is always the same.
fn allocations<P: Position, E>(method: &str, start: P, evaluator: E) -> u64
where
    E: Evaluator<P> + 'static,
    E::Scratch: 'static,
{
    // Behind the erased type, as the program runs it.
    let mut pool = Pool::new([TreeSearch::new(method.parse().unwrap(), AnyEvaluator::new(evaluator))]);
    pool.begin(0, &Line::new(start), &Limits::infinite().seeded(Seed::new(3)));
    let mut advance = |rounds: u32| (0..rounds).for_each(|_| assert_eq!(pool.advance(Cancel::NEVER), 1, "{method}"));
    advance(3000);
    measure(|| advance(100)).count_total
}

fn allocates_nothing<P: Position, E>(method: &str, start: P, evaluator: E)
where
    E: Evaluator<P> + 'static,
    E::Scratch: 'static,
{
    let counted = allocations(method, start, evaluator);
    assert_eq!(counted, 0, "{method} on {} by {}", P::NAME, std::any::type_name::<E>());
}

#[test]
fn shogi_samples_allocate_nothing() {
    for flights in [1, 8] {
        let mcss = format!("mcss(t=80,hash=64,flights={flights},solver=off)");
        let quiet = QuietOptions::default();
        allocates_nothing(&mcss, Shogi9::default(), Quiet::new(Linear::<Nine>::embedded(), quiet));
        allocates_nothing(&mcss, Minishogi::default(), WinInOne::new(Quiet::new(Linear::<Five>::embedded(), quiet)));
        allocates_nothing(&mcss, Minishogi::default(), Linear::<Five>::embedded());
        allocates_nothing(&mcss, Minishogi::default(), Material);
        allocates_nothing(&mcss, Minishogi::default(), Effect);
        let puct = format!("puct(c=100,hash=64,flights={flights},solver=off)");
        allocates_nothing(&puct, Minishogi::default(), Quiet::new(Material, quiet));
    }
}

#[test]
fn playouts_allocate_nothing() {
    let go = Go9::new(9, Rules { handicap: 3, ..Rules::default() }).unwrap();
    let widening = "tree(select=puct(c=2),expand=widening(c=2,power=0.5),backup=power-mean(p=4)";
    for flights in [1, 8] {
        for method in ["uct(c=0.7", "puct(c=2", widening] {
            let method = format!("{method},hash=64,flights={flights},solver=off)");
            allocates_nothing(&method, ConnectFour::default(), Rollout::new(Uniform));
        }
    }
    // With more flights than one, RAVE's late counts of crowded nodes grow for a while: a few hundred allocations in all.
    allocates_nothing("rave(c=0.3,hash=64,solver=off)", ConnectFour::default(), Rollout::new(Uniform));
    allocates_nothing("prior-rave(hash=64,solver=off)", go.clone(), DynamicKomi::new(Rollout::new(Uniform), 8.0));
    let guided = Guided::new(Rollout::new(Uniform), Model::embedded());
    allocates_nothing("prior-rave(hash=64,solver=off)", go.clone(), DynamicKomi::new(guided, 8.0));
    allocates_nothing("puct(c=2,hash=64,solver=off)", go, Guided::new(Rollout::new(Uniform), Model::embedded()));
}

/// Every method of the tree family: a new one is measured without being named here. Where lines still become longer a buffer may grow now
/// and then; a method that allocates in its samples does so hundreds of times.
#[test]
fn methods_allocate_nothing() {
    for entry in yomi_search::METHODS {
        let method = format!("{}(hash=64,solver=off)", entry.name);
        let counted = allocations(&method, Minishogi::default(), Material);
        assert!(counted <= 5, "{method}: {counted} allocations in 100 rounds");
    }
}
