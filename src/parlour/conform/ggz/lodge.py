"""Our zone for the client under examination: it is let in, shown round and seated, and what it asks for is noted."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from parlour.conform.case import Clause, Violation
from parlour.conform.conversation import Conversation, End, Nonsense
from parlour.conform.exam import ClientExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.user import shown
from parlour.conform.ggzdots.host import Host
from parlour.conform.ggzdots.table import Size
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.dialect import FOUR

GAMES = (
    spell.Game(2, "Dots of old", "0.0.2", "Dots", "3"),
    spell.Game(5, "Connect the boxes", "0.0.4", "Dots", "4", about="Lines & squares"),
    spell.Game(7, "Chess", "1.0", "Chess", "4"),
)
GAME = 5
"""The one that clients for Dots of protocol 4 know."""
ROOMS = (
    spell.Room(0, "Entry", -1, 3, "Where all come in"),
    spell.Room(3, "Old Dots", 2),
    spell.Room(4, "Boxes & Lines", GAME, 2, "Where the game is played"),
    spell.Room(9, "Chess", 7),
)
ROOM = 4
OTHER = "Dorothea"
LOOK = 0.01
"""Seconds between two looks at what the client has done."""
MOTD = "Welcome & <enjoy>\nyour stay"


class Manners:
    """How this zone behaves in a case."""

    def __init__(self) -> None:
        self.version = "10"
        self.status = "ok"
        self.codes: dict[str, str] = {}
        """By ACTION: the CODE of a refusal."""
        self.offers = True
        """A table with a free seat is in the list."""
        self.game_first = False
        """The game's first bytes go out before the XML that tells that the client sits."""
        self.result_first = False
        """RESULT goes out before the UPDATEs."""
        self.spelled: Callable[[bytes], bytes] = lambda data: data
        """How elements look on the wire."""
        self.slow = False
        """Byte by byte."""
        self.news = b""
        """Said before every answer."""


class Lodge:
    """One client, with its session and its channel."""

    def __init__(self, exam: ClientExam, talk: Conversation, manners: Manners) -> None:
        self.exam, self.talk, self.manners = exam, talk, manners
        talk.phase = Hearing.STRANGER
        self.name = ""
        self.asked: list[Element] = []
        """Everything the client has said in XML."""
        self.room: int | None = None
        self.channel: Conversation | None = None
        self.seat: int | None = None
        self.host: Host | None = None
        self.trouble: Violation | None = None
        self.ended = False
        self.gone = False
        self.closing = False
        """The case is over."""

    # --- saying and hearing -------------------------------------------------------------------------------------------

    async def say(self, *elements: bytes) -> None:
        """As this zone spells it."""
        data = self.manners.spelled(b"".join(elements))
        if self.manners.slow:
            await self.talk.send(*(data[at : at + 7] for at in range(0, len(data), 7)), pause=0.001)
        else:
            await self.talk.send(data)

    def greeting(self) -> bytes:
        manners = self.manners
        attrs: dict[str, spell.Value] = {
            "ID": "Examiner", "NAME": "Examination & Co", "VERSION": manners.version, "STATUS": manners.status,
            "TLS_SUPPORT": "no",
        }  # fmt: skip
        options = spell.element("OPTIONS", {"CHATLEN": 512})
        return spell.PROLOG + spell.SESSION + spell.element("SERVER", attrs, [options])

    async def serve(self) -> None:
        """Hear the client until it goes; what it does against the protocol is kept."""
        try:
            while not self.gone and not self.closing:
                await self._arrivals()
                await self._one(await self.talk.receive(LOOK))
        except Violation as violation:
            self.trouble = None if self.closing else violation

    async def _one(self, came: object) -> None:
        match came:
            case Element() if self.talk.phase is Hearing.STRANGER:
                raise Violation("<SESSION> first", shown(came), clauses.CLIENT_LOGIN)
            case Element():
                self.asked.append(came)
                await self._request(came)
            case Opened():
                self.talk.phase = Hearing.CLIENT
            case Ended():
                self.ended = True
                await self.say(spell.END)
            case End():
                self.gone = True
            case Nonsense():
                raise self.talk.wrong(came, "XML", clauses.XML)

    async def _arrivals(self) -> None:
        """A second connection."""
        if self.channel is None and (talk := await self.exam.another(LOOK)) is not None:
            talk.phase = Hearing.STRANGER
            if not self.name:
                raise Violation("no channel without a login", "a second connection", clauses.CLIENT_REFUSED)
            await talk.send(self.greeting())
            await self._channel(talk)

    async def _channel(self, talk: Conversation) -> None:
        expected = f"<SESSION> <CHANNEL ID='{self.name}'/> </SESSION>"
        await talk.expect(Opened, expected, clauses.CLIENT_CHANNEL)
        talk.phase = Hearing.CLIENT
        came = await talk.expect(Element, expected, clauses.CLIENT_CHANNEL)
        if came.tag != "CHANNEL" or came.get("ID") != self.name:
            raise Violation(expected, shown(came), clauses.CLIENT_CHANNEL)
        await talk.expect(Ended, expected, clauses.CLIENT_CHANNEL)
        await talk.send(spell.END)
        self.channel = talk

    # --- answers ------------------------------------------------------------------------------------------------------

    async def _request(self, element: Element) -> None:
        action = element.tag.lower()
        await self.say(self.manners.news) if self.manners.news else None
        if code := self.manners.codes.get(action):
            await self.say(spell.result(action, code))
            return
        match element.tag:
            case "LOGIN":
                await self._login(element)
            case "LIST":
                await self.say(self._list(element.get("TYPE").lower()))
            case "ENTER":
                await self._enter(element)
            case "LAUNCH":
                await self._launch(element)
            case "JOIN":
                await self._join(element)
            case "LEAVE":
                await self.say(spell.result("leave"), spell.left())
            case "CHAT":
                await self.say(spell.result("chat"), spell.chat("normal", self.name, element.text))
            case "MOTD":
                await self.say(spell.motd(MOTD))
            case "PING":
                await self.say(spell.pong(element.attrs.get("ID")))

    async def _login(self, element: Element) -> None:
        name = element.child("NAME")
        if self.name or name is None or not 0 < len(name.text.encode()) <= 16:
            raise Violation("one LOGIN with a NAME of at most 16 bytes", shown(element), clauses.CLIENT_LOGIN)
        self.name = name.text
        await self.say(spell.result("login"), spell.motd(MOTD))

    def _list(self, kind: str) -> bytes:
        match kind:
            case "game":
                return spell.game_list(GAMES)
            case "room":
                return spell.room_list(ROOMS)
            case "player" if self.room is not None:
                people = (spell.Player(self.name), spell.Player(OTHER, table=1 if self.manners.offers else -1))
                return spell.player_list(self.room, people)
            case "table" if self.room is not None:
                return spell.table_list(self.room, self._tables())
        return spell.result("list", "not in room" if kind in ("player", "table") else "bad options")

    def _tables(self) -> tuple[spell.Table, ...]:
        if self.room != ROOM:
            return ()
        full = spell.Table(2, GAME, 1, "Taken", (spell.Seat(0, "player", "Emily"), spell.Seat(1, "bot")))
        free = spell.Table(1, GAME, 1, "Free & easy", (spell.Seat(0, "player", OTHER), spell.Seat(1, "open")))
        return (full, free) if self.manners.offers else (full,)

    async def _enter(self, element: Element) -> None:
        number = element.number("ROOM")
        if number not in [room.number for room in ROOMS]:
            raise Violation("a room of the list", shown(element), clauses.CLIENT_ENTER)
        self.room = number
        await self.say(spell.result("enter"))

    # --- sitting down -------------------------------------------------------------------------------------------------

    async def _launch(self, element: Element) -> None:
        table = element.child("TABLE")
        if table is None or self.room != ROOM or table.number("GAME") != GAME:
            raise Violation(
                f"<TABLE GAME='{GAME}'> in room {ROOM}: Dots of protocol 4", shown(element), clauses.CLIENT_GAME
            )
        seats = {seat.number("NUM"): seat for seat in table.every("SEAT")}
        bots = [seat for seat in seats.values() if seat.get("TYPE").lower() == "bot"]
        if table.number("SEATS") != 2 or set(seats) != {0, 1} or len(bots) > 1:
            raise Violation(
                "SEATS='2', and seats 0 and 1, one of them a bot at most", shown(element), clauses.LAUNCH_FORM
            )
        mine = next((n for n in (0, 1) if seats[n].text.strip() == self.name), None)
        if mine is None:
            mine = next((n for n in (0, 1) if seats[n].get("TYPE").lower() == "open"), 0)
        view = tuple(
            spell.Seat(n or 0, seat.get("TYPE").lower(), seat.text.strip()) for n, seat in sorted(seats.items())
        )
        added = spell.table_added(ROOM, spell.Table(3, GAME, 1, "", view))
        await self._sit("launch", 3, mine, added)

    async def _join(self, element: Element) -> None:
        if not self.manners.offers or element.number("TABLE") != 1 or element.truth("SPECTATOR"):
            raise Violation(
                "<JOIN TABLE='1' SPECTATOR='false'/>: the table with a free seat", shown(element), clauses.CLIENT_SIT
            )
        await self._sit("join", 1, 1, b"")

    async def _sit(self, action: str, number: int, seat: int, added: bytes) -> None:
        if self.channel is None:
            raise Violation("a channel first", action.upper(), clauses.CLIENT_SIT)
        result, joined = spell.result(action), spell.join(number)
        update = spell.table_seat(ROOM, number, 2, spell.Seat(seat, "player", self.name), "join")
        told = (result, added, joined, update) if self.manners.result_first else (added, result, update, joined)
        self.seat = seat
        self.host = Host(self.exam, self.channel, FOUR)
        self.host.seat, self.host.name = seat, self.name
        first = self.manners.game_first
        if first:
            await self.host.say(dots.seat(seat), self.host.players())
        await self.say(*told)
        if not first:
            await self.host.say(dots.seat(seat), self.host.players())

    # --- waiting ------------------------------------------------------------------------------------------------------

    async def until(self, done: Callable[[], bool], expected: str, clause: Clause) -> None:
        """Until the client has done this. Raises what it has done wrong meanwhile."""
        ends = time.monotonic() + self.exam.seconds
        while not done():
            if self.trouble is not None:
                raise self.trouble
            if time.monotonic() > ends or self.gone:
                last = shown(self.asked[-1]) if self.asked else "nothing"
                end = "the end of the session" if self.gone else f"nothing for {self.exam.seconds:.1f} seconds"
                raise Violation(expected, f"{end}, after {last}", clause)
            await asyncio.sleep(LOOK)

    async def logged_in(self) -> None:
        await self.until(lambda: bool(self.name), "<LOGIN …>", clauses.CLIENT_LOGIN)

    async def said(self, tag: str, clause: Clause) -> Element:
        """An element of this name."""
        await self.until(lambda: any(one.tag == tag for one in self.asked), f"<{tag} …>", clause)
        return next(one for one in self.asked if one.tag == tag)

    async def seated(self) -> Host:
        """The client sits at a table: the game may begin."""
        await self.until(lambda: self.host is not None, "LAUNCH or JOIN", clauses.CLIENT_SIT)
        assert self.host is not None
        return self.host

    async def playing(self, size: Size = (3, 3)) -> Host:
        """A game: on the client's board when it has launched the table, else on ours."""
        host = await self.seated()
        await host.start(await host.asks() if host.seat == 0 else size)
        return host

    async def quiet(self, seconds: float = 0.3) -> None:
        """Let it do what it will for so long."""
        await asyncio.sleep(seconds)
        if self.trouble is not None:
            raise self.trouble


@asynccontextmanager
async def lodge(exam: ClientExam, manners: Manners | None = None) -> AsyncIterator[Lodge]:
    """The client has connected and is greeted; its requests are answered as long as the case lasts."""
    mine = Lodge(exam, await exam.join(), manners or Manners())
    await mine.say(mine.greeting())
    serving = asyncio.ensure_future(mine.serve())
    try:
        yield mine
    except Violation as violation:
        raise mine.trouble or violation from None
    finally:
        mine.closing = True  # and not `cancel`, which is lost when something comes in the same moment
        await serving
    if mine.trouble is not None:
        raise mine.trouble
