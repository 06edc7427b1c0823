"""Learning: linear evaluations through the search tree, and networks from their own games."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from yomi import _native
from yomi.network import Network


def learn(
    method: str,
    game: str,
    out: str | os.PathLike[str],
    *,
    threads: int = 1,
    progress: Callable[[dict[str, Any]], None] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Learns as ``yomi learn METHOD`` does (pg-tree, pg-sampling, pg-leaf, td-leaf, tree-strap, ...), or goes on in the folder.

    Settings are those of its config.toml: ``learn("pg-tree", "minishogi", "runs/tree", games=500, evaluations=200)``; those of a section
    are written with two underscores, ``steps__rate=0.02``. What is learned does not depend on ``threads``. Ctrl-C loses nothing that was
    written at the last checkpoint.
    """
    hear = None
    if progress is not None:
        notify = progress

        def hear(row: str) -> None:
            notify(json.loads(row))

    end: dict[str, Any] = json.loads(_native.learn(os.fspath(out), _pairs(method, game, settings), threads, hear))
    return end


def _pairs(method: str, game: str, settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Settings as config.toml has them."""

    def text(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    return [("method", method), ("game", game)] + [(key.replace("__", "."), text(value)) for key, value in settings.items()]


class LearningRun:
    """A run of ``yomi learn``, step by step, whose games may be played elsewhere: :func:`yomi.farm.learn.farm` has them played.

    With a method and a game it begins a run or goes on with it, as :func:`learn` does; without, it goes on with the one in the folder.
    """

    def __init__(
        self, out: str | os.PathLike[str], method: str | None = None, game: str | None = None, **settings: Any
    ) -> None:
        if (method is None) != (game is None) or (method is None and settings):
            raise _native.Error("a run has a method and a game; without both the folder says what it is")
        pairs = None if method is None or game is None else _pairs(method, game, settings)
        self.native = _native.LearningRun(os.fspath(out), pairs)

    def wants(self) -> dict[str, Any] | None:
        """The games that are to be played: what for, and the first and last number; none if all are played."""
        wanted = self.native.wants()
        return None if wanted is None else dict(json.loads(wanted))

    def players(self) -> bytes:
        """The weights of those who play them."""
        return self.native.players()

    def orders(self, part: int, threads: int = 1) -> list[tuple[int, int, str]]:
        """The games that are missing, in parts of ``part`` games: first and last number, and the line for ``yomi worker``, whose member
        ``weights`` is to be the file with :meth:`players`."""
        return self.native.orders(part, threads)

    def take(self, first: int, last: int, played: bytes) -> bool:
        """Takes a part; false if it was taken before, an error if it cannot have been played."""
        return self.native.take(first, last, played)

    def step(self) -> dict[str, Any] | None:
        """Goes on when all games are there: the row of a step, or nothing if the games of a gate are wanted next."""
        row = self.native.step()
        return None if row is None else dict(json.loads(row))

    def checkpoint(self) -> None:
        """Writes a checkpoint and the weights now."""
        self.native.checkpoint()

    def state(self) -> dict[str, Any]:
        """Method, game, games played and in all, Elo, and the file of the weights."""
        state: dict[str, Any] = json.loads(self.native.state())
        return state


def self_play(
    game: str,
    network: Network | bytes,
    out: str | os.PathLike[str],
    *,
    games: int | tuple[int, int] = 100,
    seed: int = 1,
    threads: int = 1,
    device: str = "auto",
    **settings: Any,
) -> dict[str, Any]:
    """Plays games of a network against itself into a file of samples (docs/samples.md), and gives the tally.

    ``games=(20, 40)`` plays those with these numbers: a game depends on its number, the seed, the settings and the network alone, so
    games can be played anywhere. Games that are in the file are not played again.
    """
    first, last = (0, games) if isinstance(games, int) else games
    result: dict[str, Any] = json.loads(
        _native.self_play(
            os.fspath(out), game, bytes(network), first, last, settings=json.dumps(settings), seed=seed, threads=threads,
            device=device,
        )
    )
    return result


class TrainingRun:
    """A run of ``yomi train loop``, step by step, whose games may be played elsewhere.

    >>> run = TrainingRun("runs/mini", "minishogi", blocks=2, channels=16, games=50)  # doctest: +SKIP
    >>> while run.generation < 3:  # doctest: +SKIP
    ...     run.play()
    ...     run.learn(generations=3)
    """

    def __init__(
        self,
        out: str | os.PathLike[str],
        game: str,
        *,
        blocks: int = 3,
        channels: int = 32,
        games: int = 200,
        seed: int = 1,
        reuse: float = 4.0,
        window: int = 20,
        rate: float = 2e-3,
        batch: int = 256,
        **settings: Any,
    ) -> None:
        self.path = Path(out)
        self.game = game
        self.seed = seed
        self.native = _native.TrainingRun(
            os.fspath(out), game, blocks=blocks, channels=channels, games=games, settings=json.dumps(settings), seed=seed,
            reuse=reuse, window=window, rate=rate, batch=batch,
        )

    @property
    def generation(self) -> int:
        """How many generations were learned from."""
        return self.native.generation

    def next(self) -> dict[str, Any] | None:
        """What is to be played: generation, first and last game, settings; none if a generation waits to be learned from."""
        text = self.native.next()
        if text is None:
            return None
        order: dict[str, Any] = json.loads(text)
        return order

    def network(self) -> bytes:
        """The network that plays next."""
        return self.native.network()

    def part(self, first: int, last: int) -> Path:
        """Where the games with these numbers are kept until all of their generation are there."""
        folder = self.path / "parts"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"games-{first:08}-{last:08}.samples"

    def deliver(self, parts: Sequence[Path]) -> int:
        """Makes the generation of its parts and removes them; how many samples it has."""
        samples = self.native.deliver([os.fspath(part) for part in parts])
        for part in parts:
            part.unlink(missing_ok=True)
            part.with_suffix(".tally").unlink(missing_ok=True)
        return samples

    def play(self, threads: int = 1) -> None:
        """Plays the next generation here."""
        order = self.next()
        if order is None:
            return
        part = self.part(order["first"], order["last"])
        self_play(
            self.game, self.network(), part, games=(order["first"], order["last"]), seed=self.seed, threads=threads,
            **order["settings"],
        )
        self.deliver([part])

    def learn(self, generations: int, threads: int = 1) -> dict[str, Any]:
        """Learns from the generation that is there; its line of the log. ``generations`` are those of the whole run."""
        line: dict[str, Any] = json.loads(self.native.learn(generations, threads))
        return line
