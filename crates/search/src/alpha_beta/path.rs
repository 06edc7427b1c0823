//! The line from the start of the game to the node being searched, and what repeats on it.

use yomi_core::{Line, Outcome, Ply, Position};

/// Buckets of the filter that quickly recognises new positions.
const BUCKETS: usize = 4096;

/// What to make of a position that stands on the board again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repetition {
    /// The first return to a position is judged as if both sides went round in that circle until the rules end the game.
    #[default]
    First,
    /// Only what the rules themselves say.
    Rule,
}

/// What a repetition is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repeated {
    /// The game has ended.
    Over(Outcome),
    /// It would end so if both sides went on like this.
    Likely(Outcome),
}

/// The plies from the start of the game to the current node.
///
/// Repetition rules compare [`Ply::key`]s, so a node whose key is new on the path is let pass at the price of one look at a table of
/// counters, whatever the length of the game.
pub(crate) struct Path {
    plies: Vec<Ply>,
    /// Where the line was last broken by a null move: what lies before it cannot be repeated.
    floor: usize,
    seen: Vec<u16>,
    /// Room for the imagined continuation of a circle.
    circle: Vec<Ply>,
}

fn bucket(ply: Ply) -> usize {
    ply.key as usize % BUCKETS
}

impl Path {
    pub(crate) fn new() -> Path {
        Path { plies: Vec::new(), floor: 0, seen: vec![0; BUCKETS], circle: Vec::new() }
    }

    /// Begins at the end of `line`.
    pub(crate) fn start<P: Position>(&mut self, line: &Line<P>) {
        self.start_at(line.plies());
    }

    /// Begins after `plies`, the last of which is the position searched.
    pub(crate) fn start_at(&mut self, plies: &[Ply]) {
        self.plies.clear();
        self.floor = 0;
        self.seen.fill(0);
        for &ply in plies {
            self.push(ply);
        }
    }

    /// The plies before the current one: the past of an evaluation.
    #[inline]
    pub(crate) fn past(&self) -> &[Ply] {
        &self.plies[..self.plies.len().saturating_sub(1)]
    }

    /// The plies up to the current one: the past of every child.
    pub(crate) fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The plies for a quiescence search to go on with; it leaves them as they were, and asks for no repetitions.
    pub(crate) fn plies_mut(&mut self) -> &mut Vec<Ply> {
        &mut self.plies
    }

    #[inline]
    pub(crate) fn push(&mut self, ply: Ply) {
        self.seen[bucket(ply)] = self.seen[bucket(ply)].wrapping_add(1);
        self.plies.push(ply);
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(ply) = self.plies.pop() {
            self.seen[bucket(ply)] = self.seen[bucket(ply)].wrapping_sub(1);
        }
    }

    /// A null move follows: nothing before it can be repeated. Returns what [`Path::mend`] needs.
    pub(crate) fn tear(&mut self) -> usize {
        std::mem::replace(&mut self.floor, self.plies.len())
    }

    pub(crate) fn mend(&mut self, floor: usize) {
        self.floor = floor;
    }

    /// Whether the last position stood on the path before, at index `from` or later.
    #[inline]
    pub(crate) fn has_returned(&self, from: usize) -> bool {
        match self.plies.split_last() {
            Some((last, past)) if self.seen[bucket(*last)] >= 2 => {
                past.get(from..).is_some_and(|since| since.iter().any(|ply| ply.key == last.key))
            }
            _ => false,
        }
    }

    /// What it means that `position`, the last of the path, stands here, if it stood here before.
    #[inline]
    pub(crate) fn repeated<P: Position>(&mut self, position: &P, policy: Repetition) -> Option<Repeated> {
        let last = *self.plies.last()?;
        if self.seen[bucket(last)] < 2 { None } else { self.look_back(position, last, policy) }
    }

    fn look_back<P: Position>(&mut self, position: &P, last: Ply, policy: Repetition) -> Option<Repeated> {
        let past = &self.plies[self.floor..self.plies.len() - 1];
        let before = past.iter().rposition(|ply| ply.key == last.key)?;
        if let Some(outcome) = position.repetition(past) {
            return Some(Repeated::Over(outcome));
        }
        if policy == Repetition::Rule {
            return None;
        }
        self.circle.clear();
        self.circle.extend_from_slice(past);
        for _ in 0..3 {
            self.circle.extend_from_slice(&past[before..]);
        }
        position.repetition(&self.circle).map(Repeated::Likely)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Color;
    use yomi_core::toy::{Nim, ToyTree};

    /// Positions are letters; the fourth visit of a letter is a draw, or lost for who checked all the way round.
    #[derive(Clone)]
    struct Walk(char);

    impl std::fmt::Display for Walk {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0)
        }
    }

    impl Position for Walk {
        type Move = yomi_core::toy::Branch;
        const NAME: &'static str = "walk";
        fn turn(&self) -> Color {
            Color::from_index(usize::from(!(self.0 as u8).is_multiple_of(2)))
        }
        fn key(&self) -> u64 {
            u64::from(self.0)
        }
        fn generate(&self, _: &mut Vec<Self::Move>) -> Option<Outcome> {
            None
        }
        fn play(&mut self, _: Self::Move) {}
        fn repetition(&self, past: &[Ply]) -> Option<Outcome> {
            let visits: Vec<usize> = (0..past.len()).filter(|&i| past[i].key == self.key()).collect();
            let &[.., first, _, _] = &visits[..] else { return None };
            let all_checked = past[first..].iter().step_by(2).all(|p| p.check);
            Some(if all_checked { Outcome::Win(self.turn()) } else { Outcome::Draw })
        }
    }

    fn path(text: &str) -> (Path, Walk) {
        let mut path = Path::new();
        let ply = |c: char| Ply { key: u64::from(c.to_ascii_lowercase()), check: c.is_uppercase() };
        path.start_at(&text.chars().map(ply).collect::<Vec<_>>());
        (path, Walk(text.chars().last().unwrap().to_ascii_lowercase()))
    }

    #[test]
    fn sees_circles_early_and_rules_exactly() {
        let judge = |text: &str, policy| {
            let (mut path, walk) = path(text);
            path.repeated(&walk, policy)
        };
        let black = Outcome::Win(Walk('b').turn());
        assert_eq!(judge("abcd", Repetition::First), None);
        assert_eq!(judge("xabcdab", Repetition::First), Some(Repeated::Likely(Outcome::Draw)));
        assert_eq!(judge("xabcdab", Repetition::Rule), None);
        assert_eq!(judge("xbcdebcdebcdeb", Repetition::Rule), Some(Repeated::Over(Outcome::Draw)));
        assert_eq!(judge("xBcDeB", Repetition::First), Some(Repeated::Likely(black)), "b is checked all the way");
        assert_eq!(judge("xBcdeB", Repetition::First), Some(Repeated::Likely(Outcome::Draw)));
    }

    #[test]
    fn null_moves_break_the_line() {
        let (mut path, _) = path("abcd");
        let floor = path.tear();
        path.push(Ply { key: u64::from('b'), check: false });
        assert_eq!(path.repeated(&Walk('b'), Repetition::First), None);
        path.mend(floor);
        assert_eq!(path.repeated(&Walk('b'), Repetition::First), Some(Repeated::Likely(Outcome::Draw)));
        path.pop();
        assert_eq!(path.past().len(), 3);
        assert_eq!(path.repeated(&Walk('d'), Repetition::First), None);
    }

    #[test]
    fn games_without_the_rule_go_on() {
        let mut path = Path::new();
        let nim = Nim::new(3);
        path.start(&Line::new(nim.clone()));
        path.push(nim.ply());
        assert_eq!(path.repeated(&nim, Repetition::First), None);
        let tree: ToyTree = "(1 2)".parse().unwrap();
        path.start(&Line::new(tree.clone()));
        assert_eq!(path.repeated(&tree, Repetition::First), None);
        assert_eq!(path.plies().len(), 1);
    }
}
