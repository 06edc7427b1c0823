//! The legal moves of random positions, compared as text.
//!
//! rsshogi must agree always. haitaka 0.3.2 looks at only one of several pawn drops for uchifuzume, so it may offer pawn drops too
//! many; anything else is a difference.

use std::collections::BTreeSet;

use rsshogi::board::{Move32List, generate_legal_all_move32};
use yomi_core::{Line, Notation, Seed};
use yomi_games::shogi::{Illegal, Kind, Nine, Shogi9, ShogiMove, Square};

/// Plays random games until this many positions were compared.
pub fn compare(positions: u64) {
    let (mut compared, mut games, mut surplus, mut most) = (0, 0, 0, 0);
    while compared < positions {
        let mut rng = Seed::new(2).branch("cross", games).rng();
        games += 1;
        let mut line = Line::new(Shogi9::default());
        let mut moves = Vec::new();
        while line.len() < 400 && compared < positions && line.generate(&mut moves).is_none() {
            let position = line.position();
            let sfen = position.sfen();
            let ours: BTreeSet<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
            assert_eq!(ours, rsshogi_moves(&sfen), "rsshogi differs in {sfen}");
            let mate = rsshogi::mate::solve_mate_in_one(&rsshogi_position(&sfen)).is_some();
            assert_eq!(position.mate_in_one().is_some(), mate, "a mate in one in {sfen}");
            let haitaka = haitaka_moves(&sfen);
            assert!(ours.is_subset(&haitaka), "haitaka lacks moves in {sfen}: {:?}", &ours - &haitaka);
            for extra in &haitaka - &ours {
                let (kind, square) = extra.split_once('*').unwrap_or(("", &extra));
                let drop = ShogiMove::drop(Kind::Pawn, Square::parse::<Nine>(square).expect("square"));
                let illegal = position.judge(drop);
                assert!(kind == "P" && illegal == Err(Illegal::DropPawnMate), "haitaka has {extra} in {sfen}");
                surplus += 1;
            }
            most = most.max(moves.len());
            compared += 1;
            line.play(moves[rng.below(moves.len())]);
        }
    }
    println!(
        "{compared} positions of {games} random games, up to {most} moves: rsshogi agrees in all, mates in one included;"
    );
    println!("haitaka agrees but for {surplus} pawn drops that mate.");
}

fn rsshogi_position(sfen: &str) -> rsshogi::board::Position {
    rsshogi::board::position_from_sfen(sfen).expect("rsshogi reads our SFEN")
}

fn rsshogi_moves(sfen: &str) -> BTreeSet<String> {
    let position = rsshogi_position(sfen);
    let mut list = Move32List::new();
    generate_legal_all_move32(&position, &mut list);
    list.iter().map(|mv| mv.to_usi()).collect()
}

fn haitaka_moves(sfen: &str) -> BTreeSet<String> {
    let board = haitaka::Board::from_sfen(sfen).expect("haitaka reads our SFEN");
    let mut moves = BTreeSet::new();
    board.generate_moves(|set| {
        moves.extend(set.into_iter().map(|mv| mv.to_string()));
        false
    });
    moves
}

/// Compares the counts of `tests/perft/shogi.perft` up to this many nodes with both.
pub fn perft_file(most: u64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/perft/shogi.perft");
    let text = std::fs::read_to_string(path).expect(path);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [name, sfen, counts] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else { panic!("{line}") };
        let ours = Shogi9::from_sfen(sfen).expect("sfen");
        let rsshogi = rsshogi_position(sfen);
        let haitaka = haitaka::Board::from_sfen(sfen).ok();
        for pair in counts.split_whitespace() {
            let (depth, count) = pair.split_once(':').expect("depth:count");
            let (depth, count): (u32, u64) = (depth.parse().expect("depth"), count.parse().expect("count"));
            if count <= most {
                assert_eq!(yomi_core::perft::perft(&ours, depth), count, "{name} at depth {depth}");
                let theirs = rsshogi::board::perft::perft(&rsshogi, depth as u8).expect("perft").nodes;
                let haitaka = haitaka.as_ref().map(|board| crate::speed::perft_haitaka(board, depth));
                let agrees = |same: bool| if same { "agrees" } else { "DIFFERS" };
                println!(
                    "{name} {depth}: {count}; rsshogi {}, haitaka {}",
                    agrees(theirs == count),
                    haitaka.map_or("cannot read it", |haitaka| agrees(haitaka == count)),
                );
            }
        }
    }
}
