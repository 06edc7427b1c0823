#!/usr/bin/env python3
"""The table of a game in docs/levels.md, from the run of its levels, and the Elo for crates/session/src/player/defaults.rs:

    scripts/levels_table.py results/levels-go9

A step is 400·log10(p/(1-p)) of the score p with one virtual draw. A level that played fewer than eight games, or scored no more than the one below,
has no Elo.
"""

import json
import math
import sys


# Fewer games measure nothing; `crates/session/src/player/defaults.rs` has the same number.
ENOUGH_GAMES = 8


def elo(score):
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def main(run):
    with open(f"{run}/summary.json", encoding="utf-8") as file:
        rows = [row for part in json.load(file)["parts"] for row in part["rows"]]
    print("| level | player | games against the level below | score [95 %] | Elo step | Elo |")
    print("|---|---|---|---|---|---|")
    print(f"| 1 | `{rows[0]['players'][1]}` | | | | 0 |")
    total, listed = 0.0, [0]
    for level, row in enumerate(rows, 2):
        wins, draws, losses = row["wins"], row["draws"], row["losses"]
        games = wins + draws + losses
        if games < ENOUGH_GAMES:
            listed.append(None)
            played = f"{wins}-{draws}-{losses}" if games else "not played"
            print(f"| {level} | `{row['players'][0]}` | {played} | | | not measured |")
            continue
        score, (low, high) = (wins + draws / 2) / games, row["interval"]
        step = elo((wins + draws / 2 + 0.5) / (games + 1))
        ends = ", ".join(f"{elo(end):+.0f}" for end in (low, high))
        total += step
        listed.append(round(total / 5) * 5 if step > 0 else None)
        shown = listed[-1] if step > 0 else "no difference shown"
        print(
            f"| {level} | `{row['players'][0]}` | {wins}-{draws}-{losses} | {100 * score:.1f} % [{100 * low:.1f}, {100 * high:.1f}] "
            f"| {step:+.0f} [{ends}] | {shown} |"
        )
    print("\nElo:", ", ".join("UNMEASURED" if number is None else str(number) for number in listed))


if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
main(sys.argv[1])
