//! Errors: what the program would print, as a Python exception.

use std::str::FromStr;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use yomi_core::TextError;
use yomi_lab::error::LabError;

pyo3::create_exception!(
    yomi,
    Error,
    PyValueError,
    "What the program would say: the message with its place, and line, column and hint as attributes."
);

/// The exception for an error of the project.
pub(crate) fn raise(error: &TextError) -> PyErr {
    let exception = Error::new_err(error.to_string());
    Python::attach(|py| {
        let value = exception.value(py);
        let set = || -> PyResult<()> {
            value.setattr("message", &error.message)?;
            value.setattr("line", error.line)?;
            value.setattr("column", error.column)?;
            value.setattr("hint", &error.hint)
        };
        match set() {
            Ok(()) => exception.clone_ref(py),
            Err(error) => error,
        }
    })
}

/// The exception for a fault that has no place.
pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    raise(&TextError::new(message))
}

/// What a text means.
pub(crate) fn read<T: FromStr<Err = TextError>>(text: &str) -> PyResult<T> {
    text.parse().map_err(|error| raise(&error))
}

/// Turns errors of the project into exceptions.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, TextError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| raise(&error))
    }
}

impl<T> OrRaise<T> for Result<T, LabError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| match error {
            LabError::Text(error) => raise(&error),
            other => raise(&TextError::new(other.to_string())),
        })
    }
}
