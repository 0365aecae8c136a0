"""All NetDot versions at one table, each in its own words: everybody sees the same board, scores and turn."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.table.table import Table
from parlour.core.words import Finished, Leave, Reason, Started
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import PROTOCOL
from tests.interop.netdot_lan import guest
from tests.netdot import Witness
from tests.unit.protocols.netdot_recording import Client, connect
from tests.visitor import Visitor
from tests.world import World

VERSIONS = ("1", "2", "beta", "3")
TICK = 0.05
MISCHIEF = {
    "1": ("request-stop", "request-start", "player-color 7", "network-chat hi", "game-play true 9, 9", "request-join"),
    "2": ("request-stop", "request-restart", "player-color 7", "network-chat hi", "game-play 9,9 hor", "player-rename"),
    "beta": ("request-stop", "user-color 5", "network-chat hi", "game-leave", "game-join"),
    "3": (
        "game-leave",
        "game-join",
        "game-join",
        "game-notready",
        "game-ready",
        "network-chat /size 3 4",
        "request-stop",
    ),
}
"""What people do besides playing."""


class Guest:
    """One of our clients at our server, speaking one version; what it hears would not kill its originals."""

    def __init__(self, world: World, rng: Random, version: str, number: int, keys: dict[str, str]) -> None:
        self.version = version
        self.visitor = Visitor(
            PROTOCOL, rng.choice, lambda: True, name=f"{version}-{number}", query={"version": version}
        )
        self.wire = connect(world, **keys)
        self._witness = Witness(version)
        self.visitor.open()

    def talk(self) -> bool:
        """Say and hear whatever there is."""
        busy = False
        while self.visitor.sent and not self.wire.closed:
            self.wire.send(self.visitor.sent.pop(0))
            busy = True
        data = self.wire.take()
        for line in data.splitlines(keepends=True):
            self._witness.hear(line)
        if data:
            self.visitor.feed(data)
        return busy or bool(data)

    @property
    def inside(self) -> bool:
        who = self.wire.link.participant
        return not self.wire.closed and who is not None and who.table is not None

    def leave(self) -> None:
        self.visitor.act(Leave())
        self.talk()
        self.wire.end_of_file()


class Party:
    """Guests in one room, looked at whenever there is nothing left to say."""

    def __init__(self, seed: int, versions: tuple[str, ...], **keys: str) -> None:
        self.rng = Random(seed)
        self.world = World(seed)
        self.keys = {"size": "3x3"} | keys
        self.guests: list[Guest] = []
        for version in versions:
            self.come(version)
        self.compared = dict.fromkeys(VERSIONS, 0)

    def come(self, version: str) -> Guest:
        guest_ = Guest(self.world, self.rng, version, len(self.guests), self.keys)
        self.guests.append(guest_)
        self.settle()
        return guest_

    @property
    def table(self) -> Table:
        (table,) = self.world.tables
        return table

    def settle(self) -> None:
        while sum(each.talk() for each in self.guests):
            pass

    def steps(self) -> Iterator[None]:
        """Time passes and moves are made, one at a time; each time everybody agrees."""
        while True:
            if not any(each.visitor.decide() for each in self.rng.sample(self.guests, len(self.guests))):
                self.world.advance(TICK)
                for each in self.guests:
                    each.visitor.advance(TICK)
            self.settle()
            self.compare()
            yield

    def play(self, games: int) -> None:
        """Until so many games are over."""
        for _, _ in zip(range(20_000), self.steps(), strict=False):
            if self.table.number >= games and not self.table.running:
                return
        raise AssertionError("the games never end")

    def compare(self) -> None:
        position = self.table.position
        if not isinstance(position, DotsPosition):
            return
        cast = self.table.party.cast
        boxes = {place: cast[owner].name for place, owner in _boxes(position).items()}
        for each in self.guests:
            known = guest(each.visitor)
            if not each.inside or not known.running:
                continue
            self.compared[each.version] += 1
            here = {member.name for member in self.table.party.members.values()}
            seen = {place: known.called(owner) for place, owner in known.grid.boxes.items()}
            assert seen.keys() == boxes.keys()
            assert {(place, name) for place, name in seen.items() if boxes[place] in here} == {
                (place, name) for place, name in boxes.items() if name in here
            }
            assert len(known.grid.open_lines()) == list(position.line_owners).count(255)
            if self.table.running:
                assert known.called(known.current) == cast[position.turn].name


def _boxes(position: DotsPosition) -> dict[tuple[int, int], int]:
    return {
        place: owner for place, owner in zip(position.shape.where, position.box_owners, strict=True) if owner != 255
    }


@pytest.mark.parametrize("versions", [*combinations_with_replacement(VERSIONS, 2)], ids="+".join)
def test_any_two_versions_play_a_game_together(versions: tuple[str, ...]) -> None:
    party = Party(1, versions)
    party.play(1)
    assert party.table.result is not None
    assert party.table.result.reason is Reason.PLAYED_OUT
    assert all(party.compared[version] > 8 for version in versions)


@pytest.mark.parametrize("features", ["chat", "chat,random-start,random-order"])
@pytest.mark.parametrize("seed", range(3))
def test_all_four_versions_play_game_after_game(seed: int, features: str) -> None:
    party = Party(seed, tuple(Random(seed).sample(VERSIONS, 4)), features=features, ready="4")
    party.play(3)
    results = [record.event for record in party.table.ring if isinstance(record.event, Finished)]
    assert [result.reason for result in results] == [Reason.PLAYED_OUT] * 3
    assert all(sum(result.scores) == 4 for result in results)
    assert all(times > 12 for times in party.compared.values())


def test_bots_play_along_in_every_version() -> None:
    party = Party(5, VERSIONS[::-1], ready="5", bots="1", size="4x3")
    party.play(2)
    assert all(times > 12 for times in party.compared.values())


@pytest.mark.parametrize("seed", range(5))
def test_comers_and_leavers_confuse_nobody(seed: int) -> None:
    party = Party(seed, ("2", "beta", "3", "1"), ready="2", size="4x4", features="chat,random-start")
    choices = Random(seed)
    for step, _ in enumerate(party.steps()):
        inside = [each for each in party.guests if each.inside]
        if choices.random() < 0.02 and len(inside) > 2:
            choices.choice(inside).leave()
        if choices.random() < 0.15:
            mischief = choices.choice(inside)
            mischief.visitor.sent.append(choices.choice(MISCHIEF[mischief.version]).encode() + b"\n")
        if choices.random() < 0.02 and len(inside) < 6:
            party.come(choices.choice(VERSIONS))
        party.settle()
        if step > 1200:
            break
    events = [record.event for record in party.table.ring]
    assert sum(isinstance(event, Started) for event in events) >= 1
    assert all(times > 12 for times in party.compared.values())


def test_spectators_of_every_version_that_has_them_see_the_game() -> None:
    party = Party(3, ("3", "2"), size="4x4", players="2")
    watchers: list[Guest] = []
    for _ in party.steps():
        position = party.table.position
        if isinstance(position, DotsPosition) and len(party.table.moves) > 12 and not watchers:
            watchers = [party.come(version) for version in ("2", "beta", "3")]
        if watchers and len(party.table.moves) > 20:
            break
    assert all(guest(each.visitor).running for each in watchers)
    party.play(1)


WORDS = (
    "info-version 2 0", "info-version 1 6", "request-join", "request-spectate", "request-start", "request-restart",
    "request-stop", "request-info", "player-rename Zoë", "player-rename \x85", "player-rename", "player-color 1",
    "player-color", "network-chat hi", "network-chat", "network-chat /size 4 2", "network-chat /bots 1",
    "network-chat /bots 0", "network-chat /start", "network-chat /help", "network-disconnect", "game-play",
    *(f"game-play {x},{y} {way}" for x in range(3) for y in range(3) for way in ("hor", "ver")),
    *(f"game-play {way} {x}, {y}" for x in range(3) for y in range(3) for way in ("true", "false")),
    "unknown-", "unknown", "game", "-", "player-add 1 x", "game-stop", "network-ping",
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(("1", "2")), min_size=2, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(WORDS) | st.text(max_size=20)), max_size=60),
)
def test_whatever_old_clients_say_in_whatever_order_nobody_dies(
    dialects: list[str], said: list[tuple[int, str]]
) -> None:
    world = World()
    clients = [Client(world, dialect, size="3x3", players="3") for dialect in dialects]
    for who, line in said:
        clients[who % len(clients)].wire.send(line.encode("utf-8", "replace") + b"\n")
        world.advance(0.6)
        for each in clients:
            each.take()
    assert world.complaints == []
