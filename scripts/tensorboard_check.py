#!/usr/bin/env python3
"""Reads the event file of a run of `yomi learn` or `yomi train loop` with TensorBoard's own reader and compares every scalar with curves.jsonl or
log.jsonl.

    pip install tensorboard
    yomi learn pg-leaf --game minishogi --out runs/try --games 64 --evals 100
    scripts/tensorboard_check.py runs/try
    yomi train loop --game minishogi --out runs/mini --tower 1x8 --games 20 --generations 3
    scripts/tensorboard_check.py runs/mini
"""

import json
import pathlib
import sys

from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    curves = folder / "log.jsonl" if (folder / "log.jsonl").exists() else folder / "curves.jsonl"
    rows = {row["games"]: row for row in map(json.loads, curves.read_text().splitlines())}
    for row in rows.values():
        # A network's losses are those its trainer reports.
        row.update(losses=row.get("training", {}).get("losses"))
    events = list(LegacyEventFileLoader(str(folder / "events.out.tfevents.yomi")).Load())
    if events[0].file_version != "brain.Event:2":
        print("no version in the first record")
        return 1
    compared = 0
    for event in events[1:]:
        row = rows[event.step]
        for value in event.summary.value:
            section, _, name = value.tag.rpartition("/")
            expected = (row[section] if section else row).get(name)
            if name in ("plies", "draws") and "training" not in row:
                games = sum(row["results"])
                expected = (row["plies"] if name == "plies" else row["results"][1]) / games
            if abs(value.simple_value - expected) > 1e-5 * max(1.0, abs(expected)):
                print(f"{value.tag} at {event.step}: {value.simple_value}, {expected} in the curves")
                return 1
            compared += 1
    if len(events) - 1 != len(rows):
        print(f"{len(events) - 1} events, {len(rows)} lines of curves")
        return 1
    print(f"{len(rows)} events, {compared} scalars agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
