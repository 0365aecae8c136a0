"""The games of the log as a list, for programs and for pages: the latest first, a page at a time."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.errors import LocalError
from parlour.core.house.gate import Gate
from parlour.core.words import Kind
from parlour.store.base import Library, NoSuchGame, StoredGame
from parlour.tools.scoresheet import GameLine, line
from parlour.web.api import LONGEST_ID, answer, limited, problem, unreadable
from parlour.web.describing import Problem, content, operation, ref, trouble
from parlour.web.site import Site

USUAL, MOST = 50, 200
"""Games of a page."""


class GameList(msgspec.Struct, frozen=True):
    """A page of the list; `next` is where the next one goes on, for `before`, or null on the last."""

    games: list[GameLine]
    next: str | None = None
    registered: list[str] = []
    """The players on this page whose names are registered, and have a page."""


class Archive:
    """The path /api/games."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        return [Route("/api/games", limited(gate, self.games), methods=["GET"])]

    async def games(self, request: Request) -> Response:
        """Those that have begun, of one kind or of one player or all; or those with these ids."""
        asked = request.query_params
        ids = asked.getlist("id")
        game, player, before = (asked.get(word, "") for word in ("game", "player", "before"))
        limit = asked.get("limit", str(USUAL))
        if not (limit.isascii() and limit.isdigit() and len(limit) < 6 and 1 <= int(limit) <= MOST):
            return problem(400, "bad-limit", f"A page has 1 to {MOST} games.")
        if max(map(len, (game, player, before, *ids))) > LONGEST_ID:
            return problem(400, "too-long", f"Names and ids have at most {LONGEST_ID} letters.")
        if self._site.log is None:
            return answer(GameList([]))
        most = int(limit)

        def look(library: Library) -> list[StoredGame]:
            return library.named(ids[:most]) if ids else library.latest(most + 1, before, game, player)

        try:
            found = await self._site.log.read(look)
        except NoSuchGame:
            return problem(400, "no-such-game", "There is no such game to go on from.")
        except LocalError:
            return unreadable()
        page = [line(one) for one in found[:most]]
        return answer(GameList(page, page[-1].id if len(found) > most else None, self._registered(page)))

    def _registered(self, page: list[GameLine]) -> list[str]:
        names = {player.name for game in page for player in game.players if player.kind is Kind.PERSON}
        return sorted(name for name in names if self._site.hub.accounts.registered(name) is not None)


TYPES = (Problem, GameList)


def described() -> dict[str, Any]:
    """This path, for OpenAPI."""
    words = {
        "game": "Its key: only games of this kind.",
        "player": "A name, in upper or lower case: only games in which they sat.",
        "before": "The `next` of the page before, or any game's id: only older ones.",
    }
    parameters = [
        {"name": name, "in": "query", "description": text, "schema": {"type": "string", "maxLength": LONGEST_ID}}
        for name, text in words.items()
    ]
    several = {"type": "array", "items": {"type": "string", "maxLength": LONGEST_ID}}
    known = "Repeated: games whose ids are known, in this order, whatever else is asked."
    parameters.append({"name": "id", "in": "query", "description": known, "schema": several})
    limit = {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}
    parameters.append({"name": "limit", "in": "query", "schema": limit})
    answers = {
        "200": content(ref(GameList), "A page of the list."),
        "400": trouble("`limit` is out of range, or `before` names no game."),
        "503": trouble("The log cannot be read."),
    }
    return {"/api/games": {"get": operation("Games that have begun, the latest first.", answers, *parameters)}}
