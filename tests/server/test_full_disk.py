"""A disk that fills up while people play: they are told, nothing acknowledged is lost, and it goes on later.

The disk is a limit on the size of files, which can be lifted from outside while the server runs.
"""

import asyncio
import resource
import time
from pathlib import Path
from random import Random

from parlour.protocols.c4n.codec import START
from parlour.protocols.nettoe.codec import name_field
from tests.server.child import PATIENCE, Peer, Server, doors, glendy_pair, play_to_the_end, serving
from tests.server.kill import check
from tests.server.load import DOORS, Match, play

BYTES = 400_000
PAIRS = 5
TOLD_WITHIN = 5.0
DOWN = b"DIE The server cannot save games right now, so play is paused."
TOLD = {"glendy": DOWN, "c4n": b"C4N 1.0 ERROR\n99"}
VERDICTS = (b"WON", b"LOST", b"C4N 1.0 RESULT")


def small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, resource.RLIM_INFINITY))


def make_room(server: Server) -> None:
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


async def play_until_it_is_full(server: Server, played: list[Match]) -> None:
    """Ends when everybody who plays has been told; that must not take longer than promised."""
    enough = asyncio.Event()
    playing = asyncio.create_task(play(dict(server.doors), PAIRS, Random(1), played, enough))
    end = time.monotonic() + 3 * PATIENCE
    while "cannot be written" not in server.stderr:
        assert time.monotonic() < end, "this disk is never full"
        await asyncio.sleep(0.02)
    enough.set()
    await asyncio.wait_for(playing, TOLD_WITHIN)


def test_full_disk_is_told_survived_and_overcome(tmp_path: Path) -> None:
    words = ("--data", str(tmp_path), "--drain", "0", *doors(*DOORS, "nettoe"))
    played: list[Match] = []
    with serving(*words, before=small_disk) as server:
        port = server.port("glendy")
        with glendy_pair(port) as (trapper, glenda):
            asyncio.run(play_until_it_is_full(server, played))
            assert_told(played)
            assert_bystanders_are_told(trapper, glenda)
        assert_nobody_begins(server)
        make_room(server)
        wait_for(server, "can be written again")
        with glendy_pair(port) as (trapper, glenda):
            play_to_the_end(trapper, glenda)
        complaint, *_ = server.stderr.splitlines()
        assert complaint.startswith(f"parlour: the log {tmp_path / 'parlour.db'} cannot be written: ")
        assert "Traceback" not in server.stderr
        assert server.stop() == 0
    check(tmp_path, played)


def assert_told(played: list[Match]) -> None:
    """Whoever did not get to a verdict knows why."""
    broken_off = [match for match in played if match.sent and not match.last_words[0].startswith(VERDICTS)]
    assert broken_off
    for match in broken_off:
        assert match.last_words == [TOLD[match.wire]] * 2


def assert_bystanders_are_told(trapper: Peer, glenda: Peer) -> None:
    """Who did not move while the disk filled up is still at the table; their next move is kept or they are told."""
    begun = time.monotonic()
    answer = trapper.send(b"p 0 0\n").until(b"\n")
    if answer != b"SYNC 1 0 0\n":  # as long as the end of the file has room for one, their game goes on
        assert (answer + trapper.rest(), glenda.rest()) == (DOWN + b"\n", DOWN + b"\n")
    assert time.monotonic() - begun < TOLD_WITHIN


def assert_nobody_begins(server: Server) -> None:
    for name, greeting, answer in (
        ("glendy", b"hugo 0 0 0\n", DOWN + b"\n"),
        ("c4n", START, b"C4N 1.0 ERROR\n99"),
        ("nettoe", name_field("Bob"), name_field("Parlour")),
    ):
        with Peer(server.port(name)) as peer:
            assert peer.send(greeting).rest() == answer


def wait_for(server: Server, words: str) -> None:
    end = time.monotonic() + PATIENCE
    while words not in server.stderr:
        assert time.monotonic() < end, server.stderr
        time.sleep(0.02)
