"""Experiments: the tables and figures of the papers, and your own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from yomi import _native
from yomi.columns import Columns, columns


def experiments() -> list[dict[str, str]]:
    """The experiments that come with the program: name, title, paper, question."""
    found: list[dict[str, str]] = json.loads(_native.experiments())
    return found


class ExperimentRun:
    """A run of an experiment in its directory, the same as ``yomi experiment run`` makes.

    ``ExperimentRun("s0-table2", scale=0.02, out="runs/mine")`` begins it or goes on with it; without a name it goes on with the run in
    ``out``. ``run()`` does what is missing here; :mod:`yomi.ray` does it on many machines.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        scale: float | None = None,
        seed: int = 1,
        allow_programs: bool = False,
    ) -> None:
        path = None if out is None else os.fspath(out)
        self.native = _native.ExperimentRun(
            name, out=path, scale=scale, seed=seed, allow_programs=allow_programs, command=" ".join(sys.argv)
        )

    @property
    def path(self) -> Path:
        """The directory."""
        return Path(self.native.path)

    @property
    def missing(self) -> int:
        """How many jobs are missing."""
        return self.native.missing

    def __len__(self) -> int:
        return len(self.native)

    def run(self, jobs: int = 1, progress: Callable[[dict[str, Any]], None] | None = None) -> bool:
        """Does what is missing in this process, ``jobs`` at a time. True if nothing is left; Ctrl-C loses nothing."""
        hear = None
        if progress is not None:
            notify = progress

            def hear(line: str) -> None:
                notify(json.loads(line))

        return self.native.run(jobs, hear)

    @property
    def rows(self) -> Columns:
        """The ledger as columns: part, index and what was measured, its members by their names."""
        rows = [{"part": row["part"], "index": row["index"], **row["told"]} for row in json.loads(self.native.rows())]
        return columns(rows)

    def fingerprint(self) -> list[str]:
        """The ledger sorted and without times: the same for every run of the same experiment, wherever it was made."""
        return self.native.fingerprint()

    def report(self) -> dict[str, Any]:
        """Writes report.html and report.md and gives the summary."""
        summary: dict[str, Any] = json.loads(self.native.report())
        return summary
