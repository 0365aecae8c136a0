"""The application behind the door for browsers: pages, the API, and nothing that could be framed or injected."""

import hmac
import time
from collections.abc import Awaitable, Callable
from secrets import token_hex

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from parlour.web import api, openapi
from parlour.web.headers import SafeHeaders
from parlour.web.limiting import Buckets
from parlour.web.pages import STATIC, Files, page
from parlour.web.site import Site

PAGES = {
    "/": "index.html",
    "/table/{id}": "table.html",
    "/game/{id}": "game.html",
    "/players/{name}": "players.html",
    "/leaderboard": "leaderboard.html",
}
GUEST, HOST = "parlour_guest", "parlour_host"
"""Cookies, and what their contents are sealed for."""
A_YEAR = 365 * 24 * 3600
LONGEST_BODY = 16 * 1024


def application(site: Site, clock: Callable[[], float] = time.monotonic) -> Starlette:
    """Everything a browser can ask for over HTTP."""
    files = Files(STATIC)
    described = msgspec.json.encode(openapi.document())

    async def static(request: Request) -> Response:
        return files.respond(request.path_params["name"], request)

    async def describe(_: Request) -> Response:
        return Response(described, media_type=api.JSON)

    routes = [Route(path, _greeting(site, page(files, name)), methods=["GET"]) for path, name in PAGES.items()]
    routes += [
        Route("/host", _host_page(site, page(files, "host.html")), methods=["GET"]),
        Route("/static/{name:path}", static, methods=["GET"]),
        Route("/openapi.json", describe, methods=["GET"]),
        *api.Api(site).routes(Buckets(clock)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(SafeHeaders), Middleware(_SmallBodies)],
        exception_handlers={HTTPException: _sorry},
    )


def _greeting(site: Site, show: api.Handler) -> api.Handler:
    """A page that gives whoever is new a cookie, so that a guest is the same guest tomorrow."""

    async def greet(request: Request) -> Response:
        response = await show(request)
        if site.seal.open(GUEST, request.cookies.get(GUEST, "")) is None:
            sealed = site.seal.close(GUEST, token_hex(16))
            response.set_cookie(GUEST, sealed, max_age=A_YEAR, httponly=True, samesite="lax")
        return response

    return greet


def is_host(site: Site, request: Request) -> bool:
    """Whether this browser has shown the token that was printed when the server started."""
    sealed = site.seal.open(HOST, request.cookies.get(HOST, ""))
    return sealed is not None and hmac.compare_digest(sealed, site.host_token)


def _host_page(site: Site, show: api.Handler) -> api.Handler:
    """The token comes once, by the address; then the browser keeps it where no script and no history sees it."""

    async def let_in(request: Request) -> Response:
        given = request.query_params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), site.host_token.encode()):
            response: Response = RedirectResponse("/host", 303)
            response.set_cookie(HOST, site.seal.close(HOST, site.host_token), httponly=True, samesite="strict")
            return response
        if not is_host(site, request):
            raise HTTPException(
                403, "This page is for the host: open the address that the server printed at its start."
            )
        response = await show(request)
        response.headers["cache-control"] = "no-store"
        return response

    return let_in


async def _sorry(request: Request, error: Exception) -> Response:
    """Errors: an object for programs, a sentence for people."""
    assert isinstance(error, HTTPException)
    text = SORRY.get(error.status_code, error.detail) if error.status_code != 403 else error.detail
    if request.url.path.startswith("/api/"):
        why = error.detail.lower().replace(" ", "-")
        response = api.problem(error.status_code, why, text)
    else:
        response = Response(f"{text}\n", error.status_code, media_type="text/plain; charset=utf-8")
    response.headers.update(error.headers or {})
    return response


SORRY = {404: "There is no such page.", 405: "That cannot be done here.", 413: "That is too long."}


class _SmallBodies:
    """Nobody has much to say over HTTP."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: dict[str, object], receive: object, send: object) -> None:
        if scope["type"] == "http":
            headers: list[tuple[bytes, bytes]] = scope["headers"]  # type: ignore[assignment]
            length = dict(headers).get(b"content-length", b"0")
            if len(length) > 12 or int(length) > LONGEST_BODY:
                text = f"No more than {LONGEST_BODY} bytes in a request."
                response = api.problem(413, "too-long", text)
                response.headers["connection"] = "close"
                await response(scope, receive, send)  # type: ignore[arg-type]
                return
        await self._app(scope, receive, send)
