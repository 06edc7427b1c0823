"""Matches, statistics, experiments, learners, networks."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest

import yomi


def test_matches_are_the_same_for_any_number_of_jobs(tmp_path) -> None:
    players = ["uct + rollout sims=40", "random"]
    one = yomi.play_match("tic-tac-toe", players, games=8, seed=3)
    heard: list[dict] = []
    two = yomi.play_match("tic-tac-toe", players, games=8, seed=3, jobs=2, out=tmp_path / "run", progress=heard.append)
    assert list(one.games["moves"]) == list(two.games["moves"]) and len(heard) == 8
    assert one.pairings == two.pairings
    assert pandas.DataFrame(two.games)["result"].isin(["1-0", "0-1", "1/2-1/2"]).all()
    again = yomi.play_match("tic-tac-toe", players, games=8, seed=3, out=tmp_path / "run", progress=heard.append)
    assert len(heard) == 8 and again.summary["games"] == 8, "nothing is played twice"
    longer = yomi.play_match("tic-tac-toe", players, games=10, seed=3, out=tmp_path / "run")
    assert longer.summary["games"] == 10


@pytest.mark.parametrize(
    ("game", "players", "options", "says"),
    [
        ("minishogi", ["random"], {}, "two players"),
        ("minishogi", ["random", "mcss"], {}, "would think for ever"),
        ("minishogi", ["random", "mcst"], {"sims": 1}, "mcst"),
        ("minishogi", ["random", "random"], {"jobs": 0}, "jobs goes from 1 to 1024"),
        ("minishogi", ["random", "random"], {"games": 0}, "between 1 and"),
        ("minishogi", ["random", "random"], {"schedule": "swiss"}, "no schedule"),
        ("minishogi", ["random", "usi:nothing"], {}, ""),
        ("draughts", ["random", "random"], {}, "draughts"),
    ],
)
def test_bad_matches_are_refused(game, players, options, says) -> None:
    with pytest.raises(yomi.Error, match=says or None):
        yomi.play_match(game, players, **options)


def test_statistics_are_those_of_others() -> None:
    # R: binom.test(540, 1000); the Elo of 162-9-129 as fastchess reckons it without pairs.
    assert yomi.stats.binomial(540, 1000)["p"] == pytest.approx(0.01243, abs=5e-5)
    result = yomi.stats.elo((162, 9, 129))
    assert result["score"]["value"] == pytest.approx(0.555) and result["elo"]["value"] == pytest.approx(38.4, abs=0.1)
    assert yomi.stats.sprt(0, 5, (365, 16618, 36229, 16974, 390))["decision"]
    assert yomi.stats.games_needed(0.54) > 500
    assert yomi.stats.compare((124, 171), (100, 194))["p"] < 0.001
    for wrong in (lambda: yomi.stats.elo((1, 2)), lambda: yomi.stats.binomial(5, 3), lambda: yomi.stats.elo((1, 1, 1), 2.0)):
        with pytest.raises(yomi.Error):
            wrong()


def test_experiments_run_resume_and_report(experiment, tmp_path) -> None:
    run = yomi.ExperimentRun(str(experiment), out=tmp_path / "run")
    assert len(run) == run.missing > 20
    heard: list[dict] = []
    assert run.run(jobs=2, progress=heard.append) and run.missing == 0
    assert [line["type"] for line in heard].count("job") == len(run)
    other = yomi.ExperimentRun(str(experiment), out=tmp_path / "other")
    assert other.run(jobs=1)
    assert other.fingerprint() == run.fingerprint()
    assert set(run.rows["part"]) == {0, 1, 2}
    summary = yomi.ExperimentRun(out=tmp_path / "run").report()
    assert summary["sentence"] and (tmp_path / "run" / "report.html").exists()


def test_experiments_that_cannot_be_are_refused(experiment, tmp_path) -> None:
    for name, says in [("s0-tabel2", "s0-table2"), ("nothing.toml", "neither a file nor an experiment")]:
        with pytest.raises(yomi.Error, match=says or None):
            yomi.ExperimentRun(name, out=tmp_path / "run")
    foreign = tmp_path / "foreign.toml"
    foreign.write_text(experiment.read_text().replace('opponent = "random"', 'opponent = "usi:true"'))
    with pytest.raises(yomi.Error, match="starts programs"):
        yomi.ExperimentRun(str(foreign), out=tmp_path / "run")
    with pytest.raises(yomi.Error, match="is no scale"):
        yomi.ExperimentRun(str(experiment), out=tmp_path / "run", scale=-1)
    run = yomi.ExperimentRun(str(experiment), out=tmp_path / "run")
    orders = run.native.open()
    for wrong, says in [("nonsense", "no row"), ("{}", "no row"), (orders[0][0], "")]:
        with pytest.raises(yomi.Error, match=says or None):
            run.native.write(wrong)
    with pytest.raises(yomi.Error, match="another program is writing"):
        yomi.ExperimentRun(str(experiment), out=tmp_path / "run").native.open()
    run.native.close()
    with pytest.raises(yomi.Error, match="not open"):
        run.native.write("{}")


def test_learners_do_not_depend_on_threads(tmp_path) -> None:
    settings = {"games": 6, "batch": 3, "evaluations": 30, "plies": 12, "gate__every": 0, "checkpoint": 1}
    rows: list[dict] = []
    end = yomi.learn("pg-leaf", "minishogi", tmp_path / "one", progress=rows.append, **settings)
    assert end["games"] == 6 and len(rows) == 2
    yomi.learn("pg-leaf", "minishogi", tmp_path / "two", threads=2, **settings)
    weights = [(tmp_path / name / "minishogi.linear").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]
    found = yomi.search(yomi.Board("minishogi"), f"mcss + linear(file={end['weights']})", evals=50)
    assert found.best
    for wrong in ({"method": "pg-trees"}, {"game": "go9"}, {"lambda": 2.0}):
        with pytest.raises(yomi.Error):
            yomi.learn(**{"method": "td-leaf", "game": "minishogi", "out": tmp_path / "three", **wrong})


def test_networks_answer_about_boards(tmp_path) -> None:
    network = yomi.Network.random("minishogi", blocks=1, channels=8, device="cpu")
    boards = [yomi.Board("minishogi"), yomi.Board("minishogi", moves="5d5c")]
    values, policies = network.evaluate(boards)
    assert values.shape == (2, 3) and np.allclose(values.sum(axis=1), 1, atol=1e-3)
    assert [len(policy) for policy in policies] == [len(board.legal_moves) for board in boards]
    assert all(np.isclose(policy.sum(), 1, atol=1e-4) for policy in policies)
    (tmp_path / "net.safetensors").write_bytes(bytes(network))
    again = yomi.Network(tmp_path / "net.safetensors", device="cpu")
    assert (again.evaluate(boards)[0] == values).all() and again.describe()["blocks"] == 1
    # The search asks the same network.
    found = yomi.search(boards[0], f"puct + net(file={tmp_path / 'net.safetensors'},device=cpu)", sims=1)
    assert np.allclose(sorted(found.moves["prior"]), sorted(policies[0]), atol=1e-4)
    with pytest.raises(yomi.Error, match="not for go9"):
        network.evaluate([yomi.Board("go9")])
    for wrong in (lambda: yomi.Network(b"nonsense"), lambda: yomi.Network.random("othello"), lambda: yomi.Network("missing")):
        with pytest.raises(yomi.Error):
            wrong()


TRAINING = {"blocks": 1, "channels": 8, "games": 6, "batch": 16, "full": 8, "fast": 4, "seats": 4, "random": 2}


def test_parts_of_a_generation_make_the_same_network(tmp_path) -> None:
    alone = yomi.TrainingRun(tmp_path / "alone", "minishogi", **TRAINING)
    for _ in range(2):
        alone.play()
        line = alone.learn(generations=2)
    assert alone.generation == 2 and line["games"] == 12
    farm = yomi.TrainingRun(tmp_path / "farm", "minishogi", **TRAINING)
    for _ in range(2):
        order = farm.next()
        assert order is not None
        parts = []
        # In another order, and in other pieces.
        for first, last in [(order["first"] + 4, order["last"]), (order["first"], order["first"] + 4)]:
            part = farm.part(first, last)
            yomi.self_play("minishogi", farm.network(), part, games=(first, last), **order["settings"])
            parts.append(part)
        with pytest.raises(yomi.Error, match="games were delivered"):
            farm.deliver(parts[:1])
        farm.deliver(parts)
        assert farm.next() is None
        farm.learn(generations=2)
    for generation in range(3):
        name = f"nets/net-{generation:05}.safetensors"
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "farm" / name).read_bytes()
    log = [json.loads(line) for line in (tmp_path / "farm" / "log.jsonl").read_text().splitlines()]
    assert [line["games"] for line in log] == [6, 12]
