"""Searches and what they say."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yomi.board import Board, Picture
from yomi.columns import Columns, columns

#: The columns of :attr:`Analysis.moves`, as docs/json.md describes them.
MOVE_COLUMNS = [
    "move", "visits", "value", "chance", "prior", "selection", "realization", "backup", "depth", "lead", "proof", "pv",
]
#: The columns of :meth:`Tree.columns`.
TREE_COLUMNS = ["node", "parent", "ply", "move", "visits", "value", "prior", "proof", "children"]


class Analysis:
    """What a search believes of a position. ``json`` has every field of docs/json.md."""

    def __init__(self, report: dict[str, Any], board: Board | None = None, player: str = "") -> None:
        self.json = report
        self.player = player
        self._board = board

    def __getitem__(self, field: str) -> Any:
        return self.json[field]

    @property
    def best(self) -> str | None:
        """The move to play; none if the game is over."""
        best: str | None = self.json["best"]
        return best

    @property
    def value(self) -> float:
        """The value for the side to move, in the unit of the evaluation."""
        value = self.json["value"]
        return float("nan") if value is None else float(value)

    @property
    def chance(self) -> float:
        """The chance of winning that the value stands for, 0 to 1."""
        return float(self.json["chance"])

    @property
    def proof(self) -> str | None:
        """What is proven: ``won in 3``, ``drawn``, ``lost in 4``."""
        proof: str | None = self.json["proof"]
        return proof

    @property
    def pv(self) -> list[str]:
        """The principal variation."""
        return str(self.json["pv"]).split()

    @property
    def simulations(self) -> int:
        """Samples of a tree search."""
        return int(self.json["simulations"])

    @property
    def moves(self) -> Columns:
        """The root moves, best first, as columns: ``pandas.DataFrame(result.moves)``, ``pyarrow.table(result.moves)``."""
        return columns(self.json["moves"], MOVE_COLUMNS)

    @property
    def depths(self) -> NDArray[np.int64]:
        """Nodes of the tree at each depth, the root first."""
        return np.array(self.json["nodes_per_depth"], dtype=np.int64)

    def tree(self, moves: str = "", top: int = 10, depth: int = 2) -> Tree:
        """The tree of this search, or the part of it behind some moves, as long as its board has searched nothing else."""
        if self._board is None:
            raise ValueError("this analysis has no board")
        found = self._board.tree_json(self.player, moves, top, depth)
        if found is None:
            raise ValueError("this search keeps no tree")
        return Tree(json.loads(found))

    def save_tree(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole tree as a file that ``yomi tree`` reads."""
        found = None if self._board is None else self._board.tree_bytes(self.player)
        if found is None:
            raise ValueError("this search keeps no tree")
        Path(path).write_bytes(found)

    def picture(self, arrows: int = 5, **how: Any) -> Picture:
        """The board with the most visited moves as arrows."""
        if self._board is None:
            raise ValueError("this analysis has no board")
        rows = self.json["moves"][:arrows]
        most = max((row["visits"] for row in rows), default=0) or 1
        return self._board.picture(arrows=[(row["move"], row["visits"] / most) for row in rows], **how)

    def __repr__(self) -> str:
        simulations = f"{self.simulations} simulations"
        return f"<yomi.Analysis: {self.best}, chance {self.chance:.3f}, {simulations}, {self.json['ended'] or 'running'}>"


class Tree:
    """A node of a search tree and the most sampled nodes below it."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.json = report

    @property
    def nodes(self) -> int:
        """Nodes of the whole tree."""
        return int(self.json["nodes"])

    def columns(self) -> Columns:
        """The nodes as columns, parents first; node 0 is the one that was asked for, and its parent is -1."""
        rows: list[dict[str, Any]] = [
            {"node": 0, "parent": -1, "ply": 0, "move": "", "visits": self.json["visits"], "value": None, "prior": 1.0,
             "proof": None, "children": self.json["children"]}
        ]
        waiting = [(0, 1, below) for below in self.json["below"]]
        while waiting:
            parent, ply, row = waiting.pop(0)
            rows.append({**row, "node": len(rows), "parent": parent, "ply": ply})
            waiting.extend((len(rows) - 1, ply + 1, below) for below in row["below"])
        return columns(rows, TREE_COLUMNS)


def search(
    board: Board,
    player: str = "mcss",
    *,
    sims: int | None = None,
    evals: int | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    time: float | None = None,
    seed: int = 1,
    leads: bool = False,
    progress: Callable[[Analysis], None] | None = None,
    every: float = 0.5,
) -> Analysis:
    """Searches the position of a board: ``search(board, "mcss(t=80)", sims=10_000)``.

    The budget may stand in the player's text as well. The interpreter is released while the search runs; Ctrl-C stops it. ``progress``
    hears what the search believes so far, about every ``every`` seconds. The next search of the same player on the board goes on where
    this one was.
    """
    hear = None
    if progress is not None:
        notify = progress

        def hear(report: str) -> None:
            notify(Analysis(json.loads(report)))

    found = board.search_json(
        player,
        sims=sims,
        evals=evals,
        nodes=nodes,
        depth=depth,
        time=time,
        seed=seed,
        leads=leads,
        every=every if hear is not None else None,
        hear=hear,
    )
    return Analysis(json.loads(found), board, player)
