//! `yomi play`: a game at the terminal, against a player or between two people.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Line, Outcome, Record, Seed};
use yomi_games::draw::{Marks, TextOptions, terminal};
use yomi_lab::arena::Staged;
use yomi_search::{Limits, Search, Verdict};

use crate::commands::show::outcome_text;
use crate::files;
use crate::games::{PositionArgs, with_game};
use crate::players::{Budget, Playable, Player};

/// Play a game at the terminal
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi play --game minishogi --player 'mcss(t=80)' --sims 2000
  yomi play --game go9 --player 'uct + rollout' --side white --time 3
  yomi play --game blokus-duo --side both --save game.blksgf

Moves are typed as the game writes them (yomi show --json lists them). Besides moves there are:
  hint      what the player would do      undo      take your last move back
  moves     all legal moves               board     draw the board again
  resign    give up                       declare   claim a win by entering king
  save FILE keep the game (its ending tells the format)
  quit      leave")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// The opponent: 'mcss(t=80) + quiet(material)'
    #[arg(long, default_value = "uct", value_name = "PLAYER")]
    player: Player,
    #[command(flatten)]
    budget: Budget,
    /// The side you play
    #[arg(long, value_enum, default_value_t = Side::Black)]
    side: Side,
    /// All chance descends from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the game here when it is over or left: .kifu, .csa, .sgf, .blksgf, .txt
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Letters instead of kanji, and nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    Black,
    White,
    /// Two people at one terminal; the player only gives hints
    Both,
}

impl Side {
    fn is(self, color: Color) -> bool {
        match self {
            Side::Black => color == Color::Black,
            Side::White => color == Color::White,
            Side::Both => true,
        }
    }
}

/// Without any budget a move gets this long.
const DEFAULT_TIME: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let input = &mut std::io::stdin().lock();
    with_game!(&args.position.game, |start| play(args, start, input, out))
}

/// A game in progress.
struct Game<'a, P: Playable + Staged> {
    args: &'a Args,
    start: P,
    line: Line<P>,
    moves: Vec<P::Move>,
    search: Box<dyn Search<P>>,
    limits: Limits,
    /// How it ended, if somebody ended it.
    ended: Option<Ending>,
}

/// What a typed line leads to.
enum Step {
    Draw,
    Stay,
    Leave,
}

fn play<P: Playable + Staged>(
    args: &Args,
    start: P,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (line, moves) = args.position.line(start.clone())?;
    let start = args.position.begin(start)?;
    let mut limits = args.player.budget.limits(&args.budget, args.seed)?;
    let open = [limits.simulations, limits.evaluations, limits.nodes].iter().all(Option::is_none);
    if open && limits.depth.is_none() && limits.time.is_none() {
        limits.time = Some(DEFAULT_TIME);
    }
    let mut game = Game { args, start, line, moves, search: args.player.build::<P>()?, limits, ended: None };
    game.draw(&Marks::new(), out)?;
    loop {
        if game.outcome().is_none() && !args.side.is(game.line.position().turn()) {
            game.answer(out)?;
            continue;
        }
        write!(out, "> ")?;
        out.flush()?;
        let mut text = String::new();
        if input.read_line(&mut text)? == 0 {
            writeln!(out)?;
            break;
        }
        match game.obey(text.trim(), out) {
            Ok(Step::Draw) => game.draw(&Marks::new(), out)?,
            Ok(Step::Stay) => {}
            Ok(Step::Leave) => break,
            // What a person mistypes is no reason to end.
            Err(error) => writeln!(out, "{error:#}")?,
        }
    }
    if let Some(path) = &args.save {
        game.save(path, out)?;
    }
    Ok(())
}

impl<P: Playable + Staged> Game<'_, P> {
    /// How the game has ended, by the rules or by somebody's will.
    fn outcome(&self) -> Option<Outcome> {
        let by_will = self.ended.and_then(|ending| ending.outcome(self.line.position().turn()));
        by_will.or_else(|| self.line.generate(&mut Vec::new()))
    }

    fn draw(&self, marks: &Marks<P::Move>, out: &mut dyn Write) -> anyhow::Result<()> {
        let position = self.line.position();
        let marks = Marks { last: marks.last.or(self.moves.last().copied()), ..marks.clone() };
        let picture = position.picture(&marks);
        let picture = if self.args.side == Side::White { picture.turned() } else { picture };
        let options =
            TextOptions { color: std::io::stdout().is_terminal(), ascii: self.args.ascii, ..TextOptions::default() };
        writeln!(out, "{}", terminal(&picture, &options).trim_end())?;
        match self.outcome() {
            None => writeln!(out, "{:?} to move", position.turn())?,
            Some(outcome) => {
                let score = position.score_text().map_or(String::new(), |score| format!(" ({score})"));
                writeln!(out, "game over: {}{score}; undo, save FILE or quit", outcome_text(outcome))?;
            }
        }
        Ok(())
    }

    fn think(&mut self) -> Verdict<P::Move> {
        let seed = Seed::new(self.args.seed).branch("move", self.moves.len() as u64);
        self.search.search(&self.line, &self.limits.clone().seeded(seed), &mut ())
    }

    /// The player moves.
    fn answer(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.line.position().turn();
        if self.line.position().declared() == Some(Outcome::Win(turn)) {
            writeln!(out, "{turn:?} declares a win")?;
            self.ended = Some(Ending::Declaration);
        } else {
            let verdict = self.think();
            let mv = verdict.best.context("the search found no move")?;
            writeln!(out, "{turn:?} plays {} (value {:+.3})", self.line.position().move_text(mv), verdict.value)?;
            self.push(mv);
        }
        self.draw(&Marks::new(), out)
    }

    fn push(&mut self, mv: P::Move) {
        self.line.play(mv);
        self.moves.push(mv);
        self.search.played(mv);
    }

    fn obey(&mut self, text: &str, out: &mut dyn Write) -> anyhow::Result<Step> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "" => return Ok(Step::Stay),
            "quit" | "exit" => return Ok(Step::Leave),
            "board" => return Ok(Step::Draw),
            "undo" => return self.undo(),
            "save" => {
                self.save(Path::new(rest.trim()), out)?;
                return Ok(Step::Stay);
            }
            "help" | "?" => {
                writeln!(out, "a move, or hint, undo, moves, board, resign, declare, save FILE, quit")?;
                return Ok(Step::Stay);
            }
            _ => {}
        }
        if self.outcome().is_some() {
            bail!("the game is over: undo, save FILE or quit");
        }
        match word {
            "hint" => self.hint(out)?,
            "moves" => {
                let mut legal = Vec::new();
                self.line.generate(&mut legal);
                let words: Vec<String> = legal.iter().map(|&mv| self.line.position().move_text(mv)).collect();
                writeln!(out, "{}", words.join(" "))?;
            }
            "resign" => {
                self.ended = Some(Ending::Resign);
                return Ok(Step::Draw);
            }
            "declare" => {
                self.ended = Some(match self.line.position().declared() {
                    Some(Outcome::Draw) => Ending::Impasse,
                    Some(Outcome::Win(_)) => Ending::Declaration,
                    None => bail!("there is nothing to declare here"),
                });
                return Ok(Step::Draw);
            }
            _ => {
                let mv = self.line.position().parse_move(text)?;
                if !self.line.is_legal(mv) {
                    bail!("{text} is forbidden by what was played before");
                }
                self.push(mv);
                return Ok(Step::Draw);
            }
        }
        Ok(Step::Stay)
    }

    /// What the player would do, with arrows on the board.
    fn hint(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let verdict = self.think();
        let best = verdict.moves.iter().take(3);
        let most = verdict.moves.iter().map(|mv| mv.visits).max().unwrap_or(1).max(1) as f32;
        let marks = best.fold(Marks::new(), |marks, mv| marks.arrow(mv.mv, mv.visits as f32 / most, ""));
        self.draw(&marks, out)?;
        for mv in verdict.moves.iter().take(3) {
            writeln!(
                out,
                "{:<10} value {:+.3}  visits {}",
                self.line.position().move_text(mv.mv),
                mv.value,
                mv.visits
            )?;
        }
        if verdict.moves.is_empty()
            && let Some(mv) = verdict.best
        {
            writeln!(out, "{:<10} value {:+.3}", self.line.position().move_text(mv), verdict.value)?;
        }
        Ok(())
    }

    /// Back to the person's last turn.
    fn undo(&mut self) -> anyhow::Result<Step> {
        if self.ended.take().is_some() {
            return Ok(Step::Draw);
        }
        let mut keep = self.moves.len();
        loop {
            keep = keep.checked_sub(1).context("there is nothing to take back")?;
            let color = if keep.is_multiple_of(2) { self.start.turn() } else { !self.start.turn() };
            if self.args.side.is(color) {
                break;
            }
        }
        self.moves.truncate(keep);
        self.line = Line::new(self.start.clone());
        self.moves.iter().for_each(|&mv| self.line.play(mv));
        self.search.new_game();
        Ok(Step::Draw)
    }

    fn save(&self, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut record = Record::new(self.start.clone());
        let machine = self.args.player.to_string();
        let name = |color| if self.args.side.is(color) { "you".to_string() } else { machine.clone() };
        let names = P::PLAYER_KEYS.into_iter().zip(Color::BOTH);
        record.headers = names.map(|(key, color)| (key.to_string(), name(color))).collect();
        let node = self.moves.iter().fold(ROOT, |node, &mv| record.add(node, Some(mv)));
        let by_rule = self.line.generate(&mut Vec::new()).map(|outcome| P::ending(&self.line, outcome));
        if let Some(ending) = self.ended.or(by_rule) {
            let end = record.add(node, None);
            record.nodes[end].ending = Some(ending);
        }
        let files = P::write_record(&record)?;
        let asked = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let Some((_, bytes)) = files.iter().find(|(ending, _)| *ending == asked) else {
            let endings: Vec<&str> = files.iter().map(|(ending, _)| *ending).collect();
            bail!("save FILE with one of these endings: {}", endings.join(", "));
        };
        files::write(path, bytes, out)?;
        writeln!(out, "saved {}", path.display())?;
        Ok(())
    }
}
