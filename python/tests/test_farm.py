"""Jobs that are done elsewhere, once, whatever their workers do. Without Ray: hosts are threads with worker processes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import yomi
from yomi.farm.dispatch import Dispatcher, Failed, HostLost, Terms
from yomi.farm.local import LocalBackend
from yomi.farm.process import Host, JobRefused, WorkerFault, checked
from yomi.ray.cluster import Resources
from yomi.ray.experiment import dispatch, needs

BAD_WORKER = Path(__file__).with_name("bad_worker.py")


class Scripted:
    """Hosts that do arithmetic, and fail as a script says."""

    def __init__(self, hosts: int, fail: Callable[[int, int], str | None] = lambda host, job: None) -> None:
        self.hosts, self.fail, self.started, self.killed = hosts, fail, 0, 0
        self.sizes: list[int] = []
        self.flights: dict[int, int] = {}
        self.most = 0

    def capacity(self) -> int:
        return self.hosts

    def start(self) -> int:
        self.started += 1
        return self.started - 1

    def submit(self, host: int, payloads: Any) -> tuple[int, list[int]]:
        self.sizes.extend([len(payloads)] if payloads else [])
        self.flights[host] = self.flights.get(host, 0) + bool(payloads)
        self.most = max(self.most, self.flights[host])
        return host, list(payloads)

    def wait(self, references: Any, timeout: float) -> Any:
        return references[:1]

    def get(self, reference: tuple[int, list[int]]) -> list[tuple[str, Any, float]]:
        host, jobs = reference
        self.flights[host] -= bool(jobs)
        said: list[tuple[str, Any, float]] = []
        for job in jobs:
            word = self.fail(host, job)
            if word == "lost":
                raise HostLost("gone")
            said.append((word or "row", job * job if word is None else word, 0.1))
        return said

    def kill(self, host: int) -> None:
        self.killed += 1


def written() -> tuple[dict[int, int], Callable[[int, int], bool]]:
    rows: dict[int, int] = {}

    def write(job: int, row: int) -> bool:
        is_new = job not in rows
        rows.setdefault(job, row)
        return is_new

    return rows, write


def test_every_job_is_done_once_and_work_in_flight_is_bounded() -> None:
    rows, write = written()
    backend = Scripted(3)
    tally = Dispatcher(backend, write, Terms(batch_seconds=1.0)).run(range(200))
    assert rows == {job: job * job for job in range(200)} and tally.done == 200 and tally.twice == 0
    assert backend.most == 2, "one batch at work and one that waits"
    # Jobs of a tenth of a second: batches grow to ten, and shrink at the end so that all hosts have work.
    assert backend.sizes[0] == 1 and max(backend.sizes) == 10 and backend.sizes[-1] == 1
    assert backend.started == 3 and backend.killed == 3


def test_hosts_stay_for_the_next_jobs_if_they_are_kept() -> None:
    rows, write = written()
    # Host 0 is lost with the first job that it gets in the second call.
    backend = Scripted(2, lambda host, job: "lost" if host == 0 and job >= 10 else None)
    dispatcher = Dispatcher(backend, write, Terms(keep=True))
    dispatcher.run(range(10))
    assert (backend.started, backend.killed) == (2, 0)
    dispatcher.run(range(10, 20))
    dispatcher.run([])
    assert len(rows) == 20 and dispatcher.tally.lost_hosts == 1 and backend.started == 3
    dispatcher.close()
    assert backend.killed == 3


def test_jobs_of_lost_hosts_are_done_by_others() -> None:
    rows, write = written()
    backend = Scripted(2, lambda host, job: "lost" if host in (0, 1, 2) and job % 7 == 3 else None)
    tally = Dispatcher(backend, write).run(range(60))
    assert rows == {job: job * job for job in range(60)} and tally.lost_hosts == 3 and tally.done == 60


def test_a_job_that_ends_every_host_is_given_up() -> None:
    rows, write = written()
    backend = Scripted(2, lambda host, job: "lost" if job == 5 else None)
    with pytest.raises(Failed, match="5 lost hosts"):
        Dispatcher(backend, write).run(range(20))
    assert 5 not in rows


def test_a_job_that_is_refused_is_given_up_after_three_tries() -> None:
    rows, write = written()
    tries = []

    def fail(host: int, job: int) -> str | None:
        if job == 4:
            tries.append(host)
            return "refused"
        return None

    with pytest.raises(Failed, match="after 3 tries: refused"):
        Dispatcher(Scripted(2, fail), write).run(range(20))
    assert len(tries) == 3 and 0 in rows, "what was done is written down"


def test_rows_that_were_not_asked_for_are_faults() -> None:
    refusals = iter([True, False])

    def write(job: int, row: int) -> bool:
        if next(refusals, False):
            raise ValueError("this row is damaged")
        return True

    tally = Dispatcher(Scripted(1), write).run([3])
    assert tally.faults == 1 and tally.done == 1 and "nonsense" in tally.reasons[0]


def test_hosts_that_answer_nothing_in_time_are_lost() -> None:
    rows, write = written()

    class Silent(Scripted):
        def wait(self, references: Any, timeout: float) -> Any:
            return [reference for reference in references if reference[0] > 0 or not reference[1]][:1]

    tally = Dispatcher(Silent(1), write, Terms(timeout=1e-9, grace=0.0)).run(range(3))
    assert len(rows) == 3 and tally.lost_hosts >= 1


def test_hosts_that_wait_for_room_hold_no_jobs() -> None:
    """There is room for three, says the backend, but two of them never come to life."""
    rows, write = written()

    class Crowded(Scripted):
        def wait(self, references: Any, timeout: float) -> Any:
            return [reference for reference in references if reference[0] == 0][:1]

    backend = Crowded(3)
    tally = Dispatcher(backend, write).run(range(20))
    assert len(rows) == 20 and tally.lost_hosts == 0 and backend.started == backend.killed == 3


def test_hosts_that_cannot_be_started_are_given_up(experiment: Path, tmp_path: Path) -> None:
    run = yomi.ExperimentRun(str(experiment), out=tmp_path / "run")
    with pytest.raises(Failed, match="5 hosts in a row could not be started.*no-such-worker"):
        dispatch(run, lambda resources: LocalBackend(2, lambda: Host(["no-such-worker"])))
    assert run.missing == len(run)


def test_jobs_say_what_they_need() -> None:
    assert needs('{"player":"mcss(threads=6) + net(device=cpu)"}') == Resources(6.0, 0.0)
    assert needs('{"player":"puct + net(file=x,device=cuda:1)"}') == Resources(1.0, 1.0)


def test_answers_are_looked_at() -> None:
    order = '{"part":0,"index":2,"seed":1,"hash":"ab"}'
    assert checked(order, b'{"part":0,"index":2,"seed":1,"hash":"ab"}')
    for wrong in (b"", b"[]", b"\xff", b'{"part":0,"index":3,"seed":1,"hash":"ab"}', b'{"part":0}'):
        with pytest.raises(WorkerFault, match="nonsense"):
            checked(order, wrong)
    with pytest.raises(JobRefused, match="no such game"):
        checked(order, b'{"error":"no such game"}')


def test_workers_that_die_hang_or_answer_nonsense_are_replaced(experiment: Path, tmp_path: Path) -> None:
    """The same ledger as a run without them, and every row once."""
    plain = yomi.ExperimentRun(str(experiment), out=tmp_path / "plain")
    plain.run(jobs=2)
    folder = tmp_path / "script"
    folder.mkdir()
    command = [sys.executable, str(BAD_WORKER), str(folder), "die", "nonsense", "damaged", "hang", "other"]
    run = yomi.ExperimentRun(str(experiment), out=tmp_path / "farm")
    backend = LocalBackend(2, lambda: Host(command, timeout=15.0))
    # Nothing keeps one host from doing one job again and again, while a busy machine is slow to start the other.
    tally = dispatch(run, lambda resources: backend, Terms(tries=9))
    assert len(list(folder.glob("?-*"))) == 5, "all went wrong that was to go wrong"
    # On a busy machine an honest worker may be late as well; that changes nothing.
    assert tally.done == len(run) and tally.faults >= 5, tally.reasons
    assert run.fingerprint() == plain.fingerprint()
    ledger = (tmp_path / "farm" / "ledger.jsonl").read_text().splitlines()
    assert len(ledger) == len(run)
    # A second run finds nothing to do.
    again = yomi.ExperimentRun(str(experiment), out=tmp_path / "farm")
    assert dispatch(again, lambda resources: backend).done == 0


def test_a_run_that_is_broken_off_goes_on(experiment: Path, tmp_path: Path) -> None:
    run = yomi.ExperimentRun(str(experiment), out=tmp_path / "run")

    class Enough(Exception):
        pass

    def stop(tally: Any) -> None:
        if tally.done >= 5:
            raise Enough

    with pytest.raises(Enough):
        dispatch(run, lambda resources: LocalBackend(1), progress=stop)
    done = len(run) - run.missing
    assert 5 <= done < len(run)
    again = yomi.ExperimentRun(out=tmp_path / "run")
    assert again.missing == len(run) - done
    assert again.run(jobs=2) and again.missing == 0, "the local executor goes on with what the farm began"
