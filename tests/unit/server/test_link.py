"""One connection: its limits, its deadlines, the order of what it says, and every way it ends."""

import pytest

from parlour.core.session import Close, HalfClose, Pause
from parlour.protocols.c4n import codec as c4n
from parlour.protocols.glendy.codec import hello
from parlour.server import limits
from parlour.server.lifecycle import say_farewell
from tests.nettoe import BOB
from tests.unit.server.pairs import C4N_ERROR, PAIRS, Pair, glendy_pair
from tests.world import Wire, World

every_wire = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.wire)
TOO_FAST = b"ERR Too many messages: 256 at once, then 50 a second. Please wait 1 s.\n"


# --- reading ---------------------------------------------------------------------------------------------------------


def queued(world: World) -> Wire:
    """A client of the first revision in the queue: every line it says gets a complaint."""
    wire = world.connect("glendy")
    world.advance(0.5)
    wire.take()
    return wire


def test_flood_of_bad_lines_is_throttled_once_and_no_line_of_it_is_lost() -> None:
    world = World()
    wire = queued(world)
    wire.send(b"x\n" * 300)
    answers = wire.take().splitlines(keepends=True)
    assert answers == [b"ERR WAIT\n"] * (limits.BURST + 1) + [TOO_FAST]
    assert not wire.transport.reading
    world.advance(limits.THROTTLE_SECONDS - 0.1)
    assert wire.take() == b""
    world.advance(0.2)
    assert wire.take() == b"ERR WAIT\n" * (300 - limits.BURST - 1)
    assert wire.transport.reading


def test_bucket_refills_with_time() -> None:
    world = World()
    wire = queued(world)
    for _ in range(10):
        wire.send(b"x\n" * int(limits.REFILL_PER_SECOND))
        world.advance(1)
    assert TOO_FAST not in wire.take()


@every_wire
def test_throttling_speaks_the_wire_and_leaves_the_game_alone(pair: Pair) -> None:
    world = World()
    mover, other = pair.seat(world)
    mover.link._debt, mover.link._debt_at = limits.BURST + 0.5, world.now
    mover.send({"glendy": b"x\n", "c4n": c4n.START, "nettoe": pair.move}[pair.wire])
    words = {"glendy": TOO_FAST, "c4n": C4N_ERROR[1], "nettoe": b""}[pair.wire]
    assert mover.take().endswith(words)
    assert not mover.transport.reading
    world.advance(limits.THROTTLE_SECONDS + 0.1)
    if pair.wire != "nettoe":
        mover.send(pair.move)
    assert other.take().startswith(pair.told)


def test_legal_moves_are_never_throttled() -> None:
    """A whole game in no time at all."""
    world = World()
    mover = world.connect("c4n", opponent="engine").send(c4n.START)
    for column in [0, 1, 2, 3, 4, 5, 6] * 3:
        mover.send(c4n.move(column))
    assert mover.link._debt <= 8  # START, and whatever full columns were refused


def test_refused_moves_are_charged() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    trapper.send(b"p 5 5\n" * 300)
    assert TOO_FAST in trapper.take()


def test_busy_connection_gives_the_others_their_turn() -> None:
    """What a flood leads to is dealt with in slices; one who speaks meanwhile is answered between two of them."""
    world = World()
    (_, flood), (_, other) = glendy_pair(world), glendy_pair(world)
    flood.link.data_received(b"x\n" * 100)
    other.link.data_received(b"x\n")
    while not (heard := other.take()):
        world.soon.popleft()()
    assert heard == b"ERR WAIT\n"
    early = flood.take().count(b"\n")
    assert early in range(limits.MESSAGES_PER_TURN, 100, limits.MESSAGES_PER_TURN)
    world.run()
    assert flood.take().count(b"\n") == 100 - early
    assert flood.transport.reading


def test_message_cut_anywhere_is_one_message() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    for byte in b"p 0 0\n":
        assert trapper.take() == b""
        trapper.send(bytes([byte]))
    assert glenda.take() == b"SYNC 1 0 0\nTURN\n"


def test_line_without_an_end_takes_no_memory_without_bounds() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    for _ in range(200):
        trapper.send(b"p" * 4096)
        assert len(trapper.link._rest) < 8192


# --- writing ---------------------------------------------------------------------------------------------------------


def test_everything_of_one_wake_up_is_one_write() -> None:
    world = World()
    wire = queued(world)
    wire.send(b"x\n" * 20)
    assert wire.take_writes() == [b"ERR WAIT\n" * 20]


def test_nothing_overtakes_a_pause() -> None:
    world = World()
    wire = queued(world)
    wire.link.release([b"one", Pause(0.3), b"two", b"three", Pause(0.3), b"four", HalfClose()])
    world.advance(0.2)
    assert wire.take_writes() == [b"one"]
    world.advance(0.2)
    assert wire.take_writes() == [b"twothree"]
    assert not wire.transport.eof
    world.advance(0.35)
    assert (wire.take_writes(), wire.transport.eof) == ([b"four"], True)


def test_what_comes_during_a_pause_goes_out_after_it_in_order() -> None:
    world = World()
    wire = queued(world)
    wire.link.release([b"one", Pause(0.3), b"two"])
    wire.link.release([b"three"])
    wire.link.release([b"four", Close()])
    assert wire.take_writes() == [b"one"]
    world.advance(0.4)
    assert (wire.take_writes(), wire.transport.closed) == ([b"twothreefour"], True)


def test_half_close_waits_for_the_peer_but_not_for_ever() -> None:
    world = World()
    ends = []
    for polite in (True, False):
        wire = world.connect("c4n").send(b"rubbish that is no message")
        assert (wire.take(), wire.transport.eof, wire.transport.closed) == (C4N_ERROR[1], True, False)
        if polite:
            wire.end_of_file()
        world.advance(limits.LINGER_SECONDS - 0.2)
        ends.append(wire.transport.closed)
        world.advance(0.4)
        assert wire.transport.closed
    assert ends == [True, False]


def test_throttled_connection_that_ends_still_reads_to_the_peers_end() -> None:
    world = World()
    mover, other = next(pair for pair in PAIRS if pair.wire == "c4n").seat(world)
    mover.send(c4n.START * 300)
    assert not mover.transport.reading
    other.reset()
    world.advance(limits.THROTTLE_SECONDS + 0.2)
    assert mover.transport.eof
    assert mover.transport.reading


# --- a peer that does not read ---------------------------------------------------------------------------------------


def test_reader_who_is_stalled_is_dropped_after_ten_seconds_and_the_other_is_told() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    glenda.link.pause_writing()
    trapper.send(b"p 0 0\n")
    world.advance(limits.STALLED_SECONDS - 0.2)
    assert (glenda.closed, trapper.closed) == (False, False)
    world.advance(0.4)
    assert glenda.transport.closed
    assert trapper.take().endswith(b"DIE other client have been disconnected\n")
    assert world.house.counts["dropped"] == 1


def test_reader_who_catches_up_in_time_has_missed_nothing() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    glenda.link.pause_writing()
    trapper.send(b"p 0 0\n")
    glenda.send(b"m E\n")
    trapper.send(b"p 1 1\n")
    assert glenda.take() == b""
    world.advance(limits.STALLED_SECONDS - 1)
    glenda.link.resume_writing()
    assert glenda.take_writes() == [b"SYNC 1 0 0\nTURN\nSYNC 2 E\nWAIT\nSYNC 3 1 1\nTURN\n"]
    world.advance(limits.STALLED_SECONDS + 1)
    assert not glenda.closed


def test_megabyte_unread_is_the_end() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    glenda.link.pause_writing()
    for _ in range(limits.UNSENT_BYTES // 100_000):
        glenda.link.release([b"x" * 100_000])
    assert not glenda.closed
    glenda.link.release([b"x"])
    world.run()
    assert glenda.transport.closed
    assert trapper.take() == b"DIE other client have been disconnected\n"


# --- coming in -------------------------------------------------------------------------------------------------------


@every_wire
def test_full_server_says_so_in_the_words_of_the_wire(pair: Pair) -> None:
    world = World(max_connections=2)
    mover, other = pair.seat(world)
    extra = world.connect(pair.wire)
    assert (extra.take(), extra.closed) == (pair.full, True)
    assert world.house.counts["refused_connections"] == 1
    mover.send(pair.move)
    assert other.take().startswith(pair.told)


def test_only_so_many_are_turned_away_with_words_at_a_time() -> None:
    world = World(max_connections=0)
    wires = [world.connect("c4n") for _ in range(limits.TURNED_AWAY + 5)]
    assert [wire.take() for wire in wires] == [C4N_ERROR[3]] * limits.TURNED_AWAY + [b""] * 5
    assert all(wire.transport.closed for wire in wires[-5:])
    for wire in wires:
        wire.reset()
    assert world.connect("c4n").take() == C4N_ERROR[3]


def test_place_is_free_again_once_somebody_has_gone() -> None:
    world = World(max_connections=1)
    first = world.connect("glendy")
    assert world.connect("glendy").closed
    first.reset()
    assert not world.connect("glendy").closed


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_loopback_may_connect_as_often_as_it_likes(address: str) -> None:
    world = World()
    assert not any(world.connect("c4n", address).closed for _ in range(250))
    assert not world.house.gate.counted("connections", "address")


def test_one_address_from_outside_has_a_limit_and_others_do_not_feel_it() -> None:
    world = World()
    wires = [world.connect("glendy", "192.0.2.1") for _ in range(200)]
    assert not any(wire.closed for wire in wires)
    assert world.connect("glendy", "192.0.2.1").take() == (
        b"DIE The limit is 200 connections from one address at the same time. Please wait 10 s.\n"
    )
    assert not world.connect("glendy", "192.0.2.2").closed
    wires[0].reset()
    assert not world.connect("glendy", "192.0.2.1").closed
    for wire in wires[1:]:
        wire.reset()
    assert world.house.gate.counted("connections", "address") == {"192.0.2.1": 1, "192.0.2.2": 1}


@pytest.mark.parametrize(
    ("wire", "keys", "said", "seconds", "last"),
    [
        ("glendy", {"hello": "required"}, b"", 20, b"DIE no hello\n"),
        ("glendy", {"hello": "required"}, b"slow", 20, b"DIE no hello\n"),
        ("c4n", {}, b"", 120, C4N_ERROR[99]),
        ("c4n", {}, b"C4N 1.0 STA", 120, C4N_ERROR[99]),
        ("nettoe", {"opponent": "engine"}, b"", 20, b"Parlour".ljust(32, b"\0")),
        ("nettoe", {"opponent": "human"}, BOB[:31], 20.5, b"Parlour".ljust(32, b"\0")),
    ],
)
def test_whoever_never_asks_for_a_game_is_sent_away(
    wire: str, keys: dict[str, str], said: bytes, seconds: float, last: bytes
) -> None:
    world = World()
    peer = world.connect(wire, **keys).send(said)
    world.advance(seconds - 0.1)
    assert not peer.closed
    world.advance(0.3)
    assert (peer.take(), peer.closed) == (last, True)
    assert peer.transport.closed or wire == "c4n"


def test_client_in_the_queue_that_does_not_answer_is_sent_away() -> None:
    world = World()
    wire = world.connect("glendy").send(hello("hugo", 0) + b"y\n")
    world.advance(31)
    assert wire.take().endswith(b"UGUD\n")
    world.advance(30)
    assert (wire.take(), wire.closed) == (b"DIE no answer\n", True)


# --- going -----------------------------------------------------------------------------------------------------------


@every_wire
@pytest.mark.parametrize("end", ["end of file", "reset"])
@pytest.mark.parametrize("leaver", [0, 1])
def test_end_of_a_connection_is_leaving_and_the_other_is_told_at_once(pair: Pair, end: str, leaver: int) -> None:
    world = World()
    wires = pair.seat(world)
    wires[0].send(pair.move)
    for wire in wires:
        wire.take()
    gone, other = wires[leaver], wires[1 - leaver]
    gone.end_of_file() if end == "end of file" else gone.reset()
    assert gone.closed
    world.advance(0.35)  # the pause before a verdict on the c4n wire
    assert (other.take(), other.closed) == (pair.gone, True)
    assert not world.tables


@every_wire
def test_whoever_goes_while_waiting_is_in_nobodys_way(pair: Pair) -> None:
    world = World()
    gone = world.connect(pair.wire, opponent="human").send(pair.greeting)
    gone.end_of_file()
    assert gone.closed
    mover, other = pair.seat(world)
    mover.send(pair.move)
    assert other.take().startswith(pair.told)


def test_move_before_an_end_of_file_counts() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    trapper.link.data_received(b"p 0 0\n")
    trapper.link.eof_received()
    world.run()
    assert glenda.take() == b"SYNC 1 0 0\nTURN\nDIE other client have been disconnected\n"
    assert trapper.take() == b"SYNC 1 0 0\nWAIT\nDIE disconnected\n"


def test_connection_lost_while_its_words_wait_for_the_log_hurts_nobody() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    trapper.reset()
    world.store.hold = False
    world.store.let_through()
    world.run()
    assert glenda.take() == b"SYNC 1 0 0\nTURN\nDIE other client have been disconnected\n"
    assert world.house.at_rest


@every_wire
def test_stop_is_told_to_both_players_in_the_words_of_the_wire(pair: Pair) -> None:
    world = World()
    wires = pair.seat(world)
    say_farewell(world.house)
    world.run()
    for wire in wires:
        assert (wire.take(), wire.transport.closed) == (pair.stopping, True)
    assert not world.tables


def test_those_who_wait_are_told_of_a_stop_at_once() -> None:
    world = World()
    wire = queued(world)
    world.house.enter(world.hub.drain)
    world.run()
    assert (wire.take(), wire.closed) == (b"DIE The server is about to stop.\n", True)
