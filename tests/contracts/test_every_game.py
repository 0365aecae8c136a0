"""What a game owes: ask the registry, so that a new game is asked as well."""

import json
import re
from random import Random

import pytest

from parlour import registry
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, NOBODY, QUICK_LEVELS, Budget, Game, Position, choose_at
from parlour.languages import reason, sentence
from tests.conftest import ROOT

PERFT = ROOT / "tests" / "data" / "perft"
every_game = pytest.mark.parametrize("key", sorted(registry.games()))
every_game_of_ours = pytest.mark.parametrize("key", sorted(registry.GAMES))


def opening(game: Game, seed: int = 1) -> Position:
    """A game with nothing asked for, ready to be played."""
    return game.start(game.settle(game.options({}), Random(seed)))


@every_game
def test_game_goes_by_the_name_it_is_registered_under(key: str) -> None:
    game = registry.games()[key]
    assert game.key == key == registry.folder(key).name
    assert game.name


@every_game_of_ours
def test_game_has_a_readme_that_names_its_notation_and_options(key: str) -> None:
    text = (registry.folder(key) / "README.md").read_text(encoding="utf-8")
    missing = [name for name in registry.games()[key].options({}) if f"`{name}`" not in text]
    assert not missing, f"options that the README does not name: {missing}"
    assert "otation" in text, "the README does not say how moves are written"


@every_game_of_ours
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


# --- what it tells about itself -------------------------------------------------------------------------------------


@every_game
def test_description_names_every_option_with_its_default_and_bounds(key: str) -> None:
    game = registry.games()[key]
    described = game.description
    assert [option.key for option in described.options] == list(game.options({}))
    for option in described.options:
        assert game.options({option.key: option.default}) == game.options({})
        if option.least is not None and option.most is not None:
            for value in (option.least, option.most):
                assert game.options({option.key: value})[option.key] == value
            for beyond in (option.least - option.step, option.most + option.step, option.least + option.step / 2):
                with pytest.raises(Refused):
                    game.options({option.key: beyond})
    assert described.loose <= {option.key for option in described.options}
    assert set(described.size or ()) <= {option.key for option in described.options}


@every_game
def test_every_entry_of_a_menu_makes_a_game_with_seats_for_all(key: str) -> None:
    game = registry.games()[key]
    seats = game.description.seats
    for menu in game.description.menus:
        assert menu.chosen in [entry.key for entry in menu.entries]
        for entry in menu.entries:
            options = game.settle(game.options(entry.sets), Random(1))
            assert seats.least <= game.players(options) <= seats.most
            assert game.start(options).turn == 0
    if seats.option:
        assert game.players(game.options({seats.option: seats.most})) == seats.most
    else:
        assert game.players(game.options({})) == seats.least == seats.most
    assert len(game.description.sides) <= seats.most


@every_game
def test_scene_is_a_moment_of_a_game(key: str) -> None:
    game = registry.games()[key]
    scene = game.description.scene
    position = game.start(game.settle(game.options(scene.options), Random(1)))
    for move in scene.moves:
        assert position.check(move) is None
        position.play(move)
    assert len(scene.moves) >= 3


@every_game
def test_moves_are_understood_however_they_are_typed(key: str) -> None:
    game = registry.games()[key]
    read, rng = game.description.notation.read, Random(3)
    position = opening(game)
    while position.turn != NOBODY:
        for move in position.legal():
            assert read(move) == move
            assert read(f"  {move.upper()} ") == read(move.lower()) == move
        position.play(rng.choice(position.legal()))
    examples = game.description.notation.examples
    assert examples
    assert all(read(example) == example for example in examples)
    assert read("no such move") == "no such move"
    assert read("") == ""


@every_game
def test_labels_are_translated_whole_or_not_at_all(key: str) -> None:
    described = registry.games()[key].description
    english = described.english()
    assert {"name", "about", "rules", "notation"} <= english.keys()
    words = {label for label, text in english.items() if re.search(r"[a-z]", text, re.IGNORECASE)}
    for language, texts in described.texts.items():
        assert texts.keys() == words, language
        assert all(texts.values())
    assert "de" in described.texts


@every_game
def test_reasons_of_its_own_are_for_refusals_that_there_are(key: str) -> None:
    described = registry.games()[key].description
    for word in described.refusals:
        assert reason(described, Refusal(word)) == described.refusals[word]
    assert reason(described, Refusal.NOT_YOUR_TURN) == sentence(Refusal.NOT_YOUR_TURN)


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
