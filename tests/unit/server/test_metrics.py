"""The figures for Prometheus, and the dashboard that shows them."""

import json
import re
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from parlour.bots.seat import Bots
from parlour.cluster.steward import NodeState, ShelfState, figures
from parlour.registry import games
from parlour.server.health import Checkup
from parlour.server.metrics import registry_of
from parlour.store import schema
from tests.conftest import ROOT
from tests.world import World

DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
NODE = NodeState("one", "", 1, 2, "0.1.0", "ab", "ready", "", 0, 0.0, [ShelfState(1, "one", 1, 3, 0.5, 8, 7)])
NAMES = re.compile(r"\b(?:parlour|process)_\w+")


def registry(directory: Path) -> CollectorRegistry:
    schema.open_for_writing(directory / schema.FILE, "NORMAL").close()
    checkup = Checkup(World().house, directory)
    return registry_of(World().house, Bots(games(), seed=1, workers=1), checkup, lambda: figures(NODE))


def names(metric: Metric) -> str:
    return f"{metric.name}_total" if metric.type == "counter" else metric.name


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return found


def test_dashboard_asks_for_nothing_that_is_not_measured(tmp_path: Path) -> None:
    measured = {names(metric) for metric in registry(tmp_path).collect()}
    asked = {
        name for panel in panels() for target in panel.get("targets", ()) for name in NAMES.findall(target["expr"])
    }
    assert len(asked) > 15
    assert asked <= measured


def test_dashboard_shows_everything_of_ours_that_is_measured(tmp_path: Path) -> None:
    measured = {names(metric) for metric in registry(tmp_path).collect()}
    text = DASHBOARD.read_text(encoding="utf-8")
    assert [name for name in sorted(measured) if name.startswith("parlour_") and name not in text] == []


def test_panels_of_the_dashboard_lie_side_by_side_and_have_numbers_of_their_own() -> None:
    assert len({panel["id"] for panel in panels()}) == len(panels())
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells
        taken |= cells


def test_log_that_was_moved_away_is_seen(tmp_path: Path) -> None:
    figures = registry(tmp_path)
    assert figures.get_sample_value("parlour_log_ok") == 1
    (tmp_path / schema.FILE).rename(tmp_path / "elsewhere")
    assert figures.get_sample_value("parlour_log_ok") == 0
    assert figures.get_sample_value("parlour_disk_free_bytes")
