"""A table: seats, one game at a time, and the fold of everything that happened at it.

Its state changes only through `apply`, which never refuses: what is in the log did happen. Live play, crash recovery
and replay all go through it, so they cannot disagree. What commands lead to is decided elsewhere (`deciding`, the steps
in `core/party`), as is what must follow from a state (`consequence`).
"""

import enum
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY, Game, Joinable, Options, Position
from parlour.core.rated import entrants, name_of, places, serious
from parlour.core.table.ballot import DRAW, OFFERS, REMATCH, TAKEBACK, UNANIMOUS, Ballot
from parlour.core.table.clock import Clock
from parlour.core.table.party import Party
from parlour.core.table.people import Member, Participant
from parlour.core.table.stream import new_ring
from parlour.core.words import (
    AnyEvent,
    Arranged,
    Closed,
    Decided,
    Finished,
    Flagged,
    Furnished,
    Gone,
    Interrupted,
    Joined,
    Kind,
    Leaving,
    Left,
    Opened,
    Planned,
    Play,
    Played,
    Player,
    Policy,
    Proposed,
    Reason,
    Record,
    Resigned,
    Resumed,
    Rotation,
    Started,
    Starting,
    TakenBack,
    Voted,
)


class Status(enum.Enum):
    """Where a table stands."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


_PLAYING, _OPENS, _PERSON = Status.PLAYING, Leaving.OPENS, Kind.PERSON
"""Looked up for every move or game, so kept at hand."""
_RARE = {
    Resumed, Arranged, Furnished, Planned, Resigned, Flagged, Proposed, Voted, Decided, TakenBack, Interrupted,
}  # fmt: skip
"""What concerns the game, and not only the party, and does not happen in every game."""


class Table:
    """One table. Its state changes only through `apply`; who is connected, through `attach` and `detach`."""

    __slots__ = (
        "again",
        "alarm",
        "alert",
        "audience",
        "ballot",
        "by",
        "clock",
        "ending",
        "game",
        "has_lobby",
        "id",
        "leaving",
        "move_ids",
        "moves",
        "no",
        "number",
        "opened",
        "options",
        "owed",
        "party",
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
        "told_chairs",
        "vacant_since",
    )

    def __init__(self, no: int, game: Game, opened: Opened) -> None:
        self.no = no
        """The table's number in the log: small, and never used again."""
        self.id = opened.table
        self.game = game
        self.options: Options = opened.options
        """Of the next game."""
        self.opened: Options = opened.options
        """Of the first: what people look for who come to tables like this."""
        self.settled: Options = opened.options
        """Of the running or last game: nothing random is left in them."""
        self.policy: Policy = opened.policy
        self.has_lobby = opened.policy.starting is Starting.LOBBY
        """Whether everyone who comes to play is a member, and members agree on when to play."""
        self.leaving = opened.policy.leaving
        self.party = Party(opened, 0 if self.has_lobby else game.players(opened.options))
        self.seats: list[Member | None] = [None] * len(self.party.chairs)
        self.status = Status.WAITING
        self.position: Position | None = None
        self.moves: list[str] = []
        self.by = bytearray()
        """The seat that made each of them: there are never more than some dozens."""
        self.number = 0
        """Games begun at this table."""
        self.starter = NOBODY
        self.stakes: tuple[str, ...] = ()
        """By seat, the registered names for which the running or last game counts; empty when it counts for none."""
        self.ballot: Ballot | None = None
        """The open question among the seats: another game, or an offer."""
        self.again: bool | None = None
        """What the players said to another game, once they have."""
        self.owed: int | None = None
        """The seat to which a move is to be given back."""
        self.clock: Clock | None = None
        self.ending = Reason.PLAYED_OUT
        self.result: Finished | None = None
        self.move_ids: dict[tuple[int, str], Record] = {}
        """Moves by seat and the sender's own id of them."""
        self.vacant_since: float | None = None
        """Since when one person has been waiting opposite an empty chair that an engine is to take."""
        self.seq = 0
        self.ring = new_ring()
        self.alert = False
        """Whether a move concerns more than the board: a clock, or an open question."""
        # What follows is about live connections, and no part of the log.
        self.audience: dict[Participant, None] = {}
        """Connections that look on without being members, in the order in which they came; there may be thousands."""
        self.tells: list[Callable[[Any], None]] = []
        """How to reach all others, players first; kept because every move is told to all of them."""
        self.alarm: float | None = None
        """When the hub will look at this table next."""
        self.told_chairs: object = None
        """The chairs as the members were last told of them."""

    # --- what others ask ------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.status is _PLAYING

    @property
    def waits(self) -> bool:
        """Whether the running game stands still until an empty seat is taken."""
        return self.running and self.leaving is _OPENS and None in self.seats

    @property
    def limit(self) -> int:
        """The most who play at a time."""
        most = self.game.seats[1]
        return min(max(self.policy.players, 2), most) if self.policy.players else most

    @property
    def game_id(self) -> str:
        """The running or last game's name in the log; before the first, the name it will have."""
        return f"{self.id}-{max(self.number, 1)}"

    @property
    def rated(self) -> bool:
        """Whether the running or last game counts, or the next one would with those who sit here now."""
        return bool(self.stakes if self.number else entrants(self.seats))

    def free_chair(self, name: str = "", wanted: int | None = None) -> int | None:
        """An empty chair for this name: the wanted one, one kept for the name, or any that is not kept."""
        kept = self.party.chairs
        free = [n for n, keeper in enumerate(kept) if self.seats[n] is None and keeper in ("", name)]
        if wanted is not None:
            return wanted if wanted in free else None
        return min(free, key=lambda number: kept[number] == "", default=None)

    def require_chair(self, name: str, wanted: int | None) -> int:
        """The same, or Refused."""
        number = self.free_chair(name, wanted)
        if number is None:
            raise Refused(Refusal.TABLE_FULL if wanted is None else Refusal.SEAT_TAKEN)
        return number

    @property
    def onlookers(self) -> int:
        """How many look on without being members."""
        return len(self.audience)

    def players(self) -> list[Member]:
        """Those who play the game that runs now, by seat; empty while none does."""
        return [member for member in self.seats if member is not None] if self.running else []

    def deserted(self) -> bool:
        """Whether nothing but engines sits here: they do not keep a table."""
        return _PERSON not in [seat.kind for seat in self.seats if seat is not None]

    def begun(self, options: Options, first: int) -> Started:
        """The start of a game with those who sit here."""
        players = [
            Player(number, seat.name, seat.wire, seat.kind, seat.level, seat.account)
            for number, seat in enumerate(self.seats)
            if seat is not None
        ]
        return Started(f"{self.id}-{self.number + 1}", options, first, tuple(players), entrants(self.seats))

    def ended(self, winners: tuple[int, ...], reason: Reason) -> Finished:
        """The end of the running game, with what it counts for."""
        assert self.position is not None
        accounts = ["" if seat is None else seat.account for seat in self.seats]
        known = tuple(accounts) if any(accounts) else ()
        end = Finished(winners, self.position.scores(), reason, len(self.moves), known, self.stakes)
        if not self.stakes:
            return end
        gone = {seat for seat in range(len(self.stakes)) if self.seats[seat] is None}
        return msgspec.structs.replace(end, places=places(len(self.stakes), len(self.moves), end, gone))

    def would_lose(self, seat: int) -> bool:
        """Whether leaving the running game now is losing it: unless it has hardly begun, or no opponent is there."""
        if not self.stakes or not self.running or not serious(len(self.stakes), len(self.moves)):
            return False
        return any(other is not None and not other.away for number, other in enumerate(self.seats) if number != seat)

    # --- connections ----------------------------------------------------------------------------------------------

    def present(self) -> list[Participant]:
        """Every connection at this table: players first, then the other members, then the audience."""
        return [*self._members_present(), *self.audience]

    def _members_present(self) -> list[Participant]:
        members = self.party.members
        players = [member.who for member in self.seats if member is not None and member.who is not None]
        if len(players) == len(members):  # as at most tables
            return players
        return players + [who for member in members.values() if (who := member.who) is not None and member.seat is None]

    def attach(self, who: Participant, member: Member | None) -> None:
        """A connection is at this table from now on: for a member, or in the audience (None)."""
        who.table, who.member, who.seat = self, member, None if member is None else member.seat
        if member is None:
            self.audience[who] = None
        else:
            member.who = who
            who.name = member.name
            self.regroup()

    def detach(self, who: Participant) -> None:
        """A connection is here no longer; its member's place, if any, is another matter."""
        if who.member is None:
            del self.audience[who]
        else:
            who.member.who = None
            self.tells.remove(who.tell)
        who.table = who.member = who.seat = None

    def regroup(self) -> None:
        """The order in which members are told has changed, or there are others."""
        self.tells = [participant.tell for participant in self._members_present()]

    def tell_audience(self, record: Record) -> None:
        for who in self.audience:
            who.tell(record)

    # --- deciding on moves ----------------------------------------------------------------------------------------

    def decide_play(self, seat: int, play: Play) -> Played | None:
        """The event that a move leads to; None when it was made before. Raises Refused and changes nothing."""
        position = self.position
        move = play.move
        if play.id and (seat, play.id) in self.move_ids:
            return None
        if position is None or self.status is not _PLAYING:
            raise Refused(Refusal.NOT_PLAYING)
        if seat != position.turn:
            raise Refused(Refusal.NOT_YOUR_TURN)
        if self.leaving is _OPENS and None in self.seats:
            raise Refused(Refusal.NOT_PLAYING)
        why = position.check(move)
        if why is not None:
            raise Refused(why)
        return Played(seat, move, play.id)

    # --- applying --------------------------------------------------------------------------------------------------

    def apply(self, record: Record) -> None:
        """Let the event happen."""
        event = record.event
        self.seq = record.seq
        self.ring.append(record)
        if type(event) is Played:  # by far the most frequent
            self.position.play(event.move)  # type: ignore[union-attr] # nothing is played before `Started`
            self.moves.append(event.move)
            self.by.append(event.seat)
            if event.id:
                self.move_ids[event.seat, event.id] = record
            if self.clock is not None:
                self._run_clock(record.at)
        else:
            self._apply_usual(event, record.at)
            if self.policy.wait > 0:
                self._mind_vacancy(record.at)
            self.alert = self.clock is not None or self.ballot is not None

    def _apply_usual(self, event: AnyEvent, at: float) -> None:
        """What happens in every game; by type, because a pattern that does not match takes five times as long."""
        if type(event) is Opened:
            pass  # the table was made of it
        elif type(event) is Joined:
            self._apply_joined(event, at)
        elif type(event) is Started:
            self._apply_started(event, at)
        elif type(event) is Left:
            self._apply_left(event, event.seat, at)
        elif type(event) is Finished:
            self._apply_finished(event)
        elif type(event) is Closed:
            self.status = Status.CLOSED
        elif type(event) in _RARE:
            self._apply_rare(event, at)
        else:
            self.party.apply(event, at)

    def _apply_rare(self, event: AnyEvent, at: float) -> None:
        match event:
            case Voted(seat=seat, yes=yes, what="" as what):
                assert self.ballot is not None, what
                self.ballot.vote(seat, yes)
            case Voted():
                self.party.apply(event, at)
            case Resumed(seat=seat):
                self.party.apply(event, at)
                self._wake_clock(seat, at)
            case Arranged():
                self._apply_arranged(event)
            case Furnished(chairs=chairs):
                self._furnish(len(chairs))
                self.party.apply(event, at)
            case Planned(options=options):
                self.options = options
            case Resigned(seat=seat):
                self._end_for(seat, Reason.RESIGNED, at)
            case Flagged(seat=seat):
                self._end_for(seat, Reason.TIMEOUT, at)
            case Proposed(what=what) if what in UNANIMOUS:
                self.ballot = Ballot(event, at, len(self.moves))
            case Decided(what=what, passed=passed) if what in UNANIMOUS:
                self._apply_decided(what, passed)
            case TakenBack(moves=moves):
                self._take_back(moves, at)
            case Interrupted():
                assert self.clock is not None
                people = (number for number, seat in enumerate(self.seats) if seat and seat.is_person)
                self.clock.forgive(at, frozenset(people))
            case _:
                self.party.apply(event, at)

    def _place(self, member: Member, seat: int | None) -> None:
        """The member sits here from now on, or nowhere; players are told before all others."""
        member.place(seat)
        if member.who is not None:
            self.regroup()

    def _apply_joined(self, joined: Joined, at: float) -> None:
        number = joined.seat
        member = self.party.admit(joined)
        if member.seat is not None and member.seat != number:
            self.seats[member.seat] = None
        if number == len(self.seats):
            self.seats.append(None)
            if self.clock is not None:
                self.clock.left.append(self.policy.clock)
        before, self.seats[number] = self.seats[number], member
        if before is not None and before is not member:
            self._place(before, None)
            if not before.entered:  # of others it is said when they go
                self.party.dismiss(before, Gone.SUBSTITUTED)
        self._place(member, number)
        self.party.take_chair(number)
        if self.running:
            self.party.succeed(number, member)
            if (name_of(member),) != self.stakes[number : number + 1]:
                self.stakes = ()  # another player goes on with it
            if before is None and self.leaving is Leaving.SKIPS and isinstance(self.position, Joinable):
                self.position.join(number)
        self._wake_clock(number, at)

    def _apply_left(self, left: Left, number: int, at: float) -> None:
        member, self.seats[number] = self.seats[number], None
        if member is not None:
            self._place(member, None)
            self.party.leave_seat(member, left)
        if self.ballot is not None:
            self.ballot.drop(number)
        if self.leaving is _OPENS:
            if self.clock is not None:
                self.clock.turn_to(None, at)
        elif self.running:
            if self.leaving is Leaving.SKIPS or len(self.seats) > 2:
                self._end_for(number, Reason.ABANDONED, at)
            elif self.position is not None and self.position.turn != NOBODY:
                self.ending = Reason.ABANDONED

    def _apply_arranged(self, arranged: Arranged) -> None:
        self.options = arranged.options
        self.leaving = arranged.leaving
        if arranged.leaving is Leaving.OPENS:  # as games on chairs were once begun
            self.party.furnish(("",) * len(arranged.seats))
        for member in self.party.members.values():
            member.place(None)
        self.seats = [self.party.admit(joined) for joined in arranged.seats]
        for number, player in enumerate(self.seats):
            assert player is not None
            player.place(number)
        self.status = Status.WAITING
        self.regroup()

    def _apply_started(self, started: Started, at: float) -> None:
        self.settled = started.options
        self.position = self.game.start(started.options, started.first, len(self.seats))
        self.moves = []
        self.by = bytearray()
        self.move_ids = {}
        self.number += 1
        self.starter = started.first
        self.stakes = started.stakes
        self.party.begin(self.seats)
        self.status = Status.PLAYING
        self.again = None
        self.owed = None
        self.result = None
        self.ending = Reason.PLAYED_OUT
        if self.policy.clock:
            self.clock = Clock(len(self.seats), self.policy.clock, self.policy.increment)
            self._run_clock(at)

    def _apply_finished(self, finished: Finished) -> None:
        self.status = Status.OVER
        self.result = finished
        self.clock = None
        if self.ballot is not None and self.ballot.what in OFFERS:
            self.ballot = None
        self.party.end(self.policy.rotation, finished.winners)
        if self.policy.rotation is not Rotation.ARRIVAL:  # the line has moved
            self.regroup()

    def _apply_decided(self, what: str, passed: bool) -> None:
        ballot, self.ballot = self.ballot, None
        if what == REMATCH:
            self.again = passed
        elif passed and what == DRAW:
            self.ending = Reason.AGREED
        elif passed and what == TAKEBACK:
            assert ballot is not None
            self.owed = ballot.by

    def _furnish(self, chairs: int) -> None:
        """Chairs are brought in, with no one on them yet; or they go, with no game left that needs them."""
        if chairs and not self.party.chairs:
            for member in self.party.members.values():
                member.place(None)
            self.seats = [None] * chairs
            self.leaving = Leaving.OPENS
            self.regroup()
        elif not chairs:
            self.leaving = self.policy.leaving

    def _end_for(self, seat: int, why: Reason, at: float) -> None:
        """This seat plays no further; the rules say whether the game goes on without it."""
        assert self.position is not None
        self.position.leave(seat)
        if self.position.turn == NOBODY:
            self.ending = why
        if self.clock is not None:
            self._run_clock(at)

    def _take_back(self, count: int, at: float) -> None:
        """Undo the last moves. The position is another object from then on."""
        self._forget_move_ids(count)
        kept = len(self.moves) - count
        del self.moves[kept:]
        del self.by[kept:]
        position = self.game.start(self.settled, self.starter, len(self.seats))
        for move in self.moves:
            position.play(move)
        self.position = position
        self.owed = None
        if self.clock is not None and self.clock.running is not None:
            self.clock.turn_to(None if position.turn == NOBODY else position.turn, at)

    def _forget_move_ids(self, count: int) -> None:
        """The sender's own id of an undone move may be used again, as far back as records are kept."""
        undone_before = 0
        for record in islice(reversed(self.ring), 1, None):  # the last one says that it is taken back
            event = record.event
            if type(event) is TakenBack:
                undone_before += event.moves
            elif type(event) is Played and undone_before:
                undone_before -= 1
            elif type(event) is Played:
                self.move_ids.pop((event.seat, event.id), None)
                count -= 1
            if not count or type(event) is Started:
                return

    # --- time -----------------------------------------------------------------------------------------------------

    def _run_clock(self, at: float) -> None:
        assert self.clock is not None
        assert self.position is not None
        turn = self.position.turn
        self.clock.switch(None if turn == NOBODY else turn, at)

    def _wake_clock(self, back: int, at: float) -> None:
        """A player is back: a clock that stood still for absent players goes on when all of them are there."""
        if self.clock is None or self.position is None or self.position.turn == NOBODY:
            return
        self.clock.excused -= {back}
        if self.clock.running is not None or self.waits:
            return
        member = self.seats[self.position.turn]
        if member is not None and not member.away:
            self.clock.turn_to(self.position.turn, at)

    def _mind_vacancy(self, at: float) -> None:
        lonely = self.lonely_chair() is not None
        if lonely != (self.vacant_since is not None):
            self.vacant_since = at if lonely else None

    def lonely_chair(self) -> int | None:
        """The empty chair, if a person sits in the other one."""
        if len(self.party.chairs) != 2:
            return None
        number = self.free_chair()
        other = None if number is None else self.seats[1 - number]
        return number if other is not None and other.is_person else None


def folded(no: int, games: Mapping[str, Game], records: Sequence[Record]) -> Table:
    """The table that these records make, from the first on."""
    opened = records[0].event
    assert isinstance(opened, Opened)
    table = Table(no, games[opened.game], opened)
    for record in records:
        table.apply(record)
    return table
