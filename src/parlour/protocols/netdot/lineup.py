"""A table as programs from before 3.0 see it: they know players and no one else."""

from itertools import islice

from parlour.core.table.people import Member
from parlour.core.table.table import Table

GONE = "Disconnected"
"""The name that the original servers give to a player who has left a running game."""


def by_id(member: Member) -> int:
    """The order in which 2.0 knows players."""
    return member.id


def would_play(table: Table) -> list[Member]:
    """Returns the players of a game that begins now: those on the chairs, or the first who are ready.

    A member who is away for a moment counts: the old dialects have no word for that.
    """
    if table.party.chairs:
        return [member for member in table.seats if member is not None]
    ready = (member for member in table.party.members.values() if member.ready)
    return list(islice(ready, table.limit))  # which may be few of very many


def known_players(table: Table) -> list[Member]:
    """Returns the players that a 2.0 program knows. It gives turns to all of them, so no one else may be among them.

    On chairs, a player who has left keeps the turn until another takes the seat, and so stays in the list.
    """
    if not table.running:
        return would_play(table)
    return sorted(table.party.cast if table.party.chairs else table.players(), key=by_id)


def is_full(table: Table) -> bool:
    """Whether as many are ready as may play."""
    return table.free_chair("") is None if table.party.chairs else len(would_play(table)) >= table.limit


def inherits(table: Table, member: Member) -> bool:
    """Whether a player who joins the running game goes on with the lines and boxes of another.

    So it is on chairs, and where an engine replaces an absent player.
    """
    return bool(table.party.chairs) or not member.is_person


def in_turn(table: Table) -> list[Member]:
    """Returns the players of the running game as they take turns: 1.x counts from the one who draws the first line."""
    first, cast = table.starter, table.party.cast
    return [*cast[first:], *cast[:first]]
