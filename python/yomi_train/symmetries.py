"""Symmetries of games: where squares and labels of moves come to lie, as lists of numbers. `crates/net/src/symmetry.rs` has the same ones for the native
trainer, and its tests read the table below."""

# Directions of shogi's moves in the order of their labels (docs/networks.md), from left to right and back.
MIRRORED = (0, 2, 1, 4, 3, 5, 7, 6, 9, 8)

# What the diagonal through both start squares makes of the 91 oriented pieces of Blokus: which one, and by how many rows and columns its reference square lies
# off the image of the old one.
TRANSPOSED = """
0,0,0 2,0,1 1,-1,0 4,0,0 3,0,0 8,0,0 6,0,0 7,0,0 5,0,0 10,0,1 9,-1,0 14,0,0 17,0,0 16,0,0 11,0,0 18,0,0 13,0,0 12,0,0 15,0,0 21,0,0 22,0,0 19,0,0
20,0,0 23,0,0 27,0,0 26,0,1 25,-1,0 24,0,0 29,0,0 28,0,0 33,0,0 36,0,0 35,0,0 30,0,0 37,0,0 32,0,0 31,0,0 34,0,0 41,0,0 44,0,0 43,0,0 38,0,0 45,0,0
40,0,0 39,0,0 42,0,0 49,0,0 52,0,0 51,0,0 46,0,0 53,0,0 48,0,0 47,0,0 50,0,0 56,0,0 57,0,0 54,0,0 55,0,0 61,0,0 64,0,0 63,0,0 58,0,0 65,0,0 60,0,0
59,0,0 62,0,0 68,0,0 69,0,0 66,0,0 67,0,0 73,0,0 71,0,0 72,0,0 70,0,0 77,0,0 75,0,0 76,0,0 74,0,0 81,0,0 80,0,0 79,0,0 78,0,0 85,0,0 88,0,0 87,0,0
82,0,0 89,0,0 84,0,0 83,0,0 86,0,0 90,0,0
"""

WHICH = ("none", "start", "rules")


def symmetries(layout, board, which="start"):
    """For each symmetry, the identity first, two lists: where every square goes, and where every label goes. `start`: those that leave the starting position
    as it is; `rules`: all that the rules have, the mirror of shogi as well; `none`: the identity alone."""
    if which not in WHICH:
        raise ValueError(f"no symmetries `{which}`; there are {', '.join(WHICH)}")
    points = board * board
    plain = list(range(points))
    if layout == "go-15":
        found = [(squares, [*squares, points]) for squares in square(board)]
    elif layout == "blokus-duo-49":
        found = [(plain, list(range(91 * points + 1))), (transpose(board, plain), transposed_labels(board))]
    elif layout in ("shogi-104", "dlshogi-119", "minishogi-40"):
        # Squares are counted file by file.
        mirror = [(board - 1 - at // board) * board + at % board for at in plain]
        labels = [mirrored(plane) * points + mirror[at] for plane in range(27) for at in plain]
        found = [(plain, list(range(27 * points))), (mirror, labels)]
        found = found if which == "rules" else found[:1]
    else:
        raise ValueError(f"no plane layout `{layout}`")
    return found[:1] if which == "none" else found


def square(board):
    """The eight symmetries of a square board."""
    maps = []
    for flip in (False, True):
        places = [(at % board, at // board) if flip else (at // board, at % board) for at in range(board * board)]
        for _ in range(4):
            maps.append([row * board + column for row, column in places])
            places = [(column, board - 1 - row) for row, column in places]
    return maps


def mirrored(plane):
    """The plane of labels that a plane of shogi's labels becomes in the mirror: ten directions, the same with promotion, drops."""
    return plane // 10 * 10 + MIRRORED[plane % 10] if plane < 20 else plane


def transpose(board, squares):
    return [at % board * board + at // board for at in squares]


def transposed_labels(board):
    """Labels of placements in the diagonal; a label for which there is no placement stays where it is."""
    labels = []
    for plane, entry in enumerate(TRANSPOSED.split()):
        image, rows, columns = (int(number) for number in entry.split(","))
        for at in range(board * board):
            row, column = at % board + rows, at // board + columns
            inside = 0 <= row < board and 0 <= column < board
            labels.append(image * board**2 + row * board + column if inside else plane * board**2 + at)
    return [*labels, len(labels)]
