"""The telnet door of `parlour serve` over real sockets: as `nc` uses it, and with `parlour play`."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from parlour.registry import games
from tests.server.child import HERE, PARLOUR, Peer, Server, doors, serving

PROMPT = b"> "
MARK = b"\xff\xfc\x06"
"""What a telnet client waits for after Ctrl-C."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    words = ("--data", "none", "--seed", "1", "--drain", "0")
    with serving(*words, *doors("telnet,level=beginner,motd=Hello, all", "nettoe,opponent=human")) as running:
        yield running
        assert (running.stop(), running.stderr) == (0, "")


def heard(peer: Peer) -> list[str]:
    """Lines up to the prompt."""
    return [line for line in peer.until(PROMPT).decode().split("\n") if line not in ("", "> ")]


def test_game_by_hand(server: Server) -> None:
    with Peer(server.port("telnet")) as peer:
        assert re.fullmatch(r"Hello,all You are Guest \d+\. Write help for a list of commands\.\r", heard(peer)[0])
        peer.send(b"name Ann\nnew connect4 against easy\n")
        lines = heard(peer)
        assert lines[0] == "* You are Ann."
        assert lines[-1] == "* Your turn."
        column = 0
        while not any(re.fullmatch(r"\* You (won|lost|drew)\.", line) for line in lines):
            lines = heard(peer.send(b"%d\n" % (column % 7)))
            while not any(re.match(r"\* Your turn\.|\* Another game|\? ", line) for line in lines):
                lines += heard(peer)
            assert any(line.startswith(("* Ann plays ", "? ")) for line in lines)
            column += 1
        assert sum(re.match(r"\* (.* wins|A draw)\.$", line) is not None for line in lines) == 1
        peer.send(b"no\nquit\n")
        assert peer.rest().endswith(b"* Goodbye.\n")


def test_input_from_a_pipe_ends_with_a_half_close(server: Server) -> None:
    with Peer(server.port("telnet")) as peer:
        peer.send(b"games\r\nnew noughts against link\r\nnonsense\r\n")
        answer = peer.until(b"? ").decode()
        peer.socket.shutdown(1)
        answer += peer.rest().decode()
    assert set(games()) == {line.partition(":")[0] for line in answer.split("\r\n") if " Moves such as " in line}
    assert "\r\n* Others can join by writing sit " in answer


def test_telnet_client_that_negotiates_and_breaks_lines_anywhere(server: Server) -> None:
    data = (
        b"\xff\xfd\x03\xff\xfb\x18\xff\xfa\x1f\x00\x50\x00\x0a\xff\xf0na\xff\xf1me Zo\xc3\xab\r\0\xff\xf4\xff\xfd\x06"
    )
    with Peer(server.port("telnet")) as peer:
        heard(peer)
        for byte in data:
            peer.send(bytes((byte,)))
        said = peer.until(PROMPT)
        assert b"* You are Zo\xc3\xab." in said
        assert MARK in said or peer.until(MARK)


@pytest.mark.parametrize("query", ["", "?game=noughts", "?game=connect4&columns=4&rows=4&against=easy", "?game=glenda"])
def test_script_plays_a_game_to_its_result(server: Server, query: str) -> None:
    squares = [f"{row}{column}" for row in "abc" for column in "123"]
    walls = [f"p {x} {y}" for y in range(11) for x in range(11)]
    dots = [f"{way} {x} {y}" for way in "hv" for y in range(8) for x in range(8)] * 2
    lines = [*squares, *walls, *dots, *"0123456" * 20]
    done = subprocess.run(
        [*PARLOUR, "play", f"telnet://{HERE}:{server.port('telnet')}/{query}", "--once", "--name", "Vera"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] in ("result won", "result lost", "result draw")


def test_two_scripts_of_two_wires_play_each_other(server: Server) -> None:
    urls = (
        f"telnet://{HERE}:{server.port('telnet')}?game=noughts&against=anyone",
        f"nettoe://{HERE}:{server.port('nettoe')}",
    )
    players = [
        subprocess.Popen(
            [*PARLOUR, "play", url, "--once"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for url in urls
    ]
    squares = "".join(f"{row}{column}\n" for row in "bac" for column in "213")
    for player in players:
        assert player.stdin is not None
        player.stdin.write(squares)
        player.stdin.flush()
    ends = [player.communicate(timeout=60) for player in players]
    assert [player.returncode for player in players] == [0, 0]
    results = sorted(out.splitlines()[-1] for out, _ in ends)
    assert results in (["result lost", "result won"], ["result draw", "result draw"])


def test_door_refuses_a_level_that_there_is_not() -> None:
    words = [*PARLOUR, "serve", "--data", "none", *doors("telnet,level=genius")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "level must be one of" in done.stderr
