"""Under a storm of talk moves go first, everything else in slices; no line is lost, and who talks is told once."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from websockets.frames import Frame, Opcode

from parlour.core.updates import Said, Update
from parlour.core.words import Command, Say
from parlour.languages import sentence
from parlour.protocols.c4n import codec as c4n
from parlour.protocols.ggz import ask
from parlour.protocols.web.messages import Say as WebSay
from parlour.protocols.web.messages import Watch
from parlour.server import limits
from parlour.server.turns import SLOWED
from tests.browsers import Browser, socket
from tests.ggz import Person
from tests.netdot import Client, Lan
from tests.unit.server.pairs import c4n_pair
from tests.unit.server.test_apilink import Program
from tests.world import World

TOLL = limits.SLICE_SECONDS / 4
"""What everything costs that is no move: a slice is worth four."""
LINES = 50
TALKERS = 8


def saying(who: int, lines: int = LINES) -> bytes:
    return b"".join(b"network-chat %d/%d\n" % (who, number) for number in range(lines))


def room(lan: Lan, talkers: int = TALKERS) -> list[Client]:
    clients = [lan.join(name=f"t{number}", ready=False) for number in range(talkers)]
    for client in clients:
        client.heard()
    return clients


def storm(lan: Lan, clients: list[Client], lines: int = LINES) -> None:
    """Everyone says many lines; the loop has not gone on yet."""
    lan.world.toll = TOLL
    for number, client in enumerate(clients):
        client.wire.link.data_received(saying(number, lines))


def lines_heard(client: Client) -> list[str]:
    return [line.split(" ", 2)[2] for line in client.heard() if line.startswith("network-chat")]


def step(world: World, until: Callable[[], object], seconds: float = 0.0) -> int:
    """Let the loop go on call by call, and time with it; returns how many calls it took."""
    for calls in range(20_000):
        if until():
            return calls
        if not world.soon:
            raise AssertionError("the loop is at rest")
        world.now += seconds
        world.soon.popleft()()
    raise AssertionError("it never came about")


# --- moves first, nothing lost ---------------------------------------------------------------------------------------


def test_move_is_played_between_two_slices_of_talk() -> None:
    lan = Lan()
    first, second = c4n_pair(lan.world)
    clients = room(lan)
    storm(lan, clients)
    first.link.data_received(c4n.move(3))
    step(lan.world, lambda: b"BOARD" in b"".join(second.transport.writes))
    heard = lines_heard(clients[0])
    assert len(heard) <= 8, "two slices at most"
    lan.world.run()
    assert len(heard) + len(lines_heard(clients[0])) == TALKERS * LINES


def test_every_line_reaches_everyone_in_the_order_of_its_speaker() -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    lan.world.run()
    for client in clients:
        heard = lines_heard(client)
        for number in range(TALKERS):
            own = [line for line in heard if line.startswith(f"{number}/")]
            assert own == [f"{number}/{line}" for line in range(LINES)]
        assert client.wire.transport.reading
        assert not client.gone


def test_talkers_take_turns() -> None:
    """When the first has used up what was free, everyone is heard once before anyone is heard again."""
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    lan.world.run()
    speakers = [int(line.split("/")[0]) for line in lines_heard(clients[0])]
    free = speakers.index(1)
    for start in range(free, (LINES - free) * TALKERS, TALKERS):
        assert set(speakers[start : start + TALKERS]) == set(range(TALKERS))


def test_without_a_storm_nothing_waits() -> None:
    lan = Lan()
    ann, bob = room(lan, 2)
    lan.world.toll = TOLL
    ann.wire.link.data_received(saying(0, 3))
    assert not lan.world.house.turns.waiting
    lan.world.run()
    assert lines_heard(bob) == ["0/0", "0/1", "0/2"]


def test_what_is_not_dealt_with_yet_is_not_read() -> None:
    """The backlog stays with whoever made it."""
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    assert [client.wire.transport.reading for client in clients] == [False] * TALKERS


def test_own_move_stays_behind_own_talk() -> None:
    lan = Lan()
    ann, bob = (lan.join(name=name) for name in ("ann", "bob"))
    lan.start()
    mover, other = (ann, bob) if lan.on_turn() is ann else (bob, ann)
    other.heard()
    lan.world.toll = TOLL
    mover.wire.link.data_received(saying(0, 20) + b"game-line 0 0 hor\n" + b"network-chat after\n")
    lan.world.run()
    words = [line.split(" ")[0] for line in other.heard()]
    assert words.index("game-line") == 20
    assert words[-1] == "network-chat"


# --- whose turn it is ------------------------------------------------------------------------------------------------


def test_who_does_something_goes_before_all_who_talk() -> None:
    lan = Lan()
    clients = room(lan, TALKERS + 1)
    storm(lan, clients[1:])
    clients[0].wire.link.data_received(b"game-ready\n")
    who = clients[0].wire.link.participant
    assert who is not None
    assert who.member is not None
    said: list[Update] = []
    who.tell = said.append
    step(lan.world, lambda: who.member.ready)  # type: ignore[union-attr]
    assert sum(type(told) is Said for told in said) < TALKERS
    assert lan.world.house.turns.waiting


def test_line_in_a_quiet_room_does_not_wait_for_a_loud_one() -> None:
    lan = Lan()
    loud = room(lan)
    ann = Browser(lan.world, "Ann").open("noughts", "invite")
    bob = Browser(lan.world, "Bob").sit(ann.table)
    storm(lan, loud)
    ann.wire.link.data_received(b'{"type":"say","table":"%s","text":"psst"}\n' % ann.table.encode())
    step(lan.world, lambda: b"psst" in b"".join(bob.wire.transport.writes))
    assert len(lines_heard(loud[0])) <= 12
    assert lan.world.house.turns.waiting


@pytest.mark.parametrize("element", [ask.ask_list("player"), ask.say("hello")], ids=["LIST", "CHAT"])
def test_requests_of_a_zone_are_talk(element: bytes) -> None:
    world = World()
    people = [Person(world, f"p{number}").log_in().enter(0) for number in range(TALKERS)]
    first, second = c4n_pair(world)
    for person in people:
        person.heard()
    world.toll = TOLL
    for person in people:
        person.wire.link.data_received(LINES * element)
    first.link.data_received(c4n.move(3))
    step(world, lambda: b"BOARD" in b"".join(second.transport.writes))
    assert world.house.turns.waiting
    world.run()
    heard = [b"".join(person.wire.transport.writes) for person in people]
    if b"CHAT" in element:
        assert all(data.count(b"hello") == TALKERS * LINES for data in heard)
    else:
        assert all(data.count(b"TYPE='player' ROOM='0'") >= LINES for data in heard)


# --- words -----------------------------------------------------------------------------------------------------------


def test_who_is_slowed_down_is_told_once_in_a_storm_and_again_in_the_next() -> None:
    lan = Lan()
    clients = room(lan)
    words = sentence(SLOWED)
    for times in (1, 2):
        storm(lan, clients)
        step(lan.world, lambda: not lan.world.house.turns.waiting, 0.01)
        lan.world.run()
        storm(lan, clients)
        step(lan.world, lambda: not lan.world.house.turns.waiting, 0.01)
        lan.world.run()
        told = [b"".join(client.wire.transport.writes).count(words.encode()) for client in clients]
        assert told == [times] * TALKERS
        lan.world.advance(2 * limits.CALM_SECONDS + 1)


def test_who_says_one_line_in_a_storm_is_not_told() -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients[1:])
    clients[0].wire.link.data_received(saying(0, 1))
    step(lan.world, lambda: not lan.world.house.turns.waiting, 0.01)
    lan.world.run()
    assert sentence(SLOWED).encode() not in b"".join(clients[0].wire.transport.writes)


@pytest.mark.parametrize("wire", ["netdot", "ggz", "web", "telnet"])
def test_every_wire_with_talk_has_words_for_it(wire: str) -> None:
    world = World()
    lan = Lan()
    lan.world = world
    match wire:
        case "netdot":
            peer = lan.join(name="ann").wire
        case "ggz":
            peer = Person(world, "ann").log_in().enter(0).wire
        case "web":
            peer = Browser(world, "Ann").open("noughts").wire
        case _:
            peer = world.connect("telnet").send(b"new noughts against easy\n")
    peer.take()
    world.house.enter(lambda: peer.link.tell(SLOWED))
    world.run()
    assert sentence(SLOWED).encode() in peer.take()


def test_commands_that_no_game_waits_for_are_talk() -> None:
    assert Say("hello").is_talk
    assert not Command().is_talk


# --- readers, the log, and other trouble -----------------------------------------------------------------------------


def test_storm_waits_for_a_reader_who_is_slow_but_not_for_ever() -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    clients[0].wire.link.pause_writing()
    lan.world.run()
    before = len(lines_heard(clients[1]))
    assert before <= 4
    lan.world.advance(limits.WAIT_FOR_READERS_SECONDS - 0.5)
    assert lines_heard(clients[1]) == []
    lan.world.advance(1)
    assert before + len(lines_heard(clients[1])) == TALKERS * LINES


def test_storm_goes_on_when_its_readers_have_caught_up() -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    clients[0].wire.link.pause_writing()
    lan.world.run()
    clients[0].wire.link.resume_writing()
    lan.world.advance(0.2)
    assert [len(lines_heard(client)) for client in clients] == [TALKERS * LINES] * TALKERS


def test_slow_reader_elsewhere_delays_nobody() -> None:
    lan = Lan()
    other = Browser(lan.world, "Ann").open("noughts")
    clients = room(lan)
    other.wire.link.pause_writing()
    storm(lan, clients)
    lan.world.run()
    assert len(lines_heard(clients[0])) == TALKERS * LINES


def test_little_is_said_ahead_of_a_log_that_does_not_write() -> None:
    lan = Lan()
    first, _ = c4n_pair(lan.world)
    clients = room(lan, 20)
    lan.world.store.hold = True
    first.send(c4n.move(3))
    storm(lan, clients)
    lan.world.run()
    held = lan.world.house.outbox[clients[0].wire.link]
    assert len(held) <= 6 * (limits.SLICES_AHEAD + 2) < 20 * LINES
    lan.world.store.hold = False
    lan.world.store.let_through()
    lan.world.advance(1)
    assert len(lines_heard(clients[0])) == 20 * LINES


def test_talker_who_is_gone_before_their_turn_holds_up_nobody() -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    clients[0].wire.reset()
    assert len([line for line in lines_heard(clients[1]) if not line.startswith("0/")]) == (TALKERS - 1) * LINES


def test_mistake_of_ours_costs_one_connection_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    lan = Lan()
    clients = room(lan)
    storm(lan, clients)
    broken = clients[0].wire.link

    def fail(_: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(type(broken), "_perform", _but_for(broken, type(broken)._perform, fail))
    with pytest.raises(RuntimeError):
        lan.world.run()
    assert clients[0].wire.closed
    lan.world.run()
    assert len([line for line in lines_heard(clients[1]) if not line.startswith("0/")]) == (TALKERS - 1) * LINES


def _but_for(one: object, usual: Callable[..., None], fail: Callable[[object], None]) -> Callable[..., None]:
    def perform(link: object, outputs: object) -> None:
        if link is one:
            fail(outputs)
        else:
            usual(link, outputs)

    return perform


def test_last_words_of_a_browser_that_closes_are_heard() -> None:
    lan = Lan()
    ann = Browser(lan.world, "Ann").open("noughts", "invite")
    loud = room(lan)
    leaver = socket(lan.world, {"type": "sit", "table": ann.table})
    ann.heard()
    storm(lan, loud)
    words = msgspec.json.encode({"type": "say", "table": ann.table, "text": "bye"})
    bye = b"".join(Frame(*frame).serialize(mask=True) for frame in ((Opcode.TEXT, words), (Opcode.CLOSE, b"\3\350")))
    leaver.link.data_received(bye)
    lan.world.run()
    kinds = [message.get("text") or message["event"]["type"] for message in ann.heard() if message["type"] != "you"]
    assert kinds.index("bye") < kinds.index("held")


def test_frames_are_not_even_taken_apart_before_their_turn() -> None:
    lan = Lan()
    ann = Browser(lan.world, "Ann").open("noughts", "invite")
    loud = room(lan)
    talker = socket(lan.world, {"type": "watch", "table": ann.table})
    storm(lan, loud)
    words = msgspec.json.encode({"type": "say", "table": ann.table, "text": "psst"})
    talker.link.data_received(LINES * Frame(Opcode.TEXT, words).serialize(mask=True))
    assert not talker.transport.reading
    assert talker.link._rest == b""
    lan.world.run()
    assert len(ann.all("said")) == LINES
    assert talker.transport.reading


def test_program_of_the_api_waits_for_its_turn_to_speak() -> None:
    async def scene() -> None:
        lan = Lan()
        ann = Browser(lan.world, "Ann").open("noughts", "invite")
        robin = Program(lan.world)
        await robin.ask(Watch(ann.table))
        loud = room(lan)
        storm(lan, loud)
        saying = asyncio.ensure_future(robin.link.ask(WebSay(ann.table, "psst")))
        await asyncio.sleep(0)
        assert not saying.done()
        await robin.settle(saying)
        assert ann.last("said")["text"] == "psst"

    asyncio.run(scene())
