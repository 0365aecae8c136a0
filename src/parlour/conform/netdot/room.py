"""Our users on the server under examination: how they come in, how a game gets going, and what all of them are told.

Nothing tells how a server starts its games: it may do so by itself when enough users are ready, by a vote, because it
is asked to, or because its host wants to. The probe finds that out.
"""

import asyncio
import itertools
import time
from collections.abc import Callable
from typing import Any

import msgspec

from parlour.conform.case import Clause, Unprovoked, Violation, skip
from parlour.conform.conversation import Conversation, End, Nonsense, Silence, told
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.clauses import clause
from parlour.conform.netdot.tongues import BETA, NOBODY, ONE, THREE, TWO, Heard, said, understood
from parlour.conform.netdot.view import View
from parlour.protocols.netdot.messages import Line

SHORT = 0.25
"""Seconds of silence that tell that nothing more comes, where nothing can be asked."""
GREETING = 0.6
"""Seconds in which a server says its first words."""
AGREEING = 0.5
"""Seconds in which all are told whose turn it is."""
ENTRIES = 8
"""How often we come back while the last case's game is still there."""
MOST = 4
"""Users of ours with whom a game is tried to be started."""
COLORS = (-65536, -16776961, -16711936, -32768)
AUTO, ASK, VOTE, CHAT, NEVER = "by itself", "on request-start", "by vote", "on chat /start", "never"
_markers = itertools.count(1)


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a server."""

    dialect: str = THREE
    starts: str = NEVER
    need: int = 2
    """How many users of ours it takes."""
    tells_turns: bool = True
    chat: bool = True
    votes: bool = False
    spaced: bool = False
    """Whether 2.0 dots are two words, as the document's history prints them."""

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        return f"A game starts {self.starts}{f', with {self.need} of our users' if self.starts != NEVER else ''}."


class Seat:
    """One of our users."""

    def __init__(self, exam: ServerExam, talk: Conversation, view: View) -> None:
        self.exam = exam
        self.talk = talk
        self.view = view
        self.log: list[Heard] = []
        self.lenient = False
        """Nothing of what comes is held against anything: the case is about staying on one's feet alone."""

    @property
    def me(self) -> int:
        """Its id."""
        return NOBODY if self.view.me is None else self.view.me

    @property
    def dialect(self) -> str:
        return self.view.dialect

    async def say(self, what: str, text: str = "") -> None:
        """A wish, in the words of the dialect."""
        data = said(self.dialect, what, text)
        if what == "play" and self.dialect == TWO and self.exam.habits.spaced:
            data = data.replace(b",", b" ")
        await self.talk.send(data)

    async def send(self, *lines: str) -> None:
        """Lines as they are."""
        await self.talk.send(*(f"{line}\n".encode() for line in lines))

    async def next(self, within: float | None = None) -> Any:
        """The next line, understood and believed; or what came in its place. Heartbeats are answered."""
        came = await self.talk.receive(within)
        if isinstance(came, Nonsense):
            came = Line("", "")  # longer than any command; perhaps another user's chat
        if not isinstance(came, Line):
            return came
        try:
            heard = understood(self.dialect, came)
            self.view.hear(heard)
        except Violation:
            if not self.lenient:
                raise
            heard = Heard("strange", came)
        self.log.append(heard)
        if heard.kind == "ping":
            await self.send("network-pong")
        return heard

    async def until(
        self, done: Callable[["Seat"], bool], expected: str, rule: Clause | None, within: float | None = None
    ) -> None:
        """Listen until it is so. A violation when it does not come to that."""
        limit = self.exam.seconds if within is None else within
        ends = time.monotonic() + limit
        offset = len(self.log)
        while not done(self):
            came = await self.next(max(ends - time.monotonic(), 0.0))
            if isinstance(came, Heard):
                continue
            refusal = next((heard for heard in self.log[offset:] if heard.kind in ("warn", "deny")), None)
            text = f"{refusal}, and then " if refusal else ""
            raise Violation(
                expected, text + (f"nothing for {limit:.1f} seconds" if isinstance(came, Silence) else told(came)), rule
            )

    async def hear(self, kind: str, expected: str, rule: Clause, after: int = 0, **fields: Any) -> Heard:
        """A line of this kind, now or already heard since `after`."""

        def found() -> list[Heard]:
            return [
                heard
                for heard in self.log[after:]
                if heard.kind == kind and all(getattr(heard, name) == value for name, value in fields.items())
            ]

        await self.until(lambda _: bool(found()), expected, rule)
        return found()[0]

    async def sync(self, rule: Clause = clauses.STANDING) -> None:
        """Everything that the server has said because of what we have said is here."""
        try:
            await self._asked(clauses.clause(self.dialect, "chat") if rule is clauses.STANDING else rule)
        except Violation as violation:
            silent = "nothing for" in violation.came and self.talk.ended is None
            if silent and await self._answers_alone():
                expected = f"{violation.expected}, which came with other lines before it"
                raise Violation(expected, violation.came, clauses.STREAM) from violation
            raise

    async def _answers_alone(self) -> bool:
        """Whether the same is answered when nothing comes before it in the same segment."""
        try:
            await self._asked(clauses.STREAM)
        except Violation:
            return False
        return True

    async def _asked(self, rule: Clause) -> None:
        offset = len(self.log)
        if self.dialect in (THREE, BETA):
            await self.send("network-ping")
            await self.until(lambda _: self.since(offset, "pong") != [], "network-pong, for network-ping", clauses.PING)
            return
        marker = f"marker {next(_markers)}"
        await self.say("chat", marker)
        await self.until(
            lambda _: any(marker in heard.text or heard.line.word == "unknown-network" for heard in self.log[offset:]),
            f"an answer to “network-chat {marker}”",
            rule,
        )

    def since(self, offset: int, *kinds: str) -> list[Heard]:
        """What has been heard of these kinds since."""
        return [heard for heard in self.log[offset:] if heard.kind in kinds]


# --- coming in ------------------------------------------------------------------------------------------------------


async def connected(exam: ServerExam) -> Seat:
    """A connection, with whatever the server says first."""
    habits: Habits = exam.habits or Habits(exam.dialect or THREE)
    talk = await exam.connect()
    seat = Seat(exam, talk, View(habits.dialect, habits.tells_turns))
    began = time.monotonic()
    came = await seat.next(GREETING)
    if isinstance(came, Heard) and habits.dialect == TWO and came.kind == "assign" and time.monotonic() - began < 1:
        await seat.next(SHORT / 2)  # the Java server loses what comes before the second line of its greeting
    return seat


HELLO = {
    THREE: ("info-version 3 0", "info-features chat vote random-start random-order", "request-info"),
    BETA: ("info-version 2 0", "request-info"),
    TWO: ("info-version 2 0", "request-join"),
    ONE: ("info-version 1 7",),
}


async def introduced(exam: ServerExam) -> Seat:
    """A connection in Talk that has told its version, and in 3.0 knows the server's."""
    seat = await connected(exam)
    await seat.send(*HELLO[seat.dialect])
    if seat.dialect in (THREE, BETA):
        await seat.hear("version", "info-version, as the answer to request-info", clauses.INFO_ANSWER)
    return seat


async def entered(exam: ServerExam, join: str = "", lobby: bool = True, lenient: bool = False) -> Seat:
    """A user in the network. With `lobby` we come again until the last case's game has gone."""
    for _ in range(ENTRIES):
        seat = await introduced(exam)
        seat.lenient = lenient
        if seat.dialect in (THREE, BETA):
            number = len(exam.conversations)
            await seat.send(join or f"request-join color {COLORS[number % 4]} name U{number}")
            seat.view.joining = True
        if await _admitted(seat):
            await seat.sync()
            if not (lobby and seat.view.running):
                _whole(seat)
                seat.view.live = True
                return seat
        await seat.talk.leave()
        exam.conversations.remove(seat.talk)
        await asyncio.sleep(SHORT)
    raise Unprovoked("the server does not let us into a lobby: a game goes on, or it is full")


async def _admitted(seat: Seat) -> bool:
    """Whether the user has an id. Denied, it has none, and that is the server's right."""
    rule = clause(seat.dialect, "join")
    no = ("deny", "busy", "full")
    await seat.until(lambda _: seat.me >= 0 or bool(seat.since(0, *no)), "network-assign, or a denial", rule)
    return seat.me >= 0


def _whole(seat: Seat) -> None:
    """What a newcomer must have been told."""
    view = seat.view
    if seat.me not in view.users:
        rule = clauses.ADD_ALL if seat.dialect in (THREE, BETA) else clause(seat.dialect, "add")
        raise Violation(f"the newcomer itself, {seat.me}, among the users", f"users {sorted(view.users)}", rule)
    if not view.sized:
        raise Violation("the size of the grid", "no word of it", clause(seat.dialect, "size"))


def together(first: Seat, late: Seat) -> None:
    """Skip the case when the server has put them into rooms of their own: neither has heard of the other."""
    theirs, ours = late.view.users, first.view.users
    if first.dialect in (THREE, BETA):  # there our users have names of their own
        apart = ours.get(first.me) not in theirs.values() and theirs.get(late.me) not in ours.values()
    else:
        apart = len(theirs) == 1 and (late.me == first.me or late.me not in ours)
    if apart:
        skip("the server has more than one room, and has put our users into several")


class Room:
    """Our users together, and the game that they play."""

    def __init__(self, exam: ServerExam, seats: list[Seat]) -> None:
        self.exam = exam
        self.seats = seats
        self.habits: Habits = exam.habits
        exam.picture = lambda: seats[0].view.text() if seats[0].view.running else ""

    @property
    def view(self) -> View:
        """What the first of us knows."""
        return self.seats[0].view

    @property
    def players(self) -> list[Seat]:
        """Those of us who play."""
        return [seat for seat in self.seats if seat.me in self.view.players]

    @property
    def alone(self) -> bool:
        """Whether all players are ours."""
        return self.view.players <= {seat.me for seat in self.seats}

    @classmethod
    async def lobby(cls, exam: ServerExam, users: int = 2) -> "Room":
        """So many of us, in the lobby."""
        seats = [await entered(exam)]
        for _ in range(users - 1):
            late = await entered(exam)
            await seats[0].sync()
            together(seats[0], late)
            seats.append(late)
        for seat in seats[1:-1]:
            await seat.sync()  # all have heard of each other
        ids = [seat.me for seat in seats]
        if len(set(ids)) < len(ids):
            raise Violation("an id of its own for each user", f"{ids}", clauses.ASSIGN_UNIQUE)
        return cls(exam, seats)

    @classmethod
    async def playing(cls, exam: ServerExam, users: int = 2, idle: int = 0) -> "Room":
        """A game of at least so many of us; the `idle` last ones are not ready, and look on."""
        habits: Habits = exam.habits
        if habits.starts == NEVER:
            skip("games are started by the server's host alone, and nobody does")
        room = await cls.lobby(exam, max(users, habits.need))
        for _ in range(idle):
            room.seats.append(await entered(exam))
            await room.seats[0].sync()
            together(room.seats[0], room.seats[-1])
        await room.start(room.seats[: len(room.seats) - idle])
        if len(room.players) < users and habits.starts == AUTO:
            await room.play_out()  # it began too early, but the next game is of all who are ready
            offset = room.view.games
            try:
                await room.start(room.seats[: len(room.seats) - idle])
            except Violation:
                if room.view.games == offset:
                    skip("games begin with the first who are ready, and no other follows by itself")
                raise
        if len(room.players) < users:
            skip(f"{len(room.players)} of our {users} users are let play")
        return room

    async def start(self, who: list[Seat] | None = None) -> None:
        """A game of these."""
        seats = self.seats if who is None else who
        before = self.view.games
        if self.habits.dialect == THREE:
            for seat in seats:
                await seat.send("game-ready")
            for seat in seats if self.habits.starts != AUTO else ():
                await seat.sync()  # or who asks first would begin without the others
        await urge(seats, self.habits.starts)
        patience = max(self.exam.seconds, 6.0)
        rule = clause(self.habits.dialect, "start")
        for seat in self.seats:
            try:
                await seat.until(lambda it: it.view.games > before, f"game-start, told to {seat.me}", rule, patience)
            except Violation:
                if seat is self.seats[0] and len(seats) < len(self.seats):
                    skip("the server starts no game while somebody is not ready")
                raise
        for seat in self.seats:
            await seat.sync()
        for seat in self.seats:
            if seat.view.turn == NOBODY:
                seat.view.turn = min(seat.view.players, default=NOBODY)
        await self._agree_soon()

    @property
    def mover(self) -> Seat:
        """Whichever of us is on turn."""
        for seat in self.seats:
            if seat.me == self.view.turn:
                return seat
        raise Violation("the turn of a player", f"game-current {self.view.turn}", clauses.CURRENT)

    @property
    def waiting(self) -> Seat:
        """One of us who plays and is not on turn."""
        for seat in self.players:
            if seat.me != self.view.turn:
                return seat
        raise Unprovoked("no other user of ours plays")

    async def our_turn(self) -> bool:
        """Wait for the others' moves; whether one of us is on turn then, and the game not over."""
        ours = {seat.me for seat in self.seats}
        view = self.view
        while not (view.settled and (view.over or view.turn in ours or not view.running)):
            came = await self.seats[0].next()
            if not isinstance(came, Heard):
                if view.settled:
                    skip(f"player {view.turn}, who is not ours, does not move")
                raise Violation(view.owes[0], told(came), view.owes[1])
        for seat in self.seats[1:]:
            await self._caught_up(seat)
        self._agree()
        return view.running and not view.over

    async def _caught_up(self, seat: Seat) -> None:
        lines = self.view.lines
        await seat.until(
            lambda _: (
                len(seat.view.lines) >= len(lines) and seat.view.settled and seat.view.running == self.view.running
            ),
            "the same lines as all others",
            clause(seat.dialect, "line"),
        )

    # --- playing -----------------------------------------------------------------------------------------------------

    async def play(self, move: str, seat: Seat | None = None) -> None:
        """A line of the user on turn, which all of us are told, with its boxes and the turn after it."""
        mover = seat or self.mover
        await mover.say("play", move)
        await self.drawn(move, mover)

    async def drawn(self, move: str, mover: Seat, because: Clause | None = None) -> None:
        """What must follow a line that was sent, however it was sent."""
        rule = because or clause(mover.dialect, "line")
        others = [seat for seat in self.seats if seat is not mover]
        for seat in (mover, *others):
            whom = "the player who drew it" if seat is mover else "everyone else"
            try:
                await seat.until(lambda it: move in it.view.lines, f"the line {move}, told to {whom}", rule)
            except Violation as wrong:
                if seat.view.settled or seat.view.owes[1] is clauses.PASSES:
                    raise
                raise Violation(seat.view.owes[0], wrong.came, seat.view.owes[1]) from wrong
            if seat.view.lines[move] != mover.me:
                raise Violation(f"the line {move} to be of {mover.me}", f"it is of {seat.view.lines[move]}", rule)
            try:
                await seat.until(lambda it: it.view.settled, "", None)
            except Violation as wrong:
                raise Violation(f"{seat.view.owes[0]}, told to {whom}", wrong.came, seat.view.owes[1]) from wrong
            if self.habits.tells_turns and seat.dialect in (TWO, ONE) and seat.view.turn == mover.me:
                await seat.sync()  # it may be told that it stays so
        await self.our_turn()

    async def _agree_soon(self) -> None:
        """Whose turn it is may be told to one a moment after another, in a line of its own."""
        ends = time.monotonic() + AGREEING
        while True:
            try:
                self._agree()
                return
            except Violation:
                if time.monotonic() > ends:
                    raise
            for seat in self.seats:
                await seat.sync()

    def _agree(self) -> None:
        first = self.view
        for seat in self.seats[1:]:
            view = seat.view
            if view.shape is not first.shape:
                raise Violation(
                    "the same grid for everyone",
                    f"{view.shape.width}x{view.shape.height}",
                    clause(seat.dialect, "size"),
                )
            if view.running and not first.over and view.turn != first.turn:
                raise Violation(
                    f"the same turn for everyone, of {first.turn}",
                    f"for {seat.me} it is {view.turn}",
                    clauses.AUTHORITY,
                )
            if view.running and seat.dialect == THREE and view.players != first.players:
                came = f"for {seat.me} it is {sorted(view.players)}"
                raise Violation(f"the same players for everyone, {sorted(first.players)}", came, clauses.AUTHORITY)

    async def refused(self, line: str, rule: Clause, seat: Seat | None = None, may_close: bool = False) -> list[Heard]:
        """Sends a line that must change nothing for any client. Returns what the sender was told."""
        sender = seat or self.mover
        before, turn = len(self.view.lines), self.view.turn
        offset = len(sender.log)
        await sender.talk.send(line.encode() + b"\n")
        try:
            await sender.sync(rule)
        except Violation as wrong:
            if may_close and isinstance(sender.talk.ended, End):
                skip("the server closes the connection, which the document does not forbid")
            raise Violation(f"an unharmed connection after “{line}”", wrong.came, rule) from wrong
        for each in self.seats:
            if each is not sender:
                await each.sync(rule)
            turned = not each.view.over and (each.view.turn != turn or not each.view.settled)
            if len(each.view.lines) != before or turned:
                raise Violation(f"nothing to be drawn by “{line}”, and the turn to stay", str(each.log[-2]), rule)
        return sender.log[offset:]

    async def play_out(self, most: int = 10_000) -> None:
        """Any legal lines, to the end of the game."""
        for _ in range(most):
            if not await self.our_turn():
                return
            await self.play(self.exam.rng.choice(self.view.open_lines()))

    async def play_all(self, *moves: str) -> None:
        """Draws these lines, each by the player on turn."""
        for move in moves:
            await self.play(move)


async def urge(seats: list[Seat], how: str) -> None:
    """Ask for a game in this way."""
    if how == VOTE:
        await seats[0].send("vote-request restart")
        for seat in seats:
            await seat.send("vote-yes")
        return
    line = {ASK: "request-start", CHAT: "network-chat /start"}.get(how)
    for seat in seats if line else ():
        await seat.send(line or "")


# --- finding out ----------------------------------------------------------------------------------------------------


async def probe(exam: ServerExam) -> Habits:
    """Comes in with two users or a few more, gets a game going, and makes a move."""
    dialect = exam.dialect or await _dialect(exam)
    exam.habits = habits = Habits(dialect, tells_turns=dialect in (THREE, BETA))
    try:
        seats = [await entered(exam)]
        votes, chat = "vote" in seats[0].view.features, "chat" in seats[0].view.features
        exam.habits = habits = msgspec.structs.replace(habits, votes=votes, chat=chat)
        while len(seats) < MOST:
            seats.append(await entered(exam))
            how = await _started(seats, dialect, votes)
            if how != NEVER:
                exam.habits = habits = msgspec.structs.replace(habits, starts=how, need=len(seats))
                return await _moved(Room(exam, seats), habits)
    except (Violation, Unprovoked):
        pass  # the cases will tell
    return habits


async def _started(seats: list[Seat], dialect: str, votes: bool) -> str:
    if dialect == THREE:
        for seat in seats:
            await seat.send("game-ready")
    ways = [(AUTO, 0.8), *([(VOTE, 1.0)] if votes else []), (ASK, 0.6), (CHAT, 0.6), (AUTO, 3.0)]
    for how, patience in ways:
        if how != AUTO:
            await urge(seats, how)
        ends = time.monotonic() + patience
        while time.monotonic() < ends and not seats[0].view.running:
            if isinstance(await seats[0].next(max(ends - time.monotonic(), 0.0)), End):
                return NEVER
        if seats[0].view.running:
            return how
    return NEVER


async def _moved(room: Room, habits: Habits) -> Habits:
    """Whether 2.0 tells turns, and how it spells dots."""
    for seat in room.seats:
        await seat.until(lambda it: it.view.running, "game-start", clauses.START)
    if habits.dialect not in (TWO, ONE):
        return habits
    for seat in room.seats:
        await seat.sync()
    if room.view.turn not in [seat.me for seat in room.seats]:
        await asyncio.sleep(SHORT)
        await room.seats[0].sync()
    if room.view.turn not in [seat.me for seat in room.seats]:
        return habits
    mover = room.mover
    offset = len(mover.log)
    await mover.say("play", "h 0 0")
    await mover.sync()
    if habits.dialect == TWO and not mover.since(offset, "line"):
        await mover.send("game-play 0 0 hor")
        await mover.sync()
        habits = msgspec.structs.replace(habits, spaced=bool(mover.since(offset, "line")))
    return msgspec.structs.replace(habits, tells_turns=bool(mover.since(offset, "current")))


async def _dialect(exam: ServerExam) -> str:
    """By the server's first line, and by what it makes of a 3."""
    talk = await exam.connect()
    came = await talk.receive(GREETING)
    if isinstance(came, Line):
        if came.word == "network-assign":
            return TWO
        if came.word == "info-version":
            return {"1": ONE, "2": TWO}.get(came.args.split(" ")[0], THREE)
    await talk.send(b"info-version 3 0\n", b"request-info\n")
    for heard in await talk.listen(GREETING):
        if isinstance(heard, End) or (
            isinstance(heard, Line) and heard.word == "info-version" and heard.args[:1] == "2"
        ):
            return BETA
    return THREE
