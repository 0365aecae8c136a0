"""What there is in this house, told by the things themselves: games, wires, levels and formats."""

from collections.abc import Iterable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour import __version__
from parlour.core.description import Description
from parlour.core.game import LEVELS, Game
from parlour.core.house.gate import Gate
from parlour.core.session import WireProtocol
from parlour.protocols.web.views import caps_words
from parlour.registry import folder, protocols
from parlour.tools import ggz_save
from parlour.web.api import answer, limited
from parlour.web.describing import content, operation, ref
from parlour.web.games import FORMATS

BOARD, STYLE = "board.js", "board.css"
"""What a game's folder has for browsers."""
GAME_FILES = "/static/games"
ONLY = {"ggz": ggz_save.ONLY}
"""Formats that are for one game, and for so many players at most."""


class GameInfo(Description, frozen=True):
    """A game as it describes itself; `texts` has its English labels, too."""

    board: str = ""
    """The path of the module that draws it, from where this server's paths begin; empty where it has none."""
    style: str = ""
    """The path of that module's style sheet, if there is one."""


class WireInfo(msgspec.Struct, frozen=True):
    """A way to play here, and what it can express."""

    name: str
    title: str
    label: str
    """What it is called beside a player's name."""
    caps: tuple[str, ...]


class FormatInfo(msgspec.Struct, frozen=True):
    """What a finished game can be written as."""

    name: str
    game: str = ""
    """The one game that it is for; empty where it is for all."""
    seats: int = 0
    """The most players that it has room for; 0 where there is no limit."""


class HouseInfo(msgspec.Struct, frozen=True):
    """Everything that a page or a program can choose from."""

    version: str
    games: list[GameInfo]
    wires: list[WireInfo]
    levels: tuple[str, ...]
    """Of engines, from the weakest to the strongest."""
    formats: list[FormatInfo]


def described_game(game: Game) -> GameInfo:
    """What a game tells, with the addresses of its files."""
    description = game.description
    fields = {name: getattr(description, name) for name in Description.__struct_fields__}
    fields["texts"] = {**description.texts, "en": description.english()}
    return GameInfo(**fields, board=_path(game.key, BOARD), style=_path(game.key, STYLE))


def _path(game: str, file: str) -> str:
    """Where a browser finds a file of a game's folder; empty if there is none."""
    return f"{GAME_FILES}/{game}/{file}" if folder(game).joinpath(file).is_file() else ""


def _wire(wire: WireProtocol) -> WireInfo:
    return WireInfo(wire.name, wire.title, wire.label or wire.title, caps_words(wire.caps))


def described_house(games: Iterable[Game]) -> HouseInfo:
    """What there is besides these games is the same everywhere."""
    return HouseInfo(
        __version__,
        [described_game(game) for game in games],
        [_wire(wire) for wire in protocols().values()],
        LEVELS,
        [FormatInfo(name, *ONLY.get(name, ())) for name in FORMATS],
    )


class HouseApi:
    """The path /api/house. Nothing in its answer changes while the server runs."""

    def __init__(self, house: HouseInfo) -> None:
        self._house = house

    def routes(self, gate: Gate) -> list[Route]:
        return [Route("/api/house", limited(gate, self.house), methods=["GET"])]

    async def house(self, _: Request) -> Response:
        return answer(self._house)


TYPES = (HouseInfo,)


def described() -> dict[str, Any]:
    """This path, for OpenAPI."""
    house = {"200": content(ref(HouseInfo), "Games, wires, levels and formats.")}
    return {"/api/house": {"get": operation("Describe the games, protocols, engine levels and export formats.", house)}}
