#!/usr/bin/env python3
"""Games of GNU Go 3.8 against itself, for `yomi learn patterns` to learn from.

    scripts/gnugo_games.py --size 19 --games 40 --level 1 --seed 1 --jobs 1 >games.sgf

Prints one SGF a line, in the order of the seeds, however many jobs there are. Every game begins with a few stones at random
points, so that no two games are alike; the learner leaves them out. The games end after two passes, and the score is
GNU Go's own.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess

COLUMNS = "ABCDEFGHJKLMNOPQRST"
KOMI = 7.5


class Engine:
    """GNU Go over GTP."""

    def __init__(self, program, level, seed):
        command = [program, "--mode", "gtp", "--chinese-rules", "--level", str(level), "--seed", str(seed)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while not answer or answer[-1].strip():
            answer.append(self.process.stdout.readline())
        text = "".join(answer).strip()
        if not text.startswith("="):
            raise RuntimeError(f"{line}: {text}")
        return text[1:].strip()

    def close(self):
        self.ask("quit")
        self.process.wait()


def sgf_point(vertex, size):
    if vertex.upper() in ("PASS", "RESIGN"):
        return ""
    column, row = COLUMNS.index(vertex[0].upper()), int(vertex[1:]) - 1
    return chr(97 + column) + chr(97 + size - 1 - row)


def opening(size, stones, chance):
    """Points for the first stones: anywhere but on the first two lines."""
    inner = [COLUMNS[x] + str(y + 1) for x in range(2, size - 2) for y in range(2, size - 2)]
    return chance.sample(inner, stones)


def play(options, number):
    seed = options.seed + number
    engine = Engine(options.program, options.level, seed)
    engine.ask(f"boardsize {options.size}")
    engine.ask("clear_board")
    engine.ask(f"komi {KOMI}")
    moves = opening(options.size, options.opening, random.Random(seed))
    for i, vertex in enumerate(moves):
        engine.ask(f"play {'bw'[i % 2]} {vertex}")
    result = None
    while result is None and len(moves) < 3 * options.size**2:
        color = "bw"[len(moves) % 2]
        vertex = engine.ask(f"genmove {color}")
        if vertex.upper() == "RESIGN":
            result = ("W" if color == "b" else "B") + "+R"
            break
        moves.append(vertex)
        if [v.upper() for v in moves[-2:]] == ["PASS", "PASS"]:
            result = engine.ask("final_score")
    engine.close()
    nodes = "".join(f";{'BW'[i % 2]}[{sgf_point(v, options.size)}]" for i, v in enumerate(moves))
    root = f"FF[4]GM[1]SZ[{options.size}]KM[{KOMI}]RU[Chinese]RE[{result or 'Void'}]"
    players = f"PB[GNU Go 3.8 level {options.level}]PW[GNU Go 3.8 level {options.level}]"
    return f"(;{root}{players}{nodes})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--level", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the first game; the others count on")
    parser.add_argument("--opening", type=int, help="stones at random points before GNU Go plays (2, on large boards 4)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    found = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    parser.add_argument("--program", default=found)
    options = parser.parse_args()
    if options.opening is None:
        options.opening = 4 if options.size > 13 else 2
    if options.program is None:
        parser.error("gnugo is not installed (Debian: apt install gnugo); or name it with --program")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for game in pool.map(lambda number: play(options, number), range(options.games)):
            print(game, flush=True)


if __name__ == "__main__":
    main()
