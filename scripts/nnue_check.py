#!/usr/bin/env python3
"""Compares the PyTorch trainer of the evaluation nnue with the native one: the loss of the same samples under the same parameters, and its
gradient by every parameter, to 1e-5 of the largest of its group.

    python3 scripts/nnue_check.py [FOLDER]     needs PyTorch

Runs `cargo run --release -p yomi-learn --features measure --example nnue_gradient` (or $NNUE_GRADIENT) for shogi and minishogi.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch.nn import functional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from yomi_train import nnue  # noqa: E402

program = os.environ.get("NNUE_GRADIENT", "cargo run --release -q -p yomi-learn --features measure --example nnue_gradient --").split()
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
failed = False
for game in ("minishogi", "shogi"):
    subprocess.run([*program, game, folder], check=True)
    header, worth, records = nnue.read_rows(f"{folder}/samples.rows")
    assert header["game"] == game, header
    samples = nnue.Samples([records], "cpu")
    network = nnue.Network(header, worth)
    network.read(f"{folder}/parameters.f32")
    rows, target = samples.batch(torch.arange(len(samples)))
    loss = functional.binary_cross_entropy_with_logits(network(rows), target)
    loss.backward()
    with open(f"{folder}/loss.txt") as file:
        native_loss = float(file.read())
    native = np.fromfile(f"{folder}/gradient.f32", "<f4")
    own = network.own.grad
    gradients = [own[:, : nnue.WIDTH], network.bias.grad, own[:, nnue.WIDTH]]
    gradients += [part.grad for part in (network.hidden, network.hidden_bias, network.last, network.last_bias)]
    worst = abs(loss.item() - native_loss)
    for gradient in gradients:
        gradient = gradient.numpy().ravel()
        theirs, native = native[: gradient.size], native[gradient.size :]
        worst = max(worst, np.abs(gradient - theirs).max() / max(1e-12, np.abs(theirs).max()))
    good = worst < 1e-5 and native.size == 0
    failed |= not good
    print(f"{game}: {len(samples)} positions, loss {loss.item():.6f}, differs by at most {worst:.1e}: {'ok' if good else 'FAILED'}")
sys.exit(failed)
