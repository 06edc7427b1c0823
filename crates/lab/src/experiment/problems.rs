//! Positions with known answers, read from the files that people keep them in.
//!
//! * Lines: a position or `startpos moves …`, then `bm` (best moves) or `am` (moves to avoid), `id`: the EPD of chess with SFEN in it.
//! * GTP regression files (GNU Go's `.tst`): `loadsgf FILE N`, `10 reg_genmove black`, `#? [D4|E5]`, `#? [!D4]`.
//! * Records: every one is a problem. Of SGF the first moves of variations that a comment calls right count (RIGHT, CORRECT, 正解), otherwise the
//!   main line's; of tsume records in KIF and CSA the first move of the main line.

use std::path::Path;

use serde::{Deserialize, Serialize};
use yomi_core::record::ROOT;
use yomi_core::{Color, Record, TextError};
use yomi_games::Game;

use crate::opening::{self, Opening};

/// A position and what is right there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Problem {
    /// What to call it.
    pub name: String,
    /// The position, in the game's own text; the usual start if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Moves from there, separated by spaces.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub moves: String,
    /// The moves that are right; any of them will do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<String>,
    /// The moves that are wrong, where only those are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
}

impl Problem {
    /// Whether a move, in the game's own text, solves it.
    pub fn solved_by(&self, word: &str) -> bool {
        let is = |list: &[String]| list.iter().any(|other| other == word);
        if self.best.is_empty() { !is(&self.avoid) } else { is(&self.best) && !is(&self.avoid) }
    }

    pub(crate) fn opening(&self) -> Opening {
        Opening { position: self.position.clone(), moves: self.moves.clone() }
    }

    /// The same with every move in the game's own words; an error if one of them cannot be played.
    pub(crate) fn checked<P: Game>(mut self, start: &P) -> Result<Problem, TextError> {
        let (_, _, line) = opening::replay(start, &self.opening())?;
        if line.generate(&mut Vec::new()).is_some() {
            return Err(TextError::new("the game is over in this position"));
        }
        if self.best.is_empty() && self.avoid.is_empty() {
            return Err(TextError::new("no answer is given"));
        }
        for word in self.best.iter_mut().chain(&mut self.avoid) {
            let mv = line.position().parse_move(word)?;
            if !line.is_legal(mv) {
                return Err(TextError::new(format!("{word} cannot be played here")));
            }
            *word = line.position().move_text(mv);
        }
        Ok(self)
    }
}

/// The problems of a file with this ending. `folder` is where the records that a GTP regression file names lie.
pub(crate) fn read<P: Game>(start: &P, bytes: &[u8], ending: &str, folder: &Path) -> Result<Vec<Problem>, TextError> {
    let problems = match ending.to_ascii_lowercase().as_str() {
        "kif" | "kifu" | "ki2" | "ki2u" | "csa" | "csa3" | "sgf" | "blksgf" => records(start, bytes)?,
        "tst" | "gtp" => regression(start, text(bytes)?, folder)?,
        _ => lines(start, text(bytes)?)?,
    };
    if problems.is_empty() {
        return Err(TextError::new("there is no problem with a known answer in this file"));
    }
    Ok(problems)
}

fn text(bytes: &[u8]) -> Result<&str, TextError> {
    std::str::from_utf8(bytes).map_err(|error| TextError::new(format!("no UTF-8 from byte {} on", error.valid_up_to())))
}

/// `sfen … bm 7g7f 2g2f; id "one";`
fn lines<P: Game>(start: &P, text: &str) -> Result<Vec<Problem>, TextError> {
    let mut problems = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |message: String| TextError::in_line(i + 1, line, message);
        let place = [" bm ", " am "].iter().filter_map(|word| line.find(word)).min();
        let (position, answers) = line.split_at(place.ok_or_else(|| wrong("there is neither bm nor am".to_string()))?);
        let Opening { position, moves } = opening::from_line(start, position.trim());
        let mut problem = Problem { name: format!("line {}", i + 1), position, moves, ..Problem::default() };
        for part in answers.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, rest) = part.split_once(' ').unwrap_or((part, ""));
            let words = || rest.split_whitespace().map(str::to_string).collect();
            match key {
                "bm" => problem.best = words(),
                "am" => problem.avoid = words(),
                "id" => problem.name = rest.trim_matches('"').to_string(),
                // Other opcodes of EPD say nothing about the answer.
                _ => {}
            }
        }
        problems.push(problem.checked(start).map_err(|error| wrong(error.message))?);
    }
    Ok(problems)
}

/// Marks of a right variation.
const RIGHT: [&str; 4] = ["RIGHT", "CORRECT", "正解", "正着"];

fn records<P: Game>(start: &P, bytes: &[u8]) -> Result<Vec<Problem>, TextError> {
    let mut problems = Vec::new();
    for (i, record) in P::read_records(bytes)?.iter().enumerate() {
        let first = first_moves(record);
        let best: Vec<P::Move> = first.iter().filter(|(_, right)| *right).map(|&(mv, _)| mv).collect();
        let best = if best.is_empty() { first.first().map(|&(mv, _)| vec![mv]).unwrap_or_default() } else { best };
        if best.is_empty() {
            continue;
        }
        let position = Some(record.start.position_text()).filter(|text| *text != start.position_text());
        let best = best.into_iter().map(|mv| record.start.move_text(mv)).collect();
        let problem = Problem { name: format!("record {}", i + 1), position, best, ..Problem::default() };
        problems.push(problem.checked(start).map_err(|error| error.context(format!("record {}", i + 1)))?);
    }
    Ok(problems)
}

/// The first moves of all variations, each with whether a comment below calls one of its lines right.
fn first_moves<P: Game>(record: &Record<P>) -> Vec<(P::Move, bool)> {
    let mut found: Vec<(P::Move, bool)> = Vec::new();
    // Every node with the first move on its way from the root.
    let mut waiting: Vec<(usize, Option<P::Move>)> = vec![(ROOT, None)];
    while let Some((node, first)) = waiting.pop() {
        let at = &record.nodes[node];
        let first = first.or(at.mv);
        if let Some(mv) = first {
            let right = RIGHT.iter().any(|mark| at.comment.to_uppercase().contains(mark));
            match found.iter_mut().find(|(other, _)| *other == mv) {
                Some((_, known)) => *known |= right,
                None => found.push((mv, right)),
            }
        }
        waiting.extend(at.children.iter().rev().map(|&child| (child, first)));
    }
    found
}

/// GNU Go's regression files.
fn regression<P: Game>(start: &P, text: &str, folder: &Path) -> Result<Vec<Problem>, TextError> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut loaded: Option<Opening> = None;
    let mut asked: Option<Problem> = None;
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: String| TextError::in_line(i + 1, line, message);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["loadsgf", file, rest @ ..] => {
                let path = folder.join(file);
                let bytes =
                    std::fs::read(&path).map_err(|error| wrong(format!("cannot read {}: {error}", path.display())))?;
                let until = rest.first().and_then(|n| n.parse::<usize>().ok()).map(|n| n.saturating_sub(1));
                let mut openings =
                    opening::read_unfinished(start, &bytes, until).map_err(|error| wrong(error.message))?;
                loaded = if openings.is_empty() { None } else { Some(openings.swap_remove(0)) };
            }
            [number, "reg_genmove" | "genmove", color, ..] => {
                let opening = loaded.clone().unwrap_or_default();
                let (_, _, at) = opening::replay(start, &opening).map_err(|error| wrong(error.message))?;
                let black = color.to_ascii_lowercase().starts_with('b');
                // A question to the side that is not to move cannot be put to a search of the game.
                let matches = black == (at.position().turn() == Color::Black);
                asked = matches.then(|| Problem {
                    name: format!("problem {number}"),
                    position: opening.position,
                    moves: opening.moves,
                    ..Problem::default()
                });
            }
            [answer, ..] if answer.starts_with("#?") => {
                let Some(mut problem) = asked.take() else { continue };
                let pattern = line.trim_start_matches("#?").trim().trim_end_matches(['*', '&']);
                let Some(inside) = pattern.strip_prefix('[').and_then(|p| p.strip_suffix(']')) else { continue };
                let (not, moves) = inside.strip_prefix('!').map_or((false, inside), |rest| (true, rest));
                let moves = moves.trim_matches(['(', ')']).split('|').map(|mv| mv.trim().to_string()).collect();
                *if not { &mut problem.avoid } else { &mut problem.best } = moves;
                // A pattern that is no list of moves is checked elsewhere.
                problems.extend(problem.checked(start).ok());
            }
            _ => {}
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Spec};
    use yomi_games::go::Go9;
    use yomi_games::shogi::Shogi9;

    #[test]
    fn lines_with_best_moves() {
        let start = Shogi9::start(&Spec::named("shogi")).unwrap();
        let text = "# two problems\nstartpos bm 7g7f 2g2f; id \"opening\";\nstartpos moves 7g7f am 9a9b; c0 \"x\";\n";
        let found = read(&start, text.as_bytes(), "epd", Path::new(".")).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].best.len()), ("opening", 2));
        assert!(found[0].solved_by("2g2f") && !found[0].solved_by("9g9f"));
        assert!(found[1].solved_by("3c3d") && !found[1].solved_by("9a9b"));
        for wrong in ["startpos", "startpos bm 7g7a", "startpos bm ;", "nonsense bm 7g7f", ""] {
            assert!(read(&start, wrong.as_bytes(), "epd", Path::new(".")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sgf_variations_that_are_called_right() {
        let start = Go9::start(&Spec::named("go9")).unwrap();
        let sgf = "(;GM[1]SZ[9]AB[aa][ba][ca]AW[ab][bb][cb]PL[B](;B[da]C[wrong])(;B[db];W[da]C[RIGHT]))";
        let found = read(&start, sgf.as_bytes(), "sgf", Path::new(".")).unwrap();
        assert_eq!(found[0].best, ["D8"]);
        let plain = "(;GM[1]SZ[9](;B[da])(;B[db]))";
        assert_eq!(read(&start, plain.as_bytes(), "sgf", Path::new(".")).unwrap()[0].best, ["D9"]);
    }

    #[test]
    fn regression_files_of_gnu_go() {
        let start = Go9::start(&Spec::named("go9")).unwrap();
        let folder = std::env::temp_dir().join(format!("yomi-problems-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.sgf"), "(;GM[1]SZ[9];B[aa];W[bb];B[cc])").unwrap();
        let text = "# comment\nloadsgf a.sgf 3\n10 reg_genmove black\n#? [C7|D4]*\n20 reg_genmove black\n#? [!C7]\n30 reg_genmove white\n#? [C7]\n\
                    40 owl_attack A1\n#? [0]\n";
        let found = read(&start, text.as_bytes(), "tst", &folder).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(
            (found[0].best.as_slice(), found[1].avoid.as_slice()),
            (&["C7".to_string(), "D4".to_string()][..], &["C7".to_string()][..])
        );
        assert_eq!(found[0].moves.split_whitespace().count(), 2);
        assert!(read(&start, b"loadsgf none.sgf\n", "tst", &folder).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
