"""Who in a room would play the next game, and whose wishes count."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour.core.lobby import Room
    from parlour.core.users import User


def lineup(room: "Room") -> list["User"]:
    """Who would play now: those who are ready, first come first served, but not engines alone."""
    if room.pair is not None:
        return [user for user in room.pair.chairs if user is not None]
    ready = [user for user in room.users.values() if user.willing]
    players = ready[: room.limit]
    if not any(user.is_person for user in players):
        players[-1:] = [user for user in ready if user.is_person][:1] or players[-1:]
    return players


def enough(room: "Room") -> bool:
    """Whether those would make a game."""
    players = lineup(room)
    return len(players) >= 2 and any(user.is_person for user in players)


def deciders(room: "Room") -> list["User"]:
    """Whose wishes count: the players, or those who would play, or whoever is there."""
    if room.table.running:
        return [user for user in room.players if user.has_say]
    people = [user for user in room.users.values() if user.has_say and not user.watches]
    return [user for user in lineup(room) if user.has_say] or people
