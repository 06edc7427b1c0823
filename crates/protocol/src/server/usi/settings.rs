//! What may be set in our engine.

use std::time::Duration;

use yomi_core::Color;
use yomi_core::hint::did_you_mean;
use yomi_games::shogi::{Entering, Repetition, Rules, Variant};
use yomi_search::time::TimeOptions;

use crate::usi::{EngineOption, OptionKind};

/// Everything an interface can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The player as it is typed: a search, an evaluation, a budget.
    pub player: String,
    /// Threads of the search, unless the player names them itself.
    pub threads: usize,
    /// The most threads an interface may set: the cores of this machine.
    pub most_threads: usize,
    /// Mebibytes for tree or tables.
    pub hash: usize,
    /// How many lines to report.
    pub multipv: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// When an entering king ends the game, what repetition means, how long a game may last.
    pub rules: Rules,
    /// Whether the other side's time may be used. The interface decides it; the option is for our information.
    pub ponder: bool,
    /// Ponder on all replies of the other side, not on the expected one alone.
    pub stochastic_ponder: bool,
    /// What a draw is worth to us, in hundredths of a pawn, when we are the first player.
    pub draw_value_black: i64,
    /// The same when we are the second player.
    pub draw_value_white: i64,
    /// Give up when the score is worse than minus this.
    pub resign_value: i64,
    /// What a move usually loses on its way.
    pub network_delay: Duration,
    /// What a move may lose at worst: no move ends later than this before the flag falls.
    pub network_delay2: Duration,
    /// Think at least so long.
    pub minimum_thinking_time: Duration,
    /// Hundredths of the default share of the time.
    pub slow_mover: u32,
    /// The referee counts whole seconds.
    pub round_up_to_full_second: bool,
    /// Never look at more nodes; 0 for no limit.
    pub nodes_limit: u64,
    /// Never look further ahead; 0 for no limit.
    pub depth_limit: u32,
    /// Milliseconds between two reports.
    pub pv_interval: u64,
    /// Play from the book where it knows the position.
    pub own_book: bool,
    /// The book: a file in YaneuraOu's text form; empty or `no_book` for none.
    pub book_file: String,
    /// How many moves of a game may come from the book.
    pub book_moves: u32,
    /// Options of the program that makes the searches, by name.
    pub extra: Vec<(EngineOption, String)>,
}

/// What a setting changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// The next search thinks otherwise.
    None,
    /// The rules are others: positions must be read again.
    Rules,
    /// Another search is needed, of a player that is there.
    Search,
    /// Another player is needed, if there is one.
    Player,
}

const ENTERINGS: [(&str, Entering); 6] = [
    ("NoEnteringKing", Entering::Never),
    ("CSARule24", Entering::Points24),
    ("CSARule24H", Entering::Points24Odds),
    ("CSARule27", Entering::Points27),
    ("CSARule27H", Entering::Points27Odds),
    ("TryRule", Entering::Try),
];

const REPETITIONS: [(&str, Repetition); 2] = [("Draw", Repetition::Draw), ("FirstPlayerLoses", Repetition::FirstLoses)];

/// An hour: no delay is longer.
const LONGEST_MS: i64 = 3_600_000;
/// No draw is worth more to either side, as in YaneuraOu.
const DEAREST_DRAW: i64 = 30_000;

impl Settings {
    /// The default settings of a player under these rules. Where the game names no rule for entering kings, servers use 27 points.
    pub fn new<V: Variant>(player: &str, rules: Rules) -> Settings {
        let unsaid = rules.entering == Entering::Never && V::COUNTS_POINTS;
        let entering = if unsaid { Entering::Points27 } else { rules.entering };
        Settings {
            player: player.to_string(),
            threads: 1,
            most_threads: std::thread::available_parallelism().map_or(1, usize::from),
            hash: 256,
            multipv: 1,
            seed: 1,
            rules: Rules { entering, ..rules },
            ponder: false,
            stochastic_ponder: false,
            draw_value_black: 0,
            draw_value_white: 0,
            resign_value: 99_999,
            network_delay: Duration::from_millis(100),
            network_delay2: Duration::from_millis(150),
            minimum_thinking_time: Duration::ZERO,
            slow_mover: 100,
            round_up_to_full_second: false,
            nodes_limit: 0,
            depth_limit: 0,
            pv_interval: 300,
            own_book: true,
            book_file: String::new(),
            book_moves: 24,
            extra: Vec::new(),
        }
    }

    /// The options as they are announced, with their values now as defaults.
    pub fn options<V: Variant>(&self) -> Vec<EngineOption> {
        use OptionKind::{Check, Combo, Spin, Text};
        let option = |name: &str, kind| EngineOption { name: name.to_string(), kind };
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let ms = |time: Duration| number(time.as_millis() as u64);
        let words = |names: Vec<&str>| names.into_iter().map(str::to_string).collect();
        let enterings = ENTERINGS.iter().filter(|(_, rule)| V::COUNTS_POINTS || !rule.counts_points());
        let mut options = vec![
            option("Player", Text(self.player.clone())),
            option("Threads", Spin(self.threads as i64, 1, (self.most_threads as i64).max(1))),
            option("USI_Hash", Spin(self.hash as i64, 1, 1 << 24)),
            option("USI_Ponder", Check(self.ponder)),
            option("Stochastic_Ponder", Check(self.stochastic_ponder)),
            option("MultiPV", Spin(self.multipv as i64, 1, 600)),
            option(
                "EnteringKingRule",
                Combo(
                    name_of(&ENTERINGS, self.rules.entering).to_string(),
                    words(enterings.map(|&(name, _)| name).collect()),
                ),
            ),
            option(
                "RepetitionRule",
                Combo(
                    name_of(&REPETITIONS, self.rules.repetition).to_string(),
                    words(REPETITIONS.iter().map(|&(name, _)| name).collect()),
                ),
            ),
            option("MaxMovesToDraw", Spin(i64::from(self.rules.max_moves), 0, 1_000_000)),
            option("DrawValueBlack", Spin(self.draw_value_black, -DEAREST_DRAW, DEAREST_DRAW)),
            option("DrawValueWhite", Spin(self.draw_value_white, -DEAREST_DRAW, DEAREST_DRAW)),
            option("ResignValue", Spin(self.resign_value, 0, 99_999)),
            option("NetworkDelay", Spin(ms(self.network_delay), 0, LONGEST_MS)),
            option("NetworkDelay2", Spin(ms(self.network_delay2), 0, LONGEST_MS)),
            option("MinimumThinkingTime", Spin(ms(self.minimum_thinking_time), 0, LONGEST_MS)),
            option("SlowMover", Spin(i64::from(self.slow_mover), 1, 1000)),
            option("RoundUpToFullSecond", Check(self.round_up_to_full_second)),
            option("NodesLimit", Spin(number(self.nodes_limit), 0, i64::MAX)),
            option("DepthLimit", Spin(i64::from(self.depth_limit), 0, i64::from(u32::MAX))),
            option("PvInterval", Spin(number(self.pv_interval), 0, LONGEST_MS)),
            option("USI_OwnBook", Check(self.own_book)),
            option("BookFile", OptionKind::Filename(self.book_file.clone())),
            option("BookMoves", Spin(i64::from(self.book_moves), 0, 10_000)),
            option("Seed", Spin(number(self.seed), 0, i64::MAX)),
        ];
        options.extend(self.extra.iter().map(|(option, _)| option.clone()));
        options
    }

    /// The value that this machine can give instead of the one asked for, and a remark where that is another: more threads than cores only
    /// make a search slower.
    pub(super) fn possible(&self, name: &str, value: Option<&str>) -> (Option<String>, Option<String>) {
        let most = self.most_threads.max(1);
        let asked = value.and_then(|value| value.trim().parse::<u64>().ok());
        match asked {
            Some(asked) if name.eq_ignore_ascii_case("Threads") && asked > most as u64 => {
                let remark = format!(
                    "Threads is {most}, the number of this machine's cores, not {asked}; to have more anyway, name them in \
                     Player, as in mcss(threads={asked})"
                );
                (Some(most.to_string()), Some(remark))
            }
            _ => (value.map(str::to_string), None),
        }
    }

    /// The file with the opening book, if one is wanted.
    pub(super) fn book(&self) -> Option<&str> {
        let named = !self.book_file.is_empty() && self.book_file != "no_book";
        (self.own_book && named).then_some(self.book_file.as_str())
    }

    /// Sets an option, or says what is wrong. Names are compared without regard to case, as engines have always done.
    pub(super) fn set<V: Variant>(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let options = self.options::<V>();
        let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let option = option.ok_or_else(|| {
            let meant = did_you_mean(name, options.iter().map(|option| option.name.as_str()));
            format!("there is no option called {name:.60}{meant}")
        })?;
        // Some interfaces leave the value out where the text is empty.
        let text = matches!(option.kind, OptionKind::Text(_) | OptionKind::Filename(_));
        let value = if text { Some(value.unwrap_or_default()) } else { value };
        if let Some(objection) = option.objection(value) {
            return Err(objection.chars().take(200).collect());
        }
        let value = value.unwrap_or_default();
        let value = if text && value == crate::usi::EMPTY { "" } else { value };
        Ok(self.put(&option.name, value))
    }

    /// Sets an option whose value was checked.
    fn put(&mut self, name: &str, value: &str) -> Effect {
        let number = || value.parse::<i64>().unwrap_or_default();
        let count = || u64::try_from(number()).unwrap_or_default();
        let ms = || Duration::from_millis(count());
        let yes = value == "true";
        match name {
            "Player" => self.player = value.to_string(),
            "Threads" => self.threads = count() as usize,
            "USI_Hash" => self.hash = count() as usize,
            "MultiPV" => self.multipv = count() as usize,
            "USI_Ponder" => self.ponder = yes,
            "Stochastic_Ponder" => self.stochastic_ponder = yes,
            "EnteringKingRule" => self.rules.entering = value_of(&ENTERINGS, value).unwrap_or_default(),
            "RepetitionRule" => self.rules.repetition = value_of(&REPETITIONS, value).unwrap_or_default(),
            "MaxMovesToDraw" => self.rules.max_moves = count() as u32,
            "DrawValueBlack" => self.draw_value_black = number(),
            "DrawValueWhite" => self.draw_value_white = number(),
            "ResignValue" => self.resign_value = number(),
            "NetworkDelay" => self.network_delay = ms(),
            "NetworkDelay2" => self.network_delay2 = ms(),
            "MinimumThinkingTime" => self.minimum_thinking_time = ms(),
            "SlowMover" => self.slow_mover = count() as u32,
            "RoundUpToFullSecond" => self.round_up_to_full_second = yes,
            "NodesLimit" => self.nodes_limit = count(),
            "DepthLimit" => self.depth_limit = count() as u32,
            "PvInterval" => self.pv_interval = count(),
            "USI_OwnBook" => self.own_book = yes,
            "BookFile" => self.book_file = value.to_string(),
            "BookMoves" => self.book_moves = count() as u32,
            "Seed" => self.seed = count(),
            _ => {
                if let Some((_, slot)) = self.extra.iter_mut().find(|(option, _)| option.name == name) {
                    *slot = value.to_string();
                }
            }
        }
        match name {
            "EnteringKingRule" | "RepetitionRule" | "MaxMovesToDraw" => Effect::Rules,
            "Threads" | "USI_Hash" | "MultiPV" => Effect::Search,
            "Player" => Effect::Player,
            _ if self.extra.iter().any(|(option, _)| option.name == name) => Effect::Player,
            _ => Effect::None,
        }
    }

    /// The value of an option of the program's own.
    pub fn extra(&self, name: &str) -> &str {
        self.extra.iter().find(|(option, _)| option.name == name).map_or("", |(_, value)| value)
    }

    /// What a draw is worth to us, in hundredths of a pawn, when we play this side.
    pub(super) fn draw_value(&self, side: Color) -> i64 {
        match side {
            Color::Black => self.draw_value_black,
            Color::White => self.draw_value_white,
        }
    }

    /// How the time is dealt with.
    pub(super) fn time(&self) -> TimeOptions {
        let defaults = TimeOptions::default();
        let second = if self.round_up_to_full_second { Duration::from_secs(1) } else { Duration::ZERO };
        TimeOptions {
            network_delay: self.network_delay,
            minimum: self.minimum_thinking_time,
            round_up_to: second,
            moves_ahead: (defaults.moves_ahead * 100 / self.slow_mover.max(1)).max(1),
        }
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, v)| *v == value).map_or("", |(name, _)| name)
}

fn value_of<T: Copy>(names: &[(&'static str, T)], name: &str) -> Option<T> {
    names.iter().find(|(n, _)| *n == name).map(|&(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_games::shogi::{Five, Nine};

    fn settings() -> Settings {
        let file = EngineOption { name: "EvalFile".to_string(), kind: OptionKind::Filename(String::new()) };
        let defaults = Settings::new::<Nine>("mcss", Rules::default());
        Settings { extra: vec![(file, String::new())], most_threads: 8, ..defaults }
    }

    #[test]
    fn every_option_is_one_word_and_takes_its_own_default() {
        let mut changed = settings();
        for option in settings().options::<Nine>() {
            assert!(!option.name.contains(' '));
            let default = match &option.kind {
                OptionKind::Check(default) => default.to_string(),
                OptionKind::Spin(default, ..) => default.to_string(),
                OptionKind::Combo(default, _) | OptionKind::Text(default) | OptionKind::Filename(default) => {
                    default.clone()
                }
                OptionKind::Button => continue,
            };
            changed.set::<Nine>(&option.name, Some(&default)).unwrap();
        }
        assert_eq!(changed, settings());
    }

    #[test]
    fn every_option_does_something() {
        for option in settings().options::<Nine>() {
            let other = match &option.kind {
                OptionKind::Check(default) => (!default).to_string(),
                OptionKind::Spin(default, min, _) => (if default == min { default + 1 } else { *min }).to_string(),
                OptionKind::Combo(default, words) => words.iter().find(|word| *word != default).unwrap().clone(),
                _ => "other".to_string(),
            };
            let mut changed = settings();
            changed.set::<Nine>(&option.name.to_lowercase(), Some(&other)).unwrap();
            assert_ne!(changed, settings(), "{}", option.name);
        }
    }

    #[test]
    fn threads_are_bounded_by_the_machine() {
        let settings = settings();
        for (asked, given) in [("8", "8"), ("9", "8"), ("4000000000", "8"), ("many", "many"), ("0", "0")] {
            let (value, remark) = settings.possible("threads", Some(asked));
            assert_eq!((value.as_deref(), remark.is_some()), (Some(given), asked != given), "{asked}");
        }
        assert!(settings.possible("Threads", Some("64")).1.unwrap().contains("mcss(threads=64)"));
        assert_eq!(settings.possible("USI_Hash", Some("64")), (Some("64".to_string()), None));
    }

    #[test]
    fn wrong_values_are_refused_and_change_nothing() {
        let mut settings = settings();
        let before = settings.clone();
        for (name, value) in [
            ("Threads", Some("0")),
            ("Threads", Some("many")),
            ("Threads", None),
            ("USI_Ponder", Some("yes")),
            ("EnteringKingRule", Some("CSARule99")),
            ("Nothing", Some("1")),
            ("USI_Hash", Some("99999999999999999999")),
        ] {
            assert!(settings.set::<Nine>(name, value).is_err(), "{name} {value:?}");
        }
        assert!(settings.set::<Five>("EnteringKingRule", Some("CSARule27")).is_err(), "no points on five by five");
        assert_eq!(settings, before);
    }
}
