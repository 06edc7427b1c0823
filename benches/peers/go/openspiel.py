#!/usr/bin/env python3
"""Random games of Go: Yomi against OpenSpiel, one thread each, in CPU time.

Both play uniformly random legal moves, own eyes and passes included, until two passes or 2 * size^2 plies, and count the result by
Tromp-Taylor. OpenSpiel is asked through its own C++ random rollouts (a search of one simulation that evaluates the root by N rollouts),
so Python is not in the loop. It also keeps a set of past positions and calls a repetition a draw; Yomi's random games do not look
for repetitions. The two programs take turns, and the best round of each counts.

    python3 benches/peers/go/openspiel.py [--dir DIR]     DIR keeps the virtual environment (default: a temporary one)
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VERSION = "2.0.2"
ROUNDS = 5
# Size of the board, rollouts per round of OpenSpiel and of Yomi: about half a second each.
SIZES = [(9, 2000, 50_000), (13, 600, 20_000), (19, 120, 8_000)]
ROOT = pathlib.Path(__file__).resolve().parents[3]

# Run inside the virtual environment: prints rollouts per second, Black's share of the wins, and the mean length of a few games.
ROLLOUTS = r"""
import json, random, sys, time
import pyspiel
size, rollouts = int(sys.argv[1]), int(sys.argv[2])
game = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
evaluator = pyspiel.RandomRolloutEvaluator(rollouts, random.randrange(2**31))
bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
start = time.process_time()
root = bot.mcts_search(game.new_initial_state())
seconds = time.process_time() - start
plies = []
for _ in range(20):
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
    plies.append(len(state.history()))
print(json.dumps({"speed": rollouts / seconds, "wins": (1 + root.total_reward) / 2, "plies": sum(plies) / len(plies)}))
"""


def run(command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, capture_output=True, **options).stdout


def openspiel(python, size, rollouts):
    return json.loads(run([python, "-c", ROLLOUTS, size, rollouts]))


def yomi(program, size, rollouts):
    lines = run([program, f"go{size}", rollouts, "every-move"]).splitlines()
    pattern = r"([\d.]+) kpps, ([\d.]+) plies.* wins ([\d.]+) %"
    rounds = [tuple(map(float, re.search(pattern, line).groups())) for line in lines]
    speed, plies, wins = max(rounds)
    return {"speed": 1000 * speed, "plies": plies, "wins": wins / 100}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, help="where the virtual environment is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.dir or pathlib.Path(scratch)
        python = home / "bin" / "python"
        if not python.exists():
            run([sys.executable, "-m", "venv", home])
            run([python, "-m", "pip", "install", "--quiet", f"open_spiel=={VERSION}"])
        run(["cargo", "build", "--release", "-p", "yomi-games", "--example", "go_playouts"], cwd=ROOT)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        program = target / "release" / "examples" / "go_playouts"
        print(f"{'board':>6} {'OpenSpiel/s':>12} {'Yomi/s':>10} {'ratio':>7}   {'plies':>15}   {'Black wins':>15}")
        for size, theirs, ours in SIZES:
            rounds = [(openspiel(python, size, theirs), yomi(program, size, ours)) for _ in range(ROUNDS)]
            spiel, own = (max(side, key=lambda r: r["speed"]) for side in zip(*rounds))
            mean = [[sum(r[side][key] for r in rounds) / ROUNDS for side in (0, 1)] for key in ("plies", "wins")]
            print(
                f"{size:>3}x{size:<2} {spiel['speed']:>12.0f} {own['speed']:>10.0f} {own['speed'] / spiel['speed']:>7.1f}"
                f"   {mean[0][0]:>7.1f} {mean[0][1]:>7.1f}   {mean[1][0]:>7.3f} {mean[1][1]:>7.3f}"
            )


if __name__ == "__main__":
    main()
