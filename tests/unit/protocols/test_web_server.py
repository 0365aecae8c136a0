"""Our server and one browser: the greeting, what is refused and why, and the limits."""

import re
from contextlib import nullcontext
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import Refusal
from parlour.core.session import Close
from parlour.core.updates import Evicted
from parlour.protocols.web import PROTOCOL, passport
from parlour.protocols.web.foyer import Foyer
from parlour.protocols.web.messages import FromClient
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.phases import TABLE, Phase, rendered
from parlour.protocols.web.seal import LONGEST, Seal
from parlour.protocols.web.server import REFUSALS, WebSession
from tests.browsers import Browser
from tests.conftest import ROOT
from tests.world import FakeAccounts, World

FOLDER = ROOT / "src" / "parlour" / "protocols" / "web"

# --- the greeting ---------------------------------------------------------------------------------------------------


def test_guest_is_welcomed_by_name_and_gets_one_when_there_is_none() -> None:
    world = World()
    assert Browser(world, "  Ann\u202e\x07 ").last("welcome")["name"] == "Ann"
    first, second = (Browser(world).last("welcome") for _ in range(2))
    assert re.fullmatch(r"Guest \d{4}", first["name"])
    assert first["name"] != second["name"]
    again = Browser(world, hello=False).answer("hello", token=first["token"])[0]
    assert again == first


def test_token_brings_the_name_back_on_another_connection() -> None:
    world = World()
    token = Browser(world, "Ann").last("welcome")["token"]
    again = Browser(world, hello=False).answer("hello", token=token)[0]
    assert again == {"type": "welcome", "name": "Ann", "token": token}
    renamed = Browser(world, hello=False).answer("hello", token=token, name="Anna")[0]
    assert renamed["name"] == "Anna"
    assert Browser(world, hello=False).answer("hello", token=renamed["token"])[0] == renamed


def test_token_is_worth_as_much_after_a_restart_where_the_secret_is_kept() -> None:
    before, after, elsewhere = World(1), World(2), World(3)
    for world in (before, after):
        world.hub.service(Foyer).seal = Seal(b"kept")
    token = Browser(before, "Ann").last("welcome")["token"]
    assert Browser(after, hello=False).answer("hello", token=token)[0]["name"] == "Ann"
    assert Browser(elsewhere, hello=False).answer("hello", token=token)[0]["name"] != "Ann"


class SameDigest(FakeAccounts):
    def password_digest(self, name: str) -> str:
        return "m" * 18


@given(name=st.text(min_size=1, max_size=40), bot=st.booleans())
def test_token_of_any_name_is_one_that_may_be_said(name: str, bot: bool) -> None:
    """A token has at most 512 letters; what a passport holds must fit."""
    seal = Seal(b"secret")
    for shown in (
        Passport("i" * 24, name, bot=bot),
        Passport("i" * 24, account=name[:16], password_digest="m" * 18, bot=bot),
    ):
        token = passport.issue(seal, shown)
        assert len(token) <= LONGEST
        assert passport.read(seal, token, SameDigest()) == shown


def test_unknown_token_is_replaced() -> None:
    welcome = Browser(World(), hello=False).answer("hello", token="x", name="Ann")[0]
    assert welcome["name"] == "Ann"
    assert welcome["token"] != "x"


# --- registered names ------------------------------------------------------------------------------------------------


def passport_of(world: World, name: str, bot: bool = False) -> str:
    seal = world.hub.service(Foyer).seal
    return passport.issue(seal, passport.of_account(name, "id", world.hub.accounts, bot))


def test_owner_of_a_registered_name_wears_it_whatever_is_said() -> None:
    world = World(accounts=FakeAccounts(Rita="secret"))
    token = passport_of(world, "rita")
    for wish in ({}, {"name": "Somebody"}):
        welcome = Browser(world, hello=False).answer("hello", token=token, **wish)[0]
        assert welcome == {"type": "welcome", "name": "Rita", "token": token, "account": "Rita"}


def test_account_and_label_of_a_program_are_shown_at_the_seat() -> None:
    world = World(accounts=FakeAccounts(Rita="secret"))
    browser = Browser(world, hello=False)
    browser.answer("hello", token=passport_of(world, "Rita", bot=True))
    seats = browser.answer("open", game="noughts", opponent="invite")[0]["seats"]
    rita = next(seat for seat in seats if seat is not None)
    assert (rita["account"], rita["level"], rita["kind"]) == ("Rita", "bot", "person")
    browser.answer("leave")
    browser.answer("hello", name="Rudi")
    seats = browser.answer("open", game="noughts", opponent="invite")[0]["seats"]
    rudi = next(seat for seat in seats if seat is not None)
    assert (rudi["name"], rudi["account"], rudi["level"]) == ("Rudi", "", "")


def test_passport_of_an_account_ends_with_its_password() -> None:
    accounts = FakeAccounts(Rita="secret")
    world = World(accounts=accounts)
    token = passport_of(world, "Rita")
    accounts.passwords["rita"] = ("Rita", "another")
    welcome = Browser(world, hello=False).answer("hello", token=token)[0]
    assert "account" not in welcome
    assert welcome["name"] != "Rita"
    del accounts.passwords["rita"]
    assert "account" not in Browser(world, hello=False).answer("hello", token=token)[0]


def test_guest_cannot_take_a_registered_name_in_any_spelling() -> None:
    world = World(accounts=FakeAccounts(Rita="secret"))
    browser = Browser(world, hello=False)
    assert browser.answer("hello", name="rita", id="1") == [
        {
            "type": "refused",
            "why": "name-taken",
            "text": "That name is registered to someone else. Please choose another.",
            "id": "1",
        }
    ]
    assert browser.why("open", game="noughts") == "no-hello"
    assert browser.answer("hello", name="Rudi")[0]["name"] == "Rudi"


def test_guest_whose_name_was_registered_meanwhile_gets_another() -> None:
    accounts = FakeAccounts()
    world = World(accounts=accounts)
    token = Browser(world, "Rita").last("welcome")["token"]
    accounts.passwords["rita"] = ("Rita", "secret")
    assert Browser(world, hello=False).answer("hello", token=token)[0]["name"].startswith("Guest ")


@pytest.mark.parametrize("name", ["\u202e", "\x00\x01"])
def test_name_of_which_nothing_is_left_is_refused(name: str) -> None:
    assert Browser(World(), hello=False).why("hello", name=name) == "bad-name"


def test_whoever_says_nothing_is_sent_away_in_time() -> None:
    world = World()
    silent, polite = Browser(world, hello=False), Browser(world)
    world.advance(21)
    assert silent.last("refused")["why"] == "no-hello"
    assert silent.wire.closed
    assert not polite.wire.closed


# --- refusals -------------------------------------------------------------------------------------------------------


def test_every_refusal_has_a_name_and_a_sentence() -> None:
    assert set(REFUSALS) == set(Refusal)
    assert REFUSALS[Refusal.NOT_YOUR_TURN] == ("not-your-turn", "It is not your turn.")


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"type": "sit", "table": "nowhere"}, "no-such-table"),
        ({"type": "watch", "table": "nowhere"}, "no-such-table"),
        ({"type": "resume", "table": "nowhere", "token": "x"}, "no-such-table"),
        ({"type": "open", "game": "chess"}, "no-such-game"),
        ({"type": "open", "game": "dots", "options": {"width": 1}}, "bad-options"),
        ({"type": "open", "game": "dots", "seats": 17}, "bad-options"),
        ({"type": "open", "game": "noughts", "opponent": "cat"}, "bad-options"),
        ({"type": "open", "game": "noughts", "level": "cat"}, "bad-options"),
        ({"type": "open", "game": "connect4", "options": {"columns": 99}}, "bad-options"),
        ({"type": "open", "game": "noughts", "opponent": "invite", "seat": 7}, "bad-options"),
        ({"type": "play", "table": "nowhere", "move": "a1"}, "not-seated"),
        ({"type": "say", "table": "nowhere", "text": "hi"}, "not-seated"),
        ({"type": "resign", "table": ""}, "not-seated"),
        ({"type": "dance"}, "bad-message"),
        ({"type": "say", "table": "x", "text": "x" * 1001}, "bad-message"),
        ({"type": "hello", "name": "x" * 41}, "bad-message"),
    ],
)
def test_refusal_carries_the_senders_id(message: dict[str, Any], why: str) -> None:
    browser = Browser(World())
    answer = browser.answer(**{"kind": message.pop("type"), "id": "mine", **message})
    assert [(each["type"], each["why"], each["id"]) for each in answer] == [("refused", why, "mine")]
    assert answer[0]["text"]
    assert not browser.wire.closed


@pytest.mark.parametrize("message", FromClient.__args__, ids=lambda message: message.__name__.lower())
def test_message_at_the_wrong_time_is_refused_and_nothing_else(message: type[msgspec.Struct]) -> None:
    fields = {"table": "x", "move": "a1", "text": "x", "token": "x", "game": "noughts"}
    fields |= {"width": 4, "height": 4, "count": 1, "code": "x", "what": "draw", "seat": 1}  # type: ignore[dict-item]
    given = {name: fields[name] for name in message.__struct_fields__ if name in fields}
    kind = message.__name__.lower()
    if message not in TABLE[Phase.GREETING]:
        assert Browser(World(), hello=False).why(kind, **given) == "no-hello"
    if message not in TABLE[Phase.FREE]:
        assert Browser(World()).why(kind, **given) == "not-seated"
    if message not in TABLE[Phase.QUEUED]:
        waiting = Browser(World()).open("noughts", "human")
        assert waiting.why(kind, **given) in ("already-seated", "not-seated")
    if message not in TABLE[Phase.AT_TABLE]:
        assert Browser(World()).open("noughts").why(kind, **given) == "already-seated"


def test_messages_for_another_table_are_refused() -> None:
    browser = Browser(World()).open("noughts")
    for kind, more in (("play", {"move": "a1"}), ("say", {"text": "x"}), ("resign", {}), ("leave", {}), ("show", {})):
        assert browser.why(kind, table="elsewhere", **more) == "not-seated"
    assert browser.why("sit", table="elsewhere") == "already-seated"


def test_nonsense_is_refused_and_the_conversation_goes_on() -> None:
    browser = Browser(World())
    browser.wire.send(b"{nonsense\n")
    assert browser.last("refused")["why"] == "bad-message"
    browser.wire.send(b"x" * 20000 + b"\n")
    assert "at most" in browser.last("refused")["text"]
    assert browser.open("noughts").table


def test_whoever_sends_too_fast_is_told_so() -> None:
    browser = Browser(World())
    browser.wire.link.data_received(b'{"type":"dance"}\n' * 3000)
    browser.world.run()
    assert browser.last("refused")["why"] == "too-fast"


def test_full_house_and_the_end_of_the_server_are_told() -> None:
    world = World(max_connections=1)
    first = Browser(world)
    second = Browser(world, hello=False)
    assert second.last("refused")["why"] == "server-full"
    assert second.wire.closed
    first.wire.link.farewell()
    world.run()
    assert first.last("refused")["why"] == "draining"
    assert first.wire.closed


def test_table_whose_log_fails_is_left() -> None:
    browser = Browser(World()).open("noughts")
    browser.world.hub.evict(browser.world.tables[0], Refusal.LOG_DOWN)
    browser.world.house.wake()
    browser.world.run()
    left = browser.last("left")
    assert (left["table"], left["why"]) == (browser.table, "log-down")
    assert browser.open("noughts").last("table")["table"] != left["table"]


def test_queue_that_is_closed_is_told() -> None:
    session = WebSession(Browser(World()).wire.link.door)
    session.phase = Phase.QUEUED
    outputs = session.notify(Evicted(Refusal.DRAINING))
    assert Close() not in outputs
    assert isinstance(outputs[0], bytes)
    assert msgspec.json.decode(outputs[0]) == {
        "type": "left",
        "table": "",
        "why": "draining",
        "text": "The server is about to stop.",
    }


# --- documents and the frame ------------------------------------------------------------------------------------------


def test_readme_shows_the_table_of_states() -> None:
    assert rendered() in (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("names", "fit"),
    [
        ("", True),
        ("games.example", True),
        ("a.example,B,c-d", True),
        ("a.example:80", False),
        (",", False),
        ("a b", False),
    ],
)
def test_door_has_the_port_of_browsers_and_takes_the_names_of_hosts(names: str, fit: bool) -> None:
    assert PROTOCOL.ports == ((8080, {}),)
    with nullcontext() if fit else pytest.raises(ValueError, match="names of hosts"):
        PROTOCOL.keys["names"].check(names)


def test_browser_that_goes_is_forgotten() -> None:
    world = World()
    browser = Browser(world)
    browser.say("lobby")
    foyer = world.hub.service(Foyer)
    assert foyer._listeners
    browser.wire.reset()
    assert not foyer._listeners
