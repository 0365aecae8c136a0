"""What a table looks like on this wire: in the lobby, on its own page, and with the room around it."""

from functools import cache

import msgspec

from parlour.core.clock import Clock
from parlour.core.game import NOBODY, Verdict
from parlour.core.lobby import Room
from parlour.core.rated import entrants, is_rated
from parlour.core.seating import Participant, Seat
from parlour.core.table import Status, Table
from parlour.core.users import User
from parlour.core.vocab import Arranged, Cap, Event, Finished, Held, Joined, Kind, Left, Record, Resumed, Started
from parlour.protocols.web.answers import (
    Advice,
    BallotView,
    ChairView,
    ClockView,
    Result,
    RoomView,
    Row,
    RowSeat,
    ScoredMove,
    SeatView,
    State,
    TableSnapshot,
    UserView,
)

TOLD: dict[type[Event], tuple[str, ...]] = {
    Left: ("seat",),
    Started: ("game", "options", "first"),
    Finished: ("winners", "scores", "reason"),
}
"""What is told of events that say more in the log: who plays, and for what, is told with the seats."""
MOST_USERS = 64
"""Of a room, told by name: whoever plays is among them."""


@cache  # of what there are few, and everybody who sits down is told with them
def caps_words(caps: Cap) -> tuple[str, ...]:
    """What a wire can express, in words."""
    return tuple(cap.name.lower() for cap in Cap if cap in caps and cap.name and cap.value.bit_count() == 1)


def seat_view(number: int, seat: Seat | Joined | None, patience: float = 0.0) -> SeatView | None:
    """Who sits there, or is about to; the others wait for whoever is gone as long as their patience lasts."""
    if seat is None:
        return None
    held = isinstance(seat, Seat) and seat.held
    caps = caps_words(Cap(seat.caps))
    claim = seat.since + patience if isinstance(seat, Seat) and held else msgspec.UNSET
    return SeatView(number, seat.name, seat.wire, seat.kind.value, seat.level, caps, held, seat.account, claim)


def record_view(table: Table, record: Record) -> dict[str, object]:
    """What happened, and when it may be acted upon."""
    view = event_view(record.event)
    if isinstance(record.event, Held):
        view["at"] = record.at
        view["claim"] = record.at + table.policy.claim
    return view


def event_view(event: Event) -> dict[str, object]:
    """An event, without what would help nobody but a thief."""
    kind = type(event).__name__.lower()
    if isinstance(event, Joined):
        view = seat_view(event.seat, event)
        fields = {name: getattr(view, name) for name in SeatView.__struct_fields__}
        return {"type": kind, **{name: value for name, value in fields.items() if value is not msgspec.UNSET}}
    if isinstance(event, Resumed):
        by = {"wire": event.wire, "caps": caps_words(Cap(event.caps))} if event.wire else {}
        return {"type": kind, "seat": event.seat, **by}
    told = TOLD.get(type(event), event.__struct_fields__)
    fields = {name: getattr(event, name) for name in told if name != "key"}
    if isinstance(event, Arranged):
        fields["seats"] = [seat_view(joined.seat, joined) for joined in event.seats]
    return {"type": kind, **fields}


def state(table: Table) -> State:
    """The running or last game."""
    position, result, ballot, clock = table.position, table.result, table.ballot, table.clock
    return State(
        table.status.value,
        table.game_id,
        tuple(table.moves),
        NOBODY if position is None or not table.running else position.turn,
        () if position is None else position.scores(),
        max(table.starter, 0),
        None if result is None else Result(result.winners, result.scores, result.reason.value),
        None
        if ballot is None
        else BallotView(
            ballot.what,
            tuple(ballot.answers),
            {str(seat): answer for seat, answer in ballot.answers.items() if answer is not None},
            ballot.by,
        ),
        clock_view(clock),
        tuple(table.by),
    )


def clock_view(clock: Clock | None) -> ClockView | None:
    """How much time everybody has."""
    if clock is None:
        return None
    return ClockView(tuple(clock.left), clock.running, clock.since, clock.increment, clock.now())


def pace(table: Table) -> tuple[float, float] | msgspec.UnsetType:
    """The clock of each game there."""
    return (table.policy.clock, table.policy.increment) if table.policy.clock else msgspec.UNSET


def snapshot(table: Table, you: int | None = None, user: User | None = None, token: str = "") -> TableSnapshot:
    """Everything that somebody needs to know who comes to a table."""
    room = table.lobby
    return TableSnapshot(
        table=table.id,
        game=table.game.key,
        title="" if room is None else room.title,
        options=table.settled,
        seats=tuple(seat_view(number, seat, table.policy.claim) for number, seat in enumerate(table.seats)),
        seq=table.seq,
        state=state(table),
        watchers=_watchers(table),
        you=you,
        token=token or msgspec.UNSET,
        room=None if room is None else room_view(room),
        user=None if user is None else user.id,
        pace=pace(table),
        rated=_rated(table),
    )


def _rated(table: Table) -> bool | msgspec.UnsetType:
    """Whether the game counts, where its seats do not show it."""
    rated = is_rated(table)
    return msgspec.UNSET if rated == bool(entrants(table.seats)) else rated


def _watchers(table: Table) -> int:
    room = table.lobby
    return len(table.watchers) if room is None else sum(user.watches for user in room.users.values())


# --- rooms --------------------------------------------------------------------------------------------------------


def user_view(user: User) -> UserView:
    who = user.who
    colour = f"#{user.colour & 0xFFFFFF:06x}"
    return UserView(
        id=user.id,
        name=user.name,
        colour=colour,
        ready=user.ready,
        seat=user.seat,
        wire=who.wire,
        kind=who.kind.value,
        here=not user.absent,
        level=who.level,
        account=who.account,
    )


def _chair(user: User | None, kept: str) -> ChairView:
    return ChairView(None, "", kept) if user is None else ChairView(user.id, user.name)


def room_view(room: Room) -> RoomView:
    """Who is there, and what comes next."""
    here = [user for user in room.users.values() if not user.watches]
    here.sort(key=lambda user: (user.seat is None, not user.ready))  # whoever plays is told in any case
    pair = room.pair
    return RoomView(
        users=tuple(user_view(user) for user in here[:MOST_USERS]),
        people=len(room.users),
        size=room.size,
        next=room.next_size,
        chairs=None
        if pair is None
        else (_chair(pair.chairs[0], pair.reserved[0]), _chair(pair.chairs[1], pair.reserved[1])),
        wants_board=pair is not None and pair.board is None and not room.table.running,
        countdown=room.countdown,
        chat="chat" in room.features,
    )


# --- the lobby ----------------------------------------------------------------------------------------------------


def row(table: Table, since: float) -> Row:
    """One line of the lobby."""
    room = table.lobby
    return Row(
        id=table.id,
        game=table.game.key,
        title="" if room is None else room.title,
        status=table.status.value,
        options=table.settled if room is None or table.running else room.options,
        seats=_row_seats(table),
        watchers=_watchers(table),
        moves=len(table.moves),
        since=since,
        sit=_has_place(table),
        room=room is not None,
        pace=pace(table),
    )


def _row_seats(table: Table) -> tuple[RowSeat | None, ...]:
    room = table.lobby
    if room is None or table.running:
        return tuple(None if seat is None else _row_seat(seat, seat.name) for seat in table.seats)
    willing = [user for user in room.users.values() if user.willing]
    sitting = willing[: room.limit] if room.pair is None else room.pair.chairs
    return tuple(None if user is None else _row_seat(user.who, user.name) for user in sitting)


def _row_seat(who: Seat | Participant, name: str) -> RowSeat:
    return RowSeat(name, who.wire, who.kind.value, who.level, who.account)


def _has_place(table: Table) -> bool:
    room = table.lobby
    if room is None:
        return table.status is not Status.CLOSED and None in table.seats
    return room.pair is None or room.pair.free_chair("") is not None


def lonely(room: Room) -> bool:
    """Whether one person sits here and waits for another before a game can begin."""
    pair = room.pair
    if pair is None or room.table.running or pair.free_chair("") is None:
        return False
    return sum(user is not None and user.who.kind is Kind.PERSON for user in pair.chairs) == 1


def advice(table: str, seq: int, verdict: Verdict, mark: str) -> Advice:
    moves = tuple(ScoredMove(each.move, each.value, each.exact) for each in verdict.moves)
    return Advice(table, seq, verdict.best, verdict.value, verdict.exact, moves, mark)
