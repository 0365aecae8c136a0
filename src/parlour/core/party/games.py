"""Beginning and ending games, leaving them and taking part in them."""

from parlour.core.errors import Refusal, Refused
from parlour.core.game import Joinable, Options
from parlour.core.party.lineup import lineup
from parlour.core.party.steps import House, Steps
from parlour.core.table.consequence import consequence, finish_if_over
from parlour.core.table.consequence import start as started
from parlour.core.table.people import Member
from parlour.core.table.table import Status, Table
from parlour.core.updates import Announced, Fields
from parlour.core.words import (
    Arranged,
    Chosen,
    Closed,
    Finished,
    First,
    Gone,
    Laid,
    Leaving,
    Left,
    Planned,
    Readied,
    Reason,
    Resigned,
    Rested,
)

SEATS_IN_ALL = 26
"""The most who have a part in one game, with those who left it."""


# --- beginning ----------------------------------------------------------------------------------------------------


def start(table: Table, house: House) -> Steps:
    """Begin a game, in place of the one that runs: on the chairs, or with all who are ready."""
    if table.running:
        yield table.ended((), Reason.ABANDONED)
    yield from take_board(table)
    if not table.party.chairs:
        players = _take_turns(table, lineup(table))
        if table.party.shuffles or "random-order" in table.party.features:
            house.rng.shuffle(players)
        options = table.game.seated(table.options, len(players))
        seats = tuple(member.joined(seat) for seat, member in enumerate(players))
        yield Arranged(options, seats, Leaving.SKIPS)
    yield started(table, house.rng)


def _take_turns(table: Table, players: list[Member]) -> list[Member]:
    """Where seat 0 always begins, the one who had it in the last game gets another one."""
    if table.game.swaps and table.policy.first is not First.SEAT_0 and players[:1] == table.party.cast[:1]:
        return [*players[1:], players[0]]
    return players


def lay_out(table: Table, options: Options, by: int = 0) -> Steps:
    """The next game is played with these options; on chairs, that settles the board."""
    if table.options != options:
        yield Planned(options)
    if table.running:
        width, height = table.game.board(options)
        yield Announced("next-board", {"width": width, "height": height})
        return
    yield from take_board(table)
    if table.party.chairs:
        yield Chosen(by, options)


def take_board(table: Table) -> Steps:
    """Lay out the board of the next game, if it is another one than is there."""
    if table.game.board(table.party.board) != table.game.board(table.options):
        yield Laid(table.options)


# --- ending -------------------------------------------------------------------------------------------------------


def stop(table: Table) -> Steps:
    """End the running game before its time; the next one waits until a member asks for it."""
    if table.running:
        yield table.ended((), Reason.ABANDONED)
        yield Rested()
        yield from after(table)
        yield from take_board(table)


def follow(table: Table) -> Steps:
    """Everything that follows from the state of the game."""
    while (event := consequence(table)) is not None:
        yield event
        if type(event) is Finished:
            yield from after(table)


def after(table: Table) -> Steps:
    """A game has ended: say how, and ask those for the next one who are asked for each."""
    assert table.result is not None
    yield outcome(table, table.result)
    for member in table.seats:
        if member is not None and member.confirms and member.ready:
            yield Readied(member.id, False)


def outcome(table: Table, result: Finished) -> Announced:
    """How a game ended, for all to read."""
    cast = table.party.cast
    scores = ", ".join(f"{member.name} {score}" for member, score in zip(cast, result.scores, strict=True))
    winners = [cast[seat].name for seat in result.winners]
    if not winners:
        return Announced("stopped") if result.reason is Reason.ABANDONED else Announced("draw", {"scores": scores})
    fields: Fields = {"winners": tuple(winners), "scores": scores}
    return Announced("won", fields) if len(winners) == 1 else Announced("won-together", fields)


def shut(table: Table, why: str = "deserted") -> Steps:
    """End a table that does not end by itself."""
    if table.running:
        yield table.ended((), Reason.ABANDONED)
    yield Closed(why)


# --- leaving a game, and taking part in it ---------------------------------------------------------------------------


def give_up(table: Table, member: Member, stays: bool, why: Gone = Gone.LEFT) -> Steps:
    """A member leaves the seat for good. A rated game is lost by that, and over if no opponent is left in it."""
    seat = member.seat
    assert seat is not None
    if table.would_lose(seat):
        yield Resigned(seat)
        end = finish_if_over(table)
        if end is not None:
            yield end
            yield from after(table)
    yield Left(seat, member.id, stays, why)


def vacancy(table: Table, member: Member) -> int | None:
    """A seat for one more player where one has left: the chair, one's own, or a new one, for boxes keep their owner."""
    if table.party.chairs:
        return table.free_chair(member.name)
    if not has_gap(table):
        return None
    if member in table.party.cast:
        return table.party.cast.index(member)
    return len(table.seats) if len(table.seats) < SEATS_IN_ALL else None


def has_gap(table: Table) -> bool:
    """Whether a player has left the running game whose place is not taken."""
    players = sum(seat is not None for seat in table.seats)
    return players < table.party.dealt and isinstance(table.position, Joinable)


def has_place(table: Table, but: Member | None = None) -> bool:
    """Whether one more person could sit down: now, or in a room for a later game."""
    if table.party.chairs:
        return table.status is not Status.CLOSED and table.free_chair() is not None
    if table.policy.full == "watch":
        return True  # there is always a place at the end of the line
    return sum(member is not but for member in table.party.willing()) < table.limit or has_gap(table)


def require_vacancy(table: Table, member: Member) -> int:
    """The same seat, or Refused."""
    seat = vacancy(table, member)
    if seat is None:
        raise Refused(Refusal.TABLE_FULL)
    return seat
