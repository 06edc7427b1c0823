"""Games in the shape of OpenSpiel's Python interface: what is written for ``pyspiel.Game`` and ``pyspiel.State`` plays ours.

>>> from yomi import openspiel
>>> state = openspiel.load_game("minishogi").new_initial_state()
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> sum(state.returns())
0.0

An action is the number of a move among the outputs of the policy head (as the side to move sees the board) in games that networks play,
and elsewhere its place among all texts that a move of the game can have. Black is player 0.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yomi import _native

#: The player to move where there is none.
TERMINAL_PLAYER = -4

#: Moves of the games that networks do not play, in the order of their actions.
_SMALL: dict[str, list[str]] = {
    "othello": [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"] + ["pass"],
    "tic-tac-toe": [str(place) for place in range(1, 10)],
    "connect-four": [str(column) for column in range(1, 8)],
    "nim": ["1", "2", "3"],
}

#: Games that last longer are not known.
_LONGEST = {"shogi": 1000, "minishogi": 1000, "blokus-duo": 64, "othello": 128, "tic-tac-toe": 9, "connect-four": 42, "nim": 64}


class Game:
    """A game with its rules."""

    def __init__(self, rules: str) -> None:
        self._start = _native.Board(rules)
        self.rules = self._start.rules
        self._small = _SMALL.get(self._start.game)
        self._count = len(self._small) if self._small is not None else self._start.label_count
        self._shape = [] if self._small is not None else list(self._start.plane_shape)

    def new_initial_state(self) -> State:
        """The start of the game."""
        return State(self, self._start.fork(), [])

    def num_distinct_actions(self) -> int:
        """Actions are below this number."""
        return self._count

    def num_players(self) -> int:
        """Two."""
        return 2

    def min_utility(self) -> float:
        """A lost game."""
        return -1.0

    def max_utility(self) -> float:
        """A won game."""
        return 1.0

    def utility_sum(self) -> float:
        """What one side wins the other loses."""
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        """Planes, rows, columns; empty for games that networks do not play."""
        return self._shape

    def observation_tensor_size(self) -> int:
        """How many numbers these are."""
        return int(np.prod(self._shape)) if self._shape else 0

    def max_game_length(self) -> int:
        """Plies; Go may take as many as the rules allow repetitions, so this is what engines assume."""
        board = self._start
        return _LONGEST.get(board.game, 0) or 3 * board.plane_shape[1] ** 2

    def __str__(self) -> str:
        return self.rules

    def __reduce__(self) -> tuple[Any, ...]:
        return Game, (self.rules,)


class State:
    """A position of a game, with the moves that led to it."""

    def __init__(self, game: Game, board: _native.Board, history: list[int]) -> None:
        self._game = game
        self._board = board
        self._history = history
        self._actions: dict[int, str] | None = None
        self._outcome: str | None | bool = False

    def _legal(self) -> dict[int, str]:
        if self._actions is None:
            moves = self._board.legal_moves
            if self._game._small is not None:
                labels = [self._game._small.index(move) for move in moves]
            else:
                labels = self._board.labels()
            self._actions = dict(sorted(zip(labels, moves)))
        return self._actions

    def _ended(self) -> str | None:
        if self._outcome is False:
            self._outcome = self._board.outcome
        return self._outcome if isinstance(self._outcome, str) else None

    def get_game(self) -> Game:
        """The game."""
        return self._game

    def current_player(self) -> int:
        """0 for Black, 1 for White, a negative number when the game is over."""
        if self.is_terminal():
            return TERMINAL_PLAYER
        return 0 if self._board.turn == "black" else 1

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._ended() is not None

    def is_chance_node(self) -> bool:
        """There is no chance in these games."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Sides move in turn."""
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The actions of the side to move, ascending."""
        if self.is_terminal() or (player is not None and player != self.current_player()):
            return []
        return list(self._legal())

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """1 for each legal action, 0 for the others."""
        mask = [0] * self._game.num_distinct_actions()
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """Plays an action; :class:`yomi.Error` if it is not legal."""
        move = self._legal().get(int(action))
        if move is None or self.is_terminal():
            raise _native.Error(f"action {action} is not legal here")
        self._board.push_line(move)
        self._history.append(int(action))
        self._actions, self._outcome = None, False

    def undo_action(self, player: int, action: int) -> None:
        """Takes the last action back."""
        if not self._history or self._history[-1] != action:
            raise _native.Error(f"action {action} was not the last one")
        self._board.pop()
        self._history.pop()
        self._actions, self._outcome = None, False

    def child(self, action: int) -> State:
        """The position after an action."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> State:
        """The same position on a board of its own."""
        return State(self._game, self._board.fork(), list(self._history))

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """The move in the game's own text; the player may be left out."""
        return self._legal()[int(player if action is None else action)]

    def string_to_action(self, player: int | str, text: str | None = None) -> int:
        """The action of a legal move; the player may be left out."""
        wanted = str(player) if text is None else text
        for action, move in self._legal().items():
            if move == wanted:
                return action
        raise _native.Error(f"{wanted} is not legal here")

    def returns(self) -> list[float]:
        """1 for the winner, -1 for the loser, 0 in a draw or while the game goes on."""
        points = {"black wins": [1.0, -1.0], "white wins": [-1.0, 1.0]}
        return points.get(self._ended() or "", [0.0, 0.0])

    def rewards(self) -> list[float]:
        """As ``returns``: nothing is won before the end."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """What a player got."""
        return self.returns()[player]

    def history(self) -> list[int]:
        """The actions so far."""
        return list(self._history)

    def history_str(self) -> str:
        """The same as text."""
        return ", ".join(map(str, self._history))

    def move_number(self) -> int:
        """How many moves were played."""
        return len(self._history)

    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """What networks see, as the side to move sees the board."""
        planes = np.empty(self._game.observation_tensor_shape(), dtype=np.float32)
        self._board.write_planes(planes)
        return planes

    def observation_string(self, player: int | None = None) -> str:
        """The position in the game's own text."""
        return str(json.loads(self._board.position_json())["position"])

    def board(self) -> _native.Board:
        """The board, for everything that OpenSpiel has no word for. Play through the state."""
        return self._board

    def __str__(self) -> str:
        return self._board.text()


def load_game(rules: str) -> Game:
    """A game by its name: ``go9(komi=6.5)``."""
    return Game(rules)
