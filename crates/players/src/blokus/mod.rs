//! Players of Blokus Duo.

mod foresight;
mod symmetry;

use yomi_core::file::read_text_file;
use yomi_core::{AnyEvaluator, Color, Evaluator, Spec, TextError};
use yomi_eval::Guided;
use yomi_eval::blokus::moves::{LARGEST_MODEL, Model};
use yomi_eval::blokus::{Evaluation, LARGEST_WEIGHTS, Learned, Unit, Weights};
use yomi_eval::rollout::{AnyPolicy, Selective};
use yomi_games::blokus::BlokusDuo;
use yomi_net::input::Layout;
use yomi_search::{AlphaBeta, AlphaBetaOptions, EndgameFirst, Points, Search};

use self::foresight::Foresight;
use self::symmetry::BreakSymmetry;
use super::guided::guided;
use super::net::net;
use super::policies::{Policies, Selecting};
use super::rollouts::rollout;
use super::{Evaluations, unknown};

impl Evaluations for BlokusDuo {
    const NAMES: &'static [&'static str] =
        &["rollout", "blokus", "learned", "learned(file=…)", "guided(…,file=…)", "net(file=…)", "cached(net(…))"];

    fn default_for(search: &Spec) -> Spec {
        match search.name.as_str() {
            "alpha-beta" | "mcss-deep" | "greedy" => {
                Spec::parse("learned(unit=value)").unwrap_or_else(|_| Spec::named("learned"))
            }
            // It lives by its priors.
            "prior-rave" => Spec::named("blokus"),
            _ => Spec::named("rollout"),
        }
    }

    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
        match spec.name.as_str() {
            "rollout" => rollout(spec),
            "blokus" => knowing(spec),
            "learned" => learned(spec),
            "net" | "cached" => net(spec, Layout::BlokusDuo, |layout| layout == Layout::BlokusDuo),
            "guided" => {
                let default = Spec::named("learned");
                let inner = Self::named(spec.positional(0).unwrap_or(&default))?;
                guided(spec, inner)
            }
            _ => Err(unknown(spec, Self::NAMES)),
        }
    }

    /// Hundreds of moves to a node: they are judged together where that is cheap, and that is where values are no mean results, in the
    /// learned evaluation's own unit. There it is known, too, what shallow searches say about deeper ones.
    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
        if evaluator.win() <= 1.0 {
            return Box::new(AlphaBeta::new(evaluator, options));
        }
        Box::new(AlphaBeta::guided(evaluator, Foresight, AlphaBetaOptions { siblings: true, ..options }))
    }

    fn wrap(spec: &Spec, inner: Box<dyn Search<Self>>) -> Result<Box<dyn Search<Self>>, TextError> {
        match spec.name.as_str() {
            "endgame-first" => {}
            "break-symmetry" => {
                spec.reject_unused()?;
                return Ok(Box::new(BreakSymmetry::new(inner)));
            }
            _ => return Err(spec.error(format!("{} is for shogi and minishogi", spec.name))),
        }
        let (nodes, moves) = (spec.value_or("nodes", 100_000)?, spec.value_or("moves", 40)?);
        spec.reject_unused()?;
        let points = Points {
            margin: |position: &BlokusDuo| position.score(Color::Black) - position.score(Color::White),
            gain: BlokusDuo::points_left,
            size: |mv| mv.piece().map_or(0, |piece| piece.size() as i32),
        };
        Ok(Box::new(EndgameFirst::new(inner, points, nodes, moves, 1.0)))
    }
}

/// The evaluation of a spec: the weights of its file, or those of the program.
fn evaluation(spec: &Spec) -> Result<Evaluation, TextError> {
    let Some(file) = spec.get("file") else { return Ok(Evaluation::new(&Learned::embedded_weights())) };
    let text = read_text_file(&file.name, LARGEST_WEIGHTS).map_err(|e| file.error(e.message))?;
    let weights = Weights::read(&text).map_err(|e| file.error(format!("{}: {}", file.name, e.message)))?;
    Ok(Evaluation::new(&weights))
}

/// `blokus(rollout(best-of(2)),priors=moves,t=1)`: any evaluation, playouts above all, with the probabilities of moves that were learned
/// from games; `priors=hand` is common knowledge written by hand, `priors=even` nothing; `moves=FILE` is a model of one's own.
fn knowing(spec: &Spec) -> Result<AnyEvaluator<BlokusDuo>, TextError> {
    let default = Spec::named("rollout");
    let inner = spec.positional(0).unwrap_or(&default);
    if inner.name == "blokus" {
        return Err(inner.error("blokus goes around another evaluation, not around itself"));
    }
    let words = [("moves", Some(false)), ("hand", Some(true)), ("even", None)];
    let by_hand = spec.get("priors").map_or(Ok(Some(false)), |word| word.choice(&words))?;
    let temperature: f32 = spec.value_or("t", 1.0)?;
    if !(temperature.is_finite() && temperature > 0.0) {
        return Err(spec.error("the temperature of priors is a number above 0"));
    }
    let model = match spec.get("moves") {
        Some(file) => {
            let text = read_text_file(&file.name, LARGEST_MODEL).map_err(|e| file.error(e.message))?;
            Model::read(&text).map_err(|e| file.error(format!("{}: {}", file.name, e.message)))?
        }
        None if by_hand == Some(true) => Model::by_hand(),
        None => Model::embedded(),
    };
    let evaluator = BlokusDuo::named(inner)?;
    spec.reject_unused()?;
    Ok(match by_hand {
        Some(_) => AnyEvaluator::new(Guided::new(evaluator, model.at_temperature(temperature))),
        None => evaluator,
    })
}

/// `learned(file=weights.txt,unit=result,t=20)`: the linear evaluation of S1; t is the temperature of its priors.
fn learned(spec: &Spec) -> Result<AnyEvaluator<BlokusDuo>, TextError> {
    let units = [("result", Unit::Result), ("value", Unit::Value)];
    let unit = spec.get("unit").map_or(Ok(Unit::Result), |word| word.choice(&units))?;
    let temperature: f32 = spec.value_or("t", 20.0)?;
    if !(temperature.is_finite() && temperature > 0.0) {
        return Err(spec.error("the temperature of priors is a number above 0"));
    }
    let evaluation = evaluation(spec)?;
    spec.reject_unused()?;
    Ok(AnyEvaluator::new(Learned::new(evaluation, unit, temperature, spec.to_string())))
}

impl Policies for BlokusDuo {
    /// The learned evaluation follows playouts by difference; others are asked like everywhere.
    fn selective(spec: &Spec, how: Selecting) -> Result<AnyPolicy<Self>, TextError> {
        if spec.name != "learned" {
            return how.around(Self::named(spec)?);
        }
        let evaluation = evaluation(spec)?;
        spec.reject_unused()?;
        Ok(AnyPolicy::new(Selective::new(how.candidates, how.choice, evaluation)))
    }

    const SCORER: &'static str = "learned";
}

#[cfg(test)]
mod tests {
    use crate::Playable;
    use yomi_core::{Color, Line, Outcome, Position, Seed, Spec};
    use yomi_games::blokus::{BlokusDuo, BlokusMove, Symmetry};
    use yomi_search::{Limits, Search};

    fn player(search: &str, evaluator: Option<&str>) -> Box<dyn Search<BlokusDuo>> {
        let evaluator = evaluator.map(|text| Spec::parse(text).unwrap());
        BlokusDuo::build(&Spec::parse(search).unwrap(), evaluator.as_ref()).unwrap()
    }

    /// A game in which `white` chooses White's moves.
    fn game(
        black: &mut dyn Search<BlokusDuo>,
        simulations: u64,
        mut white: impl FnMut(&Line<BlokusDuo>, BlokusMove) -> BlokusMove,
    ) -> Outcome {
        let mut line = Line::new(BlokusDuo::default());
        let mut moves = Vec::new();
        let mut last = BlokusMove::PASS;
        loop {
            if let Some(outcome) = line.generate(&mut moves) {
                return outcome;
            }
            last = if line.position().turn() == Color::Black {
                let limits = Limits { nodes: Some(40_000), simulations: Some(simulations), ..Limits::infinite() };
                black.search(&line, &limits.seeded(Seed::new(line.len() as u64)), &mut ()).best.unwrap()
            } else {
                white(&line, last)
            };
            assert!(line.is_legal(last));
            line.play(last);
        }
    }

    /// An opponent that answers every move by its image under half a turn, as long as that is legal, and at random then. A side that never
    /// breaks the symmetry draws.
    #[test]
    fn mirroring_does_not_help() {
        for (search, evaluator) in [
            ("break-symmetry(greedy)", None),
            ("break-symmetry(alpha-beta)", None),
            ("break-symmetry(puct)", Some("learned")),
            ("endgame-first(break-symmetry(uct))", Some("rollout(best-of(4))")),
            ("endgame-first(break-symmetry(prior-rave(widen=6)))", Some("blokus")),
            ("break-symmetry(mcss)", Some("learned")),
        ] {
            let mut black = player(search, evaluator);
            let mut mirrored = 0;
            let mut rng = Seed::new(3).rng();
            let outcome = game(&mut *black, 400, |line, last| {
                let image = Symmetry::Rotate.mv(last);
                let mut moves = Vec::new();
                line.generate(&mut moves);
                mirrored += u32::from(line.is_legal(image));
                if line.is_legal(image) { image } else { moves[rng.below(moves.len())] }
            });
            assert_eq!(outcome, Outcome::Win(Color::Black), "{search}");
            assert!(mirrored < 14, "{search}: {mirrored}");
        }
    }

    /// Every player of the learned evaluation beats chance.
    #[test]
    fn learned_players_beat_chance() {
        for (search, evaluator, simulations) in [
            ("greedy", None, 400),
            ("alpha-beta(depth=2)", None, 400),
            ("alpha-beta", Some("learned(unit=value)"), 400),
            ("endgame-first(greedy,moves=20)", None, 400),
            ("flat(n=2)", None, 1_000),
            // As value, as prior and in playouts.
            ("uct", Some("learned"), 400),
            ("rave", Some("learned"), 400),
            ("puct", Some("learned(t=10)"), 400),
            ("prior-rave", Some("learned(t=10)"), 400),
            ("uct", Some("rollout(best-of(2,learned))"), 400),
            ("rave", Some("rollout(best-of(4))"), 400),
            // Playouts that judge every move are slow: few of them.
            ("prior-rave", Some("blokus(rollout(softmax(20)))"), 30),
            ("puct", Some("blokus(rollout(noise(20)))"), 30),
            ("mcss", Some("rollout(best-of(2,learned),n=2)"), 2),
            ("prior-rave", None, 400),
            ("prior-rave", Some("blokus(rollout(best-of(2)),priors=hand)"), 400),
            ("mcss", Some("learned"), 400),
        ] {
            let mut black = player(search, evaluator);
            for seed in 0..2 {
                let mut rng = Seed::new(seed).rng();
                let outcome = game(&mut *black, simulations, |line, _| {
                    let mut moves = Vec::new();
                    line.generate(&mut moves);
                    moves[rng.below(moves.len())]
                });
                assert_eq!(outcome, Outcome::Win(Color::Black), "{search}");
            }
        }
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (search, evaluator, column) in [
            ("greedy", "learned(file=/no/such/file)", 14),
            ("greedy", "learned(unit=points)", 14),
            ("greedy", "learned(t=0)", 1),
            ("greedy", "learned(x=1)", 9),
            ("greedy", "linear", 1),
            ("prior-rave", "blokus(moves=/no/such/file)", 14),
            ("prior-rave", "blokus(priors=odd)", 15),
            ("prior-rave", "blokus(blokus)", 8),
            ("prior-rave", "blokus(t=0)", 1),
        ] {
            let result = BlokusDuo::build(&Spec::parse(search).unwrap(), Some(&Spec::parse(evaluator).unwrap()));
            assert_eq!(result.err().unwrap().column, column, "{evaluator}");
        }
        let wrong = |search: &str| BlokusDuo::build(&Spec::parse(search).unwrap(), None).err().unwrap().to_string();
        assert!(wrong("mate-first(greedy)").contains("shogi and minishogi"));
        assert!(wrong("endgame-first(greedy,depth=3)").contains("depth"));
    }
}
