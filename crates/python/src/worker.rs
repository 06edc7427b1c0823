//! `yomi worker` inside Python: jobs come in as lines, rows go out as lines.

use std::cell::RefCell;
use std::io::{BufReader, stdin, stdout};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use yomi_lab::arena;
use yomi_lab::experiment::LocalWorkshop;
use yomi_lab::experiment::worker::{answer, is_order};
use yomi_lab::players::build::Programs;
use yomi_lab::worker::serve;

use crate::lists::version;

/// Answers the jobs on standard input until it ends. The interpreter is released meanwhile.
#[pyfunction]
#[pyo3(signature = (allow_programs = false))]
pub(crate) fn worker(py: Python<'_>, allow_programs: bool) -> PyResult<()> {
    let signature = crate::lists::signature(py)?;
    let programs = if allow_programs { Programs::Allowed } else { Programs::Refused };
    let served = py.detach(|| {
        let open = |game: &str| arena::open(&game.parse()?, programs);
        let workshop = LocalWorkshop { version: version(signature), programs };
        let lessons = RefCell::new(yomi_learn::run::worker::Worker::default());
        let networks = RefCell::new(yomi_train::worker::Worker::default());
        let other = |line: &[u8]| {
            let lesson = || lessons.borrow_mut().answer(line, signature);
            let self_play = || networks.borrow_mut().answer(line, signature);
            is_order(line).then(|| answer(line, &workshop)).or_else(lesson).or_else(self_play)
        };
        serve(&mut BufReader::new(stdin().lock()), &mut stdout().lock(), signature, &open, &other)
    });
    served.map_err(|error| PyOSError::new_err(error.to_string()))
}
