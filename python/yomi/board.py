"""Boards of all games."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yomi import _native


class Board(_native.Board):
    """A game under way.

    ``Board("go9(komi=6.5)")`` is the start of a game, ``Board("shogi", position, "7g7f 3c3d")`` a position in the game's own text with
    moves behind it. A board is for one thread at a time; ``copy()`` makes another. ``close()`` frees the memory of its searches.
    """

    @property
    def position(self) -> str:
        """The position in the game's own text (SFEN in shogi)."""
        return str(self.report()["position"])

    @property
    def key(self) -> int:
        """A hash of everything that decides the future."""
        return int(self.report()["key"], 16)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or by ``end``."""
        return self.outcome is not None

    def report(self) -> dict[str, Any]:
        """The position as docs/json.md describes it."""
        report: dict[str, Any] = json.loads(self.position_json())
        return report

    def places(self) -> dict[str, Any]:
        """The board as places and pieces, as docs/json.md describes it: for programs that draw it themselves."""
        places: dict[str, Any] = json.loads(self.board_json())
        return places

    def copy(self) -> Board:
        """The same game on a board of its own."""
        return _of(type(self), self)

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> Board:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rules, self.start, " ".join(self.moves))

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<yomi.Board, closed>"
        return f"yomi.Board({self.rules!r}, {self.start!r}, {' '.join(self.moves)!r})"

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg(width=420)

    def picture(
        self,
        arrows: Mapping[str, float] | Iterable[tuple[str, float]] = (),
        heat: Mapping[str, float] | Iterable[tuple[str, float]] = (),
        **how: Any,
    ) -> Picture:
        """The board for a notebook, with arrows (weights from 0 to 1) and a heat map by moves."""
        return Picture(self.svg(arrows=_pairs(arrows), heat=_pairs(heat), **{"width": 420, **how}))

    def save(self, path: str | os.PathLike[str], black: str = "", white: str = "") -> None:
        """Writes the record of the game; the ending of the file decides the format."""
        path = Path(path)
        path.write_bytes(self.record(path.suffix.lstrip("."), black, white)[1])

    @classmethod
    def read(cls, path: str | os.PathLike[str], game: str | None = None) -> list[Board]:
        """The games of a record file, each at its end."""
        path = Path(path)
        return cls.read_bytes(path.read_bytes(), path.suffix.lstrip("."), game)

    @classmethod
    def read_bytes(cls, data: bytes, format: str, game: str | None = None) -> list[Board]:
        """The games of a record in this format (kif, ki2, csa, usi, sgf, blksgf), each at its end."""
        return [_of(cls, board) for board in cls.read_records(data, format, game)]

    def planes(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """What networks see of the position, as its side to move sees the board: planes, rows, columns.

        With ``out``, an array of float32 of this shape that lies contiguously in memory, nothing is allocated.
        """
        if out is None:
            out = np.empty(self.plane_shape, dtype=np.float32)
        self.write_planes(out)
        return out

    def label_mask(self) -> NDArray[np.bool_]:
        """Which outputs of the policy head stand for legal moves."""
        mask = np.zeros(self.label_count, dtype=bool)
        mask[self.labels()] = True
        return mask


class Picture:
    """An SVG that notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def _of(cls: type[Board], board: _native.Board) -> Board:
    return cls(board.rules, board.start, " ".join(board.moves))


def _pairs(marks: Mapping[str, float] | Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    pairs = marks.items() if isinstance(marks, Mapping) else marks
    return [(move, float(weight)) for move, weight in pairs]


def games() -> list[dict[str, Any]]:
    """The games: names, a summary, the rules that may be chosen."""
    found: list[dict[str, Any]] = json.loads(_native.games())
    return found


def methods() -> list[dict[str, str]]:
    """The searches: name, a few words, the paper."""
    found: list[dict[str, str]] = json.loads(_native.methods())
    return found
