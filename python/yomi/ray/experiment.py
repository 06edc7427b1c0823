"""An experiment on a cluster: the ledger is here, the work is there."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from typing import Any

from yomi.experiment import ExperimentRun
from yomi.farm.dispatch import Backend, Dispatcher, Tally, Terms
from yomi.farm.process import WORKER, Host
from yomi.ray.cluster import RayBackend, Resources, connect

#: Makes the backend for jobs that need these resources.
Engage = Callable[[Resources], Backend]


def needs(order: str) -> Resources:
    """What a job takes: as many CPUs as its players have threads, and a GPU if one of them asks for it."""
    threads = [int(found) for found in re.findall(r"threads=(\d{1,4})", order)]
    return Resources(float(max(threads, default=1) or 1), 1.0 if "device=cuda" in order else 0.0)


def dispatch(
    run: ExperimentRun, engage: Engage, terms: Terms | None = None, progress: Callable[[Tally], None] | None = None
) -> Tally:
    """Does what is missing of a run on the hosts of a backend. Jobs that measure time come last, one at a time."""
    terms = terms or Terms()
    orders = run.native.open()
    total = Tally()

    def write(_: str, row: str) -> bool:
        return run.native.write(row)

    try:
        shifts: dict[tuple[bool, Resources], list[str]] = {}
        for order, quiet in orders:
            shifts.setdefault((quiet, needs(order)), []).append(order)
        for (quiet, resources), work in sorted(shifts.items(), key=lambda shift: shift[0][0]):
            alone = Terms(**{**terms.__dict__, "hosts": 1, "in_flight": 1, "largest_batch": 1}) if quiet else terms
            dispatcher: Dispatcher[str] = Dispatcher(engage(resources), write, alone, progress)
            try:
                dispatcher.run(work)
            finally:
                _add(total, dispatcher.tally)
    finally:
        run.native.close()
    return total


def _add(total: Tally, part: Tally) -> None:
    for name, value in part.__dict__.items():
        setattr(total, name, getattr(total, name) + value)


def run_experiment(
    name: str | None = None,
    *,
    address: str | None = None,
    out: str | os.PathLike[str] | None = None,
    scale: float | None = None,
    seed: int = 1,
    jobs: int | None = None,
    resources: Resources | None = None,
    timeout: float = 3600.0,
    batch_seconds: float = 1.0,
    allow_programs: bool = False,
    worker: str | None = None,
    progress: Callable[[Tally, int], None] | None = None,
) -> tuple[ExperimentRun, Tally]:
    """Runs an experiment on the Ray cluster at ``address``, or goes on with it. ``resources`` replaces what jobs say they need."""
    run = ExperimentRun(name, out=out, scale=scale, seed=seed, allow_programs=allow_programs)
    missing = run.missing
    if missing == 0:
        return run, Tally()
    ray = connect(address)
    command = shlex.split(worker) if worker else list(WORKER)
    if allow_programs:
        command.append("--allow-programs")

    def engage(needed: Resources) -> Backend:
        return RayBackend(ray, Host, (command, timeout), resources or needed)

    terms = Terms(batch_seconds=batch_seconds, timeout=timeout, hosts=jobs or 1 << 20)

    def report(tally: Tally) -> None:
        if progress is not None:
            progress(tally, missing)

    tally: Any = dispatch(run, engage, terms, report)
    return run, tally
