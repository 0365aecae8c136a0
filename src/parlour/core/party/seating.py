"""Who gets an empty chair of a room, and what is said when none does."""

from parlour.core.party.steps import Steps
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import Announced


def fill(table: Table) -> Steps:
    """Those who are ready and have no chair get one that is kept for no one, people first, in order of arrival."""
    for member in sorted(filter(eligible, table.party.members.values()), key=lambda member: not member.is_person):
        number = table.free_chair()
        if number is not None and (member.is_person or not beside_engine(table, number)):
            yield member.joined(number)


def takes(table: Table, member: Member) -> bool:
    """Whether this member, who has no chair yet, gets one by itself."""
    return eligible(member) and table.free_chair() is not None


def eligible(member: Member) -> bool:
    """Whether the member takes a chair by being ready; those whose wire has chairs take them by name."""
    return member.willing and not member.confirms and not member.watches and member.seat is None


def beside_engine(table: Table, number: int) -> bool:
    """Engines do not play among themselves."""
    other = table.seats[1 - number]
    return other is not None and not other.is_person


def lament(table: Table, member: Member) -> Steps:
    """Say what becomes of the game, if it has lost this member and found no other."""
    if table.waits:
        yield Announced("seat-waits", {"name": member.name})
