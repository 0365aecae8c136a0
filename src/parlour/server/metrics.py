"""Figures for Prometheus, on a port of their own."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from parlour.bots.seat import Bots
from parlour.core.errors import LocalError
from parlour.server.house import House

_GAUGES = {
    "waiting": "Moves that no worker thinks about yet.",
    "thinking": "Workers that think.",
    "warm": "Workers with all their machine code.",
    "cold": "Workers without, or not with all of it.",
    "memory_bytes": "Memory of all workers.",
}


class _HouseCollector(Collector):
    """Reads the house's counts when asked; nothing on the move path knows about metrics."""

    def __init__(self, house: House, bots: Bots) -> None:
        self._house = house
        self._bots = bots

    def collect(self) -> Iterator[Metric]:
        house = self._house
        yield GaugeMetricFamily("parlour_connections", "Open connections.", value=len(house.links))
        yield GaugeMetricFamily("parlour_tables", "Tables in memory.", value=len(house.hub.tables))
        yield GaugeMetricFamily("parlour_waiting", "People waiting for an opponent.", value=len(house.hub.matchmaker))
        for name, count in sorted(house.counts.items()):
            yield CounterMetricFamily(f"parlour_{name}", f"{name.replace('_', ' ').capitalize()} so far.", value=count)
        yield from self._engines()

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


def serve_metrics(host: str, port: int, house: House, bots: Bots) -> tuple[str, int]:
    """Answer scrapes from a thread; returns the address it listens on."""
    registry = CollectorRegistry()
    registry.register(_HouseCollector(house, bots))
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        raise LocalError(f"cannot serve metrics on {host}:{port}: {error.strerror}") from error
    return str(server.server_address[0]), int(server.server_address[1])
