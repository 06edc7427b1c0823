//! The numbers of `tests/perft/go.perft`. Those above a limit are left out; `PERFT_LIMIT=1000000000` in the environment raises it.

use yomi_core::perft::{perft, perft_line};
use yomi_core::{Line, Notation, Spec};
use yomi_games::go::{Go, Ko, size_of_name};

const FILE: &str = include_str!("../../../../tests/perft/go.perft");

/// Leaves of the largest count that is made by default.
const LIMIT: u64 = 1_000_000;

#[test]
fn published_counts() {
    let limit = std::env::var("PERFT_LIMIT").map_or(LIMIT, |text| text.parse().expect("PERFT_LIMIT is a number"));
    let (mut game, mut position) = (Spec::named(""), None);
    let mut rows = 0;
    for line in FILE.lines() {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "" | "#" => {}
            "game" => (game, position) = (Spec::parse(rest).unwrap(), None),
            "position" => position = Some(rest),
            "perft" => {
                let counts: Vec<u64> = rest.split(' ').map(|n| n.parse().unwrap()).collect();
                match size_of_name(&game.name) {
                    Some(2..=9) => compare::<128>(&game, position, &counts, limit),
                    Some(10..=13) => compare::<256>(&game, position, &counts, limit),
                    _ => compare::<512>(&game, position, &counts, limit),
                }
                rows += 1;
            }
            _ if key.starts_with('#') => {}
            _ => panic!("what is {line:?}?"),
        }
    }
    assert_eq!(rows, 14);
}

fn compare<const LEN: usize>(game: &Spec, position: Option<&str>, counts: &[u64], limit: u64) {
    let start = Go::<LEN>::start(game).unwrap();
    let start = position.map_or(start.clone(), |text| start.parse_position(text).unwrap());
    for (depth, &expected) in (0..).zip(counts).filter(|&(_, &count)| count <= limit) {
        let counted = match start.ruleset().ko {
            Ko::Simple => perft(&start, depth),
            Ko::Positional | Ko::Situational => perft_line(&Line::new(start.clone()), depth),
        };
        assert_eq!(counted, expected, "{game} at depth {depth}");
    }
}
