"""The residual tower of docs/networks.md, with PyTorch's names for its tensors, and its safetensors files."""

import json
import os

import torch
from torch import nn
from torch.nn import functional as F

HEADER = "yomi-net"
LABELS = {"shogi-27x81": 27, "minishogi-27x25": 27, "go-points-pass": 1, "blokus-duo-91x196-pass": 91}


class Layer(nn.Module):
    """A convolution and its batch norm."""

    def __init__(self, inputs, outputs, size, epsilon):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=epsilon)

    def forward(self, x):
        return self.norm(self.conv(x))


class Block(nn.Module):
    def __init__(self, channels, epsilon, activation):
        super().__init__()
        for half in (1, 2):
            setattr(self, f"conv{half}", nn.Conv2d(channels, channels, 3, padding=1, bias=False))
            setattr(self, f"norm{half}", nn.BatchNorm2d(channels, eps=epsilon))
        self.activation = activation

    def forward(self, x):
        y = self.activation(self.norm1(self.conv1(x)))
        return self.activation(x + self.norm2(self.conv2(y)))


class Policy(nn.Module):
    def __init__(self, header, channels, planes, has_pass):
        super().__init__()
        self.conv = nn.Conv2d(channels, planes, 1)
        if has_pass:
            setattr(self, "pass", nn.Linear(channels, 1))
        if header["label_bias"]:
            count = planes * header["board"] ** 2 + has_pass
            self.label_bias = nn.Parameter(torch.zeros(count))

    def forward(self, x):
        logits = self.conv(x).flatten(1)
        skip = getattr(self, "pass", None)
        if skip is not None:
            logits = torch.cat([logits, skip(x.mean((2, 3)))], 1)
        return logits + self.label_bias if hasattr(self, "label_bias") else logits


class Value(nn.Module):
    def __init__(self, header, channels):
        super().__init__()
        width, hidden = header["value_channels"], header["value_hidden"]
        outputs = 3 if header["value"] == "win-draw-loss" else 1
        self.conv = nn.Conv2d(channels, width, 1, bias=False)
        self.norm = nn.BatchNorm2d(width, eps=header["norm_epsilon"])
        self.fc1 = nn.Linear(width * header["board"] ** 2, hidden)
        self.fc2 = nn.Linear(hidden, outputs)


class Network(nn.Module):
    """A network of a header. `forward` gives the logits of moves and of win, draw, loss, the score and the logits of ownership (or None)."""

    def __init__(self, header, planes):
        super().__init__()
        self.header = dict(header)
        channels, epsilon = header["channels"], header["norm_epsilon"]
        self.activation = F.silu if header["activation"] == "swish" else F.relu
        self.stem = Layer(planes, channels, 3, epsilon)
        self.blocks = nn.ModuleList(Block(channels, epsilon, self.activation) for _ in range(header["blocks"]))
        self.policy = Policy(header, channels, LABELS[header["labels"]], header["labels"].endswith("pass"))
        self.value = Value(header, channels)
        self.score = nn.Linear(header["value_hidden"], 1) if header["score"] else None
        self.ownership = nn.Conv2d(channels, 1, 1) if header["ownership"] else None

    def forward(self, x):
        x = self.activation(self.stem(x))
        for block in self.blocks:
            x = block(x)
        policy = self.policy(x)
        hidden = self.activation(self.value.norm(self.value.conv(x))).flatten(1)
        hidden = self.activation(self.value.fc1(hidden))
        score = self.score(hidden).squeeze(1) if self.score is not None else None
        ownership = self.ownership(x).flatten(1) if self.ownership is not None else None
        return policy, self.value.fc2(hidden), score, ownership


def sized(header, planes, tower, seed):
    """A network that has learned nothing for the game of a header: `tower` is blocks x channels. Its heads whisper, as those of a run's
    first network do."""
    blocks, channels = (int(number) for number in tower.split("x"))
    torch.manual_seed(seed)
    network = Network({**header, "blocks": blocks, "channels": channels, "step": 0}, planes)
    with torch.no_grad():
        for name, tensor in network.named_parameters():
            if name.startswith(("policy.conv", "policy.pass", "value.fc2", "score", "ownership")):
                tensor.mul_(0.05)
    return network


def load(path):
    """The network of a file."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    if HEADER not in metadata:
        raise ValueError(f"{path}: no `{HEADER}` in its metadata: no network of Yomi")
    header = {"label_bias": False, "score": False, "ownership": False, "norm_epsilon": 1e-5, "step": 0}
    header.update(json.loads(metadata[HEADER]))
    network = Network(header, tensors["stem.conv.weight"].shape[1])
    missing, unexpected = network.load_state_dict(tensors, strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        raise ValueError(f"{path}: missing tensors {missing}, unexpected ones {unexpected}")
    return network


def save(path, header, tensors, half=False):
    """Writes a network file, whole or not at all."""
    from safetensors.torch import save_file

    kept = {name: tensor for name, tensor in tensors.items() if not name.endswith("num_batches_tracked")}
    # Contiguous in the usual order, whatever order the tensors were trained in.
    kept = {name: t.detach().to("cpu", torch.float16 if half else torch.float32).contiguous() for name, t in kept.items()}
    beside = f"{path}.part"
    save_file(kept, beside, metadata={HEADER: json.dumps(header)})
    with open(beside, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(beside, path)
