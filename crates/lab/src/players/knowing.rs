//! A search whose choice a foreign program's knowledge decides: GNU Go's Monte Carlo player as a filter around any search (S2.7).
//!
//! The paper's programs are GNU Go with UCT inside. GNU Go first finds what each move is worth by patterns and reading; UCT then says
//! which moves do not lose, and of those the one worth most is played. Here the program is attached over GTP and asked for its
//! `top_moves_black` or `top_moves_white`; the search is any of ours, with values from -1 to 1 (playouts).
//!
//! A fault of the program is a fault of the player, as if it had played itself.

use yomi_core::{Line, Spec, TextError};
use yomi_search::{Limits, RootMove, Verdict};

use super::foreign::{Foreign, question, texts, understood};
use super::searcher::{Searcher, report};
use crate::ending::Finish;
use crate::player::{Action, Answer, Fault, NewGame, Player, Report, Turn};
use yomi_games::Game;

/// Which moves of a search may be played: the defaults are GNU Go 3.8's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Filter {
    /// Those with more than this share of the visits of the search's own choice,
    pub share: f32,
    /// and with a win rate above this and more than a tenth of its visits,
    pub sure: f32,
    /// and all, if the win rate of its own choice is below this.
    pub lost: f32,
    /// A move that the program gives exactly this worth is played without a search: GNU Go's opening moves. 0 switches it off.
    pub opening: f32,
}

/// The share of the visits that a sure win needs.
const SURE_SHARE: f32 = 0.1;

impl Default for Filter {
    fn default() -> Filter {
        Filter { share: 0.5, sure: 0.9, lost: 0.1, opening: 75.0 }
    }
}

impl Filter {
    /// Reads `share=`, `sure=`, `lost=` and `opening=`.
    pub fn from_spec(spec: &Spec) -> Result<Filter, TextError> {
        let default = Filter::default();
        let rate = |key: &str, default: f32| match spec.value_or(key, default)? {
            rate if (0.0..=1.0).contains(&rate) => Ok(rate),
            rate => Err(spec.error(format!("{key}={rate} is not between 0 and 1"))),
        };
        let filter = Filter {
            share: rate("share", default.share)?,
            sure: rate("sure", default.sure)?,
            lost: rate("lost", default.lost)?,
            opening: spec.value_or("opening", default.opening)?,
        };
        if filter.opening.is_finite() { Ok(filter) } else { Err(spec.error("opening is the worth of a move")) }
    }

    /// Whether the search leaves a move to choose from.
    fn admits<M>(&self, mv: &RootMove<M>, own: &RootMove<M>) -> bool {
        let (visits, best) = (mv.visits as f32, own.visits as f32);
        visits > self.share * best
            || (win_rate(mv) > self.sure && visits > SURE_SHARE * best)
            || win_rate(own) < self.lost
    }

    /// The move of `verdict` that is worth most of those the search leaves. Where the program names none of them, the search's own.
    fn choose<M: Copy + PartialEq>(&self, verdict: &Verdict<M>, scores: &[(M, f32)]) -> Option<M> {
        let own = verdict.best?;
        let own_move = verdict.moves.iter().find(|root| root.mv == own)?;
        let worth = |mv: M| scores.iter().find(|(scored, _)| *scored == mv).map(|&(_, score)| score);
        let left = verdict.moves.iter().filter(|root| root.mv == own || self.admits(root, own_move));
        let scored = left.filter_map(|root| Some((root.mv, worth(root.mv)?)));
        Some(scored.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(own, |(mv, _)| mv))
    }
}

/// Values of playouts as win rates.
fn win_rate<M>(mv: &RootMove<M>) -> f32 {
    (mv.value + 1.0) / 2.0
}

/// A search with a program that knows what moves are worth.
pub struct Knowing<P: Game> {
    search: Searcher<P>,
    program: Foreign,
    filter: Filter,
}

impl<P: Game> Knowing<P> {
    /// Joins the two. The name is the search's.
    pub fn new(search: Searcher<P>, program: Foreign, filter: Filter) -> Knowing<P> {
        Knowing { search, program, filter }
    }

    /// What the program thinks of the moves, as moves. Some that it names may not be played now: GNU Go's worth of taking a ko back stands
    /// there for after the threat.
    fn scores(&mut self, turn: &Turn<'_, P>) -> Result<Vec<(P::Move, f32)>, Fault> {
        let moves = texts(turn.start, turn.moves);
        let said = self.program.ask(|engine| engine.scores(&question(turn, &moves)))?;
        let position = turn.line.position();
        self.program.has_answered();
        Ok(said.into_iter().filter_map(|(text, score)| Some((understood(position, text).ok()?, score))).collect())
    }
}

impl<P: Game> Player<P> for Knowing<P> {
    fn name(&self) -> &str {
        self.search.name()
    }

    fn id(&self) -> String {
        format!("{} with {}", Player::<P>::id(&self.search), Player::<P>::id(&self.program))
    }

    fn new_game(&mut self, game: &NewGame<'_, P>) -> Result<(), Fault> {
        self.program.new_game(game)?;
        self.search.new_game(game)
    }

    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Answer<P::Move>, Fault> {
        let scores = self.scores(turn)?;
        let silent = |mv| Ok(Answer { action: Action::Move(mv), report: Report::default() });
        match scores.first() {
            // Nothing is left that is worth anything. What it does then is its own: it captures what is dead, where the rules want that,
            // and passes. The limits are the search's.
            None => return self.program.choose(&Turn { limits: &Limits::infinite(), ..*turn }),
            Some(&(mv, score)) if self.filter.opening != 0.0 && score == self.filter.opening => return silent(mv),
            Some(_) => {}
        }
        let verdict = self.search.think(turn);
        let chosen = self.filter.choose(&verdict, &scores);
        let mv = chosen.ok_or_else(|| Fault::Crash { why: "the search found no move".into() })?;
        Ok(Answer { action: Action::Move(mv), report: report(turn.line.position(), mv, &verdict) })
    }

    fn played(&mut self, mv: P::Move, line: &Line<P>) -> Result<(), Fault> {
        self.search.played(mv, line)
    }

    fn game_over(&mut self, finish: &Finish) {
        self.search.game_over(finish);
        Player::<P>::game_over(&mut self.program, finish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use yomi_core::toy::TicTacToe;
    use yomi_core::{Color, Notation};
    use yomi_protocol::client::{
        Action as Act, Answer as Said, Engine, Fault as Trouble, Question, Report as Words, Setup,
    };
    use yomi_search::RandomPlayer;

    /// Moves a to e with their visits and win rates; the first is the search's own choice.
    fn verdict(moves: &[(char, u64, f32)]) -> Verdict<char> {
        let root =
            |&(mv, visits, rate): &(char, u64, f32)| RootMove { visits, value: 2.0 * rate - 1.0, ..RootMove::new(mv) };
        Verdict { best: Some(moves[0].0), moves: moves.iter().map(root).collect(), ..Verdict::empty() }
    }

    #[test]
    fn knowledge_chooses_among_what_search_leaves() {
        let filter = Filter::default();
        let even = verdict(&[('a', 100, 0.6), ('b', 60, 0.5), ('c', 50, 0.5), ('d', 11, 0.5)]);
        // c has no more than half the visits, d far less; b is worth more than a.
        assert_eq!(filter.choose(&even, &[('d', 9.0), ('c', 8.0), ('b', 7.0), ('a', 6.0)]), Some('b'));
        assert_eq!(filter.choose(&even, &[('d', 9.0), ('a', 6.0), ('b', 5.0)]), Some('a'));
        // Nothing that is left has a worth.
        assert_eq!(filter.choose(&even, &[('d', 9.0), ('e', 8.0)]), Some('a'));
        assert_eq!(Filter { share: 0.1, ..filter }.choose(&even, &[('d', 9.0), ('b', 7.0)]), Some('d'));
    }

    #[test]
    fn sure_wins_and_lost_games_leave_more() {
        let filter = Filter::default();
        let won = verdict(&[('a', 100, 0.95), ('b', 11, 0.92), ('c', 10, 0.95), ('d', 30, 0.8)]);
        assert_eq!(filter.choose(&won, &[('d', 9.0), ('c', 8.0), ('b', 7.0), ('a', 6.0)]), Some('b'));
        let lost = verdict(&[('a', 100, 0.05), ('b', 1, 0.0)]);
        assert_eq!(filter.choose(&lost, &[('b', 7.0), ('a', 6.0)]), Some('b'));
        assert_eq!(Filter { lost: 0.0, ..filter }.choose(&lost, &[('b', 7.0), ('a', 6.0)]), Some('a'));
        assert_eq!(filter.choose(&Verdict::<char>::empty(), &[('a', 1.0)]), None);
    }

    /// Says these worths, and has this move to make.
    struct Program(Vec<(String, f32)>, String);

    impl Engine for Program {
        fn name(&self) -> &str {
            "program"
        }

        fn new_game(&mut self, _setup: &Setup) -> Result<(), Trouble> {
            Ok(())
        }

        fn think(&mut self, question: &Question<'_>) -> Result<Said, Trouble> {
            assert_eq!((question.nodes, question.depth, question.time), (None, None, None), "the search's limits");
            Ok(Said { action: Act::Move(self.1.clone()), report: Words::default() })
        }

        fn scores(&mut self, _question: &Question<'_>) -> Result<Vec<(String, f32)>, Trouble> {
            Ok(self.0.clone())
        }

        fn game_over(&mut self, _winner: Option<Color>) -> Result<(), Trouble> {
            Ok(())
        }

        fn quit(&mut self) -> Result<(), Trouble> {
            Ok(())
        }
    }

    #[test]
    fn a_program_that_names_no_move_makes_its_own() {
        let start = TicTacToe::default();
        let line = Line::new(start.clone());
        let mut legal = Vec::new();
        assert!(line.generate(&mut legal).is_none());
        let text = |index: usize| start.move_text(legal[index]);
        let (limits, stop) = (Limits::simulations(100), Arc::new(AtomicBool::new(false)));
        let turn = Turn { start: &start, moves: &[], line: &line, clocks: None, limits: &limits, stop: &stop };
        let chosen = |scores: Vec<(String, f32)>| {
            let program = Foreign::new("program", Box::new(Program(scores, text(3))));
            let search = Searcher::new("search", Box::new(RandomPlayer));
            Knowing::new(search, program, Filter::default()).choose(&turn).unwrap().action
        };
        assert_eq!(chosen(Vec::new()), Action::Move(legal[3]));
        assert_eq!(chosen(vec![("99".to_string(), 75.0)]), Action::Move(legal[3]), "nor one that may be played");
        assert_eq!(chosen(vec![(text(5), 75.0), (text(1), 9.0)]), Action::Move(legal[5]), "an opening move");
    }

    #[test]
    fn filters_are_read() {
        let read = |text: &str| Filter::from_spec(&Spec::parse(text).unwrap());
        assert_eq!(read("knowledge(x)").unwrap(), Filter::default());
        assert_eq!(
            read("knowledge(x,share=0.3,opening=0)").unwrap(),
            Filter { share: 0.3, opening: 0.0, ..Filter::default() }
        );
        assert!(read("knowledge(x,share=2)").is_err() && read("knowledge(x,lost=-1)").is_err());
        assert!(read("knowledge(x,opening=inf)").is_err() && read("knowledge(x,sure=nan)").is_err());
    }
}
