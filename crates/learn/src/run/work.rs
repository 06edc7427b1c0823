//! Games of a run that may be played anywhere: which are wanted, who plays them, and what they have brought, as bytes.
//!
//! A game is a function of the configuration, the players' parameters and its number. So it does not matter where it is played, and a game
//! that may be lost is played again.
//!
//! ```text
//! YOMI-PLR  version u32  players u32  parameters u64  each player: f64 …                          FNV-1a of all before u64
//! YOMI-PLD  version u32  kind u8  games u32  each game                                            FNV-1a of all before u64
//! a lesson: outcome u8  moves: count u32, u16 …  notes u32  loss f64  explained f64  CPU seconds f64 f64 f64  step: count u32, u32 f32 …
//! a game of a gate: half points u8
//! ```
//! All is little-endian.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use yomi_core::rng::fnv1a;
use yomi_core::{Color, Outcome, TextError};

use super::episode::Episode;
use crate::gradient_sum::Sparse;

/// What games are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// They are learned from.
    Lessons,
    /// They decide a gate that was reached after this number of games. Numbers are those within the gate, two for each pair.
    Gate(u64),
}

/// Games that a run needs before it can go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Work {
    /// What for.
    pub kind: Kind,
    /// Their numbers.
    pub games: Range<u64>,
}

/// What a game has brought.
#[derive(Clone, PartialEq, Debug)]
pub enum Played {
    /// Something to learn.
    Lesson(Episode),
    /// The half points of the newest weights in a game of a gate: 0, 1 or 2.
    Points(u8),
}

/// The parameters of all players: the learner first, then those it plays against.
#[derive(Clone, PartialEq, Debug)]
pub struct Players(pub Vec<Vec<f64>>);

const PLAYERS: &[u8; 8] = b"YOMI-PLR";
const PLAYED: &[u8; 8] = b"YOMI-PLD";
const VERSION: u32 = 1;

impl Players {
    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = begin(PLAYERS);
        bytes.extend((self.0.len() as u32).to_le_bytes());
        bytes.extend((self.0.first().map_or(0, Vec::len) as u64).to_le_bytes());
        self.0.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        end(bytes)
    }

    /// Reads the bytes. Whatever is not exactly such bytes is refused.
    pub fn read(bytes: &[u8]) -> Result<Players, TextError> {
        let mut input = Input::of("these weights", PLAYERS, bytes)?;
        let (players, parameters) = (input.u32()? as usize, input.u64()? as usize);
        if players.checked_mul(parameters).and_then(|n| n.checked_mul(8)) != Some(input.rest.len()) {
            return Err(input.refuse("have another length than they say"));
        }
        let all = (0..players).map(|_| (0..parameters).map(|_| input.f64()).collect());
        Ok(Players(all.collect::<Result<_, _>>()?))
    }
}

/// The bytes of games.
pub fn write(played: &[Played]) -> Vec<u8> {
    let mut bytes = begin(PLAYED);
    bytes.push(u8::from(matches!(played.first(), Some(Played::Points(_)))));
    bytes.extend((played.len() as u32).to_le_bytes());
    for game in played {
        match game {
            Played::Points(points) => bytes.push(*points),
            Played::Lesson(episode) => write_lesson(episode, &mut bytes),
        }
    }
    end(bytes)
}

fn write_lesson(episode: &Episode, bytes: &mut Vec<u8>) {
    bytes.push(match episode.outcome {
        Outcome::Draw => 0,
        Outcome::Win(Color::Black) => 1,
        Outcome::Win(Color::White) => 2,
    });
    bytes.extend((episode.moves.len() as u32).to_le_bytes());
    episode.moves.iter().for_each(|bits| bytes.extend(bits.to_le_bytes()));
    bytes.extend((episode.notes as u32).to_le_bytes());
    let [search, learning] = episode.seconds;
    [episode.loss, episode.explained, search, learning, episode.whole]
        .iter()
        .for_each(|x| bytes.extend(x.to_le_bytes()));
    let step = episode.step.components();
    bytes.extend((step.len() as u32).to_le_bytes());
    for (index, x) in step {
        bytes.extend(index.to_le_bytes());
        bytes.extend(x.to_le_bytes());
    }
}

/// Reads the games of this work, of a learner with this number of parameters. Whatever is not exactly their bytes is refused; whether the moves
/// are legal is for those who know the game.
pub(super) fn read(work: &Work, parameters: usize, bytes: &[u8]) -> Result<Vec<Played>, TextError> {
    let mut input = Input::of("these games", PLAYED, bytes)?;
    let is_gate = matches!(work.kind, Kind::Gate(_));
    if input.u8()? != u8::from(is_gate) {
        return Err(input.refuse("were played for something else"));
    }
    if u64::from(input.u32()?) != work.games.end.saturating_sub(work.games.start) {
        return Err(input.refuse("are another number than was asked for"));
    }
    let one = |_| match is_gate {
        true => match input.u8()? {
            points @ 0..=2 => Ok(Played::Points(points)),
            _ => Err(input.refuse("have a result that does not exist")),
        },
        false => read_lesson(&mut input, parameters).map(Played::Lesson),
    };
    let played = work.games.clone().map(one).collect::<Result<Vec<_>, _>>()?;
    if input.rest.is_empty() { Ok(played) } else { Err(input.refuse("go on after their end")) }
}

fn read_lesson(input: &mut Input<'_>, parameters: usize) -> Result<Episode, TextError> {
    let outcome = match input.u8()? {
        0 => Outcome::Draw,
        1 => Outcome::Win(Color::Black),
        2 => Outcome::Win(Color::White),
        _ => return Err(input.refuse("have a result that does not exist")),
    };
    let count = input.count(2)?;
    let moves = (0..count).map(|_| input.array().map(u16::from_le_bytes)).collect::<Result<Vec<_>, _>>()?;
    let notes = input.u32()? as usize;
    let (loss, explained, seconds) = (input.f64()?, input.f64()?, [input.f64()?, input.f64()?]);
    let whole = input.f64()?;
    let count = input.count(8)?;
    let component = |_| Ok((input.u32()?, f32::from_le_bytes(input.array()?)));
    let step = (0..count).map(component).collect::<Result<Vec<_>, TextError>>()?;
    let in_order = step.windows(2).all(|two| two[0].0 < two[1].0);
    if !in_order || step.last().is_some_and(|&(index, _)| index as usize >= parameters) {
        return Err(input.refuse("have a step in parameters that do not exist"));
    }
    let plies = moves.len();
    Ok(Episode { step: Sparse::of(step), outcome, plies, moves, notes, loss, explained, seconds, whole })
}

fn begin(magic: &[u8; 8]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes
}

fn end(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = fnv1a(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Bytes that are read, and what they are called in errors.
struct Input<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// What lies between magic and checksum.
    fn of(what: &'static str, magic: &[u8; 8], bytes: &'a [u8]) -> Result<Input<'a>, TextError> {
        let mut input = Input { what, rest: bytes };
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(|| input.refuse("are too short"))?;
        if fnv1a(body) != u64::from_le_bytes(*sum) {
            return Err(input.refuse("are damaged: their checksum is wrong"));
        }
        input.rest = body.strip_prefix(magic).ok_or_else(|| input.refuse("do not begin as they should"))?;
        if input.u32()? == VERSION { Ok(input) } else { Err(input.refuse("have a version this program does not know")) }
    }

    fn refuse(&self, how: &str) -> TextError {
        TextError::new(format!("{} {how}", self.what))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TextError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or_else(|| self.refuse("end too early"))?;
        self.rest = rest;
        Ok(*array)
    }

    /// A number of things of this size, all of which can be there.
    fn count(&mut self, size: usize) -> Result<usize, TextError> {
        let count = self.u32()? as usize;
        if count <= self.rest.len() / size { Ok(count) } else { Err(self.refuse("end too early")) }
    }

    fn u8(&mut self) -> Result<u8, TextError> {
        self.array().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, TextError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, TextError> {
        self.array().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, TextError> {
        self.array().map(f64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson() -> Played {
        Played::Lesson(Episode {
            step: Sparse::of(vec![(1, 0.5), (4, -2.0)]),
            outcome: Outcome::Win(Color::White),
            plies: 3,
            moves: vec![7, 0xffff, 2],
            notes: 2,
            loss: 0.125,
            explained: -0.0,
            seconds: [1e-3, 2e-3],
            whole: 4e-3,
        })
    }

    fn lessons(games: Range<u64>) -> Work {
        Work { kind: Kind::Lessons, games }
    }

    #[test]
    fn games_and_weights_survive_the_way() {
        let two = [lesson(), lesson()];
        assert_eq!(read(&lessons(5..7), 5, &write(&two)).as_deref(), Ok(&two[..]));
        let gate = Work { kind: Kind::Gate(12), games: 0..3 };
        let points = [Played::Points(2), Played::Points(0), Played::Points(1)];
        assert_eq!(read(&gate, 5, &write(&points)).as_deref(), Ok(&points[..]));
        let players = Players(vec![vec![1.5, -0.0], vec![1e-300, 7.0]]);
        assert_eq!(Players::read(&players.write()), Ok(players));
    }

    #[test]
    fn nothing_else_is_accepted() {
        let why = |work: &Work, bytes: &[u8]| read(work, 5, bytes).expect_err("refused").to_string();
        let good = write(&[lesson()]);
        // Any bit that changes, any byte that is missing.
        for index in 0..good.len() {
            let mut bent = good.clone();
            bent[index] ^= 0x10;
            assert!(!why(&lessons(5..6), &bent).is_empty());
            assert!(!why(&lessons(5..6), &good[..index]).is_empty());
        }
        assert!(why(&lessons(5..7), &good).contains("another number"));
        assert!(why(&Work { kind: Kind::Gate(3), games: 5..6 }, &good).contains("something else"));
        assert!(read(&lessons(5..6), 4, &good).expect_err("refused").to_string().contains("parameters"));
        // Whole, with a true checksum, and longer than it may be.
        let mut longer = good[..good.len() - 8].to_vec();
        longer.push(0);
        assert!(why(&lessons(5..6), &end(longer)).contains("go on after their end"));
        let absurd = end([&begin(PLAYERS)[..], &[0xff; 12]].concat());
        assert!(Players::read(&absurd).expect_err("refused").to_string().contains("another length"));
    }
}
