"""Boards of all games."""

from __future__ import annotations

import copy
import pickle
import threading
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import yomi

GAMES = ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo", "othello", "tic-tac-toe", "connect-four", "nim"]
NETWORKS = ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo"]


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_played_and_taken_back(game: str) -> None:
    board = yomi.Board(game)
    keys = [board.key]
    rng = np.random.default_rng(1)
    while board.plies < 12 and not board.is_over:
        moves = board.legal_moves
        assert len(set(moves)) == len(moves)
        board.push_line(moves[rng.integers(len(moves))])
        keys.append(board.key)
    again = yomi.Board(game, moves=" ".join(board.moves))
    assert again.key == board.key and again.legal_moves == board.legal_moves
    while board.plies:
        board.pop()
        keys.pop()
        assert board.key == keys[-1]


@pytest.mark.parametrize("game", GAMES)
def test_copies_go_their_own_way(game: str) -> None:
    board = yomi.Board(game)
    board.push_line(board.legal_moves[0])
    for other in (board.copy(), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert other.key == board.key and other.moves == board.moves
        other.pop()
        assert other.plies == 0 and board.plies == 1


def test_positions_are_those_of_the_program() -> None:
    board = yomi.Board("shogi", moves="7g7f 3c3d")
    assert board.position == "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"
    assert len(board.legal_moves) == 39 and board.turn == "black"
    assert "７六歩" in yomi.Board("shogi").spoken("7g7f") or "76歩" in yomi.Board("shogi").spoken("7g7f")
    assert yomi.Board("go9(komi=6.5)").rules == "go9(komi=6.5)"
    assert board.places()["columns"] == 9


@pytest.mark.parametrize("game", GAMES)
def test_pictures_are_svg(game: str) -> None:
    board = yomi.Board(game)
    move = board.legal_moves[0]
    for text in (board._repr_svg_(), board.picture(arrows={move: 0.5}, night=True)._repr_svg_()):
        assert xml.fromstring(text).tag.endswith("svg")
    assert str(board).strip()


@pytest.mark.parametrize(
    ("game", "moves", "formats"),
    [
        ("shogi", "7g7f 3c3d", ["kif", "kifu", "ki2", "ki2u", "csa", "csa3", "usi", "sfen"]),
        ("minishogi", "5d5c", ["kif", "csa", "usi"]),
        ("go9", "E5 C3", ["sgf"]),
        ("blokus-duo", None, ["blksgf"]),
    ],
)
def test_records_of_every_format_read_back(game: str, moves: str | None, formats: list[str], tmp_path) -> None:
    board = yomi.Board(game)
    board.push_line(board.legal_moves[0] if moves is None else moves)
    for format in formats:
        path = tmp_path / f"game.{format}"
        board.save(path, "B", "W")
        read = yomi.Board.read(path, game)
        assert len(read) == 1 and read[0].moves == board.moves, format


@pytest.mark.parametrize("game", NETWORKS)
def test_planes_go_into_the_caller_s_array(game: str) -> None:
    board = yomi.Board(game)
    out = np.full(board.plane_shape, np.nan, dtype=np.float32)
    assert board.planes(out) is out and np.isfinite(out).all() and out.any()
    before = out.copy()
    board.push_line(board.legal_moves[0])
    assert (board.planes(out) != before).any()
    board.pop()
    assert (board.planes() == before).all()
    stack = np.zeros((3, *board.plane_shape), dtype=np.float32)
    board.planes(stack[1])
    assert (stack[1] == before).all() and not stack[0].any() and not stack[2].any()
    labels = board.labels()
    assert len(set(labels)) == len(board.legal_moves) and max(labels) < board.label_count
    assert board.label_mask().sum() == len(labels)


def test_wrong_arrays_are_refused() -> None:
    board = yomi.Board("minishogi")
    shape = board.plane_shape
    for wrong in (np.zeros((2, 2), dtype=np.float32), np.zeros(shape, dtype=np.float32)[..., ::-1]):
        with pytest.raises(yomi.Error, match="float32 of shape"):
            board.planes(wrong)
    frozen = np.zeros(shape, dtype=np.float32)
    frozen.flags.writeable = False
    for wrong in (frozen, np.zeros(shape)):
        with pytest.raises((yomi.Error, BufferError, ValueError)):
            board.planes(wrong)
    with pytest.raises(yomi.Error, match="a game that networks learn"):
        yomi.Board("othello").planes()


@pytest.mark.parametrize(
    ("wrong", "says", "column"),
    [
        (lambda: yomi.Board("chess"), "chess is not a game", 1),
        (lambda: yomi.Board("go9(komi=many)"), "komi", 10),
        (lambda: yomi.Board("minishogi", "nonsense"), "", 0),
        (lambda: yomi.Board("minishogi").push("5d5a"), "5d5a", 0),
        (lambda: yomi.Board("minishogi").push_line("5d5c nonsense"), "nonsense", 0),
        (lambda: yomi.Board("minishogi").pop(), "there is nothing to take back", 0),
        (lambda: yomi.Board("minishogi").end("flag"), "resign", 0),
        (lambda: yomi.Board("tic-tac-toe").record("kif"), "cannot be written in this format", 0),
        (lambda: yomi.Board("shogi").record("pgn"), "pgn is no format", 0),
        (lambda: yomi.Board.read_bytes(b"\x00\xff", "csa"), "", 0),
    ],
)
def test_errors_are_those_of_the_program(wrong, says: str, column: int) -> None:
    with pytest.raises(yomi.Error) as caught:
        wrong()
    error = caught.value
    assert says in str(error) and isinstance(error, ValueError)
    assert error.message and (column == 0 or error.column == column), (error.column, str(error))


def test_closed_boards_say_so() -> None:
    with yomi.Board("go9") as board:
        board.push("E5")
    assert board.closed and repr(board) == "<yomi.Board, closed>"
    for use in (lambda: board.legal_moves, lambda: board.push("A1"), lambda: yomi.search(board, "uct", sims=1), board.copy):
        with pytest.raises(yomi.Error, match="the board is closed"):
            use()
    board.close()


def test_a_board_that_is_searched_is_busy() -> None:
    board = yomi.Board("minishogi")
    begun, go_on = threading.Event(), threading.Event()

    def hear(_: yomi.Analysis) -> None:
        begun.set()
        if go_on.is_set():
            raise RuntimeError("enough")

    def think() -> None:
        with pytest.raises(RuntimeError, match="enough"):
            yomi.search(board, "mcss", time=600.0, progress=hear, every=0.02)

    thread = threading.Thread(target=think)
    thread.start()
    assert begun.wait(60)
    with pytest.raises(yomi.Error, match="busy"):
        board.push("5d5c")
    go_on.set()
    thread.join(60)
    assert not thread.is_alive() and board.push("5d5c") == "5d5c"
