//! Writes KIF and KI2.

use std::time::Duration;

use yomi_core::record::{Node, ROOT, Record};
use yomi_core::{Color, Ending, Position, TextError};

use super::super::moves::ShogiMove;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::diagram;
use super::endings::End;
use super::move_text::blank;
use super::odds::Odds;
use super::{BOOKMARK, Format, WORD, evaluation, headers, illegal_move, kanji, kif, legal_move, property, relative};

/// A record with all its variations in KIF or KI2.
pub(super) fn write<V: Variant>(record: &Record<Shogi<V>>, format: Format) -> Result<String, TextError> {
    let odds = Odds::of(&record.start);
    let sides = if matches!(odds, Odds::Handicap(_)) { ["下手", "上手"] } else { ["先手", "後手"] };
    let mut writer = Writer { record, format, sides, text: String::new(), on_line: 0 };
    writer.opening(odds);
    let start = At { position: record.start, before: None, number: 1, used: [Duration::ZERO; 2] };
    writer.remarks(&record.nodes[ROOT], &start);
    // Lines still to be written. The deepest comes first, so that each branches off the line just before it.
    let mut waiting = Vec::new();
    writer.fork(ROOT, &start, &mut waiting);
    if let Some(&first) = record.nodes[ROOT].children.first() {
        writer.line(first, start, &mut waiting)?;
    }
    while let Some((node, at)) = waiting.pop() {
        writer.end_line();
        writer.text += &format!("\n変化：{}手\n", at.number);
        writer.line(node, at, &mut waiting)?;
    }
    writer.end_line();
    Ok(writer.text)
}

/// Where the telling of a line stands.
#[derive(Clone, Copy)]
struct At<V: Variant> {
    position: Shogi<V>,
    /// Where the last move went.
    before: Option<Square>,
    /// The number of the next move, from 1.
    number: usize,
    /// The time each side has used.
    used: [Duration; 2],
}

struct Writer<'a, V: Variant> {
    record: &'a Record<Shogi<V>>,
    format: Format,
    sides: [&'static str; 2],
    text: String,
    /// Moves of KI2 on the line being written.
    on_line: usize,
}

/// How many moves of KI2 stand on a line.
const KI2_MOVES: usize = 6;

impl<V: Variant> Writer<'_, V> {
    fn opening(&mut self, odds: Odds) {
        if self.format == Format::Kif {
            self.text += "#KIF version=2.0 encoding=UTF-8\n";
        }
        // その他 says nothing that the board does not say, and some readers refuse it.
        if odds != Odds::Other {
            self.text += &format!("手合割：{}\n", odds.name());
        }
        if !odds.is_well_known() {
            self.text += &diagram::write(&self.record.start);
        }
        let mut remarks = String::new();
        for (key, value) in self.record.headers.iter().filter(|(key, _)| key != "手合割") {
            let line = format!("{}：{}", headers::to_kif(key), headers::one_line(value));
            if kif::header(&line).is_some() && !kif::begins_moves(&line) {
                self.text += &format!("{line}\n");
            } else {
                remarks += &format!("*{}\n", headers::one_line(&line));
            }
        }
        if self.format == Format::Kif {
            self.text += "手数----指手---------消費時間--\n";
        }
        self.text += &remarks;
    }

    /// The line that begins with `node`: its first children to the end.
    fn line(&mut self, mut node: usize, mut at: At<V>, waiting: &mut Vec<(usize, At<V>)>) -> Result<(), TextError> {
        let main = at.number == 1 && self.record.nodes[ROOT].children.first() == Some(&node);
        loop {
            self.node(node, &mut at, main)?;
            self.fork(node, &at, waiting);
            match self.record.nodes[node].children.first() {
                Some(&next) => node = next,
                None => return Ok(()),
            }
        }
    }

    /// Remembers the further children of `node`.
    fn fork(&self, node: usize, at: &At<V>, waiting: &mut Vec<(usize, At<V>)>) {
        waiting.extend(self.record.nodes[node].children.iter().skip(1).rev().map(|&child| (child, *at)));
    }

    fn node(&mut self, index: usize, at: &mut At<V>, main: bool) -> Result<(), TextError> {
        let node = &self.record.nodes[index];
        if let Some(mv) = node.mv {
            legal_move(&at.position, mv, index)?;
            self.entry(&move_text(at, mv, self.format), index, at);
            at.position.play(mv);
            at.before = Some(mv.to());
            at.number += 1;
        }
        match node.ending {
            Some(ending) => self.ending(index, ending, at, main),
            None => self.remarks(node, at),
        }
        Ok(())
    }

    /// A move or a word with its number and time.
    fn entry(&mut self, what: &str, index: usize, at: &mut At<V>) {
        if self.format == Format::Ki2 {
            let turn = at.position.turn();
            self.text += &format!("{}{}{what}", if self.on_line > 0 { "    " } else { "" }, kanji::mark(turn));
            self.on_line += 1;
            if self.on_line == KI2_MOVES {
                self.end_line();
            }
            return;
        }
        self.text += &format!("{:>4} {what}", at.number);
        if let Some(time) = self.record.nodes[index].time {
            let used = &mut at.used[at.position.turn().index()];
            *used = used.saturating_add(time);
            let (s, all) = (time.as_secs(), used.as_secs());
            let pad = " ".repeat(13usize.saturating_sub(width(what)));
            let total = format!("{:02}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
            // The mark of a variation is for the eye. Without a time before it some readers take it for a part of the word.
            let siblings = &self.record.nodes[self.record.nodes[index].parent].children;
            let mark = if siblings.last() == Some(&index) { "" } else { "+" };
            self.text += &format!("{pad}({:>2}:{:02}/{total}){mark}", s / 60, s % 60);
        }
        self.text += "\n";
    }

    /// The word for the end of the game, what is said about it, and the last line of the record.
    fn ending(&mut self, index: usize, ending: Ending, at: &mut At<V>, main: bool) {
        let node = &self.record.nodes[index];
        let mut turn = at.position.turn();
        let mut end = End::kept(ending, property(node, WORD)).in_words(turn);
        let tried = illegal_move(&at.position, node);
        let played = at.number - 1 + usize::from(tried.is_some());
        if let Some(mv) = tried {
            // The illegal move stands there as if it had been played, and the other side wins by it.
            // KI2 has no word for a piece that does not move so: say where it came from.
            self.entry(&move_text(at, mv, Format::Kif), index, &mut { *at });
            end = End { ending: Ending::IllegalMove, word: None };
            turn = !turn;
            at.number += 1;
            at.before = Some(mv.to());
        }
        let word = end.kif().filter(|_| self.format == Format::Kif);
        if let Some(word) = word {
            self.entry(word, index, at);
        }
        let summary = end.summarised(turn);
        let stated = word.map_or(summary, |word| End::from_kif(word, turn));
        let reason = end.reason(stated);
        // Strict readers take no comment behind the last line. What is said about an end that has no line of its own is then read as said
        // about the move before it. That must not mix with bookmarks, and in a variation that is nothing but an end the move before is
        // not written again.
        let own_line = word.is_some() || tried.is_some() || node.mv.is_some();
        let marked = |node: &Node<ShogiMove>| self.format == Format::Kif && property(node, BOOKMARK).is_some();
        let mixed = marked(node) || marked(&self.record.nodes[node.parent]);
        let first = own_line || (main && !mixed);
        if first {
            self.remarks(node, at);
        }
        if let Some(reason) = reason {
            self.end_line();
            self.text += &format!("*{reason}\n");
        }
        // In KIF, readers expect the last line after the game only, and the word suffices where that line would say something else.
        let fits = summary.is_some_and(|summary| end.is_summed_up_by(summary, turn));
        if word.is_none() || reason.is_some() || (main && fits) {
            let line = format!("まで{played}手で{}", end.summary(turn, self.sides));
            let ended = match word {
                Some(_) if tried.is_some() => Some(Ending::IllegalAction),
                _ => stated.filter(|_| word.is_some()).map(|stated| stated.ending),
            };
            self.last_line(&line, reason.is_some(), ended, at.position.turn());
        }
        if !first {
            self.remarks(node, at);
        }
    }

    /// The last line. A comment before it that is not the reason, but would be read as one, is kept apart by an empty comment.
    fn last_line(&mut self, line: &str, has_reason: bool, ended: Option<Ending>, to_move: Color) {
        self.end_line();
        let before = self.text.lines().next_back().and_then(|line| line.strip_prefix('*')).filter(|_| !has_reason);
        let before = before.map(|comment| comment.trim_end_matches(blank));
        if before.is_some_and(|comment| End::from_reason_before(line, comment, ended, to_move).is_some()) {
            self.text += "*\n";
        }
        self.text += line;
        self.text += "\n";
    }

    /// Evaluation, comments and bookmarks of a node.
    fn remarks(&mut self, node: &Node<ShogiMove>, at: &At<V>) {
        let bookmark = property(node, BOOKMARK).filter(|_| self.format == Format::Kif);
        let said = evaluation::of(node, &at.position);
        if node.comment.is_empty() && bookmark.is_none() && said.is_none() {
            return;
        }
        self.end_line();
        if let Some((score, moves)) = said {
            self.text += &format!("**評価値={score}\n");
            if !moves.is_empty() {
                self.text += &format!("**読み筋={}\n", variation(at, &moves));
            }
        }
        if !node.comment.is_empty() {
            node.comment.split('\n').for_each(|line| self.text += &format!("*{line}\n"));
        }
        if let Some(name) = bookmark {
            self.text += &format!("&{}\n", headers::one_line(name));
        }
    }

    /// Ends the line of KI2 moves being written.
    fn end_line(&mut self) {
        if self.on_line > 0 {
            self.text += "\n";
            self.on_line = 0;
        }
    }
}

/// Moves from here on, one after another: `▲７六歩△３四歩`.
fn variation<V: Variant>(at: &At<V>, moves: &[ShogiMove]) -> String {
    let mut at = *at;
    let mut text = String::new();
    for &mv in moves {
        text.push(kanji::mark(at.position.turn()));
        text += &move_text(&at, mv, Format::Ki2);
        at.position.play(mv);
        at.before = Some(mv.to());
    }
    text
}

/// A single move as KI2 writes it, without the mark of its side.
pub(super) fn ki2_text<V: Variant>(position: &Shogi<V>, before: Option<Square>, mv: ShogiMove) -> String {
    move_text(&At { position: *position, before, number: 1, used: [Duration::ZERO; 2] }, mv, Format::Ki2)
}

/// A move that is played, or was tried: `７六歩(77)` in KIF, `５八金右` in KI2.
fn move_text<V: Variant>(at: &At<V>, mv: ShogiMove, format: Format) -> String {
    let to = mv.to();
    let position = &at.position;
    let target = if at.before == Some(to) {
        "同　".to_string()
    } else {
        format!("{}{}", kanji::wide(to.file::<V>()), kanji::kanji(to.rank::<V>()))
    };
    let Some(from) = mv.from() else {
        let kind = mv.dropped().map_or("", kanji::name);
        let ambiguous = mv.dropped().is_some_and(|kind| relative::drop_is_ambiguous(position, kind, to));
        let drop = if format == Format::Kif || ambiguous { "打" } else { "" };
        return format!("{target}{kind}{drop}");
    };
    let piece = position.piece_at(from).map_or("", |piece| kanji::name(piece.kind));
    if format == Format::Kif {
        let promotes = if mv.promotes() { "成" } else { "" };
        return format!("{target}{piece}{promotes}({}{})", from.file::<V>(), from.rank::<V>());
    }
    let (flank, motion) = relative::words(position, from, to);
    let words = [flank.map_or("", |flank| flank.word()), motion.map_or("", |motion| motion.word())].concat();
    let promotes = match mv.promotes() {
        true => "成",
        false if position.is_legal(ShogiMove::promoting(from, to)) => "不成",
        false => "",
    };
    format!("{target}{piece}{words}{promotes}")
}

/// Columns that a text takes on a screen.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use yomi_core::{Color, Rng, Seed};

    use super::super::super::piece::{Kind, Piece};
    use super::super::super::rules::Rules;
    use super::super::super::setup::Setup;
    use super::super::super::variant::{Five, Nine};
    use super::super::move_text;
    use super::*;

    /// A crowded board: up to `pieces`, most of them of few kinds, of one side and around one square, so that rivals are common.
    fn crowded<V: Variant>(rng: &mut Rng, pieces: usize) -> Option<Shogi<V>> {
        let squares = usize::from(V::SIZE) * usize::from(V::SIZE);
        let mut setup = Setup { turn: Color::from_index(rng.below(2)), ..Setup::default() };
        let mut left = V::SET;
        let middle = (rng.below(V::SIZE.into()), rng.below(V::SIZE.into()));
        let favourites = [(); 2].map(|()| V::KINDS[rng.below(V::KINDS.len())]);
        for n in 0..pieces {
            let kind = if rng.chance(0.8) { favourites[rng.below(2)] } else { V::KINDS[rng.below(V::KINDS.len())] };
            let kind = if n < 2 { Kind::King } else { kind };
            if left[kind.plain().index()] == 0 || (kind == Kind::King && n >= 2) {
                continue;
            }
            left[kind.plain().index()] -= 1;
            let color = if rng.chance(0.7) { setup.turn } else { !setup.turn };
            let color = if n < 2 { Color::from_index(n) } else { color };
            let beside = |middle: usize, rng: &mut Rng| (middle + rng.below(3)).clamp(1, V::SIZE.into()) as u8;
            let near = Square::new::<V>(beside(middle.0, rng), beside(middle.1, rng));
            if n >= 2 && rng.chance(0.1) && kind != Kind::King {
                setup.hands[color.index()][kind.plain().index()] += 1;
            } else {
                let anywhere = Square::from_index(rng.below(squares));
                let square = if rng.chance(0.6) && n >= 2 { near.unwrap_or(anywhere) } else { anywhere };
                if setup.cells[square.index()].is_none_or(|piece| piece.kind != Kind::King) {
                    setup.cells[square.index()] = Some(Piece { color, kind });
                }
            }
        }
        setup.position::<V>(Rules::default()).ok()
    }

    const WORDS: [&str; 15] =
        ["左", "右", "直", "上", "寄", "引", "打", "成", "不成", "左上", "右上", "左寄", "右寄", "左引", "右引"];

    /// Every legal move of a position is written in KI2 differently from all others and read back.
    fn check<V: Variant>(position: &Shogi<V>, before: Option<Square>, seen: &mut [u64; WORDS.len()]) -> usize {
        let (mut moves, mut texts) = (Vec::new(), std::collections::BTreeSet::new());
        position.generate(&mut moves);
        let at = At { position: *position, before, number: 1, used: [Duration::ZERO; 2] };
        for &mv in &moves {
            let text = move_text(&at, mv, Format::Ki2);
            let (parsed, rest) = move_text::parse(&text).unwrap();
            assert_eq!(rest, "", "{text}");
            let read = relative::resolve(position, &parsed, before);
            assert_eq!(read.map_err(|refusal| refusal.reason), Ok(mv), "{text} in {}", position.sfen());
            assert!(texts.insert(text.clone()), "{text} stands for two moves in {}", position.sfen());
            for (word, count) in WORDS.iter().zip(&mut *seen) {
                *count += u64::from(text.contains(word));
            }
        }
        moves.len()
    }

    #[test]
    fn ki2_distinguishes_every_move() {
        let seed = Seed::new(2);
        let (mut positions, mut moves, mut seen) = (0, 0, [0; WORDS.len()]);
        for game in 0..24_000 {
            let mut rng = seed.branch("crowded", game).rng();
            let before = Square::new::<Nine>(1 + rng.below(9) as u8, 1 + rng.below(9) as u8);
            let count = 10 + rng.below(30);
            if let Some(position) = crowded::<Nine>(&mut rng, count) {
                moves += check(&position, before, &mut seen);
                positions += 1;
            }
            let before = Square::new::<Five>(1 + rng.below(5) as u8, 1 + rng.below(5) as u8);
            let count = 4 + rng.below(8);
            if let Some(position) = crowded::<Five>(&mut rng, count) {
                moves += check(&position, before, &mut seen);
                positions += 1;
            }
        }
        for silvers in ["4k4/9/9/3S1S3/9/3S1S3/9/9/4K4 b - 1", "4k4/9/9/3s1s3/9/3s1s3/9/9/4K4 w - 1"] {
            moves += check(&Shogi::<Nine>::from_sfen(silvers).unwrap(), None, &mut seen);
        }
        assert!(positions > 5_000 && moves > 300_000, "{positions} positions, {moves} moves");
        assert!(seen[..9].iter().all(|&count| count > 400) && seen[9..13].iter().all(|&count| count > 20), "{seen:?}");
        assert!(seen[13] >= 2 && seen[14] >= 2, "{seen:?}");
    }

    #[test]
    fn ki2_distinguishes_the_moves_of_random_games() {
        let (mut moves, mut seen) = (0, [0; WORDS.len()]);
        let mut list = Vec::new();
        for game in 0..40 {
            let mut rng = Seed::new(7).branch("game", game).rng();
            let (mut position, mut before) = (Shogi::<Nine>::default(), None);
            for _ in 0..200 {
                moves += check(&position, before, &mut seen);
                if position.generate(&mut list).is_some() {
                    break;
                }
                let mv = list[rng.below(list.len())];
                position.play(mv);
                before = Some(mv.to());
            }
        }
        assert!(moves > 100_000, "{moves} moves");
    }
}
