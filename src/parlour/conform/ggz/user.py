"""A person of ours in the zone under examination: a session in XML, and a channel for the game."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, told
from parlour.conform.exam import ServerExam
from parlour.conform.ggz import clauses
from parlour.conform.ggzdots.table import Player, Size, Table
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from parlour.protocols.ggz.wish import plays_dots
from parlour.protocols.ggzdots.dialect import FOUR

OPEN, BOT = spell.Seat(1, "open"), spell.Seat(1, "bot")
LONGEST = 160
"""Letters of an element in a report."""


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a zone."""

    dialect: str = "10"
    game: int = 0
    room: int = 1
    """Where Dots is played."""
    hall: int | None = None
    """Another room."""
    hall_game: int = -1
    spectators: bool = False
    bots: bool = True
    motd: bool = False

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        return f"Dots is played in room {self.room}, {'with' if self.spectators else 'without'} spectators."


def shown(came: Any) -> str:
    """What came, in one line."""
    if not isinstance(came, Element):
        return told(came)
    attrs = "".join(f" {name}='{value}'" for name, value in came.attrs.items())
    inside = "".join(map(shown, came.children)) + came.text.strip()
    text = f"<{came.tag}{attrs}>{inside}</{came.tag}>" if inside else f"<{came.tag}{attrs}/>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def fits(element: Element, tag: str, attrs: dict[str, object]) -> bool:
    """Whether an element has this name and these attributes."""
    same = (element.get(name).lower() == str(value).lower() for name, value in attrs.items())
    return element.tag == tag and all(same)


class User:
    """One session."""

    def __init__(self, exam: ServerExam, talk: Conversation, name: str = "") -> None:
        self.exam, self.talk, self.name = exam, talk, name
        talk.phase = Hearing.SERVER
        self.news: list[Element] = []
        """What has come and was not looked for yet."""
        self.table = -1
        self.player: Player | None = None
        """On the channel, once the game's bytes go over it."""

    @classmethod
    async def greeted(cls, exam: ServerExam) -> "User":
        """Connected; the server has spoken first."""
        user = cls(exam, await exam.connect())
        user.greeting = await user.greets()
        return user

    greeting: Element

    async def greets(self) -> Element:
        await self.talk.expect(Opened, "<SESSION>", clauses.SERVER)
        return await self.element("SERVER", "<SERVER …>: the server speaks first", clauses.SERVER)

    @classmethod
    async def stranger(cls, exam: ServerExam) -> "User":
        """The same, after our own first words."""
        user = await cls.greeted(exam)
        await user.talk.send(ask.hello())
        return user

    @classmethod
    async def guest(cls, exam: ServerExam, name: str = "") -> "User":
        """Logged in."""
        user = await cls.stranger(exam)
        user.name = name or fresh(exam)
        await user.ask(ask.login(user.name), "login", clauses.LOGIN)
        return user

    @classmethod
    async def inside(cls, exam: ServerExam, room: int | None = None) -> "User":
        """Logged in, and in the room where Dots is played, or another."""
        user = await cls.guest(exam)
        await user.enter(exam.habits.room if room is None else room)
        return user

    @classmethod
    async def inside_as(cls, exam: ServerExam, name: str) -> "User":
        """The same under this name."""
        user = await cls.guest(exam, name)
        await user.enter(exam.habits.room)
        return user

    # --- hearing ------------------------------------------------------------------------------------------------------

    async def hear(self, within: float | None = None) -> Any:
        """What comes next; PING is answered on the way."""
        while isinstance(came := await self.talk.receive(within), Element) and came.tag == "PING":
            await self.talk.send(spell.pong(came.attrs.get("ID")))
        return came

    async def element(self, tag: str, expected: str, clause: Clause, **attrs: object) -> Element:
        """An element of this name with these attributes; others wait until they are looked for."""
        return await self.find(lambda element: fits(element, tag, attrs), expected, clause)

    async def find(self, wanted: Callable[[Element], bool], expected: str, clause: Clause) -> Element:
        """The first element that is wanted, among those that have come or come now."""
        for number, element in enumerate(self.news):
            if wanted(element):
                return self.news.pop(number)
        while True:
            came = await self.hear()
            if not isinstance(came, Element):
                raise self.talk.wrong(came, expected, clause)
            if wanted(came):
                return came
            self.news.append(came)

    def heard(self, tag: str, **attrs: object) -> list[Element]:
        """What has come so far of this kind."""
        return [element for element in self.news if fits(element, tag, attrs)]

    async def result(self, action: str, clause: Clause, *codes: str) -> Element:
        """What became of a request."""
        codes = codes or ("ok",)
        expected = f"<RESULT ACTION='{action}' CODE='{' or '.join(codes)}'>"
        actions = (action, "protocol")
        came = await self.find(
            lambda element: element.tag == "RESULT" and element.get("ACTION").lower() in actions, expected, clause
        )
        if came.get("ACTION").lower() != action or came.get("CODE").lower() not in codes:
            raise Violation(expected, shown(came), clause)
        return came

    async def ask(self, request: bytes, action: str, clause: Clause, *codes: str) -> Element:
        """A request and its result."""
        await self.talk.send(request)
        return await self.result(action, clause, *codes)

    async def fence(self) -> None:
        """Everything that was said before is here now: a question that is always answered came behind it."""
        await self.ask(ask.ask_list("room"), "list", clauses.ROOMS)

    async def untold(self, tag: str, expected: str, clause: Clause, **attrs: object) -> None:
        """Nothing of this kind has come."""
        await self.fence()
        if came := self.heard(tag, **attrs):
            raise Violation(expected, shown(came[0]), clause)

    # --- asking -------------------------------------------------------------------------------------------------------

    async def enter(self, room: int) -> None:
        await self.ask(ask.enter(room), "enter", clauses.ENTER)

    async def listed(self, kind: str, clause: Clause, full: bool | None = None) -> tuple[Element, ...]:
        """What is in a list."""
        result = await self.ask(ask.ask_list(kind, full), "list", clause)
        listed = result.child("LIST")
        if listed is None or listed.get("TYPE").lower() != kind:
            raise Violation(f"<LIST TYPE='{kind}'> in the RESULT", shown(result), clause)
        return listed.every(kind.upper())

    async def channel(self) -> Conversation:
        """The second connection, ready for the game's bytes."""
        talk = await self.exam.connect()
        talk.phase = Hearing.SERVER
        await talk.expect(Opened, "<SESSION>", clauses.CHANNEL)
        await talk.expect(Element, "<SERVER …>", clauses.CHANNEL)
        await talk.send(ask.channel(self.name))
        await talk.expect(Ended, "</SESSION>: the channel is the game's from here on", clauses.CHANNEL)
        self.player = Player(self.exam, talk, FOUR)
        return talk

    def launching(self, seats: Sequence[spell.Seat] = (), game: int | None = None, about: str = "examined") -> bytes:
        """LAUNCH with these seats; the first is ours, the second open, if nothing else is said."""
        seats = seats or (spell.Seat(0, "reserved", self.name), OPEN)
        return ask.launch(self.exam.habits.game if game is None else game, about, seats)

    async def launch(self, *seats: spell.Seat, about: str = "examined") -> int:
        """Open a table, and sit down. Returns its number."""
        await self.channel()
        await self.ask(self.launching(seats, about=about), "launch", clauses.LAUNCH)
        return await self.sits(clauses.LAUNCH)

    async def join(self, table: int, watch: bool = False) -> int:
        """Sit down at a table, or watch it."""
        await self.channel()
        clause = clauses.SPECTATE if watch else clauses.JOIN
        await self.ask(spell.join(table, watch), "join", clause)
        return await self.sits(clause, watch)

    async def sits(self, clause: Clause, watch: bool = False) -> int:
        """JOIN says that we do."""
        spectator = "true" if watch else "false"
        join = await self.element("JOIN", f"<JOIN TABLE='…' SPECTATOR='{spectator}'/>", clause)
        number = join.number("TABLE")
        if number is None or join.get("SPECTATOR", "false").lower() != spectator:
            raise Violation(f"<JOIN TABLE='…' SPECTATOR='{spectator}'/>", shown(join), clause)
        self.table = number
        return number

    async def leave(self) -> Element:
        """Stand up."""
        await self.ask(ask.leave(), "leave", clauses.LEAVE)
        self.table = -1
        return await self.element("LEAVE", "<LEAVE REASON='normal'/>", clauses.LEAVE)

    async def end(self) -> None:
        """Log out."""
        await self.talk.send(spell.END)
        while not isinstance(came := await self.hear(), Ended):
            if not isinstance(came, Element):
                raise self.talk.wrong(came, "</SESSION>", clauses.END)
        while not isinstance(came := await self.hear(), End):
            if not isinstance(came, Element):
                raise self.talk.wrong(came, "the end of the connection", clauses.END)

    async def about_table(self, action: str, table: int, clause: Clause) -> Element:
        """An UPDATE of this table. Returns its TABLE."""

        def wanted(element: Element) -> bool:
            inner = element.child("TABLE")
            return fits(element, "UPDATE", {"TYPE": "table", "ACTION": action}) and (
                inner is not None and inner.number("ID") == table
            )

        update = await self.find(wanted, f"<UPDATE TYPE='table' ACTION='{action}'> of table {table}", clause)
        found = update.child("TABLE")
        assert found is not None
        return found

    async def about_seat(self, table: int, name: str) -> None:
        """The UPDATE that this player sits down at this table."""
        clause = clauses.SEATED

        def wanted(element: Element) -> bool:
            inner = element.child("TABLE")
            return (
                fits(element, "UPDATE", {"TYPE": "table", "ACTION": "join"})
                and inner is not None
                and inner.number("ID") == table
                and any(fits(seat, "SEAT", {"TYPE": "player"}) and seat.text.strip() == name for seat in inner.children)
            )

        expected = f"<UPDATE TYPE='table' ACTION='join'> with {name} in a SEAT of table {table}"
        await self.find(wanted, expected, clause)

    async def about_player(self, action: str, name: str, clause: Clause) -> Element:
        """An UPDATE of this player."""

        def wanted(element: Element) -> bool:
            inner = element.child("PLAYER")
            return fits(element, "UPDATE", {"TYPE": "player", "ACTION": action}) and (
                inner is not None and inner.get("ID") == name
            )

        return await self.find(wanted, f"<UPDATE TYPE='player' ACTION='{action}'> of {name}", clause)


def fresh(exam: ServerExam) -> str:
    """A name that nobody has had before."""
    exam.memory["users"] = exam.memory.get("users", 0) + 1
    return f"Ada{exam.memory['users']}x{secrets.token_hex(2)}"


async def seated(exam: ServerExam) -> tuple[Table, User, User]:
    """Two of ours at one table; nothing is chosen yet."""
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.join(number)
    assert ada.player is not None
    assert bea.player is not None
    table = Table(exam, [ada.player, bea.player])
    await table.together()
    return table, ada, bea


async def begin(exam: ServerExam, size: Size = (3, 3)) -> Table:
    """A game of two of ours, up to the first request."""
    table, _, _ = await seated(exam)
    await table.choose(size)
    await table.start()
    return table


async def with_bot(exam: ServerExam, size: Size = (3, 3), bot: spell.Seat = BOT) -> Table:
    """A game of one of ours against a bot."""
    if not exam.habits.bots:
        skip("the zone has no bots")
    ada = await User.inside(exam)
    await ada.launch(spell.Seat(0, "reserved", ada.name), bot)
    assert ada.player is not None
    table = Table(exam, [ada.player])
    await table.together()
    await table.choose(size)
    await table.start()
    return table


async def newcomer(exam: ServerExam) -> None:
    """Those who come next are served."""
    await exam.close()
    try:
        await begin(exam)
    except Violation as violation:
        raise Violation("a table for those who come next", violation.came, clauses.STANDING) from violation


async def probe(exam: ServerExam) -> Habits:
    """Finds out which rooms there are, and what is allowed."""
    exam.habits = Habits()
    try:
        user = await User.guest(exam)
        games = [game for game in await user.listed("game", clauses.GAMES, True) if plays_dots(game)]
        rooms = await user.listed("room", clauses.ROOMS, True)
    except Violation:
        return Habits()
    motd = bool(user.heard("MOTD"))
    numbers = [game.number("ID") for game in games]
    dots = next((room for room in rooms if room.number("GAME") in numbers), None)
    if not games or dots is None:
        return Habits(motd=motd)
    hall = next((room for room in rooms if room.number("GAME") != dots.number("GAME")), None)
    allow = next(game for game in games if game.number("ID") == dots.number("GAME")).child("ALLOW")
    return Habits(
        game=dots.number("GAME") or 0,
        room=dots.number("ID") or 0,
        hall=None if hall is None else hall.number("ID"),
        hall_game=-1 if hall is None else hall.number("GAME") or 0,
        spectators=allow is not None and allow.truth("SPECTATORS"),
        bots=allow is None or allow.get("BOTS", "1").strip() not in ("", "0"),
        motd=motd,
    )
