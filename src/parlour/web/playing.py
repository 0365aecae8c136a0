"""Playing through the API: a stream brings a player to a table and tells what happens there, requests say the rest.

The reader of the stream sits at the table as a browser does: when it breaks, the place is held for the player, and
another stream of the same table by the same passport goes on.
"""

from collections.abc import Callable
from secrets import token_hex
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from parlour.core.errors import Refusal, TooMuch
from parlour.core.game import NOBODY
from parlour.core.house.gate import REQUESTS, Gate
from parlour.core.table.table import Table
from parlour.protocols.web import messages, passport
from parlour.protocols.web.messages import FromClient, Id, SeatNumber, Text, Word
from parlour.protocols.web.passport import Passport
from parlour.web.api import NO_STORE, Handler, answer, id_of, limited, no_such, too_much
from parlour.web.describing import ID, LINES, TEXT, content, operation, ref, trouble
from parlour.web.limiting import address_of, identity_of
from parlour.web.people import Nothing, fit_name, require_welcome, stranger, visitor
from parlour.web.players import Players, PlayerStream, gone, refused
from parlour.web.posting import Sorry, posted
from parlour.web.site import Site

SEAT_TOKEN = "seat-token"  # noqa: S105 - the name of a header


class Guest(msgspec.Struct, frozen=True):
    """A player without an account; `bot` is shown beside the name."""

    name: Annotated[str, Meta(min_length=1, max_length=messages.LONGEST_NAME)]
    bot: bool = True


class GuestToken(msgspec.Struct, frozen=True):
    name: str
    token: str


class Seek(messages.Wish, frozen=True):
    """A game wanted, as in `open` on the WebSocket."""


class SitDown(msgspec.Struct, frozen=True):
    seat: SeatNumber | None = None


class Move(msgspec.Struct, frozen=True):
    """A move in the game's notation; one sent again with the same id is answered, not played twice."""

    move: Word
    id: Id = ""


class Chat(msgspec.Struct, frozen=True):
    text: Text


class Answer(msgspec.Struct, frozen=True):
    """To another game: yes, or not."""

    yes: bool = True


class Offer(msgspec.Struct, frozen=True):
    """`draw` or `takeback`: offered, or answered."""

    what: Word
    yes: bool = True


class Accepted(msgspec.Struct, frozen=True):
    """It is done, and in the log; `seq` is the number of the record, or of the last one there is."""

    ok: bool
    seq: int


class Legal(msgspec.Struct, frozen=True):
    """What may be played after the record `seq`, and by whom; `you` is your seat, while your stream is open."""

    table: str
    seq: int
    turn: int | None
    you: int | None
    moves: list[str]


AS_IT_COMES = {**NO_STORE, "x-accel-buffering": "no"}
"""For proxies, which like to wait until they have some kilobytes."""


class Stream(StreamingResponse):
    """Lines for one player, who has gone when it ends."""

    def __init__(self, player: PlayerStream) -> None:
        super().__init__(player.lines(), headers=AS_IT_COMES, media_type=LINES)
        self._player = player

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._player.hang_up()


class Asked(NamedTuple):
    """What can be asked for at a table."""

    body: type[Any]
    summary: str
    message: Callable[[str, Any], FromClient]
    """What the request says there, by the id of the table and the body. It has an id, by which it is refused."""


MARK = "-"
AT_TABLE = {
    "move": Asked(Move, "Play a move.", lambda table, said: messages.Play(table, said.move, said.id or token_hex(8))),
    "chat": Asked(Chat, "Say something to all at the table.", lambda table, said: messages.Say(table, said.text, MARK)),
    "resign": Asked(Nothing, "Resign the game.", lambda table, _: messages.Resign(table, MARK)),
    "rematch": Asked(
        Answer, "Accept or decline another game.", lambda table, said: messages.Rematch(table, said.yes, MARK)
    ),
    "offer": Asked(
        Offer,
        "Offer a draw or ask to take a move back, or answer such an offer.",
        lambda table, said: messages.Offer(table, said.what, said.yes, MARK),
    ),
    "claim": Asked(
        Nothing,
        "Claim the win: the opponent has been disconnected for a while.",
        lambda table, _: messages.Claim(table, MARK),
    ),
    "leave": Asked(Nothing, "Leave the table for good. The stream ends.", lambda table, _: messages.Leave(table, MARK)),
}


class Playing:
    """The paths for players."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._players = Players(site.connect, site.hub.gate)

    def routes(self, gate: Gate) -> list[Route]:
        posts: dict[str, Handler] = {
            "/api/guests": limited(gate, self.guest),
            "/api/seek": limited(gate, self.seek),
            "/api/tables/{id}/sit": limited(gate, self.sit),
        }
        for name, asked in AT_TABLE.items():
            posts[f"/api/tables/{{id}}/{name}"] = self._at_table(gate, asked)
        return [
            Route("/api/tables/{id}/stream", limited(gate, self.stream), methods=["GET"]),
            Route("/api/tables/{id}/legal", limited(gate, self.legal), methods=["GET"]),
            *(Route(path, handler, methods=["POST"]) for path, handler in posts.items()),
        ]

    async def guest(self, request: Request) -> Response:
        """A token for a guest who has none."""
        wish = await posted(request, Guest)
        name = fit_name(self._site, wish.name)
        token = passport.issue(self._site.seal, stranger(name, wish.bot))
        return answer(GuestToken(name, token))

    # --- streams -----------------------------------------------------------------------------------------------------

    async def seek(self, request: Request) -> Response:
        """A new table, or one where a player waits for the same."""
        who = self._require_token(request)
        wish = await posted(request, Seek)
        return await self._open(request, who, messages.Open(**msgspec.structs.asdict(wish)))

    async def sit(self, request: Request) -> Response:
        """A seat at a table, for a player who has none there."""
        who = self._require_token(request)
        wish = await posted(request, SitDown)
        table = id_of(request)
        here = self._players.find(who.id, table)
        if here is not None and here.seat is not None:
            raise refused(Refusal.ALREADY_SEATED)
        return await self._open(request, who, messages.Sit(table, wish.seat))

    async def stream(self, request: Request) -> Response:
        """Back to the player's seat; any other client looks on as a spectator."""
        table, who = id_of(request), visitor(self._site, request)
        if request.method == "HEAD":
            if self._site.hub.find(table) is None:
                return no_such("table")
            return Response(headers=NO_STORE, media_type=LINES)
        known = "" if who is None else self._players.token(who.id, table)
        token = request.headers.get(SEAT_TOKEN, known)[: messages.LONGEST_TOKEN]
        if not token:
            return await self._open(request, who, messages.Watch(table))
        try:
            return await self._open(request, who, messages.Resume(table, token, _since(request)))
        except Sorry as sorry:
            if who is not None and sorry.status == 409 and token == known:
                self._players.give_up(who.id, table)  # once refused, this is a table like any other
            raise

    async def _open(self, request: Request, who: Passport | None, wish: FromClient) -> Response:
        """The stream that comes of a wish. Raises Sorry and TooMuch."""
        require_welcome(self._site, who)
        player = self._players.admit(who, address_of(request))
        try:
            await player.begin(wish)
        except BaseException:
            player.hang_up()
            raise
        return Stream(player)

    # --- at the table ------------------------------------------------------------------------------------------------

    def _at_table(self, gate: Gate, asked: Asked) -> Handler:
        """A request of a client whose stream is open; it is that stream's limits that hold for it."""

        async def handle(request: Request) -> Response:
            try:
                who, table = visitor(self._site, request), id_of(request)
                player = None if who is None else self._players.find(who.id, table)
                if player is None:
                    gate.charge(REQUESTS, identity_of(request))
                    self._require_token(request)
                    raise gone() if self._site.hub.find(table) is not None else refused(Refusal.NO_SUCH_TABLE)
                wish = asked.message(table, await posted(request, asked.body))
                return answer(Accepted(True, await self._ask(player, wish)))
            except TooMuch as error:
                return too_much(error)

        return handle

    async def _ask(self, player: PlayerStream, wish: FromClient) -> int:
        """A good move is never delayed; anything else counts, and twice if it is refused."""
        if isinstance(wish, messages.Play):
            return await player.ask(wish) or 0
        player.charge()
        table = self._site.hub.find(player.table)
        last = 0 if table is None else table.seq
        try:
            return await player.ask(wish) or last
        except Sorry:
            player.charge()
            raise

    async def legal(self, request: Request) -> Response:
        """For programs that do not know the rules."""
        who, name = visitor(self._site, request), id_of(request)
        table = self._site.hub.find(name)
        if table is None:
            return no_such("table")
        player = None if who is None else self._players.find(who.id, name)
        found = _legal(table, None if player is None else player.seat)
        await self._site.flushed()
        return answer(found)

    def _require_token(self, request: Request) -> Passport:
        """Raises Sorry."""
        who = visitor(self._site, request)
        if who is None:
            text = "Say who you are: `Authorization: Bearer`, and a token of /api/guests or /api/tokens."
            raise Sorry(401, "no-token", text)
        return who


def _legal(table: Table, you: int | None) -> Legal:
    position = table.position
    if position is None or not table.running or position.turn == NOBODY:
        return Legal(table.id, table.seq, None, you, [])
    return Legal(table.id, table.seq, position.turn, you, list(position.legal()))


def _since(request: Request) -> int:
    """Raises Sorry."""
    said = request.query_params.get("since", "-1")
    if not said.removeprefix("-").isdecimal() or not said.isascii() or len(said) > 15:
        raise Sorry(400, "bad-since", "`since` is the number of a record.")
    return max(-1, int(said))


# --- the description -------------------------------------------------------------------------------------------------

TYPES = (Guest, GuestToken, Seek, SitDown, Accepted, Legal, *dict.fromkeys(asked.body for asked in AT_TABLE.values()))
BEARER: list[dict[str, list[str]]] = [{"bearer": []}]
"""By the name of the scheme in `openapi`."""


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    no_token = trouble("A token is needed, and there is none, or a wrong one.")
    none = trouble("There is no such table.")
    full = trouble("The server is full, or about to stop.")
    refused = trouble("Refused; `why` is a word for programs, `text` a sentence for people.")
    lines = {"description": "One line of JSON for each message.", "content": {LINES: TEXT}}
    streamed = {"200": lines, "401": no_token, "404": none, "409": refused, "503": full}
    since = {"name": "since", "in": "query", "schema": {"type": "integer", "minimum": -1, "maximum": 10**14}}
    token = {"name": "Seat-Token", "in": "header", "schema": {"type": "string", "pattern": "^[0-9A-Za-z]{0,512}$"}}
    watched = {"200": lines, "400": trouble("`since` is not a number."), "404": none, "409": refused, "503": full}
    legal = {"200": content(ref(Legal), "The legal moves, and whose turn it is."), "404": none}
    guest = {"200": content(ref(GuestToken), "Send it as bearer token."), "409": trouble("The name is registered.")}
    done = {"200": content(ref(Accepted), "Accepted."), "401": no_token, "404": none, "409": refused, "503": full}
    ours = {"security": BEARER}
    theirs = {"security": [{}, *BEARER]}
    table = "/api/tables/{id}"
    paths: dict[str, Any] = {
        "/api/guests": {"post": operation("A token for a guest.", guest, body=Guest)},
        "/api/seek": {"post": operation("Find or open a game. The answer is a stream.", streamed, body=Seek) | ours},
        f"{table}/sit": {"post": operation("Take a seat. The answer is a stream.", streamed, ID, body=SitDown) | ours},
        f"{table}/stream": {
            "get": operation("Follow one table live, from your seat or as a spectator.", watched, ID, since, token)
            | theirs
        },
        f"{table}/legal": {"get": operation("The legal moves.", legal, ID) | theirs},
    }
    for name, asked in AT_TABLE.items():
        paths[f"{table}/{name}"] = {"post": operation(asked.summary, done, ID, body=asked.body) | ours}
    return paths
