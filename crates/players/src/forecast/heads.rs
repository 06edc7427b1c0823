//! How the game ends by an evaluation that knows: the heads of a network for score and owners.
//!
//! A move is worth what the evaluation says of the position that the search expects in the end, after its principal variation, and the position is worth what
//! its best move is: the estimate of both is the same, and the best move loses nothing.

use yomi_core::{Answer, Cancel, Color, Evaluator, Flight, Line, Position, Question, Want};
use yomi_games::go::{Go, GoMove};
use yomi_search::Verdict;

use super::{Forecast, Outlook};

/// What is expected by the evaluation itself; none if it does not know scores.
pub(super) fn forecast<const LEN: usize, E: Evaluator<Go<LEN>>>(
    evaluator: &E,
    scratch: &mut E::Scratch,
    line: &Line<Go<LEN>>,
    verdict: &Verdict<GoMove>,
    cancel: Cancel<'_>,
) -> Option<Forecast<GoMove>> {
    let root = outlooks(evaluator, scratch, line, std::slice::from_ref(line), cancel).pop()?;
    let mut visited: Vec<_> = verdict.moves.iter().filter(|row| row.visits > 0 && !row.pv.is_empty()).collect();
    // What is found before it is cancelled should be what matters most.
    visited.sort_by_key(|row| Some(row.mv) != verdict.best);
    let ends: Vec<Line<Go<LEN>>> = visited.iter().map(|row| after(line, &row.pv)).collect();
    let found = outlooks(evaluator, scratch, line, &ends, cancel);
    let shares: Vec<f64> = visited.iter().map(|row| row.visits as f64).collect();
    let (mean, spread) = mean_and_spread(found.iter().map(|outlook| f64::from(outlook.lead)).zip(shares));
    let moves: Vec<_> =
        visited.iter().map(|row| row.mv).zip(found.into_iter().map(|found| Outlook { spread, ..found })).collect();
    let best = moves.iter().find(|(mv, _)| Some(*mv) == verdict.best).map(|(_, outlook)| outlook.clone());
    let root = Outlook { spread, mean: if moves.is_empty() { root.lead } else { mean }, ..best.unwrap_or(root) };
    Some(Forecast { root, moves })
}

fn after<const LEN: usize>(line: &Line<Go<LEN>>, moves: &[GoMove]) -> Line<Go<LEN>> {
    let mut end = line.clone();
    moves.iter().for_each(|&mv| end.play(mv));
    end
}

/// Mean and standard deviation of leads with their weights.
fn mean_and_spread(leads: impl Iterator<Item = (f64, f64)>) -> (f32, f32) {
    let (mut all, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (lead, share) in leads {
        (all, sum, squares) = (all + share, sum + share * lead, squares + share * lead * lead);
    }
    let mean = sum / f64::max(all, 1.0);
    (mean as f32, (squares / f64::max(all, 1.0) - mean * mean).max(0.0).sqrt() as f32)
}

/// The outlook at the end of each line, as the side to move at the end of `root` sees it, up to the first of which nothing is known: none from an
/// evaluation that knows no scores, those of the first lines if it is cancelled. Games that are over are counted.
fn outlooks<const LEN: usize, E: Evaluator<Go<LEN>>>(
    evaluator: &E,
    scratch: &mut E::Scratch,
    root: &Line<Go<LEN>>,
    lines: &[Line<Go<LEN>>],
    cancel: Cancel<'_>,
) -> Vec<Outlook> {
    let mut answers: Vec<Answer<GoMove>> = lines.iter().map(|_| Answer::default()).collect();
    let questions = lines.iter().map(|line| Question { cancel, want: Want::SCORE, ..Question::at(line, &[]) });
    let mut flights: Vec<_> =
        questions.zip(&mut answers).map(|(question, answer)| Flight { question, answer }).collect();
    evaluator.judge_all(&mut flights, scratch);
    let (turn, size) = (root.position().turn(), root.position().size());
    let view = |(line, answer): (&Line<Go<LEN>>, &Answer<GoMove>)| {
        let position = line.position();
        let sign = if position.turn() == turn { 1.0 } else { -1.0 };
        let (lead, owners) = match line.generate(&mut Vec::new()) {
            Some(_) => counted(position),
            None => (answer.score?, answer.owners.clone()),
        };
        let owner = |point: usize| sign * owners.get(point).copied().unwrap_or(0.0);
        let rows = (0..size).rev().flat_map(|y| (0..size).map(move |x| y * size + x));
        let lead = sign * lead;
        Some(Outlook { lead, mean: lead, spread: 0.0, points: rows.map(owner).collect() })
    };
    lines.iter().zip(&answers).map_while(view).collect()
}

/// Score and owners of a finished game, for the side to move.
fn counted<const LEN: usize>(position: &Go<LEN>) -> (f32, Vec<f32>) {
    let turn = position.turn();
    let sign = |color: Color| if color == turn { 1.0 } else { -1.0 };
    let owners = position.owners(&[]).into_iter().map(|owner| owner.map_or(0.0, sign));
    (sign(Color::Black) * position.score(&[]).0.in_halves() as f32 / 2.0, owners.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use yomi_core::{AnyEvaluator, Notation, Seed, Spec};
    use yomi_games::go::Go9;
    use yomi_search::Limits;

    use super::super::{Forecaster, Playouts};
    use super::*;
    use crate::Playable;

    const NET: &str = "net(random=1x8,device=cpu)";

    fn evaluator(text: &str) -> AnyEvaluator<Go9> {
        Go9::evaluator(&Spec::named("puct"), Some(&Spec::parse(text).unwrap())).unwrap()
    }

    fn line(moves: &[&str]) -> Line<Go9> {
        let mut line = Line::new(Go9::start(&Spec::named("go9")).unwrap());
        moves.iter().for_each(|mv| line.play(line.position().parse_move(mv).unwrap()));
        line
    }

    /// What a search of a line and its forecaster say.
    fn searched(text: &str, line: &Line<Go9>) -> (Verdict<GoMove>, Forecast<GoMove>) {
        let (listener, audible) = Playouts::of(evaluator(text));
        let mut search = Go9::build_with(&Spec::named("puct"), audible).unwrap();
        listener.begin(line);
        let verdict = search.search(line, &Limits::simulations(60).seeded(Seed::new(1)), &mut ());
        listener.end();
        let forecast = listener.forecast(line, &verdict, Seed::new(2), Cancel::NEVER);
        (verdict, forecast)
    }

    /// A move's lead is what the network says after the line that is expected, and the position has that of the best move.
    #[test]
    fn leads_are_those_of_the_network_after_the_expected_lines() {
        let net = evaluator(NET);
        for moves in [&["D4"][..], &["D4", "E5"]] {
            let line = line(moves);
            let (verdict, forecast) = searched(NET, &line);
            assert!(forecast.moves.len() > 1, "{}", forecast.moves.len());
            for (mv, outlook) in &forecast.moves {
                let row = verdict.moves.iter().find(|row| row.mv == *mv).unwrap();
                let end = after(&line, &row.pv);
                let mut answer = Answer::default();
                net.judge(&Question::at(&end, &[]).wanting(Want::SCORE), &mut answer, &mut net.scratch(0));
                let sign = if row.pv.len() % 2 == 0 { 1.0 } else { -1.0 };
                assert!((outlook.lead - sign * answer.score.unwrap()).abs() < 1e-4, "{mv:?}");
                // A9 comes first for readers, A1 first for the network.
                assert!((outlook.points[0] - sign * answer.owners[72]).abs() < 1e-5, "{mv:?}");
                assert_eq!(outlook.points.len(), 81);
            }
            let best = forecast.of(&verdict.best.unwrap());
            assert_eq!((forecast.root.lead, &forecast.root.points), (best.lead, &best.points));
        }
    }

    /// What was found by then is what matters most.
    #[test]
    fn a_forecast_that_is_cancelled_knows_the_best_moves() {
        let line = line(&["D4", "E5"]);
        let (listener, audible) = Playouts::of(evaluator(NET));
        let verdict = Go9::build_with(&Spec::named("puct"), audible).unwrap().search(
            &line,
            &Limits::simulations(60).seeded(Seed::new(1)),
            &mut (),
        );
        let whole = listener.forecast(&line, &verdict, Seed::new(2), Cancel::NEVER);
        let cut = listener.forecast(&line, &verdict, Seed::new(2), Cancel::when(&|| true));
        assert!(cut.moves.len() < whole.moves.len() && !cut.moves.is_empty(), "{} moves", cut.moves.len());
        let best = verdict.best.unwrap();
        assert_eq!(cut.moves[0].0, best);
        assert_eq!((cut.root.lead, &cut.root.points), (whole.root.lead, &whole.root.points));
        for (mv, outlook) in &cut.moves {
            assert_eq!(outlook.lead, whole.of(mv).lead);
        }
    }

    /// A line that ends the game is counted: after two passes on an empty board White has komi.
    #[test]
    fn finished_games_are_counted() {
        let net = evaluator(NET);
        let (root, over) = (line(&["pass"]), line(&["pass", "pass"]));
        let found = outlooks(&net, &mut net.scratch(0), &root, &[over], Cancel::NEVER).remove(0);
        assert_eq!((found.lead, found.points), (7.5, vec![0.0; 81]));
    }

    /// An evaluation that plays out knows no scores, and a network for another board says nothing.
    #[test]
    fn evaluations_without_heads_leave_it_to_playouts() {
        let playouts = evaluator("rollout");
        assert!(outlooks(&playouts, &mut playouts.scratch(0), &line(&[]), &[line(&[])], Cancel::NEVER).is_empty());
        let net = evaluator(NET);
        let small = Line::new(Go9::start(&Spec::named("go7")).unwrap());
        assert!(outlooks(&net, &mut net.scratch(0), &small, std::slice::from_ref(&small), Cancel::NEVER).is_empty());
        let (_, forecast) = searched("rollout", &line(&["E5"]));
        assert!(forecast.root.spread > 1.0);
    }

    /// Listening does not stop a network from being asked in batches, and changes no search.
    #[test]
    fn listening_leaves_searches_as_they_are() {
        let (_, audible) = Playouts::of(evaluator(NET));
        assert_eq!(audible.batch(), evaluator(NET).batch());
        assert!(audible.batch() > 1);
        let line = line(&["C3"]);
        let alone = Go9::build_with(&Spec::named("puct"), evaluator(NET)).unwrap().search(
            &line,
            &Limits::simulations(60).seeded(Seed::new(1)),
            &mut (),
        );
        let (heard, _) = searched(NET, &line);
        assert_eq!((alone.best, alone.value), (heard.best, heard.value));
        let forecaster: Arc<dyn Forecaster<Go9>> = Playouts::of(evaluator(NET)).0;
        assert_eq!(forecaster.forecast(&line, &heard, Seed::new(1), Cancel::NEVER), searched(NET, &line).1);
    }

    #[test]
    fn leads_have_a_mean_and_a_spread_by_visits() {
        assert_eq!(mean_and_spread([(1.0, 3.0), (5.0, 1.0)].into_iter()), (2.0, 3.0f32.sqrt()));
        assert_eq!(mean_and_spread(std::iter::empty()), (0.0, 0.0));
    }
}
