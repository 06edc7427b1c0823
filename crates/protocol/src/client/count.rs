//! Counts of a finished game of Go that differ: what a program says, what the referee says, and why.

use yomi_core::{Color, Notation, Position, Spec, TextError};
use yomi_games::go::{self, Compensation, Go, Points, Rules, Score, Scoring, Vertex};

use super::engine::Setup;
use super::start::board_size;

/// Reads a count as GTP writes it: `B+3.5`, `W+0.5`, `0`. None for anything else, `W+Resign` included.
pub(super) fn parse(text: &str) -> Option<Score> {
    let word = text.split_whitespace().next()?.to_ascii_uppercase();
    match (word.as_str(), word.split_once('+')) {
        ("0" | "DRAW" | "JIGO", _) => Some(Score(Points::whole(0))),
        (_, Some(("B", points))) => points.parse().ok().map(Score),
        (_, Some(("W", points))) => points.parse().ok().map(|points: Points| Score(-points)),
        _ => None,
    }
}

/// The rules of a game of Go, with every value in force.
pub(super) fn rules(setup: &Setup) -> Result<Rules, TextError> {
    go::rules_of(&Spec::parse(&setup.rules)?)
}

/// A game of Go that was played to its end and counted.
pub(super) struct Counted<'a> {
    pub(super) setup: &'a Setup,
    pub(super) moves: &'a [String],
    /// The referee's count.
    pub(super) referee: Score,
    /// The program's count.
    pub(super) program: Score,
    /// The komi that the program says it plays with.
    pub(super) komi: Option<Points>,
    /// The stones that the program takes for dead, by their names.
    pub(super) dead: &'a str,
}

impl Counted<'_> {
    /// Why the program counts otherwise than the referee, if that can be seen.
    pub(super) fn reason(&self) -> Option<String> {
        match board_size(&self.setup.game)? {
            0..=9 => self.reason_on::<128>(),
            10..=13 => self.reason_on::<256>(),
            _ => self.reason_on::<512>(),
        }
    }

    fn reason_on<const LEN: usize>(&self) -> Option<String> {
        let start = Go::<LEN>::start(&Spec::parse(&self.setup.rules).ok()?).ok()?;
        let start = start.parse_position(&self.setup.position).ok()?;
        let mut board = start.clone();
        for mv in self.moves {
            let mv = board.parse_move(mv).ok()?;
            board.play(mv);
        }
        if board.score(&[]) != self.referee {
            return None;
        }
        let dead = self.dead.split_whitespace().filter_map(|point| board.parse_vertex(point).ok());
        let dead = dead.filter(|&point| !board.is_empty(point)).collect();
        let handicap = if start.stones(Color::White) == 0 { start.stones(Color::Black) } else { 0 };
        let view = View { komi: self.komi, dead, handicap: u8::try_from(handicap).unwrap_or(0) };
        reason(&board, self.program, &view)
    }
}

/// How the program sees the end of the game.
struct View {
    komi: Option<Points>,
    dead: Vec<Vertex>,
    /// The handicap stones it was given.
    handicap: u8,
}

/// Why the program counts `theirs` on this board: the fewest differences in komi, scoring, handicap points and dead stones that lead
/// from the referee's count to it. None where nothing of the kind does.
fn reason<const LEN: usize>(board: &Go<LEN>, theirs: Score, view: &View) -> Option<String> {
    let ours = board.ruleset();
    let other = match ours.scoring {
        Scoring::Area => Scoring::Territory,
        Scoring::Territory => Scoring::Area,
    };
    let names: Vec<String> = view.dead.iter().map(|&v| board.vertex_text(v)).collect();
    let plural = if names.len() == 1 { "stone" } else { "stones" };
    let dead = format!("it takes {} {plural} on the board for dead ({})", names.len(), shorten(&names));
    let komi = view.komi.filter(|&komi| komi != ours.komi);
    let komi_text = |komi: Points| format!("its komi is {komi}, the referee's {}", ours.komi);
    let scoring_text = match ours.scoring {
        Scoring::Area => "it counts territory, the referee area",
        Scoring::Territory => "it counts area, the referee territory",
    };
    let bonus = |rules: Rules| rules.white_bonus() - rules.komi;
    let bonuses = [Compensation::None, Compensation::AllButOne, Compensation::All]
        .map(|compensation| (compensation, ours.handicap.max(view.handicap)))
        .into_iter()
        .filter(|&(compensation, handicap)| bonus(Rules { compensation, handicap, ..ours }) != bonus(ours));
    let mut found: Option<Vec<String>> = None;
    for (compensation, handicap) in std::iter::once((ours.compensation, ours.handicap)).chain(bonuses) {
        for scoring in [ours.scoring, other] {
            for komi in [None, komi] {
                for taken in [&[], &view.dead[..]] {
                    let points = bonus(Rules { compensation, handicap, ..ours });
                    // All that White gets goes into the komi: a board keeps its own handicap.
                    let all = komi.unwrap_or(ours.komi) + points;
                    let mut counted = board.clone();
                    counted.set_rules(Rules { compensation: Compensation::None, scoring, komi: all, ..ours });
                    if counted.score(taken) != theirs {
                        continue;
                    }
                    let differs = points != bonus(ours);
                    let differences = [
                        komi.map(komi_text),
                        (scoring != ours.scoring).then(|| scoring_text.to_string()),
                        differs.then(|| {
                            format!("it gives White {points} points for the handicap, the referee {}", bonus(ours))
                        }),
                        (!taken.is_empty()).then(|| dead.clone()),
                    ];
                    let differences: Vec<String> = differences.into_iter().flatten().collect();
                    if found.as_ref().is_none_or(|found| differences.len() < found.len()) {
                        found = Some(differences);
                    }
                }
            }
        }
    }
    found.filter(|differences| !differences.is_empty()).map(|differences| differences.join("; "))
}

/// The first few of a list.
fn shorten(names: &[String]) -> String {
    const MOST: usize = 8;
    let more = if names.len() > MOST { " …" } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(" "))
}

#[cfg(test)]
mod tests {
    use yomi_games::go::Go9;

    use super::*;

    /// Black holds the left, White the right; a White stone at B4 is lost, and 2 and 1 prisoners were taken.
    fn finished(rules: &str) -> Go9 {
        let start = Go9::start(&Spec::parse(rules).unwrap()).unwrap();
        start.parse_position("..bw./.wbw./..bw./..bww/..bw. b - 2 2:1").unwrap()
    }

    #[test]
    fn counts_are_read() {
        let read = |text: &str| parse(text).map(|score| score.to_string());
        for text in ["B+3.5", "W+0.5", "W+12", "0"] {
            assert_eq!(read(text).as_deref(), Some(text));
        }
        assert_eq!(read("b+3.50 (upper bound: 4)").as_deref(), Some("B+3.5"));
        assert_eq!(read("Draw").as_deref(), Some("0"));
        for text in ["", "W+Resign", "B+R", "B", "?", "B+1e9", "B+0.3"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// The referee: 5 stones against 7 and 4 points, komi 0.5.
    #[test]
    fn the_fewest_differences_are_the_reason() {
        let board = finished("go5(komi=0.5)");
        assert_eq!(board.score(&[]).to_string(), "W+6.5");
        let dead = vec![board.parse_vertex("B4").unwrap()];
        let why = |theirs: &str, komi: Option<i32>, dead: &[Vertex], handicap| {
            let view = View { komi: komi.map(Points::halves), dead: dead.to_vec(), handicap };
            reason(&board, parse(theirs).unwrap(), &view)
        };
        assert_eq!(why("B+4.5", Some(1), &dead, 0).unwrap(), "it takes 1 stone on the board for dead (B4)");
        assert_eq!(why("W+3.5", Some(1), &[], 0).unwrap(), "it counts territory, the referee area");
        assert_eq!(
            why("B+7.5", Some(1), &dead, 0).unwrap(),
            "it counts territory, the referee area; it takes 1 stone on the board for dead (B4)"
        );
        assert_eq!(why("W+13.5", Some(15), &[], 0).unwrap(), "its komi is 7.5, the referee's 0.5");
        assert_eq!(
            why("B+2.5", Some(1), &dead, 2).unwrap(),
            "it gives White 2 points for the handicap, the referee 0; it takes 1 stone on the board for dead (B4)"
        );
        assert_eq!(why("B+20.5", Some(1), &dead, 0), None);
        // A count that is ours needs no reason.
        assert_eq!(why("W+6.5", None, &[], 0), None);
    }
}
