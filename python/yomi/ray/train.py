"""Learning on a cluster: a learner, and many who play.

The learner is an actor on the machine of the driver, where the folder is. Weights go to the players through the object store. What is
learned is what a run on one machine learns, to the last bit: see :mod:`yomi.farm.learn` and :mod:`yomi.farm.self_play`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from yomi.farm import learn as lessons
from yomi.farm import self_play as networks
from yomi.farm.dispatch import Backend, Tally, Terms
from yomi.farm.local import LocalBackend
from yomi.farm.players import PlayingHost
from yomi.farm.process import WORKER
from yomi.learning import LearningRun
from yomi.ray.cluster import RayBackend, Resources, connect


def fetch(reference: Any) -> bytes:
    """Weights from the object store."""
    import ray

    weights: bytes = ray.get(reference)
    return weights


class Keeper:
    """An actor that has one object. It is made by a call, so that what is wrong with it is the error of a call and not the end of an actor."""

    def __init__(self) -> None:
        self.kept: Any = None

    def make(self, kind: Callable[..., Any], arguments: tuple[Any, ...], settings: dict[str, Any]) -> None:
        """Makes the object."""
        self.kept = kind(*arguments, **settings)

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Calls one of its methods."""
        return getattr(self.kept, name)(*arguments)


class Elsewhere:
    """The object of a :class:`Keeper`, as if it were here; and so are its errors."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self.wait(self._actor.call.remote(name, arguments))

    def wait(self, reference: Any) -> Any:
        """What comes of a call."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None


@dataclass
class Place:
    """Where games are played, and where the learner is."""

    backend: Backend
    put: Callable[[bytes], Any]
    #: Makes what keeps the run.
    keep: Callable[..., Any]


def _here(kind: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    return kind(*arguments, **settings)


@contextmanager
def place(
    address: str | None, local: bool, *, hosts: int | None, resources: Resources, timeout: float, worker: str | None = None
) -> Iterator[Place]:
    """The cluster at ``address``; or worker processes of this machine, without Ray."""
    command = shlex.split(worker) if worker else list(WORKER)
    if local:
        count = hosts or max(1, (os.cpu_count() or 1) // max(1, int(resources.cpus)))
        yield Place(LocalBackend(count, lambda: PlayingHost(command, timeout)), bytes, _here)
        return
    ray = connect(address)
    actors: list[Any] = []

    def keep(kind: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
        # The learner stays on this machine, where the folder is; it takes no slot from the players, who wait while it learns.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        actor = ray.remote(Keeper).options(num_cpus=0, scheduling_strategy=here).remote()
        actors.append(actor)
        kept = Elsewhere(ray, actor)
        kept.wait(actor.make.remote(kind, arguments, settings))
        return kept

    try:
        yield Place(RayBackend(ray, PlayingHost, (command, timeout, fetch), resources), ray.put, keep)
    finally:
        for actor in actors:
            ray.kill(actor)


def learn(
    method: str | None,
    game: str | None,
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    local: bool = False,
    part: int = 1,
    hosts: int | None = None,
    player: Resources = Resources(),
    threads: int = 1,
    timeout: float = 3600.0,
    worker: str | None = None,
    progress: Callable[[dict[str, Any], Tally], None] | None = None,
    **settings: Any,
) -> tuple[dict[str, Any], Tally]:
    """Learns as ``yomi learn`` does, or goes on with the folder; without method and game it has to be there.

    ``part`` is the number of games that are handed out together; ``settings`` are those of :class:`yomi.LearningRun`.
    """
    with place(address, local, hosts=hosts, resources=player, timeout=timeout, worker=worker) as where:
        run = where.keep(LearningRun, os.path.abspath(os.fspath(out)), method, game, **settings)
        terms = Terms(timeout=timeout, hosts=hosts or 1 << 20)
        return lessons.learn(run, where.backend, part=part, threads=threads, terms=terms, put=where.put, progress=progress)


def train(
    game: str,
    out: str | os.PathLike[str],
    *,
    generations: int,
    address: str | None = None,
    local: bool = False,
    part: int = 8,
    hosts: int | None = None,
    player: Resources = Resources(),
    threads: int = 1,
    learner_threads: int = 1,
    device: str = "auto",
    timeout: float = 3600.0,
    worker: str | None = None,
    progress: Callable[[dict[str, Any], Tally], None] | None = None,
    **options: Any,
) -> None:
    """Trains a network until there are ``generations`` of them, or goes on with the folder.

    ``part`` is the number of games that are handed out together; ``options`` are those of :class:`yomi.TrainingRun`.
    """
    with place(address, local, hosts=hosts, resources=player, timeout=timeout, worker=worker) as where:
        trainer = where.keep(networks.Trainer, os.path.abspath(os.fspath(out)), game, options)
        terms = Terms(timeout=timeout, hosts=hosts or 1 << 20)
        networks.train(
            trainer, where.backend, generations=generations, part=part, threads=threads, learner_threads=learner_threads,
            device=device, terms=terms, put=where.put, progress=progress,
        )


def self_play(
    game: str,
    network: bytes,
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    local: bool = False,
    hosts: int | None = None,
    player: Resources = Resources(),
    timeout: float = 3600.0,
    worker: str | None = None,
    **options: Any,
) -> tuple[dict[str, Any], Tally]:
    """Plays games of a network into a file of samples: :func:`yomi.farm.self_play.self_play` on a cluster."""
    with place(address, local, hosts=hosts, resources=player, timeout=timeout, worker=worker) as where:
        terms = Terms(timeout=timeout, hosts=hosts or 1 << 20)
        return networks.self_play(game, network, out, where.backend, terms=terms, put=where.put, **options)
