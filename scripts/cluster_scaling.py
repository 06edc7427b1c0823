#!/usr/bin/env python3
"""How the throughput of a cluster grows with its nodes, and where it stops: a simulation of the dispatcher (python/yomi/farm).

    scripts/cluster_scaling.py                 # the tables of docs/cluster.md
    scripts/cluster_scaling.py --driver-ms 2   # with another cost per batch
    scripts/cluster_scaling.py measure         # measures the costs on this machine (needs yomi and Ray)

Everything is simulated event by event: one driver that hands out batches and writes down rows, hosts with at most two batches each, jobs of
random length, a way to the hosts and back that takes time, and for learning a network that bounds what comes back and a learner that
waits for whole generations. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import sys
from dataclasses import dataclass, fields


@dataclass
class Costs:
    """What was measured, and what is assumed where that depends on the cluster."""

    driver_ms: float = 0.76  # CPU of the driver per batch: submit, wait, get (measured)
    row_us: float = 7.0  # CPU for a row of the ledger (measured)
    latency_ms: float = 2.0  # the way to a host and back (assumed)
    cores: int = 16  # of a node
    start_s: float = 6.0  # starting a host and its worker (assumed)
    spread: float = 0.5  # standard deviation of a job's length over its mean (assumed)
    batch_s: float = 1.0  # the length of batches that the dispatcher aims at
    interval_ms: float = 5.0  # the time between two batches that the dispatcher leaves the driver
    game_s: float = 4.0  # a game of self-play, of one core (assumed; 0.02 measured with a network of 2x16, 0.09 with 5x64)
    game_kb: float = 3.4  # what comes back of it (measured)
    game_samples: float = 12.0  # samples of a game (measured)
    keep_ms: float = 1.5  # keeping a part: two small files (assumed)
    network_mb_s: float = 1000.0  # into the machine of the learner (assumed)
    learner_positions_s: float = 3000.0  # positions that the native learner trains on per second of CPU, 2x16 (measured)
    reuse: float = 4.0  # how often a sample is trained on
    part: int = 8  # games of a part
    net_mb: float = 0.5  # a network, on its way to every node (measured, 2x16)
    lesson_s: float = 0.3  # a game of yomi learn (measured by the clock of a busy machine, pg-tree in minishogi as it comes)
    lesson_kb: float = 24.0  # what comes back of it (measured)
    lesson_ms: float = 1.0  # the learner's share: 0.06 ms of CPU (measured) and a call of its actor (assumed)
    step_ms: float = 20.0  # CPU of the learner for a step (measured)
    weights_mb: float = 0.9  # the weights of the players, on their way to every node (measured)


def batch_size(hosts: int, job_s: float, costs: Costs) -> int:
    """As the dispatcher has it: a second or longer, and with many hosts so long that the driver keeps up."""
    return max(1, min(256, math.ceil(max(costs.batch_s, costs.interval_ms / 1e3 * hosts) / job_s)))


def simulate(
    hosts: int, jobs: int, job_s: float, costs: Costs, per_answer_s: float, per_batch: int | None = None, seed: int = 1
) -> tuple[float, float]:
    """Seconds until all jobs are written down, and jobs per second while all hosts are busy (from a third of the jobs to two thirds).
    ``per_answer_s`` is what the driver does for each job that comes back."""
    rng = random.Random(seed)
    sigma = math.sqrt(math.log(1 + costs.spread**2))
    mu = math.log(job_s) - sigma**2 / 2
    driver, latency = costs.driver_ms / 1e3, costs.latency_ms / 1e3
    long_enough = per_batch or batch_size(hosts, job_s, costs)
    waiting, written, now = jobs, 0, 0.0
    marks: list[tuple[int, float]] = []
    free = [costs.start_s] * hosts  # when a host has done all that it was given
    held = [0] * hosts
    events: list[tuple[float, int, int]] = []  # an answer is there: time, host, jobs
    ready = [(depth, host) for depth in range(2) for host in range(hosts)]
    heapq.heapify(ready)
    while written < jobs:
        # The driver hands out while a host has room, breadth first.
        while ready and waiting:
            _, host = heapq.heappop(ready)
            size = min(waiting, long_enough if per_batch else max(1, min(long_enough, math.ceil(waiting / (2 * hosts)))))
            waiting -= size
            now += driver / 2
            begin = max(free[host], now + latency / 2)
            if size <= 8:
                free[host] = begin + sum(rng.lognormvariate(mu, sigma) for _ in range(size))
            else:
                free[host] = begin + max(0.0, rng.gauss(size * job_s, math.sqrt(size) * costs.spread * job_s))
            held[host] += 1
            heapq.heappush(events, (free[host] + latency / 2, host, size))
        # Then it takes what has come back, one batch after the other.
        when, host, size = heapq.heappop(events)
        now = max(now, when) + driver / 2 + size * per_answer_s
        written += size
        if len(marks) < 2 and written >= jobs * (len(marks) + 1) / 3:
            marks.append((written, now))
        held[host] -= 1
        heapq.heappush(ready, (held[host], host))
    (first, begun), (last, ended) = marks
    return now, (last - first) / (ended - begun)


def matches(nodes: list[int], costs: Costs) -> None:
    """Games per second by nodes and by the length of a game."""
    lengths = [0.1, 1.0, 10.0, 60.0]
    print("games of matches per second (share of what as many cores would do without a driver)\n")
    print("| nodes | cores | " + " | ".join(f"jobs of {length:g} s" for length in lengths) + " |")
    print("|---|---|" + "---|" * len(lengths))
    for count in nodes:
        hosts = count * costs.cores
        cells = []
        for length in lengths:
            jobs = max(9 * hosts, 4000) * batch_size(hosts, length, costs)
            _, speed = simulate(hosts, jobs, length, costs, costs.row_us / 1e6)
            cells.append(f"{speed:,.0f} ({100 * speed * length / hosts:.0f} %)")
        print(f"| {count} | {hosts} | " + " | ".join(cells) + " |")


def learning(nodes: list[int], costs: Costs, games: int) -> None:
    """Generations of a network: what playing, carrying and training take."""
    print(f"\na network that learns, generations of {games:,} games: seconds per generation, and games per second\n")
    print("| nodes | cores | games of a part | playing | of that the end, when hosts are idle | network | learner | games/s | with a learner 50 times as fast |")
    print("|---|---|---|---|---|---|---|---|---|")
    for count in nodes:
        hosts = count * costs.cores
        part = max(1, min(costs.part, games // (8 * hosts)))
        there = Costs(**{**costs.__dict__, "start_s": 0.0})
        playing, _ = simulate(hosts, math.ceil(games / part), costs.game_s * part, there, costs.keep_ms / 1e3, per_batch=1)
        idle = max(0.0, playing - games * costs.game_s / hosts)
        carrying = (games * costs.game_kb / 1e3 + count * costs.net_mb) / costs.network_mb_s
        training = games * costs.game_samples * costs.reuse / costs.learner_positions_s
        speeds = [games / (max(playing, carrying) + training / times) for times in (1, 50)]
        print(
            f"| {count} | {hosts} | {part} | {playing:.1f} | {idle:.1f} | {carrying:.2f} | {training:.1f} | {speeds[0]:,.1f} | {speeds[1]:,.1f} |"
        )


def self_play(nodes: list[int], costs: Costs) -> None:
    """Self-play into a file of samples, without a learner."""
    lengths = [0.1, 1.0, 4.0, 60.0]
    print("\nself-play into a file: games per second, in parts of 8 (share of what as many cores would do)\n")
    print("| nodes | cores | " + " | ".join(f"games of {length:g} s" for length in lengths) + " |")
    print("|---|---|" + "---|" * len(lengths))
    for count in nodes:
        hosts = count * costs.cores
        cells = []
        for length in lengths:
            each = length * costs.part
            per_part = costs.keep_ms / 1e3 + costs.part * costs.game_kb / 1e3 / costs.network_mb_s
            _, speed = simulate(hosts, max(9 * hosts, 4000) * batch_size(hosts, each, costs), each, costs, per_part)
            cells.append(f"{costs.part * speed:,.0f} ({100 * speed * each / hosts:.0f} %)")
        print(f"| {count} | {hosts} | " + " | ".join(cells) + " |")


def lessons(nodes: list[int], costs: Costs) -> None:
    """Steps of ``yomi learn``: weights to all nodes, games, a step; no game begins before it is made."""
    batches = [16, 256, 4096, 65536]
    print("\nyomi learn, steps of as many games: games per second (share of what as many cores would do without a learner)\n")
    print("| nodes | cores | " + " | ".join(f"steps of {batch:,} games" for batch in batches) + " |")
    print("|---|---|" + "---|" * len(batches))
    there = Costs(**{**costs.__dict__, "start_s": 0.0})
    for count in nodes:
        hosts = count * costs.cores
        cells = []
        for batch in batches:
            engaged = min(hosts, batch)
            out = min(count, engaged) * costs.weights_mb / costs.network_mb_s
            per_game = costs.lesson_ms / 1e3 + costs.lesson_kb / 1e3 / costs.network_mb_s
            playing, _ = simulate(engaged, batch, costs.lesson_s, there, per_game)
            speed = batch / (out + playing + costs.step_ms / 1e3)
            cells.append(f"{speed:,.0f} ({100 * speed * costs.lesson_s / hosts:.0f} %)")
        print(f"| {count} | {hosts} | " + " | ".join(cells) + " |")


def limits(costs: Costs) -> None:
    """Where it stops, in closed form."""
    driver = costs.driver_ms / 1e3
    print("\nwhere it stops\n")
    for length in (0.1, 1.0, 10.0, 60.0):
        size = 256 if length <= 1 else max(1, math.ceil(60 / length))
        rate = size / (driver + size * costs.row_us / 1e6)
        print(f"- jobs of {length:g} s, {size} in a batch: the driver hands out {rate:,.0f} jobs/s at most, which {rate * length:,.0f} cores use up")
    print(f"- ledger alone: {1e6 / costs.row_us:,.0f} rows/s")
    print(f"- yomi learn: the learner takes {1e3 / costs.lesson_ms:,.0f} games/s, which {1e3 / costs.lesson_ms * costs.lesson_s:,.0f} cores play")
    print(f"- self-play into a file: {costs.part * 1e3 / costs.keep_ms:,.0f} games/s are kept")
    print(f"- learner of networks: {costs.learner_positions_s / costs.reuse / costs.game_samples:,.0f} games/s can be learned from")
    print(f"- into the learner's machine: {costs.network_mb_s * 1e3 / costs.game_kb:,.0f} games/s of a network, {costs.network_mb_s * 1e3 / costs.lesson_kb:,.0f} of yomi learn")
    print(f"- out of it, to 1,000 nodes: {costs.net_mb:,.1f} s per network, {costs.weights_mb:,.1f} s per step of yomi learn, if each fetches its own")


def measure() -> None:
    """The costs that can be measured here."""
    import tempfile
    import time
    from pathlib import Path

    import ray

    import yomi
    from yomi.farm.dispatch import Dispatcher, Terms
    from yomi.ray.cluster import RayBackend, Resources

    class Idle:
        """Does nothing, quickly."""

        def do(self, payloads: list[int]) -> list[tuple[str, int, float]]:
            return [("row", payload, 10.0) for payload in payloads]

    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    backend = RayBackend(ray, Idle, (), Resources(1.0))
    warm: Dispatcher[int] = Dispatcher(backend, lambda job, row: True, Terms())
    warm.run(range(50))
    dispatcher: Dispatcher[int] = Dispatcher(backend, lambda job, row: True, Terms())
    wall, cpu = time.monotonic(), time.process_time()
    dispatcher.run(range(1500))
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    print(f"driver: {1e3 * cpu / 1500:.2f} ms of CPU per batch, {1e3 * wall / 1500:.2f} ms by the clock")
    actor = ray.remote(Idle).remote()
    ray.get(actor.do.remote([1]))
    begun = time.monotonic()
    for _ in range(200):
        ray.get(actor.do.remote([1]))
    print(f"latency: {1e3 * (time.monotonic() - begun) / 200:.2f} ms there and back")
    ray.shutdown()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        experiment = out / "rows.toml"
        experiment.write_text(
            'name = "rows"\ntitle = "rows"\nquestion = "?"\n[[match-table]]\ntitle = "t"\ngame = "tic-tac-toe"\ngames = 400\n'
            'opponent = "random"\nbudget = "sims=1"\ndraws = "half"\n[[match-table.rows]]\nlabel = "r"\nplayer = "random"\n'
        )
        done = yomi.ExperimentRun(str(experiment), out=out / "done")
        done.run()
        lines = (out / "done" / "ledger.jsonl").read_text().splitlines()
        again = yomi.ExperimentRun(str(experiment), out=out / "again")
        again.native.open()
        cpu = time.process_time()
        for line in lines:
            again.native.write(line)
        print(f"ledger: {1e6 * (time.process_time() - cpu) / len(lines):.0f} us of CPU per row")
        again.native.close()
        network = yomi.Network.random("minishogi", blocks=2, channels=16, device="cpu")
        cpu = time.process_time()
        tally = yomi.self_play("minishogi", network, out / "part.samples", games=8, device="cpu")
        cpu = time.process_time() - cpu
        size = (out / "part.samples").stat().st_size
        print(f"self-play, 2x16: {cpu / 8:.2f} s of CPU per game, {size / 8e3:.1f} kB, {tally['samples'] / 8:.1f} samples")
        training = yomi.TrainingRun(out / "train", "minishogi", blocks=2, channels=16, games=16)
        training.play()
        cpu = time.process_time()
        line = training.learn(generations=2)
        cpu = time.process_time() - cpu
        print(f"network, 2x16: {len(bytes(network)) / 1e6:.2f} MB")
        print(f"learner, 2x16: {line['training']['step'] * 256 / cpu:.0f} positions per second of CPU")


    measure_lessons()


def measure_lessons() -> None:
    """A step of ``yomi learn`` with its games played by a worker process."""
    import tempfile
    import time

    import yomi
    from yomi.farm.players import Part, PlayingHost

    with tempfile.TemporaryDirectory() as folder:
        run = yomi.LearningRun(folder, "pg-tree", "minishogi", games=32, batch=16, gate__every=0)
        host = PlayingHost()
        host.do([])
        for _ in range(2):
            cpu = time.process_time()
            orders, weights = run.orders(1), run.players()
            step = time.process_time() - cpu
            parts = [Part(first, last, line, weights) for first, last, line in orders]
            answers = host.do(parts)
            playing = sum(seconds for _, _, seconds in answers)
            size = sum(len(played[0]) for _, played, _ in answers)
            cpu = time.process_time()
            for part, (_, played, _) in zip(parts, answers):
                run.take(part.first, part.last, played[0])
            take = time.process_time() - cpu
            cpu = time.process_time()
            run.step()
            step += time.process_time() - cpu
        host.close()
        count = len(parts)
        print(
            f"yomi learn pg-tree, minishogi: {playing / count:.2f} s per game by the clock, {size / count / 1e3:.1f} kB, "
            f"{1e3 * take / count:.2f} ms of the learner for each, {1e3 * step:.1f} ms for a step, weights {len(weights) / 1e6:.2f} MB"
        )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", choices=["simulate", "measure"], default="simulate")
    parser.add_argument("--nodes", default="1,2,5,10,20,50,100,200,500,1000", help="numbers of nodes, with commas")
    parser.add_argument("--games", type=int, default=20_000, help="games of a generation (20000)")
    for cost in fields(Costs):
        kind = int if cost.type == "int" else float
        parser.add_argument(f"--{cost.name.replace('_', '-')}", type=kind, default=cost.default, help=f"({cost.default})")
    options = parser.parse_args()
    if options.action == "measure":
        measure()
        return 0
    costs = Costs(**{cost.name: getattr(options, cost.name) for cost in fields(Costs)})
    nodes = [int(word) for word in options.nodes.split(",")]
    matches(nodes, costs)
    self_play(nodes, costs)
    lessons(nodes, costs)
    learning(nodes, costs, options.games)
    limits(costs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
