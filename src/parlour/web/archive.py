"""The games of the log as a list, for programs and for pages: the latest first, a page at a time."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.errors import LocalError, Refusal
from parlour.core.house.gate import Gate
from parlour.store.base import NoSuchGame
from parlour.tools.scoresheet import GameLine, line
from parlour.web.api import LONGEST_ID, answer, limited, problem
from parlour.web.describing import Problem, content, operation, ref, trouble
from parlour.web.site import Site

USUAL, MOST = 50, 200
"""Games of a page."""


class GameList(msgspec.Struct, frozen=True):
    """A page of the list; `next` is where the next one goes on, for `before`, or null on the last."""

    games: list[GameLine]
    next: str | None = None


class Archive:
    """The path /api/games."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        return [Route("/api/games", limited(gate, self.games), methods=["GET"])]

    async def games(self, request: Request) -> Response:
        """Those that have begun, of one kind or of one player or all."""
        asked = request.query_params
        game, player, before = (asked.get(word, "") for word in ("game", "player", "before"))
        limit = asked.get("limit", str(USUAL))
        if not (limit.isascii() and limit.isdigit() and len(limit) < 6 and 1 <= int(limit) <= MOST):
            return problem(400, "bad-limit", f"A page has 1 to {MOST} games.")
        if max(map(len, (game, player, before))) > LONGEST_ID:
            return problem(400, "too-long", f"Names and ids have at most {LONGEST_ID} letters.")
        if self._site.log is None:
            return answer(GameList([]))
        most = int(limit)
        try:
            found = await self._site.log.read(lambda library: library.latest(most + 1, before, game, player))
        except NoSuchGame:
            return problem(400, "no-such-game", "There is no such game to go on from.")
        except LocalError as error:
            return problem(503, Refusal.LOG_DOWN.value, f"{error}.")
        page = [line(one) for one in found[:most]]
        return answer(GameList(page, page[-1].id if len(found) > most else None))


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
    limit = {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}
    parameters.append({"name": "limit", "in": "query", "schema": limit})
    answers = {
        "200": content(ref(GameList), "A page of the list."),
        "400": trouble("The limit is none, or there is no such game to go on from."),
        "503": trouble("The log cannot be read."),
    }
    return {"/api/games": {"get": operation("Games that have begun, the latest first.", answers, *parameters)}}
