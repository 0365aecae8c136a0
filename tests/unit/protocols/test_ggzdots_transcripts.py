"""What was recorded with the original server, replayed against our server and to our client, in both dialects.

The recordings are in protocol 4; the same in the layout of the document was made from them.
"""

from collections import deque
from functools import partial
from pathlib import Path
from random import Random

import pytest

from parlour.core.game import Game
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Seated, Update
from parlour.core.words import Cap, Kind, Play, Record
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.client import DotsGuest
from parlour.protocols.ggzdots.codec import CODEC
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import Answer, AskSync, Chair, Choose, Draw, GameOver, Line, NewGame
from parlour.protocols.ggzdots.phases import Side
from tests.unit.protocols.ggzdots_peer import connect, protocol
from tests.visitor import Visitor
from tests.wires import ggzdots as adapter
from tests.wires.transcripts import Transcript, byte_by_byte, load, randomly_cut, read
from tests.world import Wire, World

HERE = Path(__file__).parents[2] / "wires" / "ggzdots"
NAMES = ("bot-2x2", "two-players", "draw", "gtk-draw", "bonus-at-once")
FOLDERS = {FOUR: HERE / "four", YEAR2000: HERE}

every_dialect = pytest.mark.parametrize("dialect", list(Dialect), ids=lambda dialect: dialect.value)
every_recording = pytest.mark.parametrize("name", NAMES)


def recording(dialect: Dialect, name: str) -> Transcript:
    return load(FOLDERS[dialect] / f"{name}.wire")


def messages(dialect: Dialect, transcript: Transcript, stream: tuple[str, int]) -> list[object]:
    phases = adapter.phases(transcript, stream)
    return read(CODEC[dialect], phases, transcript.segments(stream)).messages


@every_recording
def test_recorded_conversation_means_the_same_however_it_is_cut(name: str) -> None:
    transcript = recording(FOUR, name)
    for stream in transcript.streams():
        phases = adapter.phases(transcript, stream)
        data, rng = transcript.data(stream), Random(f"{name} {stream}")
        whole = read(CODEC[FOUR], phases, [data])
        assert whole.messages
        assert not whole.errors
        assert not whole.rest
        for pieces in (transcript.segments(stream), byte_by_byte(data), *(randomly_cut(data, rng) for _ in range(8))):
            assert read(CODEC[FOUR], phases, pieces).messages == whole.messages


@every_recording
def test_both_layouts_of_a_recording_tell_the_same(name: str) -> None:
    old, new = recording(YEAR2000, name), recording(FOUR, name)
    for stream in new.streams():
        for before, after in zip(messages(YEAR2000, old, stream), messages(FOUR, new, stream), strict=True):
            match after:
                case Answer(status=0, squares=squares):
                    assert before == Answer(len(squares))
                case Line(move=move):
                    assert before == Line(move)
                case _:
                    assert type(before) is type(after)


# --- our server -------------------------------------------------------------------------------------------------------


class Scripted:
    """An engine that plays what the bot of the recording played."""

    def __init__(self, world: World, moves: list[str]) -> None:
        self._world = world
        self._moves = iter(moves)

    def hire(self, game: Game, level: str, name: str) -> Participant:
        tables: list[Table] = []

        def tell(told: Update) -> None:
            if isinstance(told, Seated):
                tables.append(told.table)
            position = tables[-1].position if tables[-1].running else None
            if isinstance(told, Record) and position is not None and position.turn == engine.seat:
                self._world.hub.submit(engine, Play(next(self._moves)))

        engine = Participant(tell, name, "engine", Cap.ALL & ~Cap.RESUME, Kind.ENGINE, level)
        return engine


def differences(dialect: Dialect, name: str) -> dict[int, tuple[bytes, bytes]]:
    """By connection, what was recorded and what we say in its place."""
    if name != "two-players":
        return {}
    kinds = KINDS[dialect]
    alone = spell.SPELLING[dialect].players((Chair(kinds.open), Chair(kinds.player, "ben")))
    # Ben was told the third game's board before he wanted that game: it is told again when the game begins.
    return {1: (spell.options(2, 3) + alone, spell.options(2, 3) * 2 + alone)}


def ours(dialect: Dialect, transcript: Transcript) -> dict[int, bytes]:
    """What our server says to each connection of the recording."""
    world = World()
    if transcript.headers["opponent"] == "engine":
        moves = [message.move for message in messages(dialect, transcript, ("S", 0)) if isinstance(message, Line)]
        world.hub.engines = Scripted(world, moves)
    names = transcript.headers["names"].split()
    wires: dict[int, Wire] = {}
    for entry in transcript.entries:
        number = entry.connection
        if number not in wires:
            name = names[number].rstrip("2") if number else names[0]
            wires[number] = connect(world, dialect, name, opponent=transcript.headers["opponent"])
        if entry.side == "C" and entry.end:
            wires[number].end_of_file()
        elif entry.side == "C":
            wires[number].send(entry.data)
    return {number: wire.take() for number, wire in wires.items()}


@every_dialect
@every_recording
def test_our_server_says_what_the_original_said(dialect: Dialect, name: str) -> None:
    transcript = recording(dialect, name)
    said = ours(dialect, transcript)
    for number, (recorded, instead) in differences(dialect, name).items():
        assert recorded in transcript.data(("S", number))
        assert instead in said[number]
        said[number] = said[number].replace(instead, recorded)
    for number, data in said.items():
        recorded_data = transcript.data(("S", number))
        if data != recorded_data:  # the last one hears of the other's end, where the recording has ended
            assert data.startswith(recorded_data)
            assert data[len(recorded_data) : len(recorded_data) + 4] == spell.whole(1)


STRICT: tuple[tuple[int, bytes, int], ...] = (
    (0, spell.draw("h 0 0"), 0),  # taken by the original while nobody sat opposite, so refused here with -4
    (0, spell.draw("h 1 1"), -2),
    (1, spell.draw("h 3 0"), -3),
    (1, spell.draw("v 0 3"), -3),
    (1, spell.draw("v 0 2"), -3),
    (1, spell.draw("h 2 0"), -3),
    (1, spell.draw("v 255 255"), -3),
    (1, spell.draw("h 0 0"), -4),
    (1, spell.draw("h 1 1"), 0),
)


@every_dialect
def test_what_the_original_lets_pass_is_refused(dialect: Dialect) -> None:
    """The lines of the recording of errors, to our server: it checks state, turn and bounds where the other did not."""
    recorded = {spell.draw(move) for move in ("h 0 0", "h 1 1", "h 3 0", "v 0 3", "v 0 2", "h 2 0", "v 255 255")}
    transcript = recording(dialect, "errors")
    sent = {entry.data for entry in transcript.entries if entry.side == "C"}
    assert recorded <= sent
    world = World()
    first = connect(world, dialect, "c1a")
    first.send(spell.choose(3, 3))
    first.take()
    spelling = spell.SPELLING[dialect]
    first.send(spell.draw("h 0 0"))
    assert first.take() == spelling.refusal(-1)
    both = first, connect(world, dialect, "c1b")
    for wire in both:
        wire.take()
    for who, data, status in STRICT:
        both[who].send(data)
        answer = both[who].take()
        again = spell.WANT_MOVE if status in (-3, -4) else b""
        assert answer == (spelling.refusal(status) + again if status < 0 else spelling.grant(()))
        both[1 - who].take()


# --- our client -------------------------------------------------------------------------------------------------------


def part(dialect: Dialect, transcript: Transcript, number: int) -> tuple[list[bytes], list[object]]:
    """What one client was told and what it said, without the line that was refused: ours would not send it."""
    told, said = transcript.segments(("S", number)), messages(dialect, transcript, ("C", number))
    answers = [message for message in messages(dialect, transcript, ("S", number)) if isinstance(message, Answer)]
    statuses = iter([answer.status for answer in answers])
    wanted = [message for message in said if not isinstance(message, Draw) or next(statuses) >= 0]
    refusal = spell.SPELLING[dialect].refusal(-4)
    if refusal in told:
        at = told.index(refusal)
        del told[at : at + 2]  # with the REQ_MOVE behind it
    return told, [message for message in wanted if not isinstance(message, AskSync)]


def _next(lines: deque[str], _: tuple[str, ...]) -> str:
    return lines.popleft()


def _wants(wishes: deque[NewGame]) -> bool:
    return bool(wishes) and wishes.popleft() is not None


def tell(visitor: Visitor, told: list[bytes], lines: deque[str], boards: deque[tuple[int, int]]) -> None:
    """Let the client hear all of it, as long as its person has something to draw."""
    guest = visitor.session
    assert isinstance(guest, DotsGuest)
    visitor.open()
    for segment in told:
        if segment.endswith(spell.WANT_MOVE) and not lines:
            continue
        if segment.endswith(spell.WANT_OPTIONS):
            guest.size = boards.popleft()
        visitor.feed(segment)
        while visitor.decide():
            pass


@every_dialect
@every_recording
def test_our_client_says_what_was_said_to_the_original(dialect: Dialect, name: str) -> None:
    transcript = recording(dialect, name)
    for number in sorted({entry.connection for entry in transcript.entries}):
        told, wanted = part(dialect, transcript, number)
        lines = deque(message.move for message in wanted if isinstance(message, Draw))
        boards = deque((message.width, message.height) for message in wanted if isinstance(message, Choose))
        wishes = deque(message for message in wanted if isinstance(message, NewGame))
        visitor = Visitor(protocol(dialect), partial(_next, lines), partial(_wants, wishes))
        tell(visitor, told, lines, boards)
        assert read(CODEC[dialect], lambda _: Side.CLIENT, visitor.sent).messages == wanted
        ends = [message for message in messages(dialect, transcript, ("S", number)) if isinstance(message, GameOver)]
        assert len(visitor.results) == len(ends)
        assert [*lines, *boards, *wishes] == []


@pytest.mark.parametrize(
    ("name", "results"), [("bot-2x2", ["lost"]), ("draw", ["draw"]), ("gtk-draw", ["draw"]), ("bonus-at-once", [])]
)
def test_our_client_knows_how_recorded_games_ended(name: str, results: list[str]) -> None:
    transcript = recording(FOUR, name)
    told, wanted = part(FOUR, transcript, 0)
    lines = deque(message.move for message in wanted if isinstance(message, Draw))
    boards = deque((message.width, message.height) for message in wanted if isinstance(message, Choose))
    visitor = Visitor(protocol(FOUR), partial(_next, lines))
    tell(visitor, told, lines, boards)
    assert visitor.results == results
