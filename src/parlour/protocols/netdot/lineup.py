"""What a room looks like to programs from before 3.0, which know players and nobody else."""

from itertools import chain, islice

from parlour.core.lobby import Room
from parlour.core.users import User

GONE = "Disconnected"
"""What the original servers call a player who has left a running game."""


def by_id(user: User) -> int:
    """The order in which 2.0 knows players."""
    return user.id


def would_play(room: Room, coming: User | None = None) -> list[User]:
    """Who plays if a game begins now: those who are ready, in the order of arrival, as many as may play.

    Where there are two chairs, it is whoever sits there.
    """
    if room.pair is not None:
        return [user for user in room.pair.chairs if user is not None]
    users = room.users.values() if coming is None else chain(room.users.values(), (coming,))
    return list(islice((user for user in users if user.ready), room.limit))  # which may be few of very many


def known_players(room: Room, coming: User | None = None) -> list[User]:
    """Whom a 2.0 program knows, by id: it gives turns to everybody it knows, so nobody else may be among them.

    At a table for two, somebody who has left keeps the turn until another takes the seat, and so stays in the list.
    """
    if not room.table.running:
        return would_play(room, coming)
    return sorted(room.players if room.pair is None else room.seated, key=by_id)


def is_full(room: Room) -> bool:
    """Whether as many are ready as may play."""
    return len(would_play(room)) >= room.limit if room.pair is None else room.pair.free_chair("") is None


def gets_chair(room: Room, user: User) -> bool:
    """Whether a newcomer is about to sit down at a table for two."""
    return room.pair is not None and room.pair.takes(user)


def in_turn(room: Room) -> list[User]:
    """Who plays the game that has just begun, as they take turns: 1.x counts from whoever draws the first line."""
    first = room.table.starter
    return [*room.seated[first:], *room.seated[:first]]
