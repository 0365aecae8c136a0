"""Figures for Prometheus, on a port of their own."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from parlour.bots.seat import Bots
from parlour.core.errors import LocalError, Refusal
from parlour.server.health import Checkup
from parlour.server.house import House

_GAUGES = {
    "waiting": "Moves that no worker thinks about yet.",
    "thinking": "Workers that think.",
    "warm": "Workers with all their machine code.",
    "cold": "Workers without, or not with all of it.",
    "memory_bytes": "Memory of all workers.",
}


Figure = tuple[str, str, dict[str, str], float]
"""Name, what it is, labels and value of a figure that goes up and down."""


class _HouseCollector(Collector):
    """Reads the house's counts when asked; nothing on the move path knows about metrics."""

    def __init__(self, house: House, bots: Bots, checkup: Checkup, more: Callable[[], Iterable[Figure]]) -> None:
        self._house = house
        self._bots = bots
        self._checkup = checkup
        self._more = more

    def collect(self) -> Iterator[Metric]:
        house = self._house
        yield GaugeMetricFamily("parlour_connections", "Open connections.", value=len(house.links))
        yield GaugeMetricFamily("parlour_tables", "Tables in memory.", value=len(house.hub.tables))
        yield GaugeMetricFamily("parlour_waiting", "People waiting for an opponent.", value=len(house.hub.matchmaker))
        taking = house.hub.refusing is None
        yield GaugeMetricFamily("parlour_taking_games", "1 while games can be begun; else 0.", value=taking)
        wires = GaugeMetricFamily("parlour_wire_connections", "Open connections by wire.", labels=["wire"])
        for wire, count in sorted(Counter(link.protocol.name for link in list(house.links)).items()):
            wires.add_metric([wire], count)
        yield wires
        yield from self._health()
        for name, count in sorted(house.counts.items()):
            yield CounterMetricFamily(f"parlour_{name}", f"{name.replace('_', ' ').capitalize()} so far.", value=count)
        yield from self._engines()
        yield from _gauges(self._more())

    def _health(self) -> Iterator[Metric]:
        house, checkup = self._house, self._checkup
        lag = house.lag.worst(house.clock())
        yield GaugeMetricFamily("parlour_loop_lag_seconds", "The worst standstill of the last 10 seconds.", value=lag)
        free = checkup.disk_free()
        if free is not None:
            yield GaugeMetricFamily("parlour_disk_free_bytes", "What the disk of the log has left.", value=free)
            size = checkup.log_bytes()
            yield GaugeMetricFamily("parlour_log_bytes", "The log with its write-ahead file.", value=size)
            good = house.hub.refusing is not Refusal.LOG_DOWN and checkup.in_place()
            yield GaugeMetricFamily("parlour_log_ok", "1 while the log is written where it should lie.", value=good)

    def _engines(self) -> Iterator[Metric]:
        for name, count in sorted(self._bots.gauges().items()):
            yield GaugeMetricFamily(f"parlour_engine_{name}", _GAUGES[name], value=count)
        if self._bots.pool is not None:
            tasks = CounterMetricFamily("parlour_engine_tasks", "Moves that workers thought about.", labels=["game"])
            seconds = CounterMetricFamily("parlour_engine_seconds", "How long they thought.", labels=["game"])
            for game, count in sorted(self._bots.pool.given.items()):
                tasks.add_metric([game], count)
            for game, spent in sorted(self._bots.pool.seconds.items()):
                seconds.add_metric([game], spent)
            yield tasks
            yield seconds
        events = CounterMetricFamily("parlour_engine_events", "What happened to engines' moves.", labels=["what"])
        for name, count in sorted(self._bots.counters.items()):
            events.add_metric([name], count)
        yield events


def _gauges(figures: Iterable[Figure]) -> Iterable[Metric]:
    """Those of one name together."""
    found: dict[str, GaugeMetricFamily] = {}
    for name, what, labels, value in figures:
        family = found.setdefault(name, GaugeMetricFamily(f"parlour_{name}", what, labels=list(labels)))
        family.add_metric(list(labels.values()), value)
    return found.values()


def registry_of(
    house: House, bots: Bots, checkup: Checkup, more: Callable[[], Iterable[Figure]] = tuple
) -> CollectorRegistry:
    """All figures there are: those of the house, its engines, of where it keeps things, and of the process."""
    registry = CollectorRegistry()
    registry.register(_HouseCollector(house, bots, checkup, more))
    ProcessCollector(registry=registry)
    return registry


def serve_metrics(host: str, port: int, registry: CollectorRegistry) -> tuple[str, int]:
    """Answer scrapes from a thread; returns the address it listens on."""
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        raise LocalError(f"cannot serve metrics on {host}:{port}: {error.strerror}") from error
    return str(server.server_address[0]), int(server.server_address[1])
