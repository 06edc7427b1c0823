//! What a page asks of Yomi and hears from it: requests and answers as JSON over the sessions of `yomi-session`.
//!
//! The server of the studio and the WebAssembly program of the exported site (`src/main.rs`) both speak it; `docs/studio.md` describes it.
//! No request names a file or a program ([`admit`]), and every search ends ([`Limits`]). There are no threads and no clocks here.
//!
//! ```
//! use yomi_page::{Limits, answer, parse_request};
//!
//! let asked = parse_request(r#"{"id": 1, "do": "play", "game": "minishogi", "move": "2e1d"}"#)?;
//! let board = answer(&asked.request, &Limits::default()).expect("no search")?;
//! assert_eq!(board["type"], "shown");
//! assert!(parse_request(r#"{"id": 2, "do": "steal"}"#).is_err());
//! # Ok::<(), yomi_core::TextError>(())
//! ```

mod admit;
mod catalog;
mod lines;
mod paste;
mod request;
pub mod review;
mod search;
mod show;

pub use admit::{Limits, Offer, admit};
pub use catalog::catalog;
pub use lines::serve_lines;
pub use paste::read_pasted;
pub use request::{Envelope, Place, Request, TreeOrder};
pub use search::SearchOrder;
pub use show::{PictureOrder, SpeakOrder, WriteOrder};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::text::counted;

/// The longest request, in bytes: a game record with its comments fits.
pub const LONGEST_REQUEST: usize = 256 << 10;

/// Answers a request that needs no search. None for the others: [`SearchOrder::run`] does a search, and what a server keeps is its own.
pub fn answer(request: &Request, limits: &Limits) -> Option<Result<Value, TextError>> {
    Some(match request {
        Request::Catalog => Ok(catalog(limits)),
        Request::Show(place) => show::show(place, None),
        Request::Play { place, text } => show::show(place, Some(text)),
        Request::Read { text, game } => read_pasted(text, game.as_deref()),
        Request::Speak(order) => order.speak(),
        Request::Write(order) => order.write(),
        Request::Picture(order) => order.draw(),
        _ => return None,
    })
}

/// An error as an answer.
pub fn error_json(error: &TextError) -> Value {
    json!({ "type": "error", "message": error.message, "hint": error.hint, "line": error.line, "column": error.column })
}

/// The answer with the number of its request.
pub fn numbered(mut answer: Value, id: u64) -> Value {
    answer["id"] = id.into();
    answer
}

/// The request that a text holds.
pub fn parse_request(text: &str) -> Result<Envelope, TextError> {
    if text.len() > LONGEST_REQUEST {
        let (is, most) = (counted(text.len() as u64, "byte", "bytes"), LONGEST_REQUEST);
        return Err(TextError::new(format!("a request of {is} is too long: at most {most}")));
    }
    serde_json::from_str(text).map_err(|error| TextError::new(format!("this is no request: {error}")))
}
