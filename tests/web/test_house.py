"""What the house tells of itself: games, wires, levels and formats, and where browsers find the games' files."""

import msgspec
import pytest

from parlour import __version__
from parlour.core.description import Description
from parlour.core.game import LEVELS
from parlour.core.words import Cap
from parlour.registry import games, protocols
from parlour.web.games import FORMATS
from parlour.web.house import HouseInfo
from tests.web.house import WebHouse


@pytest.fixture
def told(house: WebHouse) -> HouseInfo:
    answer = house.get("/api/house")
    assert answer.status == 200
    return msgspec.json.decode(answer.body, type=HouseInfo)


def test_every_game_is_told_as_it_describes_itself(told: HouseInfo) -> None:
    assert [game.key for game in told.games] == list(games())
    for game in told.games:
        description = games()[game.key].description
        for field in Description.__struct_fields__:
            if field != "texts":
                assert getattr(game, field) == getattr(description, field), field
        assert game.texts == {**description.texts, "en": description.english()}


def test_wires_are_told_with_what_they_can_express(told: HouseInfo) -> None:
    words = {cap.name.lower(): cap for cap in Cap if cap.name and cap.value.bit_count() == 1}
    for wire in told.wires:
        protocol = protocols()[wire.name]
        assert (wire.title, wire.label) == (protocol.title, protocol.label or protocol.title)
        assert {words[cap] for cap in wire.caps} == set(protocol.caps)
        assert len(wire.label) < 15
    assert [wire.name for wire in told.wires] == list(protocols())


def test_levels_formats_and_version_are_told(told: HouseInfo) -> None:
    assert (told.version, told.levels) == (__version__, LEVELS)
    assert [form.name for form in told.formats] == list(FORMATS)
    assert {form.name: (form.game, form.seats) for form in told.formats if form.game} == {"ggz": ("dots", 2)}
