//! The commands of Go.

use std::fs;
use std::io::{self, Write};
use std::sync::Arc;

use yomi_core::{Color, Line, Notation, Outcome, Position, Seed, Spec, TextError};
use yomi_games::go::{Go, GoMove, Points, Rules, Vertex, fixed_handicap, records};
use yomi_games::sgf;

use super::analysis::Request;
use super::desk::{Desk, Genmove, Playable};
use super::seki::seki;
use super::{Answer, Builder, Engine, GtpOptions, Table, maps};
use crate::gtp::{Choice, Command, parse_color};
use crate::server::candidates::chance;
use crate::server::console::Console;
use crate::server::forecast::Playouts;
use crate::server::go_rules;
use crate::server::ownership::Ownership;

/// The commands a board of Go understands.
const COMMANDS: &[&str] = &[
    "clear_board",
    "query_boardsize",
    "komi",
    "get_komi",
    "play",
    "genmove",
    "reg_genmove",
    "kgs-genmove_cleanup",
    "undo",
    "gg-undo",
    "play_sequence",
    "gogui-play_sequence",
    "gogui-setup",
    "gogui-setup_player",
    "set_position",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "final_score",
    "final_status_list",
    "showboard",
    "list_stones",
    "is_legal",
    "all_legal",
    "printsgf",
    "kgs-rules",
    "kata-set-rules",
    "kata-get-rules",
    "analyze",
    "lz-analyze",
    "kata-analyze",
    "genmove_analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "cgos-genmove_analyze",
    "gogui-analyze_commands",
    "yomi-visits",
    "yomi-visits_map",
    "yomi-values",
    "yomi-values_map",
    "yomi-priors_map",
    "yomi-ownership",
    "yomi-pv",
    "yomi-evaluation",
];

/// Playouts that decide about dead stones.
const FINAL_PLAYOUTS: u32 = 600;

impl<const LEN: usize> Playable for Go<LEN> {
    fn handed_to(&self, color: Color) -> Result<Self, TextError> {
        let mut position = self.clone();
        position.set_turn(color);
        Ok(position)
    }

    fn forced_pass(&self, _color: Color) -> Option<GoMove> {
        None
    }

    /// The other side has passed, and the board as it stands is won: nothing can be gained by playing on.
    fn should_pass(&self) -> Option<GoMove> {
        let won = self.passes() == 1 && self.score(&[]).outcome() == Outcome::Win(self.turn());
        won.then_some(GoMove::PASS)
    }

    fn has_dead_stones(&self, seed: Seed) -> bool {
        let ownership = Ownership::of(self, FINAL_PLAYOUTS, seed);
        ownership.dead(self).iter().any(|&v| self.at(v) == Some(!self.turn()))
    }

    /// A third of the points, as in games between people.
    fn expected_length(&self) -> u32 {
        (self.size() * self.size() / 3).max(20) as u32
    }
}

/// A board of Go.
struct GoTable<const LEN: usize> {
    desk: Desk<Go<LEN>>,
    maker: Maker<LEN>,
}

/// What a builder makes for boards of this size.
type Maker<const LEN: usize> = fn(&dyn Builder) -> Result<Engine<Go<LEN>>, TextError>;

/// An empty board of this size.
pub(super) fn open<B: Builder, W: Write>(
    builder: &B,
    size: usize,
    rules: Rules,
) -> Result<Box<dyn Table<W>>, TextError> {
    let rules = Rules { handicap: 0, ..rules };
    match size {
        0..=9 => table::<128, W>(Go::new(size, rules)?, builder, |builder| builder.go9()),
        10..=13 => table::<256, W>(Go::new(size, rules)?, builder, |builder| builder.go13()),
        _ => table::<512, W>(Go::new(size, rules)?, builder, |builder| builder.go19()),
    }
}

/// The board that a game's name and rules ask for.
pub(super) fn open_game<B: Builder, W: Write>(
    builder: &B,
    size: usize,
    game: &Spec,
) -> Result<Box<dyn Table<W>>, TextError> {
    match size {
        0..=9 => table::<128, W>(Go::start(game)?, builder, |builder| builder.go9()),
        10..=13 => table::<256, W>(Go::start(game)?, builder, |builder| builder.go13()),
        _ => table::<512, W>(Go::start(game)?, builder, |builder| builder.go19()),
    }
}

fn table<const LEN: usize, W: Write>(
    start: Go<LEN>,
    builder: &dyn Builder,
    maker: Maker<LEN>,
) -> Result<Box<dyn Table<W>>, TextError> {
    Ok(Box::new(GoTable { desk: Desk::new(start, engine(builder, maker)?), maker }))
}

/// An engine that reports leads.
fn engine<const LEN: usize>(builder: &dyn Builder, maker: Maker<LEN>) -> Result<Engine<Go<LEN>>, TextError> {
    let mut engine = maker(builder)?;
    engine.forecaster.get_or_insert_with(|| Arc::new(Playouts::default()));
    Ok(engine)
}

/// The size of the board in an SGF file.
pub(super) fn size_of_record(bytes: &[u8]) -> Result<usize, TextError> {
    let text = sgf::decode(bytes);
    let tree = sgf::trees(&text).next().ok_or_else(|| TextError::new("there is no game in this file"))??;
    records::size(&tree)
}

impl<const LEN: usize, W: Write> Table<W> for GoTable<LEN> {
    fn commands(&self) -> &'static [&'static str] {
        COMMANDS
    }

    fn reseat(&mut self, builder: &dyn Builder) -> Result<(), TextError> {
        self.desk.reseat(engine(builder, self.maker)?);
        Ok(())
    }

    fn rules(&self) -> Option<Rules> {
        Some(self.desk.position().ruleset())
    }

    fn obey(&mut self, command: &Command, console: &mut Console<W>, options: &mut GtpOptions) -> io::Result<Answer> {
        let color = || command.arg(0, "a colour").and_then(parse_color);
        match command.name.as_str() {
            "genmove" => self.genmove(console, color(), options, Genmove::Play),
            "reg_genmove" => self.genmove(console, color(), options, Genmove::Suggest),
            "kgs-genmove_cleanup" => self.genmove(console, color(), options, Genmove::CleanUp),
            "genmove_analyze" | "lz-genmove_analyze" | "kata-genmove_analyze" | "cgos-genmove_analyze" => {
                self.genmove_live(console, command, options)
            }
            "analyze" | "lz-analyze" | "kata-analyze" => self.analyze(console, command, options),
            "yomi-visits" | "yomi-visits_map" | "yomi-values" | "yomi-values_map" | "yomi-priors_map" | "yomi-pv"
            | "yomi-evaluation" => self.map(console, command, options),
            name if COMMANDS.contains(&name) => Ok(Answer::Text(self.answer(command, options))),
            _ => Ok(Answer::Unknown),
        }
    }

    fn load(&mut self, bytes: &[u8], until: Option<usize>) -> Result<(), TextError> {
        let text = sgf::decode(bytes);
        let tree = sgf::trees(&text).next().ok_or_else(|| TextError::new("there is no game in this file"))??;
        let record = records::read::<LEN>(&tree)?;
        self.desk.reset(record.start.clone());
        let moves = until.map_or(usize::MAX, |until| until.saturating_sub(1));
        let mut played = 0;
        for node in record.main_line() {
            let entry = &record.nodes[node];
            let sets_up = entry.properties.iter().any(|(id, _)| matches!(id.as_str(), "AB" | "AW" | "AE" | "PL"));
            if node != 0 && sets_up {
                self.desk.reset(records::position_at(&record, node)?);
                played += usize::from(entry.mv.is_some());
            } else if let Some(mv) = entry.mv {
                let turn = self.desk.position().turn();
                let name = self.desk.position().move_text(mv);
                self.desk.play(turn, &name)?;
                played += 1;
            }
            if played >= moves {
                break;
            }
        }
        if moves == 0 {
            self.desk.reset(record.start.clone());
        }
        Ok(())
    }
}

impl<const LEN: usize> GoTable<LEN> {
    /// The answer to a command that needs no thinking.
    fn answer(&mut self, command: &Command, options: &GtpOptions) -> Result<String, TextError> {
        let color = || command.arg(0, "a colour").and_then(parse_color);
        let done = |()| String::new();
        let position = self.desk.position();
        match command.name.as_str() {
            "clear_board" => self.clear().map(done),
            "query_boardsize" => Ok(position.size().to_string()),
            "komi" => self.komi(command).map(done),
            "get_komi" => Ok(position.ruleset().komi.to_string()),
            "play" => self.play(command).map(done),
            "play_sequence" | "gogui-play_sequence" => self.play_sequence(command).map(done),
            "undo" => self.desk.undo().map(done),
            "gg-undo" => {
                let count = command.args.first().map_or(Ok(1), |word| word.parse::<usize>());
                let count = count.map_err(|_| TextError::new("a number of moves was expected"))?;
                (0..count).try_for_each(|_| self.desk.undo()).map(done)
            }
            "gogui-setup" | "set_position" => self.set_up(command).map(done),
            "gogui-setup_player" => {
                let position = position.handed_to(color()?)?;
                self.desk.reset(position);
                Ok(String::new())
            }
            "fixed_handicap" | "place_free_handicap" => self.handicap(command),
            "set_free_handicap" => self.set_handicap(command).map(done),
            "final_score" => Ok(self.ownership(options).score(position).to_string()),
            "final_status_list" => self.status_list(command, options),
            "showboard" => Ok(format!("\n{position}")),
            "list_stones" => {
                let color = color()?;
                Ok(self.names(|v| position.at(v) == Some(color)))
            }
            "is_legal" => self.is_legal(color()?, command.arg(1, "a point")?).map(|legal| u8::from(legal).to_string()),
            "all_legal" => {
                let mut moves = Vec::new();
                self.desk.line.generate(&mut moves);
                let words: Vec<String> = moves.into_iter().map(|mv| position.move_text(mv)).collect();
                Ok(words.join(" "))
            }
            "printsgf" => self.print(command),
            "kgs-rules" | "kata-set-rules" => {
                let rules = go_rules::parse(&command.args.join(" "), position.ruleset())?;
                self.desk.restart(|start| start.set_rules(rules)).map(done)
            }
            "kata-get-rules" => Ok(go_rules::json(position.ruleset())),
            "gogui-analyze_commands" => Ok(format!("\n{}", maps::COMMANDS)),
            "yomi-ownership" => {
                let ownership = self.ownership(options);
                Ok(maps::board(position, |index| format!("{:.3}", ownership.points[index])))
            }
            _ => Err(TextError::new("unknown command")),
        }
    }

    fn is_legal(&self, color: Color, point: &str) -> Result<bool, TextError> {
        let position = self.desk.position();
        let other = Line::new(position.handed_to(color)?);
        let line = if position.turn() == color { &self.desk.line } else { &other };
        Ok(line.position().parse_move(point).is_ok_and(|mv| line.is_legal(mv)))
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
        let chosen = self.desk.genmove(console, color, options, kind, None)?;
        Ok(Answer::Text(chosen.map(|choice| choice.to_string())))
    }

    /// `genmove` with a report now and then: the answer begins at once and ends with the move.
    fn genmove_live<W: Write>(
        &mut self,
        console: &mut Console<W>,
        command: &Command,
        options: &GtpOptions,
    ) -> io::Result<Answer> {
        let request = match Request::parse(command) {
            Ok(request) => request,
            Err(error) => return Ok(Answer::Text(Err(error))),
        };
        let color = request.color.unwrap_or_else(|| self.desk.position().turn());
        begin(console, command)?;
        let chosen = self.desk.genmove(console, color, options, Genmove::Play, Some(&request))?;
        let choice = chosen.unwrap_or(Choice::Resign);
        console.say(format!("play {choice}\n"))?;
        Ok(Answer::Printed)
    }

    fn analyze<W: Write>(
        &mut self,
        console: &mut Console<W>,
        command: &Command,
        options: &GtpOptions,
    ) -> io::Result<Answer> {
        let request = match Request::parse(command) {
            Ok(request) => request,
            Err(error) => return Ok(Answer::Text(Err(error))),
        };
        begin(console, command)?;
        let _ = self.desk.analyze(console, &request, options)?;
        console.say("")?;
        Ok(Answer::Printed)
    }

    fn map<W: Write>(
        &mut self,
        console: &mut Console<W>,
        command: &Command,
        options: &GtpOptions,
    ) -> io::Result<Answer> {
        let position = self.desk.position().clone();
        let win = self.desk.win();
        let Some(verdict) = self.desk.belief(console, options)? else {
            return Ok(Answer::Text(Err(TextError::new("the game is over"))));
        };
        let most = verdict.moves.iter().map(|row| row.visits).max().unwrap_or(0).max(1) as f32;
        let seen = |visits: u64, text: String| (visits > 0).then_some(text);
        let text = match command.name.as_str() {
            "yomi-visits" => maps::moves(&position, verdict, "\"\"", |row| seen(row.visits, row.visits.to_string())),
            "yomi-visits_map" => {
                maps::moves(&position, verdict, "0", |row| Some(format!("{:.3}", row.visits as f32 / most)))
            }
            "yomi-values" => maps::moves(&position, verdict, "\"\"", |row| {
                seen(row.visits, format!("{:.0}", 100.0 * chance(row.value, win)))
            }),
            "yomi-values_map" => maps::moves(&position, verdict, "0", |row| {
                seen(row.visits, format!("{:.3}", 2.0 * chance(row.value, win) - 1.0))
            }),
            "yomi-priors_map" => maps::moves(&position, verdict, "0", |row| Some(format!("{:.4}", row.prior))),
            "yomi-pv" => maps::numbered_variation(&position, verdict),
            _ => maps::evaluation(&position, verdict, win),
        };
        Ok(Answer::Text(Ok(text)))
    }

    /// An empty board under the same rules.
    fn clear(&mut self) -> Result<(), TextError> {
        let position = self.desk.position();
        let rules = Rules { handicap: 0, ..position.ruleset() };
        let empty = Go::new(position.size(), rules)?;
        self.desk.reset(empty);
        Ok(())
    }

    fn komi(&mut self, command: &Command) -> Result<(), TextError> {
        let word = command.arg(0, "a number of points")?;
        let komi: Points = word.parse().map_err(|()| TextError::at(word, 0, "komi is a number in halves"))?;
        let rules = Rules { komi, ..self.desk.position().ruleset() };
        self.desk.restart(|start| start.set_rules(rules))
    }

    fn play(&mut self, command: &Command) -> Result<(), TextError> {
        let color = parse_color(command.arg(0, "a colour")?)?;
        let point = command.arg(1, "a point")?;
        if point.eq_ignore_ascii_case("resign") {
            return Ok(());
        }
        self.desk.play(color, point).map_err(|error| error.context("illegal move"))
    }

    fn play_sequence(&mut self, command: &Command) -> Result<(), TextError> {
        for pair in command.args.chunks(2) {
            self.play(&Command::new("play", pair))?;
        }
        Ok(())
    }

    /// `b A1 w B2 …`: these stones and no others.
    fn set_up(&mut self, command: &Command) -> Result<(), TextError> {
        let now = self.desk.position();
        let mut position = Go::new(now.size(), Rules { handicap: 0, ..now.ruleset() })?;
        let mut stones = Vec::new();
        for pair in command.args.chunks(2) {
            let [color, point] = pair else { return Err(TextError::new("a colour and a point were expected")) };
            stones.push((position.parse_vertex(point)?, Some(parse_color(color)?)));
        }
        position.edit(stones)?;
        self.desk.reset(position);
        Ok(())
    }

    /// Stones on the star points; answers where. A free handicap is placed there as well, as far as there are points.
    fn handicap(&mut self, command: &Command) -> Result<String, TextError> {
        let word = command.arg(0, "a number of stones")?;
        let stones: usize = word.parse().map_err(|_| TextError::at(word, 0, "a number of stones was expected"))?;
        self.require_empty()?;
        let size = self.desk.position().size();
        let free = command.name == "place_free_handicap";
        let fewer = (2..=stones.min(9)).rev().find_map(|n| fixed_handicap(size, n).ok());
        let points = match fixed_handicap(size, stones) {
            Ok(points) => points,
            Err(error) => fewer.filter(|_| free && stones >= 2).ok_or(error)?,
        };
        let names: Vec<String> = {
            let position = self.desk.position();
            let vertices = points.into_iter().filter_map(|(column, row)| position.vertex(column, row));
            vertices.map(|v| position.vertex_text(v)).collect()
        };
        self.set_handicap(&Command::new("set_free_handicap", names.iter().map(String::as_str)))?;
        Ok(names.join(" "))
    }

    fn set_handicap(&mut self, command: &Command) -> Result<(), TextError> {
        self.require_empty()?;
        let position = self.desk.position();
        let stones: Result<Vec<Vertex>, TextError> =
            command.args.iter().map(|name| position.parse_vertex(name)).collect();
        let position = position.with_handicap(&stones?)?;
        self.desk.reset(position);
        Ok(())
    }

    fn require_empty(&self) -> Result<(), TextError> {
        let position = self.desk.position();
        let stones: u32 = Color::BOTH.iter().map(|&color| position.stones(color)).sum();
        if stones == 0 && self.desk.is_untouched() { Ok(()) } else { Err(TextError::new("board not empty")) }
    }

    fn ownership(&self, options: &GtpOptions) -> Ownership {
        Ownership::of(self.desk.position(), FINAL_PLAYOUTS, options.seed.branch("ownership", 0))
    }

    /// The names of the points for which something holds.
    fn names(&self, holds: impl Fn(Vertex) -> bool) -> String {
        let position = self.desk.position();
        let names: Vec<String> = position.vertices().filter(|&v| holds(v)).map(|v| position.vertex_text(v)).collect();
        names.join(" ")
    }

    /// `dead`, `alive`, `seki`, `black_territory` or `white_territory`; of stones, a chain a line.
    fn status_list(&self, command: &Command, options: &GtpOptions) -> Result<String, TextError> {
        let position = self.desk.position();
        let dead = self.ownership(options).dead(position);
        let owners = position.owners(&dead);
        let territory = |color: Color| {
            let own = |v: Vertex| owners[position.index(v)] == Some(color);
            self.names(|v| own(v) && (position.is_empty(v) || dead.contains(&v)))
        };
        let chains = |is_wanted: &dyn Fn(Vertex) -> bool| {
            let heads = position.vertices().filter(|&v| position.chain(v).min() == Some(v));
            let wanted = heads.filter(|&v| is_wanted(v));
            let lines = wanted.map(|v| {
                let names: Vec<String> = position.chain(v).map(|stone| position.vertex_text(stone)).collect();
                names.join(" ")
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        match command.arg(0, "dead, alive, seki, black_territory or white_territory")? {
            "dead" => Ok(chains(&|v| dead.contains(&v))),
            "alive" => {
                let seki = seki(position, &dead);
                Ok(chains(&|v| !dead.contains(&v) && !seki.contains(&v)))
            }
            "seki" => {
                let seki = seki(position, &dead);
                Ok(chains(&|v| seki.contains(&v)))
            }
            "black_territory" => Ok(territory(Color::Black)),
            "white_territory" => Ok(territory(Color::White)),
            _ => Err(TextError::new("invalid status")),
        }
    }

    /// `printsgf [FILE]`.
    fn print(&self, command: &Command) -> Result<String, TextError> {
        let text = records::write(&self.desk.record());
        match command.args.first() {
            None => Ok(format!("\n{text}")),
            Some(name) => {
                let written = fs::write(name, text);
                written.map(|()| String::new()).map_err(|error| TextError::new(format!("cannot write {name}: {error}")))
            }
        }
    }
}

/// The first line of an answer whose other lines come as they are known.
fn begin<W: Write>(console: &mut Console<W>, command: &Command) -> io::Result<()> {
    console.say(format!("={}", command.id.map_or(String::new(), |id| id.to_string())))
}
