"""Hosts that play games for a learner: the weights go to them, what the games have brought comes back."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yomi.farm.process import WORKER, Host, WorkerFault

#: The bytes of games, and what a worker counted of them.
Played = tuple[bytes, Any]


@dataclass(frozen=True)
class Part:
    """Some games, by number: the line for the worker, and the weights of the players or a reference to them."""

    first: int
    last: int
    line: str
    weights: Any


class PlayingHost(Host):
    """Plays for a learner with one worker. ``fetch`` turns a reference to weights into their bytes."""

    def __init__(
        self, command: Sequence[str] = WORKER, timeout: float = 3600.0, fetch: Callable[[Any], bytes] = bytes
    ) -> None:
        super().__init__(command, timeout)
        self.fetch = fetch
        self._weights: tuple[Any, bytes] | None = None

    def one(self, order: Part) -> Played:
        """The games of one part. The weights lie in a file while they are played: the worker keeps what it has read of it."""
        if self._weights is None or self._weights[0] != order.weights:
            self._weights = (order.weights, self.fetch(order.weights))
        with tempfile.TemporaryDirectory(prefix="yomi-players-") as folder:
            file = Path(folder) / "weights"
            file.write_bytes(self._weights[1])
            answer = json.loads(self.worker.do(json.dumps({**json.loads(order.line), "weights": os.fspath(file)})))
        try:
            return bytes.fromhex(answer["played"]), answer.get("tally")
        except (KeyError, TypeError, ValueError) as error:
            raise WorkerFault(f"the worker answered nonsense: no games: {error}") from error
