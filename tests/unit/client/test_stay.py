"""Whole stays over a loopback socket: the script of a server against the script of a player."""

import asyncio
import io
from pathlib import Path

import pytest

from parlour.client import stay as staying
from parlour.client.keyboard import CHUNK, Keyboard
from parlour.client.stay import Screen, Stay
from parlour.core.errors import LocalError
from parlour.core.session import Visit
from tests.unit.client.fake import FAKE, play

GAME: list[tuple[str, bytes | None]] = [
    ("hello Vera", b"say You play Max.\nboard . ./. .\nturn 0/1\n"),
    ("play 1", b"board . x/. .\n"),
    ("", b"turn 0\n"),
    ("play 0", b"board x x/. .\nover won\n"),
]


def test_scripted_game_is_played_to_its_result() -> None:
    code, text, server = play([*GAME, ("", b"close\n")], "1\n0\n", once=True)
    assert code == 0
    assert server.heard == ["hello Vera", "play 1", "play 0"]
    assert text.splitlines()[1:] == [
        "You play Max.",
        "",
        ". .",
        ". .",
        "Moves: 0, 1. Write help for more.",
        "your move> 1",
        "",
        ". x",
        ". .",
        "your move> 0",
        "",
        "x x",
        ". .",
        "You won.",
        "result won",
    ]


def test_two_games_end_with_the_result_of_the_second() -> None:
    steps = [*GAME, ("", b"again\n"), ("vote True", b"turn 0\n"), ("play 0", b"over lost\nagain\n")]
    code, text, server = play([*steps, ("vote False", None)], "1\n0\nyes\n0\nrematch no\n", hold=True)
    assert (code, text.splitlines()[-1]) == (0, "result lost")
    assert server.heard[-1] == "vote False"


def test_input_that_ends_too_early_leaves_the_game() -> None:
    code, text, server = play(GAME, "1\n")
    assert (code, text.splitlines()[-1]) == (1, "result aborted")
    assert server.heard == ["hello Vera", "play 1", "bye"]


def test_input_without_its_last_newline_counts() -> None:
    code, _, server = play([*GAME, ("", b"close\n")], "1\n0")
    assert code == 0
    assert server.heard[-1] == "play 0"


def test_quit_behind_the_last_move_lets_the_verdict_come() -> None:
    code, text, _ = play([*GAME, ("", b"again\n")], "1\n0\nquit\n", hold=True)
    assert (code, text.splitlines()[-1]) == (0, "result won")


def test_quit_leaves_a_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staying, "GRACE_SECONDS", 0.01)
    code, _, server = play(GAME[:1], "1\nquit\n", hold=True)
    assert (code, server.heard[-1]) == (1, "bye")


def test_quit_leaves_politely() -> None:
    code, text, server = play(GAME, "1\nquit\n", hold=True)
    assert (code, text.splitlines()[-1]) == (1, "result aborted")
    assert server.heard[-1] == "bye"


@pytest.mark.parametrize("steps", [[("hello Vera", None)], [*GAME[:2], ("", None)]])
def test_server_that_dies_is_told_and_aborts(steps: list[tuple[str, bytes | None]]) -> None:
    code, text, _ = play(steps, "1\n", hold=True)
    assert (code, text.splitlines()[-1]) == (1, "result aborted")
    assert "has gone" in text or "closed the connection" in text


def test_server_that_closes_after_the_game_leaves_the_result() -> None:
    code, text, _ = play([*GAME, ("", None)], "1\n0\n", hold=True)
    assert (code, text.splitlines()[-1]) == (0, "result won")


@pytest.mark.parametrize("once", [True, False])
def test_server_that_says_nothing_after_the_last_game_is_left(once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staying, "GRACE_SECONDS", 0.01)
    code, text, server = play(GAME, "1\n0\n", once=once, hold=once)
    assert (code, text.splitlines()[-1]) == (0, "result won")
    assert server.heard[-1] == "bye"


def test_newest_question_is_answered_when_several_arrive_at_once() -> None:
    steps: list[tuple[str, bytes | None]] = [("hello Vera", b"turn 0\nover draw\nturn 7\nturn 5\n"), ("play 5", None)]
    code, _, server = play(steps, "5\n", hold=True)
    assert (code, server.heard) == (0, ["hello Vera", "play 5"])


def test_messages_are_read_however_they_are_cut() -> None:
    steps: list[tuple[str, bytes | None]] = [("", bytes([byte])) for byte in b"board .\nturn 0\n"]
    _, _, server = play([*steps, ("play 0", None)], "0\n", hold=True)
    assert server.heard == ["hello Vera", "play 0"]


def test_nonsense_from_the_server_reaches_the_session_and_not_the_screen() -> None:
    _, text, _ = play([("hello Vera", b"\xff\x1b[2J\nsay \x1b[31mred\x07\nclose\n")], "", hold=True)
    assert "nonsense: not a line\n?[31mred?\n" in text
    assert "\x1b" not in text


def test_nothing_overtakes_a_pause_and_every_message_is_a_write() -> None:
    _, _, server = play([("hello Vera", b"pause\n"), ("behind", b"close\n")], "", hold=True)
    assert server.heard == ["hello Vera", "before", "after", "behind"]
    assert server.chunks[1] == b"before\n"


def test_alarm_goes_off_once() -> None:
    _, _, server = play([("hello Vera", b"alarm 60\nalarm 0.01\n"), ("rang late", None)], "", hold=True)
    assert server.heard == ["hello Vera", "rang late"]


def test_half_close_waits_for_the_server() -> None:
    code, _, server = play([("hello Vera", b"over draw\nhalf\n")], "", hold=True)
    assert (code, server.heard) == (0, ["hello Vera", "last"])


def test_screen_that_is_taken_away_ends_the_stay() -> None:
    class Torn(io.StringIO):
        def write(self, text: str) -> int:
            if "your move" in text:
                raise BrokenPipeError
            return super().write(text)

    code, _, server = play(GAME, "", hold=True, paper=Torn())
    assert (code, server.heard) == (1, ["hello Vera", "bye"])


def test_nobody_listening_is_one_sentence() -> None:
    async def knock() -> None:
        loop = asyncio.get_running_loop()
        listener = await loop.create_server(asyncio.Protocol, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        listener.close()
        await listener.wait_closed()
        await Stay(FAKE, Visit("127.0.0.1", port, "Vera"), Screen(io.StringIO()), False, False).run(None, "utf-8")

    with pytest.raises(LocalError, match=r"cannot connect to 127\.0\.0\.1:\d+: nothing listens there"):
        asyncio.run(knock())


def test_unknown_host_is_one_sentence() -> None:
    async def knock() -> None:
        visit = Visit("no..such..host", 1, "Vera")
        await Stay(FAKE, visit, Screen(io.StringIO()), False, False).run(None, "utf-8")

    with pytest.raises(LocalError, match="there is no such host"):
        asyncio.run(knock())


def test_file_that_cannot_be_watched_is_read_to_its_end_without_running_ahead(tmp_path: Path) -> None:
    path = tmp_path / "moves"
    path.write_text("".join(f"{number}\n" for number in range(5000)))

    async def read() -> list[str]:
        lines: list[str] = []
        ended = asyncio.Event()

        def hear(line: str) -> None:
            lines.append(line)
            keyboard.pause()

        with path.open("rb") as file:
            keyboard = Keyboard(file.fileno(), hear, ended.set)
            chunks = 0
            while not ended.is_set():
                before = len(lines)
                keyboard.resume()
                await asyncio.sleep(0)
                chunks += len(lines) > before
            assert chunks == -(-path.stat().st_size // CHUNK)
        return lines

    assert asyncio.run(read()) == [str(number) for number in range(5000)]
