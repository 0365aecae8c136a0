"""The host's desk: who is connected, how busy the machine is, and the hands to do what the host decides."""

import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from parlour.bots.seat import Bots
from parlour.core.errors import Banned, Refusal, Refused
from parlour.core.house.bans import Ban
from parlour.core.house.hosting import Hosting
from parlour.core.table.people import Participant
from parlour.languages import refusal
from parlour.server.house import House
from parlour.store.memory import MemoryStore
from parlour.web.desk import Load

SAMPLE_SECONDS = 0.5
"""Rates are over at least so long."""
STATM = Path("/proc/self/statm")

Result = TypeVar("Result")


class Desk:
    """Reads the house's counts when asked; nothing on the move path knows about it."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._began = house.clock()
        self._sampled = (house.clock(), time.process_time(), house.counts["records"])
        self._rates = (0.0, 0.0)

    # --- who is there ------------------------------------------------------------------------------------------------

    def present(self) -> list[Participant]:
        links, relays = self._house.links, self._house.relays
        here = [link.participant for link in links if link.participant is not None and not link.over]
        return here + [who for relay in relays for who in relay.people()]

    def wires(self) -> dict[str, int]:
        """Connections by wire."""
        elsewhere = (who.wire for relay in self._house.relays for who in relay.people())
        return dict(Counter(link.protocol.name for link in self._house.links) + Counter(elsewhere))

    def act(self, action: Callable[[], Result]) -> Result:
        """Run an action whole, then tell every connection concerned what comes of it."""
        done: list[Result] = []
        house = self._house
        house.enter(lambda: house.hub.at_once(lambda: done.append(action())))
        return done[0]

    def dismiss(self, whom: Collection[Participant]) -> None:
        """End these connections, once everything that was said to them is sent."""
        self._house.wake()
        for link in list(self._house.links):
            if link.participant in whom:
                link.dismiss()
        for relay in self._house.relays:
            relay.dismiss(whom)

    def put_out(self, concerned: Callable[[Participant], bool], why: Refusal) -> None:
        """Send away everyone whom this concerns, with words as far as their wires have any."""
        self._put_out(lambda connections: Refused(why) if any(map(concerned, connections)) else None)

    def _put_out(self, objection: Callable[[Collection[Participant]], Refused | None]) -> None:
        hosting = self._house.hub.service(Hosting)
        for person in hosting.people(self.present()):
            connections = {person.who, *person.connections}
            refused = objection(connections)
            if refused is not None:
                seconds = refused.seconds if isinstance(refused, Banned) else None
                self.act(partial(hosting.send_away, person, refusal(refused.why, seconds), refused.why, seconds))
                self.dismiss(connections)

    def keep_out(self, bans: Sequence[Ban]) -> None:
        """From now on these are in force, and no others. Those who are here and banned have to go."""
        house = self._house
        if house.hub.bans.all == tuple(bans):
            return
        house.hub.bans.replace(bans)
        now = house.clock()
        self._put_out(self._banned)
        for link in list(house.links):
            if link.participant is None and house.hub.bans.of_address(link.address, now) is not None:
                link.dismiss()  # has said nothing yet

    def _banned(self, connections: Collection[Participant]) -> Banned | None:
        bans, now = self._house.hub.bans, self._house.clock()
        found = next((ban for who in connections if (ban := bans.of(who, now)) is not None), None)
        return None if found is None else Banned(bans.seconds_left(found, now))

    # --- how busy we are ---------------------------------------------------------------------------------------------

    def load(self) -> Load:
        house = self._house
        cpu, records = self._measure()
        engines = house.hub.engines
        gauges = engines.gauges() if isinstance(engines, Bots) else {}
        return Load(
            uptime=round(house.clock() - self._began, 1),
            cpu=cpu,
            memory=_resident(),
            connections=sum(self.wires().values()),
            waiting=len(house.hub.matchmaker),
            records=house.counts["records"],
            records_per_second=records,
            refused_connections=house.counts["refused_connections"],
            dropped=house.counts["dropped"],
            log=self._log(),
            log_failures=house.counts["log_failures"],
            engines_thinking=gauges.get("thinking", 0),
            engines_waiting=gauges.get("waiting", 0),
            engines=gauges.get("warm", 0) + gauges.get("cold", 0),
            engines_memory=gauges.get("memory_bytes", 0),
        )

    def _measure(self) -> tuple[float, float]:
        """CPU seconds and records a second, since the last time or, when that was just now, as it was then."""
        now, cpu, records = self._house.clock(), time.process_time(), self._house.counts["records"]
        then, cpu_then, records_then = self._sampled
        if now - then >= SAMPLE_SECONDS:
            self._rates = round((cpu - cpu_then) / (now - then), 3), round((records - records_then) / (now - then), 1)
            self._sampled = now, cpu, records
        return self._rates

    def _log(self) -> str:
        if isinstance(self._house.log, MemoryStore):
            return "none"
        return "down" if self._house.hub.refusing is Refusal.LOG_DOWN else "ok"


def _resident() -> int:
    """Bytes of memory that this process uses now; where the system does not tell, the most it ever used."""
    with suppress(OSError, ValueError, IndexError):
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
