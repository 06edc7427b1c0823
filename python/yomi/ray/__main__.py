"""``yomi-ray``: experiments and learning on a Ray cluster."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from yomi import Error
from yomi.farm.dispatch import Failed, Tally
from yomi.ray.cluster import Resources

EXAMPLES = """examples:
  yomi-ray experiment run s0-table2 --scale 0.02 --out runs/mine
  yomi-ray experiment run s0-table2 --address 10.0.0.1:6379 --out runs/mine
  yomi-ray experiment run --resume runs/mine --address 10.0.0.1:6379
  yomi-ray train --game minishogi --out runs/mini --tower 2x16 \\
    --games 50 --generations 3 --address 10.0.0.1:6379

Without --address a cluster of this machine alone is started. A run that was stopped, however roughly, goes on when the same command
is given again; yomi experiment and yomi train go on with it as well."""


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="yomi-ray", description=__doc__, epilog=EXAMPLES, formatter_class=shape)
    commands = parser.add_subparsers(dest="command", required=True)
    experiment = commands.add_parser("experiment", help="experiments", epilog=EXAMPLES, formatter_class=shape)
    run = experiment.add_subparsers(dest="action", required=True).add_parser(
        "run", help="run an experiment, or go on with one, and report it", epilog=EXAMPLES, formatter_class=shape
    )
    run.add_argument("name", nargs="?", help="a name of yomi experiment list, or a file")
    run.add_argument("--scale", type=float, help="how much of it: 1 is the full size")
    run.add_argument("--seed", type=int, default=1, help="seed of all random choices")
    run.add_argument("--out", metavar="DIR", help="the directory of the run; under runs/ if left out")
    run.add_argument("--resume", metavar="DIR", help="go on with the run in this directory")
    run.add_argument("--batch", type=float, default=1.0, metavar="SECONDS", help="length of the batches that are handed out (1)")
    run.add_argument("--worker", metavar="COMMAND", help="the worker on the machines of the cluster (python -m yomi worker)")
    run.add_argument("--allow-programs", action="store_true", help="start the programs that the experiment names")
    train = commands.add_parser("train", help="learn a network from its own games", epilog=EXAMPLES, formatter_class=shape)
    train.add_argument("--game", "-g", required=True, help="minishogi, shogi, go9, go13, go19, blokus-duo")
    train.add_argument("--out", required=True, metavar="FOLDER", help="the folder of the run")
    train.add_argument("--tower", default="3x32", metavar="BxC", help="the network: blocks x channels (3x32)")
    train.add_argument("--games", type=int, default=200, help="games per generation (200)")
    train.add_argument("--generations", type=int, required=True, help="generations in all")
    train.add_argument("--part", type=int, default=8, metavar="GAMES", help="games that are handed out together (8)")
    train.add_argument("--batch", type=int, default=256, help="positions of a training step (256)")
    train.add_argument("--seed", type=int, default=1, help="the seed of all random numbers")
    train.add_argument("--threads", type=int, default=1, help="threads of a player; it takes as many CPUs")
    train.add_argument("--device", default="auto", help="where players evaluate networks: auto, cpu, cuda")
    train.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of self-play: full=200")
    for each in (run, train):
        each.add_argument("--address", help="the cluster: HOST:PORT, or auto for the one of this machine")
        each.add_argument("--jobs", "-j", type=int, help="the most hosts at a time; all that there is room for if left out")
        each.add_argument("--cpus", type=float, help="CPUs of a host; by default what its jobs need")
        each.add_argument("--gpus", type=float, help="GPUs of a host; by default what its jobs need")
        each.add_argument("--timeout", type=float, default=3600.0, metavar="SECONDS", help="a job that takes longer is lost (3600)")
        each.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def _resources(options: argparse.Namespace, cpus: float, gpus: float) -> Resources:
    return Resources(cpus if options.cpus is None else options.cpus, gpus if options.gpus is None else options.gpus)


class _Bar:
    """A line for people, a line now and then for logs."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.shown = 0.0

    def show(self, tally: Tally, missing: int) -> None:
        now = time.monotonic()
        if now - self.shown < (0.5 if sys.stderr.isatty() else 30.0):
            return
        self.shown = now
        speed = tally.done / max(now - self.begun, 1e-9)
        text = f"{tally.done} of {missing} jobs, {speed:.1f}/s, {tally.lost_hosts} hosts lost, {tally.faults} faults"
        print(text, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def _experiment(options: argparse.Namespace) -> None:
    from yomi.ray.experiment import run_experiment

    fixed = options.cpus is not None or options.gpus is not None
    bar, begun = _Bar(), time.monotonic()
    run, tally = run_experiment(
        None if options.resume else options.name, address=options.address, out=options.resume or options.out,
        scale=options.scale, seed=options.seed, jobs=options.jobs,
        resources=_resources(options, 1.0, 0.0) if fixed else None, timeout=options.timeout,
        batch_seconds=options.batch, allow_programs=options.allow_programs, worker=options.worker, progress=bar.show,
    )
    summary = run.report()
    cluster: dict[str, Any] = {**tally.__dict__, "elapsed": time.monotonic() - begun}
    if options.json:
        print(json.dumps({**summary, "cluster": cluster}))
        return
    print(f"{tally.done} jobs in {cluster['elapsed']:.1f} s, {tally.lost_hosts} hosts lost, {tally.faults} faults")
    print(summary["sentence"])
    print(f"report: {(run.path / 'report.html').resolve()}")


def _train(options: argparse.Namespace) -> None:
    from yomi.ray.train import train

    blocks, _, channels = options.tower.partition("x")
    if not (blocks.isdigit() and channels.isdigit()):
        raise Error("a tower is blocks x channels, as 5x64")
    settings: dict[str, Any] = {}
    for text in options.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise Error(f"--set {text}: KEY=VALUE was expected")
        try:
            settings[key.strip()] = json.loads(value)
        except ValueError:
            settings[key.strip()] = value

    def report(line: dict[str, Any], tally: Tally) -> None:
        losses = line["training"]["losses"]
        if options.json:
            print(json.dumps(line), flush=True)
            return
        print(
            f"generation {line['generation']}: {line['games']} games, {line['samples']} samples; policy "
            f"{losses.get('policy', float('nan')):.3f}, value {losses.get('value', float('nan')):.3f}; "
            f"{tally.lost_hosts} hosts lost",
            flush=True,
        )

    train(
        options.game, options.out, generations=options.generations, address=options.address, part=options.part,
        hosts=options.jobs, player=_resources(options, float(options.threads), 1.0 if options.device.startswith("cuda") else 0.0),
        threads=options.threads, device=options.device, timeout=options.timeout, progress=report, blocks=int(blocks),
        channels=int(channels), games=options.games, seed=options.seed, batch=options.batch, **settings,
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "experiment":
            if (options.name is None) == (options.resume is None):
                raise Error("which experiment? a name, a file, or --resume with the directory of a run")
            _experiment(options)
        else:
            _train(options)
    except (Error, Failed) as error:
        print(f"yomi-ray: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("yomi-ray: interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
