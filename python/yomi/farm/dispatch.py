"""Hands out jobs to hosts that come, go and fail, and sees to it that every job is written down once.

Jobs are pure: every worker gives the same row, so a job that may have been lost is simply done again. Exactly once is the ledger's
word, not the host's: ``write`` takes the first row of a job and says no to a second one.

Work in flight is bounded: a host has one batch that it works on and one that waits, and a batch is about ``batch_seconds`` long, so that
the way to a host and back costs little and a host that is lost loses little. With hundreds of hosts batches are longer, for the one who hands
them out has to keep up.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

Payload = TypeVar("Payload")
#: What came of a job: ``row``, ``refused`` or ``fault``; the row or the reason; seconds.
Answer = tuple[str, Any, float]


class HostLost(Exception):
    """A host is gone, and with it everything that it was doing."""


class Backend(Protocol):
    """Where hosts live. Hosts and references are whatever the backend likes."""

    def capacity(self) -> int:
        """How many hosts there is room for now."""

    def start(self) -> Any:
        """A new host."""

    def submit(self, host: Any, payloads: Sequence[Any]) -> Any:
        """Gives a host a batch; a reference to its answers."""

    def wait(self, references: Sequence[Any], timeout: float) -> Iterable[Any]:
        """The references that are ready, after this time at most."""

    def get(self, reference: Any) -> list[Answer]:
        """The answers; :class:`HostLost` if they are gone."""

    def kill(self, host: Any) -> None:
        """Ends a host, whatever it is doing."""


class Failed(Exception):
    """A job that could not be done; what was done is written down."""


@dataclass
class Job(Generic[Payload]):
    """A job and how often it went wrong."""

    payload: Payload
    tries: int = 0
    losses: int = 0


@dataclass
class Batch(Generic[Payload]):
    """Jobs that were given to a host together."""

    reference: Any
    jobs: list[Job[Payload]]
    since: float


@dataclass
class Member(Generic[Payload]):
    """A host and what it has. It gets work once it has answered a first, empty batch: a host that still waits for room keeps no
    job from being done."""

    host: Any
    greeting: Any
    ready: bool = False
    batches: list[Batch[Payload]] = field(default_factory=list)


@dataclass
class Tally:
    """What happened."""

    done: int = 0
    twice: int = 0
    faults: int = 0
    lost_hosts: int = 0
    batches: int = 0
    seconds: float = 0.0
    #: Hosts that are ready for work now.
    hosts: int = 0
    reasons: list[str] = field(default_factory=list)


@dataclass
class Terms:
    """How work is handed out."""

    batch_seconds: float = 1.0
    #: The time between two batches that the driver should have: with many hosts batches are longer, so that it keeps up.
    driver_seconds: float = 0.005
    largest_batch: int = 256
    in_flight: int = 2
    #: How often a job is tried that is refused or meets faults of workers.
    tries: int = 3
    #: How many hosts a job may lose before it is blamed for it.
    losses: int = 5
    #: Seconds after which a host that answers nothing about a job is taken for lost; 0 for never.
    timeout: float = 3600.0
    #: What a host may need beside that: starting its worker, the way to it and back.
    grace: float = 120.0
    #: The most hosts at a time.
    hosts: int = 1 << 20
    #: Whether hosts stay for the next call of :meth:`Dispatcher.run`; :meth:`Dispatcher.close` ends them.
    keep: bool = False


class Dispatcher(Generic[Payload]):
    """Does all jobs on the hosts of a backend."""

    def __init__(
        self,
        backend: Backend,
        write: Callable[[Payload, Any], bool],
        terms: Terms | None = None,
        progress: Callable[[Tally], None] | None = None,
    ) -> None:
        self.backend = backend
        self.write = write
        self.terms = terms or Terms()
        self.progress = progress
        self.tally = Tally()
        self._waiting: deque[Job[Payload]] = deque()
        self._hosts: dict[int, Member[Payload]] = {}
        self._number = 0
        self._mean: float | None = None
        self._failure: str | None = None
        self._looked = -math.inf
        self._room = 0
        self._stillborn = 0

    def run(self, payloads: Iterable[Payload]) -> Tally:
        """Does the jobs; raises :class:`Failed` if one could not be done, after those under way have been written down."""
        self._waiting.extend(Job(payload) for payload in payloads)
        try:
            while self._waiting or self._in_flight():
                if self._failure is not None:
                    self._waiting.clear()
                self._engage()
                self._hand_out()
                self._collect()
        except BaseException:
            self.close()
            raise
        if self._failure is not None or not self.terms.keep:
            self.close()
        if self._failure is not None:
            raise Failed(self._failure)
        return self.tally

    def close(self) -> None:
        """Ends all hosts."""
        for member in self._hosts.values():
            self.backend.kill(member.host)
        self._hosts.clear()

    def _in_flight(self) -> int:
        return sum(len(member.batches) for member in self._hosts.values())

    def _engage(self) -> None:
        """As many hosts as there is room and work for."""
        now = time.monotonic()
        if now - self._looked > 1.0:
            self._looked, self._room = now, self.backend.capacity()
        room = max(1, min(self._room, self.terms.hosts))
        busy = sum(bool(member.batches) for member in self._hosts.values())
        while len(self._hosts) < min(room, busy + len(self._waiting)):
            host = self.backend.start()
            self._hosts[self._number] = Member(host, self.backend.submit(host, []))
            self._number += 1
        for number in list(self._hosts):
            member = self._hosts[number]
            too_many = len(self._hosts) > room and not member.ready
            if too_many or not (self.terms.keep or self._waiting or member.batches):
                self.backend.kill(self._hosts.pop(number).host)

    def batch_size(self) -> int:
        """Enough jobs that a batch is long enough, and few enough that all hosts have work to the end."""
        if self._mean is None:
            return 1
        seconds = max(self.terms.batch_seconds, self.terms.driver_seconds * len(self._hosts))
        long_enough = math.ceil(seconds / max(self._mean, 1e-6))
        ready = sum(member.ready for member in self._hosts.values())
        fair = math.ceil(len(self._waiting) / (2 * max(1, ready)))
        return max(1, min(long_enough, fair, self.terms.largest_batch))

    def _hand_out(self) -> None:
        # Breadth first: no host has a second batch before every host has a first.
        for depth in range(self.terms.in_flight):
            for number in list(self._hosts):
                member = self._hosts[number]
                if not member.ready or len(member.batches) != depth or not self._waiting:
                    continue
                jobs = [self._waiting.popleft() for _ in range(min(self.batch_size(), len(self._waiting)))]
                try:
                    reference = self.backend.submit(member.host, [job.payload for job in jobs])
                except HostLost as lost:
                    self._waiting.extendleft(reversed(jobs))
                    self._lose(number, str(lost))
                    continue
                member.batches.append(Batch(reference, jobs, time.monotonic()))
                self.tally.batches += 1

    def _collect(self) -> None:
        owners = {id(batch.reference): number for number, member in self._hosts.items() for batch in member.batches}
        references = [batch.reference for member in self._hosts.values() for batch in member.batches]
        for number, member in self._hosts.items():
            if not member.ready:
                owners[id(member.greeting)] = number
                references.append(member.greeting)
        if not references:
            return
        for reference in self.backend.wait(references, 1.0):
            number = owners[id(reference)]
            if number not in self._hosts:
                continue
            member = self._hosts[number]
            batch = next((batch for batch in member.batches if batch.reference is reference), None)
            try:
                answers = self.backend.get(reference)
            except HostLost as lost:
                self._lose(number, str(lost))
                continue
            if batch is None:
                member.ready, self._stillborn = True, 0
                continue
            member.batches.remove(batch)
            if member.batches:
                # The next one begins now.
                member.batches[0].since = time.monotonic()
            self._take(batch, answers)
        self._look_at_clocks()
        self.tally.hosts = sum(member.ready for member in self._hosts.values())
        if self.progress is not None:
            self.progress(self.tally)

    def _take(self, batch: Batch[Payload], answers: list[Answer]) -> None:
        if len(answers) != len(batch.jobs):
            answers = [("fault", f"{len(answers)} answers to {len(batch.jobs)} jobs", 0.0)] * len(batch.jobs)
        again = []
        for job, (kind, said, seconds) in zip(batch.jobs, answers):
            if kind == "row":
                try:
                    is_new = self.write(job.payload, said)
                except ValueError as error:
                    kind, said = "fault", f"the worker answered nonsense: {error}"
                else:
                    self.tally.done += is_new
                    self.tally.twice += not is_new
                    self.tally.seconds += seconds
                    self._mean = seconds if self._mean is None else 0.9 * self._mean + 0.1 * seconds
                    continue
            self.tally.faults += 1
            self.tally.reasons.append(str(said))
            job.tries += 1
            if job.tries >= self.terms.tries:
                self._failure = self._failure or f"given up after {job.tries} tries: {said}"
            else:
                again.append(job)
        self._waiting.extendleft(reversed(again))

    def _lose(self, number: int, why: str) -> None:
        """A host is gone: its jobs are done again, by others."""
        member = self._hosts.pop(number)
        self.backend.kill(member.host)
        batches = member.batches
        if not member.ready:
            self._stillborn += 1
            if self._stillborn >= self.terms.losses:
                self._failure = self._failure or f"{self._stillborn} hosts in a row could not be started: {why}"
        self.tally.lost_hosts += 1
        self.tally.reasons.append(why)
        jobs = [job for batch in batches for job in batch.jobs]
        for job in batches[0].jobs if batches else []:
            job.losses += 1
            if job.losses >= self.terms.losses:
                self._failure = self._failure or f"given up after {job.losses} lost hosts: {why}"
        self._waiting.extendleft(reversed(jobs))

    def _look_at_clocks(self) -> None:
        if self.terms.timeout <= 0:
            return
        now = time.monotonic()
        for number in list(self._hosts):
            batches = self._hosts[number].batches
            if batches and now - batches[0].since > self.terms.timeout * len(batches[0].jobs) + self.terms.grace:
                self._lose(number, "a host answered nothing in time")
