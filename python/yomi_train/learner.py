"""Steps of training: a replay window, batches drawn from it, losses, the optimiser, averaged weights."""


import os
import time

import numpy as np
import torch
from torch.nn import functional as F

from . import network as networks
from . import planes, samples
from .graphs import RecordedStep
from .symmetries import symmetries

SETTINGS = {
    "batch": 2048,
    "weight_decay": 1e-4,
    "warm_up": 100,
    # How much of the value target is what the search thought; the rest is the result.
    "search_share": 0.3,
    # How much of a sample's weight is its policy surprise.
    "surprise_share": 0.5,
    "value_weight": 1.0,
    "score_weight": 0.5,
    "ownership_weight": 0.3,
    # How much the policy gradient through leaves counts (S0.8).
    "gradient_weight": 0.1,
    "clip": 5.0,
    "average": 0.995,
    # Random symmetries of samples: none, start (those that keep the starting position: Go, Blokus Duo), rules (the mirror of shogi as well).
    "symmetries": "start",
    # auto (bf16 on a GPU), f32, bf16, or f64, against which the others can be measured.
    "precision": "auto",
    # Whether steps on a GPU are recorded once and started as a whole (graphs.py).
    "graphs": True,
}


class Learner:
    """A network that learns; `init` is its file, or the network itself."""

    def __init__(self, init, settings, device=None):
        self.settings = {**SETTINGS, **settings}
        unknown = set(self.settings) - set(SETTINGS)
        if unknown:
            raise ValueError(f"no settings {sorted(unknown)}")
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        gpu = self.device.type == "cuda"
        precision = self.settings["precision"]
        self.half = torch.bfloat16 if precision == "bf16" or precision == "auto" and gpu else None
        self.kind = torch.float64 if precision == "f64" else torch.float32
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        model = networks.load(init) if isinstance(init, str) else init
        self.model = model.to(self.device, self.kind, memory_format=torch.channels_last)
        self.students = {}
        self.header = self.model.header
        weights = [p for p in self.model.parameters() if p.ndim > 1]
        others = [p for p in self.model.parameters() if p.ndim <= 1]
        groups = [{"params": weights, "weight_decay": self.settings["weight_decay"]}, {"params": others, "weight_decay": 0.0}]
        self.recorded = gpu and self.settings["graphs"]
        self.optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, fused=gpu)
        self.prepare_steps()
        # Parameters and running means as they are now and will be: nothing replaces them.
        self.named = [(n, t) for n, t in self.model.state_dict().items() if not n.endswith("num_batches_tracked")]
        self.average = {name: t.detach().clone() for name, t in self.tensors()}
        self.step = int(self.header["step"])
        self.window = {}
        self.leaves = False
        board, layout = self.header["board"], self.header["layout"]
        self.scales = planes.scales(layout, self.model.stem.conv.in_channels, self.device).view(1, -1, 1)
        maps = symmetries(layout, board, self.settings["symmetries"])
        self.inverse = torch.tensor([squares for squares, _ in maps], device=self.device).argsort(1)
        self.label_maps = torch.tensor([labels for _, labels in maps], device=self.device)

    def teach(self, tower):
        """Lets a network of another size learn from the same batches: one to be evaluated where time is short."""
        network = networks.sized(self.header, self.model.stem.conv.in_channels, tower, seed=1)
        self.students[tower] = Learner(network, self.settings, self.device)

    def tensors(self):
        return self.named

    def prepare_steps(self):
        """Lets steps be recorded, where they are: the learning rate has a place in memory, and nothing recorded before holds."""
        for group in self.optimizer.param_groups:
            rate = float(group["lr"])
            group.update(lr=torch.tensor(rate, device=self.device) if self.recorded else rate, capturable=self.recorded)
        self.graphed = RecordedStep(self.update)

    # The replay window.

    def load(self, path, header, count=None):
        """A sample file on the device, positions expanded."""
        records = samples.read(path, header, count)
        put = lambda name, kind: torch.from_numpy(np.ascontiguousarray(records[name]).astype(kind)).to(self.device)
        policy = records["policy"].astype(np.int32)
        chunk = {
            "labels": torch.from_numpy(policy[:, :, 0].copy()).to(self.device, torch.int32),
            "shares": torch.from_numpy(policy[:, :, 1].astype(np.float32) / 65535).to(self.device, torch.float16),
            "result": put("result", np.int64), "value": put("value", np.float32), "score": put("score", np.float32),
            "scored": put("scored", np.float32), "surprise": put("surprise", np.float32),
            # 1: a leaf of a search (S0.8), whose value is the cotangent of what the network says.
            "leaf": put("kind", np.float32),
        }
        packed = put("position", np.uint8)
        if len(packed):
            parts = [planes.expand(header["layout"], header["board"], part) for part in packed.split(65536)]
            chunk["planes"] = torch.cat(parts)
        else:
            chunk["planes"] = torch.zeros(0, self.scales.shape[1], header["board"] ** 2, dtype=torch.int8, device=self.device)
        if header["ownership"]:
            points = header["board"] ** 2
            owned = torch.from_numpy(np.ascontiguousarray(records["owned"])).to(self.device)
            own, other = planes.bits(owned[:, 0], points), planes.bits(owned[:, 1], points)
            chunk["owned"] = own.to(torch.int8) - other.to(torch.int8)
        return chunk

    def gather_window(self, files):
        """The samples of these files as one set of tensors. Files are read once."""
        if not files:
            raise ValueError("there are no samples to learn from")
        header = samples.read_header(files[0][0])
        if header["layout"] != self.header["layout"] or header["game"] != self.header["game"]:
            raise samples.SampleError(f"{files[0][0]}: these are samples of {header['game']}, not of {self.header['game']}")
        keys = [(path, count) for path, count in files]
        self.window = {key: self.window.get(key) or self.load(key[0], header, key[1]) for key in keys}
        chunks = [self.window[key] for key in keys]
        window = {name: torch.cat([chunk[name] for chunk in chunks]) for name in chunks[0]}
        # A policy gradient is that of the policy that played: leaves of older generations are left out.
        newest = torch.arange(len(window["leaf"]), device=self.device) >= len(window["leaf"]) - len(chunks[-1]["leaf"])
        surprise, leaf = window["surprise"].double(), window["leaf"] > 0
        mean = surprise.sum() / (~leaf).sum().clamp(min=1)
        share = self.settings["surprise_share"]
        weights = (1 - share) + share * surprise / mean.clamp(min=1e-6)
        weights = torch.where(leaf, newest.double(), weights)
        self.leaves = bool(leaf.any())
        window["cumulative"] = weights.cumsum(0)
        return window

    def draw(self, window, generator):
        """A batch of the window, drawn by weight, under random symmetries."""
        count = self.settings["batch"]
        cumulative = window["cumulative"]
        at = torch.rand(count, generator=generator, dtype=torch.float64, device=self.device) * cumulative[-1]
        index = torch.searchsorted(cumulative, at).clamp(max=len(cumulative) - 1)
        which = None
        if len(self.inverse) > 1:
            which = torch.randint(len(self.inverse), (count,), generator=generator, device=self.device)
        return self.batch(window, index, which)

    def batch(self, window, index, which=None):
        board = self.header["board"]
        x = window["planes"][index]
        labels, shares = window["labels"][index].long(), window["shares"][index].to(self.kind)
        owned = window["owned"][index] if "owned" in window else None
        if which is not None:
            inverse = self.inverse[which]
            x = x.gather(2, inverse.unsqueeze(1).expand_as(x))
            labels = self.label_maps[which.unsqueeze(1), labels]
            owned = owned.gather(1, inverse) if owned is not None else None
        x = (x.to(self.kind) * self.scales).view(len(x), -1, board, board)
        if self.device.type == "cuda":
            x = x.contiguous(memory_format=torch.channels_last)
        result, value = window["result"][index], window["value"][index]
        # Records say 0 lost, 1 drawn, 2 won; the head says win, draw, loss.
        target = F.one_hot(2 - result, 3).to(self.kind)
        thought = torch.stack([(1 + value) / 2, torch.zeros_like(value), (1 - value) / 2], 1)
        leaf = window["leaf"][index]
        share = self.settings["search_share"]
        shares = shares / shares.sum(1, keepdim=True).clamp(min=1e-6)
        return {
            "planes": x, "labels": labels, "shares": shares, "value": ((1 - share) * target + share * thought) * (1 - leaf).unsqueeze(1), "pull": value * leaf,
            "score": window["score"][index], "scored": window["scored"][index], "owned": owned,
        }

    # Steps.

    def losses(self, batch):
        """The parts of the loss, means over the batch."""
        with torch.autocast(self.device.type, dtype=self.half or torch.bfloat16, enabled=self.half is not None):
            policy, value, score, ownership = self.model(batch["planes"])
        logs = F.log_softmax(policy.to(self.kind), 1).gather(1, batch["labels"])
        parts = {"policy": -(batch["shares"] * logs).sum(1).mean()}
        if value.shape[1] == 3:
            parts["value"] = -(batch["value"] * F.log_softmax(value.to(self.kind), 1)).sum(1).mean()
        else:
            wins = batch["value"][:, 0] + batch["value"][:, 1] / 2
            parts["value"] = F.binary_cross_entropy_with_logits(value.to(self.kind).squeeze(1), wins)
        if self.leaves:
            # S0.8: what is to grow is pull times the expected result.
            chances = value.to(self.kind).softmax(1) if value.shape[1] == 3 else None
            said = chances[:, 0] - chances[:, 2] if chances is not None else (value.to(self.kind).squeeze(1) / 2).tanh()
            parts["gradient"] = -(batch["pull"] * said).mean()
        if score is not None:
            error = F.smooth_l1_loss(score.to(self.kind) / 10, batch["score"] / 10, reduction="none")
            parts["score"] = (error * batch["scored"]).mean()
        if ownership is not None and batch.get("owned") is not None:
            error = ((ownership.to(self.kind).tanh() - batch["owned"].to(self.kind)) ** 2).mean(1)
            parts["ownership"] = (error * batch["scored"]).mean()
        return parts

    def total(self, parts):
        weight = {"policy": 1.0, "value": self.settings["value_weight"], "score": self.settings["score_weight"],
                  "ownership": self.settings["ownership_weight"], "gradient": self.settings["gradient_weight"]}
        return sum(weight[name] * part for name, part in parts.items())

    def take_step(self, batch, rate):
        self.model.train()
        warm = min(1.0, (self.step + 1) / max(1, self.settings["warm_up"]))
        for group in self.optimizer.param_groups:
            if self.recorded:
                group["lr"].fill_(rate * warm)
            else:
                group["lr"] = rate * warm
        parts = self.graphed(batch, self.leaves) if self.recorded else self.update(batch)
        self.step += 1
        keep = min(self.settings["average"], self.step / (self.step + 10))
        names, tensors = zip(*self.tensors())
        torch._foreach_lerp_([self.average[name] for name in names], list(tensors), 1 - keep)
        return parts

    def update(self, batch):
        """Changes the weights by one batch; the losses before."""
        self.optimizer.zero_grad(set_to_none=True)
        parts = self.losses(batch)
        self.total(parts).backward()
        if self.settings["clip"]:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings["clip"])
        self.optimizer.step()
        return {name: part.detach() for name, part in parts.items()}

    def train(self, files, steps, rate, seed, progress=None):
        """Takes steps; mean losses of the last half of them, and speed."""
        begun = time.perf_counter()
        window = self.gather_window(files)
        loaded = time.perf_counter()
        generator = torch.Generator(self.device).manual_seed(seed)
        sums, counted = {}, 0
        for step in range(steps):
            batch = self.draw(window, generator)
            parts = self.take_step(batch, rate)
            for tower, student in self.students.items():
                student.leaves = self.leaves
                parts = {**parts, **{f"{tower} {name}": part for name, part in student.take_step(batch, rate).items()}}
            if step >= steps // 2:
                counted += 1
                for name, part in parts.items():
                    sums[name] = sums.get(name, 0) + part.detach()
            if progress and (step + 1) % 200 == 0:
                progress(step + 1, steps)
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        done = time.perf_counter()
        losses = {name: float(part) / max(1, counted) for name, part in sums.items()}
        return {
            "losses": losses, "step": self.step, "window": len(window["result"]), "loading_seconds": loaded - begun,
            "seconds": done - loaded, "positions_per_second": steps * self.settings["batch"] / max(done - loaded, 1e-9),
        }

    # Files.

    def export(self, path, half=False, averaged=True):
        header = {**self.header, "step": self.step}
        tensors = self.average if averaged else dict(self.tensors())
        if not all(torch.isfinite(t).all() for t in tensors.values()):
            raise ValueError(f"step {self.step}: a weight is not finite")
        networks.save(path, header, tensors, half)
        for tower, student in self.students.items():
            student.export(beside(path, tower), half, averaged)

    def save(self, path):
        part = f"{path}.part"
        torch.save({**self.state(), "students": {tower: student.state() for tower, student in self.students.items()}}, part)
        os.replace(part, path)

    def state(self):
        return {"model": self.model.state_dict(), "average": self.average, "optimizer": self.optimizer.state_dict(), "step": self.step}

    def restore(self, path):
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.take(state)
        for tower, student in self.students.items():
            if tower in state.get("students", {}):
                student.take(state["students"][tower])

    def take(self, state):
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.prepare_steps()
        self.step = state["step"]


def beside(path, tower):
    """Where the student of this size lies beside a network: `nets/net-00007.safetensors` has `nets/5x64-00007.safetensors`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, name.replace("net-", f"{tower}-", 1) if name.startswith("net-") else f"{tower}-{name}")
