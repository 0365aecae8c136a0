"""Tables that lead to other servers: who sits down at one plays there, through a client session of that server's wire.

One listed table for each server waits with an empty chair. Nothing is dialled before a person sits down; then the next
table is listed, so that every visitor has a connection of their own. What the other server says is believed: its
players sit at our table as participants, its moves are theirs, its verdict counts. What our rules cannot follow ends
the game, in words.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import msgspec
import structlog

from parlour.client.address import ANONYMOUS, parse
from parlour.client.call import Call, place
from parlour.core.errors import LocalError
from parlour.core.game import NOBODY
from parlour.core.house.told import Begin, Conclude
from parlour.core.names import one_line, visible
from parlour.core.session import Again, Board, Over, Report, Sheet, Show, Visit, WireProtocol, YourTurn
from parlour.core.table.people import Member, Participant
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Evicted, Said, Seated, Update
from parlour.core.words import (
    Cap,
    Closed,
    Command,
    Joined,
    Leave,
    Left,
    Open,
    Play,
    Played,
    Policy,
    Record,
    Resign,
    Resigned,
    Say,
    Starting,
    Vote,
    Voted,
)
from parlour.registry import games, protocols
from parlour.server.flushing import flushed
from parlour.server.house import House

log = structlog.get_logger()

MOST_VISITS = 16
"""Visitors at one server at a time; the next one waits until a table is listed again."""
FIRST_PAUSE, TRIES = 1.0, 5
"""Seconds before a server that does not answer is dialled again, doubled each time; and how often, for one visitor."""
RELIST_SECONDS = 5.0
"""After which a table is listed again that could not be."""
PACE = 64 * 1024.0
"""Bytes a second that are read from another server at most: the other tables come first."""
MOST_LINES, LINES_SECONDS = 40, 10.0
"""Lines of another server that are passed on in so many seconds."""
REPEATS = 3
"""How often a move is said again that a server has neither taken nor refused."""
LONGEST_LINE, LONGEST_NAME = 500, 16
LAST_MOVE_SECONDS = 0.4
"""How long the last move may come after the verdict."""
FAREWELL_SECONDS = 1.0
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


class Destination(msgspec.Struct, frozen=True):
    """A server to visit."""

    protocol: WireProtocol
    visit: Visit
    game: str
    caps: Cap

    @property
    def place(self) -> str:
        return place(self.visit)

    @property
    def title(self) -> str:
        return f"Visit: {self.protocol.label or self.protocol.title} at {self.place}"


def destination(url: str) -> Destination:
    """What a URL leads to. Raises LocalError."""
    protocol, visit = parse(url, protocols())
    visit = msgspec.structs.replace(visit, games=games())
    guide = protocol.visit(visit).guide
    if guide.game not in games():
        raise LocalError(f"{url!r} does not say which game is played there: add ?game=KEY")
    caps = (Cap.CHAT if guide.chat else Cap.NONE) | (Cap.REMATCH if guide.rematch else Cap.NONE)
    return Destination(protocol, visit, guide.game, caps)


class Visiting:
    """All visits of one server."""

    def __init__(self, house: House, destinations: Sequence[Destination], own: Sequence[tuple[str, int]]) -> None:
        """`own` are the addresses of our doors: who visits themselves never arrives. Raises LocalError."""
        for each in destinations:
            host, port = each.visit.host, each.visit.port
            if any(port == door and (host in LOOPBACK or host == here) for here, door in own):
                raise LocalError(f"--visit {each.place} is a door of this server itself")
        self.house = house
        self.visits: list[Outing] = []
        """Listed tables and running visits."""
        self._destinations = destinations
        self._stopping = False

    def start(self) -> None:
        """List a table for every server."""
        for each in self._destinations:
            self.list(each)

    def list(self, to: Destination) -> None:
        """Have one table for the next visitor, unless there is one, or are too many."""
        own = [outing for outing in self.visits if outing.to is to]
        if self._stopping or len(own) > MOST_VISITS or any(outing.free for outing in own):
            return
        if self.house.hub.refusing is None:
            outing = Outing(self, to)
            self.visits.append(outing)
            self.house.enter(outing.open)
        else:
            asyncio.get_running_loop().call_later(RELIST_SECONDS, self.list, to)

    def gone(self, outing: "Outing", pause: float) -> None:
        """A visit is over and its table closed: list another one, after so many seconds."""
        if outing in self.visits:
            self.visits.remove(outing)
            asyncio.get_running_loop().call_later(pause, self.list, outing.to)

    async def stop(self) -> None:
        """Take leave of every server."""
        self._stopping = True
        tasks = [task for outing in self.visits if (task := outing.hang_up()) is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=FAREWELL_SECONDS)
        for task in tasks:
            task.cancel()


class Outing:
    """One table that leads to another server, and the visit of who sits down there."""

    def __init__(self, visiting: Visiting, to: Destination) -> None:
        self.to = to
        self._visiting = visiting
        self._house = visiting.house
        self._far = [self._participant(self._hear)]
        """The players of the other server; the first of them is there before any game."""
        self._table: Table | None = None
        self._task: asyncio.Task[None] | None = None
        self._acting: asyncio.Task[None] | None = None
        self._wishes: deque[Command] = deque()
        """What the visitor wants, until it is in the log."""
        self._call: Call | None = None
        self._sheet: Sheet | None = None
        """Of the game that the table follows."""
        self._followed = 0
        """How many of its moves are dealt with."""
        self._offered: tuple[str, ...] | None = None
        """The moves that the server waits for, while it does."""
        self._said: tuple[int, str, int] = (-1, "", 0)
        """The number of the visitor's last move that was sent, the move, and how often."""
        self._asks = self._wants = False
        """The server asks for another game; the visitor wants one."""
        self._verdict = ""
        """How the game has ended there, until it has here."""
        self._last_words = ""
        self._lines: deque[float] = deque(maxlen=MOST_LINES)
        """When the last ones were passed on."""

    def _participant(self, tell: Callable[[Update], None]) -> Participant:
        return Participant(tell, visible(self.to.place), self.to.protocol.name, self.to.caps)

    @property
    def free(self) -> bool:
        """Whether the table waits for a visitor."""
        return self._task is None

    @property
    def _visitor(self) -> Member | None:
        """Who sits at the table and is not of the other server."""
        far = {who.member for who in self._far}
        seats = () if self._table is None else self._table.seats
        return next((member for member in seats if member is not None and member not in far), None)

    def _submit(self, command: Command, who: Participant | None = None) -> None:
        self._house.enter(lambda: self._house.hub.submit(who or self._far[0], command))

    # --- at our table ------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """List the table."""
        game = games()[self.to.game]
        policy = Policy(starting=Starting.TOLD)
        self._house.hub.submit(self._far[0], Open(game.key, game.options({}), 1, policy, title=self.to.title))

    def _hear(self, told: Update) -> None:
        """Something happens at the table. This runs in the hub's turn: what follows from it comes after."""
        match told:
            case Seated(table=table):
                self._table = table
            case Record(event=event):
                self._happened(event)
            case Said(text=text, name=name, member=member) if not self._is_far(member):
                visitor = self._visitor
                spoken = text if visitor is not None and visitor.id == member else f"{name}: {text}"
                self._wish(Say(spoken))
            case Declined(command=Open()):
                self._close(RELIST_SECONDS)
            case Evicted():
                self._close()
                asyncio.get_running_loop().call_soon(self.hang_up)
            case _:
                pass

    def _happened(self, event: object) -> None:
        match event:
            case Joined(member=member) if self._task is None and not self._is_far(member):
                self._task = asyncio.get_running_loop().create_task(self._go())
                asyncio.get_running_loop().call_soon(self._visiting.list, self.to)
            case Played(seat=seat, move=move) if self._is_visitor(seat):
                self._wish(Play(move))
            case Resigned(seat=seat) if self._is_visitor(seat):
                self._wish(Resign())
            case Voted(seat=seat, yes=yes) if self._is_visitor(seat):
                self._wish(Vote(yes))
            case Left(member=member) if not self._is_far(member) and self._visitor is None:
                self._wish(Leave())
            case Closed():
                self._wish(Leave())
                self._close()
            case _:
                pass

    def _is_far(self, member: int) -> bool:
        return any(who.member is not None and who.member.id == member for who in self._far)

    def _is_visitor(self, seat: int) -> bool:
        assert self._table is not None
        member = self._table.seats[seat]
        return member is not None and not self._is_far(member.id)

    def _close(self, pause: float = 0.0) -> None:
        self._table = None
        self._visiting.gone(self, pause)

    # --- what the visitor wants --------------------------------------------------------------------------------------

    def _wish(self, command: Command) -> None:
        if self._task is None:
            return
        self._wishes.append(command)
        if self._acting is None:
            self._acting = asyncio.get_running_loop().create_task(self._act())

    async def _act(self) -> None:
        """Do what the visitor wants, once it is in the log."""
        while self._wishes:
            await flushed(self._house)
            match self._wishes.popleft():
                case Play():
                    self._pass_move_on()
                case Vote(yes=yes):
                    self._wants = yes
                    self._answer()
                case Leave():
                    self.hang_up()
                case command:
                    if self._call is not None:
                        self._call.act(command)
        self._acting = None

    def _pass_move_on(self) -> None:
        """Say the visitor's move, if the server waits for it."""
        sheet, table, offered = self._sheet, self._table, self._offered
        if sheet is None or table is None or offered is None or self._call is None:
            return
        number = len(sheet.moves)
        if number >= len(table.moves):
            return
        move = table.moves[number]
        times = self._said[2] if self._said[:2] == (number, move) else 0
        if times and (move not in offered or times >= REPEATS):
            self._break_off(f"{self.to.place} has refused the move {move}. {self._last_words}")
            return
        self._said = number, move, times + 1
        self._offered = None
        self._call.act(Play(move))

    def _answer(self) -> None:
        """Tell the server that the visitor wants another game, if it asks."""
        if self._asks and self._wants and self._call is not None:
            self._asks = False
            self._call.act(Vote(True))

    def hang_up(self) -> asyncio.Task[None] | None:
        """Take leave of the server; returns what is to be waited for."""
        if self._call is not None and self._call.connected:
            self._call.act(Leave())
        elif self._task is not None:
            self._task.cancel()
        return self._task

    # --- at the other server -----------------------------------------------------------------------------------------

    async def _go(self) -> None:
        """Dial, and stay as long as there is something to stay for."""
        try:
            await self._stay()
        except asyncio.CancelledError:
            pass
        finally:
            self._call = self._task = None
            if self._acting is not None:
                self._acting.cancel()
                self._acting = None
            self._wishes.clear()
            self._conclude()
            self._leave()

    async def _stay(self) -> None:
        pause = FIRST_PAUSE
        for _ in range(TRIES):
            visitor = self._visitor
            if visitor is None:
                return
            call = self._call = Call(self.to.protocol, self._as(visitor), self._show, self._follow, pace=PACE)
            try:
                await call.connect()
                await call.stay()
            except LocalError as error:
                self._say(f"{str(error).capitalize()}.")
            finally:
                self._call = None
            if self._sheet is not None or self._visitor is None:
                return  # what has begun here cannot go on elsewhere
            self._say(f"Trying {self.to.place} again in {pause:g} seconds.")
            await asyncio.sleep(pause)
            pause *= 2
        self._say(f"{self.to.place} cannot be visited now.")

    def _as(self, visitor: Member) -> Visit:
        """The visit of this visitor, under the name in the address or their own."""
        if self.to.visit.name != ANONYMOUS:
            return self.to.visit
        name = "".join(letter if letter.isalnum() else "_" for letter in visitor.name)[:LONGEST_NAME]
        return msgspec.structs.replace(self.to.visit, name=name.strip("_") or ANONYMOUS)

    def _show(self, shown: Show) -> None:
        """The session says something; the moves before it are dealt with first."""
        self._follow()
        match shown:
            case YourTurn(moves=moves):
                self._your_turn(moves)
            case Over(result=result):
                self._over(result)
            case Again():
                self._asks = True
                asyncio.get_running_loop().call_soon(self._answer)
            case Report(text=text, talk=talk):
                self._last_words = text
                if talk or (self._table is not None and self._table.position is None):
                    self._say(text)
            case Board():
                pass

    def _follow(self) -> None:
        """Let everything happen at our table that has happened there."""
        sheet = None if self._call is None else self._call.session.sheet
        if sheet is None or self._table is None:
            return
        if sheet is not self._sheet:
            self._begin(sheet)
        table = self._table
        while table is not None and table.running and self._sheet is sheet and self._followed < len(sheet.moves):
            number = self._followed
            self._followed += 1
            seat, move = sheet.by[number], sheet.moves[number]
            if table.moves[number : number + 1] == [move] and table.by[number] == seat:
                continue
            if table.position is None or table.position.turn == NOBODY:
                return  # it plays on after the end that our rules see: its verdict is about to come
            if seat != sheet.seat and len(table.moves) == number:
                self._submit(Play(move), self._player(seat))
            if table.moves[number : number + 1] != [move] or table.by[number] != seat:
                self._break_off(f"{self.to.place} says that {move} was played, which the rules here do not allow.")
                return

    def _player(self, seat: int) -> Participant:
        return next((who for who in self._far if who.seat == seat), self._far[0])

    def _begin(self, sheet: Sheet) -> None:
        """A game begins there, and so it does here."""
        self._conclude()
        self._sheet, self._followed = sheet, 0
        self._offered, self._said = None, (-1, "", 0)
        self._asks = self._wants = False
        if not sheet.whole:
            self._break_off("A game goes on there that had begun before: it cannot be shown here.")
            return
        names = [name for seat, name in enumerate(sheet.names) if seat != sheet.seat]
        while len(self._far) < len(names):
            self._far.append(self._participant(lambda _: None))
        others = self._far[: len(names)]
        for who, name in zip(others, names, strict=True):
            who.name = self._named(name)
        table, visitor = self._table, self._visitor
        if table is None or visitor is None:
            return
        before = table.number
        self._submit(Begin(visitor.id, sheet.options, sheet.first, sheet.seat, tuple(others)))
        self._far = others
        if table.number == before:
            self._break_off(f"{self.to.place} has begun a game that cannot be played here.")

    def _named(self, name: str) -> str:
        """A player of the other server: by the name there, if it is told, and where that is."""
        shown = visible(name)[: 4 * LONGEST_NAME - len(self.to.place) - 4]
        return visible(f"{shown} @ {self.to.place}" if shown else self.to.place)

    def _your_turn(self, moves: tuple[str, ...]) -> None:
        table, sheet = self._table, self._sheet
        if table is None or sheet is None or not table.running:
            return
        self._offered = moves
        position = table.position
        if len(table.moves) > len(sheet.moves):
            asyncio.get_running_loop().call_soon(self._pass_move_on)
        elif position is None or position.turn != sheet.seat:
            over = position is None or position.turn == NOBODY
            why = "plays on where the rules here see the end" if over else "wants a move out of turn"
            self._break_off(f"{self.to.place} {why}.")

    def _over(self, result: str) -> None:
        """The verdict of the other server. Some give it before they tell the last move."""
        table = self._table
        if table is None or self._sheet is None or not table.running:
            return
        if result == "aborted":
            self._break_off(self._last_words or f"{self.to.place} has broken the game off.")
            return
        self._verdict = result
        over = table.position is None or table.position.turn == NOBODY
        asyncio.get_running_loop().call_later(0.0 if over else LAST_MOVE_SECONDS, self._conclude)

    def _conclude(self) -> None:
        """Let the game end as the other server says, if it has said so."""
        table, sheet, result = self._table, self._sheet, self._verdict
        self._verdict = ""
        if table is None or sheet is None or not table.running or not result:
            return
        position = table.position
        assert position is not None
        seen = position.winners() if position.turn == NOBODY else None
        others = tuple(seat for seat in range(len(table.seats)) if seat != sheet.seat)
        winners = {"won": (sheet.seat,), "draw": ()}.get(result, others)
        if result == "lost" and seen and sheet.seat not in seen:
            winners = seen
        if seen is not None and seen != winners:
            self._say(f"By the rules here it would be another result; what {self.to.place} says counts.")
        self._submit(Conclude(winners))

    def _break_off(self, why: str) -> None:
        """End the game at our table, in words, and the visit."""
        self._say(why)
        self._leave()
        asyncio.get_running_loop().call_soon(self.hang_up)

    def _leave(self) -> None:
        """Stand up from our table, which closes with that."""
        for who in self._far:
            if who.table is not None:
                self._submit(Leave(), who)
        self._close()

    def _say(self, text: str) -> None:
        """Pass something on to those at the table, not too much of it."""
        now = asyncio.get_running_loop().time()
        if len(self._lines) == MOST_LINES and now - self._lines[0] < LINES_SECONDS:
            return
        self._lines.append(now)
        said = one_line(text).strip()[:LONGEST_LINE]
        if said and self._far[0].table is not None:
            self._submit(Say(said))
