"""The application behind the door for browsers: pages, the API, and nothing that could be framed or injected."""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.core.errors import Banned, LocalError, TooMuch
from parlour.core.house.hub import Hub
from parlour.web import (
    api,
    archive,
    cards,
    games,
    here,
    host,
    house,
    ladders,
    openapi,
    people,
    playing,
    texts,
    watching,
)
from parlour.web.assets import Assets
from parlour.web.describing import JSON
from parlour.web.entrance import route_path
from parlour.web.headers import SafeHeaders
from parlour.web.limiting import address_of
from parlour.web.names import Names
from parlour.web.posting import LONGEST_BODY, Sorry, banished
from parlour.web.shell import Shell, language_of
from parlour.web.site import Site

PAGES = ("/", "/games", "/leaderboard", "/watch", "/host", "/host/projector")


def application(site: Site, clock: Callable[[], float] = time.monotonic) -> Starlette:
    """Everything a browser can ask for over HTTP."""
    gate = site.hub.gate
    told = house.described_house(site.hub.games.values())
    assets = Assets(told)
    shell = Shell(assets)

    @cache
    def described(root: str) -> bytes:
        return msgspec.json.encode(openapi.document(root))

    async def static(request: Request) -> Response:
        return assets.respond(request.path_params["name"], request)

    async def describe(request: Request) -> Response:
        return Response(described(request.scope["root_path"]), media_type=JSON)

    async def page(request: Request) -> Response:
        return shell.show(request)

    pages: dict[str, api.Handler] = dict.fromkeys(PAGES, page) | {
        "/table/{id}": _table_page(site, shell),
        "/game/{id}": _game_page(site, shell),
        "/players/{name}": _player_page(site, shell),
    }
    routes = [Route(path, _greeting(site, show), methods=["GET"]) for path, show in pages.items()]
    routes += [
        Route("/static/{name:path}", static, methods=["GET"]),
        *shell.routes(),
        Route("/openapi.json", describe, methods=["GET"]),
        *api.Api(site).routes(gate),
        *archive.Archive(site).routes(gate),
        *cards.Cards(site).routes(gate),
        *games.Games(site).routes(gate),
        *here.Whereabouts(site).routes(gate),
        *host.HostApi(site).routes(gate),
        *house.HouseApi(told).routes(gate),
        *ladders.Ladders(site).routes(gate),
        *people.People(site).routes(gate),
        *playing.Playing(site).routes(gate),
        *texts.routes(gate),
        *watching.Watching(site, clock).routes(gate),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(SafeHeaders),
            Middleware(_OwnNames, site.names),
            Middleware(_Welcome, site.hub),
            Middleware(_SmallBodies),
        ],
        exception_handlers={HTTPException: _apology(shell), Sorry: _excuse},
    )


def _player_page(site: Site, shell: Shell) -> api.Handler:
    """The same file for every player; but of an unknown player the answer's status says so, too."""

    async def show(request: Request) -> Response:
        name = ladders.registered(site, request.path_params["name"])
        card = cards.of_house(language_of(request))
        return shell.show(request, 404 if name is None else 200, card if name is None else card._replace(title=name))

    return show


def _table_page(site: Site, shell: Shell) -> api.Handler:
    """Where a link to it is shown, it invites."""

    async def show(request: Request) -> Response:
        table = site.hub.tables.get(request.path_params["id"])
        card = None if table is None else cards.of_table(table, language_of(request))
        await site.flushed()
        return shell.show(request, card=card)

    return show


def _game_page(site: Site, shell: Shell) -> api.Handler:
    """Where a link to it is shown, it says who played."""

    async def show(request: Request) -> Response:
        name: str = request.path_params["id"]
        card = None
        if site.log is not None and len(name) <= api.LONGEST_ID:
            with suppress(LocalError, TooMuch):  # the page says so itself
                for found in await site.log.read(lambda library: library.named([name])):
                    card = cards.of_game(found, site.hub.games.get(found.game), language_of(request))
        return shell.show(request, card=card)

    return show


def _greeting(site: Site, show: api.Handler) -> api.Handler:
    """A page that gives a new client a cookie, so that a guest is the same guest tomorrow."""

    async def greet(request: Request) -> Response:
        response = await show(request)
        if people.visitor(site, request) is None:
            people.remember(site, request, response, people.stranger())
        return response

    return greet


def _apology(shell: Shell) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Errors: an object for programs, a page with a way back for browsers that went astray, else a sentence."""

    async def sorry(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = SORRY.get(error.status_code, error.detail)
        if route_path(request.scope).startswith("/api/"):
            why = error.detail.lower().replace(" ", "-")
            response = api.problem(error.status_code, why, text)
        elif error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            response = shell.show(request, 404)
        else:
            response = Response(f"{text}\n", error.status_code, media_type="text/plain; charset=utf-8")
        response.headers.update(error.headers or {})
        return response

    return sorry


async def _excuse(_: Request, error: Exception) -> Response:
    """What could not be made of a request that was sent to us."""
    assert isinstance(error, Sorry)
    return _excused(error)


def _excused(error: Sorry) -> Response:
    response = api.problem(error.status, error.why, error.text, error.seconds)
    if error.status == 401:
        response.headers["www-authenticate"] = "Bearer"
    return response


SORRY = {404: "There is no such page.", 405: "That cannot be done here."}


class _OwnNames:
    """Answers only what was asked by one of our names."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and Headers(scope=scope).get("host", "") not in self._names:
            text = "This server does not answer to that name; the door's key `names` can give it one more."
            await api.problem(421, "wrong-name", text)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _Welcome:
    """Refuses who comes from a banned address; behind a proxy, connections do not tell."""

    def __init__(self, app: ASGIApp, hub: Hub) -> None:
        self._app = app
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app: ASGIApp = self._app
        if scope["type"] == "http":
            try:
                self._hub.bans.require_welcome_from(address_of(Request(scope)), self._hub.at)
            except Banned as banned:
                app = _excused(banished(banned))
        await app(scope, receive, send)


class _SmallBodies:
    """Refuses long bodies: no request over HTTP needs one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            length = Headers(scope=scope).get("content-length", "0")
            if len(length) > 12 or int(length) > LONGEST_BODY:
                text = f"No more than {LONGEST_BODY} bytes in a request."
                response = api.problem(413, "too-long", text)
                response.headers["connection"] = "close"
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)
