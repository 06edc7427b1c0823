//! Playout policies as they are typed: `tabu-state-win(18,5,patterns)`, `lgrf(mix(3:patterns,1:uniform))`.

use yomi_core::{AnyEvaluator, Simulate, Spec, TextError, Uniform};
use yomi_eval::rollout::tabu::{Forbids, Tabu};
use yomi_eval::rollout::{AnyPolicy, Choice, Judged, LastGoodReply, Mixture, Selective};

use super::Evaluations;

/// The policies there are, for people: what is typed, and what it does.
pub const POLICIES: &[(&str, &str)] = &[
    ("uniform", "any move worth simulating, all alike (Go spares its own eyes)"),
    (
        "patterns",
        "Go only: captures, ataris, nakade and 3x3 shapes around the last moves; each rule is a switch (on, off or a \
      probability): capture, atari, nakade, shapes, careful, wary",
    ),
    (
        "tabu-move(L,M,policy)",
        "no move that the last L playouts from the leaf played at the same of their first M plies (S2.2)",
    ),
    (
        "tabu-state(L,M,policy)",
        "no position that the last L playouts from the leaf reached there (S2.3); shrink=off keeps L (S2.5)",
    ),
    ("tabu-state-win(L,M,policy)", "the same, remembering only playouts that the side to move lost (S2.4)"),
    (
        "best-of(n,evaluation)",
        "the best of n=8 moves drawn at random (S1.3), judged by the game's own evaluation if none is named; n=1 is uniform",
    ),
    (
        "softmax(T,evaluation)",
        "moves with probability proportional to exp(value/T); n=… draws that many candidates first instead of all (S1)",
    ),
    ("noise(D,evaluation)", "the best move after normal noise of deviation D on every value; n=… as above (S1)"),
    ("lgrf(policy)", "last good replies with forgetting (S2.1)"),
    ("mix(W:policy,…)", "every playout by one of several policies, drawn by weight"),
];

/// A game's own policies, beside those that every game has.
pub(super) trait Policies: Evaluations {
    /// What they are called.
    const OWN: &'static [&'static str] = &[];

    /// The policy of the game's own that `spec` names, if it is one.
    fn own(spec: &Spec) -> Option<Result<AnyPolicy<Self>, TextError>> {
        let _ = spec;
        None
    }

    /// The evaluation that selects moves in playouts if none is named.
    const SCORER: &'static str;

    /// The policy that selects moves by the evaluation that `spec` names.
    fn selective(spec: &Spec, how: Selecting) -> Result<AnyPolicy<Self>, TextError> {
        how.around(Self::named(spec)?)
    }

    /// Whether a move that was good elsewhere is worth repeating here, where it is legal.
    fn is_worthy(position: &Self, mv: Self::Move) -> bool {
        let _ = (position, mv);
        true
    }
}

impl<V: yomi_games::shogi::Variant> Policies for yomi_games::shogi::Shogi<V> {
    const SCORER: &'static str = "linear";
}

/// How many candidates there are and how one of them is chosen.
#[derive(Clone, Copy)]
pub(super) struct Selecting {
    pub(super) candidates: usize,
    pub(super) choice: Choice,
}

impl Selecting {
    /// Reads `best-of(8)`, `softmax(20,n=16)` and `noise(20)`; nothing if the word is another. The evaluation comes second.
    fn read(spec: &Spec) -> Result<Option<Selecting>, TextError> {
        let candidates = |word: Option<&Spec>, default: usize| match word {
            None => Ok(default),
            Some(word) => match word.value::<usize>()? {
                0 => Err(word.error("at least one candidate is needed")),
                n => Ok(n),
            },
        };
        let number = |what: &str| {
            let word = spec.positional(0).ok_or_else(|| spec.error(format!("{what} is missing")))?;
            let value: f32 = word.value()?;
            if value.is_finite() && value > 0.0 {
                Ok(value)
            } else {
                Err(word.error(format!("{what} is a number above 0")))
            }
        };
        Ok(Some(match spec.name.as_str() {
            "best-of" => Selecting { candidates: candidates(spec.positional(0), 8)?, choice: Choice::Best },
            "softmax" => {
                let choice = Choice::Softmax(number("a temperature")?);
                Selecting { candidates: candidates(spec.get("n"), usize::MAX)?, choice }
            }
            "noise" => {
                let choice = Choice::Noise(number("a deviation")?);
                Selecting { candidates: candidates(spec.get("n"), usize::MAX)?, choice }
            }
            _ => return Ok(None),
        }))
    }

    /// The policy that selects by any evaluation.
    pub(super) fn around<P: Simulate>(self, evaluator: AnyEvaluator<P>) -> Result<AnyPolicy<P>, TextError> {
        Ok(AnyPolicy::new(Selective::new(self.candidates, self.choice, Judged(evaluator))))
    }
}

/// The queues that a word of the tabu family asks for.
pub(super) struct TabuLists {
    forbids: Forbids,
    length: u32,
    depth: usize,
    shrinks: bool,
    /// The policy inside.
    pub(super) inner: Spec,
}

/// The longest queues and the most plies that are accepted.
const MOST: u32 = 10_000;

impl TabuLists {
    /// Reads `tabu-state(18,5,patterns)`; nothing if the word is another.
    pub(super) fn read(spec: &Spec) -> Result<Option<TabuLists>, TextError> {
        let forbids = match spec.name.as_str() {
            "tabu-move" => Forbids::Moves,
            "tabu-state" => Forbids::States,
            "tabu-state-win" => Forbids::LostStates,
            _ => return Ok(None),
        };
        let number = |index: usize, default: u32| -> Result<u32, TextError> {
            let Some(word) = spec.positional(index) else { return Ok(default) };
            let n = word.value()?;
            if n <= MOST { Ok(n) } else { Err(word.error(format!("{n} is more than {MOST}"))) }
        };
        let (length, depth) = (number(0, 18)?, number(1, 5)? as usize);
        let inner = spec.positional(2).cloned().unwrap_or_else(|| Spec::named("uniform"));
        let shrinks = spec.get("shrink").map_or(Ok(true), |word| word.choice(&[("on", true), ("off", false)]))?;
        spec.reject_unused()?;
        if inner.name.starts_with("tabu-") {
            return Err(inner.error("tabu lists go around other policies, not around each other"));
        }
        Ok(Some(TabuLists { forbids, length, depth, shrinks, inner }))
    }

    /// The lists around a policy.
    pub(super) fn around<Q>(&self, inner: Q) -> Tabu<Q> {
        let tabu = Tabu::new(self.forbids, self.length, self.depth, inner);
        if self.shrinks { tabu } else { tabu.unshrinking() }
    }
}

/// The policy that `spec` names.
pub(super) fn policy<P: Policies>(spec: &Spec) -> Result<AnyPolicy<P>, TextError> {
    if let Some(own) = P::own(spec) {
        return own;
    }
    if let Some(lists) = TabuLists::read(spec)? {
        return Ok(AnyPolicy::new(lists.around(policy::<P>(&lists.inner)?)));
    }
    if let Some(how) = Selecting::read(spec)? {
        let default = Spec::named(P::SCORER);
        let scorer = spec.positional(1).unwrap_or(&default);
        spec.reject_unused()?;
        if scorer.name == "rollout" && P::SCORER != "rollout" {
            return Err(scorer.error("playouts within playouts take for ever: name another evaluation"));
        }
        return P::selective(scorer, how);
    }
    match spec.name.as_str() {
        "uniform" => {
            spec.reject_unused()?;
            Ok(AnyPolicy::new(Uniform))
        }
        "lgrf" => {
            let inner = spec.positional(0).cloned().unwrap_or_else(|| Spec::named("uniform"));
            spec.reject_unused()?;
            inside(&inner)?;
            Ok(AnyPolicy::new(LastGoodReply::new(policy::<P>(&inner)?, <P as Policies>::is_worthy)))
        }
        "mix" => mixture(spec).map(AnyPolicy::new),
        _ => {
            let all =
                ["uniform", "best-of", "softmax", "noise", "tabu-move", "tabu-state", "tabu-state-win", "lgrf", "mix"];
            Err(spec.unknown("a policy of this game", all.into_iter().chain(P::OWN.iter().copied())))
        }
    }
}

/// Tabu lists count the plies of whole playouts, so they go around everything else.
fn inside(spec: &Spec) -> Result<(), TextError> {
    match spec.name.starts_with("tabu-") {
        true => Err(spec.error("tabu lists go around the other policies, not into them")),
        false => Ok(()),
    }
}

/// `mix(3:patterns,1:uniform)`.
fn mixture<P: Policies>(spec: &Spec) -> Result<Mixture<P>, TextError> {
    let mut parts = Vec::new();
    while let Some(part) = spec.positional(parts.len()) {
        let wrong = || part.error(format!("{part} is no part of a mixture: a weight, a colon, a policy"));
        let (weight, name) = part.name.split_once(':').ok_or_else(wrong)?;
        let weight: f32 = weight.parse().map_err(|_| wrong())?;
        let inner = part.renamed(name);
        inside(&inner)?;
        parts.push((weight, policy::<P>(&inner)?));
    }
    spec.reject_unused()?;
    Mixture::new(parts).ok_or_else(|| spec.error("a mixture has weights from 0 up, not all of them 0"))
}

/// Whether a game has this word for a policy, for tests and messages.
#[cfg(test)]
fn reads<P: Policies>(text: &str) -> Result<(), TextError> {
    policy::<P>(&Spec::parse(text)?).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::toy::Nim;
    use yomi_games::blokus::BlokusDuo;
    use yomi_games::go::Go9;
    use yomi_games::shogi::Shogi9;

    #[test]
    fn policies_are_read_in_every_game() {
        for text in [
            "uniform",
            "tabu-move",
            "tabu-state(18,5,uniform)",
            "tabu-state-win(12,3,lgrf(uniform),shrink=off)",
            "lgrf",
            "mix(0.5:uniform,0.5:lgrf(uniform))",
            "best-of",
            "best-of(4)",
            "tabu-state(18,5,softmax(20,n=4))",
            "noise(0.5)",
        ] {
            reads::<Nim>(text).unwrap();
            reads::<BlokusDuo>(text).unwrap();
            reads::<Shogi9>(text).unwrap();
            reads::<Go9>(text).unwrap();
        }
        reads::<Shogi9>("best-of(4,material)").unwrap();
        reads::<BlokusDuo>("best-of(64,learned)").unwrap();
        assert!(reads::<BlokusDuo>("best-of(8,rollout)").is_err());
        reads::<Go9>("tabu-state-win(18,5,mix(3:patterns(atari=off,shapes=0.5),1:uniform))").unwrap();
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (text, column) in [
            ("pattern", 1),
            ("patterns(capture=maybe)", 18),
            ("patterns(shapes=2)", 17),
            ("patterns(ladders=on)", 10),
            ("tabu-state(x)", 12),
            ("tabu-state(18,99999999)", 15),
            ("tabu-state(18,5,tabu-move)", 17),
            ("tabu-state(18,5,patern)", 17),
            ("tabu-state(18,5,uniform,shrink=perhaps)", 32),
            ("tabu-state(18,5,uniform,7)", 25),
            ("lgrf(tabu-move)", 6),
            ("lgrf(uniform,uniform)", 14),
            ("mix(uniform)", 5),
            ("mix(x:uniform)", 5),
            ("mix(1:foo)", 5),
            ("mix", 1),
            ("mix(0:uniform)", 1),
            ("uniform(1)", 9),
            ("best-of(0)", 9),
            ("best-of(x)", 9),
            ("softmax", 1),
            ("noise(-1)", 7),
            ("softmax(1,n=0)", 13),
            ("best-of(8,nothing)", 11),
            ("best-of(8,go,3)", 14),
        ] {
            let error = reads::<Go9>(text).unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
        }
        assert_eq!(reads::<Nim>("patterns").unwrap_err().column, 1);
    }
}
