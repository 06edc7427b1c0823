"""Rows become columns: what pandas and pyarrow read without a copy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Columns of the same length, by name.
Columns = dict[str, NDArray[Any]]


def column(values: Sequence[Any]) -> NDArray[Any]:
    """An array of numbers where all values are numbers (``None`` is not-a-number), of truth values, or of objects."""
    if all(isinstance(value, bool) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64 if all(abs(value) < 1 << 63 for value in values) else object)
    if any(isinstance(value, (int, float)) for value in values) and all(
        value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values
    ):
        return np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def columns(rows: Iterable[Mapping[str, Any]], names: Sequence[str] | None = None) -> Columns:
    """Rows as columns; ``names`` decides which, and which there are if there are no rows."""
    rows = list(rows)
    if names is None:
        names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: column([row.get(name) for row in rows]) for name in names}
