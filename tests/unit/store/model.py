"""What the index of games must say, worked out the slow way: from all records of a table at once."""

from parlour.core.standings import Tally
from parlour.core.vocab import (
    Arranged,
    Closed,
    Finished,
    Joined,
    Left,
    Opened,
    Played,
    Reason,
    Record,
    Started,
    TakenBack,
)
from parlour.store.base import StoredEnd, StoredGame, StoredPlayer


def games_of(records: list[Record]) -> list[StoredGame]:
    """The games of one table."""
    opened = records[0].event
    assert isinstance(opened, Opened)
    starts = [place for place, record in enumerate(records) if isinstance(record.event, Started)]
    if not starts:
        closed = isinstance(records[-1].event, Closed)
        status = "abandoned" if closed else "waiting"
        players = _seated(records)
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
            by_seat[event.seat] = StoredPlayer(event.seat, event.name, event.wire, event.kind)
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


def standings_of(games: list[tuple[str, list[Record]]]) -> dict[tuple[str, str], Tally]:
    """What every registered player has come to, from the game and the records of every table."""
    totals: dict[tuple[str, str], Tally] = {}
    for game, records in games:
        seats: dict[int, str] = {}
        for record in records:
            match record.event:
                case Joined(seat=seat, account=account):
                    seats[seat] = account
                case Arranged(seats=arranged):
                    seats = {joined.seat: joined.account for joined in arranged}
                case Left(seat=seat):
                    seats[seat] = ""
                case Finished() as end if end.winners or end.reason is not Reason.ABANDONED:
                    for seat, account in seats.items():
                        if account and list(seats.values()).count(account) == 1:
                            totals[game, account] = totals.get((game, account), Tally()) + _share(seat, end)
                case _:
                    pass
    return totals


def _share(seat: int, end: Finished) -> Tally:
    if not end.winners:
        return Tally(ties=1)
    if seat in end.winners:
        return Tally(wins=1)
    return Tally(losses=1, forfeits=0 if end.reason is Reason.PLAYED_OUT else 1)


def _seated(records: list[Record]) -> tuple[StoredPlayer, ...]:
    seats: dict[int, StoredPlayer] = {}
    for record in records:
        match record.event:
            case Joined(seat=seat, name=name, wire=wire, kind=kind):
                seats[seat] = StoredPlayer(seat, name, wire, kind)
            case Arranged(seats=arranged):
                seats = {j.seat: StoredPlayer(j.seat, j.name, j.wire, j.kind) for j in arranged}
            case Left(seat=seat):
                seats.pop(seat, None)
            case _:
                pass
    return tuple(seats[seat] for seat in sorted(seats))
