#!/usr/bin/env python3
"""Compares the PyTorch trainer with the CPU kernels and with the native trainer: the same planes, the same tower, and the same weights after
each of five steps, the same symmetries, and a few positions learned by heart, for every game that networks learn. Fails (exit code 1) if anything differs or is not
learned.

    python3 scripts/trainer_check.py [FOLDER]     needs PyTorch and the safetensors package

Runs `cargo run --release -p yomi-train --example trainer_check` (or $TRAINER_CHECK) for each game, then evaluates the same positions here.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from yomi_train import network as networks  # noqa: E402
from yomi_train.learner import Learner  # noqa: E402
from yomi_train.samples import read_header  # noqa: E402
from yomi_train.symmetries import symmetries  # noqa: E402

# Steps of learning by heart, and what part of a loss may be left of it.
STEPS, LEFT = 400, 0.05


def entropy(shares):
    """The mean entropy of distributions, rows of numbers."""
    return float(-(shares * shares.clamp(min=1e-12).log()).sum(1).mean())


def above(learner, batch, least):
    """How far each loss on a batch lies above the least that it can be."""
    learner.model.train()
    with torch.no_grad():
        return {name: float(part) - least.get(name, 0.0) for name, part in learner.losses(batch).items()}


program = os.environ.get("TRAINER_CHECK", "cargo run --release -q -p yomi-train --example trainer_check --").split()
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
failed = False
for game in ("minishogi", "go9", "blokus-duo", "shogi"):
    subprocess.run([*program, game, folder], check=True)
    said = json.load(open(f"{folder}/{game}.json"))
    learner = Learner(f"{folder}/{game}.safetensors", {}, "cpu")
    header = read_header(f"{folder}/{game}.samples")
    window = learner.gather_window([(f"{folder}/{game}.samples", None)])
    batch = learner.batch(window, torch.arange(len(window["result"])))
    theirs = sorted((squares, labels) for squares, labels in said["symmetries"])
    ours = sorted(symmetries(header["layout"], header["board"], "rules"))
    alike = theirs == ours
    print(f"{game}: {len(ours)} symmetries{'' if alike else ' that DIFFER from those of the program'}")
    failed |= not alike
    learner.model.eval()
    with torch.no_grad():
        policy, value, score, ownership = learner.model(batch["planes"])
    worst, start = 0.0, 0
    for i, end in enumerate(said["ends"]):
        ours = policy[i, torch.tensor(said["labels"][start:end])]
        worst = max(worst, (ours - torch.tensor(said["policy"][start:end])).abs().max().item())
        start = end
    parts = {"policy": worst, "value": (value.softmax(1) - torch.tensor(said["value"])).abs().max().item()}
    if score is not None:
        parts["score"] = (score - torch.tensor(said["score"])).abs().max().item()
    if ownership is not None:
        parts["ownership"] = (ownership.tanh().flatten() - torch.tensor(said["ownership"])).abs().max().item()
    size = policy.abs().max().item()
    print(f"{game}: {len(said['ends'])} positions, largest logit {size:.2f}, differences", parts)
    failed |= any(part > 1e-4 * max(1.0, size) for part in parts.values())
    # The same steps as the native trainer's, here in double precision, so that only one side rounds. Adam divides by the root of a mean square:
    # where a gradient is nothing but what rounding left (under 1e-6) its sign is chance, and such weights are counted and left out. Among them
    # are those of planes that are 1 in the whole batch (pieces in hand of Blokus Duo), which batch norm cancels; the running mean behind them
    # drifts with them, by 1.3e-4 in five steps. So means are not compared one by one: the answers of the two networks to the batch, normalised
    # by its own means, are.
    index = torch.arange(min(32, len(said["ends"])))
    learner = Learner(f"{folder}/{game}.safetensors", {"precision": "f64"}, "cpu")
    single = Learner(f"{folder}/{game}.safetensors", {}, "cpu")
    for step in range(1, 6):
        learner.take_step(learner.batch(window, index), 1e-3)
        single.take_step(single.batch(window, index), 1e-3)
        theirs = networks.load(f"{folder}/{game}.{step}.safetensors").state_dict()
        worst, unclear, count, rounding = 0.0, 0, 0, 0.0
        rounded = dict(single.model.named_parameters())
        for name, parameter in learner.model.named_parameters():
            difference = (parameter.detach() - theirs[name]).abs()
            clear = parameter.grad.abs() > 1e-6
            unclear, count = unclear + int((~clear).sum()), count + clear.numel()
            worst = max(worst, float(difference[clear].max()) if clear.any() else 0.0)
            off = (parameter.detach() - rounded[name].detach()).abs()
            rounding = max(rounding, float(off[clear].max()) if clear.any() else 0.0)
        for name, buffer in learner.model.named_buffers():
            if name.endswith("running_var"):
                worst = max(worst, float((buffer - theirs[name]).abs().max()))
        planes = learner.batch(window, index)["planes"]
        native = networks.load(f"{folder}/{game}.{step}.safetensors").double()
        with torch.no_grad():
            answers = zip(copy.deepcopy(learner.model)(planes), native(planes))
            apart = max(float((a - b).abs().max() / a.abs().max().clamp(min=1.0)) for a, b in answers if a is not None)
        worst = max(worst, apart)
        print(f"   step {step}: largest difference of a weight, variance or answer {worst:.1e} (answers {apart:.1e}; {unclear} of {count} have next to no gradient; "
              f"PyTorch in single precision {rounding:.1e})")
        failed |= worst > 1e-4
    # Learning a few positions by heart: each loss falls to the least that its targets allow, their entropy (0 for score and ownership). Nothing
    # is seen under symmetries, and batch norm uses the batch, as in training.
    few = [(f"{folder}/{game}.samples", min(32, len(said["ends"])))]
    learner = Learner(f"{folder}/{game}.safetensors", {"batch": 64, "surprise_share": 0.0, "warm_up": 20, "symmetries": "none"}, "cpu")
    window = learner.gather_window(few)
    every = learner.batch(window, torch.arange(few[0][1]))
    least = {"policy": entropy(every["shares"]), "value": entropy(every["value"])}
    before = above(learner, every, least)
    learner.train(few, STEPS, 3e-3, 1)
    after = above(learner, every, least)
    print(f"   by heart, {few[0][1]} positions, {STEPS} steps:",
          ", ".join(f"{name} {before[name]:.3f} to {after[name]:.4f} above its least" for name in before))
    unlearned = [name for name in before if not after[name] <= max(LEFT * before[name], 1e-3)]
    if unlearned:
        print(f"   not learned by heart: {', '.join(unlearned)}; at most {LEFT:.0%} may be left")
    failed |= bool(unlearned)
sys.exit(failed)
