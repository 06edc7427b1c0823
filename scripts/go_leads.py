#!/usr/bin/env python3
"""How far the leads that `yomi analysis` reports can be believed.

    scripts/go_leads.py [--yomi target/release/yomi] [--visits 500] [--every 7] [--size 9] [--games 1-10] results/go-leads/self-play.jsonl

Each line of the file is a finished game: moves up to the first pass, komi, and Black's margin as GNU Go counts it; or, in a file whose name ends in
.sgf, a game of scripts/gnugo_games.py. --games takes only some of them, by number. Every few moves (--every) the position is analysed, and again after the best move. The table shows, by move number: the distance between lead and final
margin; how much more than the final margin the side to move is promised; what the best move loses by its own lead in the same answer, and by the
lead of the position after it. Empty boards at komi 7 and 7.5 come last. With --bounds the program fails where the best move loses
more than 0.3 points on average.
"""
import argparse
import json
import re
import subprocess
import sys


COLUMNS = "ABCDEFGHJKLMNOPQRST"


def read_sgf(line, size):
    """A game of scripts/gnugo_games.py; none if it was not counted."""
    winner, margin = re.search(r"RE\[([BW]?)\+?([^]]*)\]", line).groups()
    if not re.fullmatch(r"[0-9.]+", margin):
        return None
    moves = []
    for point in re.findall(r";[BW]\[([a-s]*)\]", line):
        if not point:
            break
        moves.append(COLUMNS[ord(point[0]) - 97] + str(size - ord(point[1]) + 97))
    return {"moves": moves, "margin": float(margin) * (1 if winner == "B" else -1), "komi": float(re.search(r"KM\[([0-9.]+)\]", line)[1])}


def read_games(path, size):
    lines = open(path).read().splitlines()
    games = [read_sgf(line, size) if path.endswith(".sgf") else json.loads(line) for line in lines]
    return [game for game in games if game]


class Engine:
    def __init__(self, yomi, size, seed):
        command = [yomi, "analysis", "--game", f"go{size}", "--seed", str(seed)]
        self.size = size
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, moves, komi, visits):
        pairs = [["BW"[i % 2], move] for i, move in enumerate(moves)]
        question = {"id": "q", "moves": pairs, "komi": komi, "rules": "chinese", "boardXSize": self.size, "boardYSize": self.size, "maxVisits": visits}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "rootInfo" not in answer:
            sys.exit(f"no answer: {answer}")
        return answer


def mean(values):
    return sum(values) / max(len(values), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yomi", default="target/release/yomi")
    parser.add_argument("--visits", type=int, default=500)
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--size", type=int, default=9, help="of the board")
    parser.add_argument("--games", dest="numbers", default="1-", help="only these, for example 11-20")
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("games")
    args = parser.parse_args()
    engine = Engine(args.yomi, args.size, 1)
    first, _, last = args.numbers.partition("-")
    games = list(enumerate(read_games(args.games, args.size)))
    step, rows = 10 if args.size <= 9 else 30, {}
    for number, game in games[int(first) - 1 : int(last) if last else None]:
        for ply in range(len(game["moves"]) + 1):
            if (ply + number) % args.every:
                continue
            moves = game["moves"][:ply]
            sign = 1 if ply % 2 == 0 else -1
            before = engine.ask(moves, game["komi"], args.visits)
            root, best = before["rootInfo"]["scoreLead"], before["moveInfos"][0]
            after = engine.ask(moves + [best["move"]], game["komi"], args.visits)["rootInfo"]["scoreLead"]
            error = root - game["margin"]
            row = (abs(error), sign * error, sign * (root - best["scoreLead"]), sign * (root - after))
            rows.setdefault(ply // step * step, []).append(row)
    print("| moves | positions | distance to the final margin | promised too much | loss of the best move | … by the position after it |")
    print("|---|---|---|---|---|---|")
    everything = [row for group in rows.values() for row in group]
    for name, group in [(f"{n} to {n + step - 1}", rows[n]) for n in sorted(rows)] + [("all", everything)]:
        columns = [mean([row[i] for row in group]) for i in range(4)]
        print(f"| {name} | {len(group)} | {columns[0]:.2f} | {columns[1]:+.2f} | {columns[2]:+.2f} | {columns[3]:+.2f} |")
    for komi in (7, 7.5):
        leads = []
        for seed in range(1, 11):
            fresh = Engine(args.yomi, args.size, seed)
            leads.append(fresh.ask([], komi, args.visits)["rootInfo"]["scoreLead"])
            fresh.process.stdin.close()
        print(f"\nempty board, komi {komi}: {mean(leads):+.2f} (from {min(leads):+.2f} to {max(leads):+.2f} by seed)")
    engine.process.stdin.close()
    losses = [mean([row[i] for row in everything]) for i in (2, 3)]
    if args.bounds and max(losses) > 0.3:
        sys.exit(f"the best move loses {max(losses):.2f} points")


main()
