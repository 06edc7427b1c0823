//! What pages that mean no good cost: the memory of the server stays bounded. A file of its own, because it weighs the whole process.

mod common;

use std::io::Write;
use std::net::TcpStream;

use common::{LOOKS, Socket, ask, get, lives, studio, try_socket};
use serde_json::json;
use tungstenite::Message;
use yomi_page::LONGEST_REQUEST;

/// More than this the hoarders below must not take: the room of waiting answers, and half of it again for what is on its way.
const MOST_MIB: u64 = 192;

/// Memory of this process in MiB, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib / 1024)
}

#[test]
fn hoarders_do_not_fill_the_memory() {
    let address = studio();
    assert!(lives(address));
    // Other systems do not tell how large a process is.
    let Some(before) = resident() else { return };
    // As many pages as are let in, once the server has noticed that the one before has left. Each wants a thousand large answers, one of a quarter
    // of a mebibyte to read, and takes nothing.
    let mut pages: Vec<Socket> = (0..LOOKS).filter_map(|_| try_socket(address, None).ok()).take(64).collect();
    assert_eq!(pages.len(), 64);
    assert!((0..136).all(|_| try_socket(address, None).is_err()));
    let board = json!({ "do": "show", "game": "blokus-duo" });
    let sheet = json!({ "id": 1, "do": "read", "text": "7".repeat(LONGEST_REQUEST - 100) }).to_string();
    for page in &mut pages {
        page.get_ref().set_nonblocking(true).unwrap();
        for n in 0..1000 {
            let mut request = board.clone();
            request["id"] = n.into();
            // A socket that takes no more is one whose page is not heard any more.
            if page.send(Message::text(request.to_string())).is_err() {
                break;
            }
        }
        let _ = page.send(Message::text(sheet.clone()));
        let _ = page.send(Message::text("x".repeat(LONGEST_REQUEST + 1)));
    }
    // Others begin a request and never end it, with a header as long as they can send.
    let mut halves: Vec<TcpStream> = (0..200).filter_map(|_| TcpStream::connect(address).ok()).collect();
    for half in &mut halves {
        half.set_nonblocking(true).unwrap();
        let _ = half.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ");
        let _ = half.write(&vec![b'a'; 4 << 20]);
    }
    // The seats are taken; the page itself is still served, and memory is what it may be.
    let page = get(address, "/", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page:.80}");
    let after = resident().unwrap();
    assert!(after < before + MOST_MIB, "{before} MiB before, {after} MiB with hoarders");
    drop((pages, halves));
    // Seats come free as the server notices that pages have left.
    let mut later = (0..LOOKS).find_map(|_| try_socket(address, None).ok()).expect("a seat");
    assert_eq!(ask(&mut later, &json!({ "id": 7, "do": "show", "game": "go9" }))["type"], "shown");
}
