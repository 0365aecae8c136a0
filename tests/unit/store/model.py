"""What the index of games must say, worked out the slow way: from all records of a table at once."""

from parlour.core.standings import Tally
from parlour.core.table.table import Table
from parlour.core.words import Closed, Finished, Joined, Opened, Played, Reason, Record, Started, TakenBack
from parlour.registry import games
from parlour.store.base import StoredEnd, StoredGame, StoredPlayer


def games_of(records: list[Record]) -> list[StoredGame]:
    """The games of one table."""
    opened = records[0].event
    assert isinstance(opened, Opened)
    starts = [place for place, record in enumerate(records) if isinstance(record.event, Started)]
    if not starts:
        closed = isinstance(records[-1].event, Closed)
        status = "abandoned" if closed else "waiting"
        players = _waiting(records)
        name = f"{opened.table}-1"
        return [StoredGame(name, opened.table, opened.game, opened.options, players, status, 0, None, None)]
    ends = [*starts[1:], len(records)]
    return [_game(opened, records, start, end) for start, end in zip(starts, ends, strict=True)]


def _game(opened: Opened, records: list[Record], start: int, end: int) -> StoredGame:
    started = records[start].event
    assert isinstance(started, Started)
    part = [record.event for record in records[start:end]]
    result = next((event for event in part if isinstance(event, Finished)), None)
    over = len(part) if result is None else part.index(result)
    by_seat = {player.seat: player for player in _seated(records[:start])}
    for event in part[:over]:
        if isinstance(event, Joined):
            by_seat[event.seat] = StoredPlayer(
                event.seat, event.name, event.wire, event.kind, event.level, event.account
            )
    return StoredGame(
        id=started.game,
        table=opened.table,
        game=opened.game,
        options=started.options,
        players=tuple(by_seat[seat] for seat in sorted(by_seat)),
        status="playing" if result is None else "abandoned" if result.reason is Reason.ABANDONED else "finished",
        moves=sum(isinstance(event, Played) for event in part)
        - sum(event.moves for event in part if isinstance(event, TakenBack)),
        started=records[start].at,
        result=None if result is None else StoredEnd(result.winners, result.scores, result.reason),
    )


def standings_of(tables: list[tuple[str, list[Record]]]) -> dict[tuple[str, str], Tally]:
    """What every registered player has come to, from the game and the records of every table."""
    totals: dict[tuple[str, str], Tally] = {}
    for game, records in tables:
        table = _table(records)
        for record in records:
            table.apply(record)
            end = record.event
            if isinstance(end, Finished) and (end.winners or end.reason is not Reason.ABANDONED):
                accounts = ["" if member is None else member.account for member in table.seats]
                for seat, account in enumerate(accounts):
                    if account and accounts.count(account) == 1:
                        totals[game, account] = totals.get((game, account), Tally()) + _share(seat, end)
    return totals


def _share(seat: int, end: Finished) -> Tally:
    if not end.winners:
        return Tally(ties=1)
    if seat in end.winners:
        return Tally(wins=1)
    return Tally(losses=1, forfeits=0 if end.reason is Reason.PLAYED_OUT else 1)


def _table(records: list[Record]) -> Table:
    """The table of these records, before the first of them."""
    opened = records[0].event
    assert isinstance(opened, Opened)
    return Table(1, games()[opened.game], opened)


def _folded(records: list[Record]) -> Table:
    """The table after these records."""
    table = _table(records)
    for record in records:
        table.apply(record)
    return table


def _waiting(records: list[Record]) -> tuple[StoredPlayer, ...]:
    """Who waits in a seat for the first game; in a room without chairs no one has one."""
    table = _folded(records)
    return _seated(records) if table.party.chairs else ()


def _seated(records: list[Record]) -> tuple[StoredPlayer, ...]:
    """Who sits there after these records."""
    seats = enumerate(_folded(records).seats)
    return tuple(
        StoredPlayer(seat, who.name, who.wire, who.kind, who.level, who.account)
        for seat, who in seats
        if who is not None
    )
