"""A table as a client of 3.0 is told about it when it comes in, in the order that its clients rely on."""

from collections.abc import Collection, Iterator, Sequence

from parlour.core.game import NOBODY
from parlour.core.table.people import Member
from parlour.core.table.table import Status, Table
from parlour.core.words import Reason
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell3
from parlour.protocols.netdot.extensions import board_of


def switched(known: Collection[str], real: Collection[str]) -> list[bytes]:
    """The features that are not as the client thinks (document: Feature, only what is not the default is told)."""
    on, off = sorted({*real} - {*known}), sorted({*known} - {*real})
    return [*([spell3.enable(on)] if on else []), *([spell3.disable(off)] if off else [])]


def who_plays(table: Table) -> list[Member]:
    """The players of the running or last game who have not left it, by seat."""
    return [member for seat, member in enumerate(table.party.cast) if member.seat == seat]


def on_show(table: Table) -> DotsPosition | None:
    """The board on everyone's screen: of the running game, or of one that was played out."""
    result, position = table.result, table.position
    over = table.status is Status.OVER and result is not None and result.reason is Reason.PLAYED_OUT
    if not (table.running or over) or not isinstance(position, DotsPosition):
        return None
    return position if (position.width, position.height) == board_of(table) else None


def state_lines(table: Table, after_size: Sequence[bytes] = ()) -> tuple[bool, list[bytes]]:
    """Everything after `network-assign`, and whether it leads into Playing.

    Document: all users, the size; if a game is on, its start, all lines, all boxes. Owners who have gone are added with
    the users, or their lines would be of no one, and removed at the end.
    """
    position, members = on_show(table), table.party.members
    departed: list[Member] = []
    if position is not None:
        owners = {*position.line_owners, *position.box_owners}
        cast = enumerate(table.party.cast)
        departed = [member for seat, member in cast if seat in owners and member.id not in members]
    everyone = sorted((*members.values(), *departed), key=lambda member: member.id)
    lines = [spell3.add(member.id, member.shown_colour, member.name) for member in everyone]
    lines += [spell3.ready(member.id) for member in members.values() if member.ready]
    lines += [spell3.size(*board_of(table)), *after_size]
    if position is not None:
        lines += board_lines(table, position)
        lines += [spell3.remove(member.id) for member in departed]
    return position is not None, lines


def board_lines(table: Table, position: DotsPosition) -> Iterator[bytes]:
    """The game: who plays, what is drawn, whose turn it is."""
    yield spell3.START
    players = who_plays(table)
    for member in players:
        yield spell3.join(member.id)
    for member in table.party.members.values():
        if member.ready and member not in players:
            # Document: everyone who is ready at the start is a player. But there may be more than can play.
            yield spell3.leave(member.id)
    if table.moves:
        yield from _drawn(table, position)
    yield turn_line(table, position)


def _drawn(table: Table, position: DotsPosition) -> Iterator[bytes]:
    ids = [member.id for member in table.party.cast]
    for move, owner in zip(position.shape.moves, position.line_owners, strict=True):
        if owner < len(ids):
            yield spell3.line(ids[owner], move)
    for place, owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner < len(ids):
            yield spell3.box(ids[owner], *place)


def boxes_of(member: Member, position: DotsPosition) -> Iterator[bytes]:
    """The boxes of the seat that this member has taken over."""
    for place, owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner == member.seat:
            yield spell3.box(member.id, *place)


def turn_line(table: Table, position: DotsPosition) -> bytes:
    """Whose turn it is; nothing while the game waits for a player in that seat."""
    member = None if position.turn == NOBODY else table.party.cast[position.turn]
    return b"" if member is None or member.seat != position.turn else spell3.current(member.id)
