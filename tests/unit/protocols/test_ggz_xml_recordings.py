"""What the original programs wrote is read, and written again to the byte."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from tests.conftest import ROOT
from tests.wires.ggz import phases
from tests.wires.transcripts import byte_by_byte, load, randomly_cut, read

FILES = sorted((ROOT / "tests" / "wires" / "ggz").glob("*.wire"))
every_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
BROKEN = {("xml-errors", ("C", 5)), ("dots-errors", ("C", 2))}
"""Streams with something in them that is no message."""


def written(data: bytes, hearing: Hearing) -> list[tuple[object, bytes]]:
    """Every message of XML with the line that it was; what follows on a channel is left alone."""
    found: list[tuple[object, bytes]] = []
    start = 0
    while (parsed := CODEC.parse(data, start, hearing)) is not None:
        message, end = parsed
        found.append((message, data[start:end].strip() + b"\n"))
        start = end
        if message == Ended():
            break
    return found


def whole(element: Element, name: str) -> int:
    value = element.number(name)
    assert value is not None
    return value


def child(element: Element, tag: str) -> Element:
    found = element.child(tag)
    assert found is not None
    return found


def seat(element: Element) -> spell.Seat:
    return spell.Seat(whole(element, "NUM"), element.get("TYPE"), element.text)


def table(element: Element) -> spell.Table:
    seats = tuple(seat(each) for each in element.every("SEAT"))
    about = child(element, "DESC").text
    return spell.Table(whole(element, "ID"), whole(element, "GAME"), whole(element, "STATUS"), about, seats)


def record(element: Element) -> spell.Record | None:
    names = ("WINS", "LOSSES", "TIES", "FORFEITS", "RATING")
    return spell.Record(*(whole(element, name) for name in names)) if "WINS" in element.attrs else None


def player(element: Element) -> spell.Player:
    perms, lag = whole(element, "PERMS"), whole(element, "LAG")
    return spell.Player(element.get("ID"), element.get("TYPE"), whole(element, "TABLE"), perms, lag, record(element))


def game(element: Element) -> spell.Game:
    protocol, allow, about = child(element, "PROTOCOL"), child(element, "ALLOW"), child(element, "ABOUT")
    return spell.Game(
        whole(element, "ID"),
        element.get("NAME"),
        element.get("VERSION"),
        protocol.get("ENGINE"),
        protocol.get("VERSION"),
        allow.get("PLAYERS"),
        allow.get("BOTS"),
        allow.truth("SPECTATORS"),
        about.get("AUTHOR"),
        about.get("URL"),
        child(element, "DESC").text,
    )


def room(element: Element) -> spell.Room:
    numbers = whole(element, "GAME"), whole(element, "PLAYERS")
    return spell.Room(whole(element, "ID"), element.get("NAME"), *numbers, child(element, "DESC").text)


def result(element: Element) -> bytes:
    listed = element.child("LIST")
    if listed is None:
        return spell.result(element.get("ACTION"), element.get("CODE"))
    match listed.get("TYPE"):
        case "game":
            return spell.game_list(map(game, listed.children))
        case "room":
            return spell.room_list(map(room, listed.children))
        case "player":
            return spell.player_list(whole(listed, "ROOM"), map(player, listed.children))
    return spell.table_list(whole(listed, "ROOM"), map(table, listed.children))


def update(element: Element) -> bytes:
    where, inner = whole(element, "ROOM"), element.children[0]
    match element.get("TYPE"), element.get("ACTION"):
        case "player", "add":
            return spell.player_added(where, player(inner), whole(element, "FROMROOM"))
        case "player", "delete":
            return spell.player_deleted(where, inner.get("ID"), whole(element, "TOROOM"))
        case "player", "stats":
            return spell.player_stats(where, inner.get("ID"), record(inner))
        case "player", "lag":
            return spell.player_lag(where, inner.get("ID"), whole(inner, "LAG"))
        case "table", "add":
            return spell.table_added(where, table(inner))
        case "table", "join" | "leave" as action:
            return spell.table_seat(where, whole(inner, "ID"), whole(inner, "SEATS"), seat(inner.children[0]), action)
        case "table", "status":
            return spell.table_status(where, whole(inner, "ID"), whole(inner, "SEATS"), whole(inner, "STATUS"))
    assert (element.get("ACTION"), whole(inner, "STATUS")) == ("delete", spell.DELETED)
    return spell.table_deleted(where, whole(inner, "ID"), whole(inner, "SEATS"))


def of_server(element: Element) -> bytes:
    """The same again, by the function that our zone says it with."""
    by_tag: dict[str, Callable[[Element], bytes]] = {
        "RESULT": result,
        "UPDATE": update,
        "MOTD": lambda it: spell.motd(it.text.removeprefix("\n"), it.get("URL")),
        "CHAT": lambda it: spell.chat(it.get("TYPE"), it.get("FROM"), None if it.get("TYPE") == "beep" else it.text),
        "PING": lambda _: spell.PING,
        "PONG": lambda it: spell.pong(it.attrs.get("ID")),
        "JOIN": lambda it: spell.join(whole(it, "TABLE"), it.truth("SPECTATOR")),
        "LEAVE": lambda it: spell.left(it.get("REASON"), it.attrs.get("PLAYER")),
    }
    return by_tag[element.tag](element)


def of_client(element: Element) -> bytes:
    """The same again, by the function that our client says it with."""
    by_tag: dict[str, Callable[[Element], bytes]] = {
        "LANGUAGE": lambda it: spell.element("LANGUAGE", None, it.text),
        "LOGIN": lambda it: ask.login(child(it, "NAME").text, (it.child("PASSWORD") or Element("")).text or None),
        "LIST": lambda it: ask.ask_list(it.get("TYPE"), it.truth("FULL") if "FULL" in it.attrs else None),
        "ENTER": lambda it: ask.enter(whole(it, "ROOM")),
        "LAUNCH": lambda it: launch(child(it, "TABLE")),
        "JOIN": lambda it: spell.join(whole(it, "TABLE"), it.truth("SPECTATOR")),
        "LEAVE": lambda it: ask.leave(it.truth("FORCE"), it.truth("SPECTATOR")),
        "CHAT": lambda it: ask.say(it.text, it.get("TYPE"), it.attrs.get("TO")),
        "PONG": lambda it: spell.pong(it.attrs.get("ID")),
    }
    return by_tag[element.tag](element)


def launch(element: Element) -> bytes:
    return ask.launch(whole(element, "GAME"), child(element, "DESC").text, [seat(it) for it in element.every("SEAT")])


@every_file
def test_server_of_the_recording_is_spelled_to_the_byte(path: Path) -> None:
    transcript = load(path)
    for stream in transcript.streams():
        if stream[0] == "C":
            continue
        data = transcript.data(stream)
        assert data.startswith(spell.greeting("Lab GGZ Server", "GGZ-snapshot-0.99.5+"))
        (opened, _), (server, _), *rest = written(data, Hearing.SERVER)
        assert opened == Opened()
        assert isinstance(server, Element)
        assert server.number("VERSION") == spell.CS_PROTOCOL
        for message, line in rest:
            if isinstance(message, Element):
                assert of_server(message) == line
            else:
                assert (message, line) == (Ended(), spell.END)


@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "xml-errors"], ids=lambda path: path.stem)
def test_client_of_the_recording_is_spelled_to_the_byte(path: Path) -> None:
    transcript = load(path)
    for stream in transcript.streams():
        if stream[0] == "S":
            continue
        data = transcript.data(stream)
        (opened, _), *rest = written(data, Hearing.CLIENT)
        assert opened == Opened()
        first = rest[0][0]
        assert isinstance(first, Element)
        if first.tag == "CHANNEL":
            assert data.startswith(ask.channel(first.get("ID")))
            continue
        language = first.text if first.tag == "LANGUAGE" else ""
        assert data.startswith(ask.hello(language))
        for message, line in rest:
            assert (of_client(message) if isinstance(message, Element) else spell.END) == line


@every_file
def test_recording_is_read_the_same_however_it_is_cut(path: Path) -> None:
    transcript = load(path)
    for stream in transcript.streams():
        phase_of = phases(transcript, stream)
        data = transcript.data(stream)
        once = read(CODEC, phase_of, [data])
        assert bool(once.errors) == ((path.stem, stream) in BROKEN)
        rng = Random(f"{path.stem} {stream}")
        for pieces in (transcript.segments(stream), byte_by_byte(data), randomly_cut(data, rng)):
            again = read(CODEC, phase_of, pieces)
            assert again.messages == once.messages
            assert again.rest == once.rest or once.errors


def test_every_recording_shows_a_channel_in_both_directions() -> None:
    for path in FILES:
        transcript = load(path)
        channels = [stream for stream in transcript.streams() if b"\0\0\0" in transcript.data(stream)]
        assert {side for side, _ in channels} == {"C", "S"} or path.stem == "xml-errors"
