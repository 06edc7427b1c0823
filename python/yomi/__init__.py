"""Yomi: search, learning and a laboratory for shogi, minishogi, Go, Blokus Duo and Othello.

>>> import yomi
>>> board = yomi.Board("minishogi")
>>> board.push("5d5c")
'5d5c'
>>> result = yomi.search(board, "mcss(t=80)", sims=200)
>>> result.best in board.legal_moves
True

A game, a player and a budget are written as for the program (``yomi games``, ``yomi methods``); what comes back has the fields of
docs/json.md. Wrong input raises :class:`yomi.Error` with the text and the place that the program would show.
"""

from yomi import stats
from yomi._native import Error, __version__, signature
from yomi.analysis import Analysis, Tree, search
from yomi.board import Board, games, methods
from yomi.experiment import ExperimentRun, experiments
from yomi.learning import LearningRun, TrainingRun, learn, self_play
from yomi.matches import Match, play_match
from yomi.network import Network

__all__ = [
    "Analysis",
    "Board",
    "Error",
    "ExperimentRun",
    "LearningRun",
    "Match",
    "Network",
    "TrainingRun",
    "Tree",
    "__version__",
    "experiments",
    "games",
    "learn",
    "methods",
    "play_match",
    "search",
    "self_play",
    "signature",
    "stats",
]
