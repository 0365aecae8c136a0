"""What a game owes: ask the registry, so that a new game is asked as well."""

import importlib
import json
from pathlib import Path
from random import Random

import pytest

from parlour import registry
from parlour.core.game import LEVELS, NOBODY, QUICK_LEVELS, Budget, Game, Position, choose_at
from tests.conftest import ROOT

PERFT = ROOT / "tests" / "data" / "perft"
every_game = pytest.mark.parametrize("key", sorted(registry.GAMES))


def folder(key: str) -> Path:
    """Where a game's files are."""
    module = importlib.import_module(registry.GAMES[key].partition(":")[0])
    assert module.__file__ is not None
    return Path(module.__file__).parent


def opening(game: Game, seed: int = 1) -> Position:
    """A game with nothing asked for, ready to be played."""
    return game.start(game.settle(game.options({}), Random(seed)))


@every_game
def test_game_goes_by_the_name_it_is_registered_under(key: str) -> None:
    game = registry.games()[key]
    assert game.key == key == folder(key).name
    assert game.name


@every_game
def test_game_has_a_readme_that_names_its_notation_and_options(key: str) -> None:
    text = (folder(key) / "README.md").read_text(encoding="utf-8")
    missing = [name for name in registry.games()[key].options({}) if f"`{name}`" not in text]
    assert not missing, f"options that the README does not name: {missing}"
    assert "otation" in text, "the README does not say how moves are written"


@every_game
def test_game_has_perft_counts_as_data(key: str) -> None:
    counts = json.loads((PERFT / f"{key}.json").read_text(encoding="utf-8"))
    assert counts, "an empty file counts nothing"


@every_game
def test_default_options_are_canonical_and_start_a_game(key: str) -> None:
    game = registry.games()[key]
    options = game.options({})
    assert game.options(options) == options
    position = opening(game)
    assert position.turn != NOBODY
    assert 0 <= position.turn < game.players(options)
    assert position.legal()
    assert position.text().strip()


@every_game
def test_settled_options_follow_from_the_dice_alone(key: str) -> None:
    game = registry.games()[key]
    options = game.options({})
    assert game.settle(options, Random(7)) == game.settle(options, Random(7))


@every_game
@pytest.mark.parametrize("level", LEVELS)
def test_engine_chooses_a_legal_move_at_every_level_and_repeats_itself(key: str, level: str) -> None:
    game = registry.games()[key]
    engine = game.engine()
    position = opening(game)
    for ply in range(6):
        if position.turn == NOBODY:
            break
        before = position.text()
        # Only a level that does not look at the clock can be held to its seed.
        move = choose_at(level, engine, position, Budget(0.05, ply))
        assert position.text() == before, "an engine plays on the position it was only shown"
        assert position.check(move) is None
        assert move in position.legal()
        if level in QUICK_LEVELS:
            assert move == choose_at(level, engine, position, Budget(0.05, ply))
        position.play(move)


@every_game
def test_engine_rates_only_legal_moves_and_its_best_is_one_of_them(key: str) -> None:
    game = registry.games()[key]
    position = opening(game)
    verdict = game.engine().analyse(position, Budget(0.2, 1))
    rated = {each.move: each.value for each in verdict.moves}
    assert set(rated) <= set(position.legal())
    assert rated[verdict.best] == verdict.value == max(rated.values())
