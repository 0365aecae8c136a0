"""Fan-out: what a crowd is to hear goes out to a few hundred at a time.

Writing to thousands of connections takes tens of milliseconds in which no other would be served. So those who only
look on, at a table or at the list of tables, wait for their turn behind all players, and the loop looks at its sockets
between one part of the crowd and the next. What a connection is told stays in order: one that waits, waits with all of
it.
"""

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from parlour.core.session import Output

if TYPE_CHECKING:
    from parlour.server.link import Link

Outbox = dict["Link", bytes | list[Output]]
"""What waits to be sent, by connection; nearly always a single piece of bytes, which then goes without a list."""

SLICE = 200
"""Connections that are written to at a time."""


class FanOut:
    """The connections that wait for what may be told already."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._call_soon = call_soon
        self.waiting: Outbox = {}

    def release(self, outbox: Outbox) -> None:
        """Let it go out: at once to a few, and in turns to those of many who only watch."""
        if self.waiting or len(outbox) > SLICE:
            self._put_off(outbox)
        write(outbox)

    def _put_off(self, outbox: Outbox) -> None:
        """Take out the connections that are to wait."""
        waiting = self.waiting
        later = [link for link in outbox if link in waiting]
        if len(outbox) > SLICE:
            later += [
                link
                for link in outbox
                if (who := link.participant) is not None
                and who.seat is None
                and (who.table is not None or who.owner is not None)
                and link not in waiting
            ]
        if later and not waiting:
            self._call_soon(self._go_on)
        for link in later:
            items, before = outbox.pop(link), waiting.get(link)
            waiting[link] = items if before is None else [*_listed(before), *_listed(items)]

    def _go_on(self) -> None:
        """The next few hundred."""
        waiting = self.waiting
        write({link: waiting.pop(link) for link in tuple(islice(waiting, SLICE))})
        if waiting:
            self._call_soon(self._go_on)


def _listed(items: bytes | list[Output]) -> list[Output]:
    return [items] if isinstance(items, bytes) else items


def write(outbox: Outbox) -> None:
    """Send it all."""
    for link, items in outbox.items():
        transport = link.transport
        if transport is None:
            continue
        if isinstance(items, bytes):
            if not link.waits and link.queue is None:
                transport.write(items)
                continue
            items = [items]
        link.release(items)
