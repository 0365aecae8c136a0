"""The host's API: what goes on in the house, and what only its host may do. Every path wants the host's token."""

import asyncio
import hmac
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from parlour import __version__
from parlour.core.errors import LocalError, Refused
from parlour.core.house.bans import Ban, subject
from parlour.core.house.gate import TOKENS, Gate, Identity
from parlour.core.house.hosting import Heard, Hosting, Person
from parlour.core.house.muting import Muting
from parlour.core.names import one_line
from parlour.core.table.table import Table
from parlour.protocols.web import views
from parlour.protocols.web.seal import Seal
from parlour.store.places import change_bans
from parlour.web import results
from parlour.web.api import NO_STORE, Handler, answer, limited, problem
from parlour.web.describing import content, operation, ref, trouble
from parlour.web.hostwords import Done, HostBan, HostPerson, HostSeat, HostTable, House
from parlour.web.limiting import address_of
from parlour.web.posting import Sorry, bearer, posted
from parlour.web.site import Site

PURPOSE = "host"
MOST_ROWS = 300
"""Of tables and of people, in one answer; those that run and those who play first."""


def token(seal: Seal) -> str:
    """The word that makes its bearer the host; the same for as long as the server's secret is."""
    return seal.word(PURPOSE)


# --- the token ------------------------------------------------------------------------------------------------------


class Guard:
    """Lets the host in, and no client guess for long. A right token is right however often others were wrong."""

    def __init__(self, secret: str, gate: Gate) -> None:
        self._secret = secret.encode()
        self._gate = gate

    def check(self, said: str | None, address: str) -> None:
        """Raises Sorry, or TooMuch."""
        if not said:
            raise Sorry(401, "no-token", "The host's token is wanted; the server prints it when it starts.")
        if hmac.compare_digest(said.encode(), self._secret):
            return
        self._gate.charge(TOKENS, Identity(address=address))
        raise Sorry(401, "wrong-token", "That is not the host's token.")


# --- what the host asks for -----------------------------------------------------------------------------------------

Reason = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(min_length=1, max_length=500)]
Name = Annotated[str, Meta(max_length=64)]
Number = Annotated[int, Meta(ge=0, le=1 << 53)]


class Kick(msgspec.Struct, frozen=True):
    """Kick a person."""

    person: Number
    reason: Reason = ""


class Mute(msgspec.Struct, frozen=True):
    """Mute or unmute a person; by number, or by the name under which they were muted."""

    person: Number = 0
    name: Name = ""
    yes: bool = True


class Banish(msgspec.Struct, frozen=True):
    """Ban or unban a name, an address or a network, for so many seconds or for good."""

    whom: Annotated[str, Meta(min_length=1, max_length=64)]
    seconds: Annotated[int, Meta(ge=1, le=10**10)] | None = None
    yes: bool = True


class Announce(msgspec.Struct, frozen=True):
    text: Text


class Close(msgspec.Struct, frozen=True):
    """Close a table."""

    table: Name
    reason: Reason = ""


class Drain(msgspec.Struct, frozen=True):
    """Let no game begin; or let them again."""

    yes: bool = True


# --- the paths ------------------------------------------------------------------------------------------------------


class HostApi:
    """Every path below /api/host."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._desk = site.desk
        self._guard = Guard(token(site.seal), site.hub.gate)

    @property
    def _hosting(self) -> Hosting:
        return self._site.hub.service(Hosting)

    def routes(self, gate: Gate) -> list[Route]:
        asked: dict[str, Handler] = {"": self.house, "/results.csv": self.results}
        told: dict[str, Handler] = {
            "/kick": self.kick,
            "/mute": self.mute,
            "/ban": self.ban,
            "/announce": self.announce,
            "/close": self.close,
            "/drain": self.drain,
        }
        return [
            Route(f"/api/host{path}", limited(gate, self._guarded(handler)), methods=[method])
            for method, paths in (("GET", asked), ("POST", told))
            for path, handler in paths.items()
        ]

    def _guarded(self, handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            self._guard.check(bearer(request), address_of(request))
            return await handler(request)

        return handle

    # --- looking ---------------------------------------------------------------------------------------------------

    async def house(self, request: Request) -> Response:
        """Everything, or the tables and people in whose names something is found."""
        find = request.query_params.get("find", "").casefold()[:64]
        hub, hosting = self._site.hub, self._hosting
        people = hosting.people(self._desk.present())
        sharing = Counter(person.who.address for person in people)
        tables = list(hub.tables.values())
        listed = [table for table in reversed(tables) if not find or _is_found(table, find)]
        listed.sort(key=lambda table: not table.running)
        shown = [person for person in people if find in person.who.name.casefold()]
        shown.sort(key=lambda person: person.seat is None)
        told = House(
            version=__version__,
            doors=list(self._site.doors),
            connections=self._desk.wires(),
            load=self._desk.load(),
            refusing="" if hub.refusing is None else hub.refusing.value,
            tables=[_table(table, hub.at) for table in listed[:MOST_ROWS]],
            total_tables=len(tables),
            playing=sum(table.running for table in tables),
            people=[_person(person, hub.muting, sharing) for person in shown[:MOST_ROWS]],
            total_people=len(people),
            muted=hub.muting.names,
            bans=[HostBan(ban.whom, ban.until) for ban in hub.bans.in_force(hub.at)],
            address=address_of(request),
        )
        await self._site.flushed()
        return answer(told)

    async def results(self, _: Request) -> Response:
        """All games that are over, for spreadsheets."""
        log = self._site.log
        if log is None:
            return problem(404, "no-log", "This server keeps no log of its games.")
        chunks = results.chunks(log)
        try:
            first = await anext(chunks)
        except LocalError as error:
            return problem(503, "log-down", f"{error}.")
        headers = {**NO_STORE, "content-disposition": 'attachment; filename="results.csv"'}
        return StreamingResponse(_chained(first, chunks), headers=headers, media_type=results.KIND)

    # --- doing -----------------------------------------------------------------------------------------------------

    async def kick(self, request: Request) -> Response:
        wish = await posted(request, Kick)
        person = self._require(wish.person)
        self._desk.act(lambda: self._hosting.send_away(person, one_line(wish.reason).strip()))
        self._desk.dismiss({person.who, *person.connections})
        return answer(Done())

    async def mute(self, request: Request) -> Response:
        wish = await posted(request, Mute)
        hosting = self._hosting
        if wish.yes:
            person = self._require(wish.person)
            if not person.can_hear:
                raise Sorry(409, "no-chat", "This person's program cannot chat.")
            self._desk.act(lambda: hosting.mute(person))
            return answer(Done())
        name = wish.name or self._site.hub.muting.muted_as(self._require(wish.person).who) or ""
        if not self._desk.act(lambda: hosting.unmute(name, self._desk.present())):
            raise Sorry(404, "no-such-person", "No one of this name is muted.")
        return answer(Done())

    async def ban(self, request: Request) -> Response:
        """Kept where the server keeps its data; those who are here and banned are sent away."""
        wish = await posted(request, Banish)
        hub, whom = self._site.hub, subject(wish.whom)
        lifted = hub.bans.for_whom(wish.whom)
        if wish.yes and not whom:
            raise Sorry(400, "bad-name")
        if not (wish.yes or lifted):
            raise Sorry(404, "no-such-person", "Neither a name nor an address like this is banned.")
        until = None if wish.seconds is None else time.time() + wish.seconds
        laid = [Ban(whom, until)] if wish.yes else []
        if self._site.log is not None:
            try:
                await asyncio.to_thread(change_bans, self._site.log.place, laid, lifted)
            except LocalError as error:
                raise Sorry(503, "log-down") from error
        bans = {ban.whom: ban for ban in hub.bans.all if ban not in lifted} | {ban.whom: ban for ban in laid}
        self._desk.keep_out(sorted(bans.values(), key=lambda ban: ban.whom))
        return answer(Done())

    async def announce(self, request: Request) -> Response:
        text = one_line((await posted(request, Announce)).text).strip()
        if not text:
            raise Sorry(400, "no-text", "Nothing to announce.")
        return answer(self._desk.act(lambda: self._hosting.announce(self._desk.present(), text)))

    async def close(self, request: Request) -> Response:
        wish = await posted(request, Close)
        table = self._site.hub.tables.get(wish.table)
        if table is None:
            raise Sorry(404, "no-such-table")
        self._desk.act(lambda: self._hosting.close(table, one_line(wish.reason).strip()))
        await self._site.flushed()
        return answer(Done())

    async def drain(self, request: Request) -> Response:
        wish = await posted(request, Drain)
        try:
            self._desk.act(self._hosting.pause if wish.yes else self._hosting.resume)
        except Refused as refused:
            raise Sorry(409, refused.why.value) from refused
        return answer(Done())

    def _require(self, number: int) -> Person:
        people = self._hosting.people(self._desk.present())
        found = next((person for person in people if person.number == number), None)
        if found is None:
            raise Sorry(404, "no-such-person", "This person is not here any more.")
        return found


async def _chained(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for chunk in rest:
        yield chunk


def _person(person: Person, muting: Muting, sharing: Mapping[str, int]) -> HostPerson:
    who, table = person.who, person.table
    return HostPerson(
        id=person.number,
        name=who.name,
        wire=who.wire,
        level=who.level,
        account=who.account,
        address=who.address,
        neighbours=sharing[who.address] - 1,
        table="" if table is None else table.id,
        seat=person.seat,
        chat=person.can_hear,
        muted=muting.muted_as(who) is not None,
    )


def _table(table: Table, now: float) -> HostTable:
    row = views.row(table, 0.0)
    seats = table.seats if len(table.seats) == len(row.seats) else [None] * len(row.seats)
    return HostTable(
        id=table.id,
        game=row.game,
        title=row.title,
        status=row.status,
        options=row.options,
        seats=[
            None if shown is None else HostSeat(shown.name, shown.wire, shown.kind, _level(seat), _held(seat))
            for shown, seat in zip(row.seats, seats, strict=True)
        ],
        watchers=row.watchers,
        moves=row.moves,
        scores=[] if table.position is None else list(table.position.scores()),
        idle=round(max(0.0, now - table.ring[-1].at), 1),
    )


def _level(seat: Any) -> str:
    return "" if seat is None else str(seat.level)


def _held(seat: Any) -> bool:
    return seat is not None and bool(seat.away)


def _is_found(table: Table, find: str) -> bool:
    names = (member.name for member in table.party.members.values())
    return any(find in name.casefold() for name in (table.id, table.party.title, *names))


# --- OpenAPI --------------------------------------------------------------------------------------------------------

TYPES = (House, Heard, Done, Kick, Mute, Banish, Announce, Close, Drain)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI. Their bearer token is the host's."""
    token_wanted = {"401": trouble("The host's token is missing or wrong.")}
    missing = {"404": trouble("There is no such person or table.")}
    done = {"200": content(ref(Done), "It is done."), **token_wanted}
    find = {"name": "find", "in": "query", "schema": {"type": "string"}, "description": "Part of a name."}
    unreadable = trouble("The log cannot be read.")
    sheet = {
        "description": "One line for each player of each game.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }

    def post(summary: str, responses: dict[str, Any], body: type) -> dict[str, Any]:
        return {"post": {**operation(summary, responses, body=body), "security": [{"bearer": []}]}}

    def get(summary: str, responses: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
        described = operation(summary, {**responses, **token_wanted}, *more)
        return {"get": {**described, "security": [{"bearer": []}]}}

    return {
        "/api/host": get("People, tables, load and bans.", {"200": content(ref(House), "As it is.")}, find),
        "/api/host/results.csv": get("Results for spreadsheets.", {"200": sheet, **missing, "503": unreadable}),
        "/api/host/kick": post("Kick a person.", {**done, **missing}, Kick),
        "/api/host/mute": post(
            "Mute or unmute a person.",
            {**done, **missing, "409": trouble("Their wire has no chat.")},
            Mute,
        ),
        "/api/host/ban": post("Ban or unban a name or an address.", {**done, **missing}, Banish),
        "/api/host/announce": post(
            "Send an announcement to everyone.", {**token_wanted, "200": content(ref(Heard), "Who heard it.")}, Announce
        ),
        "/api/host/close": post("Close a table.", {**done, **missing}, Close),
        "/api/host/drain": post(
            "Pause or resume new games.",
            {**done, "409": trouble("New games are refused for another reason.")},
            Drain,
        ),
    }
