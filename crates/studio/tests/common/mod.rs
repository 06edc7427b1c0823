//! A studio on a port of its own, and those who speak to it.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket, client};
use yomi_lab::players::build::Programs;
use yomi_page::Limits;
use yomi_studio::{Options, Studio, offers};

/// How often is asked for what takes the server a moment. Time decides nothing: a busy machine gives the server its turns between two questions.
pub(crate) const LOOKS: usize = 100_000;

/// The folder of a test, made anew.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("yomi-studio-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A studio on a port of its own. It lives as long as the test.
pub(crate) fn studio() -> SocketAddr {
    studio_in(&scratch("test"), Programs::Refused)
}

/// A studio whose runs, trees and weights lie in this folder.
pub(crate) fn studio_in(folder: &Path, programs: Programs) -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    let options = Options {
        port: 0,
        limits: Limits { searches: 2, hash: 32, ..Limits::default() },
        folders: vec![folder.join("runs")],
        trees: vec![folder.join("trees")],
        offers: offers(&[folder.join("weights")]),
        programs,
        signature: Arc::new(|| Err("no experiments here".to_string())),
    };
    std::thread::spawn(move || Studio::serve(options, |address| sender.send(address).unwrap()).unwrap());
    receiver.recv().unwrap()
}

/// The first line and the headers of an answer to a request as it stands.
pub(crate) fn http(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = Vec::new();
    // A server that refuses may close before everything is written.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

pub(crate) fn get(address: SocketAddr, path: &str, headers: &str) -> String {
    http(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n"))
}

pub(crate) type Socket = WebSocket<TcpStream>;

pub(crate) fn try_socket(address: SocketAddr, origin: Option<&str>) -> Result<Socket, String> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    client(request, stream).map(|(socket, _)| socket).map_err(|error| error.to_string())
}

pub(crate) fn socket(address: SocketAddr) -> Socket {
    try_socket(address, Some(&format!("http://{address}"))).unwrap()
}

pub(crate) fn send(socket: &mut Socket, request: &Value) {
    socket.send(Message::text(request.to_string())).unwrap();
}

pub(crate) fn hear(socket: &mut Socket) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

pub(crate) fn ask(socket: &mut Socket, request: &Value) -> Value {
    send(socket, request);
    loop {
        let answer = hear(socket);
        if answer["id"] == request["id"] || answer["id"].is_null() {
            return answer;
        }
    }
}

/// Whether the studio still answers.
pub(crate) fn lives(address: SocketAddr) -> bool {
    let answer = ask(&mut socket(address), &json!({ "id": 7, "do": "show", "game": "go9", "moves": "E5" }));
    answer["type"] == "shown" && answer["board"]["pieces"].as_array().is_some_and(|pieces| pieces.len() == 1)
}
