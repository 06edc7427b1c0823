#!/usr/bin/env python3
"""Compares the PyTorch trainer with the CPU kernels and with the native trainer: the same planes, the same tower, and the same weights after
each of five steps, for every game that networks learn.

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
    # Learning the same few positions by heart: the loss falls to the entropy of its targets.
    learner = Learner(f"{folder}/{game}.safetensors", {}, "cpu")
    learner.settings.update(batch=min(64, len(said["ends"])), surprise_share=0.0)
    report = learner.train([(f"{folder}/{game}.samples", None)], 60 if "--long" not in sys.argv else 400, 3e-3, 1)
    print("   after", report["step"], "steps:", {name: round(loss, 3) for name, loss in report["losses"].items()})
sys.exit(failed)
