//! A board: a session behind a Python object.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use yomi_core::{Ending, Spec};
use yomi_games::draw::{SvgOptions, TextOptions, Theme, svg, terminal};
use yomi_net::input::Planes;
use yomi_net::label::Labels;
use yomi_session::report::outcome_text;
use yomi_session::{
    Budget, Control, Event, MarkedMoves, Player, RecordFormat, SearchRequest, Session, TreeQuery, open, records,
};
use yomi_train::dispatch;

use crate::error::{OrRaise, read, wrong};
use crate::interrupt::interruptible;

/// A game under way. One thread at a time; a search in another thread makes the board busy, and everything else says so.
#[pyclass(module = "yomi._native", subclass, frozen)]
pub(crate) struct Board {
    /// None once the board is closed.
    session: Mutex<Option<Box<dyn Session>>>,
}

impl Board {
    fn new(session: Box<dyn Session>) -> Board {
        Board { session: Mutex::new(Some(session)) }
    }

    /// Does something with the session, if the board is open and not in use elsewhere.
    pub(crate) fn with<R>(&self, action: impl FnOnce(&mut dyn Session) -> PyResult<R>) -> PyResult<R> {
        let mut guard = match self.session.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(wrong("the board is busy: another thread searches on it")),
        };
        action(&mut **guard.as_mut().ok_or_else(|| wrong("the board is closed"))?)
    }

    /// What networks see: game, position and legal moves.
    pub(crate) fn seen(&self) -> PyResult<(Spec, String, Vec<String>)> {
        self.with(|session| {
            let report = session.position();
            Ok((read(&report.game)?, report.position, report.moves))
        })
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (game = "minishogi", position = None, moves = ""))]
    fn py_new(game: &str, position: Option<&str>, moves: &str) -> PyResult<Board> {
        let mut session = open(&read(game)?).or_raise()?;
        if position.is_some() {
            session.set_position(position).or_raise()?;
        }
        session.play_line(moves).or_raise()?;
        Ok(Board::new(session))
    }

    /// The games of a record file, each at the end of its main line.
    #[staticmethod]
    #[pyo3(signature = (data, format, game = None))]
    fn read_records(data: &[u8], format: &str, game: Option<&str>) -> PyResult<Vec<Board>> {
        let game = game.map(read::<Spec>).transpose()?;
        let games = records::read_all(data, read(format)?, game.as_ref()).or_raise()?;
        Ok(games.iter().map(|record| Board::new(record.open())).collect())
    }

    fn fork(&self) -> PyResult<Board> {
        self.with(|session| Ok(Board::new(session.fork())))
    }

    fn close(&self) -> PyResult<()> {
        match self.session.try_lock() {
            Ok(mut session) => *session = None,
            Err(TryLockError::Poisoned(poisoned)) => *poisoned.into_inner() = None,
            Err(TryLockError::WouldBlock) => return Err(wrong("the board is busy: another thread searches on it")),
        }
        Ok(())
    }

    #[getter]
    fn closed(&self) -> bool {
        self.session.try_lock().is_ok_and(|session| session.is_none())
    }

    #[getter]
    fn game(&self) -> PyResult<String> {
        self.with(|session| Ok(session.game()))
    }

    #[getter]
    fn rules(&self) -> PyResult<String> {
        self.with(|session| Ok(session.rules()))
    }

    #[getter]
    fn start(&self) -> PyResult<String> {
        self.with(|session| Ok(session.start()))
    }

    #[getter]
    fn turn(&self) -> PyResult<String> {
        self.with(|session| Ok(format!("{:?}", session.turn()).to_lowercase()))
    }

    #[getter]
    fn plies(&self) -> PyResult<usize> {
        self.with(|session| Ok(session.plies()))
    }

    #[getter]
    fn moves(&self) -> PyResult<Vec<String>> {
        self.with(|session| Ok(session.moves()))
    }

    #[getter]
    fn legal_moves(&self) -> PyResult<Vec<String>> {
        self.with(|session| Ok(session.legal_moves()))
    }

    #[getter]
    fn outcome(&self) -> PyResult<Option<String>> {
        self.with(|session| Ok(session.outcome().map(outcome_text)))
    }

    #[getter]
    fn score(&self) -> PyResult<Option<String>> {
        self.with(|session| Ok(session.score()))
    }

    /// The position as `docs/json.md` describes it.
    fn position_json(&self) -> PyResult<String> {
        self.with(|session| Ok(session.position().json().to_string()))
    }

    /// The board as places, likewise.
    fn board_json(&self) -> PyResult<String> {
        self.with(|session| Ok(session.board().json().to_string()))
    }

    fn push(&self, text: &str) -> PyResult<String> {
        self.with(|session| Ok(session.play(text).or_raise()?.text))
    }

    fn push_line(&self, moves: &str) -> PyResult<usize> {
        self.with(|session| session.play_line(moves).or_raise())
    }

    #[pyo3(signature = (plies = 1))]
    fn pop(&self, plies: usize) -> PyResult<()> {
        self.with(|session| session.undo(plies).or_raise())
    }

    #[pyo3(signature = (position = None))]
    fn set_position(&self, position: Option<&str>) -> PyResult<()> {
        self.with(|session| session.set_position(position).or_raise())
    }

    fn end(&self, how: &str) -> PyResult<()> {
        let ending = match how {
            "resign" => Ending::Resign,
            "time" => Ending::TimeUp,
            "aborted" => Ending::Aborted,
            _ => return Err(wrong(format!("{how} is no way to end a game: resign, time or aborted"))),
        };
        self.with(|session| {
            session.end(ending);
            Ok(())
        })
    }

    fn spoken(&self, mv: &str) -> PyResult<String> {
        self.with(|session| session.spoken(mv).or_raise())
    }

    /// The record in a format, or in the usual one of the game: its ending and its bytes.
    #[pyo3(signature = (format = None, black = "", white = ""))]
    fn record(&self, format: Option<&str>, black: &str, white: &str) -> PyResult<(String, Vec<u8>)> {
        self.with(|session| {
            let files = session.record([black, white]).or_raise()?;
            let Some((default, bytes)) = files.first() else { return Err(wrong("this game has no records")) };
            let Some(wanted) = format else { return Ok((default.to_string(), bytes.clone())) };
            if let Some((ending, bytes)) = files.iter().find(|(ending, _)| *ending == wanted) {
                return Ok((ending.to_string(), bytes.clone()));
            }
            let format: RecordFormat = read(wanted)?;
            let game: Spec = read(&session.rules())?;
            let known =
                default.parse().map_err(|_| wrong(format!("a record of {game} cannot be written in this format")))?;
            let read = records::read_all(bytes, known, Some(&game)).or_raise()?;
            Ok((wanted.to_string(), read[0].write(format, None).or_raise()?))
        })
    }

    #[pyo3(signature = (arrows = Vec::new(), heat = Vec::new(), numbers = false, turned = false, night = false, width = None))]
    fn svg(
        &self,
        arrows: Vec<(String, f32)>,
        heat: Vec<(String, f32)>,
        numbers: bool,
        turned: bool,
        night: bool,
        width: Option<u32>,
    ) -> PyResult<String> {
        self.with(|session| {
            let mut picture = session.picture(&MarkedMoves { arrows, heat, numbers }).or_raise()?;
            if turned {
                picture = picture.turned();
            }
            if night {
                picture.theme = Theme::NIGHT;
            }
            Ok(svg(&picture, &SvgOptions { width, ..SvgOptions::default() }))
        })
    }

    fn text(&self) -> PyResult<String> {
        self.with(|session| {
            Ok(terminal(&session.picture(&MarkedMoves::default()).or_raise()?, &TextOptions::default()))
        })
    }

    /// Planes, rows and columns of what networks see of this game.
    #[getter]
    fn plane_shape(&self) -> PyResult<(usize, usize, usize)> {
        let (game, _, _) = self.seen()?;
        let layout = dispatch::layout(&game).or_raise()?;
        Ok((layout.planes(), layout.board(), layout.board()))
    }

    /// How many outputs the policy head of this game has.
    #[getter]
    fn label_count(&self) -> PyResult<usize> {
        let (game, _, _) = self.seen()?;
        Ok(Labels::of(dispatch::layout(&game).or_raise()?).count())
    }

    /// The outputs of the policy head that stand for the legal moves, in their order.
    fn labels(&self) -> PyResult<Vec<usize>> {
        let (game, position, moves) = self.seen()?;
        Ok(dispatch::encode(&game, &position, &moves).or_raise()?.2)
    }

    /// Writes what networks see into an array of 32-bit numbers that the caller owns, as its side to move sees the board.
    fn write_planes(&self, py: Python<'_>, out: PyBuffer<f32>) -> PyResult<()> {
        let (game, position, _) = self.seen()?;
        let (layout, packed, _) = dispatch::encode(&game, &position, &[]).or_raise()?;
        let wanted = [layout.planes(), layout.board(), layout.board()];
        let ill = |what: String| wrong(format!("planes go into an array of float32 of shape {wanted:?}, {what}"));
        if out.shape() != wanted {
            return Err(ill(format!("not of shape {:?}", out.shape())));
        }
        let cells = out.as_mut_slice(py).ok_or_else(|| ill("contiguous and writable".into()))?;
        let mut planes = Planes::default();
        layout.expand(&packed, &mut planes);
        let dense = planes.dense(layout.planes(), layout.squares());
        cells.iter().zip(dense).for_each(|(cell, value)| cell.set(value));
        Ok(())
    }

    /// Searches the position and gives the analysis as JSON. `hear` is called with reports while the search runs, if there is one.
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    #[pyo3(signature = (player, *, sims = None, evals = None, nodes = None, depth = None, time = None, seed = 1, leads = false, every = None, hear = None))]
    fn search_json(
        &self,
        py: Python<'_>,
        player: &str,
        sims: Option<u64>,
        evals: Option<u64>,
        nodes: Option<u64>,
        depth: Option<u32>,
        time: Option<f64>,
        seed: u64,
        leads: bool,
        every: Option<f64>,
        hear: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let budget = Budget { sims, evals, nodes, depth, time };
        let every = every.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| wrong(format!("{seconds} is no time in seconds: {error}")))
        });
        let every = every.transpose()?.map(|every| every.max(Duration::from_millis(10)));
        self.with(|session| {
            let player = read::<Player>(player)?.in_game(&session.game()).or_raise()?;
            let limits = player.ending_limits(&budget, seed).or_raise()?;
            let request = SearchRequest { leads, report_every: every, ..SearchRequest::new(&player, limits) };
            let stop = Arc::new(AtomicBool::new(false));
            let control = Control::stopped_by(&stop);
            let found = interruptible(py, &stop, hear.as_ref(), |tell| {
                session.search(&request, &control, &mut |event| {
                    if let Event::Progress(analysis) = event {
                        // The listener may be gone.
                        let _ = tell.send(analysis.json(usize::MAX).to_string());
                    }
                })
            })?;
            Ok(found.or_raise()?.json(usize::MAX).to_string())
        })
    }

    /// The tree of this player's last search on this board as JSON; none if there is none.
    #[pyo3(signature = (player, moves = "", top = 10, depth = 1))]
    fn tree_json(&self, py: Python<'_>, player: &str, moves: &str, top: usize, depth: u32) -> PyResult<Option<String>> {
        self.with(|session| {
            let player = read::<Player>(player)?.in_game(&session.game()).or_raise()?;
            let query = TreeQuery { moves: moves.to_string(), top, depth };
            let name = player.to_string();
            let report = py.detach(move || session.explore(&player, &query)).or_raise()?;
            Ok(report.map(|report| report.json(&name).to_string()))
        })
    }

    /// The saved tree of this player's last search, as `yomi tree` reads it; none if there is none.
    fn tree_bytes(&self, py: Python<'_>, player: &str) -> PyResult<Option<Vec<u8>>> {
        self.with(|session| {
            let player = read::<Player>(player)?.in_game(&session.game()).or_raise()?;
            let bytes = py.detach(move || -> std::io::Result<Option<Vec<u8>>> {
                let mut bytes = Vec::new();
                Ok(session.save_tree(&player, &mut bytes)?.then_some(bytes))
            })?;
            Ok(bytes)
        })
    }

    /// The player as it thinks on this board: a level, or a name with all that follows from it.
    fn player(&self, player: &str) -> PyResult<String> {
        self.with(|session| Ok(read::<Player>(player)?.in_game(&session.game()).or_raise()?.to_string()))
    }
}
