"""``yomi-ray``: experiments, self-play and learning on a Ray cluster, or in worker processes of this machine."""

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
  yomi-ray learn pg-tree --game minishogi --out runs/tree --games 5000 \\
    --address 10.0.0.1:6379
  yomi-ray learn --resume runs/tree --local --jobs 2
  yomi-ray selfplay --game minishogi --net net.safetensors --games 1000 \\
    --out mini.samples --address 10.0.0.1:6379
  yomi-ray train --game minishogi --out runs/mini --tower 2x16 \\
    --games 50 --generations 3 --address 10.0.0.1:6379

Without --address a cluster of this machine alone is started; with --local worker processes of this machine, without Ray. A run that was
stopped, however roughly, goes on when the same command is given again; yomi experiment, yomi learn and yomi train go on with it as well,
and what comes out is the same, wherever the games were played."""


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
    run.add_argument("--allow-programs", action="store_true", help="start the programs that the experiment names")
    learn = commands.add_parser("learn", help="learn an evaluation through the search tree", epilog=EXAMPLES, formatter_class=shape)
    learn.add_argument("method", nargs="?", help="a method of yomi learn: pg-tree, td-leaf, root-strap, ...")
    learn.add_argument("--game", "-g", help="minishogi or shogi")
    learn.add_argument("--out", metavar="FOLDER", help="the folder of the run")
    learn.add_argument("--resume", metavar="FOLDER", help="go on with the run in this folder")
    learn.add_argument("--games", type=int, help="games in all")
    learn.add_argument("--from", dest="start", help="what is known before the first game: nothing, material or embedded")
    learn.add_argument("--evals", type=int, help="positions that the search before a move may judge")
    learn.add_argument("--records", nargs="+", metavar="FILE", help="files of games, the same on every machine, for comparison training")
    learn.add_argument("--seed", type=int, help="the seed of all random numbers")
    learn.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of config.toml: steps.rate=0.02")
    learn.add_argument("--part", type=int, default=1, metavar="GAMES", help="games that are handed out together (1)")
    selfplay = commands.add_parser("selfplay", help="games of a network against itself", epilog=EXAMPLES, formatter_class=shape)
    selfplay.add_argument("--net", required=True, metavar="FILE | random", help="the network; random is one that has learned nothing")
    selfplay.add_argument("--games", type=int, default=100, help="games in all, those in the file included (100)")
    train = commands.add_parser("train", help="learn a network from its own games", epilog=EXAMPLES, formatter_class=shape)
    train.add_argument("--games", type=int, default=200, help="games per generation (200)")
    train.add_argument("--generations", type=int, required=True, help="generations in all")
    train.add_argument("--batch", type=int, default=256, help="positions of a training step (256)")
    for each, out in ((selfplay, "FILE"), (train, "FOLDER")):
        each.add_argument("--game", "-g", required=True, help="minishogi, shogi, go9, go13, go19, blokus-duo")
        each.add_argument("--out", required=True, metavar=out, help="the file of samples" if out == "FILE" else "the folder of the run")
        each.add_argument("--tower", default="3x32", metavar="BxC", help="a new network: blocks x channels (3x32)")
        each.add_argument("--part", type=int, default=8, metavar="GAMES", help="games that are handed out together (8)")
        each.add_argument("--seed", type=int, default=1, help="the seed of all random numbers")
        each.add_argument("--device", default="auto", help="where players evaluate networks: auto, cpu, cuda")
        each.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of self-play: full=200")
    for each in (learn, selfplay, train):
        each.add_argument("--threads", type=int, default=1, help="threads of a player; it takes as many CPUs")
    for each in (run, learn, selfplay, train):
        each.add_argument("--address", help="the cluster: HOST:PORT, or auto for the one of this machine")
        each.add_argument("--local", action="store_true", help="worker processes of this machine, without Ray")
        each.add_argument("--worker", metavar="COMMAND", help="the worker on the machines of the cluster (python -m yomi worker)")
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
        batch_seconds=options.batch, allow_programs=options.allow_programs, worker=options.worker, local=options.local, progress=bar.show,
    )
    summary = run.report()
    cluster: dict[str, Any] = {**tally.__dict__, "elapsed": time.monotonic() - begun}
    if options.json:
        print(json.dumps({**summary, "cluster": cluster}))
        return
    print(f"{tally.done} jobs in {cluster['elapsed']:.1f} s, {tally.lost_hosts} hosts lost, {tally.faults} faults")
    print(summary["sentence"])
    print(f"report: {(run.path / 'report.html').resolve()}")


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for text in options.set:
        key, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals:
            raise Error(f"--set {text}: KEY=VALUE was expected")
        if hasattr(options, key) or key in ("blocks", "channels", "hosts", "player", "progress"):
            raise Error(f"--set {text}: this is no setting; see --help for the options")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
    return settings


def _tower(text: str) -> tuple[int, int]:
    blocks, _, channels = text.partition("x")
    if not (blocks.isdigit() and channels.isdigit()):
        raise Error("a tower is blocks x channels, as 5x64")
    return int(blocks), int(channels)


def _players(options: argparse.Namespace) -> dict[str, Any]:
    """What learning, self-play and training have in common."""
    for name in ("part", "threads"):
        if getattr(options, name) < 1:
            raise Error(f"--{name} is at least 1")
    gpus = 1.0 if getattr(options, "device", "").startswith("cuda") else 0.0
    return {
        "address": options.address, "local": options.local, "part": options.part, "hosts": options.jobs,
        "player": _resources(options, float(options.threads), gpus), "threads": options.threads,
        "timeout": options.timeout, "worker": options.worker,
    }


def _learn(options: argparse.Namespace) -> None:
    from yomi.ray.train import learn

    if (options.method is None) == (options.resume is None):
        raise Error("what is to be learned? a method, or --resume with the folder of a run")
    given = {"games": options.games, "start": options.start, "evaluations": options.evals, "records": options.records, "seed": options.seed}
    settings = {key: value for key, value in given.items() if value is not None} | _settings(options)
    if options.resume is not None and (settings or options.game or options.out):
        raise Error("--resume goes on with the settings of the folder: no others can be given")
    if options.method is not None and not (options.game and options.out):
        raise Error("--game and --out are missing: minishogi or shogi, and the folder of the run")

    def progress(row: dict[str, Any], tally: Tally) -> None:
        if options.json:
            print(json.dumps({"type": "step", **row}), flush=True)
        elif row.get("gate"):
            verdict = "passed: these are the best weights now" if row["gate"]["passed"] else "not passed"
            print(f"{row['games']} games: gate {row['gate']['elo']:+.0f} Elo over the best so far, {verdict}", flush=True)

    begun = time.monotonic()
    end, tally = learn(options.method, options.game, options.resume or options.out, progress=progress, **_players(options), **settings)
    elapsed = time.monotonic() - begun
    if options.json:
        print(json.dumps({"type": "end", **end, "cluster": {**tally.__dict__, "elapsed": elapsed}}))
        return
    print(f"{end['games']} of {end['of']} games, {tally.done} parts in {elapsed:.1f} s, {tally.lost_hosts} hosts lost, {tally.faults} faults")
    print(f"weights: {end['weights']}")


def _selfplay(options: argparse.Namespace) -> None:
    from yomi.network import Network
    from yomi.ray.train import self_play

    if options.net == "random":
        blocks, channels = _tower(options.tower)
        network = Network.random(options.game, blocks=blocks, channels=channels, seed=options.seed, device="cpu")
    else:
        network = Network(options.net, device="cpu")
    begun, bar = time.monotonic(), _Bar()
    counts, tally = self_play(
        options.game, bytes(network), options.out, games=options.games, seed=options.seed, device=options.device,
        progress=bar.show, **_players(options), **_settings(options),
    )
    if options.json:
        counts.pop("shown", None)
        print(json.dumps({"type": "self-play", **counts, "cluster": {**tally.__dict__, "elapsed": time.monotonic() - begun}}))
        return
    black, drawn, white = counts["results"]
    print(f"{counts['games']} games: Black won {black}, drawn {drawn}, White won {white}; {counts['samples']} samples; {tally.lost_hosts} hosts lost")


def _train(options: argparse.Namespace) -> None:
    from yomi.ray.train import train

    blocks, channels = _tower(options.tower)

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
        options.game, options.out, generations=options.generations, device=options.device, progress=report, blocks=blocks,
        channels=channels, games=options.games, seed=options.seed, batch=options.batch, **_players(options),
        **_settings(options),
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
            {"learn": _learn, "selfplay": _selfplay, "train": _train}[options.command](options)
    except (Error, Failed, OverflowError) as error:
        print(f"yomi-ray: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("yomi-ray: interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
