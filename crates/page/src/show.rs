//! Positions, boards, pictures and records.

use serde::Deserialize;
use serde_json::{Value, json};
use yomi_core::{Ending, TextError};
use yomi_games::draw::{SvgOptions, Theme, svg};
use yomi_session::MarkedMoves;

use crate::request::{LONGEST_GAME, Place};

/// The position with its board; after one more move if there is one.
pub(crate) fn show(place: &Place, text: Option<&str>) -> Result<Value, TextError> {
    let mut session = place.open()?;
    let played = text.map(|text| session.play(text)).transpose()?;
    let last = (session.plies() > 0).then(|| {
        // The move before the position is spoken of from where it was played.
        let moves = session.moves();
        let words = moves.split_last().map(|(last, before)| (last.clone(), before.join(" ")));
        let (last, before) = words.unwrap_or_default();
        let before = Place { moves: before, ..place.clone() };
        before.open().and_then(|session| session.spoken(&last)).unwrap_or(last)
    });
    Ok(json!({ "type": "shown", "position": session.position().json(), "board": session.board().json(),
        "moves": session.moves(), "last": last, "played": played.as_ref().map(|played| &played.text),
        "note": played.and_then(|played| played.note), "declared": session.declared().is_some(),
        "examples": session.move_examples() }))
}

/// Lines of moves to be put in words.
#[derive(Clone, Debug, Deserialize)]
pub struct SpeakOrder {
    /// Where all of them begin.
    #[serde(flatten)]
    pub place: Place,
    /// The lines, their moves separated by spaces.
    pub lines: Vec<String>,
}

/// The lines of one request, and the moves of one line.
const MOST_LINES: usize = 64;

impl SpeakOrder {
    /// Every move in all the forms a person may know. A line ends before the first move that cannot be played.
    pub(crate) fn speak(&self) -> Result<Value, TextError> {
        let mut session = self.place.open()?;
        let mut spoken = Vec::new();
        for line in self.lines.iter().take(MOST_LINES) {
            let mut words = Vec::new();
            for mv in line.split_whitespace().take(LONGEST_GAME) {
                let Ok(spoken) = session.spoken(mv) else { break };
                if session.play_line(mv).is_err() {
                    break;
                }
                words.push(spoken);
            }
            session.undo(words.len())?;
            spoken.push(words);
        }
        Ok(json!({ "type": "spoken", "lines": spoken }))
    }
}

/// The game as the text of a record.
#[derive(Clone, Debug, Deserialize)]
pub struct WriteOrder {
    /// The game at its end.
    #[serde(flatten)]
    pub place: Place,
    /// The players, Black first.
    #[serde(default)]
    pub names: [String; 2],
    /// `resign`, `time` or `aborted`, if it was ended by hand.
    #[serde(default)]
    pub ending: Option<String>,
}

impl WriteOrder {
    pub(crate) fn write(&self) -> Result<Value, TextError> {
        let mut session = self.place.open()?;
        match self.ending.as_deref() {
            None | Some("") => {}
            Some("resign") => session.end(Ending::Resign),
            Some("time") => session.end(Ending::TimeUp),
            Some("aborted") => session.end(Ending::Aborted),
            Some(other) => return Err(TextError::new(format!("{other} is no way to end a game"))),
        }
        let files = session.record([&self.names[0], &self.names[1]])?;
        let mut texts: Vec<Value> = files
            .into_iter()
            .filter_map(|(ending, bytes)| Some(json!({ "ending": ending, "text": String::from_utf8(bytes).ok()? })))
            .collect();
        let report = session.position();
        texts.push(json!({ "ending": "position", "text": report.position }));
        Ok(json!({ "type": "written", "game": report.game, "files": texts }))
    }
}

/// The position as a picture.
#[derive(Clone, Debug, Deserialize)]
pub struct PictureOrder {
    /// The position.
    #[serde(flatten)]
    pub place: Place,
    /// As White sees it.
    #[serde(default)]
    pub turned: bool,
    /// In the colours of a dark room.
    #[serde(default)]
    pub night: bool,
    /// Moves to point at, with weights from 0 to 1.
    #[serde(default)]
    pub arrows: Vec<(String, f32)>,
}

impl PictureOrder {
    pub(crate) fn draw(&self) -> Result<Value, TextError> {
        let session = self.place.open()?;
        let marks = MarkedMoves { arrows: self.arrows.iter().take(40).cloned().collect(), ..MarkedMoves::default() };
        let mut picture = session.picture(&marks)?;
        if self.turned {
            picture = picture.turned();
        }
        if self.night {
            picture.theme = Theme::NIGHT;
        }
        Ok(json!({ "type": "picture", "svg": svg(&picture, &SvgOptions::default()) }))
    }
}
