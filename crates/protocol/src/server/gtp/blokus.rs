//! The commands of Blokus Duo, as Pentobi has them.

use std::fs;
use std::io::{self, Write};

use yomi_core::{Color, Notation, Position, Seed, Spec, TextError};
use yomi_games::blokus::{BlokusDuo, BlokusMove, records};

use super::desk::{Desk, Genmove, Playable};
use super::{Answer, Builder, Engine, GtpOptions, Table};
use crate::gtp::{Command, parse_color};
use crate::server::candidates::chance;
use crate::server::console::Console;

const COMMANDS: &[&str] = &[
    "set_game",
    "clear_board",
    "play",
    "p",
    "genmove",
    "g",
    "reg_genmove",
    "undo",
    "all_legal",
    "final_score",
    "showboard",
    "get_value",
    "move_values",
    "move_info",
    "param",
    "param_base",
    "savesgf",
    "printsgf",
];

impl Playable for BlokusDuo {
    fn handed_to(&self, color: Color) -> Result<Self, TextError> {
        let pieces = Color::BOTH.map(|side| self.pieces(side));
        let position = BlokusDuo::set_up(self.rules_in_force(), [&pieces[0], &pieces[1]], color);
        position.map_err(|fault| TextError::new(fault.message))
    }

    /// Pentobi's controllers leave out passes, for there is never a choice.
    fn forced_pass(&self, color: Color) -> Option<BlokusMove> {
        let stuck = self.turn() != color && !self.can_place(self.turn());
        let mut moves = Vec::new();
        (stuck && self.generate(&mut moves).is_none()).then(|| moves[0])
    }

    fn should_pass(&self) -> Option<BlokusMove> {
        None
    }

    fn has_dead_stones(&self, _seed: Seed) -> bool {
        false
    }

    fn expected_length(&self) -> u32 {
        16
    }
}

pub(super) struct BlokusTable {
    desk: Desk<BlokusDuo>,
    start: BlokusDuo,
}

impl BlokusTable {
    pub(super) fn new(game: &Spec, engine: Engine<BlokusDuo>) -> Result<BlokusTable, TextError> {
        let start = BlokusDuo::start(game)?;
        Ok(BlokusTable { desk: Desk::new(start.clone(), engine), start })
    }

    fn play(&mut self, color: Color, text: &str) -> Result<(), TextError> {
        self.desk.play(color, text).map_err(|error| error.context("invalid move"))
    }

    /// The side to move that can move; passes are left out.
    fn mover(&self) -> Color {
        let position = self.desk.position();
        if position.can_place(position.turn()) { position.turn() } else { !position.turn() }
    }

    fn genmove<W: Write>(
        &mut self,
        console: &mut Console<W>,
        color: Result<Color, TextError>,
        options: &GtpOptions,
        kind: Genmove,
    ) -> io::Result<Answer> {
        let color = match color {
            Ok(color) => color,
            Err(error) => return Ok(Answer::Text(Err(error))),
        };
        if !self.desk.position().can_place(color) {
            return Ok(Answer::Text(Ok("pass".to_string())));
        }
        let chosen = self.desk.genmove(console, color, options, kind, None)?;
        Ok(Answer::Text(chosen.map(|choice| choice.to_string())))
    }

    fn all_legal(&self, color: Color) -> Result<String, TextError> {
        let position = self.desk.position();
        let position = if position.turn() == color { position.clone() } else { position.handed_to(color)? };
        let mut moves = Vec::new();
        if position.can_place(color) {
            position.generate(&mut moves);
        }
        let names: Vec<String> = moves.into_iter().map(|mv| position.move_text(mv)).collect();
        Ok(format!("\n{}", names.join("\n")))
    }
}

impl<W: Write> Table<W> for BlokusTable {
    fn commands(&self) -> &'static [&'static str] {
        COMMANDS
    }

    fn reseat(&mut self, builder: &dyn Builder) -> Result<(), TextError> {
        self.desk.reseat(builder.blokus()?);
        Ok(())
    }

    fn rules(&self) -> Option<yomi_games::go::Rules> {
        None
    }

    fn obey(&mut self, command: &Command, console: &mut Console<W>, options: &mut GtpOptions) -> io::Result<Answer> {
        let done = |result: Result<(), TextError>| Answer::Text(result.map(|()| String::new()));
        let color = || command.arg(0, "a colour").and_then(parse_color);
        let text = |text: String| Ok(Answer::Text(Ok(text)));
        match command.name.as_str() {
            "set_game" => {
                let game = command.args.join(" ");
                let known = game.eq_ignore_ascii_case("blokus duo") || game.eq_ignore_ascii_case("duo");
                self.desk.reset(self.start.clone());
                Ok(done(if known { Ok(()) } else { Err(TextError::new("only Blokus Duo is played here")) }))
            }
            "clear_board" => {
                self.desk.reset(self.start.clone());
                Ok(done(Ok(())))
            }
            "play" => {
                let played = color().and_then(|color| self.play(color, command.arg(1, "a move")?));
                Ok(done(played))
            }
            "p" => {
                let mover = self.mover();
                let played = command.arg(0, "a move").and_then(|text| self.play(mover, text));
                Ok(done(played))
            }
            "genmove" => self.genmove(console, color(), options, Genmove::Play),
            "reg_genmove" => self.genmove(console, color(), options, Genmove::Suggest),
            "g" => self.genmove(console, Ok(self.mover()), options, Genmove::Play),
            "undo" => Ok(done(self.desk.undo())),
            "all_legal" => Ok(color().and_then(|color| self.all_legal(color)).into()),
            "final_score" => text(self.desk.position().score_text().unwrap_or_default()),
            "showboard" => text(format!("\n{}", self.desk.position())),
            "get_value" | "move_values" => {
                let win = self.desk.win();
                let position = self.desk.position().clone();
                let Some(verdict) = self.desk.belief(console, options)? else {
                    return Ok(Answer::Text(Err(TextError::new("the game is over"))));
                };
                if command.name == "get_value" {
                    return text(format!("{:.4}", chance(verdict.value, win)));
                }
                let rows = verdict.moves.iter().filter(|row| row.visits > 0);
                let rows = rows
                    .map(|row| format!("{} {:.4} {}", row.visits, chance(row.value, win), position.move_text(row.mv)));
                text(format!("\n{}", rows.collect::<Vec<_>>().join("\n")))
            }
            "move_info" => {
                let info = command.arg(0, "a move").and_then(BlokusMove::parse).and_then(|mv| {
                    let piece = mv.piece().ok_or_else(|| TextError::new("a pass is no piece"))?;
                    Ok(format!("\nPiece: {}\nPoints: {}\nCode: {}", piece.name(), mv.points(), mv.code()))
                });
                Ok(info.into())
            }
            // Parameters belong to the player's name here.
            "param" | "param_base" if command.args.is_empty() => text(String::new()),
            "param" | "param_base" => Ok(Answer::Text(Err(TextError::new("this player has no such parameter")))),
            "printsgf" => text(format!("\n{}", records::write(&self.desk.record()))),
            "savesgf" => {
                let saved = command.arg(0, "a file").and_then(|name| {
                    let written = fs::write(name, records::write(&self.desk.record()));
                    written.map_err(|error| TextError::new(format!("cannot write {name}: {error}")))
                });
                Ok(done(saved))
            }
            _ => Ok(Answer::Unknown),
        }
    }

    fn load(&mut self, bytes: &[u8], until: Option<usize>) -> Result<(), TextError> {
        let record = records::read(bytes)?;
        let moves = record.moves();
        let count = until.map_or(moves.len(), |until| until.saturating_sub(1).min(moves.len()));
        self.desk.reset(record.start.clone());
        for mv in &moves[..count] {
            let position = self.desk.position();
            let (turn, name) = (position.turn(), position.move_text(*mv));
            self.desk.play(turn, &name)?;
        }
        Ok(())
    }
}
