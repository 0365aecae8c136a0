"""The owner of an account leaves the house for good."""

from collections.abc import Iterable

from parlour.core.erasing import Erasure
from parlour.core.house.hub import Hub
from parlour.core.party.coming import leave
from parlour.core.table.people import Participant
from parlour.core.words import Leave


def leave_for_good(hub: Hub, erasure: Erasure, present: Iterable[Participant]) -> list[Participant]:
    """Take an account's owner out of every table and queue, and the account out of what is in memory.

    Returns the connections to be ended.
    """
    account = erasure.account
    leaving = [who for who in present if who.account == account]
    for table in list(hub.tables.values()):
        for member in [one for one in table.party.members.values() if one.account == account]:
            hub.perform(table, leave(table, member))
        erasure.apply_to(table)
        hub.listing.touch(table)
    for who in leaving:
        hub.submit(who, Leave())
        hub.end_login(who)
    hub.standings.forget(account)
    return leaving
