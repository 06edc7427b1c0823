"""Symmetries of the PyTorch trainer: lists that need nothing, and with PyTorch planes, labels and owners of samples."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from yomi_train.symmetries import symmetries  # noqa: E402

GAMES = {"shogi-104": (9, 27, 0), "minishogi-40": (5, 27, 0), "go-15": (9, 1, 1), "blokus-duo-49": (14, 91, 1)}
COUNTS = {"none": (1, 1, 1, 1), "start": (1, 1, 8, 2), "rules": (2, 2, 8, 2)}


def test_they_are_permutations():
    for which, counts in COUNTS.items():
        for count, (layout, (board, planes, passing)) in zip(counts, GAMES.items()):
            found = symmetries(layout, board, which)
            assert len(found) == count
            assert found[0] == (list(range(board**2)), list(range(planes * board**2 + passing)))
            for squares, labels in found:
                assert sorted(squares) == found[0][0] and sorted(labels) == found[0][1]
            assert len({tuple(squares) for squares, _ in found}) == count
    with pytest.raises(ValueError, match="no symmetries `all`"):
        symmetries("go-15", 9, "all")


def test_moves_in_the_mirror():
    (_, labels) = symmetries("shogi-104", 9, "rules")[1]
    # Squares by file from the right: 7f is 6 * 9 + 5. 7g7f (up) is 3g3f; 6i7h (up-left) is 4i3h (up-right); the bishop to 2b (up-right, promoting) and to 8b.
    assert labels[6 * 9 + 5] == 2 * 9 + 5
    assert labels[81 + 6 * 9 + 7] == 2 * 81 + 2 * 9 + 7
    assert labels[12 * 81 + 9 + 1] == 11 * 81 + 7 * 9 + 1
    # A gold that is dropped on 5e stays.
    assert labels[26 * 81 + 4 * 9 + 4] == 26 * 81 + 4 * 9 + 4


def test_the_monomino_of_blokus_and_the_diagonal():
    squares, labels = symmetries("blokus-duo-49", 14)[1]
    # Both start squares stay.
    assert squares[4 * 14 + 4] == 4 * 14 + 4 and squares[9 * 14 + 9] == 9 * 14 + 9
    # It looks the same from everywhere: its label is its square, and one plane of labels goes to itself as squares do.
    alike = [plane for plane in range(91) if all(labels[plane * 196 + at] == plane * 196 + squares[at] for at in range(196))]
    assert alike and labels[-1] == 91 * 196


def test_planes_and_samples():
    torch = pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from yomi_train import network as networks
    from yomi_train import planes
    from yomi_train.learner import Learner

    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)

    def places(bits):
        """Bytes with these bits, lowest first."""
        padded = torch.nn.functional.pad(bits.long(), (0, -bits.shape[1] % 8)).view(len(bits), -1, 8)
        return (padded << torch.arange(8)).sum(2).to(torch.uint8)

    for layout, (board, label_planes, passing) in GAMES.items():
        points, count = board**2, 16
        what = torch.randint(3, (count, points), generator=generator)
        packed = torch.zeros(count, 112, dtype=torch.uint8)

        def pack(what, point):
            packed = torch.zeros(count, 112, dtype=torch.uint8)
            if layout == "go-15":
                width = (points + 7) // 8
                packed[:, :width], packed[:, 46 : 46 + width] = places(what == 1), places(what == 2)
                packed[:, 92], packed[:, 94], packed[:, 96] = point[:, 0], point[:, 1], point[:, 2]
            elif layout == "blokus-duo-49":
                packed[:, :25], packed[:, 25:50] = places(what == 1), places(what == 2)
                packed[:, 50:56] = 5
            else:
                packed[:, :points] = 9 * what.to(torch.uint8)
                packed[:, points : points + 14] = 1
            return packed

        point = torch.randint(points, (count, 3), generator=generator)
        plain = planes.expand(layout, board, pack(what, point))
        header = {
            "format": 1, "game": "x", "board": board, "layout": layout, "channels": 4, "blocks": 0, "activation": "relu", "value_channels": 2, "value_hidden": 4,
            "labels": {"shogi-104": "shogi-27x81", "minishogi-40": "minishogi-27x25", "go-15": "go-points-pass", "blokus-duo-49": "blokus-duo-91x196-pass"}[layout],
            "value": "win-draw-loss", "label_bias": False, "score": False, "ownership": layout == "go-15", "norm_epsilon": 1e-5, "step": 0,
        }
        learner = Learner(networks.sized(header, plain.shape[1], "0x4", seed=1), {"symmetries": "rules", "batch": 4}, "cpu")
        window = {
            "planes": plain, "labels": torch.randint(label_planes * points + passing, (count, 5), generator=generator), "shares": torch.full((count, 5), 0.2),
            "result": torch.full((count,), 2), "value": torch.zeros(count), "score": torch.arange(count).float(), "scored": torch.ones(count), "leaf": torch.zeros(count),
        }
        if header["ownership"]:
            window["owned"] = (what - 1).to(torch.int8)
        index = torch.arange(count)
        before = learner.batch(window, index)
        for number, (squares, labels) in enumerate(symmetries(layout, board, "rules")):
            batch = learner.batch(window, index, torch.full((count,), number))
            squares, labels = torch.tensor(squares), torch.tensor(labels)
            moved = torch.empty_like(what)
            moved[:, squares] = what
            scale = learner.scales
            expected = planes.expand(layout, board, pack(moved, squares[point])).float() * scale
            assert torch.equal(batch["planes"].flatten(2), expected), (layout, number)
            assert torch.equal(batch["labels"], labels[before["labels"]])
            # What a position is worth stays.
            assert all(torch.equal(batch[name], before[name]) for name in ("shares", "value", "score", "scored"))
            if header["ownership"]:
                assert torch.equal(batch["owned"], (moved - 1).to(torch.int8))
