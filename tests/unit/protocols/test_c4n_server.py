"""What a ConnectI4n client sees of our server, segment by segment."""

import pytest

from parlour import registry
from parlour.core.errors import LocalError, Refusal
from parlour.core.seating import Participant
from parlour.core.session import Door
from parlour.core.vocab import Cap, Finished, Leave, Play, Reason, Resign, Seek
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import Board
from parlour.protocols.c4n.phases import CLIENT, SERVER, render
from parlour.protocols.c4n.server import GREETING_SECONDS, REFUSALS
from parlour.server.link import Link
from tests.conftest import ROOT
from tests.interop.c4n_original import OriginalClient
from tests.world import FakeTransport, Wire, World

START, STOP = b"C4N 1.0 START\n", b"C4N 1.0 STOP"
ERRORS = {code: b"C4N 1.0 ERROR\n%d" % code for code in (1, 2, 3, 99)}
RESULTS = {winner: b"C4N 1.0 RESULT\n%d" % winner for winner in (1, 2, -1)}


GAP = b" " * 12
"""Between two BOARDs of one turn."""


def move(column: int) -> bytes:
    return b"C4N 1.0 MOVE\n%d" % column


def board(moves: str, me: int = 0, columns: int = 7, rows: int = 6, rows_first: bool = False) -> bytes:
    """BOARD after these moves, seat 0 first, as seat `me` sees it."""
    cells = bytearray(b"0" * (columns * rows))
    heights = [0] * columns
    for number, move_ in enumerate(moves):
        column = int(move_)
        heights[column] += 1
        cells[(rows - heights[column]) * columns + column] = b"12"[(number + me) % 2]
    first, second = (rows, columns) if rows_first else (columns, rows)
    return codec.board(Board(first, second, bytes(cells)))


def pair(world: World, **keys: str) -> tuple[Wire, Wire]:
    """Two people at one table, both past START."""
    first = world.connect("c4n", opponent="human", **keys).send(START)
    second = world.connect("c4n", opponent="human", **keys).send(START)
    first.take()
    return first, second


def play(wires: tuple[Wire, Wire], moves: str) -> None:
    for number, column in enumerate(moves):
        wires[number % 2].send(move(int(column)))


# --- the document's form ---------------------------------------------------------------------------------------------


def test_start_is_answered_with_the_empty_board_columns_first() -> None:
    wire = World().connect("c4n").send(START)
    assert wire.take() == b"C4N 1.0 BOARD\n7 6 " + b" ".join([b"0"] * 42)


def test_move_is_answered_with_both_boards_in_one_segment() -> None:
    wire = World().connect("c4n").send(START)
    wire.take()
    assert wire.send(move(3)).take_writes() == [board("3") + GAP + board("30")]
    assert wire.send(move(3)).take_writes() == [board("303") + GAP + board("3030")]


def test_winner_sees_the_last_board_then_after_a_pause_the_verdict_alone() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    for _ in range(3):
        wire.send(move(3))
    wire.take()
    assert wire.send(move(3)).take_writes() == [board("3030303")]
    assert not wire.closed
    world.advance(0.4)
    assert wire.take_writes() == [RESULTS[1]]
    assert wire.transport.eof


def test_loser_sees_both_boards_then_after_a_pause_the_verdict_alone() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    for column in (3, 4, 3):
        wire.send(move(column))
    wire.take()
    assert wire.send(move(5)).take_writes() == [board("3040305") + GAP + board("30403050")]
    world.advance(0.4)
    assert wire.take_writes() == [RESULTS[2]]
    assert wire.transport.eof


def test_move_after_the_end_is_never_answered() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    for _ in range(4):
        wire.send(move(3))
    wire.take()
    wire.send(move(1)).send(b"rubbish")
    assert wire.take() == b""
    world.advance(0.4)
    assert wire.take_writes() == [RESULTS[1]]
    assert wire.send(move(1)).take() == b""


def test_draw_is_told_with_the_last_boards_and_ends_with_an_error_of_its_own() -> None:
    world = World()
    wires = pair(world, size="4x4")
    play(wires, "001123321032321")
    for wire in wires:
        wire.take()
    play((wires[1], wires[0]), "0")
    first, second = (wire.take() for wire in wires)
    assert first.endswith(RESULTS[-1])
    assert first.count(b"BOARD") == 2
    assert second.endswith(RESULTS[-1])
    assert second.count(b"BOARD") == 1
    world.advance(0.4)
    for wire in wires:
        assert wire.take_writes() == [ERRORS[99]]
        assert wire.transport.eof


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", [7, -1, -7, -8, 11, 12, 10**30])
def test_column_outside_the_board_is_an_invalid_move(column: int) -> None:
    wire = World().connect("c4n").send(START)
    wire.take()
    assert wire.send(move(column)).take() == ERRORS[2]
    assert wire.send(move(6)).take() == board("6") + GAP + board("60")


def test_full_column_is_an_invalid_move() -> None:
    wire = World().connect("c4n").send(START)
    for _ in range(3):
        wire.send(move(0))
    wire.take()
    assert wire.send(move(0)).take() == ERRORS[2]


@pytest.mark.parametrize(
    "odd", [START, b"hello", b"C4N 1.1 MOVE\n3", b"C4N 1.0 MOVE\nA", RESULTS[1], board(""), b"\xff\xfe"]
)
def test_invalid_message_in_a_game_leaves_the_turn_as_it_was(odd: bytes) -> None:
    wire = World().connect("c4n").send(START)
    wire.take()
    assert wire.send(odd).take() == ERRORS[1]
    assert not wire.closed
    assert wire.send(move(3)).take() == board("3") + GAP + board("30")


@pytest.mark.parametrize("odd", [b"hello", b"C4N 1.1 START\n", move(3), RESULTS[1], b"GET / HTTP/1.1\r\n"])
def test_anything_else_before_start_is_turned_away(odd: bytes) -> None:
    wire = World().connect("c4n").send(odd)
    assert wire.take() == ERRORS[1]
    assert wire.transport.eof


@pytest.mark.parametrize("word", [STOP, ERRORS[1], ERRORS[99]])
@pytest.mark.parametrize("before", [[], [START], [START, move(3)]])
def test_stop_or_error_from_the_client_is_leaving(word: bytes, before: list[bytes]) -> None:
    world = World()
    wire = world.connect("c4n")
    for data in before:
        wire.send(data)
    wire.take()
    assert wire.send(word).take() == b""
    assert wire.transport.closed
    assert world.tables == []


def test_move_in_the_same_segment_as_start_is_played() -> None:
    wire = World().connect("c4n").send(b"C4N 1.0 STARTC4N 1.0 MOVE\n3")
    assert wire.take() == board("") + board("3") + GAP + board("30")


@pytest.mark.parametrize("pieces", [(b"C4N 1.0 MO", b"VE\n3"), (b"C4N 1.0 MOVE\n", b"3"), (b"C", b"4N 1.0 MOVE\n3")])
def test_move_may_come_in_pieces(pieces: tuple[bytes, ...]) -> None:
    wire = World().connect("c4n").send(START)
    wire.take()
    for piece in pieces:
        wire.send(piece)
    assert wire.take() == board("3") + GAP + board("30")


def test_silent_connection_is_not_kept_for_ever() -> None:
    world = World()
    silent, waiting = world.connect("c4n"), world.connect("c4n", opponent="human").send(START)
    world.advance(GREETING_SECONDS + 1)
    assert silent.take() == ERRORS[99]
    assert silent.transport.eof
    assert not waiting.closed


def test_flood_of_nonsense_is_answered_in_the_wires_words_and_slowed() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    wire.take()
    for _ in range(20):
        if wire.transport.reading:
            wire.send(START * 20)
    assert set(wire.take().split(b"C4N 1.0 ")) == {b"", b"ERROR\n1"}
    assert not wire.transport.reading
    world.advance(30)
    assert wire.send(move(3)).take().endswith(board("30"))


def test_every_refusal_has_a_code_of_the_wire() -> None:
    assert set(REFUSALS) == set(Refusal)
    assert set(REFUSALS.values()) <= {1, 2, 3, 99}


# --- full, stopping, failing -----------------------------------------------------------------------------------------


def test_server_with_no_room_says_so() -> None:
    wire = World(max_connections=0).connect("c4n")
    assert wire.take() == ERRORS[3]
    assert wire.transport.eof


def through(world: World, door: Door) -> Wire:
    """A connection through one and the same door."""
    link = Link(world.house, registry.protocols()["c4n"], door)
    transport = FakeTransport()
    link.connection_made(transport)
    world.run()
    return Wire(world, link, transport)


def limited_door(world: World, **keys: str) -> Door:
    defaults = {name: key.default for name, key in registry.protocols()["c4n"].keys.items()}
    return Door("c4n", defaults | keys, world.hub.seeking.waiting_for)


@pytest.mark.parametrize("how", ["stop", "vanish", "win"])
def test_door_with_so_many_games_takes_another_only_when_one_has_ended(how: str) -> None:
    world = World()
    door, other_door = (limited_door(world, max="2") for _ in range(2))
    games = [through(world, door).send(START) for _ in range(2)]
    late = through(world, door).send(START)
    assert late.take() == ERRORS[3]
    assert late.transport.eof
    assert through(world, other_door).send(START).take() == board("")
    if how == "stop":
        games[0].send(STOP)
    elif how == "vanish":
        games[0].reset()
    else:
        for _ in range(4):
            games[0].send(move(3))
    assert through(world, door).send(START).take() == board("")
    assert through(world, door).send(START).take() == ERRORS[3]


def test_two_people_at_one_table_are_one_game_of_their_door() -> None:
    world = World()
    door = limited_door(world, max="1", opponent="human")
    first, second = (through(world, door).send(START) for _ in range(2))
    assert first.take() == board("")
    assert not second.closed
    assert through(world, door).send(START).take() == ERRORS[3]


def test_door_forgets_a_game_whose_log_failed() -> None:
    world = World()
    door = limited_door(world, max="1")
    wire = through(world, door).send(START)
    world.store.failure = LocalError("the disk is full")
    wire.send(move(3))
    world.store.failure = None
    world.advance(3)
    assert through(world, door).send(START).take() == board("")


def test_stopping_server_begins_no_game_and_sends_away_who_waits() -> None:
    world = World()
    waiting, playing = world.connect("c4n", opponent="human").send(START), world.connect("c4n").send(START)
    playing.take()
    world.house.enter(world.hub.drain)
    world.run()
    assert waiting.take() == ERRORS[3]
    assert waiting.transport.eof
    assert world.connect("c4n").send(START).take() == ERRORS[3]
    assert playing.send(move(3)).take().endswith(board("30"))
    world.house.enter(playing.link.farewell)
    world.run()
    assert playing.take() == ERRORS[99]
    assert playing.closed


def test_player_whose_log_failed_is_told_instead_of_the_move() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    wire.take()
    world.store.failure = LocalError("the disk is full")
    wire.send(move(3))
    world.advance(0.4)
    assert wire.take_writes() == [ERRORS[99]]
    assert wire.transport.eof


def test_winner_whose_log_failed_hears_of_no_victory() -> None:
    world = World()
    wire = world.connect("c4n").send(START)
    for _ in range(3):
        wire.send(move(3))
    wire.take()
    world.store.failure = LocalError("the disk is full")
    wire.send(move(3))
    world.advance(0.4)
    assert wire.take_writes() == [ERRORS[99]]
    assert wire.transport.eof


# --- people ----------------------------------------------------------------------------------------------------------


def test_first_to_come_moves_first_and_the_second_sees_that_move_first() -> None:
    world = World()
    first = world.connect("c4n", opponent="human").send(START)
    assert first.take() == b""
    second = world.connect("c4n", opponent="human").send(START)
    assert first.take_writes() == [board("")]
    assert second.take() == b""
    first.send(move(3))
    assert first.take() == b""
    assert second.take_writes() == [board("3", me=1)]


def test_movers_own_board_is_held_until_the_answer() -> None:
    first, second = pair(World())
    play((first, second), "33")
    assert first.take_writes() == [board("3") + GAP + board("33")]
    second.take()
    first.send(move(4))
    assert second.take_writes() == [board("33", me=1) + GAP + board("334", me=1)]


def test_move_out_of_turn_is_refused_and_forgotten() -> None:
    first, second = pair(World())
    assert second.send(move(3)).take() == ERRORS[2]
    first.send(move(3))
    assert first.send(move(3)).take() == ERRORS[2]
    second.take()
    second.send(move(4))
    assert first.take() == board("3") + GAP + board("34")


def test_move_while_nobody_sits_opposite_is_out_of_turn() -> None:
    world = World()
    wire = world.connect("c4n", opponent="human").send(START + move(3))
    assert wire.take() == ERRORS[2]
    assert wire.send(START).take() == ERRORS[1]
    assert wire.send(b"hello").take() == ERRORS[1]
    assert not wire.closed


def test_both_people_get_their_own_verdict() -> None:
    world = World()
    wires = pair(world)
    play(wires, "304050")
    for wire in wires:
        wire.take()
    wires[0].send(move(6))
    assert wires[0].take_writes() == [board("3040506")]
    assert wires[1].take_writes() == [board("304050", me=1) + GAP + board("3040506", me=1)]
    world.advance(0.4)
    assert [wire.take() for wire in wires] == [RESULTS[1], RESULTS[2]]
    assert all(wire.transport.eof for wire in wires)


@pytest.mark.parametrize("leaver", [0, 1])
@pytest.mark.parametrize("how", ["stop", "reset", "half-close"])
def test_who_is_left_is_told_and_the_board_not_sent_yet_is_dropped(leaver: int, how: str) -> None:
    world = World()
    wires = pair(world)
    play(wires, "343")
    for wire in wires:
        wire.take()
    gone, left = wires[leaver], wires[1 - leaver]
    {"stop": lambda: gone.send(STOP), "reset": gone.reset, "half-close": gone.end_of_file}[how]()
    world.advance(0.4)
    assert left.take() == ERRORS[99]
    assert left.transport.eof
    assert world.tables == []


def test_engine_comes_when_nobody_else_does() -> None:
    world = World()
    wire = world.connect("c4n", opponent="human", wait="5").send(START)
    world.advance(4)
    assert wire.take() == b""
    world.advance(2)
    assert wire.take() == board("")


class Stranger:
    """Somebody on another wire, who can do more than ConnectI4n can say."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.who = Participant(lambda told: None, "Stella", "test", Cap.ALL & ~Cap.RESUME)
        world.house.enter(lambda: world.hub.submit(self.who, Seek("connect4", {}, "human")))
        world.run()

    def do(self, command: Play | Resign | Leave) -> None:
        self.world.house.enter(lambda: self.world.hub.submit(self.who, command))
        self.world.run()


@pytest.mark.parametrize(("mode", "rows_first"), [("document", False), ("original", True)])
def test_resignation_of_the_other_is_a_win(mode: str, rows_first: bool) -> None:
    world = World()
    stranger = Stranger(world)
    wire = world.connect("c4n", opponent="human", mode=mode).send(START)
    stranger.do(Play("3"))
    stranger.do(Resign())
    assert wire.take_writes() == [board("3", me=1, rows_first=rows_first)]
    world.advance(0.8)
    assert wire.take_writes()[0] == RESULTS[1]
    assert wire.transport.eof


# --- the original's form ---------------------------------------------------------------------------------------------


def test_in_original_mode_the_engine_begins_and_each_move_gets_one_board_rows_first() -> None:
    wire = World().connect("c4n", mode="original").send(START)
    assert wire.take() == board("0", me=1, rows_first=True)
    assert wire.send(move(3)).take_writes() == [board("030", me=1, rows_first=True)]
    assert wire.send(move(9)).take_writes() == [ERRORS[2]]


def test_in_original_mode_the_verdict_answers_the_last_move_and_the_board_follows() -> None:
    world = World()
    wire = world.connect("c4n", mode="original").send(START)
    for column in (3, 4):
        wire.send(move(column))
    wire.take()
    assert wire.send(move(5)).take_writes() == [RESULTS[2]]
    world.advance(0.4)
    assert wire.take_writes() == [board("0304050", me=1, rows_first=True)]
    assert wire.transport.eof


def test_in_original_mode_a_players_win_counts_before_the_other_moves() -> None:
    world = World()
    wire = world.connect("c4n", mode="original").send(START)
    for column in (3, 0, 3, 3):
        wire.send(move(column))
    wire.take()
    table = world.tables[0]
    assert wire.send(move(3)).take_writes() == [RESULTS[1]]
    assert table.moves[-1] == "3"
    world.advance(0.4)
    assert wire.take().count(b"BOARD") == 1


def test_in_original_mode_a_draw_goes_out_in_one_piece_and_ends_with_an_error() -> None:
    world = World()
    wires = pair(world, size="4x4", mode="original")
    play(wires, "001123321032321")
    for wire in wires:
        wire.take()
    wires[1].send(move(0))
    for wire in wires:
        last = wire.take()
        assert last.startswith(RESULTS[-1] + b"C4N 1.0 BOARD\n4 4 ")
        assert b" 0" not in last
    world.advance(0.4)
    assert [wire.take() for wire in wires] == [ERRORS[99]] * 2


@pytest.mark.parametrize("size", ["4x12", "12x4", "12x12", "10x8"])
def test_boards_of_other_sizes_say_so(size: str) -> None:
    columns, rows = map(int, size.split("x"))
    wire = World().connect("c4n", size=size).send(START)
    assert wire.take() == board("", columns=columns, rows=rows)
    assert wire.send(move(columns - 1)).take().startswith(b"C4N 1.0 BOARD\n%d %d " % (columns, rows))
    assert wire.send(move(columns)).take() == ERRORS[2]


# --- keys and pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("opponent", ("engine", "human"), ("", "ai", "Human")),
        ("level", ("beginner", "master"), ("", "expert")),
        ("wait", ("0", "5", "2.5"), ("", "-1", "soon", "nan", "1e3")),
        ("mode", ("document", "original"), ("", "spec")),
        ("size", ("7x6", "4x4", "12x12"), ("", "7", "3x6", "7x13", "7 x 6", "+7x6")),
        ("max", ("", "0", "25"), ("-1", "many", "1.5")),
    ],
)
def test_door_keys_are_checked(key: str, good: tuple[str, ...], bad: tuple[str, ...]) -> None:
    check = registry.protocols()["c4n"].keys[key].check
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(ValueError, match=r"^must be"):
            check(value)


def test_readme_shows_the_tables_the_code_goes_by() -> None:
    text = (ROOT / "src" / "parlour" / "protocols" / "c4n" / "README.md").read_text(encoding="utf-8")
    assert render(SERVER) in text
    assert render(CLIENT) in text


def test_game_that_was_left_is_logged_as_abandoned() -> None:
    world = World()
    wires = pair(world)
    wires[0].send(STOP)
    events = [record.event for _, record in world.store.log]
    assert [event.reason for event in events if isinstance(event, Finished)] == [Reason.ABANDONED]


def test_second_board_begins_a_row_on_the_original_clients_screen() -> None:
    wire = World().connect("c4n").send(START)
    client = OriginalClient(lambda columns: columns[3])
    for _ in range(2):
        client.inbox = wire.take()
        client.step()
        client.answer()
        wire.send(client.sent[-1])
    client.inbox = wire.take()
    client.step()
    second = [row.split() for row in client.screen[-6:]]
    assert second[-2:] == [["2", "0", "0", "1", "0", "0", "0"], ["2", "0", "0", "1", "0", "0", "0"]]
    assert all(len(row) == 7 for row in second)


@pytest.mark.parametrize("head", [b"C4N 1.0 MOVE\n" + b" " * 5000, b"C4N 1.0 BOARD\n" + b" " * 5000, b"x" * 5000])
def test_tail_of_a_message_that_is_too_long_is_no_move(head: bytes) -> None:
    world = World()
    first, second = pair(world)
    second.take()
    for piece in (head, b"3", b"MOVE\n3", b"1.0 MOVE\n3"):
        first.send(piece)
        world.advance(1)
    assert set(first.take().split(b"C4N 1.0 ERROR\n")) == {b"", b"1"}
    assert second.take() == b""
    assert second.link.participant is not None
    assert second.link.participant.table is not None
    assert second.link.participant.table.moves == []
    first.send(move(3))
    assert second.take() == board("3", 1)
