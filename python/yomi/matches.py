"""Matches between players."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from yomi import _native
from yomi.columns import Columns, columns

#: The columns of :attr:`Match.games`.
GAME_COLUMNS = ["job", "pairing", "round", "first", "second", "result", "reason", "plies", "moves", "opening", "seed"]


class Match:
    """A match that was played: its summary with Elo and intervals, and its games."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.summary: dict[str, Any] = result["summary"]
        self.rows: list[dict[str, Any]] = result["rows"]

    @property
    def games(self) -> Columns:
        """The games as columns, in the order of the schedule."""
        return columns(sorted(self.rows, key=lambda row: int(row["job"])), GAME_COLUMNS)

    @property
    def pairings(self) -> list[dict[str, Any]]:
        """Who played whom: counts, score, Elo with intervals."""
        pairings: list[dict[str, Any]] = self.summary["pairings"]
        return pairings

    def __repr__(self) -> str:
        return f"<yomi.Match: {self.summary['games']} games of {self.summary['game']}>"


def play_match(
    game: str,
    players: Sequence[str],
    *,
    games: int = 100,
    jobs: int = 1,
    seed: int = 1,
    openings: str = "start",
    pairs: bool = True,
    schedule: str | None = None,
    move_limit: int | None = None,
    out: str | os.PathLike[str] | None = None,
    name: str = "match",
    allow_programs: bool = False,
    progress: Callable[[dict[str, Any]], None] | None = None,
    sims: int | None = None,
    evals: int | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    time: float | None = None,
) -> Match:
    """Plays a match as ``yomi match`` does: the same games for the same seed, whatever the number of jobs.

    With ``out`` the games are kept in a run directory: the same call goes on with it, and ``yomi verify`` checks it.
    """

    def play(directory: str) -> Match:
        hear = None
        if progress is not None:
            notify = progress

            def hear(row: str) -> None:
                notify(json.loads(row))

        played = _native.play_match(
            directory, game, list(players), games=games, jobs=jobs, seed=seed, openings=openings, pairs=pairs,
            schedule=schedule, move_limit=move_limit, name=name, allow_programs=allow_programs, hear=hear, sims=sims,
            evals=evals, nodes=nodes, depth=depth, time=time,
        )
        return Match(json.loads(played))

    if out is not None:
        return play(os.fspath(out))
    with tempfile.TemporaryDirectory(prefix="yomi-match-") as directory:
        return play(directory)
