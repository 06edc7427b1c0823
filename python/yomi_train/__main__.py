"""Trains Yomi's networks.

    python3 python/yomi_train serve      answer requests on standard input, one JSON object per line (what `yomi train loop` starts)
    python3 python/yomi_train train --net random.safetensors --out net.safetensors --steps 1000 run/samples/*.samples
    python3 python/yomi_train bench --net net.safetensors --batch 1024       training speed on made-up samples
    python3 python/yomi_train nnue --out shogi.f32 shogi.rows                the network of the evaluation nnue: see nnue.py

Requests of `serve`: {"do": "begin", "net": F, "settings": {...}, "checkpoint": F or null, "device": null},
{"do": "train", "files": [[F, records], ...], "steps": N, "rate": R, "seed": S, "out": F, "checkpoint": F}, {"do": "end"}.
Every request is answered by one line, {"done": ..., ...} or {"error": "..."}; lines with "progress" may come before it.
"""

import argparse
import json
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def serve(args):
    # What libraries print must not disturb the conversation.
    from yomi_train.learner import Learner

    say({"done": "ready"})
    learner = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if request["do"] == "end":
                return
            if request["do"] == "begin":
                learner = Learner(request["net"], request.get("settings", {}), request.get("device"))
                for tower in args.student:
                    learner.teach(tower)
                if request.get("checkpoint"):
                    learner.restore(request["checkpoint"])
                say({"done": "begin", "device": str(learner.device), "step": learner.step})
            elif request["do"] == "train":
                files = [(path, count) for path, count in request["files"]]
                report = learner.train(files, request["steps"], request["rate"], request["seed"])
                if request.get("checkpoint"):
                    learner.save(request["checkpoint"])
                learner.export(request["out"])
                say({"done": "train", **report})
            else:
                say({"error": f"no request `{request['do']}`"})
        except Exception as error:  # noqa: BLE001: whatever it is, who asked must hear of it
            traceback.print_exc(file=sys.stderr)
            say({"error": f"{type(error).__name__}: {error}"})


def train(args):
    from yomi_train.learner import Learner

    settings = {"batch": args.batch, **json.loads(args.settings)}
    learner = Learner(args.net, settings, args.device)
    if args.resume and os.path.exists(args.resume):
        learner.restore(args.resume)
    board = None
    if args.tensorboard:
        from torch.utils.tensorboard import SummaryWriter

        board = SummaryWriter(args.tensorboard)
    rest, part = args.steps, 0
    while rest > 0:
        steps = min(rest, args.report)
        report = learner.train([(path, None) for path in args.samples], steps, args.rate, args.seed + part)
        rest, part = rest - steps, part + 1
        say(report)
        for name, loss in report["losses"].items() if board else ():
            board.add_scalar(f"loss/{name}", loss, learner.step)
        if args.resume:
            learner.save(args.resume)
    learner.export(args.out, half=args.half)


def made_up(learner, count):
    """A window of samples that mean nothing."""
    import torch

    from yomi_train import network as networks

    device, board, inputs = learner.device, learner.header["board"], learner.model.stem.conv.in_channels
    torch.manual_seed(1)
    named = learner.header["labels"]
    labels = networks.LABELS[named] * board**2 + named.endswith("pass")
    window = {
        "planes": (torch.rand(count, inputs, board**2, device=device) < 0.1).to(torch.int8),
        "labels": torch.randint(labels, (count, 32), device=device, dtype=torch.int32),
        "shares": torch.full((count, 32), 1 / 32, device=device), "result": torch.randint(3, (count,), device=device),
        "value": torch.zeros(count, device=device), "score": torch.zeros(count, device=device),
        "scored": torch.ones(count, device=device), "leaf": torch.zeros(count, device=device), "cumulative": torch.arange(1, count + 1, device=device).double(),
    }
    if learner.header["ownership"]:
        window["owned"] = torch.zeros(count, board**2, dtype=torch.int8, device=device)
    return window


def bench(args):
    """Steps on made-up samples: what a device trains per second, or how far recorded steps lie from others."""
    import torch

    from yomi_train import network as networks
    from yomi_train.learner import Learner

    def begin(graphs):
        network = networks.load(args.net)
        if args.tower:
            network = networks.sized(network.header, network.stem.conv.in_channels, args.tower, seed=1)
        return Learner(network, {"batch": args.batch, "graphs": graphs}, args.device)

    def take(learner, window, steps):
        generator = torch.Generator(learner.device).manual_seed(1)
        for _ in range(steps):
            losses = learner.take_step(learner.draw(window, generator), 1e-3)
        if learner.device.type == "cuda":
            torch.cuda.synchronize()
        return {name: float(loss) for name, loss in losses.items()}

    about = {"net": args.net, "tower": args.tower, "batch": args.batch, "steps": args.steps, "graphs": args.graphs}
    if args.graphs == "compare":
        first, second, again = begin(False), begin(True), begin(False)
        window = made_up(first, 4 * args.batch)
        losses = [take(learner, window, args.steps) for learner in (first, second, again)]
        apart = lambda other: max(float((a - b).abs().max()) for (_, a), (_, b) in zip(first.tensors(), other.tensors()))
        say({**about, "device": str(first.device), "losses": losses, "largest_difference": apart(second), "of_the_same_again": apart(again)})
        return
    learner = begin(args.graphs == "on")
    window = made_up(learner, 4 * args.batch)
    take(learner, window, 20)
    begun = time.perf_counter()
    take(learner, window, args.steps)
    seconds = time.perf_counter() - begun
    say({**about, "device": str(learner.device), "seconds": seconds, "positions_per_second": args.steps * args.batch / seconds})


def main():
    parser = argparse.ArgumentParser(prog="yomi_train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    parser.add_argument("--student", action="append", default=[], metavar="BxC",
                        help="serve: a network of this size learns from the same batches (may be repeated)")
    commands.add_parser("serve", help="answer requests on standard input")
    for name in ("train", "bench"):
        command = commands.add_parser(name)
        command.add_argument("--net", required=True, help="the network to begin with")
        command.add_argument("--batch", type=int, default=2048)
        command.add_argument("--steps", type=int, default=1000)
        command.add_argument("--device", help="cuda, cpu; the GPU if there is one")
        if name == "bench":
            command.add_argument("--tower", metavar="BxC", help="a network of this size that has learned nothing, for the game of --net")
            command.add_argument("--graphs", choices=("on", "off", "compare"), default="on", help="whether steps on a GPU are recorded; compare: how far that changes results")
        if name == "train":
            command.add_argument("samples", nargs="+", help="sample files")
            command.add_argument("--out", required=True, help="the network to write")
            command.add_argument("--half", action="store_true", help="write half precision")
            command.add_argument("--rate", type=float, default=1e-3, help="learning rate")
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--report", type=int, default=200, metavar="STEPS")
            command.add_argument("--resume", metavar="CHECKPOINT", help="go on from this file, and keep it up to date")
            command.add_argument("--settings", default="{}", help="JSON: " + "see learner.py")
            command.add_argument("--tensorboard", metavar="FOLDER")
    commands.add_parser("nnue", help="fit the network of the evaluation nnue", add_help=False)
    args, rest = parser.parse_known_args()
    if args.command == "nnue":
        from yomi_train import nnue

        return nnue.run(rest)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if args.command == "serve":
        serve(args)
    else:
        {"train": train, "bench": bench}[args.command](args)


if __name__ == "__main__":
    main()
