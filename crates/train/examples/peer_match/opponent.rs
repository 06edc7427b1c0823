//! Players without a network: programs that speak USI or GTP, and our own searches.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use yomi_core::{Color, Line, Position, Seed, TextError, Uniform};
use yomi_eval::blokus::moves::Model;
use yomi_eval::go::DynamicKomi;
use yomi_eval::go::dynamic_komi::POINTS_A_STONE;
use yomi_eval::rollout::patterns::{Patterns, Rules};
use yomi_eval::{Guided, Linear, Rollout};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go;
use yomi_games::shogi::{Five, Nine, Shogi};
use yomi_search::{AlphaBeta, AlphaBetaOptions, EndgameFirst, Limits, MateFirst, Method, Points, Search, TreeSearch};
use yomi_train::Trainable;

/// The other side of a game.
pub(crate) trait Opponent<P: Trainable> {
    /// A game begins.
    fn begin(&mut self, start: &P) -> Result<(), TextError>;
    /// A move that it did not choose was played.
    fn hear(&mut self, before: &P, mv: P::Move) -> Result<(), TextError>;
    /// Its move; none if it resigns. `text` has all moves so far.
    fn choose(&mut self, line: &Line<P>, text: &[String], seed: Seed) -> Result<Option<P::Move>, TextError>;
    /// Nodes of alpha-beta or simulations of a tree search so far; 0 for programs, which are not asked.
    fn work(&self) -> u64 {
        0
    }
}

/// What a game has of its own: the player without a network, and what goes around searches.
pub(crate) trait Own: Trainable {
    /// Our strongest player without a network.
    fn own(limits: Limits) -> Box<dyn Opponent<Self>>;

    /// A search with an exact solver in front, where the game has one.
    fn wrap(search: Box<dyn Search<Self>>, mate: Option<u64>) -> Box<dyn Search<Self>>;

    /// Who tells whether an opening is even, where the game has one.
    fn judge() -> Option<Box<dyn Search<Self>>> {
        None
    }

    /// The commands that describe the game to a program before it begins.
    fn introduction(&self) -> Vec<String>;
}

/// A search of ours as an opponent.
struct Player<P: Position> {
    search: Box<dyn Search<P>>,
    limits: Limits,
    work: u64,
}

impl<P: Position> Player<P> {
    fn boxed(search: Box<dyn Search<P>>, limits: Limits) -> Box<Player<P>> {
        Box::new(Player { search, limits, work: 0 })
    }
}

impl<P: Trainable> Opponent<P> for Player<P> {
    fn begin(&mut self, _: &P) -> Result<(), TextError> {
        self.search.new_game();
        Ok(())
    }

    fn hear(&mut self, _: &P, _: P::Move) -> Result<(), TextError> {
        Ok(())
    }

    fn choose(&mut self, line: &Line<P>, _: &[String], seed: Seed) -> Result<Option<P::Move>, TextError> {
        let verdict = self.search.search(line, &self.limits.clone().seeded(seed), &mut ());
        // Alpha-beta has no simulations.
        self.work += if verdict.simulations > 0 { verdict.simulations } else { verdict.nodes };
        Ok(verdict.best)
    }

    fn work(&self) -> u64 {
        self.work
    }
}

impl Own for Shogi<Nine> {
    fn own(limits: Limits) -> Box<dyn Opponent<Self>> {
        let search = AlphaBeta::tactical(Linear::<Nine>::embedded(), AlphaBetaOptions::default());
        Player::boxed(Box::new(search), limits)
    }

    fn wrap(search: Box<dyn Search<Self>>, mate: Option<u64>) -> Box<dyn Search<Self>> {
        match mate {
            Some(nodes) => Box::new(MateFirst::new(search, nodes, 1.0)),
            None => search,
        }
    }

    fn judge() -> Option<Box<dyn Search<Self>>> {
        Some(Box::new(AlphaBeta::tactical(Linear::<Nine>::embedded(), AlphaBetaOptions::default())))
    }

    fn introduction(&self) -> Vec<String> {
        ["usi", "isready"].map(Into::into).into()
    }
}

impl Own for Shogi<Five> {
    fn own(limits: Limits) -> Box<dyn Opponent<Self>> {
        let search = AlphaBeta::tactical(Linear::<Five>::embedded(), AlphaBetaOptions::default());
        Player::boxed(Box::new(search), limits)
    }

    fn judge() -> Option<Box<dyn Search<Self>>> {
        Some(Box::new(AlphaBeta::tactical(Linear::<Five>::embedded(), AlphaBetaOptions::default())))
    }

    fn wrap(search: Box<dyn Search<Self>>, mate: Option<u64>) -> Box<dyn Search<Self>> {
        match mate {
            Some(nodes) => Box::new(MateFirst::new(search, nodes, 1.0)),
            None => search,
        }
    }

    fn introduction(&self) -> Vec<String> {
        ["usi", "setoption name USI_Variant value minishogi", "setoption name UCI_Variant value minishogi", "isready"]
            .map(Into::into)
            .into()
    }
}

impl<const LEN: usize> Own for Go<LEN>
where
    Go<LEN>: Trainable,
{
    fn own(limits: Limits) -> Box<dyn Opponent<Self>> {
        let method = "prior-rave(after=1,beta=least-squares(0.03))";
        let method: Method = method.parse().unwrap_or_else(|_| unreachable!("a method that is there"));
        let playouts = DynamicKomi::new(Rollout::new(Patterns::new(Rules::default())), POINTS_A_STONE);
        let evaluator = Guided::new(playouts, yomi_eval::go::Model::embedded());
        Player::boxed(Box::new(TreeSearch::new(method, evaluator)), limits)
    }

    fn wrap(search: Box<dyn Search<Self>>, _: Option<u64>) -> Box<dyn Search<Self>> {
        search
    }

    fn introduction(&self) -> Vec<String> {
        vec![format!("boardsize {}", self.size()), format!("komi {}", self.ruleset().white_bonus())]
    }
}

impl Own for BlokusDuo {
    fn own(limits: Limits) -> Box<dyn Opponent<Self>> {
        let method: Method = "prior-rave(widen=6)".parse().unwrap_or_else(|_| unreachable!("a method that is there"));
        let evaluator = Guided::new(Rollout::new(Uniform), Model::embedded());
        Player::boxed(Self::wrap(Box::new(TreeSearch::new(method, evaluator)), None), limits)
    }

    fn wrap(search: Box<dyn Search<Self>>, _: Option<u64>) -> Box<dyn Search<Self>> {
        let points = Points {
            margin: |position: &BlokusDuo| position.score(Color::Black) - position.score(Color::White),
            gain: BlokusDuo::points_left,
            size: |mv| mv.piece().map_or(0, |piece| piece.size() as i32),
        };
        Box::new(EndgameFirst::new(search, points, 100_000, 40, 1.0))
    }

    fn introduction(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A program that speaks USI or GTP.
pub(crate) struct Program {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What follows `go`; none for GTP.
    go: Option<String>,
}

impl Program {
    /// Starts the program of an order.
    pub(crate) fn start<P: Own>(start: &P, order: &Value, seed: u64) -> Result<Program, TextError> {
        let (usi, gtp) = (order["usi"].as_str(), order["gtp"].as_str());
        let command = usi.or(gtp).ok_or_else(|| TextError::new("no opponent"))?.replace("{seed}", &seed.to_string());
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next().unwrap_or_default())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| TextError::new(format!("{command}: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(TextError::new(format!("{command}: no pipes")));
        };
        let go = usi.map(|_| match order["movetime"].as_u64() {
            Some(milliseconds) => format!("go movetime {milliseconds}"),
            None => format!("go nodes {}", order["nodes"].as_u64().unwrap_or(1000)),
        });
        let mut program = Program { name: command, child, input, output: BufReader::new(output), go };
        for line in start.introduction() {
            program.say(&line)?;
            match (program.go.is_some(), line.as_str()) {
                (false, _) => drop(program.reply()?),
                (true, "usi") => drop(program.hear_word("usiok")?),
                (true, "isready") => drop(program.hear_word("readyok")?),
                _ => {}
            }
        }
        Ok(program)
    }

    fn trouble(&self, error: impl std::fmt::Display) -> TextError {
        TextError::new(format!("{}: {error}", self.name))
    }

    fn say(&mut self, line: &str) -> Result<(), TextError> {
        let said = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        said.map_err(|error| self.trouble(error))
    }

    fn line(&mut self) -> Result<String, TextError> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(n) if n > 0 => Ok(line.trim().to_string()),
            Ok(_) => Err(self.trouble("it has ended")),
            Err(error) => Err(self.trouble(error)),
        }
    }

    /// The line that begins with a word, without it.
    fn hear_word(&mut self, word: &str) -> Result<String, TextError> {
        loop {
            if let Some(rest) = self.line()?.strip_prefix(word) {
                return Ok(rest.trim().to_string());
            }
        }
    }

    /// The answer to a command of GTP.
    fn reply(&mut self) -> Result<String, TextError> {
        loop {
            let line = self.line()?;
            if let Some(rest) = line.strip_prefix('=') {
                return Ok(rest.trim().to_string());
            }
            if line.starts_with('?') {
                return Err(self.trouble(line));
            }
        }
    }
}

fn colour(turn: Color) -> &'static str {
    if turn == Color::Black { "b" } else { "w" }
}

impl<P: Own> Opponent<P> for Program {
    fn begin(&mut self, start: &P) -> Result<(), TextError> {
        if self.go.is_some() {
            return self.say("usinewgame");
        }
        for line in [vec!["clear_board".to_string()], start.introduction()].concat() {
            self.say(&line)?;
            self.reply()?;
        }
        Ok(())
    }

    fn hear(&mut self, before: &P, mv: P::Move) -> Result<(), TextError> {
        if self.go.is_none() {
            self.say(&format!("play {} {}", colour(before.turn()), before.move_text(mv)))?;
            self.reply()?;
        }
        Ok(())
    }

    fn choose(&mut self, line: &Line<P>, text: &[String], _: Seed) -> Result<Option<P::Move>, TextError> {
        let position = line.position();
        let answer = match self.go.clone() {
            Some(go) => {
                let moves = if text.is_empty() { String::new() } else { format!(" moves {}", text.join(" ")) };
                self.say(&format!("position startpos{moves}"))?;
                self.say(&go)?;
                self.hear_word("bestmove")?
            }
            None => {
                self.say(&format!("genmove {}", colour(position.turn())))?;
                self.reply()?
            }
        };
        // `resign`, `(none)` and the like are no moves.
        let word = answer.split_whitespace().next().unwrap_or_default();
        Ok(position.parse_move(word).or_else(|_| position.parse_move(&word.to_lowercase())).ok())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
