"""What members of the zone notice of the host: two connections are one person, and each hears in the zone's words."""

from parlour.core.errors import Limit, Refusal
from parlour.core.house.bans import Ban
from parlour.core.house.gate import ACCOUNT, ADDRESS, SESSIONS, TABLES, Gate
from parlour.languages import sentence
from parlour.protocols.ggz import ask
from parlour.server.desk import Desk
from tests.ggz import Person as Member
from tests.hosts import act, kick, mute, people
from tests.world import World

TEXT = "Lunch at noon, everybody"
REASON = "Enough of that"


def test_ggz_member_at_a_table_is_one_person() -> None:
    world = World()
    gus = Member(world, "Gus").arrive().launch_bot()
    [person] = people(world)
    assert (person.who.name, len(person.connections)) == ("Gus", 2)
    assert person.table is world.tables[0]
    act(world, lambda desk, hosting: hosting.announce(desk.present(), TEXT))
    assert [chat.text for chat in gus.all("CHAT")] == [TEXT]


def test_ggz_member_who_is_sent_away_loses_both_connections() -> None:
    world = World()
    gus = Member(world, "Gus").arrive().launch_bot()
    [person] = people(world)
    gus.heard()
    kick(world, person)
    assert b"</SESSION>" not in gus.wire.take(), "nobody has asked for the end"
    assert gus.wire.closed
    assert gus.game.wire.closed
    assert not world.tables
    assert not people(world)


def test_ggz_member_who_is_banned_is_told_in_the_room_and_put_out() -> None:
    world = World()
    gus = Member(world, "Gus").arrive()
    gus.heard()
    Desk(world.house).keep_out([Ban("Gus")])
    world.run()
    assert [chat.text for chat in gus.all("CHAT")] == [sentence(Refusal.BANNED)]
    assert gus.wire.closed


def test_ggz_member_who_opens_too_many_tables_is_told_for_how_long() -> None:
    world = World()
    world.hub.gate = Gate(lambda: world.now, [Limit(TABLES, ADDRESS, 1, 30), Limit(SESSIONS, ACCOUNT, 9)])
    Member(world, "Eve", "192.0.2.1").arrive().launch_bot()
    gus = Member(world, "Gus", "192.0.2.1").arrive().launch_bot()
    assert gus.answer == "no permission"
    assert gus.last("CHAT").text.endswith("new tables from one address, then one every 30 s. Please wait 30 s.")


def test_ggz_member_who_is_muted_speaks_neither_in_the_room_nor_at_the_table() -> None:
    world = World()
    gus, eve = Member(world, "Gus").arrive().launch_bot(), Member(world, "Eve").arrive()
    mute(world, "Gus")
    eve.heard()
    for kind in ("normal", "table", "private", "beep"):
        assert gus.code(ask.say("hello", kind, "Eve")) == "no permission"
    assert not eve.heard()


def test_ggz_member_is_told_why_their_table_is_closed() -> None:
    world = World()
    gus = Member(world, "Gus").arrive().launch_bot()
    act(world, lambda _, hosting: hosting.close(world.tables[0], REASON))
    assert gus.last("CHAT").text == REASON
    assert gus.all("LEAVE")
    assert not gus.wire.closed


def test_host_is_heard_in_a_room_as_an_announcement() -> None:
    world = World()
    gus, outside = Member(world, "Gus").arrive(), Member(world, "Eve").log_in()
    act(world, lambda desk, hosting: hosting.announce(desk.present(), TEXT))
    chat = gus.last("CHAT")
    assert (chat.get("TYPE"), chat.get("FROM"), chat.text) == ("announce", gus.wire.link.door.keys["name"], TEXT)
    assert not outside.all("CHAT")
