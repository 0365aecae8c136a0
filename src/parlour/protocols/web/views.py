"""What a table looks like on this wire: in the lobby, on its own page, and with its members."""

from functools import cache

import msgspec

from parlour.core.game import NOBODY, Verdict
from parlour.core.party.games import has_place
from parlour.core.rated import entrants
from parlour.core.table.clock import Clock
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.words import Arranged, Cap, Entered, Event, Finished, Held, Joined, Record, Resumed, Rotation, Started
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
    Started: ("game", "options", "first"),
    Finished: ("winners", "scores", "reason"),
}
"""What is told of events that say more in the log: who plays, and for what, is told with the seats."""
MOST_USERS = 64
"""Of a room, told by name: the players are among them."""


@cache  # there are few of these, and every player who sits down is told with them
def caps_words(caps: Cap) -> tuple[str, ...]:
    """What a wire can express, in words."""
    return tuple(cap.name.lower() for cap in Cap if cap in caps and cap.name and cap.value.bit_count() == 1)


def seat_view(number: int, seat: Member | Joined | None, patience: float = 0.0) -> SeatView | None:
    """Who sits there, or is about to; an absent player is waited for as long as the others' patience lasts."""
    if seat is None:
        return None
    away = isinstance(seat, Member) and seat.away
    claim = seat.since + patience if isinstance(seat, Member) and away else msgspec.UNSET
    caps = caps_words(Cap(seat.caps))
    return SeatView(number, seat.name, seat.wire, seat.kind.value, seat.level, caps, away, seat.account, claim)


def record_view(table: Table, record: Record) -> dict[str, object]:
    """What happened, and when it may be acted upon."""
    view = event_view(record.event)
    if type(record.event) is Held:
        view["at"] = record.at
        view["claim"] = record.at + table.policy.claim
    return view


def event_view(event: Event) -> dict[str, object]:
    """An event with all its fields, except what would help no one but a thief."""
    kind = type(event).__name__.lower()
    told = TOLD.get(type(event), event.__struct_fields__)
    fields = {name: getattr(event, name) for name in told if name != "key"}
    if type(event) is Joined:
        view = seat_view(event.seat, event)
        seat = {name: getattr(view, name) for name in SeatView.__struct_fields__ if name != "claim"}
        fields = {**seat, "member": event.member}
    elif type(event) is Entered or (type(event) is Resumed and event.wire):
        fields["caps"] = caps_words(Cap(event.caps))
    elif type(event) is Resumed:
        fields = {"seat": event.seat, "member": event.member}
    elif type(event) is Arranged:
        fields["seats"] = [seat_view(joined.seat, joined) for joined in event.seats]
    return {"type": kind, **fields}


def state(table: Table, at: float) -> State:
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
        clock_view(clock, at),
        tuple(table.by),
    )


def clock_view(clock: Clock | None, at: float) -> ClockView | None:
    """How much time every player has, as of now."""
    if clock is None:
        return None
    return ClockView(tuple(clock.left), clock.running, clock.since, clock.increment, at)


def pace(table: Table) -> tuple[float, float] | msgspec.UnsetType:
    """The clock of each game there."""
    return (table.policy.clock, table.policy.increment) if table.policy.clock else msgspec.UNSET


def snapshot(
    table: Table, at: float, you: int | None = None, member: Member | None = None, token: str = ""
) -> TableSnapshot:
    """Everything that a newcomer to a table needs to know."""
    return TableSnapshot(
        table=table.id,
        game=table.game.key,
        title=table.party.title,
        options=table.settled,
        seats=tuple(seat_view(number, seat, table.policy.claim) for number, seat in enumerate(table.seats)),
        seq=table.seq,
        state=state(table, at),
        watchers=watchers(table),
        you=you,
        token=token or msgspec.UNSET,
        room=room_view(table) if table.has_lobby else None,
        user=member.id if member is not None and table.has_lobby else None,
        pace=pace(table),
        rated=_rated(table),
    )


def _rated(table: Table) -> bool | msgspec.UnsetType:
    """Whether the game counts, where its seats do not show it."""
    return msgspec.UNSET if table.rated == bool(entrants(table.seats)) else table.rated


def watchers(table: Table) -> int:
    return table.onlookers + sum(member.watches for member in table.party.members.values())


# --- rooms --------------------------------------------------------------------------------------------------------


def user_view(member: Member) -> UserView:
    return UserView(
        id=member.id,
        name=member.name,
        colour=f"#{member.shown_colour & 0xFFFFFF:06x}",
        ready=member.ready,
        seat=member.seat,
        wire=member.wire,
        kind=member.kind.value,
        here=not member.away,
        level=member.level,
        account=member.account,
    )


def _chair(member: Member | None, kept: str) -> ChairView:
    return ChairView(None, "", kept) if member is None else ChairView(member.id, member.name)


def room_view(table: Table) -> RoomView:
    """Who is there, and what comes next."""
    party, game = table.party, table.game
    here = [member for member in party.members.values() if not member.watches]
    seated = bool(table.party.chairs) or table.running
    here.sort(key=lambda member: (seated and member.seat is None, not member.ready))  # the players are told in any case
    chairs = tuple(_chair(member, kept) for member, kept in zip(table.seats, party.chairs, strict=False))
    return RoomView(
        users=tuple(user_view(member) for member in here[:MOST_USERS]),
        people=len(party.members),
        size=game.board(party.board),
        next=game.board(table.options),
        chairs=(chairs[0], chairs[1]) if chairs else None,
        wants_board=bool(chairs) and not party.chosen and not table.running,
        countdown=party.countdown,
        chat="chat" in party.features,
        rotation="" if table.policy.rotation is Rotation.ARRIVAL else table.policy.rotation.value,
        seats=len(chairs) or table.limit,
    )


# --- the lobby ----------------------------------------------------------------------------------------------------


def row(table: Table, since: float) -> Row:
    """One line of the lobby."""
    return Row(
        id=table.id,
        game=table.game.key,
        title=table.party.title,
        status=table.status.value,
        options=table.options if table.has_lobby and not table.running else table.settled,
        seats=tuple(None if member is None else _row_seat(member) for member in _row_members(table)),
        watchers=watchers(table),
        moves=len(table.moves),
        since=since,
        sit=has_place(table),
        room=table.has_lobby,
        pace=pace(table),
    )


def _row_members(table: Table) -> list[Member | None]:
    """Who plays, or would if a game began now."""
    return list(table.seats) if table.party.chairs or table.running else [*table.party.willing()[: table.limit]]


def _row_seat(member: Member) -> RowSeat:
    return RowSeat(member.name, member.wire, member.kind.value, member.level, member.account)


def advice(table: str, seq: int, verdict: Verdict, request_id: str) -> Advice:
    moves = tuple(ScoredMove(each.move, each.value, each.exact) for each in verdict.moves)
    return Advice(table, seq, verdict.best, verdict.value, verdict.exact, moves, request_id)
