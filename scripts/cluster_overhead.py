#!/usr/bin/env python3
"""What a cluster costs beside the local executor: the same jobs by both, in turns, with as many hosts as jobs at a time.

    scripts/cluster_overhead.py                       # jobs of about a second, 2 at a time, 4 rounds
    scripts/cluster_overhead.py --seconds 0.2 --jobs 1 --rounds 8

Needs yomi and Ray. A round plays the same games three times: by the local executor, by worker processes without Ray, and by a Ray cluster of
this machine whose hosts were started before, as they are in a run of any length. What starting the hosts costs, once in a run, is said apart.
Besides the clock it counts the CPU of this process and of all below it (drivers, hosts, workers, Ray's own processes): on a busy machine that is
what can be compared. Linux only.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yomi
from yomi.farm.dispatch import Backend, Dispatcher, Terms
from yomi.farm.local import LocalBackend
from yomi.farm.process import WORKER, Host
from yomi.ray.cluster import RayBackend, Resources, connect

EXPERIMENT = """name = "overhead"
title = "Jobs of one length"
question = "What does handing them out cost?"
[[match-table]]
title = "t"
game = "minishogi"
games = {games}
opponent = "mcss(t=80,hash=4)"
budget = "sims={sims}"
draws = "half"
[[match-table.rows]]
label = "r"
player = "mcss(t=100,hash=4)"
"""


def cpu_seconds() -> float:
    """CPU of this process and of all below it, those included that have ended and were waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = sum(int(field) for field in fields[11:15])
    mine = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        if not more:
            return sum(ticks[pid] for pid in mine) / os.sysconf("SC_CLK_TCK")
        mine |= more


def play(folder: Path, name: str, sims: int, games: int, seed: int) -> yomi.ExperimentRun:
    """A run that has nothing played yet."""
    experiment = folder / f"{name}.toml"
    experiment.write_text(EXPERIMENT.format(games=games, sims=sims))
    return yomi.ExperimentRun(str(experiment), out=folder / name, seed=seed)


class Hosts:
    """A dispatcher whose hosts stay, so that their start is not part of what is measured."""

    def __init__(self, backend: Backend, hosts: int, folder: Path, name: str) -> None:
        self.run: yomi.ExperimentRun | None = None
        self.dispatcher: Dispatcher[str] = Dispatcher(backend, self.write, Terms(hosts=hosts, keep=True))
        begun, tries = time.monotonic(), 0
        while self.dispatcher.tally.hosts < hosts:
            self.do(play(folder, f"{name}-{tries}", 10, 8 * hosts, 1))
            tries += 1
        self.started = time.monotonic() - begun

    def write(self, _: str, row: str) -> bool:
        assert self.run is not None
        return self.run.native.write(row)

    def do(self, run: yomi.ExperimentRun) -> float:
        """Seconds for all jobs of a run."""
        self.run = run
        orders = [order for order, _ in run.native.open()]
        begun = time.monotonic()
        self.dispatcher.run(orders)
        seconds = time.monotonic() - begun
        run.native.close()
        return seconds


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="the length of a job (1)")
    parser.add_argument("--jobs", type=int, default=2, help="jobs at a time, and hosts (2)")
    parser.add_argument("--games", type=int, default=24, help="jobs of a round (24)")
    parser.add_argument("--rounds", type=int, default=4, help="(4)")
    options = parser.parse_args()
    # Ray makes its workers nice; beside other work that would be measured, not the cluster.
    os.environ.setdefault("RAY_worker_niceness", "0")
    ray = connect(None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # How many simulations make a job of this length, alone on its core.
        trial = play(folder, "trial", 200, 4, 1)
        cpu = time.process_time()
        trial.run()
        sims = max(10, int(200 * 4 * options.seconds / max(1e-3, time.process_time() - cpu)))
        farm = Hosts(LocalBackend(options.jobs, Host), options.jobs, folder, "warm")
        backend = RayBackend(ray, Host, (list(WORKER), 3600.0), Resources(0.01))
        cluster = Hosts(backend, options.jobs, folder, "warm-ray")
        print(f"jobs of about {options.seconds:g} s of CPU ({sims} simulations per move), {options.games} per round, {options.jobs} at a time")
        print(f"starting {options.jobs} hosts: {farm.started:.1f} s as processes, {cluster.started:.1f} s on Ray")
        ways: dict[str, list[tuple[float, float]]] = {"local executor": [], "worker processes": [], "Ray": []}
        for number in range(options.rounds):
            runs: dict[str, Any] = {way: play(folder, f"{way.split()[0]}-{number}", sims, options.games, number + 1) for way in ways}
            order = list(ways)[number % 3 :] + list(ways)[: number % 3]
            for way in order:
                begun, cpu = time.monotonic(), cpu_seconds()
                if way == "local executor":
                    runs[way].run(jobs=options.jobs)
                else:
                    (farm if way == "worker processes" else cluster).do(runs[way])
                ways[way].append((time.monotonic() - begun, cpu_seconds() - cpu))
            prints = {tuple(run.fingerprint()) for run in runs.values()}
            assert len(prints) == 1, "the same ledger"
            print("  ".join(f"{way} {ways[way][-1][0]:.2f} s, CPU {ways[way][-1][1]:.2f} s" for way in ways), flush=True)
        farm.dispatcher.close()
        cluster.dispatcher.close()
    local = ways["local executor"]
    for way, seconds in ways.items():
        clock, cpu = (sum(one[what] for one in seconds) / sum(one[what] for one in local) for what in (0, 1))
        ratios = [one[1] / other[1] for one, other in zip(seconds, local)]
        print(
            f"{way}: {options.games * options.rounds / sum(one[0] for one in seconds):.2f} jobs/s, {clock:.3f} of the local executor's time, "
            f"{cpu:.3f} of its CPU (rounds {min(ratios):.3f} to {max(ratios):.3f}, median {statistics.median(ratios):.3f})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
