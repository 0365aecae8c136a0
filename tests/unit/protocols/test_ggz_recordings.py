"""What clients said to the original server is said to ours, and every difference in the answers has a reason."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from parlour.core.game import Game
from parlour.core.seating import Participant
from parlour.core.vocab import Cap, Kind, Play, Record, Seated, Told
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing
from parlour.protocols.ggzdots.messages import Line
from tests.conftest import ROOT
from tests.ggz import Person, words, zone_of
from tests.wires.ggz import phases
from tests.wires.transcripts import Transcript, load, read
from tests.world import Wire, World

WIRES = ROOT / "tests" / "wires" / "ggz"


class Parrot:
    """An engine that plays what the original's did."""

    def __init__(self, world: World, moves: Sequence[str]) -> None:
        self._world = world
        self._moves = list(moves)

    def hire(self, game: Game, level: str, name: str) -> Participant:
        told_of: list[Seated] = []

        def tell(told: Told) -> None:
            if isinstance(told, Seated):
                told_of.append(told)
            position = told_of[-1].table.position if told_of else None
            if isinstance(told, Record) and position is not None and position.turn == engine.seat and self._moves:
                self._world.hub.submit(engine, Play(self._moves.pop(0)))

        engine = Participant(tell, name, "engine", Cap.ALL & ~Cap.RESUME, Kind.ENGINE, level)
        return engine


class Replay:
    """A recording whose clients talk to our server now."""

    def __init__(self, transcript: Transcript, world: World | None = None) -> None:
        self.transcript = transcript
        self.world = world or World()
        self.world.hub.engines = Parrot(self.world, self._bot_moves())
        self.wires: dict[int, Wire] = {}
        self.heard: dict[int, bytes] = {}
        for entry in transcript.entries:
            if entry.connection not in self.wires:
                self.wires[entry.connection] = self.world.connect("ggz")
            wire = self.wires[entry.connection]
            if entry.side == "C" and not wire.closed:
                if entry.end:
                    wire.end_of_file()
                else:
                    wire.send(entry.data)
        for number, wire in self.wires.items():
            self.heard[number] = wire.take()

    def _bot_moves(self) -> list[str]:
        """Every line that somebody at a table with a bot was told: the bot drew it."""
        channels = [stream for stream in self.transcript.streams() if stream[0] == "S"]
        messages = [
            message
            for stream in channels
            for message in read(CODEC, phases(self.transcript, stream), self.transcript.segments(stream)).messages
        ]
        return [message.move for message in messages if isinstance(message, Line)]

    def differences(self, number: int) -> tuple[list[str], list[str]]:
        """What only the original said on a connection, and what only we do."""
        original = Counter(said(self.transcript.data(("S", number))))
        ours = Counter(said(self.heard[number]))
        return sorted((original - ours).elements()), sorted((ours - original).elements())

    def game(self, number: int) -> tuple[bytes, bytes]:
        """The game's bytes on a channel: the original's, and ours."""
        original, ours = self.transcript.data(("S", number)), self.heard[number]
        return original.partition(spell.END)[2], ours.partition(spell.END)[2]


def said(data: bytes) -> list[str]:
    """Every element of an XML stream, without what each server says in its own words, and without PING."""
    found = []
    start = 0
    while start < len(data) and (parsed := CODEC.parse(data, start, Hearing.SERVER)) is not None:
        message, start = parsed
        if message == Ended():
            found.append("the end")
            break
        if isinstance(message, Element) and message.tag not in ("PING", "MOTD"):
            found.append(words(plain(message)))
    return found


def plain(element: Element) -> Element:
    """Without names, versions and descriptions of server, rooms and games."""
    children = tuple(plain(child) for child in element.children if not (element.tag in OWN and child.tag in TEXTS))
    attrs: Mapping[str, str] = element.attrs
    if element.tag == "SERVER":
        attrs = {name: value for name, value in element.attrs.items() if name not in ("ID", "NAME")}
    return Element(element.tag, dict(attrs), element.text, children)


OWN, TEXTS = ("GAME", "ROOM"), ("DESC", "ABOUT")


def test_scripted_client_gets_the_same_answers_as_from_the_original() -> None:
    replay = Replay(load(WIRES / "launch-bot.wire"))
    assert replay.differences(0) == ([], [])
    original, ours = replay.game(1)
    assert ours == original
    assert not replay.world.tables


def test_gtk_client_hears_the_same_as_from_the_original_up_to_the_bytes_of_the_game() -> None:
    replay = Replay(load(WIRES / "gtk-session.wire"))
    assert replay.differences(0) == ([], [])
    original, ours = replay.game(1)
    assert ours == original
    assert all(wire.closed for wire in replay.wires.values())


def test_wrong_requests_get_the_same_answers_as_from_the_original_but_for_these() -> None:
    world = World()
    txtuser = Person(world, "txtuser").arrive()
    txtuser.launch((spell.Seat(0, "open"), spell.Seat(1, "bot")), "Fun with ggz-txt")
    replay = Replay(load(WIRES / "xml-errors.wire"), world)

    # A login may be tried again on the same connection, so the last one is granted.
    assert replay.differences(0) == (
        ["RESULT ACTION=login CODE=already logged in"],
        ["RESULT ACTION=login CODE=ok"],
    )
    for number in (1, 3, 4, 6, 7):
        assert replay.differences(number) == ([], [])
    assert replay.differences(2) == ([], [])
    only_original, only_ours = replay.differences(5)
    # What is no XML ends the session at once. The original waits for more, and tells of people who are not here.
    assert only_ours == ["RESULT ACTION=protocol CODE=bad xml"]
    assert all("ID=reg309" in line for line in only_original)
    assert len(only_original) == 3
    # The channel of a name that nobody has is closed, and not kept for ever.
    assert replay.wires[7].closed
    assert set(zone_of(world).members) == {"txtuser"}


def table(action: str, inside: str) -> str:
    return f"UPDATE TYPE=table ACTION={action} ROOM=1 <TABLE ID=1 {inside}>"


OURS_ALONE: Mapping[str, Mapping[int, list[str]]] = {
    # The recording ends before the original tells that the other one has left.
    "draw": {1: [table("leave", "SEATS=2 <SEAT NUM=0 TYPE=player c3a>")]},
    # Closing the channel is leaving the table: the original keeps the seat until the session ends.
    "pipelined": {1: ["LEAVE REASON=normal", table("leave", "SEATS=2 <SEAT NUM=1 TYPE=player pipeb>")]},
    "two-players": {
        1: [
            "LEAVE REASON=normal",
            "UPDATE TYPE=player ACTION=delete ROOM=1 TOROOM=-1 <PLAYER ID=ann>",
            table("delete", "STATUS=-1 SEATS=2"),
            table("leave", "SEATS=2 <SEAT NUM=0 TYPE=player ann>"),
            table("leave", "SEATS=2 <SEAT NUM=1 TYPE=player ben>"),
            table("status", "STATUS=3 SEATS=2"),
        ]
    },
}
LATER_IN_THE_ORIGINAL: Mapping[str, Mapping[int, list[str]]] = {
    "two-players": {0: ["UPDATE TYPE=player ACTION=delete ROOM=1 TOROOM=-1 <PLAYER ID=ben>"]},
}
"""Said by ours as well, but this connection has ended by then."""
MORE_TO_PLAYERS: Mapping[str, Mapping[int, str]] = {
    "draw": {3: "the other one has left"},
    "two-players": {3: "the board again, before a game that was not asked for yet", 4: "the other one has left"},
}
"""Channels on which we say more than the original did."""


@pytest.mark.parametrize("name", sorted(OURS_ALONE))
def test_two_people_hear_the_same_as_from_the_original_but_for_leaving(name: str) -> None:
    replay = Replay(load(WIRES / f"{name}.wire"))
    for number in replay.wires:
        later = LATER_IN_THE_ORIGINAL.get(name, {}).get(number, [])
        assert replay.differences(number) == (later, OURS_ALONE[name].get(number, []))
        original, ours = replay.game(number)
        if number in MORE_TO_PLAYERS.get(name, {}):
            assert len(ours) > len(original)
        else:
            assert ours == original
    assert not replay.world.tables or not all(wire.closed for wire in replay.wires.values())
