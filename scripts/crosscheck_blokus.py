#!/usr/bin/env python3
"""Blokus Duo from first principles, to check the engine against.

Nothing here comes from the engine: pieces are grown square by square, coordinates are Pentobi's (a1 at the bottom left), and every
placement on the board is tried in every position. Reads what the example blokus_dump prints:

    cargo run --release -p yomi-games --example blokus_dump -- --positions 3000 | scripts/crosscheck_blokus.py

and ends with an error if a single line differs. With --counts it prints the sizes of the game and its perft instead.
"""

import sys

SIZE = 14
STARTS = ("e10", "j5")


def grow(shapes):
    """All shapes with one square more."""
    grown = set()
    for shape in shapes:
        for x, y in shape:
            for square in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if square not in shape:
                    grown.add(at_origin(shape | {square}))
    return grown


def at_origin(squares):
    left, bottom = min(x for x, _ in squares), min(y for _, y in squares)
    return frozenset((x - left, y - bottom) for x, y in squares)


def free(squares):
    """The piece of some squares: the smallest of its eight images."""
    images = []
    for _ in range(4):
        squares = frozenset((y, -x) for x, y in squares)
        images += [at_origin(squares), at_origin(frozenset((-x, y) for x, y in squares))]
    return min(tuple(sorted(image)) for image in images)


def bit(square):
    return 1 << (square[1] * SIZE + square[0])


def mask(squares):
    return sum(bit(s) for s in squares if 0 <= s[0] < SIZE and 0 <= s[1] < SIZE)


def name(square):
    return "abcdefghijklmn"[square[0]] + str(square[1] + 1)


def near(squares, steps):
    return mask({(x + dx, y + dy) for x, y in squares for dx, dy in steps})


EDGES = ((1, 0), (-1, 0), (0, 1), (0, -1))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
START_BITS = [bit((ord(p[0]) - ord("a"), int(p[1:]) - 1)) for p in STARTS]


def all_placements():
    """(piece, mask, text) of every placement."""
    placements = []
    shapes = {frozenset({(0, 0)})}
    for _ in range(5):
        for shape in shapes:
            piece = free(shape)
            for x in range(SIZE - max(x for x, _ in shape)):
                for y in range(SIZE - max(y for _, y in shape)):
                    squares = sorted(((x + dx, y + dy) for dx, dy in shape), key=lambda s: (s[1], s[0]))
                    placements.append((piece, mask(squares), ",".join(map(name, squares))))
        shapes = grow(shapes)
    return placements


PLACEMENTS = all_placements()


def groups(squares):
    """Squares that hang together along edges."""
    rest = set(squares)
    while rest:
        group, todo = set(), [rest.pop()]
        while todo:
            x, y = todo.pop()
            group.add((x, y))
            for dx, dy in EDGES:
                if (x + dx, y + dy) in rest:
                    rest.remove((x + dx, y + dy))
                    todo.append((x + dx, y + dy))
        yield frozenset(group)


def legal(own, other, starts):
    """The texts of the placements that the side with the squares `own` may lay."""
    used = {free(group) for group in groups(own)}
    barred = mask(own) | mask(other) | near(own, EDGES)
    wanted = near(own, CORNERS) if own else starts
    return [text for piece, m, text in PLACEMENTS if not m & barred and m & wanted and piece not in used]


def read_board(text):
    """The squares of both sides."""
    sides = {"b": set(), "w": set()}
    rows = text.split("/")
    assert len(rows) == SIZE, text
    for row, y in zip(rows, range(SIZE - 1, -1, -1)):
        x, number = 0, ""
        for c in row:
            if c.isdigit():
                number += c
                continue
            x += int(number or 0)
            number = ""
            sides[c].add((x, y))
            x += 1
        assert x + int(number or 0) == SIZE, text
    return sides


def score(side, squares, bonus, crowned):
    complete = bonus and sum(1 for _ in groups(squares)) == 21
    return len(squares) + (15 if complete else 0) + (5 if complete and side in crowned else 0)


def expected(rules, position):
    """What the line should say after the position."""
    board, turn, *crowned = position.split(" ")
    sides = read_board(board)
    starts = {side: sum(START_BITS) if "start=free" in rules else START_BITS[i] for i, side in enumerate("bw")}
    black, white = (score(s, sides[s], "bonus=true" in rules, "".join(crowned)) for s in "bw")
    other = "w" if turn == "b" else "b"
    moves = set(legal(sides[turn], sides[other], starts[turn]))
    if not moves:
        if legal(sides[other], sides[turn], starts[other]):
            moves = {"pass"}
        else:
            winner = "Draw" if black == white else "Win(Black)" if black > white else "Win(White)"
            return f"{black} {white}", f"over {winner}"
    return f"{black} {white}", moves


def check(lines):
    count = moves = passes = overs = bad = 0
    for line in lines:
        rules, position, scores, answer = line.rstrip("\n").split("\t")
        wanted_scores, wanted = expected(rules, position)
        ours = answer if answer.startswith("over") else set(answer.split(" "))
        doubled = not isinstance(ours, str) and len(ours) != len(answer.split(" "))
        count += 1
        moves += 0 if isinstance(wanted, str) else len(wanted)
        passes += wanted == {"pass"}
        overs += isinstance(wanted, str)
        if scores != wanted_scores or ours != wanted or doubled:
            bad += 1
            print(f"DIFFERENT: {rules} {position}\n  scores {scores}, expected {wanted_scores}")
            if isinstance(ours, set) and isinstance(wanted, set):
                print(f"  missing {sorted(wanted - ours)[:5]}, too many {sorted(ours - wanted)[:5]}")
            else:
                print(f"  {str(ours)[:100]}, expected {str(wanted)[:100]}")
    print(f"{count} positions ({passes} passes, {overs} ends), {moves} moves: {bad} different")
    return count > 0 and bad == 0


def counts():
    """Sizes and perft. Depth 3 without playing: White's first piece only takes squares away from Black's second."""
    print(len({free(m) for m in shapes_of_placements()}), "pieces,", len(PLACEMENTS), "placements")
    first = [[(m, t) for _, m, t in PLACEMENTS if m & START_BITS[i]] for i in range(2)]
    print("perft 1:", len(first[0]))
    clear = all(not b & w for b, _ in first[0] for w, _ in first[1])
    print("perft 2:", len(first[0]) * len(first[1]) if clear else "first pieces meet")
    disjoint = {t: sum(not m & w for w, _ in first[1]) for _, m, t in PLACEMENTS}
    formations = [legal(squares(t), set(), 0) for _, t in first[0]]
    sizes = [len(f) for f in formations]
    print(f"second placements of one side: {min(sizes)} to {max(sizes)}, together {sum(sizes)}")
    print("perft 3:", sum(disjoint[t] for formation in formations for t in formation))


def squares(text):
    return {(ord(p[0]) - ord("a"), int(p[1:]) - 1) for p in text.split(",")}


def shapes_of_placements():
    return {at_origin(squares(text)) for _, _, text in PLACEMENTS}


if __name__ == "__main__":
    if sys.argv[1:] == ["--counts"]:
        counts()
    else:
        sys.exit(0 if check(sys.stdin) else 1)
