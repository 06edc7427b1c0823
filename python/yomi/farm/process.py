"""A ``yomi worker`` as a process that may die, hang or answer nonsense."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from yomi.farm.dispatch import Answer

#: The worker of the installed package.
WORKER = (sys.executable, "-m", "yomi", "worker")

#: A longer answer is nonsense.
LONGEST = 1 << 26


class WorkerFault(Exception):
    """The worker did not do its work: it died, hung, or answered nonsense. Another one may do better."""


class JobRefused(Exception):
    """The worker said why it does not do this job."""


class WorkerProcess:
    """A worker that is started when it is needed and replaced after a fault."""

    def __init__(self, command: Sequence[str] = WORKER, timeout: float = 3600.0, start_timeout: float = 600.0) -> None:
        self.command = list(command)
        self.timeout = timeout
        self.start_timeout = start_timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def do(self, order: str) -> str:
        """The row of a job; :class:`WorkerFault` or :class:`JobRefused` if there is none."""
        try:
            return checked(order, self._ask(order))
        except WorkerFault:
            self.close()
            raise

    def close(self) -> None:
        """Ends the process."""
        process, self._process, self._buffer = self._process, None, b""
        if process is None:
            return
        # The end of its output wakes a thread that waits for an answer; closing the pipe here would not.
        process.kill()
        process.wait()
        if process.stdin is not None:
            try:
                process.stdin.close()
            except OSError:
                pass

    def start(self) -> None:
        """Starts the process, if there is none, and waits until it takes jobs."""
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        try:
            process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise WorkerFault(f"{self.command[0]}: {error}") from error
        self._process = process
        # A worker begins by finding out its signature, which is no part of a job: it is ready when it has refused what is no job.
        self._answer(process, "{}", self.start_timeout)

    def _ask(self, order: str) -> bytes:
        self.start()
        assert self._process is not None
        return self._answer(self._process, order, self.timeout)

    def _answer(self, process: subprocess.Popen[bytes], order: str, timeout: float) -> bytes:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(order.encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise WorkerFault(f"the worker took no job: {error}") from error
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise WorkerFault(f"the worker gave no answer within {timeout:g} seconds")
                got = os.read(process.stdout.fileno(), 1 << 16)
                if not got:
                    code = process.wait()
                    raise WorkerFault(f"the worker died ({f'signal {-code}' if code < 0 else f'exit code {code}'})")
                self._buffer += got
                if len(self._buffer) > LONGEST:
                    raise WorkerFault("the worker answered nonsense: a line without an end")
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line


def checked(order: str, answer: bytes) -> str:
    """The answer, if it can be the row of this job."""

    def nonsense(what: str) -> WorkerFault:
        return WorkerFault(f"the worker answered nonsense: {what}: {answer[:80]!r}")

    try:
        text = answer.decode()
        row: Any = json.loads(text)
    except ValueError as error:
        raise nonsense("no JSON") from error
    if not isinstance(row, dict):
        raise nonsense("no object")
    if "error" in row:
        raise JobRefused(str(row["error"]))
    job = json.loads(order)
    # Of games for a learner the hash says it all.
    for field in ("part", "index", "seed", "hash") if "part" in job else ("hash",):
        if row.get(field) != job[field]:
            raise nonsense(f"{field} is {row.get(field)!r}, not {job[field]!r}")
    return text


class Host:
    """Does batches of jobs with one worker: what an actor of a cluster is."""

    def __init__(self, command: Sequence[str] = WORKER, timeout: float = 3600.0) -> None:
        self.worker = WorkerProcess(command, timeout)
        self.ended = False

    def do(self, orders: Sequence[Any]) -> list[Answer]:
        """For each job what came of it: ``row``, ``refused`` or ``fault``, the row or the reason, and the seconds it took. No jobs at all
        are the question whether the host is there: its worker is started."""
        if not orders:
            self.worker.start()
        answers: list[Answer] = []
        for order in orders:
            begun = time.monotonic()
            try:
                if self.ended:
                    raise WorkerFault("the host has ended")
                kind, said = "row", self.one(order)
            except JobRefused as refused:
                kind, said = "refused", str(refused)
            except WorkerFault as fault:
                kind, said = "fault", str(fault)
            answers.append((kind, said, time.monotonic() - begun))
        return answers

    def one(self, order: Any) -> Any:
        """The row of one job."""
        return self.worker.do(order)

    def close(self) -> None:
        """Ends the worker; no other one is started."""
        self.ended = True
        self.worker.close()
