"""What follows at a table from who is there, who is ready and what they want, and from the time alone.

Every deadline is reckoned from the table's own records, so that it is the same after a restart: the hub asks `due` when
to look again, and `settle` does what is due by then.
"""

from parlour.core.party import chairs, coming, consent
from parlour.core.party.games import follow, start
from parlour.core.party.lineup import agreed, enough, obstacle, renewing
from parlour.core.party.steps import House, Steps
from parlour.core.table.consequence import consequence, when_full
from parlour.core.table.table import Status, Table
from parlour.core.updates import Announced
from parlour.core.words import Counted, Flagged, Gone

COUNTDOWN = 3
"""Seconds before a game begins by itself."""
ROUNDED = 0.001
"""Seconds by which a deadline may be rounded."""


def settle(table: Table, house: House) -> Steps:
    """Everything that follows, until the table is at rest."""
    yield from _overdue(table, house)
    settled = -1
    while table.status is not Status.CLOSED and settled != table.seq:
        settled = table.seq
        if table.has_lobby:
            yield from follow(table)
            yield from _in_lobby(table, house)
        elif (event := consequence(table) if table.running else when_full(table, house.rng)) is not None:
            yield event


def _in_lobby(table: Table, house: House) -> Steps:
    """Games begin as the members agree."""
    if table.party.chairs:
        yield from chairs.settle(table, house)
    if table.party.wishes:
        yield from consent.fulfil(table, house)
    if table.party.vote is not None:
        yield from consent.count_votes(table, house, table.party.vote)
    yield from _count_down(table, house)


def due(table: Table) -> float | None:
    """When something is to be done next though no one does anything."""
    times = [member.since + table.policy.hold for member in table.party.members.values() if member.away]
    if table.clock is not None and (flag := table.clock.flag_at()) is not None:
        times.append(flag)
    if table.party.vote is not None:
        times.append(table.party.vote.at + consent.VOTE_SECONDS)
    if table.party.countdown:
        times.append(table.party.counted_at + 1)
    if table.vacant_since is not None:
        times.append(table.vacant_since + table.policy.wait)
    return min(times) if times else None


def _overdue(table: Table, house: House) -> Steps:
    """What the time alone brings."""
    now = house.at + ROUNDED
    if table.clock is not None and (flag := table.clock.flag_at()) is not None and flag <= now:
        assert table.clock.running is not None
        yield Flagged(table.clock.running)
    for member in [member for member in table.party.members.values() if member.away]:
        if member.since + table.policy.hold <= now and table.status is not Status.CLOSED:
            yield from coming.leave(table, member, Gone.EXPIRED)
    since = table.vacant_since
    if since is not None and since + table.policy.wait <= now and house.refusing is None:
        chair = table.lonely_chair()
        if chair is not None:
            yield from coming.bring_engine(table, table.policy.level, chair)


# --- beginning by itself --------------------------------------------------------------------------------------------


def _starts_by_itself(table: Table) -> bool:
    """Whether a game should begin without being asked for."""
    if table.policy.start != "auto" or table.party.resting or table.running:
        return False
    needed = len(table.party.chairs) or table.policy.ready
    return len(table.party.willing()) >= needed and not renewing(table) and enough(table) and agreed(table)


def _count_down(table: Table, house: House) -> Steps:
    """The few seconds before a game begins by itself, counted aloud."""
    left = table.party.countdown
    if not _starts_by_itself(table) or house.refusing is not None:
        if left:
            yield Counted(0)
            yield Announced("start-off")
        return
    if not left:
        left = COUNTDOWN
    elif house.at + ROUNDED < table.party.counted_at + 1:
        return
    elif left > 1:
        left -= 1
    elif not obstacle(table, house):
        yield from start(table, house)
        return
    yield Counted(left)
    yield Announced("starts-in", {"seconds": left})
