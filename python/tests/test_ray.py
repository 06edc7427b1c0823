"""Two ``ray start`` nodes on this machine, one of which is killed. Only processes that were started here are killed, by their ids."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Two nodes of this machine trust each other; nothing is written into the home directory of the user.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
# Ray makes its workers nice, which on a busy machine is to starve.
os.environ.setdefault("RAY_worker_niceness", "0")

import yomi
from yomi.ray.__main__ import main
from yomi.ray.experiment import run_experiment
from yomi.ray.train import learn, train

ray = pytest.importorskip("ray", reason='pip install "yomi[ray]"')

if not sys.platform.startswith("linux"):
    pytest.skip("two nodes of one machine need addresses that only Linux gives", allow_module_level=True)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


#: How often it is asked, every half second, whether a node is there.
LOOKS = 600


def pauses() -> Iterator[float]:
    """How long a node waits for another before it goes on with the work: ever longer, because on a busy machine a node takes its time. Ten
    pauses are a minute."""
    seconds = 0.5
    while True:
        yield seconds
        seconds = min(1.5 * seconds, 15.0)


def children(parent: int) -> list[int]:
    """All processes below one, nearest first."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found + [below for child in found for below in children(child)]


class Node:
    """``ray start --block`` and everything that it started."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        environment = {**os.environ, "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0"}
        program = shutil.which("ray", path=os.path.dirname(sys.executable)) or "ray"
        self.log = (folder / f"{name}.log").open("w")
        self.process = subprocess.Popen(
            [program, "start", "--block", "--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats", *arguments],
            env=environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
        )

    def kill(self) -> None:
        """Kills the node as a power cut would."""
        everyone = [self.process.pid, *children(self.process.pid)]
        for pid in everyone:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.log.close()


class Cluster:
    """A head and a second node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        self.head = Node(
            folder, "head", "--head", "--node-ip-address=127.0.0.1", f"--port={port}", "--include-dashboard=false",
            f"--temp-dir={folder}/r",
        )
        self.second: Node | None = None
        self.connect()

    def connect(self) -> None:
        for attempt in range(LOOKS):
            try:
                ray.init(address=self.address, _node_ip_address="127.0.0.1", log_to_driver=False, configure_logging=False)
                return
            except (ConnectionError, RuntimeError, ValueError):
                if attempt == LOOKS - 1 or self.head.process.poll() is not None:
                    raise
                time.sleep(0.5)

    def join(self) -> None:
        """Starts the second node and waits until it is there."""
        self.second = Node(self.folder, "second", f"--address={self.address}", "--node-ip-address=127.0.0.2")
        self.wait_for_nodes(2)

    def leave(self) -> None:
        """Kills the second node."""
        assert self.second is not None
        self.second.kill()
        self.second = None

    def nodes(self) -> int:
        return sum(node["Alive"] for node in ray.nodes())

    def wait_for_nodes(self, count: int) -> None:
        for _ in range(LOOKS):
            if self.nodes() == count:
                return
            time.sleep(0.5)
        raise AssertionError(f"{self.nodes()} nodes, not {count}")

    def close(self) -> None:
        ray.shutdown()
        if self.second is not None:
            self.leave()
        self.head.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    # Sockets of Ray have short names only.
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/yr.XXXXXX"], text=True).strip())
    one = Cluster(folder)
    yield one
    one.close()
    shutil.rmtree(folder, ignore_errors=True)


def test_a_node_that_is_killed_changes_nothing(cluster: Cluster, experiment: Path, tmp_path: Path) -> None:
    """One job, two jobs, and two nodes of which one is killed: the same ledger."""
    # Jobs long enough that there is work left when the second node is ready.
    experiment.write_text(experiment.read_text().replace("sims=60", "sims=100000").replace("sims=30", "sims=100"))
    runs = []
    for threads in (1, 2):
        run = yomi.ExperimentRun(str(experiment), out=tmp_path / f"jobs-{threads}")
        assert run.run(jobs=threads)
        runs.append(run.fingerprint())
    jobs = len(runs[0])
    assert runs[0] == runs[1] and jobs > 20
    cluster.join()
    killed_at: list[int] = []
    pause = pauses()

    def progress(tally: Any, missing: int) -> None:
        if killed_at:
            return
        if tally.hosts == 2:
            killed_at.append(tally.done)
            cluster.leave()
        else:
            # The first node waits for the second.
            time.sleep(next(pause))

    run, tally = run_experiment(
        str(experiment), address=cluster.address, out=tmp_path / "ray", batch_seconds=0.05, progress=progress
    )
    assert killed_at and killed_at[0] < jobs, "the node was killed while there was work"
    assert tally.done == jobs and tally.lost_hosts >= 1, tally
    assert run.fingerprint() == runs[0]
    assert len((tmp_path / "ray" / "ledger.jsonl").read_text().splitlines()) == jobs


def test_the_command_line_goes_on_with_a_run(cluster: Cluster, experiment: Path, tmp_path: Path, capsys: Any) -> None:
    out = str(tmp_path / "run")
    # Half of it here, the rest on the cluster.
    half = yomi.ExperimentRun(str(experiment), out=out, scale=0.5)
    assert half.run(jobs=2)
    missing = yomi.ExperimentRun(out=out, scale=1.0).missing
    assert 0 < missing < len(yomi.ExperimentRun(out=out))
    assert main(["experiment", "run", "--resume", out, "--scale", "1", "--address", cluster.address]) == 0
    printed = capsys.readouterr().out
    assert f"{missing} jobs in" in printed and "report:" in printed
    assert yomi.ExperimentRun(out=out).missing == 0
    assert main(["experiment", "run", "s0-tabel2", "--out", out]) == 1
    assert "s0-table2" in capsys.readouterr().err


def test_a_network_learns_on_the_cluster_as_on_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    options = {"blocks": 1, "channels": 8, "games": 6, "batch": 16, "full": 8, "fast": 4, "seats": 4, "random": 2}
    alone = yomi.TrainingRun(tmp_path / "alone", "minishogi", **options)
    for _ in range(2):
        alone.play()
        alone.learn(generations=2)
    lines: list[dict[str, Any]] = []
    train(
        "minishogi", tmp_path / "ray", generations=2, address=cluster.address, part=2, device="cpu",
        progress=lambda line, tally: lines.append(line), **options,
    )
    assert [line["generation"] for line in lines] == [0, 1]
    for generation in range(3):
        name = f"nets/net-{generation:05}.safetensors"
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes(), name


def test_a_learner_loses_nothing_with_a_node(cluster: Cluster, tmp_path: Path) -> None:
    """The weights, the checkpoint and the curves are those of one thread, though a node with a player on it is killed between steps, with
    work on its way to it."""
    settings = {"games": 80, "batch": 2, "evaluations": 20, "plies": 12, "gate__every": 40, "gate__pairs": 2, "checkpoint": 5}
    yomi.learn("td-leaf", "minishogi", tmp_path / "alone", **settings)
    cluster.join()
    killed_at: list[int] = []
    pause = pauses()

    def progress(row: dict[str, Any], tally: Any) -> None:
        if killed_at:
            return
        if tally.hosts == 2:
            killed_at.append(row["games"])
            cluster.leave()
        else:
            # The first node waits for the second.
            time.sleep(next(pause))

    end, tally = learn(
        "td-leaf", "minishogi", tmp_path / "ray", address=cluster.address, progress=progress, **settings
    )
    assert killed_at and killed_at[0] < 80, "the node was killed while there was work"
    assert end["games"] == 80 and tally.lost_hosts >= 1, tally
    for name in ("checkpoint.state", "curves.jsonl", "games.jsonl", "minishogi.linear", "best.linear"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes(), name


def test_what_is_wrong_with_a_learner_is_said_as_on_one_machine(cluster: Cluster, tmp_path: Path, capsys: Any) -> None:
    out = ["--out", str(tmp_path / "run"), "--address", cluster.address]
    assert main(["learn", "pg-leafs", "--game", "minishogi", *out]) == 1
    # Ray may have something to say as well, of the node that was killed before.
    assert "yomi-ray: pg-leafs is no method here" in capsys.readouterr().err
    assert main(["selfplay", "--game", "minishogi", "--net", "random", "--tower", "1x8", "--games", "3", "--part", "2",
                 "--set", "full=8", "--set", "fast=4", "--device", "cpu", *out]) == 0
    assert "\n3 games:" in "\n" + capsys.readouterr().out
