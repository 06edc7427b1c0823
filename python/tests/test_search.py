"""Searches: results, trees, signals, bad input."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas
import pyarrow
import pytest

import yomi
from yomi.analysis import MOVE_COLUMNS, TREE_COLUMNS


def test_a_search_gives_columns() -> None:
    board = yomi.Board("minishogi")
    found = yomi.search(board, "mcss(t=80,hash=16)", sims=300)
    assert found.simulations == 300 and found["ended"] == "simulations"
    assert found.best == found.moves["move"][0] and found.pv[0] == found.best
    frame = pandas.DataFrame(found.moves)
    assert list(frame.columns) == MOVE_COLUMNS and len(frame) == len(board.legal_moves)
    assert frame["visits"].dtype == np.int64 and frame["value"].dtype == np.float64
    table = pyarrow.table(found.moves)
    assert table.num_rows == len(frame) and table["visits"].to_pylist() == list(frame["visits"])
    assert found.depths[0] == 1 and found.depths.sum() == found["nodes"]
    assert 0 <= found.chance <= 1


def test_the_seed_decides() -> None:
    def visits(seed: int) -> list[int]:
        return list(yomi.search(yomi.Board("go9"), "uct + rollout", sims=200, seed=seed).moves["visits"])

    assert visits(1) == visits(1) != visits(2)


def test_a_tree_is_a_table() -> None:
    found = yomi.search(yomi.Board("minishogi"), "mcss(t=80,hash=16)", sims=400)
    columns = found.tree(top=3, depth=2).columns()
    assert list(columns) == TREE_COLUMNS and columns["parent"][0] == -1
    assert (columns["parent"][1:] < columns["node"][1:]).all()
    assert (columns["ply"] <= 2).all() and (columns["ply"] == 1).sum() == 3
    below = found.tree(columns["move"][1], depth=1)
    assert below.json["moves"] == columns["move"][1]
    with pytest.raises(yomi.Error, match="5d5a"):
        found.tree("5d5a")
    with pytest.raises(ValueError, match="keeps no tree"):
        yomi.search(yomi.Board("minishogi"), "alpha-beta", depth=2).tree()


def test_a_saved_tree_has_a_root(tmp_path) -> None:
    found = yomi.search(yomi.Board("minishogi"), "mcss(hash=4)", sims=50)
    found.save_tree(tmp_path / "tree")
    assert (tmp_path / "tree").stat().st_size > 1000


@pytest.mark.parametrize(
    ("player", "budget", "says"),
    [
        ("mcss", {}, "would think for ever"),
        ("mcst", {"sims": 10}, "mcss"),
        ("mcss(t=hot)", {"sims": 10}, "hot"),
        ("mcss + rollout(n=-1)", {"sims": 10}, ""),
        ("alpha-beta", {"sims": 5}, "does not count sims"),
        ("mcss", {"time": -1.0}, "is no time in seconds"),
        ("mcss", {"time": float("nan")}, "is no time in seconds"),
        ("mcss sims=", {}, "whole number"),
        ("mcss(hash=99999999999)", {"sims": 1}, ""),
        ("mcss(threads=0)", {"sims": 1}, ""),
        ("usi:nothing", {"sims": 1}, ""),
        ("mcss + net(file=missing.safetensors)", {"sims": 1}, "missing.safetensors"),
        ("", {"sims": 1}, ""),
    ],
)
def test_bad_players_and_budgets_are_refused(player: str, budget: dict, says: str) -> None:
    with pytest.raises(yomi.Error, match=says or None):
        yomi.search(yomi.Board("minishogi"), player, **budget)


@pytest.mark.parametrize("wrong", [{"sims": -1}, {"sims": 1 << 70}, {"depth": 1 << 40}])
def test_numbers_that_are_none_are_refused(wrong: dict) -> None:
    with pytest.raises(OverflowError):
        yomi.search(yomi.Board("minishogi"), "mcss", **wrong)


def test_over_is_over() -> None:
    board = yomi.Board("tic-tac-toe", moves="1 2 4 5 7")
    assert board.outcome == "black wins" and board.legal_moves == []
    found = yomi.search(board, "uct", sims=10)
    assert found.best is None and found["ended"] == "gameover" and len(found.moves["move"]) == 0


def test_other_threads_go_on_and_an_exception_of_the_listener_ends_the_search() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            done.wait(0.001)

    def hear(analysis: yomi.Analysis) -> None:
        if analysis.simulations > 0 and counted > 3:
            raise LookupError("seen enough")

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(LookupError, match="seen enough"):
            yomi.search(yomi.Board("minishogi"), "mcss", time=600.0, progress=hear, every=0.02)
    finally:
        done.set()
        thread.join()
    assert counted > 3


def test_ctrl_c_is_heard() -> None:
    board = yomi.Board("minishogi")

    def hear(_: yomi.Analysis) -> None:
        _thread.interrupt_main(signal.SIGINT)

    # A job in the background of a shell begins with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            yomi.search(board, "mcss", time=600.0, progress=hear, every=0.02)
    finally:
        signal.signal(signal.SIGINT, before)
    assert yomi.search(board, "mcss", sims=20).best, "the board is as good as before"


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_a_signal_from_outside_is_heard() -> None:
    script = """if True:
        import signal, yomi
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def hear(_):
            print("thinking", flush=True)
        try:
            yomi.search(yomi.Board("go9"), "uct + rollout", time=600.0, progress=hear, every=0.1)
        except KeyboardInterrupt:
            print("heard", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "thinking\n"
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait() == 0 and rest.endswith("heard\n")
