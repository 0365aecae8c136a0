"""For a big screen, or for those who like to look on: the games that run, with their boards."""

import math
import time
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.house.gate import Gate
from parlour.core.house.hosting import Hosting
from parlour.protocols.web import views
from parlour.protocols.web.answers import TableSnapshot
from parlour.web.api import answer, limited
from parlour.web.describing import content, operation, ref
from parlour.web.site import Site

MOST_RUNNING = 300
MOST_SHOWN = 6
"""Boards in one answer."""
COUNTED_SECONDS = 3.0
"""For which the number of people may be out of date."""


class Screen(msgspec.Struct, frozen=True):
    """Who plays just now."""

    running: list[str]
    """Tables with a game, those with the newest move first."""
    tables: list[TableSnapshot]
    """Those that were asked for and are not as they were."""
    gone: list[str]
    people: int
    playing: int


class Watching:
    """The path /api/screen."""

    def __init__(self, site: Site, clock: Callable[[], float] = time.monotonic) -> None:
        self._site = site
        self._clock = clock
        self._counted = 0, -math.inf
        """How many people there were, and when."""

    def routes(self, gate: Gate) -> list[Route]:
        return [Route("/api/screen", limited(gate, self.screen), methods=["GET"])]

    async def screen(self, request: Request) -> Response:
        """Boards: `table=ID` or, when record SEQ is known already, `table=ID:SEQ`."""
        hub = self._site.hub
        running = [table for table in hub.tables.values() if table.running]
        running.sort(key=lambda table: -table.ring[-1].at)
        found: list[TableSnapshot] = []
        gone: list[str] = []
        for asked in request.query_params.getlist("table")[:MOST_SHOWN]:
            name, _, known = asked.partition(":")
            table = hub.tables.get(name)
            if table is None:
                gone.append(name[:64])
            elif known != str(table.seq):
                found.append(views.snapshot(table, hub.at))
        newest = [table.id for table in running[:MOST_RUNNING]]
        told = Screen(newest, found, gone, self._count_people(), len(running))
        await self._site.flushed()
        return answer(told)

    def _count_people(self) -> int:
        """Not each time anew: a screen asks often, and in a full house it takes a while."""
        now = self._clock()
        count, at = self._counted
        if now - at > COUNTED_SECONDS:
            count = len(self._site.hub.service(Hosting).people(self._site.desk.present()))
            self._counted = count, now
        return count


TYPES = (Screen,)


def described() -> dict[str, Any]:
    """This path, for OpenAPI."""
    table = {
        "name": "table",
        "in": "query",
        "schema": {"type": "array", "items": {"type": "string"}},
        "description": "ID, or ID:SEQ when that record is known; up to six times.",
    }
    told = {"200": content(ref(Screen), "As they are.")}
    return {"/api/screen": {"get": operation("The running games, and boards of chosen tables.", told, table)}}
