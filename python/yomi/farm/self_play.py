"""Self-play of networks elsewhere: into a file of samples, or for a network that learns from its own games.

A game depends on its number, the seed, the settings and the network alone. So numbers are divided into parts, the network goes to those who
play, their samples come back, and the networks that are learned are those of a run on one machine, to the last bit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from yomi import _native
from yomi.farm.dispatch import Backend, Dispatcher, Tally, Terms
from yomi.farm.players import Part, Played
from yomi.learning import TrainingRun

#: First and last game of a part, and the line for the worker.
Order = tuple[int, int, str]


def divided(first: int, last: int, games: int) -> list[tuple[int, int]]:
    """The numbers from ``first`` to ``last`` in parts of ``games`` games."""
    return [(start, min(start + games, last)) for start in range(first, last, games)]


class Parts:
    """Games that came back, in a folder, until all are there."""

    def __init__(self, folder: Path, game: str) -> None:
        self.folder = folder
        self.game = game

    def path(self, first: int, last: int) -> Path:
        """The file of a part."""
        return self.folder / f"games-{first:08}-{last:08}.samples"

    def is_there(self, first: int, last: int) -> bool:
        """The tally is written last: a part that has one is whole."""
        return self.path(first, last).with_suffix(".tally").exists()

    def keep(self, first: int, last: int, samples: bytes, tally: Any) -> bool:
        """Keeps a part; false if it is there already, an error if these cannot be its games."""
        if self.is_there(first, last):
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        part, beside = self.path(first, last), self.folder / f"new-{first}-{last}.samples"
        beside.write_bytes(samples)
        beside.with_suffix(".tally").write_text(json.dumps(tally) + "\n")
        try:
            _native.check_part(beside, self.game, first, last)
            os.replace(beside, part)
            os.replace(beside.with_suffix(".tally"), part.with_suffix(".tally"))
        finally:
            beside.unlink(missing_ok=True)
            beside.with_suffix(".tally").unlink(missing_ok=True)
        return True


class Keeper(Protocol):
    """Who takes games."""

    def keep(self, first: int, last: int, samples: bytes, tally: Any) -> bool:
        """Keeps a part; false if it is there already."""


def _dispatcher(
    keeper: Keeper, backend: Backend, terms: Terms | None, progress: Callable[[Tally], None] | None = None
) -> Dispatcher[Part]:
    def write(asked: Part, played: Played) -> bool:
        return keeper.keep(asked.first, asked.last, *played)

    # Hosts stay from generation to generation, and so do their workers.
    return Dispatcher(backend, write, replace(terms or Terms(), keep=True), progress)


class Trainer:
    """Keeps the folder of a training run, here or in an actor."""

    def __init__(self, out: str, game: str, options: dict[str, Any]) -> None:
        self.run = TrainingRun(out, game, **options)
        self.parts = Parts(self.run.path / "parts", game)
        self.wanted: list[tuple[int, int]] = []

    def missing(self, part: int, threads: int, device: str) -> tuple[int, list[Order]]:
        """The generation, and what is to be played of it."""
        order = self.run.next()
        self.wanted = [] if order is None else divided(order["first"], order["last"], part)
        missing = [one for one in self.wanted if not self.parts.is_there(*one)]
        lines: Sequence[str] = []
        if order is not None and missing:
            lines = _native.self_play_orders(
                self.run.game, self.run.network(), missing, settings=json.dumps(order["settings"]), seed=self.run.seed,
                threads=threads, device=device,
            )
        return self.run.generation, [(first, last, line) for (first, last), line in zip(missing, lines)]

    def network(self) -> bytes:
        """The network that plays."""
        return self.run.network()

    def keep(self, first: int, last: int, samples: bytes, tally: Any) -> bool:
        """Keeps a part."""
        return self.parts.keep(first, last, samples, tally)

    def learn(self, generations: int, threads: int) -> dict[str, Any]:
        """Makes the generation of its parts and learns from it."""
        if self.wanted:
            self.run.deliver([self.parts.path(*one) for one in self.wanted])
        return self.run.learn(generations, threads)


def train(
    trainer: Trainer,
    backend: Backend,
    *,
    generations: int,
    part: int = 8,
    threads: int = 1,
    learner_threads: int = 1,
    device: str = "auto",
    terms: Terms | None = None,
    put: Callable[[bytes], Any] = bytes,
    progress: Callable[[dict[str, Any], Tally], None] | None = None,
) -> None:
    """Trains until there are ``generations`` of them. ``put`` makes a reference of a network that hosts can fetch."""
    dispatcher = _dispatcher(trainer, backend, terms)
    try:
        while True:
            generation, orders = trainer.missing(part, threads, device)
            if generation >= generations:
                return
            if orders:
                network = put(trainer.network())
                dispatcher.run([Part(first, last, line, network) for first, last, line in orders])
            line = trainer.learn(generations, learner_threads)
            if progress is not None:
                progress(line, dispatcher.tally)
    finally:
        dispatcher.close()


def self_play(
    game: str,
    network: bytes,
    out: str | os.PathLike[str],
    backend: Backend,
    *,
    games: int = 100,
    part: int = 8,
    seed: int = 1,
    threads: int = 1,
    device: str = "auto",
    terms: Terms | None = None,
    put: Callable[[bytes], Any] = bytes,
    progress: Callable[[Tally, int], None] | None = None,
    **settings: Any,
) -> tuple[dict[str, Any], Tally]:
    """Plays games of a network against itself into a file of samples until it has ``games`` of them, in the order of their numbers; the tally of the
    file, and what happened. Parts that came back lie in a folder beside the file until all are there, and are not played again."""
    out = Path(out)
    tally_file = out.with_suffix(".tally")
    if out.exists() and not tally_file.exists():
        raise _native.Error(f"{out}: there is no tally beside it, so it is not known which games it has; choose another file")
    there = int(json.loads(tally_file.read_text())["games"]) if out.exists() else 0
    folder = out.with_suffix(".parts")
    parts = Parts(folder, game)
    wanted = divided(there, games, part)
    missing = [one for one in wanted if not parts.is_there(*one)]
    lines = _native.self_play_orders(
        game, network, missing, settings=json.dumps(settings), seed=seed, threads=threads, device=device
    )
    dispatcher = _dispatcher(parts, backend, terms, lambda tally: progress(tally, len(missing)) if progress else None)
    try:
        if missing:
            reference = put(network)
            dispatcher.run([Part(first, last, line, reference) for (first, last), line in zip(missing, lines)])
    finally:
        dispatcher.close()
    if wanted:
        _native.gather(out, game, there, games, [parts.path(*one) for one in wanted])
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    state: dict[str, Any] = json.loads(tally_file.read_text())
    return state, dispatcher.tally
