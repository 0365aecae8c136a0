"""Nothing that we can spell ends an original program, whatever it is given."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from parlour.protocols.netdot import spell2, spell3
from tests.netdot_killers import LINES, Peer, Victim

TEXTS = ("", " ", "\n", "\u2028", "\x85 ", "name", "a b", "-", "color 5", "\ud800", "x" * 3000)
NUMBERS = (-3, 0, 1, 7, 16711680)
FROM_CLIENT = {
    spell2: ("ask_", "ASK_", "VERSION", "LEAVE"),
    spell3: (
        "ask_",
        "ASK_",
        "BETA_VERSION",
        "PING",
        "PONG",
        "READY",
        "NOT_READY",
        "LEAVE_GAME",
        "JOIN_GAME",
        "YES",
        "NO",
    ),
}
NOT_FOR_THE_BETA = ("deny", "features")
"""What our sessions never say to a beta; the tests of those sessions see to that."""


def spelled(module: ModuleType, client: bool) -> Iterator[tuple[str, bytes]]:
    """Every line that this module can make in one direction, with its maker."""
    for name, maker in vars(module).items():
        if (
            name.startswith("_")
            or name in (*NOT_FOR_THE_BETA, "OFFICIAL")
            or name.startswith(FROM_CLIENT[module]) != client
        ):
            continue
        if isinstance(maker, bytes):
            yield name, maker
        elif callable(maker) and getattr(maker, "__module__", "") == module.__name__:
            yield from ((name, line) for line in called(maker))


def called(maker: Any) -> Iterator[bytes]:
    """Called with all sorts of arguments."""
    parameters = inspect.signature(maker).parameters.values()
    for turn in range(max(len(TEXTS), len(NUMBERS))):
        arguments: list[Any] = []
        for parameter in parameters:
            if parameter.name in ("move",):
                arguments.append("h 1 2")
            elif parameter.name in ("width", "height"):
                arguments.append(2 + turn)
            elif parameter.name == "names":
                arguments.append(["chat"])
            elif "str" in str(parameter.annotation):
                arguments.append(TEXTS[turn % len(TEXTS)])
            else:
                arguments.append(NUMBERS[turn % len(NUMBERS)])
        yield maker(*arguments)


CASES = [
    (spell2, False, Peer.JAVA_CLIENT),
    (spell2, False, Peer.ANDROID_CLIENT),
    (spell3, False, Peer.BETA_CLIENT),
    (spell2, True, Peer.JAVA_SERVER),
    (spell2, True, Peer.ANDROID_SERVER),
    (spell3, True, Peer.BETA_SERVER),
]


@pytest.mark.parametrize(("module", "client", "peer"), CASES)
def test_no_line_that_we_spell_kills_by_itself(module: ModuleType, client: bool, peer: Peer) -> None:
    lines = list(spelled(module, client))
    assert len({name for name, _ in lines}) >= 10
    for name, line in lines:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        victim = Victim(peer)
        for setting in (b"player-add -3 a\n", b"player-add 0 a\n", b"player-add 1 a\n", b"player-add 7 a\n"):
            victim.dies_of(setting)
        victim.dies_of(b"player-add 16711680 a\n")
        assert victim.dies_of(line) is None, f"{module.__name__}.{name}"


@pytest.mark.parametrize(
    ("peer", "lines"),
    [
        (Peer.JAVA_CLIENT, [b"unknown-"]),
        (Peer.JAVA_CLIENT, [b"request-deny"]),
        (Peer.JAVA_CLIENT, [b"player-add 1"]),
        (Peer.JAVA_CLIENT, [b"network-chat 1"]),
        (Peer.JAVA_CLIENT, [b"player-rename 1 A"]),
        (Peer.JAVA_CLIENT, [b"grid-size 1x5"]),
        (Peer.JAVA_CLIENT, [b"grid-size 2x2", b"grid-size 3x3"]),
        (Peer.JAVA_CLIENT, [b"grid-size 3x3", b"game-start", b"game-play 1 2,2 ver"]),
        (Peer.JAVA_CLIENT, [b"player-add 1 A", b"game-start", b"player-remove 2"]),
        (Peer.JAVA_CLIENT, [b"player-add 1 A", b"game-start", b"player-remove 1"]),
        (Peer.ANDROID_CLIENT, [b"game"]),
        (Peer.BETA_CLIENT, [b"request-deny full"]),
        (Peer.BETA_CLIENT, [b"network-add 1 -1"]),
        (Peer.BETA_CLIENT, [b"game-line 0 0 hor"]),
        (Peer.BETA_CLIENT, [b"game-box 1 0 0", b"game-box 2 0 0"]),
        (Peer.BETA_CLIENT, [b"game-start", b"game-size 3 3", b"game-current 1"]),
        (Peer.JAVA_SERVER, [b"player-rename"]),
        (Peer.JAVA_SERVER, [b"game-play 1,1"]),
        (Peer.ANDROID_SERVER, [b"player-color"]),
        (Peer.BETA_SERVER, [b"info-features chat"]),
        (Peer.BETA_SERVER, [b"request-join name "]),
        (Peer.BETA_SERVER, [b"request-join color red"]),
        (Peer.BETA_SERVER, [b"game-line 0 0"]),
    ],
)
def test_what_was_seen_to_kill_is_known(peer: Peer, lines: list[bytes]) -> None:
    victim = Victim(peer)
    fates = [victim.dies_of(line + b"\n") for line in lines]
    assert fates[-1] is not None
    assert not any(fates[:-1])


@pytest.mark.parametrize(
    ("peer", "lines"),
    [
        (Peer.JAVA_CLIENT, "grid-size 2x2|grid-size 0x0|grid-size 3x3|unknown-game|game-play 1 1,2 hor"),
        (Peer.JAVA_CLIENT, "player-add 1 A|player-add 2 B|game-start|player-remove 2|player-remove 2"),
        (Peer.BETA_CLIENT, "game-start|game-box 1 0 0|game-start|game-box 1 0 0|game-line 1 0 0 hor"),
        (Peer.BETA_SERVER, "request-join color -1 name A|request-join|request-join color 5|vote-request x"),
    ],
)
def test_harmless_lines_are_not_accused(peer: Peer, lines: str) -> None:
    victim = Victim(peer)
    assert not any(victim.dies_of(f"{line}\n".encode()) for line in lines.split("|"))


def test_every_killer_names_its_victims_and_why() -> None:
    assert all(killer.peers and killer.why for killer in LINES)
    assert {peer for killer in LINES for peer in killer.peers} == set(Peer)
