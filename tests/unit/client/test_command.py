"""`parlour play` as its user starts it: a child with a pipe or a terminal."""

import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

CHILD = """
import sys
from parlour import cli, registry
from tests.unit.client.fake import FAKE
registry.protocols = lambda: {"fake": FAKE}
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        yield listening


def start(listener: socket.socket, stdin: int) -> "subprocess.Popen[str]":
    """The program, on its way to the listener."""
    url = f"fake://127.0.0.1:{listener.getsockname()[1]}"
    words = [sys.executable, "-c", CHILD, "play", url, "--name", "Vera"]
    return subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def receive(peer: socket.socket, wanted: bytes) -> None:
    peer.settimeout(20)
    data = b""
    while wanted not in data:
        chunk = peer.recv(1000)
        assert chunk, f"hung up after {data!r}"
        data += chunk


def test_ctrl_c_takes_leave_and_ends_with_130(listener: socket.socket) -> None:
    with start(listener, subprocess.PIPE) as child:
        peer, _ = listener.accept()
        with peer:
            receive(peer, b"hello Vera\n")
            peer.sendall(b"turn 0\n")
            assert child.stdout is not None
            while child.stdout.read(1) != ">":
                pass
            child.send_signal(signal.SIGINT)
            receive(peer, b"bye\n")
        child.wait(20)
        out, err = child.communicate(timeout=20)
    assert (child.returncode, out.splitlines()[-1], err) == (130, "result aborted", "")


def test_ctrl_c_twice_does_not_wait_for_a_deaf_server(listener: socket.socket) -> None:
    with start(listener, subprocess.PIPE) as child:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"turn 0\n")
            assert child.stdout is not None
            while child.stdout.read(1) != ">":
                pass
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGINT)
            child.wait(20)  # with its input still open: the end of that would be a reason of its own to leave
        out, err = child.communicate(timeout=20)
    assert (child.returncode, out.splitlines()[-1], err) == (130, "result aborted", "")


def test_terminal_is_asked_and_answers(listener: socket.socket) -> None:
    keys, terminal = pty.openpty()
    try:
        with start(listener, terminal) as child:
            peer, _ = listener.accept()
            with peer:
                receive(peer, b"hello Vera\n")
                peer.sendall(b"turn 0\n")
                os.write(keys, b"0\n")
                receive(peer, b"play 0\n")
                peer.sendall(b"over won\nagain\n")
                assert child.stdout is not None
                while "You won" not in child.stdout.readline():
                    pass
                while child.stdout.read(1) != ">":
                    pass
                os.write(keys, b"\x04")
                receive(peer, b"vote False\n")
            out, err = child.communicate(timeout=20)
    finally:
        os.close(keys)
        os.close(terminal)
    assert (child.returncode, out.splitlines()[-1], err) == (0, "result won", "")


@pytest.mark.parametrize("news", [b"", b"board .\n", b"board .\nturn 0\n"])
def test_ctrl_d_at_a_terminal_leaves_whoever_is_to_move(listener: socket.socket, news: bytes) -> None:
    keys, terminal = pty.openpty()
    try:
        with start(listener, terminal) as child:
            peer, _ = listener.accept()
            with peer:
                receive(peer, b"hello Vera\n")
                peer.sendall(news)
                os.write(keys, b"\x04")
                receive(peer, b"bye\n")
            out, err = child.communicate(timeout=20)
    finally:
        os.close(keys)
        os.close(terminal)
    assert (child.returncode, out.splitlines()[-1], err) == (1, "result aborted", "")


def test_input_from_dev_null_leaves_when_asked(listener: socket.socket) -> None:
    with start(listener, subprocess.DEVNULL) as child:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"turn 0\n")
            receive(peer, b"hello Vera\nbye\n")
        out, err = child.communicate(timeout=20)
    assert (child.returncode, out.splitlines()[-1], err) == (1, "result aborted", "")


WRONG = [
    ["play"],
    ["play", "here"],
    ["play", "chess://here"],
    ["play", "fake://here?colour=red"],
    ["play", "fake://127.0.0.1:1", "--name", " "],
    ["play", "fake://127.0.0.1:1"],
]


@pytest.mark.parametrize("words", WRONG)
def test_wrong_usage_and_a_server_that_is_not_there_are_2_and_one_sentence(words: list[str]) -> None:
    child = subprocess.run(
        [sys.executable, "-c", CHILD, *words],
        input="",
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=ROOT,
    )
    assert child.returncode == 2
    assert "parlour" in child.stderr.splitlines()[-1]
    assert "Traceback" not in child.stderr
    assert "result" not in child.stdout
