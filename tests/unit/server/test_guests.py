"""A registered name on wires that have no accounts, bans at every door, and sessions that end with their password."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.house.bans import Ban, Bans, subject
from parlour.protocols.web import passport
from parlour.protocols.web.foyer import Foyer
from parlour.server.desk import Desk
from tests.browsers import Browser
from tests.world import FakeAccounts, Wire, World

IMITATED = "R\u0456ta"  # with a Ukrainian letter


def house() -> World:
    return World(accounts=FakeAccounts(Rita="open sesame"))


def named(world: World) -> list[str]:
    return [member.name for table in world.hub.tables.values() for member in table.party.members.values()]


# --- guests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "shown"), [("Rita", "Rita (guest)"), ("RITA", "RITA (guest)"), ("Ritta", "Ritta")])
def test_guest_of_nettoe_is_marked_where_others_see_the_name(name: str, shown: str) -> None:
    world = house()
    world.connect("nettoe").send(name.encode().ljust(32, b"\0"))
    assert shown in named(world)


def test_guest_of_glendy_is_marked() -> None:
    world = house()
    world.connect("glendy", opponent="engine").send(b"Rita 0 0 0\n")
    assert "Rita (guest)" in named(world)


def test_guest_of_netdot_is_marked_on_coming_and_on_renaming() -> None:
    world = house()
    wire = world.connect("netdot")
    wire.send(b"info-version 3 0\nrequest-join name Rita\n")
    assert b"Rita (guest)" in wire.take()
    wire.send(b"user-name Parlour\n")
    assert b"Parlour (guest)" in wire.take()
    wire.send(b"user-name Ben\n")
    assert named(world) == ["Ben"]


def test_browser_shows_the_guest_of_another_wire_as_one() -> None:
    world = house()
    browser = Browser(world, "Ann")
    world.connect("nettoe").send(b"Rita".ljust(32, b"\0"))
    browser.say("lobby")
    assert "Rita (guest)" in str(browser.last("lobby"))


# --- bans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.9/24", "192.0.2.0/24"),
        ("2001:DB8::/32", "2001:db8::/32"),
        (" Rita ", "Rita"),
        ("10", "10"),
    ],
)
def test_whom_a_ban_is_for_has_one_spelling(text: str, whom: str) -> None:
    assert subject(text) == whom


def test_ban_holds_for_its_time_its_network_and_what_looks_like_its_name() -> None:
    bans = Bans([Ban("Rita", 100.0), Ban("192.0.2.0/24"), Ban("2001:db8::/32")])
    assert bans.of_name(IMITATED, 99.0) is not None
    assert bans.of_name("Rita", 100.0) is None
    assert bans.of_name("Rito", 0.0) is None
    assert bans.of_address("::ffff:192.0.2.200", 1e12) is not None
    assert bans.of_address("192.0.3.1", 0.0) is None
    assert bans.of_address("2001:db8:1::2", 0.0) is not None
    assert [ban.whom for ban in bans.for_whom("RITA")] == ["Rita"]


CLOSED_WITH = {
    "glendy": b"DIE The host has banned you.\n",
    "netdot": b"info-warn The host has banned you.\n",
    "telnet": b"? The host has banned you.\r\n",
    "nettoe": b"",
    "ggz-dots": b"",
}


@pytest.mark.parametrize("wire", CLOSED_WITH)
def test_banned_address_is_told_so_in_the_words_of_the_wire(wire: str) -> None:
    world = house()
    world.hub.bans.replace([Ban("192.0.2.0/24")])
    refused = world.connect(wire, "192.0.2.7")
    assert refused.take() == CLOSED_WITH[wire]
    assert refused.closed
    assert not world.connect(wire, "192.0.3.7").closed


TURNED_DOWN = {
    "nettoe": b"",
    "glendy": b"DIE The host has banned you.\n",
    "netdot": b"request-deny The host has banned you.\n",
    "telnet": b"? The host has banned you.",
    "ggz": b"<RESULT ACTION='login' CODE='no permission'>The host has banned you.</RESULT>",
}


def ask_in(world: World, wire: str) -> Wire:
    words = {
        "nettoe": IMITATED.encode().ljust(32, b"\0"),
        "glendy": b"Rita 0 0 0\n",
        "netdot": f"info-version 3 0\nrequest-join name {IMITATED}\n".encode(),
        "telnet": b"name Rita\n",
        "ggz": b"<SESSION>\n<LOGIN TYPE='guest'><NAME>Rita</NAME></LOGIN>\n",
    }
    return world.connect(wire).send(words[wire])


@pytest.mark.parametrize("wire", ["nettoe", "glendy", "netdot", "telnet", "ggz"])
def test_guest_of_a_banned_name_does_not_come_in(wire: str) -> None:
    world = World()
    world.hub.bans.replace([Ban("Rita")])
    refused = ask_in(world, wire)
    assert TURNED_DOWN[wire] in refused.take()
    assert refused.closed == (wire not in ("telnet", "ggz"))  # where another name may be tried
    assert named(world) == []
    world.hub.bans.replace([])
    if wire in ("nettoe", "netdot"):
        ask_in(world, wire)
        assert any(name.startswith(IMITATED) for name in named(world))


def without_seconds(said: bytes) -> bytes:
    """What is said of a ban that ends in a minute, as if it did not."""
    return said.replace(b" The ban ends in 60 s.", b"")


@pytest.mark.parametrize("wire", CLOSED_WITH)
def test_banned_address_is_told_for_how_long_and_comes_in_when_that_is_over(wire: str) -> None:
    world = house()
    world.hub.bans.replace([Ban("192.0.2.0/24", world.now + 60)])
    said = world.connect(wire, "192.0.2.7").take()
    assert without_seconds(said) == CLOSED_WITH[wire]
    assert (said != CLOSED_WITH[wire]) == bool(said)
    world.advance(61)
    assert not world.connect(wire, "192.0.2.7").closed


@pytest.mark.parametrize("wire", TURNED_DOWN)
def test_guest_of_a_banned_name_is_told_for_how_long(wire: str) -> None:
    world = World()
    world.hub.bans.replace([Ban("Rita", world.now + 60)])
    said = ask_in(world, wire).take()
    assert TURNED_DOWN[wire] in without_seconds(said)
    assert (b"The ban ends in 60 s." in said) == bool(TURNED_DOWN[wire])


def test_those_who_are_here_are_told_for_how_long_they_are_banned() -> None:
    world = World()
    browser, telnet = Browser(world, "Rita"), world.connect("telnet").send(b"name Rita\n")
    telnet.take()
    Desk(world.house).keep_out([Ban("Rita", world.now + 60)])
    world.run()
    told = browser.last("left")
    assert (told["why"], told["seconds"]) == ("banned", 60)
    assert b"The ban ends in 60 s." in telnet.take()


def test_ban_ends_at_its_time_of_day_though_the_house_stood_still_meanwhile() -> None:
    bans = Bans([Ban("Rita", 100.0), Ban("192.0.2.7", 100.0)])
    bans.ahead = 30.0
    assert bans.of_name("Rita", 69.0) is not None
    assert bans.of_name("Rita", 70.0) is None
    assert bans.of_address("192.0.2.7", 70.0) is None
    assert bans.in_force(70.0) == []


def test_door_that_registers_no_one_does_not_speak_of_a_ban() -> None:
    wire = World().connect("ggz", register="no")
    wire.send(b"<SESSION>\n<LOGIN TYPE='first'><NAME>Rita</NAME><PASSWORD>open sesame</PASSWORD></LOGIN>\n")
    assert b"<RESULT ACTION='login' CODE='no permission'/>" in wire.take()


@pytest.mark.parametrize("wire", ["nettoe", "glendy"])
def test_next_person_does_not_meet_one_who_was_turned_down(wire: str) -> None:
    world = World()
    world.hub.bans.replace([Ban("Rita")])
    words = {
        "nettoe": [b"Rita".ljust(32, b"\0"), b"Otto".ljust(32, b"\0")],
        "glendy": [b"Rita 0 0 0\n", b"Otto 0 1 0\n"],
    }
    for said in words[wire]:
        world.connect(wire, opponent="human").send(said)
    assert not world.hub.tables


@pytest.mark.parametrize("whom", ["Rita", "127.0.0.1"])
def test_banned_people_who_are_here_are_put_out_with_words(whom: str) -> None:
    world = World()
    browser, telnet = Browser(world, "Rita"), world.connect("telnet").send(b"name Rita\n")
    silent = world.connect("c4n")
    telnet.take()
    desk = Desk(world.house)
    desk.keep_out([Ban(whom)])
    world.run()
    assert "The host has banned you." in str(browser.heard())
    assert b"The host has banned you." in telnet.take()
    assert telnet.closed
    assert silent.closed == (whom != "Rita")
    desk.keep_out([])
    assert not world.connect("telnet").closed


def test_browser_of_a_banned_name_is_refused_at_its_hello() -> None:
    world = World()
    world.hub.bans.replace([Ban("Rita", world.now + 60)])
    assert Browser(world, IMITATED).last("refused")["why"] == Refusal.BANNED.value
    world.advance(61)
    assert Browser(world, IMITATED).last("welcome")["name"] == IMITATED


# --- limits at the tables -------------------------------------------------------------------------------------------


def test_tables_of_one_address_are_limited_and_the_refusal_says_which_and_how_long() -> None:
    world = World()
    browsers = [Browser(world, address="192.0.2.1") for _ in range(121)]
    for browser in browsers:
        browser.say("open", game="noughts")
    told = browsers[-1].last("refused")
    assert told["why"] == Refusal.TOO_MANY.value
    assert told["text"] == "The limit is 120 new tables from one address, then one every 1 s. Please wait 1 s."
    assert len(world.hub.tables) == 120
    world.advance(1.1)
    browsers[-1].say("open", game="noughts")
    assert len(world.hub.tables) == 121


def test_sessions_of_one_account_are_limited_and_counted_until_they_end() -> None:
    world = house()
    token = passport.issue(world.hub.service(Foyer).seal, passport.of_account("Rita", "id", world.hub.accounts))
    browsers = [Browser(world, hello=False).say("hello", token=token) for _ in range(65)]
    assert browsers[63].last("welcome")["account"] == "Rita"
    assert browsers[64].last("refused")["text"].startswith("The limit is 64 sessions for one account")
    browsers[0].wire.reset()
    assert browsers[64].say("hello", token=token).last("welcome")["account"] == "Rita"
    assert world.hub.gate.counted("sessions", "account") == {"Rita": 64}
    for browser in browsers[1:]:
        browser.wire.reset()
    assert world.hub.gate.counted("sessions", "account") == {}


def test_this_machine_opens_as_many_tables_as_it_likes() -> None:
    world = World()
    for _ in range(300):
        Browser(world).say("open", game="noughts")
    assert len(world.hub.tables) == 300
