"""Fits the network of the evaluation `nnue` to samples of `yomi learn nnue-samples`, on a GPU where there is one.

    python3 python/yomi_train nnue --out shogi.f32 --epochs 8 shogi-0.rows shogi-1.rows
    yomi learn nnue-round --game shogi shogi.f32 --to shogi.nnue

The format of samples and the order of parameters: docs/methods/learn-nnue.md. Nothing here knows the game.
"""

import argparse
import json
import math
import os
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

WIDTH = 256
HIDDEN = 16
NO_ROW = 65535
# Beyond these a weight would not fit the whole numbers of the network at work.
LARGEST_ROW = 7.9
LARGEST_HIDDEN = 127 / 64
# Adam's. Beside it the gradient of a row that few positions of a batch have is small, so that a rarely seen row moves by its gradient and not, as with
# the usual 1e-8, by as much as any other. Meant against overfitting; no run at size has shown that it helps.
EPSILON = 3e-6
# One position in this many, the last ones of each file, is held out.
HELD_OUT = 50


class RowsError(Exception):
    """A file of samples that cannot be learned from."""


def fnv1a(data):
    """The checksum of the header."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def read_rows(path):
    """What the header says, and the records as an array that lies in the file."""
    with open(path, "rb") as file:
        head = file.read(56)
        if len(head) < 56 or head[:8] != b"YOMI-ROW":
            raise RowsError(f"{path}: does not begin with YOMI-ROW")
        if int.from_bytes(head[48:], "little") != fnv1a(head[:48]):
            raise RowsError(f"{path}: the checksum of its header is wrong")
        version, buckets, features, slots, begin = np.frombuffer(head, "<u4")[[2, 8, 9, 10, 11]].tolist()
        if version != 1:
            raise RowsError(f"{path}: version {version} is unknown")
        worth = np.frombuffer(file.read(4 * features), "<f4")
    header = {"game": head[12:32].rstrip(b"\0").decode(), "buckets": buckets, "features": features, "slots": slots}
    record = np.dtype([("rows", "<u2", (2, slots)), ("target", "<f4"), ("searched", "<f4"), ("result", "<f4")])
    count = (os.path.getsize(path) - begin) // record.itemsize
    records = np.memmap(path, record, "r", begin, (count,)) if count else np.zeros(0, record)
    return header, worth, records


class Samples:
    """Records of files on a device. Rows take two bytes there."""

    def __init__(self, parts, device, searched=0.0, results=0.0):
        def gather(name):
            return torch.from_numpy(np.concatenate([np.asarray(part[name]) for part in parts]))

        # PyTorch computes little with unsigned numbers of sixteen bits; the bits are the same.
        rows = np.concatenate([np.asarray(part["rows"]) for part in parts])
        self.rows = torch.from_numpy(rows.view(np.int16)).to(device)
        self.result = gather("result").to(device)
        search = torch.sigmoid(gather("searched").to(device))
        self.target = (1 - searched - results) * gather("target").to(device) + searched * search + results * self.result

    def __len__(self):
        return len(self.target)

    def batch(self, index):
        """The rows of both sides and the target of some positions."""
        return self.rows[index].to(torch.int32) & 0xFFFF, self.target[index]


class Network(nn.Module):
    """The network as real numbers. The weights of a row are those of its feature, whatever the bucket, plus its own; the last column is
    what the row is worth by itself."""

    def __init__(self, header, worth, generator=None):
        super().__init__()
        self.buckets, self.features = header["buckets"], header["features"]

        def uniform(shape, largest):
            return (torch.rand(shape, generator=generator) * 2 - 1) * largest

        shared = uniform((self.features, WIDTH + 1), 0.1)
        shared[:, WIDTH] = torch.tensor(worth)
        self.shared = nn.Parameter(shared)
        self.own = nn.Parameter(torch.zeros(self.buckets * self.features, WIDTH + 1))
        self.bias = nn.Parameter(torch.full((WIDTH,), 0.25))
        self.hidden = nn.Parameter(uniform((HIDDEN, 2 * WIDTH), 2 / math.sqrt(2 * WIDTH)))
        self.hidden_bias = nn.Parameter(torch.full((HIDDEN,), 0.25))
        self.last = nn.Parameter(uniform((HIDDEN,), 0.5))
        self.last_bias = nn.Parameter(torch.zeros(1))

    def table(self):
        """The weights of all rows."""
        table = self.own.view(self.buckets, self.features, WIDTH + 1) + self.shared
        return table.view(-1, WIDTH + 1).clamp(-LARGEST_ROW, LARGEST_ROW)

    def forward(self, rows):
        """The logits of positions, given the rows of both sides (positions x 2 x slots)."""
        table = self.table()
        none = len(table)
        table = functional.pad(table, (0, 0, 0, 1))
        rows = torch.where(rows == NO_ROW, none, rows).flatten(0, 1)
        sums = functional.embedding_bag(rows, table, mode="sum", padding_idx=none).view(-1, 2, WIDTH + 1)
        inputs = (sums[:, :, :WIDTH] + self.bias).clamp(0, 1).flatten(1)
        worth = (sums[:, 0, WIDTH] - sums[:, 1, WIDTH]) / 2
        hidden = functional.linear(inputs, self.hidden, self.hidden_bias).clamp(0, 1)
        return worth + hidden @ self.last + self.last_bias

    @torch.no_grad()
    def keep_in_range(self):
        self.hidden.clamp_(-LARGEST_HIDDEN, LARGEST_HIDDEN)

    def ordered(self, table):
        """All parameters in the order of their file; `table` holds those of the rows."""
        return [table[:, :WIDTH], self.bias, table[:, WIDTH], self.hidden, self.hidden_bias, self.last, self.last_bias]

    @torch.no_grad()
    def write(self, path):
        """Writes the parameters, which `yomi learn nnue-round` reads."""
        parts = [part.detach().cpu().numpy().astype("<f4").ravel() for part in self.ordered(self.table())]
        beside = f"{path}.new"
        np.concatenate(parts).tofile(beside)
        os.replace(beside, path)

    @torch.no_grad()
    def read(self, path):
        """Takes over parameters: a feature has what its rows have in the mean, and each row what it differs from that."""
        numbers = torch.from_numpy(np.fromfile(path, "<f4"))
        places = self.ordered(self.own)
        if len(numbers) != sum(place.numel() for place in places):
            raise RowsError(f"{path}: {len(numbers)} parameters are not those of this game")
        for place in places:
            place.copy_(numbers[: place.numel()].view(place.shape))
            numbers = numbers[place.numel() :]
        rows = self.own.view(self.buckets, self.features, -1)
        self.shared.copy_(rows.mean(0))
        rows -= self.shared


@torch.no_grad()
def explained(network, samples, batch):
    """Mean cross entropy to targets and results of samples."""
    sums = torch.zeros(2, dtype=torch.float64)
    for index in torch.arange(len(samples), device=samples.target.device).split(batch):
        rows, target = samples.batch(index)
        logits = network(rows)
        for i, wanted in enumerate((target, samples.result[index])):
            sums[i] += functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum").item()
    return (sums / max(1, len(samples))).tolist()


def cosine(done):
    """What is left of the rate when this much is done: it falls to a hundredth."""
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done))


def fit(network, samples, args, tell):
    """Goes through the samples; done when the epochs or the time are over, whichever is first."""
    device = samples.target.device
    others = [p for name, p in network.named_parameters() if name != "own"]
    groups = [{"params": [network.own], "weight_decay": args.decay}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=args.rate, eps=EPSILON, fused=device.type == "cuda")
    per_epoch = max(1, len(samples) // args.batch)
    begun, losses, step, done = time.monotonic(), torch.zeros((), device=device), 0, 0.0
    while done < 1:
        order = torch.randperm(len(samples), device=device)
        losses.zero_()
        for number in range(per_epoch):
            rows, target = samples.batch(order[number * args.batch :][: args.batch])
            loss = functional.binary_cross_entropy_with_logits(network(rows), target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            for group in optimizer.param_groups:
                group["lr"] = args.rate * cosine(done)
            optimizer.step()
            network.keep_in_range()
            losses += loss.detach()
            step += 1
            done = max(step / (args.epochs * per_epoch), (time.monotonic() - begun) / args.time)
            if done >= 1:
                break
        tell(step / per_epoch, losses.item() / (number + 1), time.monotonic() - begun)


def run(arguments):
    parser = argparse.ArgumentParser(prog="yomi_train nnue", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", nargs="+", help="files of yomi learn nnue-samples")
    parser.add_argument("--out", required=True, help="the parameters, for yomi learn nnue-round")
    parser.add_argument("--start", help="parameters to begin with; material if left out")
    parser.add_argument("--epochs", type=float, default=8, help="how often it goes through the samples at most")
    parser.add_argument("--time", type=float, default=math.inf, help="seconds it may take; the rate falls accordingly")
    parser.add_argument("--batch", type=int, default=16384, help="positions of a step")
    parser.add_argument("--rate", type=float, default=1e-3, help="how far a weight moves in the first steps")
    parser.add_argument("--decay", type=float, default=0.2, help="by how much a row's own weights shrink in a step, in parts of the rate")
    parser.add_argument("--searched", type=float, default=0.0, help="the share of the position's own search in a target, from 0 to 1")
    parser.add_argument("--results", type=float, default=0.0, help="the share of the game's result in a target, from 0 to 1")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)

    torch.manual_seed(args.seed)
    parts, headers = [], []
    for path in args.samples:
        header, worth, records = read_rows(path)
        headers.append(header)
        parts.append(records)
        if header != headers[0]:
            raise RowsError(f"{path}: samples of {header['game']}, not of {headers[0]['game']} as the first")
    split = [len(records) - len(records) // HELD_OUT for records in parts]
    learned = Samples([records[:end] for records, end in zip(parts, split)], args.device, args.searched, args.results)
    held_out = Samples([records[end:] for records, end in zip(parts, split)], args.device, args.searched, args.results)
    if len(learned) < args.batch:
        args.batch = max(1, len(learned))
    network = Network(headers[0], worth)
    if args.start:
        network.read(args.start)
    network.to(args.device)

    def tell(epoch, loss, seconds):
        targets, results = explained(network, held_out, args.batch)
        line = {"epoch": round(epoch, 3), "loss": loss, "held_out": targets, "results_held_out": results, "seconds": round(seconds, 1)}
        print(json.dumps(line), flush=True)
        network.write(args.out)

    print(json.dumps({"positions": len(learned), "held_out": len(held_out), "device": args.device, **headers[0]}), flush=True)
    fit(network, learned, args, tell)
