//! The server: one thread that listens, loopback only.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Semaphore;
use yomi_lab::players::build::Programs;
use yomi_page::{LONGEST_REQUEST, Limits, Offer};

use crate::bundle::asset;
use crate::guard::{Guard, HEADERS};
use crate::laboratory::{Laboratory, Signature};
use crate::outbox::Room;
use crate::searches::Searches;
use crate::talk::talk;
use crate::trees::Trees;

/// Pages at the same time.
const MOST_PAGES: usize = 64;

/// How a studio is set up.
pub struct Options {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// What searches may take.
    pub limits: Limits,
    /// Folders of run directories; new ones are made in the first.
    pub folders: Vec<PathBuf>,
    /// Folders of saved trees; new ones are kept in the first.
    pub trees: Vec<PathBuf>,
    /// Networks and weights that players may use.
    pub offers: Vec<Offer>,
    /// Whether experiments may start the programs of others that they name.
    pub programs: Programs,
    /// Who this program is, for the manifests of experiments; asked for when the first begins, because it takes a while.
    pub signature: Signature,
}

/// The studio.
pub struct Studio {
    pub(crate) searches: Arc<Searches>,
    pub(crate) laboratory: Laboratory,
    pub(crate) trees: Trees,
    pub(crate) room: Arc<Room>,
    seats: Arc<Semaphore>,
    pages: AtomicU64,
}

impl Studio {
    /// Serves pages until the program ends. `ready` hears the address once it listens.
    pub fn serve(options: Options, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
        let studio = Arc::new(Studio {
            searches: Arc::new(Searches::new(options.limits, options.offers)),
            laboratory: Laboratory::new(options.folders, options.programs, options.signature),
            trees: Trees::new(options.trees),
            room: Arc::default(),
            seats: Arc::new(Semaphore::new(MOST_PAGES)),
            pages: AtomicU64::new(0),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
            let address = listener.local_addr()?;
            let guard = Guard::of_port(address.port());
            let router = Router::new()
                .route("/ws", get(socket))
                .fallback(file)
                .layer(from_fn_with_state(Arc::new(guard), check))
                .with_state(studio);
            ready(address);
            axum::serve(listener, router).await
        })
    }
}

/// Refuses requests from elsewhere, and sends the headers that say what pages may do.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

async fn file(uri: Uri) -> Response {
    match asset(uri.path()) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.kind)], asset.bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such page").into_response(),
    }
}

async fn socket(State(studio): State<Arc<Studio>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(seat) = Arc::clone(&studio.seats).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    };
    // Relaxed: all that matters is that the number is unique.
    let page = studio.pages.fetch_add(1, Ordering::Relaxed);
    let upgrade =
        upgrade.max_message_size(LONGEST_REQUEST).max_frame_size(LONGEST_REQUEST).max_write_buffer_size(4 << 20);
    upgrade.on_upgrade(move |socket| talk(socket, studio, page, seat))
}
