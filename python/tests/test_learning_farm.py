"""Games that are played elsewhere teach the same: learners and networks to the last bit, whatever happens to those who play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import yomi
from yomi.farm.dispatch import Failed, Terms
from yomi.farm.learn import learn
from yomi.farm.local import LocalBackend
from yomi.farm.players import PlayingHost
from yomi.farm.self_play import self_play
from yomi.ray.__main__ import main
from yomi.ray.train import train

BAD_WORKER = Path(__file__).with_name("bad_worker.py")

#: A few short games with an opponent of the pool and a gate.
LESSONS = {
    "games": 12, "batch": 4, "evaluations": 30, "plies": 16, "checkpoint": 2, "gate__every": 8, "gate__pairs": 2,
    "pool__share": 0.5, "pool__every": 4,
}
NETWORK = {"blocks": 1, "channels": 8, "games": 6, "batch": 16, "full": 8, "fast": 4, "seats": 4, "random": 2}


def files(folder: Path) -> dict[str, bytes]:
    """Everything of a run that no clock has a say in."""
    names = ["checkpoint.state", "curves.jsonl", "games.jsonl", "config.toml", "minishogi.linear", "best.linear"]
    return {name: (folder / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The run that one thread makes."""
    folder = tmp_path_factory.mktemp("alone")
    rows: list[dict[str, Any]] = []
    yomi.learn("pg-leaf", "minishogi", folder, progress=rows.append, **LESSONS)
    assert any(row.get("gate") for row in rows)
    return files(folder)


@pytest.mark.parametrize(("hosts", "part"), [(1, 1), (2, 3)])
def test_a_learner_whose_games_are_played_by_workers_learns_the_same(
    alone: dict[str, bytes], tmp_path: Path, hosts: int, part: int
) -> None:
    run = yomi.LearningRun(tmp_path, "pg-leaf", "minishogi", **LESSONS)
    rows: list[dict[str, Any]] = []
    end, tally = learn(run, LocalBackend(hosts, PlayingHost), part=part, progress=lambda row, _: rows.append(row))
    assert end["games"] == 12 and [row["games"] for row in rows] == [4, 8, 12] and tally.faults == 0
    assert files(tmp_path) == alone
    assert yomi.LearningRun(tmp_path).wants() is None


def test_workers_that_fail_change_nothing(alone: dict[str, bytes], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.mkdir()
    command = [sys.executable, str(BAD_WORKER), str(script), "die", "nonsense", "damaged", "other"]
    run = yomi.LearningRun(tmp_path / "run", "pg-leaf", "minishogi", **LESSONS)
    # Nothing keeps one host from doing one job again and again, while a busy machine is slow to start the other.
    _, tally = learn(run, LocalBackend(2, lambda: PlayingHost(command)), terms=Terms(tries=9))
    assert len(list(script.glob("?-*"))) == 4 and tally.faults >= 4, tally.reasons
    assert files(tmp_path / "run") == alone


def test_a_learner_that_is_broken_off_goes_on(alone: dict[str, bytes], tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(row: dict[str, Any], _: Any) -> None:
        raise Enough

    run = yomi.LearningRun(tmp_path, "pg-leaf", "minishogi", **LESSONS)
    with pytest.raises(Enough):
        learn(run, LocalBackend(1, PlayingHost), progress=stop)
    # The program's own learner goes on with it, and the farm with that.
    assert yomi.LearningRun(tmp_path).state()["games"] == 4
    assert main(["learn", "--resume", str(tmp_path), "--local", "--jobs", "2", "--json"]) == 0
    assert files(tmp_path) == alone


def test_games_that_cannot_have_been_played_are_refused(tmp_path: Path) -> None:
    run = yomi.LearningRun(tmp_path, "pg-leaf", "minishogi", **LESSONS)
    (first, last, line), *rest = run.orders(2)
    assert (first, last, len(rest)) == (0, 2, 1)
    host = PlayingHost()
    try:
        from yomi.farm.players import Part

        [(kind, (played, _), _)] = host.do([Part(first, last, line, run.players())])
        assert kind == "row"
        [(kind, said, _)] = host.do([Part(first, last, line.replace('\\"pg-leaf\\"', '\\"pg-tree\\"'), run.players())])
        assert kind == "refused" and "not those of the learner" in said, said
        [(kind, said, _)] = host.do([Part(first, last, line, b"noise")])
        assert kind == "refused", said
    finally:
        host.close()
    for wrong, says in [(b"", "too short"), (played[:-1], "checksum"), (played.replace(b"PLD", b"PLR"), "checksum")]:
        with pytest.raises(yomi.Error, match=says):
            run.take(0, 2, wrong)
    with pytest.raises(yomi.Error, match="another number"):
        run.take(0, 3, played)
    with pytest.raises(yomi.Error, match="not wanted"):
        run.take(3, 5, played)
    assert run.take(0, 2, played) and not run.take(0, 2, played), "once"
    with pytest.raises(yomi.Error, match="2 of 4 games"):
        run.step()
    for settings in ({"method": "pg-trees"}, {"game": "go9"}, {"game": None}, {"batch": 10**12}, {"evaluations": -1}):
        with pytest.raises(yomi.Error):
            yomi.LearningRun(tmp_path / "other", **{"method": "pg-leaf", "game": "minishogi", **settings})
    with pytest.raises(yomi.Error, match="config.toml"):
        yomi.LearningRun(tmp_path / "nothing")
    for part, threads in ((0, 1), (1, 0), (1, 10**6)):
        with pytest.raises(yomi.Error, match="games|threads"):
            run.orders(part, threads)
    with pytest.raises(yomi.Error, match="above 0"):
        yomi.TrainingRun(tmp_path / "network", "minishogi", rate=float("inf"))


def test_a_network_whose_games_are_played_by_workers_learns_the_same(tmp_path: Path) -> None:
    run = yomi.TrainingRun(tmp_path / "alone", "minishogi", **NETWORK)
    for _ in range(2):
        run.play()
        run.learn(generations=2)
    train("minishogi", tmp_path / "farm", generations=2, local=True, hosts=2, part=2, device="cpu", **NETWORK)
    for generation in range(3):
        name = f"nets/net-{generation:05}.safetensors"
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "farm" / name).read_bytes(), name


def test_self_play_in_parts_makes_one_file(tmp_path: Path) -> None:
    settings = {key: NETWORK[key] for key in ("full", "fast", "seats", "random")}
    network = yomi.Network.random("minishogi", blocks=1, channels=8, device="cpu")
    whole = yomi.self_play("minishogi", network, tmp_path / "whole.samples", games=7, device="cpu", **settings)
    script = tmp_path / "script"
    script.mkdir()
    command = [sys.executable, str(BAD_WORKER), str(script), "die", "damaged", "nonsense"]
    backend = LocalBackend(2, lambda: PlayingHost(command))
    out = tmp_path / "parts.samples"
    common: dict[str, Any] = {"part": 2, "device": "cpu", "terms": Terms(tries=9), **settings}
    few, _ = self_play("minishogi", bytes(network), out, backend, games=3, **common)
    counts, tally = self_play("minishogi", bytes(network), out, backend, games=7, **common)
    assert few["games"] == 3 and counts["games"] == 7 and not (tmp_path / "parts.parts").exists()
    for field in ("samples", "results", "plies", "resigned", "shown"):
        assert counts[field] == whole[field], field
    # The same games: alone they are written as they end, here by their numbers.
    sizes = [(tmp_path / name).stat().st_size for name in ("whole.samples", "parts.samples")]
    assert sizes[0] == sizes[1]
    again, tally = self_play("minishogi", bytes(network), out, backend, games=7, **common)
    assert again == counts and tally.done == 0
    with pytest.raises(yomi.Error, match="not for go9"):
        self_play("go9", bytes(network), tmp_path / "x.samples", backend, games=2)
    with pytest.raises(Failed, match="there is no device|given up"):
        self_play("minishogi", bytes(network), tmp_path / "y.samples", backend, games=2, threads=5000, terms=Terms(tries=1))


def test_the_command_line_refuses_what_makes_no_sense(tmp_path: Path, capsys: Any) -> None:
    for arguments, says in [
        (["learn"], "what is to be learned"),
        (["learn", "pg-leaf", "--local"], "--game and --out are missing"),
        (["learn", "pg-leafs", "--game", "minishogi", "--out", str(tmp_path / "a"), "--local"], "pg-leafs is no method"),
        (["learn", "pg-leaf", "--game", "minishogi", "--out", str(tmp_path / "a"), "--local", "--set", "steps.rate=-1"], "steps.rate"),
        (["learn", "pg-leaf", "--game", "minishogi", "--out", str(tmp_path / "a"), "--local", "--set", "threads=2"], "--set threads=2"),
        (["learn", "--resume", str(tmp_path / "a"), "--games", "5", "--local"], "no others can be given"),
        (["learn", "--resume", str(tmp_path / "a"), "--local"], "config.toml"),
        (["selfplay", "--game", "minishogi", "--net", "missing", "--out", str(tmp_path / "b"), "--local"], "missing"),
        (["selfplay", "--game", "minishogi", "--net", "random", "--tower", "x", "--out", str(tmp_path / "b"), "--local"], "5x64"),
        (["train", "--game", "othello", "--out", str(tmp_path / "c"), "--generations", "1", "--local"], "othello"),
        (["train", "--game", "minishogi", "--out", str(tmp_path / "c"), "--generations", "1", "--local", "--part", "0"], "--part"),
    ]:
        assert main(arguments) == 1, arguments
        assert says in capsys.readouterr().err, arguments
