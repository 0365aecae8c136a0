"""`parlour cluster status` and `drain`, and what a node tells of itself."""

import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests

from bench.brokers import Broker, Database
from parlour.store.backlog import SPAN, Backlog
from parlour.store.shelf import Message
from tests.cluster.houses import figures_of, node, urls
from tests.server.child import HERE, PATIENCE, doors, glendy_pair, parlour, serving


def asked(brokers: list[Broker], archive: str) -> tuple[int, dict[str, Any]] | None:
    """The status, unless the brokers have lost the one that led them: for some seconds no one answers then."""
    told = parlour("cluster", "status", "--cluster", urls(brokers), "--archive", archive, "--json")
    if told.stderr.startswith("parlour: the brokers do not answer"):
        return None
    assert told.stderr == ""
    return told.returncode, json.loads(told.stdout)


def status(brokers: list[Broker], archive: str) -> tuple[int, dict[str, Any]]:
    found = asked(brokers, archive)
    assert found is not None
    return found


def all_well(brokers: list[Broker], archive: str) -> tuple[int, dict[str, Any]] | None:
    """The status, unless something is wrong: nodes that other tests have killed are missed for some seconds."""
    found = asked(brokers, archive)
    return None if found is None or found[0] else found


def is_missed(brokers: list[Broker], archive: str, name: str) -> bool:
    found = asked(brokers, archive)
    return found is not None and any(f"broker {name} lacks" in sentence for sentence in found[1]["wrong"])


def until(look: Callable[[], Any]) -> Any:
    end = time.monotonic() + 3 * PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def mine(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Brokers and their shelves are those of other tests, too."""
    return [row for row in rows if row["node"] == name]


def shelves_of(name: str, broker: Broker, archive: str) -> list[dict[str, Any]]:
    """None while the node is too busy to answer."""
    return mine(status([broker], archive)[1]["shelves"], name)


def test_status_tells_of_nodes_shelves_and_leases_in_eighty_columns(
    broker: Broker, archive: str, tmp_path: Path
) -> None:
    words = node([broker], archive, tmp_path, "status-a", "--replicas", "1", "--drain", "0")
    with (
        serving(*words, *doors("glendy,walls=none")) as server,
        glendy_pair(server.port("glendy")) as (trapper, glenda),
    ):
        trapper.send(b"p 0 0\n")
        glenda.until(b"TURN\n")
        until(lambda: [row["lag"] for row in shelves_of("status-a", broker, archive)] == [0])
        code, found = until(lambda: all_well([broker], archive))
        (row,) = mine(found["nodes"], "status-a")
        assert (row["tables"], row["connections"], row["status"]) == (1, 2, "ready")
        (shelf,) = mine(found["shelves"], "status-a")
        assert (shelf["tables"], shelf["lag"], shelf["archived"]) == (1, 0, shelf["sequence"])
        assert {"name": f"shelf.{shelf['shelf']}", "node": "status-a"} in found["leases"]
        assert (code, found["wrong"], found["archive"]) == (0, [], "")
        text = parlour("cluster", "status", "--cluster", urls([broker]), "--archive", archive).stdout
        assert text.endswith("All is well.\n")
        assert [line for line in text.splitlines() if len(line) > 80] == []
        server.kill()
    until(lambda: not mine(status([broker], archive)[1]["leases"], "status-a"))
    code, found = status([broker], archive)
    assert code == 1
    assert f"shelf {shelf['shelf']} is kept by nobody: 1 open tables, 0 records not in the archive" in found["wrong"]


def test_node_that_stands_still_is_wrong(broker: Broker, archive: str, tmp_path: Path) -> None:
    words = node([broker], archive, tmp_path, "status-b", "--replicas", "1", "--drain", "0")
    with serving(*words, *doors("glendy,walls=none")) as server:
        server.process.send_signal(signal.SIGSTOP)
        code, found = status([broker], archive)
        server.process.send_signal(signal.SIGCONT)
    assert code == 1
    assert "node status-b does not answer" in found["wrong"]


def test_archive_that_is_away_is_told_everywhere_and_games_go_on(
    broker: Broker, postgres: Database, archive: str, tmp_path: Path
) -> None:
    words = node([broker], archive, tmp_path, "status-c", "--replicas", "1", "--drain", "0", "--metrics", f"{HERE}:0")
    with serving(*words, *doors("glendy,walls=none", "web")) as server:
        site = f"http://{HERE}:{server.port('web')}"
        assert requests.get(f"{site}/healthz", timeout=PATIENCE).json()["archive"] == "ok"
        postgres.stop()
        try:
            with glendy_pair(server.port("glendy")) as (trapper, glenda):
                trapper.send(b"p 0 0\n")
                glenda.until(b"TURN\n")
                until(lambda: requests.get(f"{site}/healthz", timeout=PATIENCE).json()["archive_lag"] > 1.5)
                health = requests.get(f"{site}/healthz", timeout=PATIENCE)
                assert (health.status_code, health.json()["archive"]) == (200, "away"), health.text
                ready = requests.get(f"{site}/readyz", timeout=PATIENCE)
                assert (ready.status_code, ready.json()["status"]) == (200, "ready")
                assert ready.json()["archive_lag"] > 1.5
                figures = figures_of(server)
                assert figures['parlour_archive_ok{node="status-c"}'] == 0
                lag = next(value for name, value in figures.items() if name.startswith("parlour_archive_lag_records"))
                assert lag >= 5, "opened, two joined, started and played"
                code, found = status([broker], archive)
                assert code == 1
                assert any("does not reach the archive" in sentence for sentence in found["wrong"])
                assert found["archive"]
                assert mine(found["shelves"], "status-c")[0]["lag"] == lag
        finally:
            postgres.start()
        until(lambda: requests.get(f"{site}/healthz", timeout=PATIENCE).json()["archive_lag"] == 0)
        figures = figures_of(server)
        assert figures['parlour_archive_ok{node="status-c"}'] == 1
        assert figures['parlour_commits_waiting{node="status-c"}'] == 0
        assert any(name.startswith('parlour_shelf_sequence{node="status-c"') for name in figures)


def test_broker_that_is_away_is_wrong(three: list[Broker], archive: str, tmp_path: Path) -> None:
    with serving(*node(three, archive, tmp_path, "status-d", "--drain", "0"), *doors("glendy")):
        until(lambda: all_well(three, archive))
        three[1].kill()
        try:
            until(lambda: is_missed(three, archive, "b1"))
        finally:
            three[1].start()
            three[1].wait()
        until(lambda: all_well(three, archive))


def test_node_that_is_drained_ends_and_gives_up_its_leases(broker: Broker, archive: str, tmp_path: Path) -> None:
    words = node([broker], archive, tmp_path, "drained", "--replicas", "1", "--drain", "0")
    with serving(*words, *doors("glendy")) as server:
        told = parlour("cluster", "drain", "drained", "--cluster", urls([broker]))
        assert (told.returncode, told.stdout) == (0, "node drained has ended\n")
        assert server.process.wait(PATIENCE) == 0
    assert mine(status([broker], archive)[1]["leases"], "drained") == []
    told = parlour("cluster", "drain", "drained", "--cluster", urls([broker]))
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("parlour: there is no node drained; there are ")


def test_shelf_that_is_no_ones_is_the_next_new_nodes(broker: Broker, archive: str, tmp_path: Path) -> None:
    """Else there would be one more for every node that was ever killed, and each new one would look through them."""
    numbers = []
    for name in ("one-way", "next-one"):
        words = node([broker], archive, tmp_path / name, name, "--replicas", "1", "--drain", "0")
        with serving(*words, *doors("glendy")) as server:
            numbers += [row["shelf"] for row in until(partial(shelves_of, name, broker, archive))]
            assert server.stop() == 0
    assert numbers[0] == numbers[1]
    assert len(numbers) == 2


def test_node_that_stands_still_cannot_be_drained(broker: Broker, archive: str, tmp_path: Path) -> None:
    words = node([broker], archive, tmp_path, "deaf", "--replicas", "1", "--drain", "0")
    with serving(*words, *doors("glendy")) as server:
        os.kill(server.process.pid, signal.SIGSTOP)
        told = parlour("cluster", "drain", "deaf", "--cluster", urls([broker]))
        os.kill(server.process.pid, signal.SIGCONT)
    assert (told.returncode, told.stderr) == (2, "parlour: node deaf does not answer\n")


@pytest.mark.parametrize("words", [("status",), ("drain",), ("mend", "--cluster", "nats://x")])
def test_wrong_usage_is_one_sentence(words: tuple[str, ...]) -> None:
    said = parlour("cluster", *words)
    assert (said.returncode, said.stdout, len(said.stderr.splitlines())) == (2, "", 1)


# --- the backlog ------------------------------------------------------------------------------------------------------


def message(sequence: int, at: float, records: int = 1, carry: bool = False) -> Message:
    return Message(sequence, "", b"1\t1\t%d\t{}\n" % (at * 1000) * records, more=False, carry=carry, count=0)


def test_backlog_counts_records_and_since_when_they_wait() -> None:
    backlog = Backlog()
    assert (backlog.records, backlog.seconds(100.0)) == (0, 0.0)
    backlog.add(message(1, 10.0, 3), 99.0)
    backlog.add(message(2, 10.0 + SPAN / 2, 2), 99.0)
    backlog.add(message(3, 20.0), 99.0)
    backlog.add(message(4, 30.0, 5, carry=True), 99.0)
    assert (backlog.records, backlog.seconds(40.0)) == (6, 30.0)
    backlog.drop(1)
    assert backlog.records == 6, "messages of one moment are counted together"
    backlog.drop(2)
    assert (backlog.records, backlog.seconds(40.0)) == (1, 20.0)
    backlog.drop(4)
    assert (backlog.records, backlog.seconds(40.0)) == (0, 0.0)


def test_backlog_of_a_long_absence_is_small() -> None:
    backlog = Backlog()
    for number in range(10_000):
        backlog.add(message(number, number / 1000), 1e9)
    assert len(backlog._spans) == pytest.approx(10 / SPAN, abs=1)
    assert backlog.records == 10_000
