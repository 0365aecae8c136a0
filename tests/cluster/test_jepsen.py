"""A house of three nodes under players, while its parts are killed, stopped, cut off and filled up.

`make jepsen` does the same at random, for hours.
"""

import asyncio
from pathlib import Path
from random import Random

import pytest

from tests.cluster.jepsen import staged, suffer
from tests.cluster.nemeses import Nemesis, cut_node, fill_disks, kill_leader, kill_node, stop_archive, stop_node
from tests.conftest import installed

WIRES = ("c4n", "nettoe", "glendy", "web")
FOLDING = "table.apply(record)"
"""Where a node's traceback leads when records do not follow from each other."""


def test_archive_dies_and_no_told_move_is_lost() -> None:
    with installed(), staged() as stage:
        moves = asyncio.run(suffer(stage, [stop_archive], Random(1), WIRES))
        assert min(moves.values()) > 20


def test_leader_of_a_stream_dies_and_disks_are_full_and_no_one_is_dropped() -> None:
    with installed(), staged() as stage:
        moves = asyncio.run(suffer(stage, (kill_leader, fill_disks), Random(4), WIRES))
        assert min(moves.values()) > 20


def test_nodes_die_sleep_and_are_cut_off_and_no_told_move_is_lost() -> None:
    with installed(), staged() as stage:
        moves = asyncio.run(suffer(stage, (kill_node, stop_node, cut_node), Random(2), WIRES))
        assert min(moves.values()) > 20


SLOWLY = """
import asyncio
from parlour.server.house import House
from parlour.store.jetstream import JetstreamLog
from parlour.store.shelf import EXPECTED, Shelf

async def write(self, batch, written=JetstreamLog._write_all):
    await asyncio.sleep(0.15)
    return await written(self, batch)

JetstreamLog._write_all = write
"""
"""No fault, but makes the moment longer in which one shows: between a decision and its commit."""

PLANTS: dict[str, tuple[str, Nemesis]] = {
    "none": ("", kill_node),
    "told before it is in the log": (
        """
def dispatch(self, told=House._dispatch):
    outbox, self.outbox = self.outbox, {}
    self._fan_out.release(outbox)
    told(self)

House._dispatch = dispatch
""",
        kill_node,
    ),
    "no expected sequence": (
        """
from nats.js import JetStreamContext
from parlour.cluster.node import Node

def publish(self, subject, payload=b"", headers=None, published=JetStreamContext.publish, **rest):
    headers = {name: value for name, value in (headers or {}).items() if name != EXPECTED}
    return published(self, subject, payload, headers=headers or None, **rest)

JetStreamContext.publish = publish
Node._lose = lambda *_: None
""",
        stop_node,
    ),
}
"""What is wrong in every node, and what must happen for it to show. A lost lease is no guard: the log is."""


@pytest.mark.parametrize("fault", PLANTS)
def test_checker_finds_faults_that_are_planted_in_nodes_and_no_others(tmp_path: Path, fault: str) -> None:
    plant, nemesis = PLANTS[fault]
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nif 'serve' in sys.argv:\n    exec({SLOWLY + plant!r})\n")
    environment = {"PYTHONPATH": str(tmp_path)}
    if fault == "none":
        assert not trouble(environment, nemesis, patience=30)
    else:  # it shows when something happens to be written in the wrong moment, mostly at the first try
        assert any(shows(nemesis, trouble(environment, nemesis, patience=10)) for _ in range(4))


def shows(nemesis: Nemesis, found: str) -> bool:
    """Whether that is the fault, and not a house that did not start. A follower may be the first to meet the records
    of two writers, which are no game."""
    return nemesis.__name__ in found or FOLDING in found


def trouble(environment: dict[str, str], nemesis: Nemesis, patience: float) -> str:
    """What the checker finds after this has happened, or the nodes complain of, if anything."""
    try:
        with installed(), staged(environment) as stage:
            stage.patience = min(stage.patience, 2 * patience)
            asyncio.run(suffer(stage, [nemesis], Random(3), ["nettoe", "glendy"], patience=patience))
    except AssertionError as error:
        return str(error)
    return ""
