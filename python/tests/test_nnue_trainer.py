"""The PyTorch trainer of the evaluation nnue, in miniature: made-up samples of a game that nothing here knows."""

import json
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from yomi_train import nnue  # noqa: E402

torch.set_num_threads(1)
BUCKETS, FEATURES, SLOTS = 2, 6, 3


def rows_file(path, count, seed=1):
    """Feature 4 wins for the side that sees it, whatever its bucket; the third slot is sometimes left."""
    rng = np.random.default_rng(seed)
    head = b"YOMI-ROW" + (1).to_bytes(4, "little") + b"dots".ljust(20, b"\0")
    head += b"".join(n.to_bytes(4, "little") for n in (BUCKETS, FEATURES, SLOTS, 56 + 4 * FEATURES))
    head += nnue.fnv1a(head).to_bytes(8, "little") + np.zeros(FEATURES, "<f4").tobytes()
    kind = np.dtype([("rows", "<u2", (2, SLOTS)), ("target", "<f4"), ("searched", "<f4"), ("result", "<f4")])
    records = np.zeros(count, kind)
    for record in records:
        for side in range(2):
            features = rng.choice(FEATURES, SLOTS, replace=False)
            record["rows"][side] = features + FEATURES * rng.integers(BUCKETS)
            if features[2] != 4 and rng.random() < 0.3:
                record["rows"][side, 2] = nnue.NO_ROW
        own, other = ((record["rows"] != nnue.NO_ROW) & (record["rows"] % FEATURES == 4)).any(1)
        record["target"] = 0.5 + 0.4 * (int(own) - int(other))
        record["result"] = record["target"]
    path.write_bytes(head + records.tobytes())
    return path


def test_what_can_be_learned_is_learned(tmp_path, capsys):
    samples, out = rows_file(tmp_path / "a.rows", 2000), tmp_path / "a.f32"
    nnue.run([str(samples), "--out", str(out), "--epochs", "10", "--batch", "100", "--rate", "0.01", "--device", "cpu"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["positions"] == 1960 and lines[0]["game"] == "dots"
    header, worth, records = nnue.read_rows(samples)
    target = records["target"][1960:].astype(float)
    floor = -(target * np.log(target) + (1 - target) * np.log(1 - target)).mean()
    first, last = lines[1]["held_out"], lines[-1]["held_out"]
    assert first > floor + 0.05 and last - floor < 0.2 * (first - floor), (first, last, floor)
    # What was written is what was learned.
    network = nnue.Network(header, worth)
    network.read(out)
    held_out = nnue.Samples([records[1960:]], "cpu")
    assert nnue.explained(network, held_out, 16)[0] == pytest.approx(last, abs=1e-5)


def test_a_row_is_its_feature_and_its_own(tmp_path):
    header, worth, records = nnue.read_rows(rows_file(tmp_path / "a.rows", 50))
    network = nnue.Network(header, worth)
    rows, target = nnue.Samples([records], "cpu").batch(torch.arange(50))
    torch.nn.functional.binary_cross_entropy_with_logits(network(rows), target).backward()
    per_bucket = network.own.grad.view(BUCKETS, FEATURES, -1)
    assert torch.allclose(per_bucket.sum(0), network.shared.grad, atol=1e-7) and per_bucket.abs().max() > 1e-4
    # Results take the share that was asked for.
    records = np.array(records)
    records["result"] = 1
    mixed = nnue.Samples([records], "cpu", results=0.25).target
    assert torch.allclose(mixed, 0.75 * target + 0.25)


def test_damaged_files_are_refused(tmp_path):
    good = rows_file(tmp_path / "a.rows", 10).read_bytes()
    bad = tmp_path / "b.rows"
    for content, word in ((b"YOMI-GAM" + good[8:], "YOMI-ROW"), (good[:40] + b"\1" + good[41:], "checksum"), (good[:20], "YOMI-ROW")):
        bad.write_bytes(content)
        with pytest.raises(nnue.RowsError, match=word):
            nnue.read_rows(bad)
    bad.write_bytes(good[:-1])
    assert len(nnue.read_rows(bad)[2]) == 9
    (tmp_path / "p.f32").write_bytes(b"\0" * 40)
    header, worth, _ = nnue.read_rows(tmp_path / "a.rows")
    with pytest.raises(nnue.RowsError, match="10 parameters"):
        nnue.Network(header, worth).read(tmp_path / "p.f32")
