"""Games of the log for programs and for the page that replays them: as text, as pictures, and how they stood."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from parlour.core.errors import LocalError, Unreadable
from parlour.core.house.advice import Adviser
from parlour.core.house.gate import Gate, Identity
from parlour.store.base import Library, NoSuchGame, StoredGame, StoredMove
from parlour.tools import export, ggz_save
from parlour.tools.pictures.files import FILMS, KINDS, as_svg
from parlour.tools.scoresheet import ScoreSheet
from parlour.web.api import NO_STORE, Handler, answer, id_of, limited, no_such, problem, unreadable
from parlour.web.describing import ID, JSON, LINES, TEXT, Problem, content, operation, ref, trouble
from parlour.web.evaluating import BestPlay, Evaluations, Standing, position_after
from parlour.web.films import Films
from parlour.web.limiting import identity_of
from parlour.web.people import visitor
from parlour.web.site import Site

_encode = msgspec.json.Encoder().encode
PLAIN = "text/plain; charset=utf-8"
ENDINGS = {"json": "json", "text": "txt", "ggz": "ggz", "svg": "svg", "gif": "gif", "apng": "png"}
"""Of the files that a browser would save."""


def _as_ggz(library: Library, name: str) -> str:
    game, moves = library.game(name)
    return ggz_save.text(ggz_save.of_game(game, moves, library.comings(name)))


TEXTS: dict[str, tuple[str, Callable[[Library, str], str]]] = {
    "json": (JSON, export.as_json),
    "text": (PLAIN, export.as_text),
    "ggz": (PLAIN, _as_ggz),
}
FORMATS = (*KINDS, *TEXTS)


class Games:
    """Every path below /api/games."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._films = None if site.log is None else Films(site.log.place, site.hub.gate)
        self._evaluations = Evaluations(lambda: site.hub.service(Adviser).thinker, site.hub.gate)

    def routes(self, gate: Gate) -> list[Route]:
        paths: dict[str, Handler] = {
            "/api/games/{id}": self.game,
            "/api/games/{id}/evaluation": self.evaluation,
            "/api/games/{id}/best": self.best,
        }
        return [Route(path, limited(gate, self._guarded(handler)), methods=["GET"]) for path, handler in paths.items()]

    def _guarded(self, handler: Handler) -> Handler:
        """A handler whose game need not be there, nor fit for what is wanted of it."""

        async def handle(request: Request) -> Response:
            if self._site.log is None:
                return problem(404, "no-such-game", "This server keeps no log of its games.")
            try:
                return await handler(request)
            except NoSuchGame:
                return no_such("game")
            except Unreadable:
                return unreadable()
            except LocalError as error:
                return problem(409, "unfit", f"{str(error)[:1].upper()}{str(error)[1:].rstrip('.')}.")

        return handle

    async def game(self, request: Request) -> Response:
        """One game of the log, as `parlour export` writes it."""
        name, form = id_of(request), request.query_params.get("format", "json")
        move = request.query_params.get("move")
        if form not in FORMATS:
            return problem(400, "no-such-format", f"The formats are {', '.join(FORMATS)}.")
        if move is not None and (form != "svg" or not _is_number(move)):
            return problem(400, "no-such-move", "A move is a number, for the format svg.")
        assert self._site.log is not None
        if form in TEXTS:
            kind, write = TEXTS[form]
            text = await self._site.log.read(lambda library: write(library, name))
            return _file(text, name, form, kind)
        stored, moves = await self._site.log.read(lambda library: library.game(name))
        if form in FILMS:
            assert self._films is not None
            film = await self._films.film(
                (stored.id, form, stored.status, tuple(move.move for move in moves)), self._identity(request)
            )
            return _file(film, name, form, KINDS[form])
        return await self._picture(stored, moves, None if move is None else int(move))

    def _identity(self, request: Request) -> Identity:
        who = visitor(self._site, request)
        return identity_of(request, "" if who is None else who.account)

    async def _picture(self, game: StoredGame, moves: list[StoredMove], number: int | None) -> Response:
        if number is not None and number > len(moves):
            return problem(400, "no-such-move", f"The game has {len(moves)} moves.")
        assert self._site.log is not None
        text = await self._site.log.read(lambda _: as_svg(game, moves, number))
        return _file(text, game.id, "svg", KINDS["svg"])

    async def evaluation(self, request: Request) -> Response:
        """How it stood after each move, from the last to the first, a line each as soon as an engine has said so."""
        name = id_of(request)
        assert self._site.log is not None
        found = await self._evaluations.find(name, self._site.log)
        self._evaluations.require_room(found, self._identity(request))
        if request.method == "HEAD":
            return Response(headers=NO_STORE, media_type=LINES)
        return StreamingResponse(_lines(self._evaluations.standings(found)), headers=NO_STORE, media_type=LINES)

    async def best(self, request: Request) -> Response:
        """What would have been best after so many moves."""
        name, move = id_of(request), request.query_params.get("move", "")
        if not _is_number(move):
            return problem(400, "no-such-move", "A move is a number.")
        assert self._site.log is not None
        rules, position = await self._site.log.read(lambda library: position_after(library, name, int(move)))
        return answer(await self._evaluations.best(rules, position, int(move), self._identity(request)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6


async def _lines(standings: AsyncIterator[Standing]) -> AsyncIterator[bytes]:
    async for standing in standings:
        yield _encode(standing) + b"\n"


def _file(content: str | bytes, name: str, form: str, kind: str) -> Response:
    """Shown by a browser, or saved under a name that says what it is."""
    plain = "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in "-_")) or "game"
    headers = {**NO_STORE, "content-disposition": f'inline; filename="{plain}.{ENDINGS[form]}"'}
    return Response(content, headers=headers, media_type=kind)


TYPES = (Problem, ScoreSheet, Standing, BestPlay)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    none = trouble("There is no such game in the log.")
    game = content(ref(ScoreSheet), "The game, in the format asked for.")
    binary = {"schema": {"type": "string", "format": "binary"}}
    game["content"] |= {"text/plain": TEXT, KINDS["svg"]: TEXT}
    game["content"] |= {KINDS[form]: binary for form in FILMS}
    form = {"name": "format", "in": "query", "schema": {"type": "string", "enum": list(FORMATS)}}
    number = {
        "name": "move",
        "in": "query",
        "description": "With svg: the board after so many moves.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 99_999},
    }
    games = {
        "200": game,
        "400": trouble("There is no such format, or no such move."),
        "404": none,
        "409": trouble("This game cannot be written in that format."),
        "503": trouble("The game cannot be read from the log."),
    }
    lines = {"description": "One line of JSON for each move.", "content": {LINES: TEXT}}
    stood = {"200": lines, "404": none, "409": trouble("This game cannot be evaluated, and why.")}
    before = {**number, "description": "How many moves were made before.", "required": True}
    best = {
        "200": content(ref(BestPlay), "The best moves, and a line of best play."),
        "400": trouble("The move is no number."),
        "404": none,
        "409": trouble("This game cannot be evaluated, and why; or it was over by then."),
    }
    return {
        "/api/games/{id}": {"get": operation("One game of the log.", games, ID, form, number)},
        "/api/games/{id}/best": {
            "get": operation("An engine's best moves in one position of a game.", best, ID, before)
        },
        "/api/games/{id}/evaluation": {
            "get": operation("An engine's evaluation of a finished game of two players, move by move.", stood, ID)
        },
    }
