"""`parlour serve --visit` with stand-ins of the original servers: who sits down here plays a whole game there."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from parlour.registry import games
from tests.bots import Bot
from tests.interop.live_originals import ORIGINALS, Host, Netdot, hosting, original
from tests.server.child import HERE, PARLOUR, Peer, Server, doors, serving

KINDS = [kind for kind in ORIGINALS if kind != "c4n"]
"""Those whose rules are ours; of the other one see below."""


class House:
    """Our server, with the stand-ins that it visits."""

    def __init__(self, server: Server, hosts: dict[str, Host], data: Path) -> None:
        self.server = server
        self.hosts = hosts
        self.data = data

    def listed(self, kind: str) -> dict[str, Any]:
        """The table where a visit begins."""
        with urlopen(f"http://{HERE}:{self.server.port('web')}/api/tables") as answer:
            tables = json.load(answer)["tables"]
        place = f"{HERE}:{self.hosts[kind].port}"
        (table,) = (table for table in tables if table["title"].endswith(place) and table["status"] == "waiting")
        return dict(table)

    def play(self, kind: str, *words: str) -> tuple[str, list[str], str, str]:
        """A player comes with a browser's wire, and says how it went."""
        table = self.listed(kind)
        bot = Bot(f"http://{HERE}:{self.server.port('web')}/table/{table['id']}", "--level", "easy", *words)
        return table["id"], *bot.finish(), bot.errors

    def game(self, id: str) -> dict[str, Any]:
        """As the log has it."""
        words = [*PARLOUR, "export", id, "--data", str(self.data)]
        return dict(json.loads(subprocess.run(words, capture_output=True, check=True, timeout=60).stdout))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    data = tmp_path_factory.mktemp("near")
    with ExitStack() as stack:
        hosts, words = {}, []
        for kind in ORIGINALS:
            url, factory = original(kind, "visit")
            hosts[kind] = stack.enter_context(hosting(factory))
            words += ["--visit", url.replace("PORT", str(hosts[kind].port))]
        server = stack.enter_context(serving("--data", str(data), "--drain", "0", *doors("web", "telnet"), *words))
        yield House(server, hosts, data)
        assert server.stop() == 0
        assert server.stderr == ""


def test_every_server_is_listed_and_none_is_dialled(house: House) -> None:
    for kind in ORIGINALS:
        before = set(house.hosts[kind].sockets)  # of tests that came first
        table = house.listed(kind)
        assert table["sit"]
        assert table["seats"][1]["name"] == f"{HERE}:{house.hosts[kind].port}"
        assert table["seats"][1]["wire"] == kind.split()[0]
        assert before.issuperset(house.hosts[kind].sockets)


@pytest.mark.parametrize("kind", KINDS)
def test_whole_game_is_played_there_and_is_in_the_log_here(house: House, kind: str) -> None:
    table, lines, last, errors = house.play(kind, "--games", "1")
    assert len(lines) == 1, (last, errors)
    result = lines[0].split()[0]
    kept = house.game(f"{table}-1")
    mine = next(player["seat"] for player in kept["players"] if player["name"] == "Vera")
    others = [player for player in kept["players"] if player["seat"] != mine]
    assert [player["wire"] for player in others] == [kind.split()[0]]
    assert others[0]["name"].endswith(f"{HERE}:{house.hosts[kind].port}")
    winners = kept["result"]["winners"]
    assert result == ("draw" if not winners else "won" if mine in winners else "lost")
    assert kept["result"]["reason"] == "played-out"
    game = games()[kept["game"]]
    position = game.start(kept["options"], kept["moves"][0]["seat"])
    for each in kept["moves"]:
        assert position.turn == each["seat"]
        position.play(each["move"])
    if kind != "glendy may":  # which judges late, and without the last move
        assert tuple(winners) == position.winners()
    assert house.listed(kind)["id"] != table, "the next visitor finds another table"


def test_connecti4ns_verdicts_are_believed_or_the_game_is_broken_off(house: House) -> None:
    endings = set()
    for _ in range(4):
        table, lines, *_ = house.play("c4n", "--games", "1", "--seconds", "0")
        endings |= {house.game(f"{table}-1")["result"]["reason"]}
        assert lines
    assert endings <= {"played-out", "abandoned"}


@pytest.mark.parametrize("kind", ["netdot java", "netdot draft", "ggz"])
def test_rematch_is_played_on_the_same_connection(house: House, kind: str) -> None:
    table, lines, _, errors = house.play(kind, "--games", "2")
    assert len(lines) == 2, errors
    assert house.game(f"{table}-2")["result"]["reason"] == "played-out"


def test_visitor_who_resigns_has_lost_there_and_here(house: House) -> None:
    table = house.listed("glendy later")["id"]
    with Peer(house.server.port("telnet")) as ann:
        ann.until(b"> ")
        ann.send(b"name Ann\n").until(b"> ")
        ann.send(f"sit {table}\n".encode()).until(b"begins")
        ann.send(b"resign\n").until(b"You lost.")
    assert house.game(f"{table}-1")["result"]["reason"] == "resigned"


def test_chat_goes_both_ways(house: House) -> None:
    table = house.listed("netdot java")["id"]
    host = house.hosts["netdot java"]
    with Peer(house.server.port("telnet")) as ann:
        ann.until(b"> ")
        ann.send(b"name Ann\n").until(b"> ")
        ann.send(f"sit {table}\n".encode()).until(b"begins")
        far = host.sockets[-1]
        assert isinstance(far, Netdot)
        ann.send(b"say hello over there\n").until(b"Ann says: hello over there")
        host.loop.call_soon_threadsafe(far.chat, "hello Ann")
        ann.until(b"says: Server: hello Ann")
        host.wait_until(lambda: "network-chat hello over there" in far.server.heard)


def test_lost_server_ends_the_game_in_words_and_is_dialled_again(house: House) -> None:
    table = house.listed("netdot android")["id"]
    host = house.hosts["netdot android"]
    with Peer(house.server.port("telnet")) as ann:
        ann.until(b"> ")
        ann.send(f"sit {table}\n".encode()).until(b"begins")
        host.close()
        ann.until(b"The server has closed the connection.")
        ann.until(b"The table is closed.")
        again = house.listed("netdot android")["id"]
        ann.send(f"sit {again}\n".encode()).until(b"listens there")
        ann.until(b"again in 1 seconds")
        _, host.factory = original("netdot android", "again")
        host.open()
        ann.until(b"begins")
    assert house.game(f"{table}-1")["result"] == {"winners": [], "scores": [0, 0], "reason": "abandoned"}


def test_kill_leaves_the_game_abandoned(tmp_path: Path) -> None:
    url, factory = original("glendy later", "kill")
    with hosting(factory) as host:
        words = ("--data", str(tmp_path), *doors("telnet"), "--visit", url.replace("PORT", str(host.port)))
        with serving(*words) as server, Peer(server.port("telnet")) as ann:
            ann.until(b"> ")
            ann.send(b"tables\n")
            table = ann.until(b"\n> ").split()[0].decode().removesuffix(":")
            ann.send(f"sit {table}\n".encode()).until(b"begins")
            server.kill()
        with serving(*words) as server, Peer(server.port("telnet")) as ann:
            ann.until(b"> ")
            ann.send(b"tables\n")
            assert table.encode() not in ann.until(b"\n> ")
    result = House(server, {}, tmp_path).game(f"{table}-1")["result"]
    assert result["reason"] == "abandoned"


def test_server_that_visits_itself_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind((HERE, 0))
        port = taken.getsockname()[1]
    words = [*PARLOUR, "serve", "--data", "none", "--listen", f"c4n={HERE}:{port}", "--visit", f"c4n://{HERE}:{port}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is a door of this server itself" in done.stderr


def test_server_with_edges_does_not_visit() -> None:
    words = [*PARLOUR, "serve", "--data", "none", "--edges", "1", "--visit", "c4n://there"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.parametrize("url", ["gopher://there", "http://127.0.0.1/table/x", "c4n://there/?no=1"])
def test_visit_that_leads_nowhere_is_refused(url: str) -> None:
    words = [*PARLOUR, "serve", "--data", "none", *doors("c4n"), "--visit", url]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_old_program_plays_on_a_server_of_another_wire() -> None:
    with serving("--data", "none", "--drain", "0", *doors("web", "telnet")) as far:
        urls = (
            f"http://{HERE}:{far.port('web')}/?game=connect4&level=easy",
            f"telnet://{HERE}:{far.port('telnet')}?game=noughts&against=easy",
        )
        words = [*doors("c4n,opponent=visit", "nettoe,opponent=visit"), "--visit", urls[0], "--visit", urls[1]]
        with serving("--data", "none", "--drain", "0", *words) as near:
            for wire in ("c4n", "nettoe"):
                bot = Bot(f"{wire}://{HERE}:{near.port(wire)}", "--level", "easy", "--games", "2")
                lines, last = bot.finish()
                assert (len(lines), bot.process.returncode) == (2, 0), (lines, last, bot.errors)
