//! The server against pages that mean no good: strangers, nonsense, too much of everything. Nothing crashes, and others are still answered.

mod common;

use common::{LOOKS, Socket, ask, get, hear, http, lives, scratch, send, socket, studio, studio_in, try_socket};
use serde_json::json;
use tungstenite::Message;
use yomi_lab::players::build::Programs;
use yomi_page::LONGEST_REQUEST;

#[test]
fn strangers_get_nothing() {
    let address = studio();
    let page = get(address, "/", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Yomi Studio</title>"), "{page}");
    for header in
        ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "frame-ancestors 'none'"]
    {
        assert!(page.contains(header), "{header}");
    }
    assert!(!page.to_lowercase().contains("access-control-allow"));
    let port = address.port();
    for host in ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example"] {
        let answer = http(address, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    let answer = http(
        address,
        &format!(
            "GET /ws HTTP/1.1\r\nHost: evil.example:{port}\r\nOrigin: http://evil.example:{port}\r\nConnection: close\r\n\r\n"
        ),
    );
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(get(address, "/", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
    for origin in ["http://evil.example", "null", "https://evil.example", "http://127.0.0.1:1"] {
        assert!(try_socket(address, Some(origin)).is_err_and(|error| error.contains("403")), "{origin}");
    }
    assert!(try_socket(address, None).is_ok() && lives(address));
}

#[test]
fn no_path_leads_out_of_the_page() {
    let address = studio();
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/....//etc/passwd",
        "/etc/passwd",
        "/studio.js/../../x",
        "/ws/../Cargo.toml",
        "//etc/passwd",
        "/.git/config",
        "/dist/index.html",
        "/index.html%00.js",
    ] {
        let answer = get(address, path, "");
        assert!(answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
    }
    let mut socket = socket(address);
    for name in ["../../etc", "/etc", "runs/../../etc", "", "..", "\u{0}"] {
        for request in ["run", "games", "experiment", "start", "curves", "lessons", "tree"] {
            let answer = ask(&mut socket, &json!({ "id": 1, "do": request, "name": name, "part": 0 }));
            assert_eq!(answer["type"], "error", "{request} {name}: {answer}");
        }
    }
    for player in [
        "usi(sh)",
        "gtp:/bin/sh -c id",
        "mate-first(book(mcss,file=/etc/passwd))",
        "mcss + quiet(linear(file=/etc/passwd))",
        "mcss + net(file=/etc/passwd)",
    ] {
        let answer = ask(&mut socket, &json!({ "id": 2, "do": "search", "game": "minishogi", "player": player }));
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(message.contains("no files") || message.contains("no programs"), "{player}: {answer}");
    }
}

#[test]
fn nonsense_is_answered_and_too_much_is_cut_off() {
    let address = studio();
    let mut page = socket(address);
    let deep = format!("{{\"id\":1,\"do\":{}", "[".repeat(50_000));
    for text in [
        "",
        "{",
        "null",
        "[]",
        "\"x\"",
        "{\"id\":1}",
        "{\"id\":-1,\"do\":\"show\"}",
        "{\"id\":1,\"do\":\"rm\"}",
        "{\"id\":1,\"do\":\"show\"}",
        &deep,
    ] {
        page.send(Message::text(text)).unwrap();
        let answer = hear(&mut page);
        assert_eq!(answer["type"], "error", "{:.60}: {answer}", text);
    }
    page.send(Message::binary(vec![0; 10])).unwrap();
    assert_eq!(hear(&mut page)["type"], "error");
    for place in [
        json!({ "game": "chess" }),
        json!({ "game": "shogi", "position": "9/9" }),
        json!({ "game": "go9", "moves": "E5 E5" }),
        json!({ "game": "go9", "moves": "pass ".repeat(5000) }),
        json!({ "game": "x".repeat(100_000) }),
    ] {
        let mut request = place.clone();
        (request["id"], request["do"]) = (json!(3), json!("show"));
        let answer = ask(&mut page, &request);
        assert!(answer["type"] == "error" && answer["message"].as_str().unwrap().len() < 3000, "{answer}");
    }
    let answer = ask(&mut page, &json!({ "id": 4, "do": "search", "game": "go9", "player": "uct(hash=999999)" }));
    assert!(answer["message"].as_str().unwrap().contains("hash goes up to 32"), "{answer}");
    // A message over the limit ends its own connection and no other.
    let mut other = socket(address);
    let sent = other.send(Message::text("x".repeat(LONGEST_REQUEST + 1)));
    let ended = sent.is_err() || (0..10).any(|_| other.read().is_err());
    assert!(ended && lives(address));
    assert_eq!(ask(&mut page, &json!({ "id": 5, "do": "show", "game": "shogi" }))["type"], "shown");
}

#[test]
fn two_hundred_pages_are_too_many() {
    let address = studio();
    let sockets: Vec<Result<Socket, String>> = (0..200).map(|_| try_socket(address, None)).collect();
    let open = sockets.iter().filter(|socket| socket.is_ok()).count();
    let refused = sockets.iter().filter(|socket| socket.as_ref().is_err_and(|error| error.contains("503"))).count();
    assert_eq!((open, refused), (64, 136));
    // One that is open is served while the others wait.
    let mut sockets: Vec<Socket> = sockets.into_iter().flatten().collect();
    assert_eq!(ask(&mut sockets[63], &json!({ "id": 1, "do": "show", "game": "go5" }))["type"], "shown");
    drop(sockets);
    // Seats come free as the server notices.
    assert!((0..LOOKS).any(|_| try_socket(address, None).is_ok()));
}

#[test]
fn searches_are_bounded_stopped_and_end_with_their_page() {
    let address = studio();
    let mut page = socket(address);
    let endless =
        |id: u64| json!({ "id": id, "do": "search", "live": true, "game": "minishogi", "player": "mcss(t=80)" });
    send(&mut page, &endless(1));
    send(&mut page, &endless(2));
    assert!(ask(&mut page, &endless(3))["message"].as_str().unwrap().starts_with("busy"));
    send(&mut page, &json!({ "id": 4, "do": "stop", "search": 1 }));
    let last = loop {
        let answer = hear(&mut page);
        if answer["id"] == 1 && answer["final"] == true {
            break answer;
        }
    };
    assert!(last["ended"] == "stopped" && last["best"].is_string(), "{last}");
    // Its tree is kept and can be looked into.
    send(&mut page, &json!({ "id": 5, "do": "explore", "search": 1, "depth": 1 }));
    let tree = loop {
        let answer = hear(&mut page);
        if answer["id"] == 1 && answer["type"] == "tree" {
            break answer;
        }
    };
    assert!(tree["below"].as_array().is_some_and(|below| !below.is_empty()), "{tree}");
    drop(page);
    let mut other = socket(address);
    let mut running = || ask(&mut other, &json!({ "id": 1, "do": "catalog" }))["studio"]["running"].as_u64();
    assert!((0..LOOKS).any(|_| running() == Some(0)), "the search of a closed page goes on");
}

/// A page that asks and does not read: others are served, its own reports are the latest, and in the end it hears the last word.
#[test]
fn a_slow_reader_hurts_only_itself() {
    let address = studio();
    let mut slow = socket(address);
    send(
        &mut slow,
        &json!({ "id": 1, "do": "search", "live": true, "game": "minishogi", "player": "mcss(t=80) sims=20000", "tree": {} }),
    );
    for n in 0..50 {
        send(&mut slow, &json!({ "id": 100 + n, "do": "show", "game": "blokus-duo" }));
    }
    assert!((0..20).all(|_| lives(address)));
    let mut heard = 0;
    let last = loop {
        let answer = hear(&mut slow);
        heard += 1;
        if answer["id"] == 1 && answer["final"] == true {
            break answer;
        }
    };
    assert!(last["simulations"] == 20_000 && heard < 500, "{heard}");
}

/// Trees are kept and found by names that the studio chose; a page says neither where nor how they are called.
#[test]
fn trees_are_kept_and_walked_through_by_name() {
    let folder = scratch("trees");
    let address = studio_in(&folder, Programs::Refused);
    let mut page = socket(address);
    let order =
        json!({ "id": 1, "do": "search", "game": "minishogi", "moves": "5d5c", "player": "mcss(t=80) sims=500" });
    assert_eq!(ask(&mut page, &order)["final"], true);
    let saved =
        ask(&mut page, &json!({ "id": 2, "do": "save-tree", "search": 1, "name": "../../x", "path": "/etc/x" }));
    assert_eq!(saved["name"], "minishogi-mcss-1", "{saved}");
    assert_eq!(ask(&mut page, &json!({ "id": 3, "do": "save-tree", "search": 1 }))["name"], "minishogi-mcss-2");
    assert_eq!(ask(&mut page, &json!({ "id": 4, "do": "save-tree", "search": 99 }))["type"], "error");
    // A method without a tree leaves no file behind.
    let flat = json!({ "id": 5, "do": "search", "game": "minishogi", "player": "alpha-beta depth=2" });
    assert_eq!(ask(&mut page, &flat)["final"], true);
    assert_eq!(ask(&mut page, &json!({ "id": 6, "do": "save-tree", "search": 5 }))["type"], "error");
    assert_eq!(std::fs::read_dir(folder.join("trees")).unwrap().count(), 2);
    // What else lies there is no tree.
    std::fs::write(folder.join("trees/other.tree"), "YOMITREE but not really").unwrap();
    let mut other = socket(address);
    let list = ask(&mut other, &json!({ "id": 1, "do": "trees" }));
    let names: Vec<&str> =
        list["trees"].as_array().unwrap().iter().map(|tree| tree["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["minishogi-mcss-1", "minishogi-mcss-2"]);
    assert!(list["trees"][0]["nodes"].as_u64().unwrap() > 100, "{list}");
    let tree = ask(&mut other, &json!({ "id": 2, "do": "tree", "name": "minishogi-mcss-1", "top": 3, "depth": 2 }));
    assert!(tree["visits"].as_u64().unwrap() >= 500 && tree["below"].as_array().unwrap().len() == 3, "{tree}");
    let best = tree["below"][0]["move"].clone();
    let deeper = ask(&mut other, &json!({ "id": 3, "do": "tree", "name": "minishogi-mcss-1", "path": best, "top": 3 }));
    assert_eq!(deeper["visits"], tree["below"][0]["visits"]);
    for name in ["other", "minishogi-mcss-1.tree", "../trees/minishogi-mcss-1", "/etc/passwd"] {
        assert_eq!(ask(&mut other, &json!({ "id": 4, "do": "tree", "name": name }))["type"], "error", "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Weights of the folder are offered by name, and used; what is not offered is not read.
#[test]
fn weights_are_used_by_name_only() {
    let folder = scratch("weights");
    std::fs::create_dir_all(folder.join("weights")).unwrap();
    let embedded = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/weights/minishogi.linear");
    std::fs::copy(embedded, folder.join("weights/minishogi.linear")).unwrap();
    std::fs::copy(embedded, folder.join("minishogi-secret.linear")).unwrap();
    let address = studio_in(&folder, Programs::Refused);
    let mut page = socket(address);
    let catalog = ask(&mut page, &json!({ "id": 1, "do": "catalog" }));
    assert_eq!(catalog["files"][0]["name"], "minishogi.linear", "{}", catalog["files"]);
    assert!(!catalog.to_string().contains(&*folder.to_string_lossy()), "the page hears no path");
    let player = catalog["files"][0]["player"].as_str().unwrap();
    let order = |id: u64, player: &str| json!({ "id": id, "do": "search", "game": "minishogi", "player": player });
    let answer = ask(&mut page, &order(2, &format!("{player} depth=2")));
    assert!(answer["final"] == true && !answer.to_string().contains(&*folder.to_string_lossy()), "{answer}");
    let path = folder.join("minishogi-secret.linear").to_string_lossy().into_owned();
    for file in [&path, "../minishogi-secret.linear", "weights/minishogi.linear"] {
        let answer = ask(&mut page, &order(3, &format!("alpha-beta + linear(file=\"{file}\") depth=2")));
        assert!(answer["message"].as_str().unwrap_or_default().contains("no files but those"), "{file}: {answer}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Programs of others are started only if the command line said so, and then only those of experiments by name.
#[test]
fn programs_need_the_consent_of_the_command_line() {
    let folder = scratch("programs");
    let refused = ask(&mut socket(studio()), &json!({ "id": 1, "do": "experiment", "name": "s0-table2" }));
    assert!(refused["missing"].as_str().unwrap().contains("--allow-programs"), "{refused}");
    let mut page = socket(studio_in(&folder, Programs::Allowed));
    let allowed = ask(&mut page, &json!({ "id": 1, "do": "experiment", "name": "s0-table2" }));
    let missing = allowed["missing"].as_str().unwrap_or_default();
    assert!(!missing.contains("--allow-programs"), "{missing}");
    assert!(allowed["programs"].as_array().is_some_and(|programs| !programs.is_empty()), "{allowed}");
    // Players of pages start none even then.
    for player in ["usi(sh)", "gtp:/bin/sh -c id", "knowledge(\"sh\",uct)"] {
        let answer = ask(&mut page, &json!({ "id": 2, "do": "search", "game": "minishogi", "player": player }));
        assert!(answer["message"].as_str().unwrap_or_default().contains("no programs"), "{player}: {answer}");
    }
    for name in ["/bin/sh", "s0-table2; sh", "../experiments/s0-table2.toml"] {
        let answer = ask(&mut page, &json!({ "id": 3, "do": "start", "name": name }));
        assert_eq!(answer["type"], "error", "{name}: {answer}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
