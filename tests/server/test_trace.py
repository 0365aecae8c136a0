"""What passes through a trace arrives unchanged, and what one side does happens to the other."""

import signal
import socket
import struct
import threading
from pathlib import Path
from random import Random

import msgspec
import pytest

from parlour.trace.records import DATA
from parlour.trace.sinks import SINKS
from parlour.trace.sources import Source
from tests.server.child import HERE, parlour
from tests.server.tracing import everything, sent_until_stuck, tracing
from tests.wires.transcripts import load

AT_ONCE = struct.pack("ii", 1, 0)
"""For SO_LINGER: closing resets."""


def send_in_pieces(link: socket.socket, data: bytes, rng: Random) -> None:
    at = 0
    while at < len(data):
        size = rng.choice((1, 2, 7, 100, 5000, 40_000))
        link.sendall(data[at : at + size])
        at += size
    link.shutdown(socket.SHUT_WR)


def streams(path: Path) -> dict[str, bytes]:
    """What each side has sent by a file, read as `parlour trace FILE` reads it."""
    found = {"C": b"", "S": b""}
    for record in Source(path, "netdot").records():
        if record.what == DATA:
            found[record.sender] += record.data
    return found


def reset(link: socket.socket) -> None:
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    link.close()


def test_not_a_byte_is_changed_in_either_direction_or_in_any_file(tmp_path: Path) -> None:
    rng = Random(5)
    sent = {"C": rng.randbytes(300_000), "S": rng.randbytes(200_000)}
    files = [tmp_path / f"kept{ending}" for ending in (".wire", ".ndjson", ".pcapng")]
    with tracing("netdot", *(word for path in files for word in ("--save", str(path)))) as trace:
        client, server = trace.connect()
        senders = [
            threading.Thread(target=send_in_pieces, args=(link, sent[side], Random(side)))
            for side, link in (("C", client), ("S", server))
        ]
        for sender in senders:
            sender.start()
        got: dict[str, bytes] = {}
        reader = threading.Thread(target=lambda: got.update(S=everything(client)))
        reader.start()
        got["C"] = everything(server)
        for thread in (*senders, reader):
            thread.join()
        assert got == sent
        assert trace.stop() == 0
    assert [streams(path) for path in files] == [sent] * len(files)


def test_half_close_leaves_the_other_direction_open() -> None:
    with tracing("netdot") as trace:
        client, server = trace.connect()
        client.sendall(b"request-info\n")
        client.shutdown(socket.SHUT_WR)
        assert everything(server) == b"request-info\n"
        server.sendall(b"info-version 3 0\n")
        assert client.recv(100) == b"info-version 3 0\n"
        server.close()
        assert client.recv(100) == b""
        assert trace.stop() == 0
    assert [line.split(" ", 2)[2] for line in trace.lines] == [
        "C request-info",
        "C end",
        "S info-version major=3 minor=0",
        "S end",
    ]


@pytest.mark.parametrize("side", ["client", "server"])
def test_reset_is_a_reset_after_all_that_was_sent_before_it(side: str) -> None:
    with tracing("netdot") as trace:
        pair = trace.connect()
        one, other = pair if side == "client" else pair[::-1]
        data = b"network-chat 1 here I am\n" * 2000
        one.sendall(data)
        assert other.recv(1) == data[:1]
        reset(one)
        assert everything(other, cut=True) == data[1:]
        assert trace.stop() == 0
    assert trace.lines[-1].split()[2:] == [side[0].upper(), "reset"]


def test_who_does_not_read_stops_the_writer_and_loses_nothing() -> None:
    with tracing("netdot") as trace:
        client, server = trace.connect()
        sent = sent_until_stuck(client, most=64 << 20)
        client.shutdown(socket.SHUT_WR)
        assert len(everything(server)) == sent
        assert trace.stop() == 0


def test_server_that_is_not_there_is_a_reset_with_the_reason() -> None:
    with tracing("netdot") as trace:
        trace.server.close()
        with socket.create_connection((HERE, trace.port)) as client, pytest.raises(ConnectionResetError):
            client.recv(1)
        assert trace.stop() == 0
    assert "#1 S reset [the server cannot be reached:" in trace.lines[0]


def test_death_of_the_decoder_holds_nothing_back(capfd: pytest.CaptureFixture[str]) -> None:
    with tracing("netdot") as trace:
        client, server = trace.connect()
        trace.kill_decoder()
        for number in range(50):
            client.sendall(b"%d" % number)
            assert server.recv(10) == b"%d" % number
        assert trace.stop() == 0
    assert "bytes are still passed on" in capfd.readouterr().err


def test_every_kind_of_file_is_read_again_as_what_was_shown(tmp_path: Path) -> None:
    files = [tmp_path / f"kept{ending}" for ending in SINKS]
    with tracing("c4n", *(word for path in files for word in ("--save", str(path)))) as trace:
        client, server = trace.connect()
        for sender, data in ((client, b"C4N 1.0 START\n"), (server, b"C4N 1.0 BOARD\n4 4" + b" 0" * 16)):
            sender.sendall(data)
            assert (server if sender is client else client).recv(1000) == data
        client.sendall(b"C4N 1.0 MOVE\n9")
        client.close()
        assert everything(server) == b"C4N 1.0 MOVE\n9"
        server.close()
        assert trace.stop(signal.SIGTERM) == 0
    assert [line.split(" ", 2)[2] for line in trace.lines] == [
        "C START",
        "S BOARD first=4 second=4 cells=0000000000000000",
        "C MOVE column=9 [there is no column 9: ERROR 2 is due]",
        "C end",
        "S end",
    ]
    for path in files[:3]:
        again = parlour("trace", str(path), *(() if path.suffix in (".wire", ".ndjson") else ("--wire", "c4n")))
        assert (again.stdout.splitlines(), again.stderr) == (trace.lines, ""), path.suffix
    assert {entry.data for entry in load(files[0]).entries} >= {b"C4N 1.0 START\n", b"C4N 1.0 MOVE\n9"}
    kept = [msgspec.json.decode(line) for line in files[1].read_bytes().splitlines()]
    assert {tuple(one) for one in kept} == {("at", "connection", "from", "bytes", "message", "fields", "phase", "note")}
    page = files[3].read_text()
    assert "there is no column 9" in page
    assert "<pre>" in page
