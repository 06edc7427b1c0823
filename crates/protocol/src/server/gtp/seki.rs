//! Stones that live without two eyes, because the side that takes a shared liberty loses the race.
//!
//! A *group* is a set of living chains of one colour that lean on the same areas of their own. It may be in seki if its areas are too small
//! for two eyes and its other liberties lie in narrow neutral regions; it is, with an enemy group of the same kind on one of these regions,
//! if neither side can take the other's stones when it moves first there, which is read to the end. What cannot be read within bounds is
//! not called seki.

use std::collections::{BTreeMap, BTreeSet};

use yomi_core::{Color, Position};
use yomi_games::go::{Go, GoMove, Vertex};

/// Areas of this many points make two eyes, or could have: no group is left so at the end of a game.
const ROOM: usize = 3;
/// Neutral regions with more points are open country, no shared liberties.
const WIDEST: usize = 4;
/// Positions looked at in one question.
const NODES: u32 = 60_000;
/// How far is read.
const PLIES: u32 = 20;
/// A side that lost more stones than the largest shape that takes an eye away again has lost the race.
const NAKADE: u32 = 6;

/// Empty points, and points of dead stones, that hang together.
struct Region {
    points: Vec<Vertex>,
    /// The heads of the living chains around it, by colour.
    around: [BTreeSet<Vertex>; 2],
}

impl Region {
    /// The only colour around it.
    fn owner(&self) -> Option<Color> {
        match (self.around[0].is_empty(), self.around[1].is_empty()) {
            (false, true) => Some(Color::Black),
            (true, false) => Some(Color::White),
            _ => None,
        }
    }
}

/// Chains of one colour that live or die together.
struct Group {
    color: Color,
    chains: BTreeSet<Vertex>,
    /// The neutral regions it lies on.
    shared: Vec<usize>,
    /// The points of its own.
    own: Vec<Vertex>,
    /// Whether it has neither two eyes nor a way out.
    is_tight: bool,
}

/// The stones in seki: whole chains, in order, `dead` ones taken off.
pub(super) fn seki<const LEN: usize>(position: &Go<LEN>, dead: &[Vertex]) -> Vec<Vertex> {
    let regions = regions(position, dead);
    let groups = groups(position, dead, &regions);
    let mut found = BTreeSet::new();
    for (i, one) in groups.iter().enumerate() {
        for other in &groups[i + 1..] {
            let meet = one.color != other.color && one.shared.iter().any(|region| other.shared.contains(region));
            if meet && one.is_tight && other.is_tight && stand_still(position, one, other, &regions) {
                found.extend(one.chains.iter().chain(&other.chains).flat_map(|&head| position.chain(head)));
            }
        }
    }
    found.into_iter().collect()
}

fn regions<const LEN: usize>(position: &Go<LEN>, dead: &[Vertex]) -> Vec<Region> {
    let is_free = |v: Vertex| position.is_empty(v) || dead.contains(&v);
    let mut seen = BTreeSet::new();
    let mut regions = Vec::new();
    for start in position.vertices().filter(|&v| is_free(v)) {
        if !seen.insert(start) {
            continue;
        }
        let mut region = Region { points: vec![start], around: [BTreeSet::new(), BTreeSet::new()] };
        let mut at = 0;
        while at < region.points.len() {
            for v in position.neighbors(region.points[at]) {
                match position.at(v).filter(|_| !is_free(v)) {
                    Some(color) => region.around[color.index()].extend(position.head(v)),
                    None if seen.insert(v) => region.points.push(v),
                    None => {}
                }
            }
            at += 1;
        }
        regions.push(region);
    }
    regions
}

fn groups<const LEN: usize>(position: &Go<LEN>, dead: &[Vertex], regions: &[Region]) -> Vec<Group> {
    let heads = position.vertices().filter(|&v| position.head(v) == Some(v) && !dead.contains(&v));
    let mut left: BTreeSet<Vertex> = heads.collect();
    let mut groups = Vec::new();
    while let Some(first) = left.pop_first() {
        let Some(color) = position.at(first) else { continue };
        let on = |region: &Region, chains: &BTreeSet<Vertex>| !region.around[color.index()].is_disjoint(chains);
        let mut chains = BTreeSet::from([first]);
        // Chains on one area of their own belong together, and so on.
        loop {
            let areas = regions.iter().filter(|region| region.owner() == Some(color) && on(region, &chains));
            let more: BTreeSet<Vertex> = areas.flat_map(|area| area.around[color.index()].iter().copied()).collect();
            if more.is_subset(&chains) {
                break;
            }
            chains.extend(more);
        }
        left.retain(|head| !chains.contains(head));
        let touching = || regions.iter().enumerate().filter(|(_, region)| on(region, &chains));
        let own: Vec<&Region> =
            touching().filter(|(_, region)| region.owner() == Some(color)).map(|(_, region)| region).collect();
        let shared: Vec<usize> = touching().filter(|(_, region)| region.owner().is_none()).map(|(i, _)| i).collect();
        let is_narrow = shared.iter().all(|&i| regions[i].points.len() <= WIDEST);
        let room: usize = own.iter().map(|region| region.points.len()).sum();
        let own_points = own.iter().flat_map(|region| region.points.iter().copied()).collect();
        let is_tight = own.len() < 2 && room < ROOM && is_narrow && !shared.is_empty();
        groups.push(Group { color, chains, shared, own: own_points, is_tight });
    }
    free_those_with_friends(&mut groups, regions);
    groups
}

/// A group that can connect to a friend with room lives by that.
fn free_those_with_friends(groups: &mut [Group], regions: &[Region]) {
    loop {
        let free: BTreeSet<Vertex> = groups.iter().filter(|g| !g.is_tight).flat_map(|g| &g.chains).copied().collect();
        let has_friend = |group: &Group| {
            group.shared.iter().any(|&region| !regions[region].around[group.color.index()].is_disjoint(&free))
        };
        match groups.iter_mut().find(|group| group.is_tight && has_friend(group)) {
            Some(group) => group.is_tight = false,
            None => return,
        }
    }
}

/// Whether neither group can take the other by moving first.
fn stand_still<const LEN: usize>(position: &Go<LEN>, one: &Group, other: &Group, regions: &[Region]) -> bool {
    let stones =
        |group: &Group| -> Vec<Vertex> { group.chains.iter().flat_map(|&head| position.chain(head)).collect() };
    let mut points: BTreeSet<Vertex> = BTreeSet::new();
    for group in [one, other] {
        points.extend(group.shared.iter().flat_map(|&region| &regions[region].points));
        points.extend(&group.own);
        // Where stones were taken, stones are put.
        points.extend(stones(group));
    }
    let points: Vec<Vertex> = points.into_iter().collect();
    let is_safe = |target: &Group, attacker: Color| {
        let mut start = position.clone();
        start.set_turn(attacker);
        target.chains.iter().all(|&head| {
            let mut reader =
                SekiReader { attacker, target: head, points: &points, nodes: NODES, known: BTreeMap::new() };
            !reader.falls(&start, PLIES) && reader.nodes > 0
        })
    };
    is_safe(one, other.color) && is_safe(other, one.color)
}

/// Reads whether a chain can be taken.
struct SekiReader<'a> {
    attacker: Color,
    /// A stone of the chain.
    target: Vertex,
    /// Where either side plays.
    points: &'a [Vertex],
    /// How many positions may still be looked at.
    nodes: u32,
    /// What was read, by position and plies left.
    known: BTreeMap<(u64, u32), bool>,
}

impl SekiReader<'_> {
    /// Whether the chain falls within this many plies. The defender may pass; an attacker who does has given up.
    fn falls<const LEN: usize>(&mut self, position: &Go<LEN>, plies: u32) -> bool {
        if position.at(self.target) != Some(!self.attacker) {
            return true;
        }
        if plies == 0 || self.nodes == 0 {
            return false;
        }
        if let Some(&known) = self.known.get(&(position.key(), plies)) {
            return known;
        }
        self.nodes -= 1;
        let attacks = position.turn() == self.attacker;
        let falls = next(position, self.points, self.attacker).any(|child| {
            let beaten = child.stones(self.attacker) + NAKADE < position.stones(self.attacker);
            (!beaten && self.falls(&child, plies - 1)) == attacks
        }) == attacks;
        self.known.insert((position.key(), plies), falls);
        falls
    }
}

/// What the side to move may do: play on one of the points, or pass if it defends.
fn next<const LEN: usize>(position: &Go<LEN>, points: &[Vertex], attacker: Color) -> impl Iterator<Item = Go<LEN>> {
    let moves = points.iter().filter(|&&v| position.is_empty(v)).map(|&v| GoMove::at(v));
    let played = moves.filter(|&mv| position.is_legal(mv)).map(|mv| {
        let mut child = position.clone();
        child.play(mv);
        child
    });
    // A pass by hand, for two passes end a game.
    let pass = (position.turn() != attacker).then(|| {
        let mut child = position.clone();
        child.set_turn(attacker);
        child
    });
    played.chain(pass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::ownership::Ownership;
    use yomi_core::{Notation, Seed, Spec};
    use yomi_games::go::Go9;

    /// The stones in seki, by what playouts leave alive, in the order of the board.
    fn found(rows: &str) -> String {
        let start = Go9::start(&Spec::parse("go9").unwrap()).unwrap();
        let position = start.parse_position(&format!("{} b - 2", rows.replace(' ', "/"))).unwrap();
        let dead = Ownership::of(&position, 600, Seed::new(1)).dead(&position);
        let names: Vec<String> = seki(&position, &dead).into_iter().map(|v| position.vertex_text(v)).collect();
        names.join(" ")
    }

    /// Black's five points at the edge with three stones of White in them: after a fourth they make four in a row, which lives.
    #[test]
    fn three_stones_in_five_points_are_seki() {
        let seki = "A1 C1 D1 E1 G1 A2 B2 C2 D2 E2 F2 G2";
        let closed = "w.w.w.w.w wwwwwwwww .w.w.w.w. wwwwwwwww w.ww.ww.w wwwwwwwww wwwwwwwww bbbbbbbww b.www.bw.";
        let open = "......... ......... ......... ...w.w... ......... ......... wwwwwwwww bbbbbbbww b.www.bw.";
        assert_eq!((found(closed).as_str(), found(open).as_str()), (seki, seki));
        assert_eq!(
            found("bbbbbbbbb b.bb.bb.b bbbbbbbbb .b.b.b.b. bbbbbbbbb wwwwwwwbb w.bbb.wb. wwwwwwwbb bbbbbbbb."),
            "A2 B2 C2 D2 E2 F2 G2 A3 C3 D3 E3 G3 A4 B4 C4 D4 E4 F4 G4"
        );
    }

    /// An eye each and one liberty between them, or two.
    #[test]
    fn an_eye_each_is_seki() {
        assert_eq!(
            found(".wb...... wwb...... .wb.bbb.. wwb...... .wb...... wwb.bbb.. wwbbbbb.. bbwwwwb.. .b.w.wb.."),
            "B1 D1 F1 A2 B2 C2 D2 E2 F2"
        );
        assert_eq!(
            found(".wb...... wwb...... .wb.bbb.. wwb...... .wb...... wwwb.bb.. wwwbbbbb. bbbwwwwb. .b..w.wb."),
            "B1 E1 G1 A2 B2 C2 D2 E2 F2 G2"
        );
    }

    #[test]
    fn life_is_no_seki() {
        for (what, rows) in [
            (
                "two eyes each, a dead stone",
                ".b.bw.w.. bbbbw.www ..bbwwwww .wbbw.w.w ..bbwwwww bbbbw.w.w .b.bwwwww bbbbw.w.w .b.bwwwww",
            ),
            (
                "neutral points between",
                ".b.b.w.w. bbbb.wwww .b.b.w.w. bbbb.wwww bbbb.wwww bbbb.wwww .b.b.w.w. bbbb.wwww .b.b.w.w.",
            ),
            (
                "two stones in four points",
                "w.w.w.w.w wwwwwwwww .w.w.w.w. wwwwwwwww w.ww.ww.w wwwwwwwww wwwwwwwww bbbbbbwww b.ww.bw..",
            ),
            (
                "a chain in atari",
                "w.w.w.w.w wwwwwwwww .w.w.w.w. wwwwwwwww w.ww.ww.w wwwwwwwww wwwwwwwww bbbbbwwww .www.bww.",
            ),
            ("a race", "......... ......... ......... ......... .wwwwww.. .wbbbbw.. .wb..bwww .bbwwwbb. ..b...wb."),
            ("an opening", "......... ......... ..b...w.. ......... ....b.... ......... ..w...b.. ......... ........."),
            ("nothing", "......... ......... ......... ......... ......... ......... ......... ......... ........."),
        ] {
            assert_eq!(found(rows), "", "{what}");
        }
    }
}
