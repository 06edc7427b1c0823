"""Networks: what they say about boards."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yomi import _native
from yomi.board import Board


class Network:
    """A network, open on a device (``auto``, ``cpu``, ``cuda``, ``cuda:1``)."""

    def __init__(self, file: str | os.PathLike[str] | bytes, device: str = "auto") -> None:
        if isinstance(file, bytes):
            self.native = _native.Network.from_bytes(file, device)
        else:
            self.native = _native.Network(os.fspath(file), device)

    @classmethod
    def random(cls, game: str, blocks: int = 3, channels: int = 32, seed: int = 1, device: str = "auto") -> Network:
        """The network that a training run begins with: random, and of no opinion."""
        network = cls.__new__(cls)
        network.native = _native.Network.random(game, blocks, channels, seed, device)
        return network

    def __bytes__(self) -> bytes:
        return self.native.to_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (bytes(self),)

    def describe(self) -> dict[str, Any]:
        """Game, tower, parameters, training steps, device."""
        description: dict[str, Any] = json.loads(self.native.describe())
        return description

    def evaluate(self, boards: Sequence[Board]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """One batch: for each board the probabilities of win, draw and loss of its side to move, and the probabilities of its legal
        moves in their order."""
        values, logits, ends = self.native.evaluate_boards(list(boards))
        flat = np.array(logits, dtype=np.float32)
        policies = []
        for one in np.split(flat, ends[:-1]) if ends else []:
            weights = np.exp(one - one.max()) if len(one) else one
            policies.append((weights / weights.sum()).astype(np.float32) if len(one) else one)
        return np.array(values, dtype=np.float32).reshape(-1, 3), policies
