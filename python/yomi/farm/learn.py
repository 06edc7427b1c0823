"""Learning whose games are played elsewhere: the learners of ``yomi learn``, with workers who play for them.

The run asks for the games of its next step. Their numbers are divided into parts, the weights go to the workers, what the games have brought
comes back as bytes. A game depends on the configuration, the weights and its number alone, so the weights that are learned are those of a
run on one machine, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from yomi.farm.dispatch import Backend, Dispatcher, Tally, Terms
from yomi.farm.players import Part, Played


class Learner(Protocol):
    """What keeps a run: a :class:`yomi.LearningRun`, here or in an actor."""

    def orders(self, part: int, threads: int = 1) -> list[tuple[int, int, str]]:
        """The games that are missing, in parts; none if all are played."""

    def players(self) -> bytes:
        """The weights of those who play."""

    def take(self, first: int, last: int, played: bytes) -> bool:
        """Takes games; false if they were taken before."""

    def step(self) -> dict[str, Any] | None:
        """The row of a step, if one is complete."""

    def checkpoint(self) -> None:
        """Writes everything down."""

    def state(self) -> dict[str, Any]:
        """How far the run has come."""


def learn(
    learner: Learner,
    backend: Backend,
    *,
    part: int = 1,
    threads: int = 1,
    terms: Terms | None = None,
    put: Callable[[bytes], Any] = bytes,
    progress: Callable[[dict[str, Any], Tally], None] | None = None,
) -> tuple[dict[str, Any], Tally]:
    """Learns until all games are played; how far the run has come, and what happened. ``put`` makes a reference of weights that hosts can
    fetch. A run that is broken off keeps all of its steps."""

    def write(asked: Part, played: Played) -> bool:
        return learner.take(asked.first, asked.last, played[0])

    # Hosts stay from step to step: a worker that starts has its signature to find out.
    dispatcher: Dispatcher[Part] = Dispatcher(backend, write, replace(terms or Terms(), keep=True))
    try:
        while orders := learner.orders(part, threads):
            weights = put(learner.players())
            dispatcher.run([Part(first, last, line, weights) for first, last, line in orders])
            row = learner.step()
            if row is not None and progress is not None:
                progress(row, dispatcher.tally)
    finally:
        dispatcher.close()
        learner.checkpoint()
    return learner.state(), dispatcher.tally
