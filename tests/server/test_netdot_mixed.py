"""Every NetDot version at one door of `parlour serve`, over real sockets, in games that all of them finish."""

import select
import socket
from random import Random
from time import monotonic

import pytest

from parlour.protocols.netdot import PROTOCOL
from tests.interop.netdot_lan import guest
from tests.server.child import HERE, PATIENCE, doors, serving
from tests.visitor import Visitor

ROUND_SECONDS = 0.02


class Caller:
    """One of our clients on a socket, with a player who draws any line."""

    def __init__(self, port: int, version: str, number: int, rng: Random) -> None:
        self.visitor = Visitor(
            PROTOCOL, rng.choice, lambda: False, name=f"{version}-{number}", query={"version": version}
        )
        self.socket = socket.create_connection((HERE, port), PATIENCE)
        self.visitor.open()

    def go_on(self, seconds: float) -> None:
        """Say what there is to say, and let time pass."""
        self.visitor.advance(seconds)
        self.visitor.decide()
        while self.visitor.sent:
            self.socket.sendall(self.visitor.sent.pop(0))

    def hear(self) -> None:
        data = self.socket.recv(65536)
        if data:
            self.visitor.feed(data)
        else:
            self.visitor.end_of_file()

    def scores(self) -> dict[str, int]:
        known = guest(self.visitor)
        return {known.called(owner): known.grid.score(owner) for owner in known.grid.owners()}


def play_until_all_have_a_result(callers: list[Caller]) -> None:
    deadline, before = monotonic() + PATIENCE, monotonic()
    while not all(caller.visitor.results for caller in callers):
        assert monotonic() < deadline, [caller.visitor.texts()[-300:] for caller in callers]
        ready, _, _ = select.select([caller.socket for caller in callers], [], [], ROUND_SECONDS)
        for caller in callers:
            if caller.socket in ready:
                caller.hear()
        now = monotonic()
        for caller in callers:
            if not caller.visitor.results:
                caller.go_on(now - before)
        before = now


@pytest.mark.parametrize(
    ("versions", "options"),
    [
        (("1", "2", "beta", "3"), "size=3x3,ready=4"),
        (("3", "2", "1", "1"), "size=4x3,ready=4,features=chat,random-start,random-order"),
        (("2", "2", "beta"), "size=2x2,ready=3"),
    ],
)
def test_all_versions_finish_one_game_with_the_same_scores(versions: tuple[str, ...], options: str) -> None:
    rng = Random(7)
    with serving("--data", "none", "--seed", "3", *doors(f"netdot,{options}")) as server:
        callers = [Caller(server.port("netdot"), version, number, rng) for number, version in enumerate(versions)]
        play_until_all_have_a_result(callers)
        seen = [caller.scores() for caller in callers]
        for caller in callers:
            caller.socket.close()
        assert server.stop() == 0
        assert server.stderr == ""
    width, height = map(int, options.split(",")[0].removeprefix("size=").split("x"))
    assert seen == [seen[0]] * len(callers)
    assert sum(seen[0].values()) == (width - 1) * (height - 1)
    results = [caller.visitor.results[0] for caller in callers]
    assert results.count("won") == 1 or ("draw" in results and "won" not in results)
