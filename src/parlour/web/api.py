"""The API for programs: JSON, lines of JSON, and refusals that say why. What it tells is what a browser would see."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.errors import Refusal, TooMuch
from parlour.core.house.gate import REQUESTS, Gate
from parlour.languages import ENGLISH, limit, sentence, text
from parlour.protocols.web.answers import Row
from parlour.protocols.web.foyer import Foyer
from parlour.web.describing import JSON, Problem, content, operation, ref
from parlour.web.limiting import identity_of
from parlour.web.site import DoorRow, Health, Site

LONGEST_ID = 64
NO_STORE = {"cache-control": "no-store"}

_encode = msgspec.json.Encoder().encode
Handler = Callable[[Request], Awaitable[Response]]
Answer = TypeVar("Answer")


class Tables(msgspec.Struct, frozen=True):
    tables: list[Row]


class Readiness(msgspec.Struct, frozen=True):
    """`ready`, or why no game can be begun here now."""

    status: str
    text: str = ""
    archive_lag: float | msgspec.UnsetType = msgspec.UNSET
    """Of a node: for how many seconds the oldest record has waited to get into the archive."""


def answer(content: object, status: int = 200) -> Response:
    return Response(_encode(content), status, NO_STORE, JSON)


def problem(status: int, why: str, text: str, seconds: int = 0) -> Response:
    response = answer(Problem(why, text, seconds=seconds), status)
    if seconds:
        response.headers["retry-after"] = str(seconds)
    return response


def too_much(error: TooMuch) -> Response:
    excess = error.excess
    told = Problem("too-fast", sentence(excess), limit(excess), excess.seconds, excess.limit.by)
    response = answer(told, 429)
    response.headers["retry-after"] = str(excess.seconds)
    return response


def no_such(what: str) -> Response:
    return problem(404, f"no-such-{what}", f"There is no such {what}.")


def unreadable() -> Response:
    """What was asked for is damaged. The details are for the host, who was told."""
    return problem(503, "unreadable", text(ENGLISH, "refusal.unreadable"))


def limited(gate: Gate, handler: Handler) -> Handler:
    """A handler that one address can keep only so busy."""

    async def handle(request: Request) -> Response:
        try:
            gate.charge(REQUESTS, identity_of(request))
            return await handler(request)
        except TooMuch as error:
            return too_much(error)

    return handle


class Api:
    """What there is here: doors, tables, and whether games can be begun."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        paths: dict[str, Handler] = {
            "/healthz": self.health,
            "/readyz": self.ready,
            "/api/doors": self.doors,
            "/api/tables": self.tables,
        }
        return [Route(path, limited(gate, handler), methods=["GET"]) for path, handler in paths.items()]

    async def health(self, _: Request) -> Response:
        """Returns the health of the log, the disk and the event loop."""
        found = await self._site.health()
        return answer(found, 503 if found.failed else 200)

    async def ready(self, _: Request) -> Response:
        """Whether games can be begun here, and kept: not while the server starts or stops, or the host wants none."""
        refusing = self._site.hub.refusing
        if not self._site.doors:
            return answer(Readiness("starting", "The server is starting."), 503)
        if refusing is None and (await self._site.health()).log == "failing":  # such as a file that was moved away
            refusing = Refusal.LOG_DOWN
        if refusing is not None:
            return answer(Readiness(refusing.value, sentence(refusing), self._site.archive_lag()), 503)
        return answer(Readiness("ready", "", self._site.archive_lag()))

    async def doors(self, _: Request) -> Response:
        return answer(self._site.doors)

    async def tables(self, _: Request) -> Response:
        """What a lobby shows."""
        rows = self._site.hub.service(Foyer).tables()
        await self._site.flushed()
        return answer({"tables": msgspec.Raw(rows)})


def id_of(request: Request) -> str:
    """What the path names. Raises HTTPException for what can name nothing."""
    name: str = request.path_params["id"]
    if len(name) > LONGEST_ID or not name.isprintable():
        raise HTTPException(404)
    return name


TYPES = (Problem, Health, Readiness, Tables, DoorRow)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    health = {
        "200": content(ref(Health), "All is well."),
        "503": content(ref(Health), "A check fails; `failed` names it."),
    }
    ready = {
        "200": content(ref(Readiness), "New games are accepted."),
        "503": content(ref(Readiness), "New games are refused; `status` says why."),
    }
    doors = {"200": content({"type": "array", "items": ref(DoorRow)}, "The open doors.")}
    tables = {"200": content(ref(Tables), "As they are.")}
    return {
        "/healthz": {"get": operation("Health of the log, the disk and the event loop.", health)},
        "/readyz": {"get": operation("Readiness: whether new games are accepted.", ready)},
        "/api/doors": {"get": operation("The open doors: protocol, address and port.", doors)},
        "/api/tables": {"get": operation("List the open tables.", tables)},
    }
