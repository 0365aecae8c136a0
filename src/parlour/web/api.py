"""The API for programs: JSON, lines of JSON, and refusals that say why. What it tells is what a browser would see."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from parlour.core.errors import LocalError, Refusal
from parlour.store.base import Library, NoSuchGame
from parlour.tools import export, ggz_save
from parlour.tools.scoresheet import ScoreSheet
from parlour.web.describing import ID, JSON, LINES, TEXT, Problem, content, operation, ref, trouble
from parlour.web.limiting import Buckets, TooMuch, address_of
from parlour.web.site import DoorRow, Site

LONGEST_ID = 64
NO_STORE = {"cache-control": "no-store"}

_encode = msgspec.json.Encoder().encode
Handler = Callable[[Request], Awaitable[Response]]
Answer = TypeVar("Answer")


class SeatRow(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    wire: str
    kind: str
    level: str = ""
    """Of an engine, or `bot` for a program that plays by somebody's passport."""
    account: str = ""
    """The registered name."""


class TableRow(msgspec.Struct, frozen=True):
    """A table in the lobby."""

    id: str
    game: str
    title: str
    status: str
    options: dict[str, int | str]
    seats: list[SeatRow | None]
    watchers: int
    moves: int
    sit: bool


class Tables(msgspec.Struct, frozen=True):
    tables: list[TableRow]


class Health(msgspec.Struct, frozen=True):
    status: str
    text: str = ""


class _Lobby(msgspec.Struct):
    tables: msgspec.Raw


class _EventSeen(msgspec.Struct):
    type: str = ""


class _Seen(msgspec.Struct):
    type: str
    event: _EventSeen | None = None
    why: str = ""
    text: str = ""


_lobby = msgspec.json.Decoder(_Lobby).decode
_seen = msgspec.json.Decoder(_Seen).decode


def answer(content: object, status: int = 200) -> Response:
    return Response(_encode(content), status, NO_STORE, JSON)


def problem(status: int, why: str, text: str) -> Response:
    return answer(Problem(why, text), status)


def too_much(error: TooMuch) -> Response:
    text = f"No more than {error.limit}: please wait {error.seconds} s."
    response = answer(Problem("too-fast", text, error.limit, error.seconds), 429)
    response.headers["retry-after"] = str(error.seconds)
    return response


def no_such(what: str) -> Response:
    return problem(404, f"no-such-{what}", f"There is no such {what}.")


def limited(buckets: Buckets, handler: Handler) -> Handler:
    """A handler that one address can keep only so busy."""

    async def handle(request: Request) -> Response:
        try:
            buckets.charge(address_of(request))
            return await handler(request)
        except TooMuch as error:
            return too_much(error)

    return handle


class Api:
    """Every path below /api, and /healthz."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, buckets: Buckets) -> list[Route]:
        paths: dict[str, Handler] = {
            "/healthz": self.health,
            "/api/doors": self.doors,
            "/api/tables": self.tables,
            "/api/tables/{id}/stream": self.stream,
            "/api/games/{id}": self.game,
        }
        return [Route(path, limited(buckets, handler), methods=["GET"]) for path, handler in paths.items()]

    async def health(self, _: Request) -> Response:
        """Whether games can be begun here."""
        refusing = self._site.hub.refusing
        return answer(Health("ok")) if refusing is None else answer(Health(word(refusing), refusing.value), 503)

    async def doors(self, _: Request) -> Response:
        return answer(self._site.doors)

    async def tables(self, request: Request) -> Response:
        """What a lobby shows."""
        told = await self._site.ears.ask(b'{"type":"lobby"}', "lobby", address_of(request))
        if told is None:
            return problem(503, word(Refusal.SERVER_FULL), Refusal.SERVER_FULL.value)
        return answer({"tables": _lobby(told).tables})

    async def stream(self, request: Request) -> Response:
        """A table as it is, then every change, a line each, until it is closed."""
        line = _encode({"type": "watch", "table": _id(request)})
        conversation = self._site.ears.listen(line, address_of(request))
        first = await anext(conversation, None)
        seen = None if first is None else _seen(first)
        if first is None or seen is None or seen.type == "refused" or request.method == "HEAD":
            await _hang_up(conversation)
            if seen is None or seen.type != "refused":
                return Response(headers=NO_STORE, media_type=LINES)
            return problem(404 if seen.why == word(Refusal.NO_SUCH_TABLE) else 503, seen.why, seen.text)
        return StreamingResponse(_lines(first, conversation), headers=NO_STORE, media_type=LINES)

    async def game(self, request: Request) -> Response:
        """One game of the log, as `parlour export` writes it."""
        name, form = _id(request), request.query_params.get("format", "json")
        if form not in FORMATS:
            return problem(400, "no-such-format", f"The formats are {', '.join(FORMATS)}.")
        if self._site.log is None:
            return problem(404, "no-such-game", "This server keeps no log of its games.")
        kind, write = FORMATS[form]
        try:
            text = await self._site.log.read(lambda library: write(library, name))
        except NoSuchGame:
            return no_such("game")
        except LocalError as error:
            return problem(409, "unfit", f"{error}.")
        return Response(text, headers=NO_STORE, media_type=kind)


def _as_ggz(library: Library, name: str) -> str:
    game, moves = library.game(name)
    return ggz_save.text(ggz_save.of_game(game, moves, library.comings(name)))


FORMATS: dict[str, tuple[str, Callable[[Library, str], str]]] = {
    "json": (JSON, export.as_json),
    "text": ("text/plain; charset=utf-8", export.as_text),
    "ggz": ("application/xml; charset=utf-8", _as_ggz),
}


def word(refusal: Refusal) -> str:
    """A refusal, as programs know it."""
    return refusal.name.lower().replace("_", "-")


def _id(request: Request) -> str:
    """What the path names. Raises HTTPException for what can name nothing."""
    name: str = request.path_params["id"]
    if len(name) > LONGEST_ID or not name.isprintable():
        raise HTTPException(404)
    return name


async def _lines(first: bytes, conversation: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        yield first + b"\n"
        async for payload in conversation:
            yield payload + b"\n"
            seen = _seen(payload)
            if seen.type == "left" or (seen.event is not None and seen.event.type == "closed"):
                break
    finally:
        await _hang_up(conversation)


async def _hang_up(conversation: AsyncIterator[bytes]) -> None:
    await conversation.aclose()  # type: ignore[attr-defined] # it is a generator


TYPES = (Problem, Health, Tables, ScoreSheet, DoorRow)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    none = trouble("There is no such thing, or not yet in the log.")
    full = trouble("The server takes nobody else, or is about to stop.")
    game = content(ref(ScoreSheet), "The game, in the format asked for.")
    game["content"] |= {"text/plain": TEXT, "application/xml": TEXT}
    stream = {"description": "The table, then every change, a line of JSON each.", "content": {LINES: TEXT}}
    form = {"name": "format", "in": "query", "schema": {"type": "string", "enum": list(FORMATS)}}
    health = {"200": content(ref(Health), "They can."), "503": content(ref(Health), "They cannot, and why.")}
    doors = {"200": content({"type": "array", "items": ref(DoorRow)}, "All that are open.")}
    tables = {"200": content(ref(Tables), "As they are."), "503": full}
    live = {"200": stream, "404": none, "503": full}
    games = {
        "200": game,
        "400": trouble("There is no such format."),
        "404": none,
        "409": trouble("This game cannot be written in that format."),
    }
    return {
        "/healthz": {"get": operation("Whether games can be begun here.", health)},
        "/api/doors": {"get": operation("The doors of this server, for other programs.", doors)},
        "/api/tables": {"get": operation("The tables of all doors.", tables)},
        "/api/tables/{id}/stream": {"get": operation("One table, live.", live, ID)},
        "/api/games/{id}": {"get": operation("One game of the log.", games, ID, form)},
    }
