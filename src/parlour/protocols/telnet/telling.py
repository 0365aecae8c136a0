"""What happens at a table, as lines: who moved, whose turn it is, who came, what is asked, how it ended.

Everyone is spoken of by name, also the person who reads it, except that their own turn and result are told as theirs.
"""

from collections.abc import Iterator

from parlour.core.game import NOBODY
from parlour.core.table.ballot import DRAW, REMATCH, TAKEBACK, UNANIMOUS
from parlour.core.table.people import Member
from parlour.core.table.table import Status, Table
from parlour.core.words import (
    Chosen,
    Closed,
    Decided,
    Entered,
    Finished,
    Flagged,
    Held,
    Joined,
    Laid,
    Leaving,
    Left,
    Played,
    Proposed,
    Readied,
    Reason,
    Record,
    Renamed,
    Resigned,
    Resumed,
    Started,
    Switched,
    TakenBack,
    Titled,
    Voted,
    Went,
)
from parlour.protocols.telnet import sentences
from parlour.protocols.telnet.codec import DRAWN, HAPPENED

TALLEST = 30
"""Lines of a board that is shown without being asked for."""

Lines = Iterator[str]


def happened(text: str) -> str:
    return HAPPENED + text


class Place:
    """A table as one person there sees it."""

    __slots__ = ("_names", "me", "table")

    def __init__(self, table: Table, me: Member | None) -> None:
        self.table = table
        self.me = me
        """None in the audience."""
        self._names = {member.id: member.name for member in table.party.members.values()}
        """Also of those who have just gone."""

    @property
    def seat(self) -> int | None:
        return None if self.me is None else self.me.seat

    @property
    def on_turn(self) -> bool:
        position = self.table.position
        return self.table.running and position is not None and position.turn == self.seat

    def read(self, text: str) -> str:
        """The move that a line means, in the game's notation."""
        return self.table.game.description.notation.read(text)

    def may_play(self, move: str) -> bool:
        position = self.table.position
        return self.on_turn and position is not None and position.check(move) is None

    # --- who and what ---------------------------------------------------------------------------------------------

    def called(self, seat: int) -> str:
        """The player of this seat, told apart from others of the same name."""
        cast = self.table.party.cast
        name = cast[seat].name
        return f"{name} (seat {seat})" if sum(member.name == name for member in cast) > 1 else name

    def _side(self, seat: int) -> str:
        """What the seat is called in this game, if anything."""
        sides = self.table.game.sides
        return f" ({sides[seat]})" if seat < len(sides) else ""

    def board(self, tallest: int | None = None) -> Lines:
        position = self.table.position
        rows = [] if position is None else position.text().splitlines()
        if tallest is None or len(rows) <= tallest:
            for row in rows:
                yield DRAWN + row.rstrip()

    def moves(self) -> list[str]:
        """Those of the player whose turn it is."""
        position = self.table.position
        return [] if position is None or not self.table.running else position.legal()

    def _clock(self, seat: int, at: float) -> str:
        clock = self.table.clock
        if clock is None:
            return ""
        passed = at - clock.since if clock.running == seat else 0.0
        whose = "You have" if seat == self.seat else f"{self.called(seat)} has"
        return f" {whose} {sentences.duration(clock.left[seat] - passed)} left."

    def turn(self, at: float) -> str:
        """Whose turn it is, and how much time they have; empty when it is no one's."""
        table, position = self.table, self.table.position
        if position is None or not table.running or position.turn == NOBODY:
            return ""
        turn = position.turn
        if table.waits:
            return f"The game waits for a player: write sit {table.id}."
        whose = sentences.YOUR_TURN if turn == self.seat else f"It is {self.called(turn)}'s turn."
        return whose + self._clock(turn, at)

    def _next(self, said: str, at: float) -> Lines:
        """Something that leads to another turn; a person whose turn it is sees the board before being asked."""
        turn = self.turn(at)
        if not self.on_turn or self.table.waits:
            yield happened(f"{said} {turn}".rstrip())
            return
        yield happened(said)
        yield from self.board(TALLEST)
        yield happened(turn)

    # --- the table as it is -----------------------------------------------------------------------------------------

    def arrival(self, at: float) -> Lines:
        """Where the person is now, and with whom."""
        table = self.table
        options = sentences.described(table.settled if table.running else table.options)
        title = f" {table.party.title}:" if table.party.title else ""
        where = sentences.WATCHING if self.me is None else sentences.AT_TABLE
        what = f"{table.game.name}{f', {options}' if options else ''}"
        seat = "" if self.seat is None else f" You have seat {self.seat}{self._side(self.seat)}."
        yield happened(f"{where} {table.id}:{title} {what}.{seat}")
        others = [member.name for member in table.party.members.values() if member is not self.me]
        if others:
            yield happened(f"Here {'is' if len(others) == 1 else 'are'} {sentences.joined(others)}.")
        if table.running:
            yield from self.shown(at)

    def shown(self, at: float) -> Lines:
        """The board, who plays, whose turn it is, and every clock."""
        table = self.table
        if table.position is None:
            yield sentences.NO_BOARD
            return
        yield from self.board()
        players = [f"{self.called(seat)}{self._side(seat)}" for seat in range(len(table.party.cast))]
        clocks = "".join(self._clock(seat, at) for seat in range(len(players))) if table.clock is not None else ""
        count = len(table.moves)
        yield f"{sentences.joined(players)}; {count} move{'s' * (count != 1)}.{clocks}"
        if table.running:
            yield happened(self.turn(at))
        elif table.result is not None:
            yield happened(self._outcome(table.result))

    # --- what happens -----------------------------------------------------------------------------------------------

    def tell(self, record: Record) -> Lines:
        """What happened, as far as there is something to say about it."""
        event, at = record.event, record.at
        match event:
            case Played(seat=seat, move=move):
                yield from self._next(f"{self.called(seat)} plays {move}.", at)
            case Started():
                yield from self._started(at)
            case TakenBack(moves=moves):
                yield from self._next(f"{moves} move{'s are' if moves != 1 else ' is'} taken back.", at)
            case Finished():
                yield from self._finished(event)
            case Resigned(seat=seat):
                yield from self._next(f"{self.called(seat)} resigns.", at)
            case Flagged(seat=seat):
                yield from self._next(f"{self.called(seat)} has no time left.", at)
            case Proposed() | Voted() | Decided():
                yield from self._asked(event)
            case Closed():
                yield happened(sentences.CLOSED)
            case _:
                yield from self._party(record)

    def _started(self, at: float) -> Lines:
        table = self.table
        players = [f"{self.called(seat)}{self._side(seat)}" for seat in range(len(table.party.cast))]
        if table.settled != table.options:  # what the dice have made of "easy", say
            yield happened(f"{sentences.THIS_GAME}{sentences.described(table.settled)}.")
        yield from self._next(f"{sentences.BEGINS}{table.game.name} begins: {sentences.joined(players)}.", at)

    def _finished(self, end: Finished) -> Lines:
        yield from self.board(TALLEST)
        yield happened(self._outcome(end))
        cast = self.table.party.cast
        if self.me not in cast:
            return
        if end.winners:
            yield happened(sentences.WON if cast.index(self.me) in end.winners else sentences.LOST)
        else:
            yield happened(sentences.BROKEN_OFF if end.reason is Reason.ABANDONED else sentences.DREW)

    def _outcome(self, end: Finished) -> str:
        seats = range(len(self.table.party.cast))
        winners = [self.called(seat) for seat in end.winners]
        losers = [self.called(seat) for seat in seats if seat not in end.winners]
        scores = ", ".join(f"{end.scores[seat]} for {self.called(seat)}" for seat in seats)
        points = self.table.game.description.points
        return sentences.outcome(winners, losers, f" in {points}: {scores}" if points else "", end.reason)

    def _asked(self, event: Proposed | Voted | Decided) -> Lines:
        """Questions: among the seats for another game or an offer, among the members by vote."""
        match event:
            case Proposed(what=what) if what == REMATCH:
                if self.seat is not None:
                    yield happened(sentences.AGAIN)
            case Proposed(what=what, by=by, voters=voters) if what in UNANIMOUS:
                asks = "offers a draw" if what == DRAW else "asks to take a move back"
                question = f" {sentences.ANSWER}" if self.seat in voters else ""
                yield happened(f"{self.called(by)} {asks}.{question}")
            case Proposed(what=what, by=by, voters=voters, arguments=arguments):
                about = sentences.motion(what, self._arguments(what, arguments))
                question = f" {sentences.ANSWER}" if self.me is not None and self.me.id in voters else ""
                yield happened(f"{self._named(by)} calls a vote for {about}.{question}")
            case Voted(seat=seat, yes=yes, what="") if self._ballot == REMATCH:
                yield happened(f"{self.called(seat)} wants {'another' if yes else 'no other'} game.")
            case Decided(what=what, passed=False) if what in (DRAW, TAKEBACK):
                yield happened("There is no draw." if what == DRAW else "No move is taken back.")
            case _:  # how a vote went is announced; what was agreed on happens
                pass

    @property
    def _ballot(self) -> str:
        return "" if self.table.ballot is None else self.table.ballot.what

    def _arguments(self, what: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """A member is sent away by id, and spoken of by name."""
        if what == "kick" and arguments and arguments[0].isdecimal():
            return (self._named(int(arguments[0])),)
        return arguments

    def _named(self, member: int) -> str:
        return self._names.get(member, "Someone")

    def _party(self, record: Record) -> Lines:
        """Who comes, goes, sits down, is ready; and what the next game is like."""
        table, event = self.table, record.event
        match event:
            case Entered(member=member, name=name):
                self._names[member] = name
                yield happened(f"{name} comes in.")
            case Joined(member=member, seat=seat, name=name):
                self._names[member] = name
                what = "joins the game" if table.running else f"sits down in seat {seat}{self._side(seat)}"
                yield from self._next(f"{name} {what}.", record.at)
            case Left(member=member):
                yield from self._left(event, self._named(member), record.at)
            case Went(member=member, why=why):
                yield happened(sentences.gone(self._names.pop(member, "Someone"), why))
            case Held(member=member) if not table.has_lobby:  # in a lobby it is announced
                yield happened(f"{self._named(member)} has lost the connection and may come back.")
            case Resumed(member=member) if not table.has_lobby:
                yield happened(f"{self._named(member)} is back.")
            case Renamed(member=member, name=name):
                yield happened(f"{self._named(member)} is now called {name}.")
                self._names[member] = name
            case Readied(member=member, yes=yes):
                yield from self._readied(member, yes)
            case Titled(title=title):
                yield happened(f"The table is called {title}." if title else "The table has no title any more.")
            case Switched(feature=feature, on=on):
                yield happened(f"{feature} is switched {'on' if on else 'off'}.")
            case Laid(options=options) if not table.party.chairs:  # on chairs it is chosen
                yield happened(f"{sentences.NEXT_GAME}{sentences.described(options)}.")
            case Chosen(member=member, options=options) if member and (self.me is None or member != self.me.id):
                yield happened(f"{self._named(member)}{sentences.CHOSEN}{sentences.described(options)}.")
            case _:
                pass

    def _left(self, left: Left, name: str, at: float) -> Lines:
        """The game may go on without them; otherwise it ends or waits, which is told by itself."""
        if self.table.running and self.table.leaving is Leaving.SKIPS:
            yield from self._next(f"{name} leaves the game.", at)
        elif self.table.running:
            yield happened(f"{name} leaves the game.")
        elif not self.table.has_lobby:
            yield happened(sentences.gone(name, left.why))
        elif left.stays:
            yield happened(f"{name} stands up.")

    def _readied(self, member: int, yes: bool) -> Lines:
        """After a game on chairs all who sit there are asked for the next one."""
        table = self.table
        if yes or not table.party.chairs:
            yield happened(f"{self._named(member)} is {'' if yes else 'not '}ready.")
        elif self.me is not None and member == self.me.id and table.status is Status.OVER:
            yield happened(sentences.AGAIN)
