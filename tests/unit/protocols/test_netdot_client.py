"""Our NetDot client comes to a server: which version it speaks, and how it gets in."""

from pathlib import Path

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Visit
from parlour.protocols import netdot
from parlour.protocols.netdot.client import FIRST_LINE_SECONDS, PATIENCE_SECONDS, NetdotClient
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.client_v2 import Guest2
from parlour.protocols.netdot.client_v3 import Guest3
from parlour.protocols.netdot.phases import USAGE, State, first_lines_table, may, usage_table
from tests.interop.netdot_lan import guest
from tests.unit.protocols.netdot_visitor import (
    FEATURES,
    JOINED2,
    JOINED3,
    hear,
    said,
    visitor,
)

# --- which version ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "kind", "answer"),
    [
        ("network-assign -1", Guest2, ["info-version 2 0", "request-join"]),
        ("info-version 2 0", Guest2, ["info-version 2 0", "request-join"]),
        ("info-version 1 7", Guest1, ["info-version 1 7"]),
        ("request-info", Guest3, ["info-version 3 0", "request-info"]),
        ("info-version 3 1", Guest3, ["info-version 3 0", "request-info", FEATURES]),
    ],
)  # fmt: skip
def test_first_line_tells_the_version(first: str, kind: type, answer: list[str]) -> None:
    vera = visitor(first)
    assert isinstance(guest(vera), kind)
    assert said(vera)[: len(answer)] == answer


def test_lines_that_tell_nothing_are_passed_over() -> None:
    vera = visitor("", "info-motd hello")
    assert said(vera) == []
    hear(vera, "network-assign -1")
    assert said(vera) == ["info-version 2 0", "request-join"]


def test_2_0_server_gets_nothing_before_its_greeting_is_over() -> None:
    vera = visitor()
    vera.feed(b"network-assign -1\n")
    assert said(vera) == []
    vera.feed(b"info-version 2 0\n")
    assert said(vera) == ["info-version 2 0", "request-join"]


def test_silent_server_is_asked_and_then_told() -> None:
    vera = visitor()
    vera.advance(FIRST_LINE_SECONDS)
    assert said(vera) == ["request-info"]
    vera.advance(FIRST_LINE_SECONDS)
    assert said(vera) == ["info-version 3 0", "request-info"]


@pytest.mark.parametrize("complaint", ["unknown-", "unknown-request", "info-malformed what"])
def test_silent_server_that_does_not_know_the_question_is_1_x(complaint: str) -> None:
    vera = visitor()
    vera.advance(FIRST_LINE_SECONDS)
    hear(vera, complaint)
    assert said(vera) == ["request-info", "info-version 1 7"]


def test_features_are_held_back_until_the_server_says_3() -> None:
    vera = visitor("request-info")
    assert said(vera) == ["info-version 3 0", "request-info"]
    hear(vera, "info-version 3 0")
    assert said(vera)[0].startswith("info-features ")
    beta = visitor("request-info", "info-version 2 0")
    assert not any(line.startswith("info-features") for line in said(beta))
    assert guest(beta).users == {}


def test_server_that_hangs_up_is_tried_with_older_versions() -> None:
    vera = visitor("request-info")
    for version in ("2 0", "1 7"):
        vera.end_of_file()
        vera.reopen()
        said(vera)
        hear(vera, "request-info")
        assert said(vera)[0] == f"info-version {version}"
    vera.end_of_file()
    assert vera.again_to is None
    assert "it does not speak NetDot 1.x." in vera.texts()


def test_server_that_goes_before_its_first_line_is_not_visited_again() -> None:
    vera = visitor()
    vera.end_of_file()
    assert vera.again_to is None


def test_server_that_goes_after_letting_us_in_is_not_visited_again() -> None:
    vera = visitor(*JOINED3)
    vera.end_of_file()
    assert vera.again_to is None
    assert "closed the connection" in vera.texts()


@pytest.mark.parametrize("query", [{"version": "4"}, {"version": ""}, {"size": "3x3"}])
def test_wrong_query_is_one_sentence(query: dict[str, str]) -> None:
    with pytest.raises(LocalError, match=r"version|size"):
        NetdotClient(Visit("h", 1, "Vera", query=query))


def test_path_means_nothing_here() -> None:
    with pytest.raises(LocalError, match="host and a port"):
        NetdotClient(Visit("h", 1, "Vera", path="room"))


def test_patience_is_reported_once() -> None:
    vera = visitor("network-assign -1")
    vera.advance(PATIENCE_SECONDS)
    vera.advance(PATIENCE_SECONDS)
    assert vera.texts().count("still waiting") == 1
    inside = visitor(*JOINED2)
    inside.advance(PATIENCE_SECONDS)
    assert "still waiting" not in inside.texts()


# --- coming in --------------------------------------------------------------------------------------------------------


def test_2_0_name_and_colour_follow_the_own_entry() -> None:
    vera = visitor(*JOINED2, name="Ann B. Smith")
    lines = said(vera)
    assert lines[2] == "player-rename Ann B. Smith"
    assert lines[3].startswith("player-color -")
    assert lines[4:] == []


def test_spectator_introduces_themselves_when_promoted() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", "request-deny Full.", "network-full", "network-full")
    assert said(vera) == ["info-version 2 0", "request-join", "request-spectate"]
    hear(vera, "network-assign -2", "player-add 0 Host", "grid-size 3x3", "game-current -1")
    assert said(vera) == []
    hear(vera, "game-start", "network-assign 4", "player-add 4 Client 4")
    assert said(vera)[0] == "player-rename Vera"


def test_spectator_who_is_not_let_watch_asks_to_join_again() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", "network-busy", "request-deny There is room now.")
    said(vera)
    vera.advance(2.0)
    assert said(vera) == ["request-join"]


def test_denials_do_not_make_us_join_for_ever() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", *["request-deny Already joined."] * 20)
    assert said(vera).count("request-join") == 5


def test_3_0_joins_with_name_and_is_ready() -> None:
    vera = visitor(*JOINED3)
    lines = said(vera)
    assert lines[3].startswith("request-join color -")
    assert lines[3].endswith(" name Vera")
    assert lines[4:] == ["game-ready"]


def test_denial_in_3_0_is_final_only_after_asking_to_join() -> None:
    early = visitor("request-info", "request-deny Tell me more.")
    assert not early.closed
    late = visitor("request-info", "info-version 3 0", "request-deny Go away.")
    assert late.closed
    assert "Go away." in late.texts()


def test_1_x_busy_server_is_asked_once() -> None:
    vera = visitor("info-version 1 7", "network-busy", "network-busy")
    assert said(vera) == ["info-version 1 7", "request-join"]


README = Path(netdot.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_readme_has_the_tables_of_the_code() -> None:
    assert usage_table() in README
    assert first_lines_table() in README


def test_3_0_client_knows_every_word_that_a_server_may_say() -> None:
    from_server = {word for word, senders in USAGE.items() if any("S" in who for who in senders)}
    assert from_server <= Guest3.HEARS.keys() | Guest3.IGNORES
    assert may("S", "game-start", State.LOBBY)
    assert not may("C", "game-start", State.LOBBY)
    assert not may("C", "what-ever", State.TALK)
