"""A connection of unknown version: which one it is, and what is said until that is known."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from parlour.core.house.gate import Gate
from parlour.core.session import Door
from parlour.protocols import netdot
from parlour.protocols.netdot import PROTOCOL
from parlour.protocols.netdot.door import KEYS, plan
from parlour.protocols.netdot.phases import CLIENT_LINES, Dialect, client_lines_table
from parlour.protocols.netdot.server import PATIENCE_SECONDS, SESSIONS, TWO_SECONDS
from parlour.server.limits import BURST
from tests.netdot import Client, Lan


def dialect_of(client: Client) -> object:
    return client.wire.link.session.phase


def test_first_word_is_ours_and_asks_who_it_is() -> None:
    assert Lan().connect().heard() == ["request-info"]


@pytest.mark.parametrize(
    ("lines", "dialect"),
    [
        (["info-version 3 0"], Dialect.V3),
        (["info-version 3 9"], Dialect.V3),
        (["info-version 2 0", "request-info"], Dialect.BETA),
        (["info-version 2 7", "request-info"], Dialect.BETA),
        (["info-version 2 0", "request-join"], Dialect.V2),
        (["info-version 2 0", "info-version 2 0", "request-join"], Dialect.V2),
        (["info-version 2 0", "request-join", "info-version 2 0"], Dialect.V2),
        (["info-version 2 0", "player-rename Ann"], Dialect.V2),
        (["request-join", "info-version 2 0"], Dialect.V2),
        (["info-version 1 7"], Dialect.V1),
        (["info-version 1 0"], Dialect.V1),
        (["unknown-request", "info-version 1 6"], Dialect.V1),
        (["request-motd", "info-version 3 0"], Dialect.V3),
        (["info-version", "info-version x y", "info-version 3 0"], Dialect.V3),
        (["info-version 2 0"], None),
        (["request-info"], None),
        (["unknown-", "unknown", "info-warn what", "info-malformed", "bad-syntax"], None),
    ],
)
def test_lines_tell_the_dialect(lines: list[str], dialect: Dialect | None) -> None:
    client = Lan().connect()
    client.say(*lines)
    assert dialect_of(client) is dialect
    assert not client.gone


def test_every_row_of_the_table_is_what_happens() -> None:
    for (major, word), dialect in CLIENT_LINES.items():
        client = Lan().connect()
        client.say(f"info-version {major} 0")
        if word:
            client.say("request-join" if word == "…" else word)
        assert dialect_of(client) is dialect


def test_every_dialect_has_a_session() -> None:
    house = plan(Door("netdot", {name: key.default for name, key in KEYS.items()}))
    for dialect in Dialect:
        assert SESSIONS[dialect](house).phase is dialect


@pytest.mark.parametrize("major", [0, 4, -1, 99])
def test_version_nobody_speaks_is_denied_with_a_reason(major: int) -> None:
    client = Lan().connect()
    [said] = client.answer(f"info-version {major} 0")
    assert said.startswith("request-deny unsupported version")
    assert client.gone


def test_bad_version_is_malformed_and_may_be_said_again() -> None:
    client = Lan().connect()
    [said] = client.answer("info-version three")
    assert said.startswith("info-malformed ")
    assert client.answer("info-version 3 0", "request-info")[0] == "info-version 3 0"


def test_what_comes_before_the_version_is_answered() -> None:
    client = Lan(motd="Hello.").connect()
    assert client.answer("request-motd") == ["info-motd Hello."]
    assert client.answer("request-info") == [
        "info-version 3 0",
        "info-features chat vote random-start random-order",
    ]
    [said] = client.answer("game-line 0 0 hor")
    assert said.startswith("info-warn ")


def test_wish_to_join_is_granted_once_the_version_is_known() -> None:
    client = Lan().connect()
    assert client.answer("request-join name Ann") == ["request-info"]
    assert "network-assign 1" in client.answer("info-version 3 0")


def test_nothing_that_kills_any_program_is_said_to_somebody_unknown() -> None:
    lan = Lan()
    for dialect in ("beta", "2"):
        client = lan.connect(dialect)
        client.say("hello", "a-b", "-", "game", "request-spectate", "request-motd", "x" * 5000, "network-chat x")
        client.say("info-version", "unknown-")
        assert client.heard()
        assert dialect_of(client) is None


def test_who_never_tells_a_version_is_let_go() -> None:
    lan = Lan()
    silent, beta = lan.connect(), lan.connect("beta")
    beta.say("info-version 2 0", "request-info")
    lan.world.advance(PATIENCE_SECONDS + 1)
    assert silent.gone
    assert not beta.gone


def test_client_of_2_0_that_waits_for_our_version_hears_it_once() -> None:
    lan = Lan()
    waiting, hasty = lan.connect("2").say("info-version 2 0"), lan.join("2")
    assert waiting.heard() == ["request-info"]
    hasty.heard()
    lan.world.advance(TWO_SECONDS + 0.1)
    assert waiting.heard() == ["info-version 2 0"]
    assert dialect_of(waiting) is None, "it may still be a beta"
    assert hasty.heard() == []
    lan.world.advance(10)
    assert waiting.heard() == []
    assert "network-assign 2" in waiting.answer("request-join")


def test_full_server_says_so_in_words_nobody_dies_of() -> None:
    lan = Lan()
    lan.world.house.gate = lan.world.hub.gate = Gate(lambda: 0.0, connections=1)
    lan.connect()
    for dialect in ("3", "beta", "2"):
        client = lan.connect(dialect)
        (warning,) = client.heard()
        assert warning.startswith("info-warn The server is full. The limit is 1 connections ")
        assert client.gone


def test_tables_in_the_readme_are_those_the_code_uses() -> None:
    folder = Path(netdot.__file__).parent
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert client_lines_table() in readme
    gaps = readme.partition("## Gaps")[2].partition("\n## ")[0]
    named = re.findall(r"`(test_\w+)`", gaps)
    files = [*Path(__file__).parent.glob("test_netdot_*.py"), Path(__file__).with_name("test_meeting.py")]
    written = "".join(path.read_text(encoding="utf-8") for path in files)
    assert len(named) >= 14
    assert not [name for name in named if f"def {name}(" not in written]


def test_goodbye_closes() -> None:
    client = Lan().connect().say("network-disconnect")
    assert client.gone


def test_flood_of_a_stranger_is_asked_to_slow_down() -> None:
    client = Lan().connect()
    client.say(*["request-motd"] * (int(BURST) + 20))
    assert any("50 a second" in line for line in client.heard())
    assert not client.gone


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("size", ["2x2", "8x8", "50x3"], ["1x2", "8", "51x2", "8x", "0x0", "ax8", "8x8x8"]),
        ("players", ["0", "2", "16"], ["1", "17", "-1", "two", ""]),
        ("full", ["watch", "room"], ["no", ""]),
        ("start", ["auto", "ask"], ["now", ""]),
        ("ready", ["2", "16"], ["0", "1", "17", "x"]),
        ("features", ["", "chat", "chat,vote", "chat, random-start,random-order,lobby-art"], ["talk", "chat,x"]),
        ("bots", ["0", "15"], ["16", "-1", "many"]),
        ("motd", ["", "Welcome, all."], []),
    ],
)
def test_door_keys_are_checked(key: str, good: list[str], bad: list[str]) -> None:
    check = PROTOCOL.keys[key].check
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(ValueError, match="must be"):
            check(value)


def test_sessions_of_one_door_share_its_plan() -> None:
    keys = {name: key.default for name, key in KEYS.items()}
    assert all(one is other for one, other in pairwise(plan(Door("netdot", dict(keys))) for _ in range(3)))
    assert plan(Door("netdot", keys | {"features": "lobby-art"})).enter.policy.features == ()
