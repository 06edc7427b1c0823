"""The adapter in the shape of OpenSpiel: by itself, and under OpenSpiel's own search where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

import yomi
from yomi import openspiel


@pytest.mark.parametrize("name", ["minishogi", "go9", "blokus-duo", "othello", "tic-tac-toe", "connect-four", "nim"])
def test_random_games_end(name: str) -> None:
    game = openspiel.load_game(name)
    rng = np.random.default_rng(7)
    state = game.new_initial_state()
    while not state.is_terminal() and state.move_number() < 400:
        actions = state.legal_actions()
        assert actions == sorted(set(actions)) and 0 <= actions[0] and actions[-1] < game.num_distinct_actions()
        assert sum(state.legal_actions_mask()) == len(actions)
        action = int(rng.choice(actions))
        assert state.string_to_action(state.action_to_string(state.current_player(), action)) == action
        child = state.child(action)
        state.apply_action(action)
        assert child.observation_string() == state.observation_string() and child.history() == state.history()
        if game.observation_tensor_shape():
            assert list(state.observation_tensor().shape) == game.observation_tensor_shape()
    assert sum(state.returns()) == 0
    if state.is_terminal():
        assert state.current_player() < 0 and state.legal_actions() == []


def test_actions_are_taken_back_and_wrong_ones_refused() -> None:
    state = openspiel.load_game("tic-tac-toe").new_initial_state()
    for action in [0, 1, 3, 4, 6]:
        state.apply_action(action)
    assert state.is_terminal() and state.returns() == [1.0, -1.0]
    state.undo_action(0, 6)
    assert not state.is_terminal() and state.current_player() == 0
    for wrong in (0, 99, -1):
        with pytest.raises(yomi.Error, match="not legal"):
            state.apply_action(wrong)


def test_open_spiel_s_search_plays_our_games() -> None:
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts", reason="open_spiel is not installed")
    game = openspiel.load_game("tic-tac-toe")
    bot = mcts.MCTSBot(game, 1.4, 200, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(2))
    state = game.new_initial_state()
    for action in [0, 1, 3, 4]:
        state.apply_action(action)
    assert bot.step(state) == 6, "the winning move"
