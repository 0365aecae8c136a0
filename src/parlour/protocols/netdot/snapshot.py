"""A room as a client of 3.0 is told about it when it comes in, in the order that its clients rely on."""

from collections.abc import Iterator, Sequence

from parlour.core.game import NOBODY
from parlour.core.lobby import Room
from parlour.core.table.table import Status
from parlour.core.words import Reason
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell3


def switched(known: frozenset[str], real: frozenset[str]) -> list[bytes]:
    """The features that are not as the client thinks."""
    on, off = sorted(real - known), sorted(known - real)
    return [*([spell3.enable(on)] if on else []), *([spell3.disable(off)] if off else [])]


def who_plays(room: Room) -> list[User]:
    """The players of the running or last game who have not left it, by seat."""
    here = room.users.get
    return [user for seat, user in enumerate(room.seated) if here(user.who) is user and user.seat == seat]


def on_show(room: Room) -> DotsPosition | None:
    """The board that everybody is looking at: of the running game, or of one that was played out."""
    table, result = room.table, room.table.result
    over = table.status is Status.OVER and result is not None and result.reason is Reason.PLAYED_OUT
    position = table.position
    if not (table.running or over) or not isinstance(position, DotsPosition):
        return None
    return position if (position.width, position.height) == room.size else None


def state_lines(room: Room, after_size: Sequence[bytes] = ()) -> tuple[bool, list[bytes]]:
    """Everything after `network-assign`, and whether it leads into Playing."""
    position = on_show(room)
    departed: list[User] = []
    if position is not None:
        owners = {*position.line_owners, *position.box_owners}
        departed = [
            user for seat, user in enumerate(room.seated) if seat in owners and room.users.get(user.who) is not user
        ]
    everybody = sorted((*room.users.values(), *departed), key=lambda user: user.id)
    lines = [spell3.add(user.id, user.colour, user.name) for user in everybody]
    lines += [spell3.ready(user.id) for user in room.users.values() if user.ready]
    lines += [spell3.size(*room.size), *after_size]
    if position is not None:
        lines += board_lines(room, position)
        lines += [spell3.remove(user.id) for user in departed]
    return position is not None, lines


def board_lines(room: Room, position: DotsPosition) -> Iterator[bytes]:
    """The game: who plays, what is drawn, whose turn it is."""
    yield spell3.START
    players = who_plays(room)
    for user in players:
        yield spell3.join(user.id)
    for user in room.users.values():
        if user.ready and user not in players:
            # The document makes everybody a player who is ready at the start, but there may be more than can play.
            yield spell3.leave(user.id)
    seated = room.seated
    for move, owner in zip(position.shape.moves, position.line_owners, strict=True):
        if owner < len(seated):
            yield spell3.line(seated[owner].id, move)
    for place, owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner < len(seated):
            yield spell3.box(seated[owner].id, *place)
    if turn := turn_line(room, position):
        yield turn


def boxes_of(user: User, position: DotsPosition) -> Iterator[bytes]:
    """The boxes of the seat that this user has taken over."""
    for place, owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner == user.seat:
            yield spell3.box(user.id, *place)


def turn_line(room: Room, position: DotsPosition) -> bytes:
    """Whose turn it is; nothing while the game waits for somebody in that seat."""
    user = None if position.turn == NOBODY else room.seated[position.turn]
    return b"" if user is None or user.seat != position.turn else spell3.current(user.id)
