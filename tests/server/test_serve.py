"""`parlour serve` as its host sees it: lines, signals, options, and one sentence when it cannot start."""

import json
import resource
import signal
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.protocols.c4n.codec import START
from parlour.protocols.nettoe.codec import name_field
from tests.server.child import HERE, Peer, Server, doors, glendy_pair, parlour, play_to_the_end, serving

GLENDY = "glendy,walls=none"
MEMORY = ("--data", "none", "--drain", "0")
STOPPING = b"DIE The server is about to stop.\n"


def test_doors_are_announced_in_order_then_ready() -> None:
    with serving(*MEMORY, *doors("c4n", "glendy", "nettoe", "glendy")) as server:
        assert [name for name, _ in server.doors] == ["c4n", "glendy", "nettoe", "glendy"]
        assert server.lines == [f"listening {name} {HERE}:{port}" for name, port in server.doors] + ["ready"]
        for _, port in server.doors:
            Peer(port).close()
        assert (server.stop(), server.stderr) == (0, "")


def test_host_is_told_where_their_page_is_after_the_doors(tmp_path: Path) -> None:
    lines = []
    for _ in range(2):
        with serving("--data", str(tmp_path), "--drain", "0", *doors("glendy", "web", "nettoe")) as server:
            *opened, host, ready = server.lines
            assert [line.partition(" ")[0] for line in opened] == ["listening"] * 3
            assert ready == "ready"
            word, _, address = host.partition(" ")
            page, _, token = address.partition("#")
            assert (word, page) == ("host", f"http://{HERE}:{server.port('web')}/host")
            lines.append(token)
            asked = urllib.request.Request(
                page.replace("/host", "/api/host"), headers={"Authorization": f"Bearer {token}"}
            )
            with urllib.request.urlopen(asked, timeout=10) as answer:
                assert len(json.load(answer)["doors"]) == 3
    assert lines[0] == lines[1], "a bookmark survives a restart"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("data", ["none", "log"])
def test_signal_ends_it_in_good_order(tmp_path: Path, number: int, data: str) -> None:
    directory = "none" if data == "none" else str(tmp_path / data)
    with serving("--data", directory, "--drain", "0", *doors(GLENDY)) as server:
        with glendy_pair(server.port("glendy")) as (trapper, glenda):
            trapper.send(b"p 0 0\n").until(b"WAIT\n")
            glenda.until(b"TURN\n")
            assert server.stop(number) == 0
            assert (trapper.rest(), glenda.rest()) == (STOPPING, STOPPING)
        assert server.stderr == ""
    if data == "log":
        assert statuses(directory) == ["abandoned"]


def statuses(directory: str) -> list[str]:
    done = parlour("tables", "--data", directory, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line)["status"] for line in done.stdout.splitlines()]


def test_stop_waits_for_a_running_game_and_takes_nobody_new(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), "--drain", "60", *doors(GLENDY, "c4n,opponent=human")) as server:
        port = server.port("glendy")
        with glendy_pair(port) as (trapper, glenda), Peer(server.port("c4n")) as waiting:
            waiting.send(START)
            trapper.send(b"p 0 0\n").until(b"WAIT\n")
            glenda.until(b"TURN\n")
            server.process.send_signal(signal.SIGTERM)
            assert waiting.rest() == b"C4N 1.0 ERROR\n3"
            with pytest.raises(ConnectionError):
                Peer(port).send(b"hugo 0 0 0\n").until(b"WAIT")
            glenda.send(b"m E\n").until(b"WAIT\n")
            trapper.until(b"TURN\n")
            play_to_the_end(trapper, glenda, already=1)
        assert server.process.wait(20) == 0
    assert statuses(str(tmp_path)) == ["finished"]


def one_sentence(*words: str, contains: str) -> None:
    done = parlour("serve", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("parlour: ")
    assert done.stderr.count("\n") == 1
    assert contains in done.stderr


@pytest.mark.parametrize(
    ("words", "contains"),
    [
        (doors("chess"), "no door called 'chess'"),
        (doors("c4n,colour=red"), "has no key 'colour'"),
        (doors("c4n,level=genius"), "level must be one of"),
        (["--listen", "c4n=nowhere"], "an address is HOST:PORT"),
        (["--listen", "c4n=a..b:0"], "cannot listen on a..b:0"),
        ([*doors("c4n"), "--metrics", "here"], "an address is HOST:PORT"),
        (["--config", "/no/such/file"], "cannot read the configuration /no/such/file"),
        (["--max-connections", "0"], "max-connections must be at least 1"),
        (["--engine-memory", "100"], "engine-memory must be at least 340 MB"),
        (["--data", "/dev/null/data"], "/dev/null/data"),
    ],
)
def test_nonsense_is_answered_with_one_sentence(words: list[str], contains: str) -> None:
    one_sentence("--data", "none", *words, contains=contains)


def test_game_of_another_package_that_cannot_be_loaded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "broken-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[parlour.games]\nbroken = not_there:GAME\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    one_sentence("--data", "none", *doors("nettoe"), contains="'broken' of another package cannot be loaded")


def test_port_that_is_taken_is_named() -> None:
    with socket.create_server((HERE, 0)) as taken:
        place = f"{HERE}:{taken.getsockname()[1]}"
        one_sentence("--data", "none", "--listen", f"c4n={place}", contains=f"cannot listen on {place}: ")
        one_sentence("--data", "none", *doors("c4n"), "--metrics", place, contains=f"metrics on {place}: ")


def test_data_of_another_server_is_refused_and_left_alone(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), "--drain", "0", *doors(GLENDY)) as server:
        one_sentence("--data", str(tmp_path), *doors("c4n"), contains="in use by another")
        with glendy_pair(server.port("glendy")) as (trapper, glenda):
            play_to_the_end(trapper, glenda)


def test_damaged_data_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "parlour.db"
    log.write_bytes(b"this is no database at all" * 500)
    before = log.read_bytes()
    one_sentence("--data", str(tmp_path), *doors("c4n"), contains=str(log))
    assert log.read_bytes() == before


def test_read_only_data_is_refused(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), *doors("c4n")) as server:
        assert server.stop() == 0
    (tmp_path / "parlour.db").chmod(0o444)
    one_sentence("--data", str(tmp_path), *doors("c4n"), contains="read-only")


def test_configuration_file_does_what_the_options_do(tmp_path: Path) -> None:
    file = tmp_path / "parlour.toml"
    file.write_text(f'data = "none"\ndrain = 0\nlisten = ["glendy={HERE}:0,walls=none", "c4n={HERE}:0,size=5x4"]\n')
    with serving("--config", str(file)) as server:
        assert [name for name, _ in server.doors] == ["glendy", "c4n"]
        with Peer(server.port("c4n")) as peer:
            assert peer.send(START).until(b"BOARD\n5 4")
        assert (server.stop(), server.stderr) == (0, "")


def test_metrics_are_answered_while_it_runs(tmp_path: Path) -> None:
    words = ("--data", str(tmp_path), "--drain", "0", *doors(GLENDY))
    with serving(*words, "--metrics", f"{HERE}:0") as server:
        word, address = server.lines[0].split()
        assert word == "metrics"
        with glendy_pair(server.port("glendy")) as (trapper, _):
            trapper.send(b"p 0 0\n").until(b"WAIT\n")
            with urllib.request.urlopen(address, timeout=20) as answer:
                text = answer.read().decode()
        for line in ("parlour_connections 2.0", "parlour_tables 1.0", "parlour_records_total 5.0"):
            assert line in text.splitlines()
        assert (server.stop(), server.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "environment"),
    [((), {"PARLOUR_LOOP": "asyncio"}), (("--durability", "power"), {})],
    ids=["loop", "power"],
)
def test_game_is_played_to_the_end(tmp_path: Path, words: tuple[str, ...], environment: dict[str, str]) -> None:
    with serving("--data", str(tmp_path), *words, *doors(GLENDY), environment=environment) as server:
        with glendy_pair(server.port("glendy")) as (trapper, glenda):
            play_to_the_end(trapper, glenda)
        assert (server.stop(), server.stderr) == (0, "")
    assert statuses(str(tmp_path)) == ["finished"]


def test_seed_settles_every_wall_and_every_coin() -> None:
    first, again, other = (walls_and_coins(seed) for seed in ("7", "7", "8"))
    assert first == again
    assert first != other


def walls_and_coins(seed: str) -> list[bytes]:
    with serving(*MEMORY, "--seed", seed, *doors("glendy,opponent=engine", "nettoe,level=beginner")) as server:
        seen = []
        for _ in range(4):
            with Peer(server.port("glendy")) as peer:
                seen.append(peer.send(b"tina 0 0 0\n").until(b"TURN\n"))
            with Peer(server.port("nettoe")) as peer:
                peer.send(name_field("Bob"))
                seen.append(peer.until(name_field("Parlour")) + _starter(peer))
        return seen


def _starter(peer: Peer) -> bytes:
    while len(peer.heard) < 33:
        peer.heard += peer.socket.recv(4096)
    return peer.heard[:33]


def test_tables_can_be_listed_while_it_runs(tmp_path: Path) -> None:
    with (
        serving("--data", str(tmp_path), "--drain", "0", *doors(GLENDY)) as server,
        glendy_pair(server.port("glendy")) as (trapper, glenda),
    ):
        trapper.send(b"p 0 0\n").until(b"WAIT\n")
        (line,) = parlour("tables", "--data", str(tmp_path), "--json").stdout.splitlines()
        listed = json.loads(line)
        assert (listed["status"], listed["game"], listed["moves"]) == ("playing", "glenda", 1)
        glenda.until(b"TURN\n")
        glenda.send(b"m E\n").until(b"WAIT\n")
        trapper.until(b"TURN\n")
        play_to_the_end(trapper, glenda, already=1)
        assert statuses(str(tmp_path)) == ["finished"]


# --- more connections than there are descriptors ---------------------------------------------------------------------

DESCRIPTORS = 100
ROOM = DESCRIPTORS - 64


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_no_more_connections_are_taken_than_there_are_descriptors(loop: str) -> None:
    environment = {"PARLOUR_LOOP": loop}
    with serving(*MEMORY, *doors(GLENDY, "c4n"), environment=environment, before=few_descriptors) as server:
        port = server.port("glendy")
        with glendy_pair(port) as (trapper, glenda):
            waiting = [Peer(port).send(b"hugo 0 0 0\n") for _ in range(ROOM - 2)]
            for peer in waiting:
                peer.until(b"UGUD\n")
            for _ in range(80):
                with Peer(port) as extra:
                    assert extra.rest().startswith(b"DIE The server is full. The limit is ")
            with Peer(server.port("c4n")) as extra:
                assert extra.rest() == b"C4N 1.0 ERROR\n3"
            waiting.pop().close()
            assert_open_again(server, lambda: Peer(port).send(b"late 0 0 0\n"))
            play_to_the_end(trapper, glenda)
        for peer in waiting:
            peer.close()
        assert (server.stop(), server.stderr) == (0, "")


def assert_open_again(server: Server, arrive: Callable[[], Peer]) -> None:
    """The place of somebody who has gone is free as soon as the server has noticed."""
    for _ in range(50):
        with arrive() as peer:
            if peer.until(b"\n") == b"WAIT\n":
                return
    raise AssertionError(f"nobody is let in any more: {server.stderr}")


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_rush_of_connections_is_survived(loop: str) -> None:
    """More at once than can even be refused with a word; nobody stays who was not let in."""
    environment = {"PARLOUR_LOOP": loop}
    with serving(*MEMORY, *doors(GLENDY, "c4n"), environment=environment, before=few_descriptors) as server:
        port = server.port("glendy")
        with glendy_pair(port) as (trapper, glenda):
            rush = [Peer(server.port("c4n")) for _ in range(3 * DESCRIPTORS)]
            trapper.send(b"p 0 0\n").until(b"WAIT\n")
            for peer in rush:
                peer.close()
            glenda.until(b"TURN\n")
            glenda.send(b"m E\n").until(b"WAIT\n")
            trapper.until(b"TURN\n")
            assert_open_again(server, lambda: Peer(port).send(b"late 0 0 0\n"))
            play_to_the_end(trapper, glenda, already=1)
        assert server.stop() == 0
        assert "Traceback" not in server.stderr, server.stderr
