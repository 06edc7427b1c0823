"""The rules of Yomi against other people's programs: called by scripts/crosscheck."""

import json
import os
import shutil
import subprocess
import sys

import cshogi
import pyffish
import pyspiel

import crosscheck_blokus

YOMI = "target/release/yomi"
COLUMNS = "ABCDEFGHJKLMNOPQRST"


def sample(game, games, seed, *more):
    """Positions of random games as `yomi sample` prints them."""
    command = [YOMI, "sample", "--game", game, "--games", str(games), "--seed", str(seed), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed")


class Tally:
    """Counts what was compared and keeps the first differences."""

    def __init__(self, game, peer, what):
        self.game, self.peer, self.what = game, peer, what
        self.positions = self.moves = self.differences = 0
        self.notes = {}

    def compare(self, row, ours, theirs):
        self.positions += 1
        self.moves += len(ours)
        if ours != theirs:
            self.differences += 1
            if self.differences <= 5:
                print(f"  DIFFERENT from {self.peer}: {row['game']} {row['position']}")
                print(f"    only ours {sorted(ours - theirs)}  only theirs {sorted(theirs - ours)}")

    def note(self, what):
        self.notes[what] = self.notes.get(what, 0) + 1

    def report(self):
        notes = "; ".join(f"{count} {what}" for what, count in sorted(self.notes.items()))
        print(f"{self.game:12} {self.peer:28} {self.positions:8} positions {self.moves:9} moves {self.differences} different  {notes}")
        return f"| {self.game} | {self.peer} | {self.what} | {self.positions:,} | {self.moves:,} | {self.differences} | {notes} |"


def is_drop_pawn_mate(variant, sfen, move):
    """Whether Fairy-Stockfish, which allows it, sees a pawn drop that mates."""
    if not move.startswith("P@") and not move.startswith("P*"):
        return False
    after = pyffish.get_fen(variant, sfen, [move])
    return pyffish.gives_check(variant, sfen, [move]) and not pyffish.legal_moves(variant, after, [])


def shogi_family(game, variant, games, seed, others):
    """Legal moves of shogi or minishogi against Fairy-Stockfish and others."""
    fairy = Tally(game, "Fairy-Stockfish (pyffish)", "legal moves")
    tallies = [fairy] + [tally for tally, _ in others]
    for row in sample(game, games, seed, "--max-plies", "300"):
        if row["outcome"] and row["moves"] == [] and "draw" in row["outcome"]:
            continue  # ended by repetition, which a bare position does not know
        ours = set(row["moves"])
        sfen = row["position"]
        fen = pyffish.sfen_to_fen(sfen) if hasattr(pyffish, "sfen_to_fen") else sfen_to_fen(sfen)
        theirs = {}
        for move in pyffish.legal_moves(variant, fen, []):
            theirs[fairy_to_usi(move, variant)] = move
        extra = set(theirs) - ours
        mates = {usi for usi in extra if is_drop_pawn_mate(variant, fen, theirs[usi])}
        for _ in mates:
            fairy.note("drop-pawn mates that it allows")
        fairy.compare(row, ours, set(theirs) - mates)
        for tally, legal in others:
            tally.compare(row, ours, legal(sfen))
    return [tally.report() for tally in tallies]


def sfen_to_fen(sfen):
    """SFEN to the FEN of Fairy-Stockfish: hands in brackets behind the board, White moves first under the name of w."""
    board, side, hands, *_ = sfen.split()
    pieces, count = "", ""
    for c in hands if hands != "-" else "":
        if c.isdigit():
            count += c
        else:
            pieces += c * int(count or 1)
            count = ""
    # Its White is the side that moves first and whose pieces are upper case: sente.
    return f"{board}[{pieces}] {'w' if side == 'b' else 'b'} 0 1"


def fairy_to_usi(move, variant):
    """Fairy-Stockfish counts files from the other side and ranks from the bottom: a1 is 9i."""
    size = 5 if variant == "minishogi" else 9

    def square(s):
        return f"{size - (ord(s[0]) - 97)}{chr(97 + size - int(s[1:]))}"

    if "@" in move:
        return f"{move[0]}*{square(move[2:])}"
    return square(move[:2]) + square(move[2:4]) + ("+" if move.endswith("+") else "")


def cshogi_moves(sfen):
    board = cshogi.Board(sfen)
    return {cshogi.move_to_usi(move) for move in board.legal_moves}


def openspiel_shogi(games, seed):
    """Whole games replayed in OpenSpiel: legal moves of every position."""
    tally = Tally("shogi", "OpenSpiel", "legal moves")
    game = pyspiel.load_game("shogi")
    state, number = None, None
    for row in sample("shogi", games, seed, "--max-plies", "150"):
        if row["number"] != number:
            state, number = game.new_initial_state(), row["number"]
        elif row["played"]:
            action = next(a for a in state.legal_actions() if state.action_to_string(a) == row["played"][-1])
            state.apply_action(action)
        if state.is_terminal():
            theirs = set()
        else:
            theirs = {state.action_to_string(a) for a in state.legal_actions()}
        tally.compare(row, set(row["moves"]), theirs)
    return [tally.report()]


def go_openspiel(size, games, seed):
    """Whole games replayed in OpenSpiel (area score, positional superko): legal moves, and the winner at the end."""
    legal = Tally(f"go{size}", "OpenSpiel", "legal moves, superko, winner")
    game = pyspiel.load_game("go", {"board_size": size, "komi": 7.5, "max_game_length": 4000})
    state, number = None, None
    for row in sample(f"go{size}(ko=positional,komi=7.5)", games, seed, "--max-plies", "1200"):
        if row["number"] != number:
            state, number = game.new_initial_state(), row["number"]
        elif row["played"]:
            move = row["played"][-1]
            state.apply_action(size * size if move == "pass" else openspiel_point(move, size))
        if state.is_terminal():
            theirs = set()
            winner = "black wins" if state.returns()[0] > 0 else "white wins"
            legal.note("finished games" if winner == row["outcome"] else "WINNERS THAT DIFFER")
            legal.differences += winner != row["outcome"]
        else:
            theirs = {gtp_point(a, size) for a in state.legal_actions()}
            for extra in theirs - set(row["moves"]):
                # OpenSpiel lets a side repeat a position and then ends the game; superko forbids the move.
                if state.child(openspiel_point(extra, size)).is_terminal():
                    theirs = theirs - {extra}
                    legal.note("repetitions that end the game there")
        legal.compare(row, set(row["moves"]), theirs)
    return [legal.report()]


def openspiel_point(vertex, size):
    return (int(vertex[1:]) - 1) * size + COLUMNS.index(vertex[0])


def gtp_point(action, size):
    return "pass" if action == size * size else f"{COLUMNS[action % size]}{action // size + 1}"


class GnuGo:
    """GNU Go over GTP."""

    def __init__(self, *options):
        path = shutil.which("gnugo") or "/usr/games/gnugo"
        self.process = subprocess.Popen([path, "--mode", "gtp", "--chinese-rules", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("GNU Go stopped answering")
            if line.strip() == "" and lines:
                break
            if line.strip():
                lines.append(line.rstrip())
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise RuntimeError(f"{command}: {answer}")
        return answer[1:].strip()


def go_gnugo(size, rule, option, games, seed, ends):
    """Legal moves of whole games against GNU Go under one ko rule, and its count of games played to the end."""
    gnugo = GnuGo("--level", "0", *([option] if option else []))
    legal = Tally(f"go{size}", f"GNU Go 3.8, {rule} ko", "legal moves")
    number = None
    for row in sample(f"go{size}(ko={rule})", games, seed, "--max-plies", "300"):
        if row["number"] != number:
            number = row["number"]
            gnugo.ask(f"boardsize {size}")
            gnugo.ask("clear_board")
        elif row["played"]:
            color = "black" if row["ply"] % 2 == 1 else "white"
            gnugo.ask(f"play {color} {row['played'][-1]}")
        if row["outcome"]:
            continue  # two passes: GNU Go would let the game go on
        side = "black" if row["ply"] % 2 == 0 else "white"
        theirs = set(gnugo.ask(f"all_legal {side}").split()) | {"pass"}
        legal.compare(row, set(row["moves"]), theirs)
    rows = [legal.report()]
    if ends:
        rows.append(go_scores(gnugo, size, ends, seed))
    gnugo.ask("quit")
    return rows


def go_scores(gnugo, size, games, seed):
    """Games played until only eyes are left: the area count against GNU Go's."""
    tally = Tally(f"go{size}", "GNU Go 3.8", "area score of finished games")
    komi = 7.5
    for row in sample(f"go{size}(komi={komi},ko=simple)", games, seed, "--simulate", "--ends-only", "--max-plies", "2000"):
        if row["outcome"] is None:
            continue
        gnugo.ask(f"boardsize {size}")
        gnugo.ask("clear_board")
        gnugo.ask(f"komi {komi}")
        for ply, move in enumerate(row["played"]):
            gnugo.ask(f"play {'black' if ply % 2 == 0 else 'white'} {move}")
        theirs = gnugo.ask("final_score").split()[0]
        tally.compare(row, {row["score"]}, {theirs})
    return tally.report()


def blokus(games, seed, rules):
    """Legal moves, scores and ends of Blokus Duo against an implementation from first principles, in this language."""
    tally = Tally("blokus-duo", "crosscheck_blokus.py", f"legal moves, end, score ({rules or 'usual rules'})")
    game = f"blokus-duo({rules})" if rules else "blokus-duo"
    for row in sample(game, games, seed):
        scores, theirs = crosscheck_blokus.expected(row["game"], row["position"])
        black, white = map(int, scores.split())
        margin = "0" if black == white else f"B+{black - white}" if black > white else f"W+{white - black}"
        ours = set(row["moves"]) or {"over"}
        theirs = theirs if isinstance(theirs, set) else {"over"}
        tally.compare(row, ours | {row["score"]}, theirs | {margin})
    return [tally.report()]


PARTS = {
    "shogi": lambda n: shogi_family("shogi", "shogi", n(60), 11, [(Tally("shogi", "cshogi (Apery)", "legal moves"), cshogi_moves)])
    + openspiel_shogi(n(40), 12),
    "minishogi": lambda n: shogi_family("minishogi", "minishogi", n(150), 13, []),
    "go": lambda n: go_openspiel(5, n(60), 14)
    + go_openspiel(9, n(20), 15)
    + go_openspiel(19, n(3), 16)
    + go_gnugo(5, "simple", None, n(60), 17, 0)
    + go_gnugo(5, "positional", "--positional-superko", n(60), 18, 0)
    + go_gnugo(7, "situational", "--situational-superko", n(30), 19, 0)
    + go_gnugo(9, "positional", "--positional-superko", n(30), 20, n(100))
    + go_gnugo(19, "positional", "--positional-superko", n(4), 21, n(10)),
    "blokus": lambda n: blokus(n(60), 22, "") + blokus(n(20), 23, "start=free,bonus=true"),
}


def main():
    words = sys.argv[1:]
    quick = "--quick" in words
    parts = [w for w in words if not w.startswith("-")] or list(PARTS)
    if unknown := [p for p in parts if p not in PARTS]:
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    rows = []
    for part in parts:
        rows += PARTS[part](lambda games: max(1, games // 10) if quick else games)
    different = sum("| 0 |" not in row for row in rows)
    if len(parts) == len(PARTS) and not quick:
        write_summary(rows)
    print("no differences" if different == 0 else f"{different} comparisons differ")
    sys.exit(different != 0)


def write_summary(rows):
    version = ".".join(map(str, pyffish.version()))
    text = f"""# The rules against other people's programs

Written by `scripts/crosscheck`: random games from `yomi sample`, every position compared. Fairy-Stockfish speaks through pyffish {version},
OpenSpiel {pyspiel_version()}, cshogi {package("cshogi")}, GNU Go over GTP. Fairy-Stockfish allows pawn drops that mate; they are recognised as such
(it says itself that the reply set is empty) and counted. OpenSpiel lets a side repeat a position and ends the game then, where superko forbids the move:
such moves are recognised by the end and counted.

| game | program | what is compared | positions | moves | different | notes |
|---|---|---|---|---|---|---|
""" + "\n".join(rows) + "\n"
    with open(os.path.join("docs", "crosscheck.md"), "w") as file:
        file.write(text)


def package(name):
    from importlib.metadata import version

    return version(name)


def pyspiel_version():
    return package("open_spiel")


if __name__ == "__main__":
    main()
