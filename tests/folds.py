"""A table as the log alone knows it, and everything about one that any wire can see."""

from collections.abc import Iterable

from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.words import Opened, Record


def folded(like: Table, records: Iterable[Record]) -> Table:
    """The table that these records make."""
    records = list(records)
    opened = records[0].event
    assert isinstance(opened, Opened)
    table = Table(like.no, like.game, opened)
    for record in records:
        table.apply(record)
    return table


def _member(member: Member | None) -> object:
    if member is None:
        return None
    hidden = ("who", "code")
    return tuple(getattr(member, name) for name in Member.__slots__ if name not in hidden)


def state_of(table: Table) -> object:
    """What can be seen of a table: equal for a table and its fold."""
    party, position, clock, ballot = table.party, table.position, table.clock, table.ballot
    return {
        "table": (table.id, table.status, table.seq, table.number, table.starter, table.leaving, table.options),
        "game": (table.settled, table.moves, bytes(table.by), table.result, table.ending, table.again, table.owed),
        "position": None if position is None else (position.turn, position.scores(), position.text()),
        "clock": None if clock is None else (clock.left, clock.running, clock.since, clock.excused),
        "ballot": None if ballot is None else (ballot.what, ballot.by, ballot.made, ballot.answers),
        "move_ids": table.move_ids,
        "stakes": table.stakes,
        "seats": [_member(member) for member in table.seats],
        "members": [_member(member) for member in party.members.values()],
        "cast": [member.id for member in party.cast],
        "party": (party.arrivals, party.dealt, party.chairs, party.board, party.chosen, party.chooser, party.title),
        "features": sorted(party.features),
        "beginning": (party.resting, party.shuffles, party.countdown, party.counted_at, table.vacant_since),
        "vote": None if party.vote is None else (party.vote.what, party.vote.by, party.vote.answers),
        "wishes": {key: ballot.answers for key, ballot in party.wishes.items()},
        "lost": party.lost,
    }
