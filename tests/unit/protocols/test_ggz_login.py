"""Coming in, going out, and what happens at the door."""

import pytest

from parlour.core.accounts import Trouble
from parlour.core.errors import Refusal
from parlour.languages import sentence
from parlour.protocols.ggz import PROTOCOL, ask, spell
from parlour.protocols.ggz.login import TROUBLES
from parlour.protocols.ggz.requests import REFUSALS
from tests.ggz import Ledger, Person, words, zone_of
from tests.world import World


def login(kind: str | None, *parts: str) -> bytes:
    head = "LOGIN" if kind is None else f"LOGIN TYPE='{kind}'"
    return f"<{head}>{''.join(parts)}</LOGIN>\n".encode()


def name(text: str) -> str:
    return f"<NAME>{text}</NAME>"


def password(text: str) -> str:
    return f"<PASSWORD>{text}</PASSWORD>"


REFUSED = [
    (login("guest"), "bad options"),
    (login("weird", name("ann")), "bad options"),
    (login("normal", name("ann")), "bad options"),
    (login("normal", name("ann"), password("")), "bad options"),
    (login("guest", name("abcdefghijklmnopq")), "too long"),
    (login("guest", name("ééééééééé")), "too long"),
    (login("guest", name("")), "bad username"),
    (login("guest", name(" ann")), "bad username"),
    (login("guest", name("a\tb")), "bad username"),
    (login("guest", name("Reg")), "wrong login type"),
    (login("guest", name("BEN")), "already logged in"),
    (login("normal", name("ann"), password("pw")), "user not found"),
    (login("first", name("ben"), password("secret")), "already logged in"),
]


@pytest.mark.parametrize(("wish", "code"), REFUSED)
def test_login_that_cannot_be_is_refused_and_another_may_be_tried(wish: bytes, code: str) -> None:
    world = World()
    Ledger(world, reg="secret")
    Person(world, "ben").log_in()
    ann = Person(world, "ann")
    assert ann.code(wish) == code
    assert ann.code(login(None, name("ann"))) == "ok"
    assert set(zone_of(world).users) == {"ann", "ben"}


def test_guest_is_welcomed_with_the_message_of_the_day() -> None:
    ann = Person(World(), "ann", name="Salon", motd="Hello from {name}\\nand stay")
    greeting, *rest = ann.log_in().heard()
    assert words(greeting).startswith("SERVER ID=Parlour-")
    assert greeting.get("NAME") == "Salon"
    assert [element.tag for element in rest] == ["RESULT", "MOTD"]
    assert rest[1].text.split("\n") == ["", "Hello from Salon", "and stay", ""]
    assert ann.told(b"<MOTD/>\n")[0].startswith("MOTD")


def test_default_message_names_the_server_and_an_empty_one_is_not_said() -> None:
    world = World()
    assert "Salon" in Person(world, "ann", name="Salon").log_in().last("MOTD").text
    assert not Person(world, "ben", motd="").log_in().all("MOTD")


def test_registered_player_comes_in_by_password_under_the_name_as_it_is_registered() -> None:
    world = World()
    ledger = Ledger(world, Reg="secret")
    reg = Person(world, "reg").log_in("wrong")
    ledger.answer()
    assert reg.answer == "usr lookup"
    reg.log_in("secret")
    ledger.answer()
    assert reg.answer == "ok"
    reg.enter()
    (players,) = reg.last("RESULT").children
    assert words(players.children[0]) == (
        "PLAYER ID=Reg TYPE=normal TABLE=-1 PERMS=0x00000007 LAG=1 WINS=0 LOSSES=0 TIES=0 FORFEITS=0"
    )


def test_only_one_login_at_a_time_is_looked_at() -> None:
    world = World()
    ledger = Ledger(world, reg="secret")
    reg = Person(world, "reg").log_in("secret")
    assert reg.code(ask.login("ann")) == "already logged in"
    ledger.answer()
    assert reg.code(ask.login("ann")) == "already logged in"
    assert set(zone_of(world).users) == {"reg"}


def test_name_taken_while_the_password_was_looked_at_is_refused() -> None:
    world = World()
    ledger = Ledger(world, reg="secret")
    first, second = (Person(world, "reg").log_in("secret") for _ in range(2))
    ledger.answer()
    codes = [person.answer for person in (first, second)]
    assert codes == ["ok", "already logged in"]


def test_somebody_who_has_gone_before_the_verdict_leaves_nothing() -> None:
    world = World()
    ledger = Ledger(world, reg="secret")
    Person(world, "reg").log_in("secret").wire.reset()
    ledger.answer()
    assert not zone_of(world).users
    again = Person(world, "reg").log_in("secret")
    ledger.answer()
    assert again.answer == "ok"


def test_first_login_registers_and_tells_the_password() -> None:
    world = World()
    ledger = Ledger(world)
    ann = Person(world, "ann").say(ask.login("ann", "secret", "ann@example.org", first=True))
    ledger.answer()
    assert words(ann.last("RESULT")) == "RESULT ACTION=login CODE=ok <PASSWORD secret>"
    assert ledger.emails == {"ann": "ann@example.org"}
    ann.wire.reset()
    assert Person(world, "ann").log_in().answer == "wrong login type"


def test_first_login_without_a_password_is_given_one() -> None:
    world = World()
    ledger = Ledger(world)
    ann = Person(world, "ann").say(login("first", name("ann")))
    ledger.answer()
    (given,) = ann.last("RESULT").children
    assert ledger.passwords["ann"] == given.text
    assert len(given.text) >= 8


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (login("first", name("reg"), password("secret")), "username already taken"),
        (login("first", name("ann"), password("x")), "bad password"),
    ],
)
def test_registering_may_be_refused(wish: bytes, code: str) -> None:
    world = World()
    ledger = Ledger(world, reg="secret")
    ann = Person(world, "ann").say(wish)
    ledger.answer()
    assert ann.answer == code
    assert ann.code(ask.login("ann")) == "ok"


def test_door_may_take_no_new_names() -> None:
    world = World()
    Ledger(world)
    ann = Person(world, "ann", register="no")
    assert ann.code(login("first", name("ann"), password("secret"))) == "no permission"


def test_every_trouble_and_every_refusal_has_a_code() -> None:
    assert set(TROUBLES) == set(Trouble)
    assert set(REFUSALS) == set(Refusal)


# --- the door -----------------------------------------------------------------------------------------------------


def test_ping_is_answered_before_login_and_after() -> None:
    ann = Person(World(), "ann")
    assert ann.told(b"<PING ID='7'/>\n") == ["PONG ID=7"]
    ann.log_in()
    assert ann.told(b"<ping/>\n") == ["PONG"]


def test_silent_stranger_is_sent_away() -> None:
    world = World()
    wire = world.connect("ggz")
    wire.take()
    world.advance(61)
    assert wire.take() == b""
    assert wire.closed


def test_member_is_not_sent_away() -> None:
    world = World()
    ann = Person(world, "ann").log_in()
    world.advance(200)
    assert not ann.wire.closed


def test_tail_of_an_element_that_is_too_long_is_not_taken_for_one() -> None:
    ann = Person(World(), "ann").log_in()
    ann.say(b"<CHAT TYPE='normal'><![CDATA[" + b"x" * 17000)
    assert ann.wire.closed
    ann.wire.send(b"]]></CHAT>\n<LIST TYPE='room'/>\n")
    assert b"ROOM" not in ann.wire.take()


@pytest.mark.parametrize("rubbish", [b"<LIST TYPE='room'\n<<>>\n", b"<!DOCTYPE x>", b"<SESSION></LIST>"])
def test_what_is_no_xml_ends_the_session(rubbish: bytes) -> None:
    ann = Person(World(), "ann").log_in()
    ann.heard()
    ann.say(rubbish)
    assert ann.wire.take() == spell.result("protocol", "bad xml")
    assert ann.wire.closed


@pytest.mark.parametrize(
    "text", [b"hello\n", b"\r\n info-version 3 0\n", b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\0", b"\xff"]
)
def test_text_before_the_session_is_answered_at_once(text: bytes) -> None:
    wire = World().connect("ggz")
    wire.take()
    wire.send(text)
    assert wire.take() == spell.result("protocol", "bad xml")
    assert wire.closed


def test_blanks_and_a_byte_order_mark_before_the_session_do_no_harm() -> None:
    wire = World().connect("ggz")
    wire.take()
    for byte in b"\xef\xbb\xbf\n <?xml version='1.0'?>\n<SESSION><PING/>":
        wire.send(bytes([byte]))
    assert wire.take() == spell.pong(None)


def test_element_before_the_session_ends_it() -> None:
    wire = World().connect("ggz")
    wire.take()
    wire.send(b"<PING/>")
    assert wire.take() == spell.result("protocol", "bad xml")
    assert wire.closed


def test_elements_out_of_place_are_refused_and_unknown_ones_ignored() -> None:
    ann = Person(World(), "ann")
    for _ in range(2):
        assert ann.told(b"<FOO BAR='1'/>\n") == []
        assert ann.told(b"<NAME>x</NAME>\n") == ["RESULT ACTION=protocol CODE=bad options"]
        ann.log_in()
    assert ann.told(b"<CHANNEL ID='ann'/>\n") == ["RESULT ACTION=protocol CODE=bad options"]


def test_full_server_says_so() -> None:
    world = World(max_connections=0)
    wire = world.connect("ggz")
    assert b"STATUS='full'" in wire.take()
    assert wire.closed


def test_server_that_stops_closes_without_ending_the_session() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    ann.launch_bot()
    ann.heard()
    for link in list(world.house.links):
        link.farewell()
    world.run()
    assert spell.END not in ann.wire.take(), "ggzcore has no transition for it"
    assert ann.wire.closed
    assert ann.game.wire.closed


def test_whoever_sends_too_fast_is_told_in_the_room() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    ann.heard()
    ann.say(b"<PING/>" * 300)
    world.advance(2)
    said = ann.last("CHAT")
    assert (said.get("TYPE"), said.text) == ("announce", sentence(Refusal.TOO_FAST))


@pytest.mark.parametrize(
    ("key", "value"), [("name", ""), ("name", "x" * 65), ("motd", "a\nb"), ("spectators", "maybe"), ("register", "")]
)
def test_bad_key_is_refused(key: str, value: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        PROTOCOL.keys[key].check(value)
