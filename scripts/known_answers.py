#!/usr/bin/env python3
"""Positions with known answers: finds them in games of results/, has them proven by Yomi and by programs that share no line with it, and writes
tests/problems/.

    scripts/known_answers.py              all files, and experiments/x-known-answers.toml
    scripts/known_answers.py go4.sgf      this file only
    scripts/known_answers.py experiment   the experiment only, from the files that are there

Needs a built program (target/release/yomi, or the one that the variable YOMI names), and pyffish and cshogi from PyPI.

Mates (shogi, minishogi): positions of games that ended by mate, three to seven plies before the end. Right is every first move from which
checks force mate: our df-pn solver finds it after every reply, and so does cshogi's (shogi) or an exhaustive search here over the moves of
Fairy-Stockfish (minishogi). Endings of Blokus Duo: right is every move with the best reachable result; proven by our endgame solver and by an
exhaustive search here over the rules of crosscheck_blokus.py. Go on four by four: right is every move that wins; proven by our tree search
and by an exhaustive search here over rules written here. A position on which one of both does not decide is left out; a disagreement is an
error. The solvers have limits of time and nodes, so another run may leave out other positions.
"""

import json
import os
import random
import subprocess
import sys

YOMI = os.environ.get("YOMI", "target/release/yomi")
FOLDER = "tests/problems"


def games(run):
    """Moves of the games of a run, and how each ended."""
    with open(f"results/{run}/ledger.jsonl", encoding="utf-8") as ledger:
        for number, line in enumerate(ledger):
            game = json.loads(line)["told"]
            if game.get("reason") == "normal":
                yield number, game["moves"], game["detail"]


def write(name, lines):
    os.makedirs(FOLDER, exist_ok=True)
    path = f"{FOLDER}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    print(f"{path}: {len(lines)} problems", flush=True)


def one_line(position, right, name):
    return f'{position} bm {" ".join(sorted(right))}; id "{name}";'


# Mates


class Usi:
    """Yomi's mate solver over USI."""

    def __init__(self, game):
        self.process = subprocess.Popen([YOMI, "usi", "--game", game], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("usi", "usiok")
        self.process.stdin.write("setoption name USI_Hash value 16\n")
        self.ask("isready", "readyok")

    def ask(self, command, until):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.lines(until, 1)

    def lines(self, word, count):
        """The next lines that begin with a word."""
        found = []
        while len(found) < count:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("Yomi stopped answering")
            if line.startswith(word):
                found.append(line)
        return found

    def mates(self, positions):
        """The mating line of every position: [] where there is none, None where that is open."""
        for sfen, moves in positions:
            self.process.stdin.write(f"position sfen {sfen}{' moves ' + ' '.join(moves) if moves else ''}\ngo mate 20000\n")
        self.process.stdin.flush()
        answers = [line.split()[1:] for line in self.lines("checkmate", len(positions))]
        return [{"nomate": [], "timeout": None}.get(answer[0], answer) for answer in answers]

    def close(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        self.process.wait()


class Rules:
    """Shogi by Fairy-Stockfish's rules, in the words of USI."""

    def __init__(self, variant):
        import pyffish

        from crosscheck import fairy_to_usi, is_drop_pawn_mate, sfen_to_fen

        self.fairy, self.variant = pyffish, variant
        self.to_usi, self.barred, self.to_fen = fairy_to_usi, is_drop_pawn_mate, sfen_to_fen

    def fen(self, sfen):
        return self.to_fen(sfen)

    def moves(self, fen):
        """Legal moves: Fairy-Stockfish's words, ours."""
        legal = [(move, self.to_usi(move, self.variant)) for move in self.fairy.legal_moves(self.variant, fen, [])]
        return [(move, usi) for move, usi in legal if not self.barred(self.variant, fen, move)]

    def checks(self, fen):
        return [(move, usi) for move, usi in self.moves(fen) if self.fairy.gives_check(self.variant, fen, [move])]

    def after(self, fen, move):
        return self.fairy.get_fen(self.variant, fen, [move])

    def mates(self, fen, plies, known):
        """Whether checks force mate within as many plies."""
        key = (" ".join(fen.split()[:2]), plies)
        if key not in known:
            known[key] = plies > 0 and any(self.mated(self.after(fen, move), plies - 1, known) for move, _ in self.checks(fen))
        return known[key]

    def mated(self, fen, plies, known):
        replies = self.moves(fen)
        return not replies or (plies > 1 and all(self.mates(self.after(fen, move), plies - 1, known) for move, _ in replies))


def mates(game, runs, lengths, wanted, peer, seed):
    """Problems of one game: `wanted` mates of each length."""
    rules, usi, lines, found = Rules(game), Usi(game), [], {length: 0 for length in lengths}
    places = [(run, *game) for run in runs for game in games(run) if game[2] == "no move is left"]
    random.Random(seed).shuffle(places)
    while places and any(count < wanted for count in found.values()):
        chunk, places = places[:10], places[10:]
        asked = [(run, number, length, fen_after(rules, game, moves[: len(moves) - length]))
                 for run, number, moves, _ in chunk for length in reversed(lengths) if len(moves) > length]
        taken = set()
        answers = usi.mates([(to_sfen(fen), []) for *_, fen in asked])
        for (run, number, length, fen), line in zip(asked, answers):
            if line is None or len(line) != length or found[length] >= wanted or (run, number) in taken:
                continue
            if any(to_sfen(fen) in line for _, line in lines):
                continue
            right = first_moves(rules, usi, fen, peer, length)
            if right and len(right) <= 5:
                taken.add((run, number))
                found[length] += 1
                lines.append((length, one_line(f"sfen {to_sfen(fen)}", right, f"mate in {length}, {run} game {number}")))
                print(f"  {lines[-1]}", flush=True)
    usi.close()
    return [line for _, line in sorted(lines)]


def fen_after(rules, variant, moves):
    """The position after moves from the start."""
    size = 5 if variant == "minishogi" else 9

    def square(s):
        return f"{chr(97 + size - int(s[0]))}{size - ord(s[1]) + 97}"

    def word(usi):
        return f"{usi[0]}@{square(usi[2:])}" if "*" in usi else square(usi[:2]) + square(usi[2:4]) + usi[4:]

    return rules.fairy.get_fen(variant, rules.fairy.start_fen(variant), [word(usi) for usi in moves])


def to_sfen(fen):
    """FEN of Fairy-Stockfish to SFEN: hands leave the brackets, its White is the side that moves first."""
    board, side, *_ = fen.split()
    board, hands = board.rstrip("]").split("[")
    counted = "".join(f"{hands.count(c) if hands.count(c) > 1 else ''}{c}" for c in "RBGSNLPrbgsnlp" if c in hands)
    return f"{board} {'b' if side == 'w' else 'w'} {counted or '-'} 1"


def first_moves(rules, usi, fen, peer, length):
    """The first moves that mate; None if one of the two proofs leaves a check open."""
    sfen, right = to_sfen(fen), []
    checks = [(first, rules.after(fen, move)) for move, first in rules.checks(fen)]
    if peer is exhaustive and len(checks) > 9:
        return None  # too many to try them all
    replies = [(first, reply) for first, after in checks for _, reply in rules.moves(after)]
    answers = dict(zip(replies, usi.mates([(sfen, list(pair)) for pair in replies])))
    for first, after in checks:
        lines = [line for (other, _), line in answers.items() if other == first]
        ours = False if [] in lines else None if None in lines else True
        theirs = peer(rules, after, sfen, first, length)
        if ours is None or theirs is None:
            return None
        if ours != theirs:
            # A mate that takes longer than the other side of the proof looks is no disagreement.
            if ours and peer is exhaustive:
                return None
            sys.exit(f"{sfen} {first}: {ours} by us, {theirs} by the other program")
        if ours:
            right.append(first)
    return right


def exhaustive(rules, after, _sfen, _first, length):
    """Whether no reply to a check helps, by trying all checks and all replies as deep as the shortest mate."""
    return rules.mated(after, length - 1, KNOWN)


KNOWN = {}


def by_cshogi(rules, after, sfen, first, _length):
    """The same by cshogi's df-pn after every reply."""
    import cshogi

    solver = cshogi.DfPn(31, 1000000, 32767)
    for _, reply in rules.moves(after):
        board = cshogi.Board(sfen)
        board.push_usi(first)
        board.push_usi(reply)
        if not solver.search(board):
            return False
    return True


# Endings of Blokus Duo


def endings(run, wanted, seed):
    import crosscheck_blokus as rules

    lines = []
    places = list(games(run))
    random.Random(seed).shuffle(places)
    for number, moves, _ in places:
        if len(lines) >= wanted:
            break
        for back in range(4, 14):
            played = moves[: len(moves) - back]
            results = ending_results(rules, played)
            if results is None:
                break
            if not results:
                continue
            best = max(results.values())
            right = [move for move, result in results.items() if result == best]
            if len(results) < 6 or len(right) * 2 > len(results) or best < 0:
                continue
            ours = {move: our_ending(played + [move]) for move in results}
            if None in ours.values():
                continue
            if ours != results:
                sys.exit(f"{' '.join(played)}: {results} here, {ours} by the solver")
            says = "wins" if best > 0 else "draws"
            print(f"  game {number}", flush=True)
            lines.append(one_line(f"startpos moves {' '.join(played)}", right, f"{says}, game {number} ply {len(played)}"))
            break
    return lines


def our_ending(moves):
    """1, 0, -1 for the side that has just moved."""
    command = [YOMI, "analyze", "--game", "blokus-duo", "--player", "endgame-first(random,nodes=3000000,moves=200)", "--moves", " ".join(moves), "--json"]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        # The game is over: who has won, the record says.
        return over(moves)
    answer = json.loads(output.stdout.splitlines()[-1])
    proof = (answer["proof"] or "").split()
    return {"won": -1, "lost": 1, "drawn": 0, "draw": 0}.get(proof[0] if proof else "", None)


def over(moves):
    command = [YOMI, "sample", "--game", "blokus-duo", "--moves", " ".join(moves), "--max-plies", "0"]
    row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])
    black = {"black wins": 1, "white wins": -1}.get(row["outcome"], 0)
    return black if len(moves) % 2 == 1 else -black


class TooMuch(Exception):
    """A position that is not solved in reasonable time."""


def ending_results(rules, played):
    """What every move leads to, for the side that makes it; None if that takes too long, {} if there is little to choose from."""
    sides = [set(), set()]
    for ply, move in enumerate(played):
        if move != "pass":
            sides[ply % 2] |= {("abcdefghijklmn".index(p[0]), int(p[1:]) - 1) for p in move.split(",")}
    turn = len(played) % 2
    candidates = []
    for side in (0, 1):
        used = {rules.free(group) for group in rules.groups(sides[side])}
        barred = rules.mask(sides[0]) | rules.mask(sides[1]) | rules.mask({(x + dx, y + dy) for x, y in sides[side] for dx, dy in rules.EDGES})
        candidates.append([(piece, mask, text) for piece, mask, text in rules.PLACEMENTS if not mask & barred and piece not in used])
    search = Ending(rules, candidates)
    state = (rules.mask(sides[0]), rules.mask(sides[1]), frozenset(), frozenset())
    legal = search.legal(state, turn)
    if len(legal) < 6 or len(legal) > 40:
        return {} if len(legal) < 6 else None
    try:
        return {text: -search.value(search.play(state, turn, piece, mask), 1 - turn, -1, 1) for piece, mask, text in legal}
    except TooMuch:
        return None


class Ending:
    """Exhaustive search of an ending: 1 for a win of the side to move, 0 for a draw, -1 for a loss."""

    def __init__(self, rules, candidates):
        self.rules, self.candidates, self.known, self.nodes = rules, candidates, {}, 0
        self.left = 1
        for x in range(rules.SIZE):
            for y in range(rules.SIZE):
                self.left |= rules.bit((x, y))
        self.column_a = sum(rules.bit((0, y)) for y in range(rules.SIZE))
        self.column_n = sum(rules.bit((rules.SIZE - 1, y)) for y in range(rules.SIZE))

    def sideways(self, squares):
        return (squares & ~self.column_n) << 1 | (squares & ~self.column_a) >> 1

    def legal(self, state, turn):
        own, other, used = state[turn], state[1 - turn], state[2 + turn]
        size = self.rules.SIZE
        beside = self.sideways(own)
        edges = beside | own << size | own >> size
        corners = beside << size | beside >> size
        barred = own | other | edges
        return [(p, m, t) for p, m, t in self.candidates[turn] if not m & barred and m & corners and p not in used]

    def play(self, state, turn, piece, mask):
        squares, used = list(state[:2]), list(state[2:])
        squares[turn] |= mask
        used[turn] = used[turn] | {piece}
        return (*squares, *used)

    def value(self, state, turn, alpha, beta):
        key = (state[0], state[1], turn)
        if key in self.known:
            return self.known[key]
        self.nodes += 1
        if self.nodes > 4000:
            raise TooMuch
        moves = self.legal(state, turn)
        if not moves:
            if not self.legal(state, 1 - turn):
                margin = bin(state[turn]).count("1") - bin(state[1 - turn]).count("1")
                best = (margin > 0) - (margin < 0)
            else:
                best = -self.value(state, 1 - turn, -1, 1)
        else:
            best = -1
            for piece, mask, _ in sorted(moves, key=lambda move: -bin(move[1]).count("1")):
                best = max(best, -self.value(self.play(state, turn, piece, mask), 1 - turn, -1, 1))
                if best == 1:
                    break
        self.known[key] = best
        return best


# Go on four by four


class Board:
    """Go on a small board from first principles: area scoring, positional superko, no suicide, two passes end the game. Sides are sets of bits."""

    def __init__(self, size, komi):
        self.size, self.komi, self.all = size, komi, (1 << size * size) - 1
        self.first = sum(1 << row * size for row in range(size))
        self.last = self.first << size - 1
        self.budget = 0

    def beside(self, points):
        sideways = (points & ~self.last) << 1 | (points & ~self.first) >> 1
        return (sideways | points << self.size | points >> self.size) & self.all

    def chain(self, point, stones):
        while True:
            larger = point | self.beside(point) & stones
            if larger == point:
                return point
            point = larger

    def play(self, own, other, point):
        """Both sides after a stone; None where suicide forbids it."""
        own |= point
        touched = self.beside(point) & other
        while touched:
            chain = self.chain(touched & -touched, other)
            touched &= ~chain
            if not self.beside(chain) & ~(own | other):
                other &= ~chain
        return (own, other) if self.beside(self.chain(point, own)) & ~(own | other) else None

    def black_wins(self, black, white):
        points, empty = bin(black).count("1") - bin(white).count("1"), self.all & ~(black | white)
        while empty:
            region = self.chain(empty & -empty, empty)
            empty &= ~region
            edge = self.beside(region)
            points += bin(region).count("1") * (bool(edge & black) - bool(edge & white))
        return points > self.komi

    def wins(self, own, other, black, passed, past, depth):
        """Whether the side to move wins; None if that is not decided in as many plies. Nothing is remembered from one line for another: superko
        makes the past count."""
        self.budget -= 1
        if self.budget < 0:
            raise TooMuch
        ahead = self.black_wins(own, other) if black else not self.black_wins(other, own)
        if passed and ahead:
            return True
        if depth == 0:
            return None
        after, empty = [], self.all & ~(own | other)
        while empty:
            point = empty & -empty
            empty ^= point
            sides = self.play(own, other, point)
            key = sides and (sides if black else sides[::-1])
            if sides and key not in past:
                after.append((bin(sides[1]).count("1"), -bin(self.beside(point) & other).count("1"), sides, key))
        after.sort()
        # The side that is ahead tries a pass first: the other one then has to find something. After a pass another one ends the game.
        passes = [] if passed else [None]
        result = False
        for child in [*passes, *after] if ahead else [*after, *passes]:
            if child is None:
                theirs = self.wins(other, own, not black, True, past, depth - 1)
            else:
                *_, (mine, opponent), key = child
                past.add(key)
                theirs = self.wins(opponent, mine, not black, False, past, depth - 1)
                past.remove(key)
            if theirs is False:
                return True
            if theirs is None:
                result = None
        return result

    def solve(self, own, other, black, passed, past):
        """The same, deeper and deeper."""
        self.budget = 4000
        for depth in range(2, 30):
            result = self.wins(own, other, black, passed, past, depth)
            if result is not None:
                return result
        raise TooMuch


def small_go(size, komi, wanted, seed):
    """SGF problems: setup stones, the right moves as variations."""
    rules, game, lines, seen = Board(size, komi), f"go{size}(komi={komi})", [], set()
    generator = random.Random(seed)
    while len(lines) < wanted:
        command = [YOMI, "sample", "--game", game, "--games", "200", "--seed", str(generator.randrange(10**6)), "--simulate", "--max-plies", "16"]
        for row in map(json.loads, subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()):
            black, white = board_of(row, size)
            turn, empty = len(row["played"]) % 2, bin(rules.all & ~(black | white)).count("1")
            if row["outcome"] or not 3 <= empty <= 7 or len(row["played"]) < 8 or (black, white, turn) in seen:
                continue
            seen.add((black, white, turn))
            results = go_results(rules, black, white, turn == 0)
            right = [move for move, wins in (results or {}).items() if wins]
            if not right or len(right) > 2 or len(results) < 3:
                continue
            ours = {move: our_go(game, size, black, white, turn, move) for move in results}
            if None in ours.values():
                continue
            if ours != results:
                sys.exit(f"{row['position']}: {results} here, {ours} by our search")
            lines.append(sgf(size, komi, black, white, "BW"[turn], right))
            print(f"  {lines[-1]}", flush=True)
            if len(lines) >= wanted:
                break
    return lines


def name_of(point, size):
    return f"{'ABCDEFGHJ'[point % size]}{point // size + 1}"


def board_of(row, size):
    """Black's and White's stones in a row of `yomi sample`, played again here."""
    rules, sides = Board(size, 0), (0, 0)
    for ply, move in enumerate(row["played"]):
        if move != "pass":
            point = 1 << (int(move[1:]) - 1) * size + "ABCDEFGHJ".index(move[0])
            own, other = rules.play(sides[ply % 2], sides[1 - ply % 2], point)
            sides = (own, other) if ply % 2 == 0 else (other, own)
    return sides


def go_results(rules, black, white, black_moves):
    """Whether each move wins; None if one of them is not solved."""
    own, other = (black, white) if black_moves else (white, black)
    results = {}
    try:
        for point in range(rules.size**2):
            sides = None if (own | other) >> point & 1 else rules.play(own, other, 1 << point)
            key = sides and (sides if black_moves else sides[::-1])
            if sides and key != (black, white):
                results[name_of(point, rules.size)] = not rules.solve(sides[1], sides[0], not black_moves, False, {(black, white), key})
        results["pass"] = not rules.solve(other, own, not black_moves, True, {(black, white)})
    except TooMuch:
        return None
    return results


def sgf(size, komi, black, white, color, right):
    def point(i):
        return f"{'abcdefghi'[i % size]}{'abcdefghi'[size - 1 - i // size]}"

    def move(name):
        return "" if name == "pass" else point((int(name[1:]) - 1) * size + "ABCDEFGHJ".index(name[0]))

    def stones(side):
        return "".join(f"[{point(i)}]" for i in range(size * size) if side >> i & 1)

    setup = "".join(f"{word}{stones(side)}" for word, side in (("AB", black), ("AW", white)) if side)
    answers = "".join(f"(;{color}[{move(name)}]C[RIGHT])" for name in right)
    return f"(;GM[1]FF[4]SZ[{size}]KM[{komi}]{setup}PL[{color}]{answers})"


def our_go(game, size, black, white, turn, move):
    """Whether a move wins, by a proof of our tree search for the other side; None if it does not decide."""
    stone = ["b" if black >> i & 1 else "w" if white >> i & 1 else "." for i in range(size * size)]
    rows = "/".join("".join(stone[row * size : (row + 1) * size]) for row in reversed(range(size)))
    command = [YOMI, "analyze", "--game", game, "--player", "uct + rollout", "--sims", "300000", "--position", f"{rows} {'bw'[turn]} - 0",
               "--moves", move, "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return {"won": False, "lost": True}.get((answer["proof"] or "open").split()[0])


# The experiment

HEAD = """name = "x-known-answers"
title = "Positions with known answers"
question = "How many positions with a proven answer does each method of the family solve, and how does that grow with its budget?"
note = [
  "Mates are three to seven plies before the end of games in results/; right is every first move that mates by checks. Endings of Blokus Duo: every move with the best result that can be reached. Go on four by four: every winning move. scripts/known_answers.py found the positions and had every answer proven twice, by our solvers and by programs that share no code with them. A longer win that is no mate by checks does not count; in six of the mates some search proved one.",
  "Constants are those of x-family in minishogi, the defaults of each method elsewhere.",
]

"""

SHOGI = [
    ("mcss", "mcss(t=60) + quiet(linear)"),
    ("mcss, cold backup", "mcss(t=40,tb=5) + quiet(linear)"),
    ("mcss-puct", "mcss-puct(ts=10) + guided(quiet(linear))"),
    ("ments", "ments(t=80) + quiet(linear)"),
    ("rents", "rents(t=10) + quiet(linear)"),
    ("tents", "tents(t=160) + quiet(linear)"),
    ("bts", "bts(t=80) + quiet(linear)"),
    ("dents", "dents(t=80,beta=80) + quiet(linear)"),
    ("rbfm", "rbfm(sigma=80) + quiet(linear)"),
    ("ubfm", "ubfm + quiet(linear)"),
    ("softmax-best-first", "softmax-best-first(t=40) + quiet(linear)"),
    ("uct-h", "uct-h(c=10) + quiet(linear)"),
    ("uct-max-h", "uct-max-h(c=80) + quiet(linear)"),
    ("puct", "puct(c=800) + guided(quiet(linear))"),
    ("mcss-deep", "mcss-deep + linear"),
    ("alpha-beta", "alpha-beta + linear"),
]
PLAYOUTS = [
    ("mcss", "mcss(t=0.1) + rollout(n=8)"),
    ("mcss, cold backup", "mcss(t=0.1,tb=0.01) + rollout(n=8)"),
    ("mcss-puct", "mcss-puct + rollout(n=8)"),
    ("ments", "ments(t=0.05) + rollout(n=8)"),
    ("rents", "rents(t=0.05) + rollout(n=8)"),
    ("tents", "tents(t=0.05) + rollout(n=8)"),
    ("bts", "bts(t=0.05) + rollout(n=8)"),
    ("dents", "dents(t=0.05,beta=0.05) + rollout(n=8)"),
    ("rbfm", "rbfm(sigma=0.1) + rollout(n=8)"),
    ("ubfm", "ubfm + rollout(n=8)"),
    ("softmax-best-first", "softmax-best-first(t=0.1) + rollout(n=8)"),
    ("uct-h", "uct-h(c=0.1) + rollout(n=8)"),
    ("uct-max-h", "uct-max-h(c=0.1) + rollout(n=8)"),
    ("puct", "puct(c=1) + rollout(n=8)"),
    ("uct", "uct + rollout(n=8)"),
    ("rave", "rave + rollout(n=8)"),
]
PARTS = [
    ("minishogi-mates.sfen", "Minishogi: mates in three and five", "minishogi", "evals=100,evals=1000,evals=10000", SHOGI),
    ("shogi-mates.sfen", "Shogi: mates in three, five and seven", "shogi", "evals=100,evals=1000,evals=10000", SHOGI),
    ("blokus-duo-endings.txt", "Blokus Duo: endings", "blokus-duo", "evals=10,evals=30,evals=100,evals=300", PLAYOUTS),
    ("go4.sgf", "Go on four by four", "go4(komi=0.5)", "evals=10,evals=30,evals=100,evals=300", PLAYOUTS),
]


def experiment():
    """One experiment of all files: their parts as `yomi experiment suite` writes them, with titles and the names of the methods."""
    parts = []
    for file, title, game, budgets, players in PARTS:
        command = [YOMI, "experiment", "suite", "--game", game, "--budgets", budgets, f"{FOLDER}/{file}"]
        for _, player in players:
            command += ["--player", player]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        labels = iter(label for label, _ in players)
        lines = []
        for line in text[text.index("[[suite]]") :].splitlines():
            if line.startswith("title = "):
                line = f'title = "{title}"'
            elif line.startswith("label = "):
                line = f'label = "{next(labels)}"'
            lines.append(line)
        parts.append("\n".join(lines))
    with open("experiments/x-known-answers.toml", "w", encoding="utf-8") as file:
        file.write(HEAD + "\n\n".join(parts) + "\n")


FILES = {
    "minishogi-mates.sfen": lambda: mates("minishogi", ["s0-table2", "levels-minishogi"], (3, 5), 7, exhaustive, 1),
    "shogi-mates.sfen": lambda: mates("shogi", ["s0-table1", "ladder-shogi"], (3, 5, 7), 6, by_cshogi, 2),
    "blokus-duo-endings.txt": lambda: endings("levels-blokus-duo", 20, 3),
    "go4.sgf": lambda: small_go(4, 0.5, 15, 4),
}


def main():
    words = sys.argv[1:]
    for name in [word for word in words if word != "experiment"] or ([] if words else FILES):
        write(name, FILES[name]())
    if not words or "experiment" in words:
        experiment()


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
