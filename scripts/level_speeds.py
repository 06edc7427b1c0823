#!/usr/bin/env python3
"""The speed of builds for different processors beside each other, as a table for docs/install.md:

    scripts/level_speeds.py [--rounds N] [--scale S] NAME=PROGRAM NAME=PROGRAM ...
    scripts/level_speeds.py v2=target/dist/…/lib/yomi/yomi-x86-64-v2 v3=target/dist/…/lib/yomi/yomi-x86-64-v3 native=target/release/yomi

`yomi bench` counts seconds in which a program really ran, so other work disturbs little; the programs take turns, and the best of all rounds
counts. The first program is 1.00. Programs that do not visit the same nodes (another signature) are not compared.
"""

import argparse
import json
import subprocess

ROWS = [
    ("perft, shogi", "game", "shogi", "nodes_per_second"),
    ("perft, minishogi", "game", "minishogi", "nodes_per_second"),
    ("playouts, shogi", "game", "shogi", "plies_per_second"),
    ("playouts, go9", "game", "go9", "plies_per_second"),
    ("playouts, go19", "game", "go19", "plies_per_second"),
    ("playouts, Blokus Duo", "game", "blokus-duo", "plies_per_second"),
    ("alpha-beta, all games", "search", "alpha-beta", "evaluations_per_second"),
    ("mcss, all games", "search", "mcss", "evaluations_per_second"),
    ("uct, all games", "search", "uct", "simulations_per_second"),
    ("prior-rave, all games", "search", "prior-rave", "simulations_per_second"),
]


def bench(program, scale):
    """The speeds of one run, by row, and the signature."""
    lines = subprocess.run([program, "bench", "--json", "--scale", str(scale)], check=True, capture_output=True, text=True).stdout
    answers = [json.loads(line) for line in lines.splitlines()]
    find = lambda kind, name, key: next(answer[key] for answer in answers if answer.get(kind) == name)
    return {row: find(kind, name, key) for row, kind, name, key in ROWS}, answers[-1]["signature"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="NAME=PROGRAM")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=0.05)
    options = parser.parse_args()
    programs = dict(program.split("=", 1) for program in options.programs)
    best, signatures = {name: {} for name in programs}, set()
    for _ in range(options.rounds):
        for name, program in programs.items():
            speeds, signature = bench(program, options.scale)
            signatures.add(signature)
            best[name] = {row: max(speed, best[name].get(row, 0.0)) for row, speed in speeds.items()}
    if len(signatures) > 1:
        raise SystemExit(f"these programs do different work: signatures {sorted(signatures)}")
    first = next(iter(programs))
    print("| | " + " | ".join(programs) + " |")
    print("|---" + "|--:" * len(programs) + "|")
    for row, *_ in ROWS:
        print(f"| {row} | " + " | ".join(f"{best[name][row] / best[first][row]:.2f}" for name in programs) + " |")


main()
