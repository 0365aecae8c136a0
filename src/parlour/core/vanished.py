"""What the others can do about a player who has vanished: count the game as won, or let an engine play on.

Either is possible once a player has been gone for `Policy.claim` seconds. Whoever comes back to a seat that is no
longer theirs is told what became of it, for as long as that is remembered here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.core import places
from parlour.core.errand import Errand
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.vocab import Arranged, Gone, Held, Joined, Kind, Leaving, Left, Reason, Resumed

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.seating import Participant
    from parlour.core.table import Table
    from parlour.core.users import User
    from parlour.core.vocab import Record

REMEMBERED = 10_000
"""Seats that somebody may still ask for."""


class Lost:
    """What became of seats, by the digest of the token that opened them. One for the house: `hub.annex(Lost)`."""

    def __init__(self, _: "Hub") -> None:
        self._why: dict[str, Refusal] = {}

    def note(self, key: str, why: Refusal) -> None:
        """This token opens nothing from now on; the oldest are forgotten."""
        if not key:
            return
        self._why.pop(key, None)
        self._why[key] = why
        if len(self._why) > REMEMBERED:
            del self._why[next(iter(self._why))]

    def why(self, key: str, otherwise: Refusal) -> Refusal:
        """What to tell somebody who comes with this token."""
        return self._why.get(key, otherwise)

    def read(self, records: "Sequence[Record]") -> None:
        """Learn from the log of a table what became of its seats."""
        keys: dict[int, str] = {}
        away: set[int] = set()
        for record in records:
            match record.event:
                case Joined(seat=seat, key=key, kind=kind):
                    if seat in away and kind is Kind.ENGINE:
                        self.note(keys.get(seat, ""), Refusal.SEAT_SUBSTITUTED)
                    keys[seat] = key
                    away.discard(seat)
                case Arranged(seats=seats):
                    keys, away = {joined.seat: joined.key for joined in seats}, set()
                case Held(seat=seat):
                    away.add(seat)
                case Resumed(seat=seat, key=key):
                    keys[seat] = key or keys.get(seat, "")
                    away.discard(seat)
                case Left(seat=seat, why=why) if seat in away:  # and stays so: an engine may follow
                    claimed = why is Gone.CLAIMED
                    self.note(keys.get(seat, ""), Refusal.SEAT_CLAIMED if claimed else Refusal.SEAT_GIVEN_UP)
                case _:
                    pass


# --- who is gone ----------------------------------------------------------------------------------------------------


def claimable_at(table: "Table", number: int) -> float | None:
    """When the seat's vanished player may be claimed against; None while nobody is missing there."""
    if not table.running or not 0 <= number < len(table.seats):
        return None
    seat = table.seats[number]
    if seat is not None:
        return seat.since + table.policy.claim if seat.held else None
    if table.policy.leaving is not Leaving.OPENS:
        return None  # the game does without that seat
    # Nothing is played while a seat is empty, so its end is among the last records, or very long ago.
    left = (r.at for r in reversed(table.ring) if isinstance(r.event, Left) and r.event.seat == number)
    return next(left, 0.0) + table.policy.claim


def _require_gone(hub: "Hub", table: "Table", number: int) -> None:
    at = claimable_at(table, number)
    if at is None:
        raise Refused(Refusal.NOT_AWAY)
    if hub.at < at:
        raise Refused(Refusal.TOO_EARLY)


def _require_player(who: "Participant") -> "tuple[Table, int]":
    if who.table is None or who.seat is None:
        raise Refused(Refusal.NOT_SEATED)
    if not who.table.running:
        raise Refused(Refusal.NOT_PLAYING)
    return who.table, who.seat


def _user(room: "Room", number: int) -> "User | None":
    """Who is away from this seat and still a user of the room."""
    return next((user for user in room.users.values() if user.seat == number), None)


# --- claiming -------------------------------------------------------------------------------------------------------


class Claim(Errand, frozen=True):
    """The opponent is gone: the game is won. In a game of more than two it goes on without whoever is gone."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        table, mine = _require_player(who)
        waits = {seat: at for seat in range(len(table.seats)) if (at := claimable_at(table, seat)) is not None}
        gone = [seat for seat, at in waits.items() if seat != mine and at <= hub.at]
        if not gone:
            raise Refused(Refusal.TOO_EARLY if waits else Refusal.NOT_AWAY)
        if len(table.seats) == 2:
            hub.happen(table, table.end((mine,), Reason.ABANDONED))
        for seat in gone:
            _put_out(hub, table, seat)
        if hub.is_live(table):
            hub.settle(table)


def _put_out(hub: "Hub", table: "Table", number: int) -> None:
    """The seat is empty from now on; if the game is not over, it goes on without it."""
    seat = table.seats[number]
    if seat is None or not hub.is_live(table):
        return
    hub.annex(Lost).note(seat.key, Refusal.SEAT_CLAIMED)
    user = None if table.lobby is None else _user(table.lobby, number)
    if table.lobby is not None and user is not None:
        table.lobby.settle()  # the result first, then who goes
        table.lobby.leave(user.who, why=Gone.CLAIMED)
    else:
        hub.happen(table, Left(number, Gone.CLAIMED))


# --- an engine plays on -----------------------------------------------------------------------------------------------


class Substitute(Errand, frozen=True):
    """Somebody is gone from this seat: let an engine of this level play on there."""

    seat: int
    level: str = "medium"

    def run(self, hub: "Hub", who: "Participant") -> None:
        table, _ = _require_player(who)
        if self.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        _require_gone(hub, table, self.seat)
        seat, room = table.seats[self.seat], table.lobby
        if seat is not None:
            hub.annex(Lost).note(seat.key, Refusal.SEAT_SUBSTITUTED)
        if room is None:
            hub.join(table, self.seat, hub.engines.hire(table.game, self.level, f"Parlour ({self.level})"))
            hub.settle(table)
        elif room.pair is not None:
            self._take_chair(room)
        else:
            self._take_place(room, hub)

    def _take_chair(self, room: "Room") -> None:
        """At a table for two the seat is empty for a moment, and then the engine's."""
        assert room.pair is not None
        user = _user(room, self.seat)
        if user is not None:
            room.leave(user.who, settle=False, why=Gone.REPLACED)  # or somebody who has waited would be faster
        room.pair.seat_engine(self.seat, "", self.level)

    def _take_place(self, room: "Room", hub: "Hub") -> None:
        """In a game for many the seat changes hands at once: empty, it might end the game for want of players."""
        away = _user(room, self.seat)
        assert away is not None  # a seat that nobody has any more is not waited for
        name = f"Bot {room.arrivals + 1}"
        engine = hub.engines.hire(room.table.game, self.level, name)
        room.enter(engine, name=name, colour=away.colour, settle=False)
        room.table.detach(away.who)
        room.table.attach(away.who, None)
        room.seated[self.seat] = room.users[engine]
        places.play_from(room, hub, room.users[engine], self.seat)
        room.announce(f"{name} plays on for {away.name}.")
        room.leave(away.who)
