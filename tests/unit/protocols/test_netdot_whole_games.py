"""Our client on our server: every version, every mix of them at one table, scores and turn equal after every move."""

from itertools import combinations_with_replacement
from random import Random

import pytest

from parlour.core.vocab import Finished, Resign, Say
from parlour.protocols.netdot.client import NetdotClient
from parlour.protocols.netdot.guest import Guest
from tests.interop.netdot_lan import NETDOT
from tests.netdot import Lan
from tests.visitor import Visitor
from tests.world import Wire

VERSIONS = ("1", "2", "beta", "3")
PAIRS = list(combinations_with_replacement(VERSIONS, 2))
TICK = 0.05


class Room:
    """Our server with our clients, one for each version given."""

    def __init__(self, versions: tuple[str, ...], seed: object, again: bool = True, **keys: str) -> None:
        self.lan = Lan(start="auto", ready=str(max(2, len(versions))), **keys)
        self.rng = Random(f"{seed} {versions}")
        self.pairs: list[tuple[Visitor, Wire]] = []
        self.again = again
        for version in versions:
            self.come(version)

    def come(self, version: str) -> Visitor:
        query = {"version": version} if version else {}
        visitor = Visitor(
            NETDOT, self.rng.choice, lambda: self.again, name=f"V{version}-{len(self.pairs)}", query=query
        )
        self.pairs.append((visitor, self.lan.connect(version or "3").wire))
        visitor.open()
        return visitor

    def run(self, seconds: float, games: int | None = None) -> None:
        """Until everybody who plays has finished so many games, or the time is over."""
        for _ in range(int(seconds / TICK)):
            self._talk()
            self.compare()
            if games is not None and all(len(visitor.results) >= games for visitor, _ in self.pairs):
                return
            for visitor, _ in self.pairs:
                visitor.decide()
            self._talk()
            self.lan.world.advance(TICK)
            for visitor, _ in self.pairs:
                visitor.advance(TICK)
        assert games is None, [visitor.texts()[-600:] for visitor, _ in self.pairs]

    def _talk(self) -> None:
        busy = True
        while busy:
            busy = False
            for visitor, wire in self.pairs:
                while visitor.sent and not wire.closed:
                    busy = True
                    wire.send(visitor.sent.pop(0))
                if (data := wire.take()) and not visitor.closed:
                    busy = True
                    visitor.feed(data)
                if visitor.closed and not wire.closed and not visitor.hung_up:
                    busy = visitor.hung_up = True
                    wire.end_of_file()

    def compare(self) -> None:
        """Everybody in a running game sees the same boxes and the same player on turn."""
        tables = [table for table in self.lan.world.tables if table.position is not None and table.position.turn >= 0]
        seen = {
            (tuple(sorted(_boxes(known).items())), _on_turn(known), known.grid.open_lines())
            for known in (_known(visitor) for visitor, _ in self.pairs if not visitor.closed)
            if known is not None and known.running and not known.grid.full
        }
        assert len(seen) <= 1 or not tables, seen


def _known(visitor: Visitor) -> Guest | None:
    assert isinstance(visitor.session, NetdotClient)
    return visitor.session._guest


def _boxes(known: Guest) -> dict[tuple[int, int], str]:
    return {place: known.called(owner) for place, owner in known.grid.boxes.items()}


def _on_turn(known: Guest) -> str:
    return known.called(known.current)


def finished(room: Room) -> list[Finished]:
    return [record.event for _, record in room.lan.world.store.log if isinstance(record.event, Finished)]


@pytest.mark.parametrize("versions", PAIRS, ids="-".join)
def test_any_two_versions_play_two_games(versions: tuple[str, ...]) -> None:
    room = Room(versions, "two", size="3x3")
    room.run(200, games=2)
    for number in (0, 1):
        told = sorted(visitor.results[number] for visitor, _ in room.pairs)
        assert told in (["lost", "won"], ["draw", "draw"])
    assert len(finished(room)) >= 2
    for version, (visitor, _) in zip(versions, room.pairs, strict=True):
        assert version == "1" or "The server says" not in visitor.texts(), "only 1.x has no other words for a notice"
        assert "your turn." not in visitor.texts()


@pytest.mark.parametrize("version", ["", "3", "2", "1", "beta"])
def test_third_who_comes_during_a_game_plays_the_next(version: str) -> None:
    room = Room(("3", "3"), "late", size="2x2")
    room.run(10)
    late = room.come(version)
    room.run(60)
    assert len(late.results) > 1
    assert len(finished(room)[-1].scores) == 3


@pytest.mark.parametrize("seed", range(4))
def test_all_four_versions_play_at_one_table(seed: int) -> None:
    room = Room(VERSIONS, seed, size="4x4")
    room.run(300, games=2)
    for number in (0, 1):
        scores = finished(room)[number]
        told = [visitor.results[number] for visitor, _ in room.pairs]
        best = max(scores.scores)
        top = scores.scores.count(best)
        assert told.count("won") == (1 if top == 1 else 0)
        assert told.count("draw") == (0 if top == 1 else top)


def test_version_is_recognised_as_3_0_without_being_told() -> None:
    room = Room(("", ""), "auto")
    room.run(100, games=1)
    assert {type(_known(visitor)).__name__ for visitor, _ in room.pairs} == {"Guest3"}


@pytest.mark.parametrize("version", VERSIONS)
def test_lone_player_gets_a_game_with_bots(version: str) -> None:
    room = Room((version,), "bots", size="3x3", bots="1")
    room.run(200, games=1)
    assert room.pairs[0][0].results[0] in ("won", "lost", "draw")


@pytest.mark.parametrize("version", VERSIONS)
def test_late_guest_watches_or_waits_and_plays_next(version: str) -> None:
    room = Room(("3", "3"), "late", size="3x3")
    room.run(8)
    late = room.come(version)
    room.run(300, games=1)
    assert late.results[0] in ("won", "lost", "draw", "aborted")


@pytest.mark.parametrize("version", VERSIONS)
def test_resigned_player_has_lost(version: str) -> None:
    room = Room((version, "3", "3"), "resign", size="4x4")
    visitor = room.pairs[0][0]
    for _ in range(200):
        room.run(TICK)
        if any("YourTurn" in str(shown) for shown in visitor.shown):
            break
    visitor.todo.clear()
    visitor.act(Resign())
    assert visitor.results == ["lost"]
    room.run(60)
    assert visitor.results[0] == "lost"
    assert all(other.results for other, _ in room.pairs)


@pytest.mark.parametrize("versions", PAIRS, ids="-".join)
def test_chat_reaches_every_version(versions: tuple[str, ...]) -> None:
    room = Room(versions, "chat", size="8x8")
    room.run(3)
    room.pairs[0][0].act(Say("hello there"))
    room.run(1)
    assert "hello there" in room.pairs[1][0].texts()
