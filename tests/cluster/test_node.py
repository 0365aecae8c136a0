"""A node as a process: nodes and brokers are killed under load, and what was told is in the archive."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import psycopg
import pytest
import requests
from nats.js.api import StreamInfo

from bench.brokers import Broker, Database
from tests.cluster.conftest import connected
from tests.cluster.houses import node, urls
from tests.processes import started
from tests.server.child import HERE, Server, doors, parlour, serving
from tests.server.kill import check, rounds
from tests.server.load import DOORS, Match, play

SECONDS = 60.0


def verify(three: list[Broker], archive: str) -> "subprocess.CompletedProcess[str]":
    return parlour("cluster", "verify", "--cluster", urls(three), "--archive", archive)


def test_no_told_move_is_lost_when_a_node_is_killed_and_goes_on_with_its_shelf(
    three: list[Broker], archive: str, tmp_path: Path
) -> None:
    tally = rounds(archive, 2, 1.0, pairs=5, seed=1, options=node(three, archive, tmp_path, "killed"))
    assert tally.acknowledged <= tally.logged <= tally.sent
    assert tally.acknowledged > 0
    found = verify(three, archive)
    assert found.returncode == 0, found.stdout + found.stderr


async def _led_by(three: list[Broker], stream: str) -> Broker:
    """The broker that leads a stream."""
    async with connected(three, 3) as through:
        info: StreamInfo = await through.js.stream_info(stream)
        assert info.cluster is not None
        assert info.cluster.leader is not None
        return three[int(info.cluster.leader.removeprefix("b"))]


async def _streams(three: list[Broker]) -> set[str]:
    async with connected(three, 3) as through:
        return {info.config.name or "" for info in await through.js.streams_info()}


def test_no_told_move_is_lost_when_brokers_die_and_games_go_on(
    three: list[Broker], archive: str, tmp_path: Path
) -> None:
    before = asyncio.run(_streams(three))
    played: list[Match] = []
    with serving(*node(three, archive, tmp_path, "steady"), "--drain", "0", *doors(*DOORS)) as server:
        (stream,) = {name for name in asyncio.run(_streams(three)) - before if "SHELF" in name}
        asyncio.run(_play_through(server, three, stream, played))
        assert server.stop() == 0
        assert "tables closed" not in server.stderr
        assert "Traceback" not in server.stderr
    check(archive, played)
    assert verify(three, archive).returncode == 0


async def _play_through(server: Server, three: list[Broker], stream: str, played: list[Match]) -> None:
    """A follower of the shelf's stream is killed, then its leader; after each the games must go on."""
    playing = asyncio.create_task(play(dict(server.doors), 4, Random(2), played))
    try:
        await _go_on(played)
        leader = await _led_by(three, stream)
        follower = next(broker for broker in three if broker is not leader)
        for victim in (follower, leader):
            victim.kill()
            await _go_on(played)
            victim.start()
            await asyncio.to_thread(victim.wait)
            await _go_on(played)
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


async def _go_on(played: list[Match]) -> None:
    """Until many more moves were told."""
    told = sum(match.acknowledged for match in played)
    async with asyncio.timeout(SECONDS):
        while sum(match.acknowledged for match in played) < told + 100:
            await asyncio.sleep(0.02)


def test_node_that_was_replaced_while_it_stood_still_tells_nothing_that_is_in_no_log(
    three: list[Broker], archive: str, tmp_path: Path
) -> None:
    words = (*node(three, archive, tmp_path, "sleeper"), "--drain", "0", *doors(*DOORS))
    played: list[Match] = []
    with serving(*words) as old:
        asyncio.run(_sleep_and_wake(old, words, played))
        assert old.stop() == 0
        assert "Traceback" not in old.stderr
        assert "kept by sleeper now; tables given up" in old.stderr
    check(archive, played)
    assert verify(three, archive).returncode == 0


async def _sleep_and_wake(old: Server, words: tuple[str, ...], played: list[Match]) -> None:
    playing = asyncio.create_task(play(dict(old.doors), 4, Random(3), played))
    try:
        await _go_on(played)
        old.process.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(_replace, words)
        old.process.send_signal(signal.SIGCONT)
        async with asyncio.timeout(SECONDS):
            while "given up" not in old.stderr:
                await asyncio.sleep(0.02)
        await _go_on(played)  # the players have come back, to tables on another shelf
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def _replace(words: tuple[str, ...]) -> None:
    """Another process takes the shelf of one that does not answer, and is done with it."""
    with serving(*words) as new:
        assert new.stop() == 0


def test_games_go_on_while_the_archive_is_away_and_registering_says_so(
    broker: Broker, postgres: Database, archive: str, tmp_path: Path
) -> None:
    words = node([broker], archive, tmp_path, "alone", "--replicas", "1", "--drain", "0")
    played: list[Match] = []
    with serving(*words, *doors(*DOORS, "web")) as server:
        site = f"http://{HERE}:{server.port('web')}"
        ann = {"name": "Ann", "password": "correct horse"}
        assert register(site, ann).status_code < 300
        postgres.stop()
        try:
            asyncio.run(_play_for_a_while(server, played))
            ben = register(site, {"name": "Ben", "password": "battery staple"})
            assert (ben.status_code, ben.json()["why"]) == (503, "failed"), ben.text
            assert login(site, ann).status_code == 503
            health = requests.get(f"{site}/healthz", timeout=SECONDS)
            assert health.json()["log"] == "ok"
            assert health.status_code == 200, health.text
        finally:
            postgres.start()
        until = time.monotonic() + SECONDS
        while login(site, ann).status_code == 503 and time.monotonic() < until:
            time.sleep(0.1)  # it looks again by itself
        assert login(site, ann).status_code == 200
        assert server.stop() == 0
        assert "Traceback" not in server.stderr
    check(archive, played)
    listed = parlour("accounts", "list", "--archive", archive)
    assert "Ann" in listed.stdout
    assert "Ben" not in listed.stdout


async def _play_for_a_while(server: Server, played: list[Match]) -> None:
    playing = asyncio.create_task(play(dict(server.doors), 3, Random(4), played))
    await _go_on(played)
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


def register(site: str, who: dict[str, str]) -> requests.Response:
    return requests.post(f"{site}/api/register", json=who, headers={"Origin": site}, timeout=SECONDS)


def login(site: str, who: dict[str, str]) -> requests.Response:
    return requests.post(f"{site}/api/login", json=who, headers={"Origin": site}, timeout=SECONDS)


# --- commands ---------------------------------------------------------------------------------------------------------


def test_commands_read_and_write_an_archive_as_they_do_a_log(broker: Broker, archive: str, tmp_path: Path) -> None:
    words = node([broker], archive, tmp_path, "one", "--replicas", "1", "--drain", "0")
    with serving(*words, *doors("glendy,walls=none")) as server:
        assert server.lines[-2:] == ["node one", "ready"]
        played: list[Match] = []
        asyncio.run(_one_game(server, played))
        assert server.stop() == 0
    games = [json.loads(line) for line in parlour("tables", "--json", "--archive", archive).stdout.splitlines()]
    game = games[0]  # of those that followed it no move may have been made
    assert (game["game"], game["moves"]) == ("glenda", len(played[0].sent))
    assert int(game["table"][:-5], 16) >> 32 > 0, "an id begins with the shelf"
    assert f"game {game['id']}" in parlour("replay", game["id"], "--archive", archive).stdout
    sheet = tmp_path / "game.json"
    assert parlour("export", game["id"], "--archive", archive, "--output", str(sheet)).returncode == 0
    added = parlour("import", str(sheet), "--archive", archive)
    assert added.returncode == 0, added.stderr
    backup, restored = tmp_path / "backup", tmp_path / "restored"
    assert parlour("backup", str(backup), "--archive", archive).stdout.startswith(f"{len(games) + 1} games are in ")
    assert parlour("restore", str(backup), "--data", str(restored)).returncode == 0
    for where in (("--archive", archive), ("--data", str(restored))):
        again = json.loads(parlour("export", added.stdout.strip(), *where).stdout)
        first = json.loads(sheet.read_text())
        assert [move["move"] for move in again["moves"]] == [move["move"] for move in first["moves"]]
        assert again["result"] == first["result"]
    assert parlour("accounts", "ban", "Cad", "--archive", archive).returncode == 0
    assert "Cad" in parlour("accounts", "bans", "--archive", archive).stdout
    with psycopg.connect(archive) as connection:
        ((kept,),) = connection.execute("SELECT count(*) FROM kept WHERE name <> 'relay'").fetchall()
        assert kept == 0, "no door for browsers was open"


async def _one_game(server: Server, played: list[Match]) -> None:
    playing = asyncio.create_task(play({"glendy": server.port("glendy"), "c4n": 1}, 1, Random(5), played))
    async with asyncio.timeout(SECONDS):
        while not (played and played[0].over.is_set()):
            await asyncio.sleep(0.02)
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


def test_verify_finds_what_the_archive_lacks_or_has_otherwise(broker: Broker, archive: str, tmp_path: Path) -> None:
    words = node([broker], archive, tmp_path, "witness", "--replicas", "1", "--drain", "0")
    with serving(*words, *doors(*DOORS)) as server:
        asyncio.run(_play_for_a_while(server, []))
        assert server.stop() == 0
    assert verify([broker], archive).returncode == 0
    with psycopg.connect(archive, autocommit=True) as connection:
        ((first, last),) = connection.execute("SELECT min(tbl), max(tbl) FROM record").fetchall()
        connection.execute("UPDATE record SET at = at + 1 WHERE tbl = %s AND seq = 2", (first,))
        connection.execute("DELETE FROM record WHERE tbl = %s AND seq = 1", (last,))
    found = verify([broker], archive)
    assert found.returncode == 1
    assert [line for line in found.stdout.splitlines() if line.startswith("    ")] == [
        f"    record 2 of table {first:x} is another one in the archive",
        f"    record 1 of table {last:x} is not in the archive",
    ]
    with psycopg.connect(archive, autocommit=True) as connection:
        connection.execute("UPDATE shelf SET sequence = sequence + 1000000")
    found = verify([broker], archive)
    assert found.returncode == 1
    assert "but the archive has" in found.stdout
    refused = parlour("serve", *words, *doors(*DOORS))
    assert refused.returncode == 2
    assert "the brokers have lost messages" in refused.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--cluster", "nats://127.0.0.1:1", "--archive", "ARCHIVE"), "no broker answers at nats://127.0.0.1:1"),
        (("--cluster", "BROKER", "--archive", "ARCHIVE"), "there are fewer brokers than the 3 copies wanted"),
        (
            ("--cluster", "BROKER", "--archive", "postgresql://x@127.0.0.1:1/x"),
            "the archive postgresql://x@127.0.0.1:1",
        ),
        (("--cluster", "BROKER", "--archive", "mysql://x"), "an archive is postgresql://"),
        (("--cluster", "BROKER"), "a node of a house needs both"),
        (("--archive", "ARCHIVE"), "a node of a house needs both"),
        (("--cluster", "BROKER", "--archive", "ARCHIVE", "--durability", "power"), "sync_interval: always"),
        (("--cluster", "BROKER", "--archive", "ARCHIVE", "--replicas", "0"), "replicas must be at least 1"),
        (("--cluster", "BROKER", "--archive", "ARCHIVE", "--node", "a b"), "cannot be the name of a node"),
    ],
)
def test_what_keeps_a_node_from_starting_is_one_sentence(
    broker: Broker, archive: str, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    given = [{"BROKER": broker.url, "ARCHIVE": archive}.get(word, word) for word in words]
    said = parlour("serve", "--data", str(tmp_path), *doors("nettoe"), *given)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("parlour: ")
    assert sentence in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_server_of_one_process_imports_nothing_of_brokers_or_databases(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from parlour.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "ours = ('jetstream', 'shelf', 'archivist', 'postgres', 'pglibrary', 'pgschema', 'brokers')\n"
        "found = [name for name in sys.modules if name.split('.')[0] in ('nats', 'psycopg')"
        " or name.startswith('parlour.cluster') or name.removeprefix('parlour.store.') in ours]\n"
        "print(code, found)\n"
    )
    words = ["serve", "--data", str(tmp_path), *doors("nettoe", "web")]
    with started([sys.executable, "-c", program, *words]) as process:
        assert process.stdout is not None
        assert "ready\n" in iter(process.stdout.readline, "")
        process.terminate()
        assert process.stdout.read() == "0 []\n"


def test_old_broker_is_refused(archive: str, tmp_path: Path) -> None:
    """A broker tells its version in its first line, before anything is asked of it."""
    program = (
        "import socket\n"
        "listening = socket.create_server(('127.0.0.1', 0))\n"
        "print(listening.getsockname()[1], flush=True)\n"
        "while True:\n"
        "    peer, _ = listening.accept()\n"
        '    peer.sendall(b\'INFO {"server_id":"X","version":"2.12.2","headers":true,"max_payload":1000000}\\r\\n\')\n'
        "    while data := peer.recv(4096):\n"
        "        if b'PING' in data: peer.sendall(b'PONG\\r\\n')\n"
    )
    with started([sys.executable, "-c", program]) as old:
        assert old.stdout is not None
        port = int(old.stdout.readline())
        words = ("--cluster", f"nats://{HERE}:{port}", "--archive", archive, "--data", str(tmp_path))
        said = parlour("serve", *words, *doors("nettoe"))
    assert said.returncode == 2
    assert said.stderr == f"parlour: the broker nats://{HERE}:{port} is nats-server 2.12.2; 2.12.3 or newer is needed\n"
