//! What is asked, one JSON object per line.

use std::time::Duration;

use serde_json::{Map, Value};
use yomi_core::{Color, TextError};
use yomi_games::go::{Points, Rules, Scoring};

use crate::gtp::parse_color;
use crate::server::go_rules;

/// A line that was understood.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Request {
    /// Positions to think about.
    Analyze(Box<Query>),
    /// Something else; the answer repeats the object with what is added.
    Action(Action, Map<String, Value>),
}

/// What can be done besides thinking.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Action {
    QueryVersion,
    QueryModels,
    ClearCache,
    /// End the thoughts of this query, at these turns or at all.
    Terminate(String, Option<Vec<usize>>),
    /// End all thoughts, at these turns or at all.
    TerminateAll(Option<Vec<usize>>),
}

/// Positions of one game, and what is wanted of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) size: usize,
    pub(super) rules: Rules,
    pub(super) stones: Vec<(Color, String)>,
    pub(super) moves: Vec<(Color, String)>,
    pub(super) first: Option<Color>,
    /// After how many moves, and how urgent that is.
    pub(super) turns: Vec<(usize, i64)>,
    pub(super) visits: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) every: Option<Duration>,
    pub(super) ownership: bool,
    pub(super) moves_ownership: bool,
    pub(super) policy: bool,
    pub(super) pv_visits: bool,
    pub(super) avoid: Vec<(Color, Vec<String>)>,
    pub(super) allow: Option<(Color, Vec<String>)>,
    pub(super) view: View,
    /// What is understood otherwise than it was meant: a field and why.
    pub(super) warnings: Vec<(String, String)>,
}

/// Whose chances and points are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Of one side.
    Of(Color),
    /// Of the side to move.
    SideToMove,
}

impl View {
    /// Reads KataGo's word.
    pub fn parse(word: &str) -> Option<View> {
        match word.to_ascii_uppercase().as_str() {
            "BLACK" => Some(View::Of(Color::Black)),
            "WHITE" => Some(View::Of(Color::White)),
            "SIDETOMOVE" => Some(View::SideToMove),
            _ => None,
        }
    }
}

/// What a query leaves open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    pub(super) size: usize,
    pub(super) rules: Rules,
    pub(super) view: View,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fault {
    pub(super) id: Option<String>,
    pub(super) field: Option<String>,
    pub(super) message: String,
}

/// No game is longer, and none has more handicap stones.
const MOST_MOVES: usize = 5000;
/// No warning more than these for a query.
const MOST_WARNINGS: usize = 20;
/// KataGo's bound.
const LARGEST_KOMI: f64 = 150.0;
/// A day: no thought is longer.
const LONGEST: f64 = 86_400.0;

/// Reads a line.
pub(super) fn read(line: &str, defaults: &Defaults) -> Result<Request, Fault> {
    let bare = |message: String| Fault { id: None, field: None, message };
    let value: Value = serde_json::from_str(line).map_err(|error| bare(format!("Could not parse JSON: {error}")))?;
    let Value::Object(object) = value else { return Err(bare("A JSON object was expected".to_string())) };
    let id = match object.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(_) => return Err(Fault { field: Some("id".to_string()), ..bare("Must be a string".to_string()) }),
        None => return Err(Fault { field: Some("id".to_string()), ..bare("Missing".to_string()) }),
    };
    let fields = Fields { id: &id, object: &object };
    match object.get("action") {
        Some(_) => Ok(Request::Action(fields.action()?, object)),
        None => fields.query(defaults).map(|query| Request::Analyze(Box::new(query))),
    }
}

struct Fields<'a> {
    id: &'a str,
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn fault(&self, field: &str, message: impl Into<String>) -> Fault {
        Fault { id: Some(self.id.to_string()), field: Some(field.to_string()), message: message.into() }
    }

    fn action(&self) -> Result<Action, Fault> {
        let turns =
            || self.list("turnNumbers", "Must be a list of turns", |value| usize::try_from(value.as_u64()?).ok());
        match self.text("action")? {
            Some("query_version") => Ok(Action::QueryVersion),
            Some("query_models") => Ok(Action::QueryModels),
            Some("clear_cache") => Ok(Action::ClearCache),
            Some("terminate") => {
                let of = self.text("terminateId")?.ok_or_else(|| self.fault("terminateId", "Missing"))?;
                Ok(Action::Terminate(of.to_string(), turns()?))
            }
            Some("terminate_all") => Ok(Action::TerminateAll(turns()?)),
            _ => {
                Err(self
                    .fault("action", "Must be query_version, query_models, clear_cache, terminate or terminate_all"))
            }
        }
    }

    fn query(&self, defaults: &Defaults) -> Result<Query, Fault> {
        let placements = |field: &str| self.list(field, "Must be a list of pairs like [\"B\",\"Q16\"]", placement);
        let moves = placements("moves")?.ok_or_else(|| self.fault("moves", "Missing"))?;
        let stones = placements("initialStones")?.unwrap_or_default();
        if moves.len().max(stones.len()) > MOST_MOVES {
            return Err(self.fault("moves", format!("More than {MOST_MOVES} moves or stones")));
        }
        let mut query = Query {
            id: self.id.to_string(),
            size: self.size(defaults)?,
            rules: self.rules(defaults)?,
            first: self.color("initialPlayer")?,
            turns: self.turns(moves.len())?,
            stones,
            moves,
            visits: self.count("maxVisits")?,
            time: None,
            every: self.seconds("reportDuringSearchEvery")?,
            ownership: self.flag("includeOwnership")?,
            moves_ownership: self.flag("includeMovesOwnership")?,
            policy: self.flag("includePolicy")?,
            pv_visits: self.flag("includePVVisits")?,
            avoid: self.limits("avoidMoves")?,
            allow: None,
            view: defaults.view,
            warnings: Vec::new(),
        };
        let mut allow = self.limits("allowMoves")?;
        if allow.len() > 1 || !allow.is_empty() && !query.avoid.is_empty() {
            return Err(self.fault("allowMoves", "Must be a list of one, and not together with avoidMoves"));
        }
        query.allow = allow.pop();
        self.overrides(&mut query)?;
        self.warn(&mut query);
        Ok(query)
    }

    fn size(&self, defaults: &Defaults) -> Result<usize, Fault> {
        let (width, height) = (self.count("boardXSize")?, self.count("boardYSize")?);
        let defaults = defaults.size as u64;
        let (x, y) = (width.or(height).unwrap_or(defaults), height.or(width).unwrap_or(defaults));
        let wrong = |field| Err(self.fault(field, "Must be from 2 to 19, and the same in both directions"));
        match (usize::try_from(x), x == y) {
            (Ok(size @ 2..=19), true) => Ok(size),
            (Ok(2..=19), false) => wrong("boardYSize"),
            _ => wrong("boardXSize"),
        }
    }

    fn rules(&self, defaults: &Defaults) -> Result<Rules, Fault> {
        let mut rules = defaults.rules;
        if let Some(value) = self.object.get("rules") {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            rules = go_rules::parse(&text, rules).map_err(|error| self.fault("rules", error.message))?;
            rules.komi = match rules.scoring {
                Scoring::Area => Points::halves(15),
                Scoring::Territory => Points::halves(13),
            };
        }
        if let Some(value) = self.object.get("whiteHandicapBonus") {
            let word = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            let one = serde_json::json!({ "whiteHandicapBonus": word }).to_string();
            rules =
                go_rules::parse(&one, rules).map_err(|_| self.fault("whiteHandicapBonus", "Must be 0, N-1 or N"))?;
        }
        if let Some(value) = self.object.get("komi") {
            let komi = value.as_f64().filter(|komi| komi.abs() <= LARGEST_KOMI && (2.0 * komi).fract() == 0.0);
            let komi = komi.ok_or_else(|| self.fault("komi", "Must be a number in halves from -150 to 150"))?;
            rules.komi = Points::halves((2.0 * komi) as i32);
        }
        Ok(Rules { handicap: 0, ..rules })
    }

    /// The turns wanted, each once, with their priorities.
    fn turns(&self, moves: usize) -> Result<Vec<(usize, i64)>, Fault> {
        let turn = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|&turn| turn <= moves);
        let turns = self.list("analyzeTurns", "Must be a list of turns, none beyond the moves", turn)?;
        let turns = turns.unwrap_or_else(|| vec![moves]);
        let priority = match self.object.get("priority") {
            None => 0,
            Some(value) => value.as_i64().ok_or_else(|| self.fault("priority", "Must be a whole number"))?,
        };
        let priorities = self.list("priorities", "Must be a list of whole numbers", Value::as_i64)?;
        let priorities = priorities.unwrap_or_else(|| vec![priority; turns.len()]);
        if priorities.len() != turns.len() {
            return Err(self.fault("priorities", "Must be as many as analyzeTurns"));
        }
        let mut pairs: Vec<(usize, i64)> = turns.into_iter().zip(priorities).collect();
        pairs.sort_by_key(|&(turn, _)| turn);
        pairs.dedup_by_key(|&mut (turn, _)| turn);
        Ok(pairs)
    }

    /// `[{"player": "B", "moves": ["C3"], "untilDepth": 1}]`.
    fn limits(&self, field: &str) -> Result<Vec<(Color, Vec<String>)>, Fault> {
        let entry = |value: &Value| {
            let color = parse_color(value.get("player")?.as_str()?).ok()?;
            value.get("untilDepth")?.as_u64().filter(|&depth| depth > 0)?;
            let moves: Option<Vec<String>> =
                value.get("moves")?.as_array()?.iter().map(|word| Some(word.as_str()?.to_string())).collect();
            Some((color, moves?))
        };
        let list = self.list(field, "Must be a list of objects with player, moves and untilDepth", entry)?;
        Ok(list.unwrap_or_default())
    }

    /// `overrideSettings`: two have a meaning here.
    fn overrides(&self, query: &mut Query) -> Result<(), Fault> {
        let Some(value) = self.object.get("overrideSettings") else { return Ok(()) };
        let settings = value.as_object().ok_or_else(|| self.fault("overrideSettings", "Must be an object"))?;
        for (name, value) in settings {
            let wrong = || self.fault("overrideSettings", format!("Cannot understand {name:.60}"));
            match name.as_str() {
                "maxTime" => query.time = Some(duration(value).ok_or_else(wrong)?),
                "maxVisits" => query.visits = Some(value.as_u64().filter(|&n| n > 0).ok_or_else(wrong)?),
                "reportAnalysisWinratesAs" => {
                    query.view = value.as_str().and_then(View::parse).ok_or_else(wrong)?;
                }
                // Not to add noise is what we do.
                "wideRootNoise" if value.as_f64() == Some(0.0) => {}
                _ => {
                    let warning = format!("Unknown setting: {name:.60}");
                    query.warnings.push(("overrideSettings".to_string(), warning));
                }
            }
        }
        Ok(())
    }

    /// Notes what is asked for and not done.
    fn warn(&self, query: &mut Query) {
        const KNOWN: &[&str] = &[
            "id",
            "moves",
            "initialStones",
            "initialPlayer",
            "rules",
            "komi",
            "whiteHandicapBonus",
            "boardXSize",
            "boardYSize",
            "analyzeTurns",
            "maxVisits",
            "includeOwnership",
            "includeMovesOwnership",
            "includePolicy",
            "includePVVisits",
            "avoidMoves",
            "allowMoves",
            "overrideSettings",
            "reportDuringSearchEvery",
            "priority",
            "priorities",
        ];
        const ABSENT: &[&str] = &["includeOwnershipStdev", "includeMovesOwnershipStdev"];
        for (name, value) in self.object {
            let name = name.as_str();
            let deep = |value: &Value| value["untilDepth"].as_u64().is_some_and(|depth| depth > 1);
            let warning = match name {
                "avoidMoves" | "allowMoves" if value.as_array().is_some_and(|list| list.iter().any(deep)) => {
                    "Only the first move is limited, whatever untilDepth says"
                }
                _ if KNOWN.contains(&name) => continue,
                _ if ABSENT.contains(&name) && value.as_bool() != Some(true) => continue,
                _ if ABSENT.contains(&name) => "Not available",
                _ => "Unexpected or unused field",
            };
            query.warnings.push((name.chars().take(60).collect(), warning.to_string()));
        }
        query.warnings.truncate(MOST_WARNINGS);
    }

    fn text(&self, field: &str) -> Result<Option<&'a str>, Fault> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| self.fault(field, "Must be a string"));
        self.object.get(field).map(text).transpose()
    }

    fn color(&self, field: &str) -> Result<Option<Color>, Fault> {
        let color = |word: &str| parse_color(word).map_err(|_| self.fault(field, "Must be \"B\" or \"W\""));
        self.text(field)?.map(color).transpose()
    }

    fn flag(&self, field: &str) -> Result<bool, Fault> {
        let flag = |value: &Value| value.as_bool().ok_or_else(|| self.fault(field, "Must be true or false"));
        self.object.get(field).map_or(Ok(false), flag)
    }

    fn count(&self, field: &str) -> Result<Option<u64>, Fault> {
        let wrong = || self.fault(field, "Must be a whole number above 0");
        let count = |value: &Value| value.as_u64().filter(|&n| n > 0).ok_or_else(wrong);
        self.object.get(field).map(count).transpose()
    }

    fn seconds(&self, field: &str) -> Result<Option<Duration>, Fault> {
        let seconds = |value| duration(value).ok_or_else(|| self.fault(field, "Must be a number of seconds"));
        self.object.get(field).map(seconds).transpose()
    }

    fn list<T>(&self, field: &str, wrong: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Option<Vec<T>>, Fault> {
        let Some(value) = self.object.get(field) else { return Ok(None) };
        let list: Option<Vec<T>> = value.as_array().and_then(|list| list.iter().map(read).collect());
        list.map(Some).ok_or_else(|| self.fault(field, wrong))
    }
}

/// A time from a thousandth of a second to a day.
fn duration(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().filter(|seconds| *seconds > 0.0)?;
    Some(Duration::from_secs_f64(seconds.clamp(0.001, LONGEST)))
}

/// `["B", "Q16"]`.
fn placement(value: &Value) -> Option<(Color, String)> {
    let [color, point] = value.as_array()?.as_slice() else { return None };
    Some((parse_color(color.as_str()?).ok()?, point.as_str()?.to_string()))
}

impl Query {
    /// The fault of a field of this query.
    pub(super) fn fault(&self, field: &str, error: TextError) -> Fault {
        Fault { id: Some(self.id.clone()), field: Some(field.to_string()), message: error.message }
    }
}
