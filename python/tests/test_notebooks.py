"""The notebooks in ``examples/`` say what they would say if they were run again: what they print, and the pictures of boards."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Does a cell: what it prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


def settled(text: str) -> str:
    """Without what depends on the machine: the processor behind a network."""
    return re.sub(r"'backend': '[^']*'", "'backend': '…'", text)


@pytest.mark.parametrize("name", ["searches", "laboratory"])
def test_a_notebook_is_up_to_date(name: str) -> None:
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text())
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1)), "run from top to bottom"
    pictures = 0
    for cell in cells:
        source = "".join(cell["source"])
        printed, value = run(source, names)
        outputs = cell["outputs"]
        assert all(output["output_type"] != "error" for output in outputs)
        shown = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
        assert settled(printed) == settled(shown), source
        for output in outputs:
            picture = output.get("data", {}).get("image/svg+xml")
            if picture is not None:
                pictures += 1
                assert value._repr_svg_().split() == "".join(picture).split(), source
    assert pictures >= 2
