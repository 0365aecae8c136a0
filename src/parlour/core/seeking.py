"""Finding an opponent: the next person in the queue who wants the same, or an engine."""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.queue import share_seats
from parlour.core.vocab import Seek, Waiting

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant


class Seeking:
    """Brings those together who seek."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub

    def seek(self, who: "Participant", seek: Seek) -> None:
        """Find somebody a table, or let them wait."""
        hub = self._hub
        hub.require_free(who)
        hub.require_open_house()
        hub.require_clock(who, seek.policy)
        game = hub.game(seek.game)
        options = game.options(seek.options)
        if seek.seat is not None and not 0 <= seek.seat < game.players(options):
            raise Refused(Refusal.BAD_OPTIONS)
        if seek.opponent == "engine":
            self._seat_with_engines(who, seek)
            return
        waiter = hub.queue.match(seek, options)
        if waiter is None:
            seat = seek.seat if seek.seat is not None else seek.fallback
            hub.queue.add(who, seek, options, seat)
            who.tell(Waiting(seat))
            if seek.wait > 0:
                hub.alarm(seek.wait, lambda: self._stop_waiting(who, seek))
            return
        hub.queue.remove(waiter.who)
        mine, theirs = share_seats(seek.seat, waiter.seat)
        table = hub.open(game.key, waiter.options, waiter.seek.policy)
        hub.join(table, theirs, waiter.who)
        hub.join(table, mine, who)
        hub.settle(table)

    def waiting_for(self, seek: Seek) -> str | None:
        """The name of whoever would sit opposite a person seeking this now."""
        hub = self._hub
        waiter = hub.queue.match(seek, hub.game(seek.game).options(seek.options))
        return None if waiter is None else waiter.who.name

    def _stop_waiting(self, who: "Participant", seek: Seek) -> None:
        """Nobody came: an engine takes the seat."""
        hub = self._hub
        waiter = hub.queue.waiter(who)
        if waiter is None or waiter.seek is not seek:
            return
        if hub.refusing is not None:  # not for ever, as a rule
            hub.alarm(1.0, lambda: self._stop_waiting(who, seek))
            return
        hub.queue.remove(who)
        self._seat_with_engines(who, seek, waiter.seat)

    def _seat_with_engines(self, who: "Participant", seek: Seek, seat: int | None = None) -> None:
        hub = self._hub
        if seek.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        game = hub.game(seek.game)
        table = hub.open(game.key, game.options(seek.options), seek.policy)
        mine = next((s for s in (seat, seek.seat, seek.fallback) if s is not None), 0)
        hub.join(table, mine, who)
        while (free := table.free_seat()) is not None:
            engine = hub.engines.hire(game, seek.level, seek.engine_name or f"Parlour ({seek.level})")
            hub.join(table, free, engine)
        hub.settle(table)
