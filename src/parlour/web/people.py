"""Who is there: guests with a name of their choice, and people who have registered theirs.

A browser gets a cookie with a passport; a program sends one as bearer token. Both are the tokens of `hello`.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.accounts import AccountCallback, NoAccounts, Objection, Source, Trouble
from parlour.core.erasing import Erasure
from parlour.core.errors import Banned, Refusal, Refused, TooMuch
from parlour.core.house.gate import Gate
from parlour.core.house.leaving import leave_for_good
from parlour.core.names import clean_name, reserved
from parlour.protocols.web import passport
from parlour.protocols.web.foyer import WIRE
from parlour.protocols.web.messages import Name
from parlour.protocols.web.passport import Passport
from parlour.web.api import answer, limited
from parlour.web.describing import content, operation, ref, trouble
from parlour.web.limiting import address_of
from parlour.web.posting import Sorry, banished, bearer, posted
from parlour.web.site import Site

COOKIE = "parlour_guest"
A_YEAR = 365 * 24 * 3600
PATIENCE = 30.0
"""Seconds for a password to be looked at."""

Password = Annotated[str, Meta(max_length=128)]


# --- what is said ----------------------------------------------------------------------------------------------------


class Me(msgspec.Struct, frozen=True):
    """Who asks."""

    name: str
    account: str
    """The registered name; empty for a guest."""
    token: str
    """For `hello`."""
    registering: bool
    """Whether names can be registered here."""


class Rename(msgspec.Struct, frozen=True):
    """Be known by another name."""

    name: Name


class Login(msgspec.Struct, frozen=True):
    name: Name
    password: Password


class Registration(msgspec.Struct, frozen=True):
    """Make a name one's own: 16 bytes at most, with a password of 4 to 128 bytes."""

    name: Name
    password: Password
    email: Annotated[str, Meta(max_length=254)] = ""


class NewPassword(msgspec.Struct, frozen=True):
    """Every other browser and program is logged out by it."""

    old: Password
    new: Password


class Goodbye(msgspec.Struct, frozen=True):
    """Delete one's account."""

    password: Password


class Nothing(msgspec.Struct, frozen=True):
    """There is nothing to say."""


class TokenWish(msgspec.Struct, frozen=True):
    bot: bool = False
    """Whether all players are to see that a program plays."""


class Token(msgspec.Struct, frozen=True):
    """What a program shows, as bearer token or in `hello`, to be this person until the password changes."""

    name: str
    account: str
    bot: bool
    token: str


# --- who it is -------------------------------------------------------------------------------------------------------


def visitor(site: Site, request: Request) -> Passport | None:
    """The client's passport, by bearer token or by cookie; None for a client we do not know."""
    token = bearer(request)
    if token is None:
        token = request.cookies.get(COOKIE, "")
    return passport.read(site.seal, token, site.hub.accounts)


def stranger(name: str = "", bot: bool = False) -> Passport:
    """The passport of a client that comes for the first time."""
    return Passport(token_hex(12), name, bot=bot)


def remember(site: Site, request: Request, response: Response, who: Passport) -> None:
    """Let the browser bring this passport from now on; no script can read it, and no page from elsewhere send it."""
    sealed = passport.issue(site.seal, who)
    scope = request.scope
    response.set_cookie(
        COOKIE,
        sealed,
        max_age=A_YEAR,
        path=scope["root_path"] or "/",
        secure=scope["scheme"] == "https",
        httponly=True,
        samesite="lax",
    )


def fit_name(site: Site, name: str) -> str:
    """A guest's name as others may see it. Raises Sorry."""
    try:
        cleaned = clean_name(name)
        site.hub.bans.require_welcome(cleaned, site.hub.at)
    except Banned as banned:
        raise banished(banned) from banned
    except Refused as refused:
        raise Sorry(400, refused.why.value) from refused
    if reserved(cleaned) or site.hub.accounts.registered(cleaned) is not None:
        raise Sorry(409, "name-taken")
    return cleaned


def require_welcome(site: Site, who: Passport | None) -> None:
    """Raises Sorry for a person who is banned."""
    if who is None:
        return
    try:
        site.hub.bans.require_welcome(passport.worn(who, site.hub.accounts), site.hub.at)
    except Banned as banned:
        raise banished(banned) from banned


TROUBLES = {
    Trouble.UNKNOWN: (401, "wrong-login"),
    Trouble.WRONG_PASSWORD: (401, "wrong-login"),
    Trouble.TAKEN: (409, "name-taken"),
    Trouble.BAD_NAME: (400, "bad-name"),
    Trouble.POOR_PASSWORD: (400, "poor-password"),
    Trouble.CLOSED: (403, "no-registering"),
    Trouble.FAILED: (503, "failed"),
}


class People:
    """What is asked about oneself."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        posts = {
            "/api/register": self.register,
            "/api/login": self.login,
            "/api/logout": self.logout,
            "/api/password": self.change_password,
            "/api/tokens": self.give_token,
        }
        return [
            Route("/api/me", limited(gate, self.me), methods=["GET", "POST"]),
            Route("/api/me", limited(gate, self.delete), methods=["DELETE"]),
            *(Route(path, limited(gate, handler), methods=["POST"]) for path, handler in posts.items()),
        ]

    # --- guests ------------------------------------------------------------------------------------------------------

    async def me(self, request: Request) -> Response:
        if request.method == "POST":
            return await self._rename(request)
        who = visitor(self._site, request)
        return self._welcome(request, who or stranger(), keep=who is None)

    async def _rename(self, request: Request) -> Response:
        wish = await posted(request, Rename)
        who = visitor(self._site, request) or stranger()
        if who.account:
            raise Sorry(409, "registered")
        return self._welcome(request, msgspec.structs.replace(who, name=fit_name(self._site, wish.name)))

    def _welcome(self, request: Request, who: Passport, keep: bool = True) -> Response:
        site = self._site
        registering = not isinstance(site.hub.accounts, NoAccounts)
        name = passport.worn(who, site.hub.accounts)
        response = answer(Me(name, who.account, passport.issue(site.seal, who), registering))
        if keep:
            remember(site, request, response, who)
        return response

    # --- accounts ----------------------------------------------------------------------------------------------------

    async def register(self, request: Request) -> Response:
        wish = await posted(request, Registration)
        name, accounts = wish.name.strip(), self._site.hub.accounts
        await _settled(partial(accounts.register, name, wish.password, wish.email, _source(request)))
        return self._enter(request, name)

    async def login(self, request: Request) -> Response:
        wish = await posted(request, Login)
        await self._check(request, wish.name.strip(), wish.password)
        return self._enter(request, wish.name.strip())

    async def logout(self, request: Request) -> Response:
        """This browser is a guest's again; other browsers and programs are not asked."""
        await posted(request, Nothing)
        return self._welcome(request, stranger())

    async def change_password(self, request: Request) -> Response:
        wish = await posted(request, NewPassword)
        here = self._member(request)
        name = here.account
        await self._check(request, name, wish.old)
        await _settled(partial(self._site.hub.accounts.change, name, wish.new, _source(request)))
        self._site.desk.put_out(lambda who: who.account == name and who.person_id != here.id, Refusal.NEW_PASSWORD)
        return self._enter(request, name)

    async def delete(self, request: Request) -> Response:
        """The account is no more: its games are those of "deleted", its name is free, and its sessions end."""
        wish = await posted(request, Goodbye)
        site, here = self._site, self._member(request)
        name = here.account
        await self._check(request, name, wish.password)
        if site.hub.accounts.registered(name) is None:  # deleted from another browser meanwhile
            raise Sorry(401, "not-logged-in")
        erasure = Erasure.of(name, token_hex(8))
        site.hub.accounts.withdraw(name)
        site.desk.put_out(lambda who: who.account == name and who.person_id != here.id, Refusal.ACCOUNT_DELETED)
        whom = site.desk.act(lambda: leave_for_good(site.hub, erasure, site.desk.present()))
        site.desk.dismiss(whom)
        site.book.rename(name, erasure.alias)
        await site.flushed()  # what leaving has led to is in the log under the name, until this:
        await _settled(partial(site.hub.accounts.remove, name, erasure.alias))
        return self._welcome(request, stranger())

    async def give_token(self, request: Request) -> Response:
        wish = await posted(request, TokenWish)
        name, accounts = self._member(request).account, self._site.hub.accounts
        who = passport.of_account(name, token_hex(12), accounts, wish.bot)
        return answer(Token(who.account, who.account, who.bot, passport.issue(self._site.seal, who)))

    def _member(self, request: Request) -> Passport:
        who = visitor(self._site, request)
        if who is None or not who.account:
            raise Sorry(401, "not-logged-in")
        return who

    async def _check(self, request: Request, name: str, password: str) -> None:
        """Whether this is the password. Raises Sorry, or TooMuch after too many wrong ones."""
        await _settled(partial(self._site.hub.accounts.check, name, password, _source(request)))

    def _enter(self, request: Request, name: str) -> Response:
        """From now on this browser is that person's."""
        return self._welcome(request, passport.of_account(name, token_hex(12), self._site.hub.accounts))


def _source(request: Request) -> Source:
    return Source(WIRE, address_of(request))


async def _settled(ask: Callable[[AccountCallback], None]) -> None:
    """Wait for a verdict. Raises Sorry or TooMuch unless all is well."""
    verdict: asyncio.Future[Objection] = asyncio.get_running_loop().create_future()
    ask(lambda found: None if verdict.done() else verdict.set_result(found))
    try:
        found = await asyncio.wait_for(verdict, PATIENCE)
    except TimeoutError:
        found = Trouble.FAILED
    if isinstance(found, Banned):
        raise banished(found)
    if isinstance(found, TooMuch):
        raise found
    if found is not None:
        status, why = TROUBLES[found]
        raise Sorry(status, why)


TYPES = (Me, Rename, Login, Registration, NewPassword, Goodbye, Nothing, TokenWish, Token)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    me = content(ref(Me), "The caller's identity, also set as a cookie.")
    wrong = trouble("Wrong name or password, or not logged in.")
    taken = trouble("The name is taken, or you already have a registered name.")
    busy = trouble("The server could not save the change.")

    def post(summary: str, body: type, **more: Any) -> dict[str, Any]:
        responses = {"200": me, **{status.removeprefix("_"): told for status, told in more.items()}}
        return {"post": operation(summary, responses, body=body)}

    return {
        "/api/me": {
            "get": operation(
                "The caller's identity, by cookie or bearer token; a new visitor gets a cookie.", {"200": me}
            ),
            **post("Change a guest's name.", Rename, _409=taken),
            "delete": operation(
                "Delete your account; its games stay, under the name `deleted`.",
                {"200": me, "401": wrong, "503": busy},
                body=Goodbye,
            ),
        },
        "/api/register": post("Register a name and log in.", Registration, _409=taken, _503=busy),
        "/api/login": post("Log in.", Login, _401=wrong, _503=busy),
        "/api/logout": post("Log out in this browser.", Nothing),
        "/api/password": post(
            "Change the password; this ends all other sessions and tokens.", NewPassword, _401=wrong, _503=busy
        ),
        "/api/tokens": post(
            "Issue a token for a program of yours.", TokenWish, _200=content(ref(Token), "The token."), _401=wrong
        ),
    }
