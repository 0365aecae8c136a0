"""The connection of a program that plays through the API: requests as messages, lines as they are told."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable
from typing import TypeVar

import msgspec
import pytest

from parlour.core.errors import LocalError, Refusal, TooMuch
from parlour.core.session import Door
from parlour.core.words import Record
from parlour.languages import sentence
from parlour.protocols.web import PROTOCOL, spell
from parlour.protocols.web.answers import Answer, Gone, RefusedMessage, TableSnapshot, Welcome
from parlour.protocols.web.messages import FromClient, Leave, Open, Play, Say, Sit, Watch
from parlour.protocols.web.passport import Passport
from parlour.server import limits
from parlour.server.apilink import HIGH_WATER, ApiLink
from parlour.server.lifecycle import say_farewell
from tests.browsers import Browser, Json, socket
from tests.world import World

Result = TypeVar("Result")


class Program:
    """The API's end of one stream."""

    def __init__(self, world: World, name: str = "Robin", address: str = "") -> None:
        self.world = world
        self.heard: list[Answer | Record] = []
        door = Door("web", {}, world.hub.matchmaker.waiting_for)
        self.link = ApiLink(world.house, PROTOCOL, door, address, Passport(f"id of {name}", name), self.hear)
        self.stream = self.link.lines(60.0)
        world.run()

    def hear(self, told: Answer | Record) -> bool:
        self.heard.append(told)
        return not isinstance(told, Welcome)

    async def settle(self, question: Awaitable[Result]) -> Result:
        """The answer, once the house and the loop have nothing left to do."""
        asked = asyncio.ensure_future(question)
        while not asked.done():
            await asyncio.sleep(0)
            self.world.run()
        return await asked

    async def ask(self, message: FromClient) -> list[Answer | Record] | None:
        return await self.settle(self.link.ask(message))

    async def lines(self) -> list[Json]:
        """What there is to read just now."""
        self.world.run()
        if not self.link._outbox._lines:
            return []
        return [msgspec.json.decode(line) for line in (await anext(self.stream)).splitlines()]

    async def rest(self) -> list[Json]:
        """What there is to read until the end."""
        self.world.run()
        return [msgspec.json.decode(line) for line in b"".join([chunk async for chunk in self.stream]).splitlines()]


def seq_of(answers: list[Answer | Record] | None) -> int:
    assert answers is not None
    return next(told.seq for told in answers if isinstance(told, Record))


async def two(world: World) -> tuple[Browser, Program]:
    """A browser and a program at one table, the browser to move."""
    ann, robin = Browser(world, "Ann").open("noughts", "invite"), Program(world)
    await robin.ask(Sit(ann.table))
    assert ann.seat == 0
    await robin.lines()
    return ann, robin


def test_request_is_answered_with_what_came_of_it_and_everything_is_a_line_of_the_stream() -> None:
    async def play() -> None:
        world = World()
        robin = Program(world)
        answers = await robin.ask(Open("noughts", opponent="engine", level="easy", seat=0))
        assert answers is not None
        assert isinstance(answers[0], TableSnapshot)
        assert [line["type"] for line in await robin.lines()] == ["table", "record", "record"]
        assert robin.link.seat == 0
        move = Play(answers[0].table, "b2", "m1")
        answers = await robin.ask(move)
        lines = await robin.lines()
        assert [line["event"]["type"] for line in lines] == ["played", "played"]
        assert lines[0]["seq"] == seq_of(answers)
        assert seq_of(await robin.ask(move)) == seq_of(answers), "answered, not played twice"

    asyncio.run(play())


def test_record_is_encoded_once_for_browsers_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []

    def counting(message: object) -> bytes:
        encoded.append(message)
        return encode(message)

    encode = spell.encode

    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        watching = [socket(world, {"type": "watch", "table": ann.table}) for _ in range(2)]
        looking = [Program(world, f"Watcher {number}") for number in range(2)]
        for program in looking:
            await program.ask(Watch(ann.table))
            await program.lines()
        monkeypatch.setattr(spell, "encode", counting)
        ann.play("b2")
        assert len(encoded) == 1
        record = encode(encoded[0])
        for wire in watching:
            assert wire.transport.writes[-1].endswith(record)
        for program in (robin, *looking):
            assert await anext(program.stream) == record + b"\n"

    asyncio.run(play())


def test_answer_waits_for_the_log() -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        ann.play("b2")
        await robin.lines()
        world.store.hold = True
        asked = asyncio.ensure_future(robin.link.ask(Play(ann.table, "a1", "m")))
        for _ in range(5):
            await asyncio.sleep(0)
            world.run()
        assert not asked.done()
        assert await robin.lines() == []
        world.store.let_through()
        await asyncio.sleep(0)
        assert asked.done()
        assert seq_of(asked.result()) == (await robin.lines())[0]["seq"]

    asyncio.run(play())


@pytest.mark.parametrize("said", [Play("", "a1", "m"), Leave("", "m")])
def test_request_whose_record_the_log_lost_is_refused_and_the_stream_says_why(said: FromClient) -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        ann.play("b2")
        await robin.lines()
        world.store.failure = LocalError("disk full")
        answers = await robin.ask(msgspec.structs.replace(said, table=ann.table))
        assert answers == [RefusedMessage("log-down", sentence(Refusal.LOG_DOWN), "m")]
        last = (await robin.rest())[-1:]
        if isinstance(said, Play):
            assert [(line["type"], line["why"]) for line in last] == [("left", "log-down")]
        assert await robin.ask(Say(ann.table, "hello?", "n")) is None

    asyncio.run(play())


def test_leaving_is_answered_and_ends_the_stream() -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        answers = await robin.ask(Leave(ann.table, "m"))
        assert answers is not None
        assert Gone(ann.table) in answers
        assert (await robin.rest())[-1]["type"] == "left"
        await asyncio.sleep(0)
        assert robin.link not in world.house.links
        assert await robin.ask(Say(ann.table, "hello?", "n")) is None

    asyncio.run(play())


def test_reader_who_goes_is_waited_for_like_a_browser() -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        robin.link.hang_up()
        world.run()
        await asyncio.sleep(0)
        assert ann.events()[-1] == "held"
        assert robin.link not in world.house.links
        robin.link.hang_up()

    asyncio.run(play())


def test_reader_who_is_slow_is_waited_for_and_then_dropped() -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        for _ in range(HIGH_WATER // 1000 + 1):
            ann.say("say", table=ann.table, text="x" * 1000)
        assert robin.link.waits
        ann.say("say", table=ann.table, text="one more")
        assert b"one more" not in await anext(robin.stream)
        assert not robin.link.waits
        assert (await robin.lines())[-1]["text"] == "one more"
        for _ in range(HIGH_WATER // 1000 + 1):
            ann.say("say", table=ann.table, text="x" * 1000)
        world.advance(limits.STALLED_SECONDS + 1)
        await asyncio.sleep(0)
        assert robin.link not in world.house.links
        assert await robin.rest() == []

    asyncio.run(play())


def test_too_many_messages_are_refused_for_a_moment() -> None:
    async def play() -> None:
        world = World()
        ann, robin = await two(world)
        while robin.link._reading:
            await robin.ask(Play(ann.table, "z9", "m"))
        with pytest.raises(TooMuch) as refused:
            await robin.ask(Say(ann.table, "hello", "s"))
        assert (refused.value.excess.limit.most, refused.value.excess.seconds) == (limits.BURST, 1)
        assert (await robin.lines())[-1]["why"] == "too-fast"
        world.advance(limits.THROTTLE_SECONDS + 0.1)
        assert await robin.ask(Say(ann.table, "sorry", "s")) is not None

    asyncio.run(play())


def test_full_house_takes_no_programs_either() -> None:
    async def play() -> None:
        world = World(max_connections=1)
        Browser(world)
        robin = Program(world)
        assert await robin.ask(Open("noughts")) is None
        assert [line["why"] for line in await robin.rest()] == ["server-full"]

    asyncio.run(play())


def test_server_that_stops_says_so_on_the_stream() -> None:
    async def play() -> None:
        world = World()
        _, robin = await two(world)
        world.house.enter(world.hub.drain)
        say_farewell(world.house)
        assert [line["why"] for line in await robin.rest()] == ["draining"]

    asyncio.run(play())


def test_silence_is_broken_by_empty_lines() -> None:
    async def listen() -> None:
        robin = Program(World())
        assert await anext(robin.link.lines(0.001)) == b"\n"

    asyncio.run(listen())


def test_nothing_is_left_of_a_stream_that_has_ended() -> None:
    async def play() -> weakref.ref[Program]:
        world = World()
        _, robin = await two(world)
        robin.link.hang_up()
        world.run()
        await asyncio.sleep(0)
        found = weakref.ref(robin)
        del robin
        return found

    gc.disable()
    try:
        assert asyncio.run(play())() is None, "not only when garbage is collected"
    finally:
        gc.enable()
