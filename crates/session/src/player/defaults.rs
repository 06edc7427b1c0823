//! The default player of each game, the strongest at equal time, and nine named levels.
//!
//! This is the one table: `play`, `analyze`, `usi`, `gtp`, `analysis` and `csa` read their defaults here, `level(3)` is a player
//! everywhere, and `docs/levels.md` says how each number was measured. Levels 1 to 8 have budgets of nodes or simulations, so they play
//! the same on every machine; level 9 is the default player itself with the time it is given.
//!
//! Which games there are, the list in `yomi_games` says; players stand here, because games know no search.

use yomi_games::FAMILIES;

/// A named strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The player as it is typed, with its budget.
    pub player: &'static str,
    /// Its strength in Elo above level 1, by matches between neighbours (docs/levels.md); none if it is not measured yet.
    pub elo: Option<i32>,
}

/// What a game offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaults {
    /// The game whose matches the numbers come from, by its usual name in the list: the table is for all games of its line.
    pub game: &'static str,
    /// The strongest player at equal time, without a budget.
    pub player: &'static str,
    /// Levels 1 to 8.
    pub levels: [Level; 8],
    /// What stood in for level 9 in the matches: the default player with a budget.
    pub full: Level,
}

/// The highest level: the default player itself.
pub const HIGHEST_LEVEL: u8 = 9;

impl Defaults {
    /// The player of a level from 1 to [`HIGHEST_LEVEL`], as it is typed.
    pub fn level(&self, number: u8) -> Option<&'static str> {
        match usize::from(number) {
            9 => Some(self.player),
            number => self.levels.get(number.checked_sub(1)?).map(|level| level.player),
        }
    }

    /// Every level as it was measured, the first to the last.
    pub fn measured(&self) -> impl Iterator<Item = &Level> {
        self.levels.iter().chain([&self.full])
    }
}

/// The defaults of the game of this name; none if there is no such game.
pub fn defaults(game: &str) -> Option<&'static Defaults> {
    let family = FAMILIES.iter().find(|family| family.names.contains(&game))?;
    Some(ALL_DEFAULTS.into_iter().find(|table| table.game == family.names[0]).unwrap_or(&SMALL))
}

/// Every table, for lists.
pub const ALL_DEFAULTS: [&Defaults; 8] = [&SHOGI, &MINISHOGI, &GO9, &GO13, &GO19, &BLOKUS_DUO, &CONNECT_FOUR, &SMALL];

/// Shorthand for the tables.
const fn level(player: &'static str, elo: i32) -> Level {
    Level { player, elo: if elo < 0 { None } else { Some(elo) } }
}

/// Not measured yet.
const UNMEASURED: i32 = -1;

/// Shogi: alpha-beta with the learned linear evaluation. A mate solver in front of it shows no gain.
const SHOGI: Defaults = Defaults {
    game: "shogi",
    player: "alpha-beta",
    levels: [
        level("weakened(alpha-beta(multipv=8),values=120,random=0.15) depth=1", 0),
        level("weakened(alpha-beta(multipv=8),values=80,random=0.05) depth=1", 475),
        level("weakened(alpha-beta(multipv=6),values=50,random=0.01) depth=1", 660),
        level("weakened(alpha-beta(multipv=6),values=120) depth=2", 895),
        level("alpha-beta nodes=1500", 1035),
        level("alpha-beta nodes=2500", 1270),
        level("alpha-beta nodes=5000", 1545),
        level("alpha-beta nodes=15000", 1990),
    ],
    full: level("alpha-beta nodes=60000", 2335),
};

/// Minishogi: the same player; the small board needs fewer plies.
const MINISHOGI: Defaults = Defaults {
    game: "minishogi",
    player: "alpha-beta",
    levels: [
        level("weakened(alpha-beta(multipv=8),values=120,random=0.2) depth=1", 0),
        level("weakened(alpha-beta(multipv=8),values=80,random=0.07) depth=1", 145),
        level("weakened(alpha-beta(multipv=6),values=50) depth=1", 250),
        level("weakened(alpha-beta(multipv=4),values=30) depth=2", 395),
        level("alpha-beta nodes=1000", 525),
        level("alpha-beta nodes=3000", 655),
        level("alpha-beta nodes=12000", 800),
        level("alpha-beta nodes=60000", 935),
    ],
    full: level("alpha-beta nodes=240000", 1020),
};

/// Go up to 9x9: a deeper tree is worth its price, and all moves as first fade sooner.
const GO9: Defaults = Defaults {
    game: "go9",
    player: "prior-rave(after=1,beta=least-squares(0.03))",
    levels: [
        level("weakened(prior-rave(after=1,beta=least-squares(0.03)),visits=1,random=0.15) sims=10", 0),
        level("weakened(prior-rave(after=1,beta=least-squares(0.03)),visits=1,random=0.05) sims=10", 215),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=10", 325),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=30", 585),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=80", 780),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=220", 975),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=500", 1170),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=1200", 1335),
    ],
    full: level("prior-rave(after=1,beta=least-squares(0.03)) sims=3000", 1440),
};

/// Go up to 13x13: the same players.
const GO13: Defaults = Defaults {
    game: "go13",
    player: "prior-rave(after=1,beta=least-squares(0.03))",
    levels: [
        level("weakened(prior-rave(after=1,beta=least-squares(0.03)),visits=1,random=0.15) sims=10", 0),
        level("weakened(prior-rave(after=1,beta=least-squares(0.03)),visits=1,random=0.05) sims=10", 225),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=10", 450),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=30", 630),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=80", 810),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=220", 1090),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=500", 1370),
        level("prior-rave(after=1,beta=least-squares(0.03)) sims=1200", 1535),
    ],
    full: level("prior-rave(after=1,beta=least-squares(0.03)) sims=3000", UNMEASURED),
};

/// Go up to 19x19: there are too many moves to try them all, so priors weigh more.
const GO19: Defaults = Defaults {
    game: "go19",
    player: "prior-rave(wins=300,even=20)",
    levels: [
        level("weakened(prior-rave(wins=300,even=20),visits=1,random=0.15) sims=10", 0),
        level("weakened(prior-rave(wins=300,even=20),visits=1,random=0.05) sims=10", 235),
        level("prior-rave(wins=300,even=20) sims=10", 425),
        level("prior-rave(wins=300,even=20) sims=30", 650),
        level("prior-rave(wins=300,even=20) sims=80", 1000),
        level("prior-rave(wins=300,even=20) sims=220", 1280),
        level("prior-rave(wins=300,even=20) sims=500", 1410),
        level("prior-rave(wins=300,even=20) sims=1200", 1715),
    ],
    full: level("prior-rave(wins=300,even=20) sims=3000", 2020),
};

/// Blokus Duo: RAVE without exploration over uniform playouts, led by learned move probabilities; the end is computed, and mirrored play is broken up
/// into a draw.
const BLOKUS_DUO: Defaults = Defaults {
    game: "blokus-duo",
    player: "endgame-first(break-symmetry(prior-rave(widen=6)))",
    levels: [
        level("weakened(prior-rave,visits=3,random=0.2) sims=20", 0),
        level("weakened(prior-rave,visits=1,random=0.05) sims=30", 205),
        level("prior-rave(widen=6) sims=30", 365),
        level("prior-rave(widen=6) sims=70", 485),
        level("prior-rave(widen=6) sims=170", 575),
        level("prior-rave(widen=6) sims=450", 680),
        level("prior-rave(widen=6) sims=1200", 775),
        level("prior-rave(widen=6) sims=3500", 930),
    ],
    full: level("endgame-first(break-symmetry(prior-rave(widen=6))) sims=10000", 1015),
};

/// Connect Four: less exploration than usual.
const CONNECT_FOUR: Defaults = Defaults {
    game: "connect-four",
    player: "uct(c=0.7)",
    levels: [
        level("weakened(uct(c=0.7),visits=3) sims=10", UNMEASURED),
        level("weakened(uct(c=0.7),visits=1) sims=20", UNMEASURED),
        level("uct(c=0.7) sims=20", UNMEASURED),
        level("uct(c=0.7) sims=50", UNMEASURED),
        level("uct(c=0.7) sims=120", UNMEASURED),
        level("uct(c=0.7) sims=300", UNMEASURED),
        level("uct(c=0.7) sims=800", UNMEASURED),
        level("uct(c=0.7) sims=2500", UNMEASURED),
    ],
    full: level("uct(c=0.7) sims=10000", UNMEASURED),
};

/// Games without measurements, among them those that every level from the middle on plays perfectly: the same players.
const SMALL: Defaults = Defaults { game: "tic-tac-toe", ..CONNECT_FOUR };

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_game_has_defaults() {
        for (name, game) in [("go2", "go9"), ("go9", "go9"), ("go10", "go13"), ("go14", "go19"), ("nim", "tic-tac-toe")]
        {
            assert_eq!(defaults(name).map(|found| found.game), Some(game), "{name}");
        }
        for table in ALL_DEFAULTS {
            assert_eq!(defaults(table.game), Some(table));
            assert_eq!(table.level(HIGHEST_LEVEL), Some(table.player));
            assert_eq!((table.level(0), table.level(10)), (None, None));
            assert_eq!(table.level(1), Some(table.levels[0].player));
        }
        assert_eq!(defaults("chess"), None);
    }

    /// Every line of the list of games has a table, a game with evaluations of its own one for itself, and every table is of a line.
    #[test]
    fn tables_are_those_of_the_list_of_games() {
        let usual: Vec<&str> = FAMILIES.iter().map(|family| family.names[0]).collect();
        assert!(ALL_DEFAULTS.iter().all(|table| usual.contains(&table.game)));
        for family in FAMILIES {
            let own = ALL_DEFAULTS.iter().any(|table| table.game == family.names[0]);
            assert!(
                own || !family.known,
                "{}: a game with evaluations of its own has players of its own",
                family.names[0]
            );
            let tables = family.names.iter().map(|name| defaults(name).expect("a table"));
            assert!(tables.into_iter().all(|table| Some(table) == defaults(family.names[0])), "{:?}", family.names);
        }
    }

    fn root(path: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
    }

    /// The player of a level as the matches had it.
    fn measured(table: &Defaults, level: u8) -> &'static str {
        if level == HIGHEST_LEVEL { table.full.player } else { table.level(level).expect("a level") }
    }

    /// `experiments/levels-*.toml` plays neighbours of the table: level 2 against level 1, level 3 against level 2, …
    #[test]
    fn experiments_play_the_levels_of_the_table() {
        for name in ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo"] {
            let path = root("experiments").join(format!("levels-{name}.toml"));
            let experiment: toml::Table = std::fs::read_to_string(&path).expect(name).parse().expect("TOML");
            let tables = experiment["match-table"].as_array().expect("tables");
            let rows: Vec<&toml::Value> =
                tables.iter().flat_map(|table| table["rows"].as_array().expect("rows")).collect();
            assert_eq!(rows.len(), 8, "{name}");
            let table = defaults(name).expect("a game");
            for (row, level) in rows.iter().zip(1..) {
                assert_eq!(row["player"].as_str(), Some(measured(table, level + 1)), "{name}: level {}", level + 1);
                assert_eq!(row["opponent"].as_str(), Some(measured(table, level)), "{name}: level {level}");
            }
        }
    }

    /// Fewer games measure nothing; `scripts/levels_table.py` has the same number.
    const ENOUGH_GAMES: f64 = 8.0;

    /// The run of the levels of a game, if there is one.
    fn summary(game: &str) -> Option<Value> {
        let path = root("results").join(format!("levels-{game}")).join("summary.json");
        std::fs::read_to_string(path).ok().map(|text| serde_json::from_str(&text).expect("JSON"))
    }

    /// Level 2 against level 1, level 3 against level 2, …
    fn rows(summary: &Value) -> Vec<&Value> {
        let parts = summary["parts"].as_array().expect("parts");
        parts.iter().flat_map(|part| part["rows"].as_array().expect("rows")).collect()
    }

    fn games(row: &Value) -> f64 {
        ["wins", "draws", "losses"].iter().map(|key| row[*key].as_f64().expect("a count")).sum()
    }

    /// Elo between two neighbours, with one virtual draw so that no score is infinite.
    fn elo(row: &Value) -> f64 {
        let count = |key: &str| row[key].as_f64().expect("a count");
        let (wins, draws, losses) = (count("wins"), count("draws"), count("losses"));
        let score = (wins + draws / 2.0 + 0.5) / (wins + draws + losses + 1.0);
        400.0 * (score / (1.0 - score)).log10()
    }

    /// Every Elo in the table is that of the run in `results/`, and every level is stronger than the one below.
    #[test]
    fn elo_is_what_the_matches_gave() {
        for table in ALL_DEFAULTS {
            if table.measured().all(|level| level.elo.is_none()) {
                continue;
            }
            let summary = summary(table.game).expect("a run");
            let rows = rows(&summary);
            let mut total = 0.0;
            let listed: Vec<Option<i32>> = table.measured().map(|level| level.elo).collect();
            assert_eq!((rows.len(), listed[0]), (8, Some(0)), "{}", table.game);
            for (row, level) in rows.into_iter().zip(2..) {
                assert_eq!(row["players"][0].as_str(), Some(measured(table, level)), "{}", table.game);
                let listed = listed[usize::from(level) - 1];
                total += elo(row);
                // No guesses: what has not played enough, or has not shown to be stronger, has no Elo.
                let shown = games(row) >= ENOUGH_GAMES && elo(row) > 0.0;
                assert_eq!(listed.is_some(), shown, "{} level {level}", table.game);
                let Some(listed) = listed else { continue };
                assert!(
                    (f64::from(listed) - total).abs() <= 5.0,
                    "{} level {level}: {total:.0}, not {listed}",
                    table.game
                );
            }
        }
    }

    /// The tables of `docs/levels.md` are those of the runs, and of this table.
    #[test]
    fn the_page_says_what_the_matches_gave() {
        let page = std::fs::read_to_string(root("docs/levels.md")).expect("the page");
        let mut runs = 0;
        for table in ALL_DEFAULTS {
            let Some(summary) = summary(table.game) else { continue };
            runs += 1;
            for ((row, level), listed) in rows(&summary).into_iter().zip(2..).zip(table.measured().skip(1)) {
                let [wins, draws, losses] = ["wins", "draws", "losses"].map(|key| row[key].as_u64().expect("a count"));
                let start = format!("| {level} | `{}` | {wins}-{draws}-{losses} | ", measured(table, level));
                let line = page.lines().find(|line| line.starts_with(&start));
                let line = line.unwrap_or_else(|| panic!("{}: no line {start}", table.game));
                let last = line.trim_end_matches([' ', '|']).rsplit("| ").next().expect("a cell");
                assert_eq!(last.parse().ok(), listed.elo, "{}: {line}", table.game);
            }
        }
        assert_eq!(runs, 6, "a run for every game whose levels are measured");
    }
}
