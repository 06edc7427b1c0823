"""Learning on a cluster: a learner, and many who play.

The learner owns the folder of the run (that of ``yomi train loop``). A generation is a fixed number of games; its numbers are divided into
parts, the network goes to the players through the object store, their samples come back. A game depends on its number, the seed, the
settings and the network alone, so the networks are those of a run on one machine, to the last bit.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from yomi.farm.dispatch import Answer, Dispatcher, Tally, Terms
from yomi.learning import TrainingRun, self_play
from yomi.ray.cluster import RayBackend, Resources, connect

#: What a player gets: the network (a reference), the numbers of the games, and how they are played.
Order = dict[str, Any]


class Player:
    """Plays parts of a generation."""

    def __init__(self, threads: int = 1, device: str = "auto") -> None:
        self.threads = threads
        self.device = device
        self._network: tuple[Any, bytes] | None = None

    def do(self, orders: Sequence[Order]) -> list[Answer]:
        """For each part its samples and its tally, as the bytes of the two files."""
        return [self._one(order) for order in orders]

    def _one(self, order: Order) -> Answer:
        begun = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="yomi-part-") as folder:
                out = Path(folder) / "part.samples"
                games = (order["first"], order["last"])
                self_play(
                    order["game"], self._weights(order["network"]), out, games=games, seed=order["seed"],
                    threads=self.threads, device=self.device, **order["settings"],
                )
                files = (out.read_bytes(), out.with_suffix(".tally").read_bytes())
        except ValueError as error:
            return "refused", str(error), time.monotonic() - begun
        return "row", files, time.monotonic() - begun

    def _weights(self, network: Any) -> bytes:
        if isinstance(network, bytes):
            return network
        if self._network is None or self._network[0] != network:
            import ray

            self._network = (network, ray.get(network))
        return self._network[1]

    def close(self) -> None:
        """Nothing to end."""


class Learner:
    """Owns the folder of the run."""

    def __init__(self, out: str, game: str, options: dict[str, Any]) -> None:
        self.run = TrainingRun(out, game, **options)

    def state(self) -> tuple[int, Order | None, list[tuple[int, int]]]:
        """The generation, what is to be played of it, and which parts are there."""
        order = self.run.next()
        there = []
        for part in sorted((self.run.path / "parts").glob("games-*.samples")):
            first, last = (int(number) for number in part.stem.split("-")[1:])
            if part.with_suffix(".tally").exists():
                there.append((first, last))
            else:
                part.unlink()
        return self.run.generation, order, there

    def network(self) -> bytes:
        """The network that plays."""
        return self.run.network()

    def keep(self, first: int, last: int, samples: bytes, tally: bytes) -> bool:
        """Keeps a part; false if it is there already. The tally is written last: a part that has one is whole."""
        part = self.run.part(first, last)
        if part.with_suffix(".tally").exists():
            return False
        part.write_bytes(samples)
        beside = part.with_suffix(".part")
        beside.write_bytes(tally)
        os.replace(beside, part.with_suffix(".tally"))
        return True

    def learn(self, parts: list[tuple[int, int]], generations: int, threads: int) -> dict[str, Any]:
        """Makes the generation of its parts and learns from it."""
        if parts:
            self.run.deliver([self.run.part(first, last) for first, last in parts])
        return self.run.learn(generations, threads)


def divided(first: int, last: int, games: int) -> list[tuple[int, int]]:
    """The numbers from ``first`` to ``last`` in parts of ``games`` games."""
    return [(start, min(start + games, last)) for start in range(first, last, games)]


def train(
    game: str,
    out: str | os.PathLike[str],
    *,
    generations: int,
    address: str | None = None,
    part: int = 8,
    hosts: int | None = None,
    player: Resources = Resources(),
    threads: int = 1,
    learner_threads: int = 1,
    device: str = "auto",
    timeout: float = 3600.0,
    progress: Callable[[dict[str, Any], Tally], None] | None = None,
    **options: Any,
) -> None:
    """Trains on the cluster at ``address`` until ``generations`` are there, or goes on with the folder.

    ``part`` is the number of games that are handed out together; ``options`` are those of :class:`yomi.TrainingRun`. The learner runs on
    this machine, where the folder is.
    """
    ray = connect(address)
    # The learner stays on this machine, where the folder is; it takes no slot from the players, who wait while it learns.
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    learner = ray.remote(Learner).options(num_cpus=0, scheduling_strategy=here).remote(
        os.path.abspath(os.fspath(out)), game, options
    )
    try:
        generation, order, there = ray.get(learner.state.remote())
        while generation < generations:
            parts: list[tuple[int, int]] = []
            tally = Tally()
            if order is not None:
                network = ray.put(ray.get(learner.network.remote()))
                parts = divided(order["first"], order["last"], part)
                common = {"network": network, "game": game, "seed": options.get("seed", 1), "settings": order["settings"]}
                missing = [{**common, "first": a, "last": b} for a, b in parts if (a, b) not in there]

                def keep(asked: Order, files: tuple[bytes, bytes]) -> bool:
                    return bool(ray.get(learner.keep.remote(asked["first"], asked["last"], *files)))

                terms = Terms(timeout=timeout, hosts=hosts or 1 << 20)
                backend = RayBackend(ray, Player, (threads, device), player)
                tally = Dispatcher(backend, keep, terms).run(missing)
            line = ray.get(learner.learn.remote(parts, generations, learner_threads))
            if progress is not None:
                progress(line, tally)
            generation, order, there = ray.get(learner.state.remote())
    finally:
        ray.kill(learner)
