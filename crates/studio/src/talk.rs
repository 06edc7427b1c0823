//! One page at its WebSocket: requests in, answers out, and everything ends with it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use yomi_core::TextError;
use yomi_page::{Envelope, Offer, Request, answer, error_json, numbered, parse_request};

use crate::outbox::Outbox;
use crate::searches::PageId;
use crate::server::Studio;

/// Requests of one page that are being answered.
const AT_ONCE: usize = 32;
/// A page that takes nothing for this long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// Talks with a page until it leaves.
pub(crate) async fn talk(mut socket: WebSocket, studio: Arc<Studio>, page: PageId, _seat: OwnedSemaphorePermit) {
    let outbox = Arc::new(Outbox::new(Arc::clone(&studio.room)));
    let busy = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => hear(text.as_str(), &studio, page, &outbox, &busy),
                Some(Ok(Message::Binary(_))) => outbox.push(&error_json(&TextError::new("requests are text"))),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
            next = outbox.next() => {
                let Some(text) = next else { break };
                let sent = tokio::time::timeout(PATIENCE, socket.send(Message::Text(text.into()))).await;
                if !matches!(sent, Ok(Ok(()))) {
                    break;
                }
            }
        }
    }
    studio.searches.leave(page);
}

/// Takes a request. What needs time is answered from another thread.
fn hear(text: &str, studio: &Arc<Studio>, page: PageId, outbox: &Arc<Outbox>, busy: &Arc<Semaphore>) {
    let Envelope { id, request } = match parse_request(text) {
        Ok(envelope) => envelope,
        Err(error) => return outbox.push(&error_json(&error)),
    };
    let reply = |answer: Result<Value, TextError>| {
        outbox.push(&numbered(answer.unwrap_or_else(|error| error_json(&error)), id));
    };
    match request {
        Request::Search(order) => {
            if let Err(error) = studio.searches.begin(page, id, order, outbox) {
                reply(Err(error));
            }
        }
        Request::Stop { search } => {
            reply(Ok(json!({ "type": "stopped", "running": studio.searches.stop(page, search) })));
        }
        request => {
            let Ok(turn) = Arc::clone(busy).try_acquire_owned() else {
                return reply(Err(TextError::new("busy: this page asks faster than it can be answered")));
            };
            let (studio, outbox) = (Arc::clone(studio), Arc::clone(outbox));
            tokio::task::spawn_blocking(move || {
                match answered(&studio, page, &request) {
                    // A search that runs answers by itself.
                    Ok(None) => {}
                    // What a search answered carries its number already.
                    Ok(Some(answer)) if answer.get("id").is_some() => outbox.push(&answer),
                    Ok(Some(answer)) => outbox.push(&numbered(answer, id)),
                    Err(error) => outbox.push(&numbered(error_json(&error), id)),
                }
                drop(turn);
            });
        }
    }
}

/// The answer to everything but searches; none where a search answers.
fn answered(studio: &Studio, page: PageId, request: &Request) -> Result<Option<Value>, TextError> {
    if let Some(answer) = answer(request, &studio.searches.limits) {
        let mut answer = answer?;
        if matches!(request, Request::Catalog) {
            answer["studio"] = studio.searches.json();
            answer["files"] = studio.searches.offers.iter().map(Offer::json).collect();
        }
        return Ok(Some(answer));
    }
    match request {
        Request::Explore { search, tree } => studio.searches.explore(page, *search, tree),
        Request::SaveTree { search } => {
            let name = studio.searches.save(page, *search, &studio.trees)?;
            Ok(Some(json!({ "type": "saved", "name": name })))
        }
        Request::Trees => Ok(Some(studio.trees.list())),
        Request::Tree { name, tree } => studio.trees.explore(name, tree).map(Some),
        other => studio.laboratory.answer(other).map(Some),
    }
}
