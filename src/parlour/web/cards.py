"""What a link to one of our pages looks like where others show it: a title, a sentence and a picture."""

import asyncio
import html
from collections import OrderedDict
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.errors import LocalError, Unreadable
from parlour.core.game import Game, Position
from parlour.core.house.gate import DRAWING, Gate
from parlour.core.table.table import Table
from parlour.games.shapes import Scene
from parlour.languages import text
from parlour.store.base import Library, NoSuchGame, StoredGame
from parlour.tools import scoresheet
from parlour.tools.pictures.cards import HEIGHT, WIDTH, card
from parlour.tools.pictures.frames import positions
from parlour.web.api import Handler, id_of, limited, no_such, unreadable
from parlour.web.describing import ID, Problem, operation, trouble
from parlour.web.site import Site

PNG = "image/png"
MOST_KEPT = 64
HEADERS = {"cache-control": "public, max-age=60", "cross-origin-resource-policy": "cross-origin"}
ICON = "/static/icons/512.png"


class Card(NamedTuple):
    """What is told about a page."""

    title: str
    about: str
    picture: str = ICON
    """Its path."""

    def head(self, beginning: str, path: str) -> str:
        """For the head of the page; others need whole addresses, which begin so."""
        large = self.picture != ICON
        size = (WIDTH, HEIGHT) if large else (512, 512)
        told = {
            "og:type": "website",
            "og:site_name": "Parlour",
            "og:title": self.title,
            "og:description": self.about,
            "og:url": beginning + path,
            "og:image": beginning + self.picture,
            "og:image:type": PNG,
            "og:image:width": str(size[0]),
            "og:image:height": str(size[1]),
            "og:image:alt": self.title,
        }
        lines = [f'<meta property="{name}" content="{html.escape(value)}">' for name, value in told.items()]
        return "\n".join([*lines, f'<meta name="twitter:card" content="summary{"_large_image" if large else ""}">'])


def of_house(language: str) -> Card:
    return Card(text(language, "app.name"), text(language, "app.tagline"))


def of_table(table: Table, language: str) -> Card:
    """An invitation while a seat is free, else who plays."""
    game = _game_name(table.game, language)
    names = [member.name for member in table.seats if member is not None]
    if not table.running and None in table.seats and names:
        title = text(language, "card.invitation", name=names[0], game=game)
    else:
        title = f"{', '.join(names)} · {game}" if names else game
    return Card(title, _about(table.game, language), f"/api/tables/{table.id}/card?{table.seq}")


def of_game(game: StoredGame, rules: Game | None, language: str) -> Card:
    """Who played; of a game whose rules are not here, there is no more to tell."""
    if rules is None:
        return of_house(language)
    names = ", ".join(scoresheet.plain(player.name) for player in game.players)
    return Card(f"{names} · {_game_name(rules, language)}", _about(rules, language), f"/api/games/{game.id}/card")


def _game_name(game: Game, language: str) -> str:
    return _own_word(game, language, "name") or game.name


def _about(game: Game, language: str) -> str:
    return _own_word(game, language, "about") or game.description.about


def _own_word(game: Game, language: str, key: str) -> str:
    """What the language's file calls it, or else the game itself does."""
    named = f"game.{game.key}.{key}"
    said = text(language, named)
    return game.description.texts.get(language, {}).get(key, "") if said == named else said


class Cards:
    """The pictures. Those that were drawn last are kept."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def routes(self, gate: Gate) -> list[Route]:
        paths: dict[str, Handler] = {"/api/tables/{id}/card": self.table, "/api/games/{id}/card": self.game}
        return [Route(path, limited(gate, handler), methods=["GET"]) for path, handler in paths.items()]

    async def table(self, request: Request) -> Response:
        """A table as it is, or before the first game a scene of what will be played."""
        table = self._site.hub.tables.get(id_of(request))
        if table is None:
            return no_such("table")
        key = table.id, table.seq
        if key not in self._kept:
            position, last = (table.position, table.moves[-1] if table.moves else None)
            if position is None:
                position, last = _example(table.game)
            scene = card(table.game, position, last, ["" if seat is None else seat.name for seat in table.seats])
            await self._site.flushed()
            await self._draw(key, scene)
        return self._picture(key)

    async def game(self, request: Request) -> Response:
        """A game of the log, as it ended or stands."""
        name, log = id_of(request), self._site.log
        if log is None:
            return no_such("game")
        try:
            scene, moves = await log.read(lambda library: _last_scene(library, name))
        except Unreadable:
            return unreadable()
        except (NoSuchGame, LocalError, scoresheet.Unplayable):
            return no_such("game")
        if (name, moves) not in self._kept:
            await self._draw((name, moves), scene)
        return self._picture((name, moves))

    async def _draw(self, key: tuple[str, int], scene: Scene) -> None:
        from parlour.tools.pictures.raster import png  # Pillow is big, and few want a picture

        gate = self._site.hub.gate
        gate.charge(DRAWING)
        try:
            self._kept[key] = await asyncio.to_thread(png, scene)
        finally:
            gate.refund(DRAWING)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _picture(self, key: tuple[str, int]) -> Response:
        return Response(self._kept[key], headers=HEADERS, media_type=PNG)


def _example(game: Game) -> tuple[Position, str]:
    scene = game.description.scene
    position = game.start(game.options(scene.options), 0)
    for move in scene.moves:
        position.play(move)
    return position, scene.moves[-1]


def _last_scene(library: Library, name: str) -> tuple[Scene, int]:
    game, moves = library.game(name)
    rules = scoresheet.rules(game.game)
    *_, (_, position) = positions(game, moves)
    names = [scoresheet.name_of(game.players, seat) for seat in range(len(game.players))]
    return card(rules, position, moves[-1].move if moves else None, names), len(moves)


TYPES = (Problem,)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    picture = {"description": "1200 by 630 pixels.", "content": {PNG: binary}}
    return {
        "/api/tables/{id}/card": {
            "get": operation(
                "A picture of a table, for previews of links.",
                {"200": picture, "404": trouble("There is no such table.")},
                ID,
            )
        },
        "/api/games/{id}/card": {
            "get": operation(
                "A picture of a game of the log, for previews of links.",
                {"200": picture, "404": trouble("There is no such game, or it cannot be drawn.")},
                ID,
            )
        },
    }
