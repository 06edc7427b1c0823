#![allow(clippy::all, missing_docs, clippy::print_stdout)]
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use yomi_core::clock::Stopwatch;
use yomi_core::*;
use yomi_eval::go::{Model, learn};
use yomi_eval::rollout::patterns::{Patterns, Rules as PRules};
use yomi_eval::{Guided, Rollout};
use yomi_games::go::*;
use yomi_games::{go, sgf};
use yomi_search::{Limits, Search, TreeSearch};

struct Gtp {
    child: std::process::Child,
    out: BufReader<std::process::ChildStdout>,
}
impl Gtp {
    fn new(level: u32, seed: u64) -> Gtp {
        let mut child = Command::new("/usr/games/gnugo")
            .args([
                "--mode",
                "gtp",
                "--chinese-rules",
                "--capture-all-dead",
                "--level",
                &level.to_string(),
                "--seed",
                &seed.to_string(),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Gtp { child, out }
    }
    fn ask(&mut self, line: &str) -> String {
        let i = self.child.stdin.as_mut().unwrap();
        writeln!(i, "{line}").unwrap();
        i.flush().unwrap();
        let mut text = String::new();
        loop {
            let mut l = String::new();
            if self.out.read_line(&mut l).unwrap() == 0 {
                break;
            }
            if l.trim().is_empty() {
                break;
            }
            text += &l;
        }
        text.trim().trim_start_matches('=').trim().to_string()
    }
}
fn model(path: &str) -> &'static Model {
    if path == "usual" {
        return Model::usual();
    }
    Box::leak(Box::new(std::fs::read_to_string(path).unwrap().parse::<Model>().unwrap()))
}
fn player<const LEN: usize>(spec: &str, weights: &str) -> Box<dyn Search<Go<LEN>>> {
    // spec: "method" ; weights: "none" or path
    let roll = Rollout::new(Patterns::new(PRules::default()));
    let method = spec.parse().unwrap();
    if weights == "none" {
        Box::new(TreeSearch::new(method, roll))
    } else if weights == "uniform" {
        Box::new(TreeSearch::new(method, Rollout::new(Uniform)))
    } else {
        Box::new(TreeSearch::new(method, Guided::new(roll, model(weights))))
    }
}
fn matches<const LEN: usize>(size: usize, a: &[String]) {
    // sims games level method weights firstseed
    let (sims, games, level): (u64, u64, u32) = (a[0].parse().unwrap(), a[1].parse().unwrap(), a[2].parse().unwrap());
    let first: u64 = a.get(5).map_or(1, |s| s.parse().unwrap());
    let (mut w, mut cpu, mut moves_total) = (0, 0.0, 0);
    for g in first..first + games {
        let us = if g % 2 == 0 { Color::Black } else { Color::White };
        let mut gnu = Gtp::new(level, g);
        for c in [format!("boardsize {size}"), "clear_board".into(), "komi 7.5".into()] {
            gnu.ask(&c);
        }
        let start = Go::<LEN>::new(size, go::Rules::default()).unwrap();
        let mut line = Line::new(start);
        let mut search = player::<LEN>(&a[3], &a[4]);
        let mut moves = Vec::new();
        let mut result = String::new();
        while line.generate(&mut moves).is_none() && line.len() < 3 * size * size {
            let turn = line.position().turn();
            let name = if turn == Color::Black { "b" } else { "w" };
            let mv = if turn == us {
                let t = Stopwatch::start();
                let v = search.search(
                    &line,
                    &Limits::simulations(sims).seeded(Seed::new(g * 1000 + line.len() as u64)),
                    &mut (),
                );
                cpu += t.busy().as_secs_f64();
                moves_total += 1;
                let mut mv = v.best.unwrap();
                if v.value < -0.8 && v.moves[0].visits > 100 {
                    result = format!("resign {:.2}", v.value);
                    break;
                }
                // pass if opponent passed and we win by count
                if line.position().last_move(0) == Some(GoMove::PASS) && line.position().outcome() == Outcome::Win(us) {
                    mv = GoMove::PASS;
                }
                if std::env::var("SHOW").is_ok() {
                    eprintln!(
                        "{} {} {:.2} v{} p{:.3}",
                        name,
                        line.position().move_text(mv),
                        v.value,
                        v.moves[0].visits,
                        v.moves[0].prior
                    );
                }
                gnu.ask(&format!("play {name} {}", line.position().move_text(mv)));
                mv
            } else {
                let text = gnu.ask(&format!("genmove {name}"));
                if text.eq_ignore_ascii_case("resign") {
                    result = "gnugo resigns".into();
                    break;
                }
                line.position().parse_move(&text).unwrap()
            };
            if !line.is_legal(mv) {
                result = "superko".into();
                break;
            }
            line.play(mv);
        }
        let won = if result.starts_with("gnugo") {
            true
        } else if result.starts_with("resign") {
            false
        } else {
            let score = gnu.ask("final_score");
            result = format!("{score} ours {}", line.position().score(&[]));
            score.starts_with(if us == Color::Black { 'B' } else { 'W' })
        };
        gnu.ask("quit");
        let _ = gnu.child.wait();
        w += u32::from(won);
        println!(
            "game {g} {us:?} {} moves {} {result}   total {w}/{}  cpu/move {:.3}",
            if won { "WON" } else { "lost" },
            line.len(),
            g + 1 - first,
            cpu / moves_total.max(1) as f64
        );
    }
}
fn games(path: &str, each: &mut dyn FnMut(usize, &str)) {
    for (i, l) in std::fs::read_to_string(path).unwrap().lines().enumerate() {
        each(i, l);
    }
}
fn replay<const LEN: usize>(text: &str, skip: usize, f: &mut dyn FnMut(&Go<LEN>, GoMove)) {
    let tree = sgf::trees(text).next().unwrap().unwrap();
    let record: Record<Go<LEN>> = go::records::read::<LEN>(&tree).unwrap();
    let mut pos = record.start.clone();
    let mut node = 0;
    let mut n = 0;
    while let Some(&next) = record.nodes[node].children.first() {
        node = next;
        if let Some(mv) = record.nodes[node].mv {
            if n >= skip {
                f(&pos, mv);
            }
            pos.play(mv);
            n += 1;
        }
    }
}
fn learn_it(a: &[String]) {
    let least: u32 = a[0].parse().unwrap();
    let iters: usize = a[1].parse().unwrap();
    let out = &a[2];
    let mut census = learn::Census::default();
    for p in &a[3..] {
        games(p, &mut |_, t| {
            if t.contains("SZ[9]") {
                replay::<128>(t, 2, &mut |g, m| census.observe(g, m))
            } else if t.contains("SZ[13]") {
                replay::<256>(t, 2, &mut |g, m| census.observe(g, m))
            } else {
                replay::<512>(t, 4, &mut |g, m| census.observe(g, m))
            }
        });
    }
    let mut m = Model::indifferent(census.book(least));
    println!("book {}", m.book.len());
    let (mut train, mut held) = (learn::Examples::default(), learn::Examples::default());
    let mut k = 0;
    for p in &a[3..] {
        games(p, &mut |_, t| {
            k += 1;
            let e = if k % 10 == 0 { &mut held } else { &mut train };
            if t.contains("SZ[9]") {
                replay::<128>(t, 2, &mut |g, mv| e.observe(g, mv, &m))
            } else if t.contains("SZ[13]") {
                replay::<256>(t, 2, &mut |g, mv| e.observe(g, mv, &m))
            } else {
                replay::<512>(t, 4, &mut |g, mv| e.observe(g, mv, &m))
            }
        });
    }
    println!("train {} held {}", train.len(), held.len());
    for i in 0..iters {
        learn::improve(&mut m, &train, 1);
        if i % 5 == 4 {
            println!("{i} train {:?}\n   held {:?}", learn::fit(&m, &train), learn::fit(&m, &held));
        }
    }
    std::fs::write(out, format!("# learned\n{m}")).unwrap();
}
fn speed<const LEN: usize>(size: usize, a: &[String]) {
    let sims: u64 = a[0].parse().unwrap();
    let line = Line::new(Go::<LEN>::new(size, go::Rules::default()).unwrap());
    let mut s = player::<LEN>(&a[1], &a[2]);
    let t = Stopwatch::start();
    let v = s.search(&line, &Limits::simulations(sims).seeded(Seed::new(1)), &mut ());
    println!(
        "{:.0} sims/s best {} value {:.2} nodes {} depth {}",
        sims as f64 / t.busy().as_secs_f64(),
        line.position().move_text(v.best.unwrap()),
        v.value,
        v.nodes,
        v.depth
    );
    for m in v.moves.iter().take(8) {
        println!(
            "   {} visits {} value {:.3} prior {:.4}",
            line.position().move_text(m.mv),
            m.visits,
            m.value,
            m.prior
        );
    }
}
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    match a[0].as_str() {
        "learn" => learn_it(&a[1..]),
        "match" => {
            let n: usize = a[1].parse().unwrap();
            if n <= 9 {
                matches::<128>(n, &a[2..])
            } else if n <= 13 {
                matches::<256>(n, &a[2..])
            } else {
                matches::<512>(n, &a[2..])
            }
        }
        "speed" => {
            let n: usize = a[1].parse().unwrap();
            if n <= 9 {
                speed::<128>(n, &a[2..])
            } else if n <= 13 {
                speed::<256>(n, &a[2..])
            } else {
                speed::<512>(n, &a[2..])
            }
        }
        _ => {}
    }
}
