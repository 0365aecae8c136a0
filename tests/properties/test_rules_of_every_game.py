"""What holds in every position of every game, on boards of all sizes and from all kinds of middle games."""

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parlour.core.description import Option
from parlour.core.errors import Refusal
from parlour.core.game import LEVELS, NOBODY, Budget, Game, Position, Warmable
from parlour.games.dots import book
from parlour.games.dots.rules import DotsPosition
from parlour.registry import games
from tests.conftest import MachineCode

GAMES = games()


def small(option: Option) -> st.SearchStrategy[Any]:
    """A value that makes a small board; the default where it is no number."""
    if option.least is None or option.most is None:
        return st.just(option.default)
    return st.sampled_from(range(option.least, min(option.most, option.least + 5) + 1, option.step))


SMALL_OPTIONS = {
    **{
        key: st.fixed_dictionaries({each.key: small(each) for each in game.description.options})
        for key, game in GAMES.items()
    },
    "glenda": st.fixed_dictionaries({"walls": st.sampled_from(["", "easy", "medium", "hard", 30, "55"])}),
}

SOUP = st.one_of(
    st.text(max_size=8),
    st.from_regex(r"[hvpm] -?[0-9]{1,3} -?[0-9]{1,3}", fullmatch=True),
    st.from_regex(r"m (NE|E|SE|SW|W|NW|N|S|ne)", fullmatch=True),
    st.from_regex(r"[a-d][0-4]", fullmatch=True),
    st.integers(-20, 20).map(str),
    st.sampled_from(
        [
            "",
            " ",
            "h",
            "h 0",
            "h 0 0 0",
            "h  0 0",
            "h 00 0",
            "h 0 0\n",
            "\u0663",
            "1_0",
            "+1",
            "p \u0661 1",
            "-0",
            "A1",
            "9" * 5000,
        ]
    ),
)


@st.composite
def positions(draw: st.DrawFn) -> tuple[Game, Position]:
    """A game somewhere between its first move and its end."""
    game = GAMES[draw(st.sampled_from(sorted(GAMES)))]
    rng = Random(draw(st.integers(0, 2**32)))
    options = game.settle(game.options(draw(SMALL_OPTIONS[game.key])), rng)
    first = rng.randrange(game.players(options)) if game.any_first else 0
    position = game.start(options, first)
    for _ in range(draw(st.integers(0, 70))):
        moves = position.legal()
        if not moves:
            break
        position.play(rng.choice(moves))
    return game, position


def picture(position: Position) -> tuple[object, ...]:
    """Everything that can be seen of a position."""
    last = getattr(position, "last_boxes", None), getattr(position, "last_cell", None)
    return position.turn, position.legal(), position.scores(), position.winners(), position.text(), last


@given(positions(), st.lists(SOUP, max_size=20))
def test_legal_moves_are_exactly_those_that_check_lets_through(drawn: tuple[Game, Position], soup: list[str]) -> None:
    _, position = drawn
    moves = position.legal()
    before = picture(position)
    assert len(moves) == len(set(moves))
    assert all(position.check(move) is None for move in moves)
    for text in soup:
        assert (position.check(text) is None) == (text in moves)
    assert (position.turn == NOBODY) == (not moves)
    assert picture(position) == before


@given(positions(), SOUP)
def test_a_finished_game_takes_no_move(drawn: tuple[Game, Position], text: str) -> None:
    _, position = drawn
    while position.turn != NOBODY:
        position.play(position.legal()[0])
    assert position.check(text) is Refusal.NOT_PLAYING
    assert position.legal() == []


@given(positions(), st.integers(0, 2**16))
def test_copies_live_their_own_lives(drawn: tuple[Game, Position], seed: int) -> None:
    _, position = drawn
    before = picture(position)
    twin = position.copy()
    assert picture(twin) == before
    rng = Random(seed)
    moves = []
    while twin.turn != NOBODY:
        moves.append(rng.choice(twin.legal()))
        twin.play(moves[-1])
    assert picture(position) == before
    for move in moves:
        position.play(move)
    assert picture(position) == picture(twin)


@given(positions())
def test_positions_travel_between_processes(drawn: tuple[Game, Position]) -> None:
    _, position = drawn
    carried = pickle.dumps(position)
    assert picture(pickle.loads(carried)) == picture(position)
    assert len(carried) < 1500


@given(positions(), st.data())
def test_leaving_skips_a_seat_or_ends_the_game(drawn: tuple[Game, Position], data: st.DataObject) -> None:
    _, position = drawn
    assume(position.turn != NOBODY)
    seats = list(range(len(position.scores())))
    for leaver in data.draw(st.permutations(seats)):
        before = position.scores()
        position.leave(leaver)
        seats.remove(leaver)
        if len(seats) == 1:
            break
        assert position.turn in seats
        assert position.scores() == before
    assert position.turn == NOBODY
    assert position.winners() == (seats[0],)
    settled = picture(position)
    position.leave(seats[0])
    assert picture(position) == settled


@given(positions())
def test_scores_name_the_winners(drawn: tuple[Game, Position]) -> None:
    game, position = drawn
    if position.turn != NOBODY:
        assert position.winners() == ()
        return
    scores, winners = position.scores(), position.winners()
    assert all(scores[seat] == max(scores) for seat in winners)
    assert (len(set(scores)) == 1) == (winners == ())
    if not game.description.points:
        assert sum(scores) == len(winners) <= 1


@settings(max_examples=60, deadline=None)
@given(positions(), st.sampled_from(LEVELS), st.integers(0, 1000))
def test_engines_play_legal_moves_at_every_level(drawn: tuple[Game, Position], level: str, seed: int) -> None:
    game, position = drawn
    assume(position.turn != NOBODY)
    before = picture(position)
    move = game.engine().choose(position, level, Budget(0.02, seed))
    assert position.check(move) is None
    assert picture(position) == before


@given(positions(), st.sampled_from(["beginner", "easy", "medium"]), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_the_same_seed_gives_the_same_move(drawn: tuple[Game, Position], level: str, seed: int) -> None:
    game, position = drawn
    assume(position.turn != NOBODY)
    engine = game.engine()
    chosen = {engine.choose(each, level, Budget(5, seed)) for each in (position, position.copy(), position)}
    assert len(chosen) == 1


@settings(max_examples=50, deadline=None)
@given(positions())
def test_verdicts_name_a_legal_best_move_and_claim_nothing_more_than_it(drawn: tuple[Game, Position]) -> None:
    look_through_verdict(*drawn)


@pytest.fixture(scope="module")
def compiled(machine_code: MachineCode) -> Iterator[None]:
    """Engines with their machine code, for the tests of this module only."""
    pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parlour.games.dots.engine._tools", None)
        patch.setattr("parlour.games.connect4.solver._loaded", None)
        for game in GAMES.values():
            engine = game.engine()
            assert not isinstance(engine, Warmable) or machine_code.load(engine.warm)
        yield


@pytest.mark.usefixtures("compiled")
@settings(max_examples=100, deadline=None)
@given(positions())
def test_verdicts_of_compiled_engines_claim_no_more(drawn: tuple[Game, Position]) -> None:
    look_through_verdict(*drawn)


def look_through_verdict(game: Game, position: Position) -> None:
    assume(position.turn != NOBODY)
    verdict = game.engine().analyse(position, Budget(0.05, 1))
    rated = {each.move: each for each in verdict.moves}
    assert rated.keys() <= set(position.legal())
    assert rated[verdict.best].value == verdict.value == max(each.value for each in verdict.moves)
    assert not verdict.exact or rated[verdict.best].exact or value_alone_is_known(position)
    assert verdict.nodes > 0 or verdict.exact  # from a book, or by a closer look at the board


def value_alone_is_known(position: Position) -> bool:
    """Whether the book of dots says what the position is worth, and not by which move."""
    entry = book.told(position) if isinstance(position, DotsPosition) else None
    return entry is not None and entry.line is None


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_unknown_options_are_refused_and_canonical_ones_stay(game: Game) -> None:
    from parlour.core.errors import Refused

    canonical = game.options({})
    assert game.options(canonical) == canonical
    settled = game.settle(canonical, Random(1))
    assert game.options(settled) == settled == game.settle(settled, Random(2))
    with pytest.raises(Refused) as refused:
        game.options({**canonical, "colour": "red"})
    assert refused.value.why is Refusal.BAD_OPTIONS
