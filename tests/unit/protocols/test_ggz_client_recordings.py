"""What the original server has sent, as our client hears it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from parlour.core.session import Report
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing
from parlour.protocols.ggzdots.messages import Draw, GameOver, Seat
from tests.interop.ggz_lan import GGZ
from tests.interop.ggz_zone_original import GAMES, GREETING
from tests.visitor import Visitor
from tests.wires.ggz import phases
from tests.wires.transcripts import Transcript, load, randomly_cut, read

RECORDINGS = {path.stem: load(path) for path in sorted((Path(__file__).parents[2] / "wires" / "ggz").glob("*.wire"))}
ANSWERS = (
    *GREETING,
    "<RESULT ACTION='login' CODE='ok'/>\n",
    GAMES,
    "<RESULT ACTION='list' CODE='ok'><LIST TYPE='room'><ROOM ID='1' NAME='Dots' GAME='0'/></LIST></RESULT>",
    "<RESULT ACTION='enter' CODE='0'/>",
    "<RESULT ACTION='list' CODE='ok'><LIST TYPE='table' ROOM='1'></LIST></RESULT>",
)
"""Everything up to the channel."""


def connections(kind: str) -> list[tuple[str, int]]:
    """All recorded connections of a kind: `xml`, or `chan`."""
    found = []
    for name, kept in RECORDINGS.items():
        for _, number in [stream for stream in kept.streams() if stream[0] == "S"]:
            label = kept.headers[f"connection{number}"].replace("conn1", "xml").replace("conn2", "chan")
            if kind in label.rpartition(".")[2]:
                found.append((name, number))
    return found


def messages(kept: Transcript, side: str, connection: int) -> list[Any]:
    stream = side, connection
    return read(CODEC, phases(kept, stream), kept.segments(stream)).messages


def test_session_of_the_original_client_is_played_again_byte_for_byte() -> None:
    """The same answers and the same moves: our channel carries what the original's did."""
    kept = RECORDINGS["gtk-session"]
    moves = iter([message.move for message in messages(kept, "C", 1) if type(message) is Draw])
    vera = Visitor(GGZ, lambda _: next(moves), name="drv3", query={"opponent": "bot", "size": "3x3"})
    vera.open()
    for entry in kept.entries:
        if entry.side == "S" and entry.data and not vera.closed:
            vera.family[entry.connection].feed(entry.data)
            while vera.decide():
                pass
    assert vera.results == ["draw"]
    assert b"".join(vera.family[1].sent) == kept.data(("C", 1))
    ours = read(CODEC, lambda _: Hearing.CLIENT, vera.sent)
    assert not ours.errors
    tags = [message.tag for message in ours.messages if type(message) is Element]
    assert tags == ["LOGIN", "LIST", "LIST", "ENTER", "LIST", "PONG", "LAUNCH", "PONG", "LEAVE"]
    assert type(ours.messages[-1]) is Ended


@pytest.mark.parametrize(("name", "connection"), connections("xml"))
@pytest.mark.parametrize("query", [{}, {"opponent": "bot"}])
def test_whatever_a_server_said_our_answers_can_be_read(name: str, connection: int, query: dict[str, str]) -> None:
    vera = Visitor(GGZ, lambda moves: moves[0], name="vera", query=query)
    vera.open()
    for piece in randomly_cut(RECORDINGS[name].data(("S", connection)), Random(name)):
        vera.feed(piece)
    vera.end_of_file()
    ours = read(CODEC, lambda _: Hearing.CLIENT, vera.sent)
    assert not ours.errors
    assert vera.results == ["aborted"]


@pytest.mark.parametrize(("name", "connection"), connections("chan"))
def test_recorded_channel_is_heard_to_its_results(name: str, connection: int) -> None:
    kept = RECORDINGS[name]
    vera = Visitor(GGZ, lambda moves: moves[0], name="vera", query={"opponent": "bot"})
    vera.open()
    for answer in ANSWERS:
        vera.feed(answer.encode())
    channel = vera.family[1]
    channel.open()
    for piece in randomly_cut(kept.data(("S", connection)), Random(name)):
        channel.feed(piece)
    heard = messages(kept, "S", connection)
    seat = next((message.number for message in heard if type(message) is Seat), 0)
    winners = [message.winner for message in heard if type(message) is GameOver]
    assert vera.results == ["draw" if winner == 2 else "won" if winner == seat else "lost" for winner in winners]
    assert not any("nonsense" in shown.text for shown in vera.shown if isinstance(shown, Report))
