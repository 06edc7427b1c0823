"""What the tests share: an experiment that takes seconds, and runs of it."""

from __future__ import annotations

from pathlib import Path

import pytest

#: Two match tables and a prediction part, so that jobs differ in kind and in length.
EXPERIMENT = """
name = "tiny"
title = "A few games"
question = "Does it all come to the same?"

[[match-table]]
title = "Tic-tac-toe"
game = "tic-tac-toe"
games = 12
opponent = "random"
budget = "sims=60"
draws = "half"

[[match-table.rows]]
label = "UCT"
player = "uct + rollout"

[[match-table]]
title = "Minishogi"
game = "minishogi"
games = 6
opponent = "random"
budget = "sims=30"
draws = "half"

[[match-table.rows]]
label = "MCSS"
player = "mcss(t=80,hash=4)"

[[prediction-error]]
title = "Playouts"
game = "go5"
plies = [2, 8]
positions = 6
reference = "rollout(n=40)"
curves = [{ label = "1 playout", evaluator = "rollout(n=1)" }]
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """The file of the experiment."""
    path = tmp_path / "tiny.toml"
    path.write_text(EXPERIMENT)
    return path
