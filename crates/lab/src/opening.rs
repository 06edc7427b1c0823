//! How games begin: from the start position, from random moves, or from a collection.

use serde::{Deserialize, Serialize};
use yomi_core::{Line, Record, Seed, Spec, TextError};

use yomi_games::Game;

/// The beginning of a game, in the game's own notation.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The position; the usual start if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Moves played from there, separated by spaces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub moves: String,
}

/// Where openings come from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum OpeningSource {
    /// Every game begins at the start position.
    Start,
    /// This many random legal moves, drawn anew for each round.
    Random {
        /// How many.
        plies: u32,
    },
    /// A random pentomino of each side (S1.4), drawn anew for each round.
    Pentomino,
    /// This many random legal moves after which a search finds the game even.
    Balanced {
        /// How many.
        plies: u32,
        /// The most that the position may be worth to either side, in the unit of the judge.
        within: f32,
        /// Who judges, with a budget: a player of ours.
        by: String,
    },
    /// A collection, one after the other, from the beginning again at its end. Its lines are kept beside the ledger.
    File {
        /// Where it came from.
        path: String,
        /// Its SHA-256.
        sha256: String,
        /// How many openings it gave.
        count: usize,
        /// After how many plies its games are cut.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plies: Option<usize>,
        /// Whether they were shuffled, by the seed of the match.
        #[serde(default)]
        shuffled: bool,
    },
}

/// Who judges balanced openings where the text does not say it.
const JUDGE: &str = "level(6)";

impl OpeningSource {
    /// The openings that a text describes: `start`, `random(8)`, `balanced(8,within=100,by="alpha-beta nodes=3000")` or `pentomino` (S1.4).
    pub fn parse(text: &str) -> Result<OpeningSource, TextError> {
        let spec = Spec::parse(text)?;
        let plies = || spec.positional(0).ok_or_else(|| spec.error(format!("say how many plies: {}(8)", spec.name)));
        let source = match spec.name.as_str() {
            "start" => OpeningSource::Start,
            "pentomino" => OpeningSource::Pentomino,
            "random" => OpeningSource::Random { plies: plies()?.value()? },
            "balanced" => {
                let within = spec.get("within").ok_or_else(|| {
                    spec.error("say how far from even: balanced(8,within=100), in the unit of who judges")
                })?;
                let amount: f32 = within.value()?;
                if !(amount > 0.0 && amount.is_finite()) {
                    return Err(within.error("within is a number above 0"));
                }
                let by = spec
                    .get("by")
                    .map_or(JUDGE.to_string(), |by| if by.is_bare() { by.name.clone() } else { by.to_string() });
                OpeningSource::Balanced { plies: plies()?.value()?, within: amount, by }
            }
            _ => {
                return Err(spec
                    .unknown("a kind of opening", ["start", "random(plies)", "balanced(plies,within=)", "pentomino"]));
            }
        };
        spec.reject_unused()?;
        Ok(source)
    }
}

/// Which moves random openings are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drawn {
    /// All legal moves but passes that are not forced: to pass in an opening gives the game away.
    Moves,
    /// Only pentominoes (S1.4).
    Pentominoes,
}

/// How often a random opening that ends the game is drawn again.
const TRIES: u64 = 1000;

/// An opening of random moves that leaves the game open.
pub fn random<P: Game>(start: &P, plies: u32, drawn: Drawn, seed: Seed) -> Result<Opening, TextError> {
    let mut legal = Vec::new();
    for attempt in 0..TRIES {
        let mut rng = seed.branch("attempt", attempt).rng();
        let mut line = Line::new(start.clone());
        let mut words = Vec::new();
        while words.len() < plies as usize && line.generate(&mut legal).is_none() {
            if drawn == Drawn::Pentominoes {
                legal.retain(|&mv| P::is_pentomino(mv));
            }
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len())];
            // A pass that is not forced: drawn again from the beginning, so that openings without one are what they always were.
            if P::is_pass(mv) && legal.len() > 1 {
                break;
            }
            words.push(line.position().move_text(mv));
            line.play(mv);
        }
        if words.len() == plies as usize && line.generate(&mut legal).is_none() {
            return Ok(Opening { position: None, moves: words.join(" ") });
        }
    }
    let what = if drawn == Drawn::Pentominoes { "pentominoes" } else { "random moves" };
    Err(TextError::new(format!("{} cannot begin with {plies} {what}", start.rules())))
}

/// The position and the moves of an opening, every move checked.
#[allow(clippy::type_complexity, reason = "three plain things")]
pub fn replay<P: Game>(start: &P, opening: &Opening) -> Result<(P, Vec<P::Move>, Line<P>), TextError> {
    let start = match &opening.position {
        None => start.clone(),
        Some(text) => start.parse_position(text)?,
    };
    let mut line = Line::new(start.clone());
    let mut moves = Vec::new();
    for (i, word) in opening.moves.split_whitespace().enumerate() {
        let mv = line.position().parse_move(word).map_err(|error| error.context(format!("move {}", i + 1)))?;
        if !line.is_legal(mv) {
            return Err(TextError::new(format!("move {}: {word} is forbidden by what was played before", i + 1)));
        }
        line.play(mv);
        moves.push(mv);
    }
    Ok((start, moves, line))
}

/// The openings of a file: records where its ending says so, lines of positions and moves otherwise. Games are cut after `plies` moves.
/// All must be playable and leave the game open.
pub fn read<P: Game>(start: &P, bytes: &[u8], ending: &str, plies: Option<usize>) -> Result<Vec<Opening>, TextError> {
    let openings = match ending.to_ascii_lowercase().as_str() {
        "kif" | "kifu" | "ki2" | "ki2u" | "csa" | "csa3" | "sgf" | "blksgf" => from_records(start, bytes, plies)?,
        _ => from_lines(start, bytes, plies)?,
    };
    if openings.is_empty() {
        return Err(TextError::new("there is no opening in this file"));
    }
    Ok(openings)
}

fn from_records<P: Game>(start: &P, bytes: &[u8], plies: Option<usize>) -> Result<Vec<Opening>, TextError> {
    let default = start.position_text();
    let mut openings = Vec::new();
    for (i, record) in P::read_records(bytes)?.into_iter().enumerate() {
        let position = Some(record.start.position_text()).filter(|text| *text != default);
        let opening = Opening { position, moves: words(&record, plies) };
        check(start, &opening).map_err(|error| error.context(format!("game {}", i + 1)))?;
        openings.push(opening);
    }
    Ok(openings)
}

/// The games of records cut after `plies` moves, finished or not: where a problem stands, the game is not asked whether it is over.
pub(crate) fn read_unfinished<P: Game>(
    start: &P,
    bytes: &[u8],
    plies: Option<usize>,
) -> Result<Vec<Opening>, TextError> {
    let default = start.position_text();
    let mut openings = Vec::new();
    for record in P::read_records(bytes)? {
        let position = Some(record.start.position_text()).filter(|text| *text != default);
        openings.push(Opening { position, moves: words(&record, plies) });
    }
    Ok(openings)
}

/// The moves of a record as text, this many of them.
fn words<P: Game>(record: &Record<P>, plies: Option<usize>) -> String {
    let mut at = record.start.clone();
    let mut words = Vec::new();
    for mv in record.moves().into_iter().take(plies.unwrap_or(usize::MAX)) {
        words.push(at.move_text(mv));
        at.play(mv);
    }
    words.join(" ")
}

fn from_lines<P: Game>(start: &P, bytes: &[u8], plies: Option<usize>) -> Result<Vec<Opening>, TextError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| TextError::new(format!("no UTF-8 from byte {} on", error.valid_up_to())))?;
    let mut openings = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut opening = from_line(start, line);
        if let Some(plies) = plies {
            opening.moves = opening.moves.split_whitespace().take(plies).collect::<Vec<_>>().join(" ");
        }
        check(start, &opening).map_err(|error| TextError::in_line(i + 1, line, error.message))?;
        openings.push(opening);
    }
    Ok(openings)
}

/// `[position] (startpos | [sfen] POSITION) [moves …]`, or moves alone.
pub(crate) fn from_line<P: Game>(start: &P, line: &str) -> Opening {
    let line = line.strip_prefix("position ").unwrap_or(line).trim();
    let (head, moves) = match line.split_once("moves ") {
        Some((head, moves)) => (head.trim(), moves),
        None => (line, ""),
    };
    let moves = moves.split_whitespace().collect::<Vec<_>>().join(" ");
    match head.strip_prefix("sfen ").unwrap_or(head).trim() {
        "" | "startpos" => Opening { position: None, moves },
        // Words that are no position are taken for moves.
        head if moves.is_empty() && start.parse_position(head).is_err() && starts_with_move(start, head) => {
            Opening { position: None, moves: head.to_string() }
        }
        head => Opening { position: Some(head.to_string()), moves },
    }
}

fn starts_with_move<P: Game>(start: &P, text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| start.parse_move(word).is_ok())
}

/// An opening must be playable and leave something to play.
fn check<P: Game>(start: &P, opening: &Opening) -> Result<(), TextError> {
    let (_, _, line) = replay(start, opening)?;
    match line.generate(&mut Vec::new()) {
        None => Ok(()),
        Some(_) => Err(TextError::new("the game is over after this opening")),
    }
}

/// The openings in another order, which the seed decides (Fisher and Yates).
pub fn shuffle(openings: &mut [Opening], seed: Seed) {
    let mut rng = seed.branch("shuffle", 0).rng();
    for last in (1..openings.len()).rev() {
        openings.swap(last, rng.below(last + 1));
    }
}
