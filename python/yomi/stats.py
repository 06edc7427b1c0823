"""Statistics of matches: the numbers of ``yomi stats``.

Counts are those of one player: ``(wins, draws, losses)``, or the five counts of pairs of games (two losses, loss and draw, balanced, win
and draw, two wins), with which error bars are right where the games of a pair share an opening.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from yomi import _native

__all__ = ["binomial", "compare", "elo", "games_needed", "sprt"]


def elo(counts: Sequence[int], level: float = 0.95) -> dict[str, Any]:
    """Score, Elo, normalized Elo and likelihood of superiority."""
    result: dict[str, Any] = json.loads(_native.elo(list(counts), level))
    return result


def binomial(successes: int, trials: int, p: float = 0.5, level: float = 0.95) -> dict[str, Any]:
    """An exact two-sided test against a rate, with Clopper-Pearson and Wilson intervals."""
    result: dict[str, Any] = json.loads(_native.binomial(successes, trials, p, level))
    return result


def compare(a: tuple[int, int], b: tuple[int, int], level: float = 0.95) -> dict[str, Any]:
    """Two proportions, each (successes, trials): p, by which test, and the difference with its interval."""
    result: dict[str, Any] = json.loads(_native.compare(a, b, level))
    return result


def sprt(
    elo0: float,
    elo1: float,
    counts: Sequence[int] | None = None,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    logistic: bool = False,
) -> dict[str, Any]:
    """A sequential test: bounds, expected length and, with counts, where it stands."""
    listed = None if counts is None else list(counts)
    result: dict[str, Any] = json.loads(_native.sprt(elo0, elo1, listed, alpha, beta, logistic))
    return result


def games_needed(score: float, power: float = 0.8, draws: float = 0.0, alpha: float = 0.05) -> int:
    """How many games show, with this power, that a score differs from one half."""
    return _native.games_needed(score, power, draws, alpha)
