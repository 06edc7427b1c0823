//! The studio: a page to play, analyse, learn and experiment.
//!
//! [`Studio::serve`] answers one page on loopback: the bundle built from `web/` (embedded, so that building needs no Node), and one WebSocket
//! per page that speaks the requests of `yomi-page`. Positions are carried by the requests, so a page that is reloaded loses nothing; a page that is
//! closed ends its searches. [`export`] writes the same page as a site for any web server, with the laboratory's results beside it.
//!
//! What keeps strangers out is in [`guard`], what bounds memory in `outbox` and `searches`; `docs/studio.md` is the page for people.
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::{SocketAddr, TcpStream};
//! use std::sync::{Arc, mpsc};
//!
//! use yomi_lab::players::build::Programs;
//! use yomi_page::Limits;
//! use yomi_studio::{Options, Studio};
//!
//! let options = Options {
//!     port: 0, // any that is free
//!     limits: Limits::default(),
//!     folders: Vec::new(),
//!     trees: Vec::new(),
//!     offers: Vec::new(),
//!     programs: Programs::Refused,
//!     signature: Arc::new(|| Err("no experiments here".to_string())),
//! };
//! let (ready, address) = mpsc::channel::<SocketAddr>();
//! std::thread::spawn(move || Studio::serve(options, |address| ready.send(address).unwrap()));
//! let address = address.recv().unwrap();
//! // The status line of an answer to a page of this name.
//! let get = |host: &str| {
//!     let mut stream = TcpStream::connect(address).unwrap();
//!     write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
//!     let mut answer = String::new();
//!     stream.read_to_string(&mut answer).unwrap();
//!     answer.lines().next().unwrap().to_string()
//! };
//! assert_eq!(get(&address.to_string()), "HTTP/1.1 200 OK");
//! assert_eq!(get("elsewhere.example"), "HTTP/1.1 403 Forbidden");
//! ```

mod bundle;
pub mod export;
pub mod guard;
mod laboratory;
mod league;
mod learners;
mod lessons;
mod outbox;
mod runs;
mod searches;
mod server;
mod talk;
mod trees;
mod weights;

pub use laboratory::Signature;
pub use server::{Options, Studio};
pub use weights::offers;
