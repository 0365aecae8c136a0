"""Pictures of games: well-formed, harmless, and a film is the same as its pictures one after the other."""

import struct
from io import BytesIO
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from parlour.core.errors import LocalError
from parlour.core.words import Kind, Reason
from parlour.games.base import BaseGame
from parlour.games.colours import GLOW
from parlour.games.shapes import Rect, Scene, Text, bounds, mix, moved
from parlour.registry import games
from parlour.store.base import StoredEnd, StoredGame, StoredMove, StoredPlayer
from parlour.tools.pictures import boards, frames, raster, svg
from parlour.tools.pictures.files import as_film, as_svg

SVG = "{http://www.w3.org/2000/svg}"
SMALL: dict[str, dict[str, object]] = {
    "noughts": {},
    "connect4": {"columns": 5, "rows": 4},
    "glenda": {"walls": 6},
    "dots": {"width": 4, "height": 3},
}
Played = tuple[StoredGame, list[StoredMove]]


def played(key: str, options: dict[str, object], seed: int = 1, most: int = 10_000, names: str = "Ann Ben") -> Played:
    """A game of whoever moves at random."""
    game, dice = games()[key], Random(seed)
    settled = game.settle(game.options(options), dice)
    position = game.start(settled)
    moves: list[StoredMove] = []
    while position.turn >= 0 and len(moves) < most:
        moves.append(StoredMove(len(moves) + 1, position.turn, dice.choice(position.legal()), 0.0))
        position.play(moves[-1].move)
    over = position.turn < 0
    result = StoredEnd(position.winners(), position.scores(), Reason.PLAYED_OUT) if over else None
    called = names.split(" ")
    players = tuple(
        StoredPlayer(seat, called[seat % len(called)], "web", Kind.PERSON) for seat in range(game.players(settled))
    )
    status = "finished" if over else "playing"
    return StoredGame("g", "t", key, settled, players, status, len(moves), 0.0, result), moves


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


@pytest.mark.parametrize("key", SMALL)
@settings(max_examples=8)
@given(seed=st.integers(0, 1000), share=st.floats(0, 1))
def test_every_position_is_well_formed_and_stays_on_its_picture(key: str, seed: int, share: float) -> None:
    game, moves = played(key, SMALL[key], seed)
    number = round(share * len(moves))
    scene = frames.scene(game, moves, number)
    root = parsed(svg.text(scene))
    assert root.tag == f"{SVG}svg"
    assert f"{number} / {len(moves)}" in "".join(root.itertext())
    for shape in scene.shapes:
        left, top, right, bottom = bounds(shape)
        if not isinstance(shape, Text):  # how wide letters are, only a font knows
            assert -1 <= left <= right <= scene.width + 1, shape
            assert -1 <= top <= bottom <= scene.height + 1, shape


@given(name=st.text(min_size=1, max_size=30))
@settings(max_examples=60)
def test_names_cannot_become_markup(name: str) -> None:
    game, moves = played("noughts", {}, names="Ann")
    mine = StoredPlayer(0, name, "web", Kind.PERSON)
    root = parsed(
        as_svg(StoredGame(game.id, "t", "noughts", {}, (mine, game.players[1]), "playing", 0, None, None), [])
    )
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg",
        "title",
        "rect",
        "circle",
        "path",
        "polygon",
        "text",
    }
    assert all(not key.startswith("on") and key != "style" for element in root.iter() for key in element.attrib)
    assert moves


def test_boxes_are_drawn_for_whoever_closed_them() -> None:
    game, moves = played("dots", {"width": 6, "height": 5})
    last = frames.scene(game, moves)
    assert game.result is not None
    score = " : ".join(map(str, game.result.scores))
    shown = [shape.text for shape in last.shapes if isinstance(shape, Text)]
    assert f"Ann {game.result.scores[0]}" in shown, score
    assert f"{game.result.scores[1]} Ben" in shown
    assert any(text.endswith("won " + score.replace(" ", "") + " (played-out).") for text in shown)


def test_last_move_and_winning_row_are_marked() -> None:
    moves = [StoredMove(n + 1, n % 2, move, 0.0) for n, move in enumerate(("a1", "b1", "a2", "b2", "a3"))]
    result = StoredEnd((0,), (1, 0), Reason.PLAYED_OUT)
    players = tuple(StoredPlayer(seat, name, "web", Kind.PERSON) for seat, name in enumerate(("Ann", "Ben")))
    game = StoredGame("g", "t", "noughts", {}, players, "finished", 5, 0.0, result)
    before, after = (frames.scene(game, moves, number).shapes for number in (4, 5))
    assert len(after) == len(before) + 3  # two strokes of a cross and the line through the three; a star for a turn
    glows = [
        next(shape for shape in shapes if isinstance(shape, Rect) and shape.fill == GLOW) for shapes in (before, after)
    ]
    assert glows[0].x < glows[1].x  # from b2 to a3
    assert glows[0].y > glows[1].y


@pytest.mark.parametrize("number", [-1, 6])
def test_there_is_no_picture_of_a_move_that_was_not_made(number: int) -> None:
    game, moves = played("noughts", {}, most=5)
    with pytest.raises(LocalError, match="the game has 5"):
        as_svg(game, moves, number)


def test_game_against_its_rules_is_refused_in_a_sentence() -> None:
    game, moves = played("connect4", {}, most=3)
    with pytest.raises(LocalError, match="does not follow its rules"):
        as_svg(game, [moves[0], moves[0]])


@given(moves=st.integers(0, 6000), most=st.integers(2, 200))
def test_long_games_are_shown_in_so_many_pictures_at_most(moves: int, most: int) -> None:
    numbers = frames.picked(moves, most)
    assert len(numbers) <= most
    assert (numbers[0], numbers[-1]) == (0, moves)
    assert numbers == sorted(set(numbers))
    if moves < most:
        assert numbers == list(range(moves + 1))


# --- films -----------------------------------------------------------------------------------------------------------


def same(one: Image.Image, other: Image.Image) -> bool:
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox() is None


@pytest.mark.parametrize("key", SMALL)
def test_film_in_png_is_every_picture_after_the_other(key: str) -> None:
    """Only what has changed is drawn anew, which nobody must see."""
    game, moves = played(key, SMALL[key], most=7)
    film = Image.open(BytesIO(as_film(game, moves, "apng")))
    assert film.n_frames == len(moves) + 1  # type: ignore[attr-defined]
    for number in range(len(moves) + 1):
        film.seek(number)
        assert same(film, Image.open(BytesIO(raster.apng([frames.scene(game, moves, number)])))), number


def test_film_in_gif_has_all_moves_and_stays_longer_at_the_end() -> None:
    game, moves = played("noughts", {})
    film = Image.open(BytesIO(as_film(game, moves, "gif")))
    assert (film.format, film.n_frames) == ("GIF", len(moves) + 1)  # type: ignore[attr-defined]
    times = []
    for number in range(len(moves) + 1):
        film.seek(number)
        times.append(film.info["duration"])
    assert times[-1] > times[0] > 0
    assert film.info["loop"] == 0
    still = Image.open(BytesIO(raster.apng([frames.scene(game, moves)])))
    difference = ImageChops.difference(film.convert("RGB"), still.convert("RGB")).convert("L").histogram()
    assert not any(difference[64:])  # a GIF has fewer colours, but none that is quite another


def test_largest_board_makes_a_small_film() -> None:
    game, moves = played("dots", {"width": 50, "height": 50, "players": 3}, most=400, names="Ann Ben Cid")
    wanted = frames.picked(len(moves), 5)
    film = raster.gif(frames.scenes(game, moves, wanted))
    width, height = struct.unpack("<HH", film[6:10])
    assert max(width, height) < 700
    assert len(film) < 500_000


def test_game_without_a_move_is_a_still_picture() -> None:
    game, _ = played("glenda", {"walls": 3}, most=0)
    for form in ("gif", "apng"):
        assert Image.open(BytesIO(as_film(game, [], form))).size


# --- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", SMALL)
def test_shapes_can_be_moved(key: str) -> None:
    game, moves = played(key, SMALL[key], most=6)
    *_, position = (position for _, position in frames.positions(game, moves))
    for shape in boards.board(games()[key], position, moves[-1].move).shapes:
        there = bounds(moved(shape, 10, -5))
        assert there == pytest.approx([side + step for side, step in zip(bounds(shape), (10, -5) * 2, strict=True)])


class Undrawn(BaseGame):
    """A game without a picture."""

    description = games()["noughts"].description
    start = staticmethod(games()["noughts"].start)
    engine = staticmethod(games()["noughts"].engine)


def test_game_without_a_picture_is_shown_in_letters() -> None:
    position = games()["noughts"].start({})
    position.play("b2")
    drawing = boards.board(Undrawn(), position, "b2")
    assert boards.emblem(Undrawn(), 1, 9, 9)
    letters = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
    assert "".join(letters) == position.text().replace(" ", "").replace("\n", "")
    assert parsed(svg.text(Scene(drawing.width, drawing.height, tuple(drawing.shapes))))


def test_colours_are_mixed() -> None:
    assert mix("#000000", "#ffffff", 0.5) in ("#808080", "#7f7f7f")
    assert mix("#102030", "#ffffff", 1) == "#102030"
