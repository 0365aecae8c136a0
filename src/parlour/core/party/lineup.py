"""Who would play the next game of a table with a lobby, and whose wishes count."""

from parlour.core.party.steps import House
from parlour.core.table.people import Member
from parlour.core.table.table import Table


def lineup(table: Table) -> list[Member]:
    """Who would play now: those on the chairs, or those who are ready, in the order of the line; not engines alone."""
    if table.party.chairs:
        return [member for member in table.seats if member is not None]
    ready = table.party.willing()
    players = ready[: table.limit]
    if not any(member.is_person for member in players):
        players[-1:] = [member for member in ready if member.is_person][:1] or players[-1:]
    return players


def enough(table: Table) -> bool:
    """Whether those would make a game."""
    players = lineup(table)
    return len(players) >= table.game.seats[0] and any(member.is_person for member in players)


def deciders(table: Table) -> list[Member]:
    """Whose wishes count: the players, or those who would play, or all who are there."""
    if table.running:
        return [member for member in table.players() if member.has_say]
    people = [member for member in table.party.members.values() if member.has_say and not member.watches]
    return [member for member in lineup(table) if member.has_say] or people


def renewing(table: Table) -> bool:
    """Whether a member sits on a chair who confirms each game: then it begins at once when all have said yes."""
    return any(member is not None and member.confirms for member in table.seats)


def agreed(table: Table) -> bool:
    """Whether all have said yes to a new game: on chairs every seated member, to the board that is chosen."""
    if not table.party.chairs:
        return True  # who is dealt a seat has said so
    if not table.party.chosen or (table.running and renewing(table)):
        return False
    return all(member is not None and member.willing for member in table.seats)


def obstacle(table: Table, house: House) -> str:
    """Why no game can begin, as a word to announce; empty when one can."""
    if not enough(table):
        return "needs-two"
    if not agreed(table):
        return "needs-both"
    return "" if house.refusing is None else house.refusing.value
