"""Errors are those of the program: the same words, the same place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import yomi

ROOT = Path(__file__).parents[2]
PROGRAM = next(
    (path for path in (os.environ.get("YOMI"), ROOT / "target/debug/yomi", ROOT / "target/release/yomi") if path and Path(path).exists()),
    None,
)

CASES: list[tuple[list[str], Callable[[], object]]] = [
    (["show", "--game", "draughts"], lambda: yomi.Board("draughts")),
    (["show", "--game", "go9(komi=x)"], lambda: yomi.Board("go9(komi=x)")),
    (
        ["show", "--game", "minishogi", "--position", "rbsgk/4p/5/P4/KGSBX b - 1"],
        lambda: yomi.Board("minishogi", "rbsgk/4p/5/P4/KGSBX b - 1"),
    ),
    (["show", "--game", "minishogi", "--moves", "5d5c 1a1b"], lambda: yomi.Board("minishogi", moves="5d5c 1a1b")),
    (["show", "--game", "go9", "--moves", "E5 E5"], lambda: yomi.Board("go9", moves="E5 E5")),
    (["show", "--game", "othello", "--moves", "a1"], lambda: yomi.Board("othello", moves="a1")),
    (
        ["analyze", "--game", "minishogi", "--sims", "9", "--player", "mcss(t=hot)"],
        lambda: yomi.search(yomi.Board("minishogi"), "mcss(t=hot)", sims=9),
    ),
    (
        ["analyze", "--game", "minishogi", "--sims", "9", "--player", "mcss + quiet(linaer)"],
        lambda: yomi.search(yomi.Board("minishogi"), "mcss + quiet(linaer)", sims=9),
    ),
    (
        ["analyze", "--game", "minishogi", "--sims", "9", "--player", "mcss + net(file=missing.safetensors)"],
        lambda: yomi.search(yomi.Board("minishogi"), "mcss + net(file=missing.safetensors)", sims=9),
    ),
    (
        ["analyze", "--game", "minishogi", "--sims", "5", "--player", "alpha-beta"],
        lambda: yomi.search(yomi.Board("minishogi"), "alpha-beta", sims=5),
    ),
]


@pytest.mark.skipif(PROGRAM is None, reason="the program is not built")
@pytest.mark.parametrize(("arguments", "call"), CASES, ids=[" ".join(arguments) for arguments, _ in CASES])
def test_errors_have_the_words_and_the_place_of_the_program(arguments: list[str], call: Callable[[], object]) -> None:
    assert PROGRAM is not None
    program = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert program.returncode == 1 and program.stderr.startswith("yomi: ")
    with pytest.raises(yomi.Error) as caught:
        call()
    # The program names the option before the words.
    assert program.stderr.rstrip("\n").endswith(str(caught.value)), program.stderr
    if "at character" in program.stderr:
        assert caught.value.column > 0 and f"(at character {caught.value.column})" in program.stderr
