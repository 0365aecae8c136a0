"""Who is there: guests with a name of their choice, and people who have registered theirs.

Whoever opens a page gets a cookie with a passport; a program sends one as bearer token. Both are the tokens of `hello`.
"""

from secrets import token_hex

from starlette.requests import Request
from starlette.responses import Response

from parlour.protocols.web import passport
from parlour.protocols.web.passport import Passport
from parlour.web.site import Site

COOKIE = "parlour_guest"
A_YEAR = 365 * 24 * 3600
BEARER = "bearer "


def whoever(site: Site, request: Request) -> Passport | None:
    """Who asks, by bearer token or by cookie; None for somebody whom we do not know."""
    said = request.headers.get("authorization")
    if said is None:
        token = request.cookies.get(COOKIE, "")
    else:
        token = said[len(BEARER) :].strip() if said.lower().startswith(BEARER) else ""
    return passport.read(site.seal, token, site.hub.accounts)


def stranger(name: str = "", bot: bool = False) -> Passport:
    """Somebody who comes for the first time."""
    return Passport(token_hex(12), name, bot=bot)


def remember(site: Site, request: Request, response: Response, who: Passport) -> None:
    """Let the browser bring this passport from now on; no script can read it, and no other page's form send it."""
    sealed = passport.issue(site.seal, who)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, sealed, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure)
