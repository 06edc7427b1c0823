//! The session of a game of one type.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use yomi_core::record::ROOT;
use yomi_core::{Cancel, Color, Ending, Line, Outcome, Record, Spec, TextError};
use yomi_games::draw::{Marks, Picture};
use yomi_games::with_game;
use yomi_players::forecast::Forecaster;
use yomi_search::tree::Explorer;
use yomi_search::{Search, Verdict};

use crate::Playable;
use crate::board::{BoardReport, MoveRoute};
use crate::control::{Control, Supervisor, run};
use crate::player::Player;
use crate::report::{Analysis, PositionReport};
use crate::session::{Event, MarkedMoves, MoveReport, SearchRequest, Session};
use crate::tree::{TreeNotes, TreeQuery, TreeReport};
use crate::variation::{parse_moves, variation};

/// Opens a session at the start of the game and rules that `game` names: `go9(komi=6.5)`.
///
/// ```
/// let session = yomi_session::open(&"go9(komi=6.5)".parse()?)?;
/// assert_eq!(session.rules(), "go9(komi=6.5)");
/// assert!(yomi_session::open(&"chess".parse()?).is_err());
/// # Ok::<(), yomi_core::TextError>(())
/// ```
pub fn open(game: &Spec) -> Result<Box<dyn Session>, TextError> {
    with_game!(game, |start| Ok(open_line(start, Vec::new())))
}

/// Opens a session at the end of these moves.
pub fn open_line<P: Playable>(start: P, moves: Vec<P::Move>) -> Box<dyn Session> {
    let mut session =
        GameSession { line: Line::new(start.clone()), start, moves: Vec::new(), ended: None, engines: Vec::new() };
    moves.iter().for_each(|&mv| session.line.play(mv));
    session.moves = moves;
    Box::new(session)
}

/// Opens a session at the end of a record's main line.
pub fn open_record<P: Playable>(record: &Record<P>) -> Box<dyn Session> {
    open_line(record.start.clone(), record.moves())
}

/// How many searches are kept: the player's and the one that gives hints.
const KEPT: usize = 2;

/// How often questions about a growing tree are looked for when no reports are wanted.
const LOOK_EVERY: Duration = Duration::from_millis(100);

struct GameSession<P: Playable> {
    start: P,
    line: Line<P>,
    moves: Vec<P::Move>,
    /// How it ended, if it was ended by a player.
    ended: Option<Ending>,
    /// The searches of the players that thought last, the latest first.
    engines: Vec<Engine<P>>,
}

/// The search of a player.
struct Engine<P: Playable> {
    player: String,
    search: Box<dyn Search<P>>,
    win: f32,
    /// Forecasts the lead in points, on request.
    forecaster: Option<Arc<dyn Forecaster<P>>>,
    /// Whether that was asked for.
    leads: bool,
    /// Where the last search began.
    root: Option<Line<P>>,
}

impl<P: Playable> GameSession<P> {
    /// The engine of a player, built if there is none, moved to the front.
    fn engine(&mut self, player: &Player, leads: bool) -> Result<&mut Engine<P>, TextError> {
        let text = player.to_string();
        let engine = match self.engines.iter().position(|engine| engine.player == text && engine.leads == leads) {
            Some(place) => self.engines.remove(place),
            None => {
                let mut forecaster = None;
                let search = player.build_observed::<P>(&mut |evaluator| {
                    if !leads {
                        return evaluator;
                    }
                    let (audible, forecasts) = P::forecast(evaluator);
                    forecaster = forecasts;
                    audible
                })?;
                Engine { player: text, search, win: player.win::<P>()?, forecaster, leads, root: None }
            }
        };
        self.engines.truncate(KEPT - 1);
        self.engines.insert(0, engine);
        Ok(&mut self.engines[0])
    }

    fn engine_of(&self, player: &Player) -> Option<&Engine<P>> {
        let text = player.to_string();
        self.engines.iter().find(|engine| engine.player == text && engine.root.is_some())
    }

    fn restart(&mut self, line: Line<P>, moves: Vec<P::Move>) {
        (self.line, self.moves, self.ended) = (line, moves, None);
        for engine in &mut self.engines {
            engine.search.new_game();
            engine.root = None;
        }
    }

    /// The line of the first moves.
    fn line_of(&self, plies: usize) -> Line<P> {
        let mut line = Line::new(self.start.clone());
        self.moves.iter().take(plies).for_each(|&mv| line.play(mv));
        line
    }

    fn advance(&mut self, mv: P::Move) {
        self.line.play(mv);
        self.moves.push(mv);
        self.engines.iter_mut().for_each(|engine| engine.search.played(mv));
    }

    fn legal(&self) -> Vec<P::Move> {
        let mut legal = Vec::new();
        self.line.generate(&mut legal);
        legal
    }

    fn before(&self) -> Option<P::Move> {
        self.moves.last().copied()
    }

    fn read(&self, moves: &[(String, f32)]) -> Result<Vec<(P::Move, f32)>, TextError> {
        moves.iter().map(|(text, weight)| Ok((self.line.position().parse_move(text)?, *weight))).collect()
    }
}

impl<P: Playable> Session for GameSession<P> {
    fn game(&self) -> String {
        let rules = self.rules();
        rules.split('(').next().unwrap_or_default().to_string()
    }

    fn rules(&self) -> String {
        self.line.position().rules()
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(GameSession {
            start: self.start.clone(),
            line: self.line.clone(),
            moves: self.moves.clone(),
            ended: self.ended,
            engines: Vec::new(),
        })
    }

    fn start(&self) -> String {
        self.start.position_text()
    }

    fn position(&self) -> PositionReport {
        PositionReport::of(&self.line)
    }

    fn turn(&self) -> Color {
        self.line.position().turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        let by_will = self.ended.and_then(|ending| ending.outcome(self.turn()));
        by_will.or_else(|| self.line.generate(&mut Vec::new()))
    }

    fn ending(&self) -> Option<Ending> {
        self.ended
    }

    fn score(&self) -> Option<String> {
        self.line.position().score_text()
    }

    fn declared(&self) -> Option<Outcome> {
        self.line.position().declared()
    }

    fn moves(&self) -> Vec<String> {
        variation(&self.start, &self.moves)
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn legal_moves(&self) -> Vec<String> {
        self.legal().iter().map(|&mv| self.line.position().move_text(mv)).collect()
    }

    fn forced_pass(&self) -> Option<String> {
        let legal = self.legal();
        let pass = legal.first().copied().filter(|&mv| legal.len() == 1 && P::is_pass(mv));
        pass.map(|mv| self.line.position().move_text(mv))
    }

    fn choice_at(&self, plies: usize) -> (Color, bool) {
        let line = self.line_of(plies);
        let mut legal = Vec::new();
        line.generate(&mut legal);
        let free = legal.len() > 1 || legal.first().is_some_and(|&mv| !P::is_pass(mv));
        (line.position().turn(), free)
    }

    fn move_examples(&self) -> &'static str {
        P::MOVE_EXAMPLES
    }

    fn spoken(&self, mv: &str) -> Result<String, TextError> {
        let position = self.line.position();
        Ok(position.spoken(position.parse_move(mv)?, self.before()))
    }

    fn places(&self) -> usize {
        self.line.position().places()
    }

    fn set_position(&mut self, position: Option<&str>) -> Result<(), TextError> {
        let start = match position {
            Some(text) => self.start.parse_position(text)?,
            None => P::start(&self.start.rules().parse()?)?,
        };
        self.restart(Line::new(start.clone()), Vec::new());
        self.start = start;
        Ok(())
    }

    fn play_line(&mut self, moves: &str) -> Result<usize, TextError> {
        let played = parse_moves(&mut self.line.clone(), moves)?;
        played.iter().for_each(|&mv| self.advance(mv));
        Ok(played.len())
    }

    fn play(&mut self, text: &str) -> Result<MoveReport, TextError> {
        let position = self.line.position();
        let mv = position.understand(text, self.before())?;
        if !self.line.is_legal(mv) {
            let why = "is forbidden by what was played before (repetition or superko)";
            return Err(TextError::new(format!("{text} {why}")));
        }
        let (text, spoken) = (position.move_text(mv), position.spoken(mv, self.before()));
        self.advance(mv);
        let note = P::is_pass(mv).then(|| self.line.position().pass_note());
        Ok(MoveReport { text, spoken, note })
    }

    fn undo(&mut self, plies: usize) -> Result<(), TextError> {
        let keep = self.moves.len().checked_sub(plies);
        let keep = keep.ok_or_else(|| TextError::new("there is nothing to take back"))?;
        let line = self.line_of(keep);
        let moves = self.moves[..keep].to_vec();
        self.restart(line, moves);
        Ok(())
    }

    fn end(&mut self, ending: Ending) {
        self.ended = Some(ending);
    }

    fn picture(&self, marked: &MarkedMoves) -> Result<Picture, TextError> {
        let position = self.line.position();
        let mut marks = Marks::new();
        marks.last = self.before();
        if marked.numbers {
            marks.numbers = self.moves.iter().copied().zip(1..).collect();
        }
        for (mv, weight) in self.read(&marked.arrows)? {
            marks = marks.arrow(mv, weight, "");
        }
        marks.heat = position.heat_of_moves(&self.read(&marked.heat)?);
        Ok(position.picture(&marks))
    }

    fn board(&self) -> BoardReport {
        let position = self.line.position();
        let mut picture = position.picture(&Marks { last: self.before(), ..Marks::new() });
        picture.signs.extend(position.territory());
        picture.signs.extend(position.anchors());
        let route = |mv: P::Move| MoveRoute::new(position.move_text(mv), &position.route(mv));
        BoardReport::new(&picture, self.legal().into_iter().map(route).collect())
    }

    fn prepare(&mut self, player: &Player, leads: bool) -> Result<(), TextError> {
        self.engine(player, leads).map(drop)
    }

    fn search(
        &mut self,
        request: &SearchRequest,
        control: &Control,
        events: &mut (dyn FnMut(Event) + Send),
    ) -> Result<Analysis, TextError> {
        let line = self.line.clone();
        let engine = self.engine(&request.player, request.leads)?;
        let (win, rows) = (engine.win, request.report_rows);
        engine.root = Some(line.clone());
        // Reports and answers about the tree go the same way, one at a time.
        let events = Mutex::new(events);
        let emit = |event: Event| (events.lock().unwrap_or_else(PoisonError::into_inner))(event);
        let answer = |tree: &mut dyn Explorer| {
            for query in control.take_queries() {
                emit(Event::Tree(TreeReport::of(&line, tree, &query)));
            }
        };
        let mut report = |so_far: &Verdict<P::Move>| {
            if request.report_every.is_some() {
                let analysis = Analysis::of(&line, so_far, win, rows);
                emit(Event::Progress(Box::new(analysis)));
            }
        };
        let every = Some(request.report_every.unwrap_or(LOOK_EVERY));
        let mut supervisor = Supervisor::new(control, every, &mut report).showing(answer);
        engine.forecaster.iter().for_each(|forecaster| forecaster.begin(&line));
        let verdict = run(engine.search.as_mut(), &line, &request.limits, request.clock, &mut supervisor);
        drop(supervisor);
        engine.forecaster.iter().for_each(|forecaster| forecaster.end());
        let seed = request.limits.seed.branch("forecast", 0);
        let whole = Cancel::NEVER;
        let forecast = engine.forecaster.as_ref().map(|forecaster| forecaster.forecast(&line, &verdict, seed, whole));
        let shown = engine.search.explore(&mut |tree| answer(tree));
        if !shown {
            for _ in control.take_queries() {
                emit(Event::Tree(Err(TextError::new("this search keeps no tree"))));
            }
        }
        let mut analysis = Analysis::of(&line, &verdict, win, usize::MAX);
        if let Some(forecast) = forecast {
            analysis.lead = Some(forecast.root.lead.into());
            for (row, root) in analysis.moves.iter_mut().zip(&verdict.moves) {
                row.lead = Some(forecast.of(&root.mv).lead.into());
            }
        }
        Ok(analysis)
    }

    fn save_tree(&self, player: &Player, out: &mut dyn io::Write) -> io::Result<bool> {
        let Some(engine) = self.engine_of(player) else { return Ok(false) };
        let Some(root) = engine.root.as_ref().map(Line::position) else { return Ok(false) };
        let notes = TreeNotes { game: root.rules(), position: root.position_text(), player: player.to_string() };
        let notes = serde_json::to_string(&notes).map_err(io::Error::other)?;
        engine.search.save_tree(&notes, out)
    }

    fn explore(&self, player: &Player, query: &TreeQuery) -> Result<Option<TreeReport>, TextError> {
        let Some(engine) = self.engine_of(player) else { return Ok(None) };
        let Some(root) = &engine.root else { return Ok(None) };
        let mut report = Ok(None);
        engine.search.explore(&mut |tree| report = TreeReport::of(root, tree, query).map(Some));
        report
    }

    fn explore_tree(&self, tree: &mut dyn Explorer, query: &TreeQuery) -> Result<TreeReport, TextError> {
        TreeReport::of(&self.line, tree, query)
    }

    fn record(&self, names: [&str; 2]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let mut record = Record::new(self.start.clone());
        let headers = P::PLAYER_KEYS.into_iter().zip(names);
        record.headers = headers.map(|(key, name)| (key.to_string(), name.to_string())).collect();
        let node = self.moves.iter().fold(ROOT, |node, &mv| record.add(node, Some(mv)));
        let by_rule = self.line.generate(&mut Vec::new()).map(|outcome| P::ending(&self.line, outcome));
        if let Some(ending) = self.ended.or(by_rule) {
            let end = record.add(node, None);
            record.nodes[end].ending = Some(ending);
        }
        P::write_record(&record)
    }
}
