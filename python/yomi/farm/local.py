"""Hosts in threads of this process, each with a worker process of its own: what a cluster does, without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from yomi.farm.dispatch import Answer, HostLost
from yomi.farm.process import Host


class LocalBackend:
    """A number of hosts on this machine."""

    def __init__(self, hosts: int, make: Callable[[], Any] = Host) -> None:
        self.hosts = hosts
        self.make = make

    def capacity(self) -> int:
        """As many as were asked for."""
        return self.hosts

    def start(self) -> tuple[Any, ThreadPoolExecutor]:
        """A host and its thread."""
        return self.make(), ThreadPoolExecutor(max_workers=1)

    def submit(self, host: tuple[Any, ThreadPoolExecutor], payloads: Sequence[Any]) -> Future[list[Answer]]:
        """The batch waits for its turn in the host's thread."""
        return host[1].submit(host[0].do, list(payloads))

    def wait(self, references: Sequence[Future[list[Answer]]], timeout: float) -> list[Future[list[Answer]]]:
        """Those that are ready."""
        return list(wait(references, timeout, FIRST_COMPLETED).done)

    def get(self, reference: Future[list[Answer]]) -> list[Answer]:
        """The answers."""
        try:
            return reference.result()
        except Exception as error:
            raise HostLost(str(error)) from error

    def kill(self, host: tuple[Any, ThreadPoolExecutor]) -> None:
        """Ends the worker, and the thread with it."""
        host[0].close()
        host[1].shutdown(wait=False, cancel_futures=True)
