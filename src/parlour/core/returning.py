"""Seats of a table without a room: held for whoever may come back, opened again by token, put back from the log."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.core import absence
from parlour.core.absence import back_by
from parlour.core.errors import Refusal, Refused
from parlour.core.seating import digest
from parlour.core.stream import records_since
from parlour.core.table import Status
from parlour.core.vanished import Lost
from parlour.core.vocab import CaughtUp, Evicted, Gone, Held, Interrupted, Kind, Left, Seated, Starting

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant
    from parlour.core.table import Table
    from parlour.core.vocab import Record, Resume


def hold(hub: "Hub", table: "Table", number: int) -> None:
    """Keep a seat for somebody who is not there, but not for ever."""
    hub.happen(table, Held(number))
    held_seat = table.seats[number]

    def give_up() -> None:
        if hub.is_live(table) and table.seats[number] is held_seat and held_seat is not None and held_seat.held:
            hub.annex(Lost).note(held_seat.key, Refusal.SEAT_GIVEN_UP)
            hub.give_up(table, number, Gone.GIVEN_UP)
            hub.settle(table)

    hub.alarm(table.policy.hold, give_up)


def resume(hub: "Hub", who: "Participant", command: "Resume") -> None:
    """Let somebody back into their seat, or into their room. Raises Refused."""
    hub.require_free(who)
    key = digest(command.token)
    if command.table not in hub.tables:
        raise Refused(hub.annex(Lost).why(key, Refusal.NO_SUCH_TABLE))
    table = hub.table(command.table)
    if table.lobby is not None:
        absence.come_back(table.lobby, hub, who, key, command.since)
        return
    number = next((n for n, seat in enumerate(table.seats) if seat is not None and seat.key == key), None)
    if number is None:
        raise Refused(hub.annex(Lost).why(key, Refusal.BAD_TOKEN))
    seat = table.seats[number]
    assert seat is not None
    if seat.who is not None:  # the old connection has not noticed yet that it is dead
        old = seat.who
        table.detach(old)
        old.tell(Evicted(Refusal.SEAT_TAKEN))
    hub.happen(table, back_by(who, seat, number))
    table.attach(who, number)
    who.tell(CaughtUp(table, number, records_since(table.ring, command.since)))


def put_back(hub: "Hub", table: "Table", records: "Sequence[Record]") -> None:
    """A table has been read from the log: who can come back has time to, and what nobody can return to is given up."""
    hub.tables[table.id] = table
    hub.listing.opened(table)
    hub.annex(Lost).read(records)
    if table.clock is not None:
        hub.happen(table, Interrupted())
    if table.policy.starting is Starting.LOBBY:
        if not hub.rooms.put_back(table, records):  # everybody is gone for good
            hub.shut(table)
        return
    for number, seat in enumerate(table.seats):
        if seat is None or seat.kind is Kind.ENGINE:
            continue
        if seat.key:
            hold(hub, table, number)
        else:
            hub.happen(table, Left(number, Gone.RESTARTED))
    hub.settle(table)
    for number, seat in enumerate(table.seats):
        if seat is not None and seat.kind is Kind.ENGINE and table.status is not Status.CLOSED:
            engine = hub.engines.hire(table.game, seat.level, seat.name)
            table.attach(engine, number)
            engine.tell(Seated(table, number))
