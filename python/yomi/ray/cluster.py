"""Hosts as actors of a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yomi.farm.dispatch import Answer, HostLost


def connect(address: str | None = None) -> Any:
    """The module ``ray``, connected: to the cluster at ``address``, or to one of this machine alone if there is none."""
    try:
        import ray
    except ImportError as error:
        raise SystemExit('yomi-ray needs Ray: pip install "yomi[ray]"') from error
    if not ray.is_initialized():
        options: dict[str, Any] = {"include_dashboard": False} if address is None else {}
        ray.init(address=address or "local", log_to_driver=False, configure_logging=False, **options)
    return ray


@dataclass(frozen=True)
class Resources:
    """What a host takes of its machine."""

    cpus: float = 1.0
    gpus: float = 0.0


class RayBackend:
    """Actors of a class with a method ``do``."""

    def __init__(self, ray: Any, host: type, arguments: Sequence[Any] = (), resources: Resources = Resources()) -> None:
        self.ray = ray
        self.resources = resources
        self.arguments = tuple(arguments)
        # An actor that dies is replaced by the dispatcher, which knows what it was doing.
        self.actor = ray.remote(host).options(
            num_cpus=resources.cpus, num_gpus=resources.gpus, max_restarts=0, max_task_retries=0,
            scheduling_strategy="SPREAD",
        )

    def capacity(self) -> int:
        """How many hosts the cluster has room for; those of other users count as room, Ray lets them queue."""
        there = self.ray.cluster_resources()
        room = there.get("CPU", 0.0) // self.resources.cpus if self.resources.cpus > 0 else float("inf")
        if self.resources.gpus > 0:
            room = min(room, there.get("GPU", 0.0) // self.resources.gpus)
        return int(min(room, 1 << 20))

    def start(self) -> Any:
        """A new actor; it may have to wait for room."""
        return self.actor.remote(*self.arguments)

    def submit(self, host: Any, payloads: Sequence[Any]) -> Any:
        """Actors do their batches one after the other."""
        return host.do.remote(list(payloads))

    def wait(self, references: Sequence[Any], timeout: float) -> list[Any]:
        """Those that are ready."""
        found, rest = self.ray.wait(list(references), num_returns=1, timeout=timeout)
        if found and rest:
            found = found + self.ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        # The very objects that were given: the dispatcher knows them by identity.
        ready = set(found)
        return [reference for reference in references if reference in ready]

    def get(self, reference: Any) -> list[Answer]:
        """The answers; whatever Ray raises means that the actor or its machine is gone."""
        try:
            answers: list[Answer] = self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            raise HostLost(str(error).splitlines()[0] if str(error) else type(error).__name__) from error
        return answers

    def kill(self, host: Any) -> None:
        """Ends an actor, whatever it is doing."""
        try:
            self.ray.kill(host)
        except (self.ray.exceptions.RayError, ValueError):
            pass
