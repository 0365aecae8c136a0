"""`/healthz` and `/readyz` of a server that is not well, or not there for everybody."""

import json
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.server.child import HERE, PATIENCE, Server, doors, glendy_pair, serving


def ask(server: Server, path: str) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(f"http://{HERE}:{server.port('web')}{path}", timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def until(server: Server, path: str, status: int) -> dict[str, Any]:
    """What is told with this status, as soon as it comes."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found, told = ask(server, path)
        if found == status:
            return told
        time.sleep(0.05)
    raise AssertionError(f"{path} never said {status}: {found} {told}")


def test_server_that_is_well_says_so_with_its_figures(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), *doors("web")) as server:
        told = until(server, "/healthz", 200)
        assert (told["status"], told["failed"], told["log"]) == ("ok", [], "ok")
        assert told["disk_free"] > 0
        assert ask(server, "/readyz") == (200, {"status": "ready", "text": ""})


def test_server_without_a_log_has_none_that_could_fail() -> None:
    with serving("--data", "none", *doors("web")) as server:
        told = until(server, "/healthz", 200)
        assert (told["log"], told["disk_free"]) == ("none", None)


@pytest.mark.parametrize("name", ["parlour.db", "parlour.db-wal"])
@pytest.mark.parametrize("replaced", [False, True])
def test_log_that_is_gone_under_a_running_server_is_noticed(tmp_path: Path, name: str, replaced: bool) -> None:
    with serving("--data", str(tmp_path), *doors("web")) as server:
        until(server, "/healthz", 200)
        (tmp_path / name).rename(tmp_path / "elsewhere")
        if replaced:
            (tmp_path / name).write_bytes((tmp_path / "elsewhere").read_bytes())
        told = until(server, "/healthz", 503)
        assert (told["status"], told["failed"], told["log"]) == ("failing", ["log"], "failing")
        assert str(tmp_path / "parlour.db") in told["text"]
        assert until(server, "/readyz", 503)["status"] == "log-down"
        (tmp_path / "elsewhere").replace(tmp_path / name)
        until(server, "/healthz", 200)
        until(server, "/readyz", 200)


def test_server_that_stops_is_well_but_not_ready_until_its_games_are_over(tmp_path: Path) -> None:
    words = ("--data", str(tmp_path), "--drain", str(PATIENCE), *doors("glendy,walls=none", "web"))
    with serving(*words) as server:
        with glendy_pair(server.port("glendy")):
            server.process.send_signal(signal.SIGTERM)
            assert until(server, "/readyz", 503)["status"] == "draining"
            assert ask(server, "/healthz")[1]["log"] == "ok"
        assert server.process.wait(PATIENCE) == 0
