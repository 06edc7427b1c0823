//! What a caller asks for besides a limit: only some of the moves, and what a draw is worth.

use super::common::{Hashed, METHODS, simulations, with};
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Color, Line, Move, Notation, Position, Spec, Uniform};
use yomi_eval::{Constant, Material};
use yomi_games::shogi::Shogi9;
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Ended, Flat, FlatOptions, Greedy, Limits, MateFirst, Proof, RandomPlayer, Search,
    TreeSearch, Verdict, Weakened, WeakenedOptions,
};

/// Every search of the game, named.
fn searches<P: Position + yomi_core::Simulate>() -> Vec<(String, Box<dyn Search<P>>)> {
    let trees = METHODS.iter().flat_map(|method| {
        ["hash=1", "hash=1,threads=2", "hash=1,trees=2"].map(|options| {
            let method = with(method, options);
            (method.to_string(), Box::new(TreeSearch::new(method, Hashed)) as Box<dyn Search<P>>)
        })
    });
    let mut searches: Vec<(String, Box<dyn Search<P>>)> = trees.collect();
    let options = AlphaBetaOptions { hash: 1, ..AlphaBetaOptions::default() };
    searches.push(("alpha-beta".to_string(), Box::new(AlphaBeta::new(Hashed, options))));
    searches.push(("flat".to_string(), Box::new(Flat::new(Uniform, FlatOptions { playouts: 3, threads: 1 }))));
    searches.push(("greedy".to_string(), Box::new(Greedy::new(Hashed))));
    searches.push(("random".to_string(), Box::new(RandomPlayer)));
    searches
}

/// A finished game: no move, what it came to, and that it is over, from every search alike.
#[test]
fn finished_games_are_answered_alike() {
    // Nim that the side to move has lost, a full board of tic-tac-toe that is drawn.
    let lost = Line::new(Nim::new(0));
    let mut drawn = Line::new(TicTacToe::default());
    for square in [0, 1, 2, 4, 3, 5, 7, 6, 8] {
        drawn.play(Move::from_bits(square));
    }
    fn answers<P: Position + yomi_core::Simulate>(line: &Line<P>, value: f32, proof: Proof) {
        let mut all = searches::<P>();
        let weaker = WeakenedOptions::from_spec(&Spec::parse("weakened(values=1)").unwrap()).unwrap();
        let inner: Box<dyn Search<P>> = Box::new(Greedy::new(Hashed));
        all.push(("weakened".to_string(), Box::new(Weakened::new(inner, weaker))));
        for (name, mut search) in all {
            let mut verdict = search.search(line, &simulations(10, 1), &mut ());
            verdict.elapsed = std::time::Duration::ZERO;
            let expected = Verdict { value, proof: Some(proof), ended: Some(Ended::GameOver), ..Verdict::empty() };
            assert_eq!(verdict, expected, "{name} on {}", P::NAME);
        }
    }
    answers(&lost, -1.0, Proof::Loss(0));
    answers(&drawn, 0.0, Proof::Draw);
}

/// Nothing but the moves asked for is looked at in the root, everything is in the next position, and everything again when it is asked for.
#[test]
fn only_the_moves_asked_for_are_searched() {
    let start = ConnectFour::default();
    let limits = Limits { depth: Some(4), ..simulations(80, 1) };
    for (name, mut search) in searches::<ConnectFour>() {
        let mut line = Line::new(start.clone());
        let all = search.search(&line, &limits, &mut ());
        let mut legal = Vec::new();
        line.generate(&mut legal);
        let worst: Vec<_> = legal.iter().copied().filter(|&mv| all.best != Some(mv)).skip(2).take(2).collect();
        assert!(line.limit_to(&worst));
        let some = search.search(&line, &limits, &mut ());
        assert!(some.best.is_some_and(|best| worst.contains(&best)), "{name}: {:?} of {worst:?}", some.best);
        assert!(some.moves.iter().all(|row| worst.contains(&row.mv)), "{name}");
        assert_eq!(some.pv.first().copied(), some.best, "{name}");
        let best = some.best.unwrap();
        let mut free = Line::new(start.clone());
        let again = search.search(&free, &limits, &mut ());
        assert!(
            again.moves.len() == all.moves.len() && again.moves.len() != some.moves.len()
                || name == "alpha-beta"
                || name == "random",
            "{name}"
        );
        // The game goes on from the limited root.
        search.search(&line, &limits, &mut ());
        search.played(best);
        line.play(best);
        free.play(best);
        let next = search.search(&line, &limits, &mut ());
        assert!(line.only().is_empty() && free.is_legal(next.best.unwrap()), "{name}");
        assert!(name == "alpha-beta" || name == "random" || next.moves.len() == 7, "{name}");
    }
}

/// A mate by an excluded move is not played.
#[test]
fn a_solver_in_front_keeps_to_the_moves_as_well() {
    let start = Shogi9::default().parse_position("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
    let mate = start.parse_move("G*5b").unwrap();
    let inner = Box::new(Greedy::new(Material));
    let mut search = MateFirst::new(inner, 1000, 1.0);
    let mut line = Line::new(start);
    let free = search.search(&line, &Limits::nodes(1000), &mut ());
    assert_eq!((free.best, free.proof), (Some(mate), Some(Proof::Win(1))));
    let mut others = Vec::new();
    line.generate(&mut others);
    others.retain(|&mv| mv != mate);
    assert!(line.limit_to(&others));
    let limited = search.search(&line, &Limits::nodes(1000), &mut ());
    assert!(limited.best.is_some_and(|best| best != mate) && limited.proof.is_none());
}

/// A position of tic-tac-toe that both can hold is worth what a draw is worth, to either side.
#[test]
fn a_drawn_game_is_worth_what_a_draw_is_worth() {
    let place = |text: &str| TicTacToe::default().parse_position(text).unwrap();
    let (first, second) = (place("x.o.x...o"), place("x.o.xx..o"));
    // Backups that compute values from children reach the exact value; a mean keeps the zeros it has met on the way.
    for (method, error) in [("mcss(t=0.02)", 0.08), ("ubfm", 0.001), ("uct(c=0.3)", 0.1), ("rave(c=0.3)", 0.1)] {
        // One search for all, so that nothing may be left of another worth.
        let mut search = TreeSearch::new(with(method, "hash=4"), Constant { value: 0.0, win: 1.0 });
        for (draw, start) in [(0.0, &first), (0.5, &first), (-0.5, &second), (0.5, &second)] {
            let sign = if start.turn() == Color::Black { 1.0 } else { -1.0 };
            let limits = Limits { draw, ..simulations(3000, 2) };
            let verdict = search.search(&Line::new(start.clone()), &limits, &mut ());
            assert!((verdict.value - sign * draw).abs() <= error, "{method} {draw}: {}", verdict.value);
            assert!(draw == 0.0 || verdict.proof.is_none(), "{method}: an opinion is no proof");
        }
    }
    let options = AlphaBetaOptions { hash: 1, depth: 9, ..AlphaBetaOptions::default() };
    let mut search = AlphaBeta::new(Constant { value: 0.0, win: 1.0 }, options);
    for draw in [0.0, 0.5, -0.25] {
        let limits = Limits { draw, ..Limits::infinite() };
        let mut value = |start: &TicTacToe| search.search(&Line::new(start.clone()), &limits, &mut ()).value;
        assert_eq!((value(&TicTacToe::default()), value(&place("....x...."))), (draw, 0.0 - draw));
    }
}

/// Where a draw by repetition is at hand, the worth of a draw decides whether it is taken.
#[test]
fn repetition_is_sought_or_shunned() {
    // White may repeat for the fourth time by returning to 5a.
    let start = Shogi9::default().parse_position("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
    let mut line = Line::new(start);
    let shuttle = ["5i5h", "5a5b", "5h5i", "5b5a"];
    for word in shuttle.iter().cycle().take(11) {
        line.play(line.position().parse_move(word).unwrap());
    }
    let repeats = line.position().parse_move("5b5a").unwrap();
    let options = AlphaBetaOptions { hash: 1, ..AlphaBetaOptions::default() };
    let (alpha_beta, mcss) = (
        || Box::new(AlphaBeta::new(Material, options)) as Box<dyn Search<Shogi9>>,
        || Box::new(TreeSearch::new("mcss(t=10,hash=16)".parse().unwrap(), Material)) as Box<dyn Search<Shogi9>>,
    );
    for (name, mut search) in [("alpha-beta", alpha_beta()), ("mcss", mcss())] {
        for draw in [-300.0, 300.0] {
            let limits = Limits { draw, depth: Some(1), ..Limits::simulations(200) };
            let verdict = search.search(&line, &limits, &mut ());
            // White moves: what a draw takes from Black is White's.
            assert_eq!(verdict.best == Some(repeats), draw < 0.0, "{name} {draw}");
        }
    }
}
