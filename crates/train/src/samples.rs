//! Sample files: positions of self-play games with what a network should say about them.
//!
//! A file is a header of [`HEADER_BYTES`] bytes, JSON padded by spaces, and then records of one length, so that it can be mapped into memory
//! as an array. Every record has a checksum and says which sample of which game it is, so a file that was cut, doubled or mixed up is
//! noticed. Files are only appended to, a whole game at a time; [`Writer::open`] drops what a killed writer left of its last game.
//! `docs/samples.md` describes the bytes.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yomi_core::{Color, Outcome, TextError};
use yomi_net::input::{Layout, PackedPosition};
use yomi_net::label::Labels;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 512;
/// Bytes of a record before its position.
const FIXED: usize = 40;
/// Bytes for each side's points in records of Go.
const OWNED: usize = 46;

/// What the records of a file are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// `yomi-samples`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The game, as players name it.
    pub game: String,
    /// The plane layout that positions are packed for.
    pub layout: String,
    /// The numbering of moves.
    pub labels: String,
    /// Rows of the board.
    pub board: usize,
    /// Bytes of a packed position.
    pub packed: usize,
    /// Bytes of final ownership, 0 for games without.
    pub ownership: usize,
    /// Places for moves of the policy; the likeliest moves are kept.
    pub slots: usize,
    /// Bytes of a record.
    pub record: usize,
}

impl Header {
    /// The header of files for the game of a layout.
    pub fn new(layout: Layout) -> Header {
        let labels = Labels::of(layout);
        let slots = match layout {
            Layout::Minishogi => 48,
            Layout::Go(size) => (usize::from(size) * usize::from(size) + 1).min(96),
            _ => 96,
        };
        let ownership = if matches!(layout, Layout::Go(_)) { 2 * OWNED } else { 0 };
        let packed = layout.packed_bytes();
        let record = (FIXED + ownership + packed + 4 * slots).next_multiple_of(8);
        Header {
            format: "yomi-samples".into(),
            version: 1,
            game: layout.game(),
            layout: layout.id().into(),
            labels: labels.id.into(),
            board: layout.board(),
            packed,
            ownership,
            slots,
            record,
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        while text.len() < HEADER_BYTES - 1 {
            text.push(' ');
        }
        text.push('\n');
        text.into_bytes()
    }

    fn read(bytes: &[u8]) -> Result<Header, TextError> {
        if bytes.len() < HEADER_BYTES {
            return Err(TextError::new(format!(
                "truncated: {} bytes are too few for a header of {HEADER_BYTES}",
                bytes.len()
            )));
        }
        let text = std::str::from_utf8(&bytes[..HEADER_BYTES])
            .map_err(|_| TextError::new("this is no sample file: its header is no text"))?;
        let header: Header = serde_json::from_str(text.trim_end())
            .map_err(|error| TextError::new(format!("this is no sample file: header: {error}")))?;
        let layout = Layout::from_id(&header.layout, header.board)
            .ok_or_else(|| TextError::new(format!("no plane layout `{}`", header.layout)))?;
        let expected = Header::new(layout);
        if header != expected {
            return Err(TextError::new(format!(
                "the header of a sample file of {} is {}, not {}",
                expected.game,
                serde_json::to_string(&expected).unwrap_or_default(),
                serde_json::to_string(&header).unwrap_or_default()
            )));
        }
        Ok(header)
    }

    /// The layout.
    pub fn plane_layout(&self) -> Option<Layout> {
        Layout::from_id(&self.layout, self.board)
    }
}

/// What a record teaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// A position of the game: its policy, its value, its score.
    #[default]
    Position,
    /// A leaf of a search (S0.8): by how much what is to grow changes with its value.
    Leaf,
}

/// A position with what a network should say about it, for its side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// What it teaches. A leaf has no policy, no result and no score.
    pub kind: Kind,
    /// The number of the game.
    pub game: u64,
    /// The number of this sample among those of its game.
    pub index: u16,
    /// How many samples the game has.
    pub count: u16,
    /// Moves that had been played.
    pub ply: u16,
    /// 0 lost, 1 drawn, 2 won in the end.
    pub result: u8,
    /// Whether the final score is known.
    pub scored: bool,
    /// What the search thought, from -1 to 1. Of a leaf: the cotangent of its value, advantage times coefficient.
    pub value: f32,
    /// The final score, where the game counts points.
    pub score: f32,
    /// How much the policy of the search differs from that of the network: the Kullback–Leibler divergence in nats.
    pub surprise: f32,
    /// Training steps of the network that played.
    pub step: u32,
    /// The position.
    pub position: PackedPosition,
    /// In Go, the points that the side to move and its opponent have in the end, one bit each as in packed positions.
    pub owned: [[u8; OWNED]; 2],
    /// Labels of moves and their probabilities, the likeliest first.
    pub policy: Vec<(u16, f32)>,
}

impl Sample {
    /// A sample of a game that is still under way.
    pub fn new(game: u64, ply: u16, position: PackedPosition) -> Sample {
        Sample {
            kind: Kind::Position,
            game,
            index: 0,
            count: 0,
            ply,
            result: 1,
            scored: false,
            value: 0.0,
            score: 0.0,
            surprise: 0.0,
            step: 0,
            position,
            owned: [[0; OWNED]; 2],
            policy: Vec::new(),
        }
    }

    /// Adds how the game ended for `turn`, the side to move here. `margin` is Black's points minus White's and `owners` are the owners of all
    /// points, where they are known.
    pub(crate) fn finish(&mut self, turn: Color, outcome: Outcome, margin: Option<f32>, owners: &[Option<Color>]) {
        self.result = match outcome {
            Outcome::Draw => 1,
            Outcome::Win(winner) => 2 * u8::from(winner == turn),
        };
        if let Some(margin) = margin {
            (self.scored, self.score) = (true, if turn == Color::Black { margin } else { -margin });
        }
        for (point, owner) in owners.iter().enumerate().filter_map(|(i, owner)| Some((i, (*owner)?))) {
            self.owned[usize::from(owner != turn)][point / 8] |= 1 << (point % 8);
        }
    }

    /// The sample as a record.
    fn write(&self, header: &Header, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend([0; 4]);
        bytes.extend(self.ply.to_le_bytes());
        bytes.extend(self.index.to_le_bytes());
        bytes.extend(self.game.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.push(u8::from(self.scored));
        bytes.push(self.result);
        for number in [self.value, self.score, self.surprise] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.step.to_le_bytes());
        let kept = self.policy.len().min(header.slots);
        bytes.extend((kept as u16).to_le_bytes());
        bytes.extend(u16::from(self.kind == Kind::Leaf).to_le_bytes());
        if header.ownership > 0 {
            self.owned.iter().for_each(|side| bytes.extend(side));
        }
        bytes.extend(&self.position.0[..header.packed]);
        let total: f32 = self.policy[..kept].iter().map(|&(_, p)| p).sum();
        for &(label, p) in &self.policy[..kept] {
            bytes.extend(label.to_le_bytes());
            bytes.extend(((p / total.max(1e-30) * 65535.0).round() as u16).to_le_bytes());
        }
        bytes.resize(start + header.record, 0);
        let sum = crc32(&bytes[start + 4..]);
        bytes[start..start + 4].copy_from_slice(&sum.to_le_bytes());
    }

    /// The sample of a record; an error says what is wrong with it.
    fn read(header: &Header, bytes: &[u8]) -> Result<Sample, TextError> {
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let f32_at = |at: usize| f32::from_bits(u32_at(at));
        let (stored, computed) = (u32_at(0), crc32(&bytes[4..]));
        if stored != computed {
            return Err(TextError::new(format!("checksum {stored:08x}, but its bytes give {computed:08x}")));
        }
        let mut at = FIXED;
        let mut owned = [[0; OWNED]; 2];
        if header.ownership > 0 {
            for side in &mut owned {
                side.copy_from_slice(&bytes[at..at + OWNED]);
                at += OWNED;
            }
        }
        let mut position = PackedPosition::EMPTY;
        position.0[..header.packed].copy_from_slice(&bytes[at..at + header.packed]);
        at += header.packed;
        let kept = usize::from(u16_at(36)).min(header.slots);
        let kind = match u16_at(38) {
            0 => Kind::Position,
            1 => Kind::Leaf,
            other => return Err(TextError::new(format!("no kind {other} of records"))),
        };
        let entry = |i: usize| (u16_at(at + 4 * i), f32::from(u16_at(at + 4 * i + 2)) / 65535.0);
        Ok(Sample {
            kind,
            ply: u16_at(4),
            index: u16_at(6),
            game: u64::from(u32_at(8)) | u64::from(u32_at(12)) << 32,
            count: u16_at(16),
            scored: bytes[18] != 0,
            result: bytes[19],
            value: f32_at(20),
            score: f32_at(24),
            surprise: f32_at(28),
            step: u32_at(32),
            position,
            owned,
            policy: (0..kept).map(entry).collect(),
        })
    }
}

/// CRC-32 as in zlib and PNG (polynomial 0x04C11DB7, reflected).
pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0u32; 256];
        let mut i = 0;
        while i < 256 {
            let (mut c, mut bit) = (i as u32, 0);
            while bit < 8 {
                c = if c & 1 == 1 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 };
                bit += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0u32, |sum, &byte| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)])
}

fn trouble(path: &Path, error: impl std::fmt::Display) -> TextError {
    TextError::new(format!("{}: {error}", path.display()))
}

/// Appends games to a file.
pub struct Writer {
    path: PathBuf,
    file: File,
    header: Header,
    games: BTreeSet<u64>,
    samples: u64,
    buffer: Vec<u8>,
}

impl Writer {
    /// Opens a file of this layout to append to, or begins it. What a killed writer left of a last game is dropped; a file that is damaged
    /// in another way is refused.
    pub fn open(path: &Path, layout: Layout) -> Result<Writer, TextError> {
        let header = Header::new(layout);
        let is_new = !path.exists() || path.metadata().is_ok_and(|about| about.len() == 0);
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(|error| trouble(path, error))?;
        let (mut games, mut samples) = (BTreeSet::new(), 0);
        if is_new {
            file.write_all(&header.write()).map_err(|error| trouble(path, error))?;
        } else {
            let (list, whole) = scan(path, Some(&header), Cut::Dropped)?;
            file.set_len(whole).map_err(|error| trouble(path, error))?;
            file.seek(SeekFrom::End(0)).map_err(|error| trouble(path, error))?;
            samples = list.len() as u64;
            games.extend(list.iter().map(|sample| sample.game));
        }
        Ok(Writer { path: path.to_path_buf(), file, header, games, samples, buffer: Vec::new() })
    }

    /// The games that are in the file.
    pub fn games(&self) -> &BTreeSet<u64> {
        &self.games
    }

    /// How many samples are in the file.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Appends the samples of one game, all of them or none. A game that is there already is refused.
    pub fn append(&mut self, samples: &mut [Sample]) -> Result<(), TextError> {
        let Some(game) = samples.first().map(|sample| sample.game) else { return Ok(()) };
        let count =
            u16::try_from(samples.len()).map_err(|_| trouble(&self.path, format!("game {game} is too long")))?;
        if !self.games.insert(game) {
            return Err(trouble(&self.path, format!("game {game} is there already")));
        }
        self.buffer.clear();
        for (index, sample) in samples.iter_mut().enumerate() {
            (sample.index, sample.count) = (index as u16, count);
            sample.write(&self.header, &mut self.buffer);
        }
        self.file.write_all(&self.buffer).map_err(|error| trouble(&self.path, error))?;
        self.samples += samples.len() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), TextError> {
        self.file.sync_data().map_err(|error| trouble(&self.path, error))
    }
}

/// What to do with a last game that is not whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Dropped,
    Refused,
}

/// All samples of a file, in order of games. Refused, with what and where: another game, a record whose checksum is wrong, a game that is
/// not whole or there twice.
pub fn read(path: &Path, game: Option<&str>) -> Result<(Header, Vec<Sample>), TextError> {
    let (mut samples, _) = scan(path, None, Cut::Refused)?;
    let header = header(path)?;
    if let Some(game) = game.filter(|&game| game != header.game) {
        return Err(trouble(path, format!("these are samples of {}, not of {game}", header.game)));
    }
    samples.sort_by_key(|sample| (sample.game, sample.index));
    Ok((header, samples))
}

/// The header of a file.
pub fn header(path: &Path) -> Result<Header, TextError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| trouble(path, error))?;
    file.take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(|error| trouble(path, error))?;
    Header::read(&bytes).map_err(|error| error.context(path.display()))
}

/// Reads and checks a file; the samples of whole games, and how many bytes these take with the header.
fn scan(path: &Path, expected: Option<&Header>, cut: Cut) -> Result<(Vec<Sample>, u64), TextError> {
    let header = header(path)?;
    if let Some(expected) = expected.filter(|&expected| *expected != header) {
        return Err(trouble(path, format!("these are samples of {}, not of {}", header.game, expected.game)));
    }
    let file = File::open(path).map_err(|error| trouble(path, error))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    reader.seek_relative(HEADER_BYTES as i64).map_err(|error| trouble(path, error))?;
    let (mut samples, mut begun, mut seen) = (Vec::<Sample>::new(), 0, BTreeSet::new());
    let mut bytes = vec![0; header.record];
    let mut number = 0u64;
    let tail = loop {
        let got = fill(&mut reader, &mut bytes).map_err(|error| trouble(path, error))?;
        if got < bytes.len() {
            break got;
        }
        number += 1;
        let fault = |what: String| trouble(path, format!("record {number}: {what}"));
        let sample = Sample::read(&header, &bytes).map_err(|error| fault(error.message))?;
        if sample.index == 0 {
            if begun < samples.len() && !is_whole(&samples[begun..]) {
                return Err(fault(format!("game {} before it is not whole", samples[begun].game)));
            }
            begun = samples.len();
            if !seen.insert(sample.game) {
                return Err(fault(format!("game {} is there twice", sample.game)));
            }
        } else {
            let follows = samples.last().is_some_and(|last| {
                samples.len() > begun
                    && (last.game, last.index + 1, last.count) == (sample.game, sample.index, sample.count)
            });
            if !follows {
                return Err(fault(format!(
                    "sample {} of game {} does not follow the one before it",
                    sample.index, sample.game
                )));
            }
        }
        samples.push(sample);
    };
    let whole = if is_whole(&samples[begun..]) { samples.len() } else { begun };
    if cut == Cut::Refused && tail > 0 {
        return Err(trouble(path, format!("truncated: {tail} bytes of record {} are there", number + 1)));
    }
    if cut == Cut::Refused && whole < samples.len() {
        return Err(trouble(path, format!("truncated: game {} is not whole", samples[begun].game)));
    }
    samples.truncate(whole);
    Ok((samples, (HEADER_BYTES + whole * header.record) as u64))
}

fn is_whole(game: &[Sample]) -> bool {
    game.last().is_none_or(|last| usize::from(last.count) == game.len())
}

/// Reads until the buffer is full or the file ends.
fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match reader.read(&mut bytes[got..])? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}
