//! Games on a small server of our own: two clients, one referee.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use yomi_core::{Color, Ending, Line, Outcome, Position, Seed};
use yomi_games::shogi::records::{Format, parse_csa_move, read, write};
use yomi_games::shogi::{Declaration, Entering, Nine, Rules, Shogi9};
use yomi_protocol::csa::{self, Login, Options, Played, Result as CsaResult};
use yomi_protocol::server::Console;
use yomi_protocol::server::usi::{Engine, Scale};
use yomi_search::{Limits, RandomPlayer, Search};

/// What a referee does besides refereeing.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Fair,
    /// Breaks the game off after this many moves.
    Breaks(usize),
    /// Says that the time of the side to move is over after this many moves.
    Strict(usize),
}

struct Seat {
    lines: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Seat {
    fn accept(listener: &TcpListener) -> Seat {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
        let mut seat = Seat { lines: BufReader::new(stream.try_clone().unwrap()), stream };
        assert!(seat.line().starts_with("LOGIN "));
        seat
    }

    fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the client is gone");
            if line.trim().is_empty() {
                // Keep-alive is answered in kind.
                self.say("");
                continue;
            }
            return line.trim_end().to_string();
        }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.stream, "{text}").unwrap();
    }

    /// Says no more, and hears the client out: a connection that is cut while something is unread loses what was said last.
    fn leave(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
        // How it leaves is its own affair.
        let _ = io::copy(&mut self.lines, &mut io::sink());
    }
}

/// Referees one game of two clients from `position`, whose lines are those of a summary, and tells when a client has a seat.
fn serve(listener: TcpListener, position: String, max_moves: u32, mood: Mood, seated: Sender<()>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut seats = [(); 2].map(|()| {
            let seat = Seat::accept(&listener);
            seated.send(()).unwrap();
            seat
        });
        for (i, seat) in seats.iter_mut().enumerate() {
            let side = ["+", "-"][i];
            seat.say(&format!("LOGIN:client{i} OK"));
            seat.say("BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0");
            seat.say(&format!(
                "Declaration:Jishogi 1.1\nGame_ID:test-1\nName+:client0\nName-:client1\nYour_Turn:{side}"
            ));
            seat.say(&format!("Rematch_On_Draw:NO\nTo_Move:+\nMax_Moves:{max_moves}"));
            seat.say("BEGIN Time\nTime_Unit:1sec\nTotal_Time:1\nByoyomi:1\nLeast_Time_Per_Move:0\nEND Time");
            seat.say(&format!("BEGIN Position\n{position}END Position\nEND Game_Summary"));
        }
        for seat in &mut seats {
            assert_eq!(seat.line(), "AGREE test-1");
        }
        seats.iter_mut().for_each(|seat| seat.say("START:test-1"));
        let rules = Rules { entering: Entering::Points27, max_moves, ..Rules::default() };
        let record = read(position.as_bytes()).unwrap().shogi().unwrap();
        let mut line = Line::new(Shogi9::from_sfen_with(&record.start.sfen(), rules).unwrap());
        record.moves().into_iter().for_each(|mv| line.play(mv));
        let finish = |reason: &str, winner: Option<Color>, seats: &mut [Seat; 2]| {
            for (i, seat) in seats.iter_mut().enumerate() {
                let result = match winner {
                    None if reason == "#CHUDAN" => "",
                    None => "#DRAW",
                    Some(winner) if winner.index() == i => "#WIN",
                    Some(_) => "#LOSE",
                };
                seat.say(&format!("{reason}\n{result}"));
            }
            seats.iter_mut().for_each(Seat::leave);
        };
        loop {
            let turn = line.position().turn();
            match mood {
                Mood::Breaks(plies) if line.len() == plies => return finish("#CHUDAN", None, &mut seats),
                Mood::Strict(plies) if line.len() == plies => return finish("#TIME_UP", Some(!turn), &mut seats),
                _ => {}
            }
            let said = seats[turn.index()].line();
            let text = said.split(',').next().unwrap();
            match text {
                "%TORYO" => {
                    seats.iter_mut().for_each(|seat| seat.say("%TORYO,T1"));
                    return finish("#RESIGN", Some(!turn), &mut seats);
                }
                "%KACHI" => {
                    let right = line.position().declaration() == Some(Declaration::Win);
                    seats.iter_mut().for_each(|seat| seat.say("%KACHI,T1"));
                    let (reason, winner) = if right { ("#JISHOGI", turn) } else { ("#ILLEGAL_ACTION", !turn) };
                    return finish(reason, Some(winner), &mut seats);
                }
                _ => {}
            }
            let mv = parse_csa_move(line.position(), text).unwrap_or_else(|e| panic!("{said}: {e}"));
            line.play(mv);
            seats.iter_mut().for_each(|seat| seat.say(&format!("{text},T0")));
            match line.position().repetition(line.past()) {
                Some(Outcome::Draw) => return finish("#SENNICHITE", None, &mut seats),
                Some(Outcome::Win(winner)) => return finish("#OUTE_SENNICHITE", Some(winner), &mut seats),
                None => {}
            }
            if line.position().generate(&mut Vec::new()) == Some(Outcome::Draw) {
                return finish("#MAX_MOVES", None, &mut seats);
            }
        }
    })
}

fn client(address: std::net::SocketAddr, number: usize, search: Box<dyn Search<Shogi9>>) -> JoinHandle<Played> {
    thread::spawn(move || {
        let stream = TcpStream::connect(address).unwrap();
        let mut console = Console::new(stream.try_clone().unwrap(), stream);
        let mut engine =
            Engine::<Nine> { search, scale: Scale::Pawn(87.0), limits: Limits::nodes(1), note: String::new() };
        let login = Login { user: format!("client{number}"), password: "floodgate-0-1,secret".to_string() };
        let seed = Seed::new(number as u64);
        let keep_alive = Duration::from_millis(50);
        let options = Options { floodgate: number == 0, keep_alive, seed, ..Options::default() };
        csa::play(&mut console, &login, &mut engine, &options).unwrap()
    })
}

/// Two random players under this referee.
fn game(position: &str, max_moves: u32, mood: Mood) -> [Played; 2] {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, seated) = channel();
    let server = serve(listener, position.to_string(), max_moves, mood, sender);
    let black = client(address, 0, Box::new(RandomPlayer));
    // The first to come is Black.
    seated.recv().unwrap();
    let white = client(address, 1, Box::new(RandomPlayer));
    let played = [black, white].map(|client| client.join().unwrap());
    server.join().unwrap();
    let [black, white] = &played;
    assert_eq!((black.summary.you, white.summary.you), (Color::Black, Color::White));
    assert_eq!(black.record.moves(), white.record.moves());
    // The record can be read back.
    let text = write(&black.record, Format::Csa).unwrap();
    let again = read(text.as_bytes()).unwrap().shogi().unwrap();
    assert_eq!(again.moves(), black.record.moves());
    assert!(text.contains("N+client0\nN-client1\n"), "{text}");
    played
}

fn ending(played: &Played) -> Option<Ending> {
    played.record.nodes.last().and_then(|node| node.ending)
}

#[test]
fn a_game_ends_at_the_agreed_move() {
    let [black, white] = game("PI\n+\n", 30, Mood::Fair);
    assert_eq!((black.result, white.result), (CsaResult::Draw, CsaResult::Draw));
    assert_eq!((black.reason.as_str(), black.record.moves().len()), ("#MAX_MOVES", 30));
    assert_eq!(ending(&white), Some(Ending::MoveLimit));
}

#[test]
fn mate_is_resigned() {
    // White is mated at once and must say so.
    let position = "P1 *  *  *  * -OU *  *  *  * \nP2 *  *  *  * +KI *  *  *  * \nP3 *  *  *  * +FU *  *  *  * \n\
        P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
        P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  * +OU *  *  *  * \n-\n";
    let [black, white] = game(position, 0, Mood::Fair);
    assert_eq!((black.result, white.result), (CsaResult::Win, CsaResult::Lose));
    assert_eq!(ending(&black), Some(Ending::Resign));
}

#[test]
fn an_entered_king_is_declared() {
    let position = "P1 *  * +RY *  * +RY *  * +OU\nP2 * +KI * +KI * +KI * +KI * \nP3 * +GI * +GI * +GI * +GI * \n\
        P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
        P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  * -OU *  *  *  * \n\
        P+00KA00KA\n+\n";
    let [black, white] = game(position, 0, Mood::Fair);
    assert_eq!((black.result, black.reason.as_str()), (CsaResult::Win, "#JISHOGI"));
    assert_eq!((white.result, ending(&white)), (CsaResult::Lose, Some(Ending::Declaration)));
}

#[test]
fn the_referee_has_the_last_word() {
    let [black, white] = game("PI\n+\n+2726FU,T1\n", 0, Mood::Breaks(4));
    assert_eq!((black.result, white.result), (CsaResult::Aborted, CsaResult::Aborted));
    assert_eq!(ending(&black), Some(Ending::Aborted));
    let [black, white] = game("PI\n+\n", 0, Mood::Strict(6));
    assert_eq!((black.result, white.result), (CsaResult::Lose, CsaResult::Win));
    assert_eq!(ending(&black), Some(Ending::TimeUp));
}

#[test]
fn a_server_that_does_not_want_us_is_an_error() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let mut seat = Seat::accept(&listener);
        seat.say("LOGIN:incorrect");
        let mut seat = Seat::accept(&listener);
        seat.say("LOGIN:me OK\nBEGIN Game_Summary\nEND Game_Summary");
        let mut seat = Seat::accept(&listener);
        seat.say("LOGIN:me OK");
    });
    let play = || {
        let stream = TcpStream::connect(address).unwrap();
        let mut console = Console::new(stream.try_clone().unwrap(), stream);
        let search = Box::new(RandomPlayer);
        let mut engine = Engine::<Nine> { search, scale: Scale::Result, limits: Limits::nodes(1), note: String::new() };
        let login = Login { user: "me".to_string(), password: "x".to_string() };
        csa::play(&mut console, &login, &mut engine, &Options::default()).unwrap_err().to_string()
    };
    assert!(play().contains("LOGIN:incorrect"));
    assert!(!play().is_empty());
    assert!(play().contains("abort"));
    server.join().unwrap();
}
