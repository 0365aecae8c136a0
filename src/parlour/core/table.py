"""A table: seats, one game at a time, and the fold of everything that happened at it.

`decide` may refuse and changes nothing; `apply` changes everything and never refuses; `consequence` says what
must follow from the state alone (a full table starts, a finished game is settled). Live play, crash recovery and
replay all go through `apply`, so they cannot disagree.
"""

import enum
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, assert_never

import msgspec

from parlour.core import following, offers
from parlour.core.ballot import DRAW, OFFERS, REMATCH, TAKEBACK, Ballot
from parlour.core.clock import Clock
from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY, Game, Joinable, Options, Position
from parlour.core.rated import entrants, name_of, places
from parlour.core.roomwords import RoomCommand
from parlour.core.seating import Participant, Seat
from parlour.core.stream import new_ring
from parlour.core.vocab import (
    AnyEvent,
    Arranged,
    Closed,
    Command,
    Decided,
    Finished,
    Flagged,
    Held,
    Interrupted,
    Joined,
    Kind,
    Leaving,
    Left,
    Offer,
    Opened,
    Play,
    Played,
    Player,
    Policy,
    Propose,
    Proposed,
    Readied,
    Ready,
    Reason,
    Record,
    Resign,
    Resigned,
    Resumed,
    Started,
    Starting,
    TakenBack,
    Told,
    Vote,
    Voted,
)

if TYPE_CHECKING:
    from parlour.core.lobby import Room


class Status(enum.Enum):
    """Where a table stands."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


_PLAYING, _OPENS = Status.PLAYING, Leaving.OPENS
"""Looked up for every move, so kept at hand."""


class Table:
    """One table. Its state changes only through `apply`."""

    __slots__ = (
        "again",
        "alert",
        "ballot",
        "by",
        "clock",
        "ending",
        "game",
        "id",
        "lobby",
        "marks",
        "moves",
        "no",
        "number",
        "options",
        "owed",
        "policy",
        "position",
        "result",
        "ring",
        "seats",
        "seq",
        "settled",
        "stakes",
        "starter",
        "status",
        "tells",
        "watchers",
    )

    def __init__(self, no: int, game: Game, opened: Opened) -> None:
        self.no = no
        """The table's number in the log: small, and never used again."""
        self.id = opened.table
        self.game = game
        self.options: Options = opened.options
        self.settled: Options = opened.options
        self.policy: Policy = opened.policy
        self.seats: list[Seat | None] = [None] * game.players(opened.options)
        self.status = Status.WAITING
        self.position: Position | None = None
        self.moves: list[str] = []
        self.by = bytearray()
        """The seat that made each of them: there are never more than sixteen."""
        self.number = 0
        """Games begun at this table."""
        self.starter = NOBODY
        self.stakes: tuple[str, ...] = ()
        """By seat, the registered names for which the running or last game counts; empty when it counts for nobody."""
        self.ballot: Ballot | None = None
        self.again: bool | None = None
        """What the players said to another game, once they have."""
        self.owed: int | None = None
        """The seat to which a move is to be given back."""
        self.clock: Clock | None = None
        self.alert = False
        """Whether a move concerns more than the board: a clock, or something that was asked."""
        self.ending = Reason.PLAYED_OUT
        self.result: Finished | None = None
        self.marks: dict[tuple[int, str], Record] = {}
        """Moves by seat and the sender's own mark."""
        self.seq = 0
        self.ring = new_ring()
        self.watchers: list[Participant] = []
        self.lobby: Room | None = None
        """The room around this table, if it has one."""
        self.tells: list[Callable[[Told], None]] = []
        """How to reach everybody present, players first; kept because every move is told to all of them."""

    # --- what others ask ------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.status is Status.PLAYING

    @property
    def game_id(self) -> str:
        """The running or last game's name in the log; before the first, the name it will have."""
        return f"{self.id}-{max(self.number, 1)}"

    def free_seat(self, wanted: int | None = None) -> int | None:
        """An empty seat: the wanted one, or any."""
        if wanted is not None:
            return wanted if 0 <= wanted < len(self.seats) and self.seats[wanted] is None else None
        return next((number for number, seat in enumerate(self.seats) if seat is None), None)

    def present(self) -> list[Participant]:
        """Everybody connected to this table: players first, then spectators."""
        players = [seat.who for seat in self.seats if seat is not None and seat.who is not None]
        return players + self.watchers

    def attach(self, who: Participant, number: int | None) -> None:
        """Somebody is connected to this table from now on: in a seat, or as a spectator (None)."""
        if number is None:
            self.watchers.append(who)
        else:
            self._seat(number).who = who
        who.table, who.seat = self, number
        self.tells = [participant.tell for participant in self.present()]

    def detach(self, who: Participant) -> None:
        """Somebody is no longer connected; their seat, if any, is another matter."""
        if who.seat is None:
            self.watchers.remove(who)
        elif (seat := self.seats[who.seat]) is not None:
            seat.who = None
        who.table = who.seat = None
        self.tells = [participant.tell for participant in self.present()]

    def regroup(self, everybody: Iterable[Participant]) -> None:
        """All these are connected, in the seats they have; nobody else is."""
        self.watchers = []
        for who in everybody:
            if who.seat is None:
                self.watchers.append(who)
            else:
                self._seat(who.seat).who = who
        self.tells = [participant.tell for participant in self.present()]

    def opponents(self, seat: int) -> list[Seat]:
        return [other for number, other in enumerate(self.seats) if number != seat and other is not None]

    # --- deciding --------------------------------------------------------------------------------------------------

    def decide(self, seat: int, command: Command) -> AnyEvent | None:
        """The event this seat's command leads to; None when there is nothing to do. Raises Refused."""
        match command:
            case Play():
                return self.decide_play(seat, command)
            case Resign():
                if not self.running:
                    raise Refused(Refusal.NOT_PLAYING)
                return Resigned(seat)
            case Ready(yes=yes):
                if self.running:
                    raise Refused(Refusal.ALREADY_PLAYING)
                return Readied(seat, yes)
            case Offer():
                return offers.decide(self, seat, command)
            case Propose(what=what, arguments=arguments):
                return self._decide_proposal(seat, what, arguments)
            case Vote(yes=yes):
                if self.ballot is None or self.ballot.what in OFFERS:
                    raise Refused(Refusal.NO_BALLOT)
                self.ballot.check(seat)
                return Voted(seat, yes)
            case RoomCommand():
                raise Refused(Refusal.NO_ROOM)
            case _:
                raise TypeError(f"{command!r} is not for a table")

    def decide_play(self, seat: int, play: Play) -> Played | None:
        """`decide` for the most frequent command of all."""
        position = self.position
        move = play.move
        if play.id and (seat, play.id) in self.marks:
            return None
        if position is None or self.status is not _PLAYING:
            raise Refused(Refusal.NOT_PLAYING)
        if seat != position.turn:
            raise Refused(Refusal.NOT_YOUR_TURN)
        if self.policy.leaving is _OPENS and None in self.seats:
            raise Refused(Refusal.NOT_PLAYING)
        why = position.check(move)
        if why is not None:
            raise Refused(why)
        return Played(seat, move, play.id)

    def _decide_proposal(self, seat: int, what: str, arguments: tuple[str, ...]) -> Proposed:
        if self.ballot is not None:
            raise Refused(Refusal.BALLOT_OPEN)
        if what in OFFERS:
            raise Refused(Refusal.NO_SUCH_VOTE)
        if what == REMATCH and self.status is not Status.OVER:
            raise Refused(Refusal.ALREADY_PLAYING if self.running else Refusal.NOT_PLAYING)
        voters = tuple(number for number, other in enumerate(self.seats) if other is not None)
        return Proposed(what, voters, seat, arguments)

    # --- the beginning and the end of a game -------------------------------------------------------------------------

    def next_game(self, options: Options, first: int) -> Started:
        """The start of a game with those who sit here."""
        players = tuple(
            Player(number, seat.name, seat.wire, seat.kind, seat.level, seat.account)
            for number, seat in enumerate(self.seats)
            if seat is not None
        )
        return Started(f"{self.id}-{self.number + 1}", options, first, players, entrants(self.seats))

    def end(self, winners: tuple[int, ...], reason: Reason, scores: tuple[int, ...] | None = None) -> Finished:
        """The end of the running game, with what it counts for."""
        assert self.position is not None
        scores = self.position.scores() if scores is None else scores
        accounts = tuple("" if seat is None else seat.account for seat in self.seats)
        end = Finished(winners, scores, reason, len(self.moves), accounts if any(accounts) else (), self.stakes)
        if not self.stakes:
            return end
        gone = {seat for seat in range(len(self.stakes)) if self.seats[seat] is None}
        return msgspec.structs.replace(end, places=places(len(self.stakes), len(self.moves), end, gone))

    # --- applying --------------------------------------------------------------------------------------------------

    def apply(self, record: Record) -> None:
        """Let the event happen. Never refuses: what is in the log did happen."""
        event = record.event
        self.seq = record.seq
        self.ring.append(record)
        if type(event) is Played:  # by far the most frequent
            self.position.play(event.move)  # type: ignore[union-attr] # nothing is played before `Started`
            self.moves.append(event.move)
            self.by.append(event.seat)
            if event.id:
                self.marks[event.seat, event.id] = record
            if self.clock is not None:
                self._run_clock(record.at)
        else:
            self._apply_rare(event, record.at)
            self.alert = self.clock is not None or self.ballot is not None

    def _apply_rare(self, event: AnyEvent, at: float) -> None:
        match event:  # first what happens in every game
            case Joined(seat=seat):
                self._apply_joined(seat, Seat(event))
                self._wake_clock(seat, at)
            case Started():
                self._apply_started(event, at)
            case Left(seat=seat):
                self._apply_left(seat, at)
            case Finished():
                self.status = Status.OVER
                self.result = event
                self.clock = None
                if self.ballot is not None and self.ballot.what in OFFERS:
                    self.ballot = None
            case Opened() | Played():
                pass
            case Closed():
                self.status = Status.CLOSED
            case Held(seat=seat):
                self._seat(seat).hold(at)
            case Resumed(seat=seat):
                self._seat(seat).resume(event)
                self._wake_clock(seat, at)
            case Readied(seat=seat, yes=yes):
                self._seat(seat).ready = yes
            case Arranged(options=options, seats=seats, leaving=leaving):
                self.options = options
                self.policy = msgspec.structs.replace(self.policy, leaving=leaving)
                self.seats = [Seat(joined) for joined in seats]
                self.status = Status.WAITING
            case Resigned(seat=seat):
                self._end_for(seat, Reason.RESIGNED, at)
            case Flagged(seat=seat):
                self._end_for(seat, Reason.TIMEOUT, at)
            case Proposed():
                self.ballot = Ballot(event, len(self.moves))
            case Voted(seat=seat, yes=yes):
                assert self.ballot is not None
                self.ballot.vote(seat, yes)
            case Decided():
                self._apply_decided(event)
            case TakenBack(moves=moves):
                offers.take_back(self, moves, at)
            case Interrupted():
                assert self.clock is not None
                people = (number for number, seat in enumerate(self.seats) if seat and seat.kind is Kind.PERSON)
                self.clock.forgive(at, frozenset(people))
            case _:
                assert_never(event)

    def _apply_started(self, started: Started, at: float) -> None:
        self.settled = started.options
        self.position = self.game.start(started.options, started.first, len(self.seats))
        self.moves = []
        self.by = bytearray()
        self.marks = {}
        self.number += 1
        self.starter = started.first
        self.stakes = started.stakes
        self.status = Status.PLAYING
        self.again = None
        self.owed = None
        self.result = None
        self.ending = Reason.PLAYED_OUT
        if self.policy.clock:
            self.clock = Clock(len(self.seats), self.policy.clock, self.policy.increment)
            self._run_clock(at)

    def _apply_decided(self, decided: Decided) -> None:
        ballot, self.ballot = self.ballot, None
        if decided.what == REMATCH:
            self.again = decided.passed
        elif decided.passed and decided.what == DRAW:
            self.ending = Reason.AGREED
        elif decided.passed and decided.what == TAKEBACK:
            assert ballot is not None
            self.owed = ballot.by

    def _apply_joined(self, number: int, seat: Seat) -> None:
        if number == len(self.seats):
            self.seats.append(None)
            if self.clock is not None:
                self.clock.left.append(self.policy.clock)
        self.seats[number] = seat
        if self.running and (name_of(seat),) != self.stakes[number : number + 1]:
            self.stakes = ()  # somebody else goes on with it
        if self.running and self.policy.leaving is Leaving.SKIPS and self.policy.starting is Starting.LOBBY:
            assert isinstance(self.position, Joinable)
            self.position.join(number)

    def _apply_left(self, number: int, at: float) -> None:
        self.seats[number] = None
        if self.ballot is not None:
            self.ballot.drop(number)
        if self.clock is not None and self.policy.leaving is Leaving.OPENS:
            self.clock.turn_to(None, at)
        if self.running and self.policy.leaving is not Leaving.OPENS:
            if len(self.seats) > 2 or self.policy.starting is Starting.LOBBY:
                self._end_for(number, Reason.ABANDONED, at)
            elif self.position is not None and self.position.turn != NOBODY:
                self.ending = Reason.ABANDONED

    def _end_for(self, seat: int, why: Reason, at: float) -> None:
        """This seat plays no further; the rules say whether the game goes on without it."""
        assert self.position is not None
        self.position.leave(seat)
        if self.position.turn == NOBODY:
            self.ending = why
        if self.clock is not None:
            self._run_clock(at)

    def _run_clock(self, at: float) -> None:
        assert self.clock is not None
        assert self.position is not None
        turn = self.position.turn
        self.clock.switch(None if turn == NOBODY else turn, at)

    def _wake_clock(self, back: int, at: float) -> None:
        """Somebody is there: a clock that stands goes on when nobody is missing any more for whom it stood."""
        if self.clock is None or self.position is None or self.position.turn == NOBODY:
            return
        self.clock.excused -= {back}
        if self.clock.running is not None or (None in self.seats and self.policy.leaving is Leaving.OPENS):
            return
        if not self._seat(self.position.turn).held:
            self.clock.turn_to(self.position.turn, at)

    def _seat(self, number: int) -> Seat:
        seat = self.seats[number]
        assert seat is not None
        return seat

    # --- what must follow ------------------------------------------------------------------------------------------

    def consequence(self, rng: Random) -> AnyEvent | None:
        """The next event that follows from the state alone; None when the table is at rest."""
        if self.policy.starting is Starting.LOBBY:  # which decides about all but the end of a game
            return (following.finish_if_over(self) or following.verdict(self)) if self.running else None
        match self.status:
            case Status.WAITING:
                return following.start(self, rng) if following.may_start(self) else following.close_if_deserted(self)
            case Status.PLAYING:
                return following.finish_if_over(self) or following.verdict(self)
            case Status.OVER:
                return following.after_game(self, rng)
            case Status.CLOSED:
                return None
            case _:
                assert_never(self.status)
