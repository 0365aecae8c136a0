"""Tables of the zone: launching, joining, watching, leaving, and what everybody in the room hears of it."""

import pytest

from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggzdots.messages import Chair, Line, Options, Players, Seat, Sync, WantMove, WantOptions
from tests.folds import folded, state_of
from tests.ggz import BOT, OPEN, Person, play_out, words, zone_of
from tests.netdot import Client as NetdotClient
from tests.world import FakeAccounts, World

LAUNCHED = "<DESC> <SEAT NUM=0 TYPE=open> <SEAT NUM=1 TYPE=open>"


def updates(person: Person) -> list[str]:
    """What has been heard about tables since the last time, without the envelope."""
    heard = [element for element in person.heard() if element.tag == "UPDATE" and element.get("TYPE") == "table"]
    return [f"{element.get('ACTION')} {words(element.children[0])}" for element in heard]


def launch(seats: str, game: str = "0", count: str = "2") -> bytes:
    return f"<LAUNCH><TABLE GAME='{game}' SEATS='{count}'>{seats}</TABLE></LAUNCH>\n".encode()


# --- the order that keeps clients alive ---------------------------------------------------------------------------


def test_launcher_hears_of_the_table_before_the_answer_and_sits_last() -> None:
    ann = Person(World(), "ann").arrive()
    ann.open_channel()
    assert ann.told(ask.launch(0, "", OPEN)) == [
        f"UPDATE TYPE=table ACTION=add ROOM=1 <TABLE ID=1 GAME=0 STATUS=1 SEATS=2 {LAUNCHED}>",
        "RESULT ACTION=launch CODE=ok",
        "UPDATE TYPE=table ACTION=join ROOM=1 <TABLE ID=1 SEATS=2 <SEAT NUM=0 TYPE=player ann>>",
        "JOIN TABLE=1 SPECTATOR=false",
    ]
    assert ann.game.heard() == [Seat(0), Players((Chair(3, "ann"), Chair(1))), WantOptions()]


def test_joiner_hears_the_answer_then_who_sits_then_that_it_is_done() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    updates(ann)
    ben.open_channel()
    sat = "<TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ben>>"
    assert ben.told(spell.join(1)) == [
        "RESULT ACTION=join CODE=ok",
        f"UPDATE TYPE=table ACTION=join ROOM=1 {sat}",
        "JOIN TABLE=1 SPECTATOR=false",
    ]
    assert updates(ann) == ["join TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ben>"]
    assert ben.game.heard()[0] == Seat(1)


def test_leaver_hears_the_answer_first_and_the_channel_is_closed() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    ben.join()
    updates(ann)
    assert ben.told(ask.leave(force=True)) == [
        "RESULT ACTION=leave CODE=ok",
        "LEAVE REASON=normal",
        "UPDATE TYPE=table ACTION=leave ROOM=1 <TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ben>>",
    ]
    assert ben.game.wire.closed
    assert updates(ann) == ["leave TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ben>"]
    assert ann.game.heard()[-1] == Players((Chair(3, "ann"), Chair(1)))
    assert ben.told(ask.leave()) == ["RESULT ACTION=leave CODE=ok", "LEAVE REASON=normal"]


def test_client_that_closes_its_channel_before_it_says_leave_hears_once_that_it_has_left() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch_bot()
    ann.heard()
    updates(ben)
    ann.game.wire.end_of_file()
    assert words(ann.heard()[0]) == "LEAVE REASON=normal"
    assert ann.told(ask.leave(force=True)) == ["RESULT ACTION=leave CODE=ok"]
    assert ann.told(ask.leave()) == ["RESULT ACTION=leave CODE=ok", "LEAVE REASON=normal"]
    assert [line.split()[0] for line in updates(ben)] == ["leave", "status", "delete"]
    assert not world.tables


def test_client_that_ends_its_session_has_left_its_table_before_the_room() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    ben.heard()
    assert ann.say(spell.END).game.wire.closed
    assert [f"{one.get('TYPE')} {one.get('ACTION')}" for one in ben.heard()] == [
        *["table leave", "table status", "table delete", "player delete"],
    ]


def test_nobody_hears_of_old_tables_before_asking_for_them() -> None:
    world = World()
    ann, ben, cid = (Person(world, name).arrive() for name in ("ann", "ben", "cid"))
    ann.launch()
    late = Person(world, "late").log_in().say(ask.enter(1))
    ben.join()
    assert updates(late) == []
    cid.launch()
    assert [line.split()[0] for line in updates(late)] == ["add", "join"]
    ben.leave()
    assert updates(late) == []
    late.say(ask.ask_list("table"))
    ben.join()
    assert updates(late) == ["join TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ben>"]


def test_joiner_who_never_asked_for_tables_is_told_of_this_one_first() -> None:
    world = World()
    Person(world, "ann").arrive().launch()
    ben = Person(world, "ben").log_in().say(ask.enter(1))
    ben.open_channel()
    heard = ben.told(spell.join(1))
    assert [line.split()[0] for line in heard] == ["UPDATE", "RESULT", "UPDATE", "JOIN"]
    assert "ACTION=add" in heard[0]


def test_table_ends_with_status_and_delete_and_its_number_is_used_again() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    ben.launch()
    assert ben.last("JOIN").get("TABLE") == "2"
    updates(ben)
    ann.leave()
    assert updates(ben) == [
        "leave TABLE ID=1 SEATS=2 <SEAT NUM=0 TYPE=player ann>",
        "status TABLE ID=1 STATUS=3 SEATS=2",
        "delete TABLE ID=1 STATUS=-1 SEATS=2",
    ]
    ann.launch()
    assert ann.last("JOIN").get("TABLE") == "1"


def test_no_byte_of_the_game_is_said_before_the_player_sits() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    ann.open_channel()
    ann.game.sync()
    ann.game.draw("h 0 0")
    assert ann.game.raw.endswith(spell.END)
    ann.say(ask.launch(0, "", BOT))
    assert ann.game.heard()[0] == Seat(0)


# --- refusals -----------------------------------------------------------------------------------------------------

BAD_LAUNCHES = [
    (b"<LAUNCH/>\n", "bad options"),
    (launch("<SEAT NUM='0' TYPE='open'/><SEAT NUM='1' TYPE='open'/>", game="5"), "not in room"),
    (launch("<SEAT NUM='0' TYPE='open'/><SEAT NUM='1' TYPE='open'/>", count="3"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='open'/>"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='open'/><SEAT NUM='2' TYPE='open'/>"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='bot'/><SEAT NUM='1' TYPE='bot'/>"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='open'/><SEAT NUM='1' TYPE='player'>ben</SEAT>"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='open'/><SEAT NUM='1' TYPE='reserved'>abcdefghijklmnopq</SEAT>"), "bad options"),
    (launch("<SEAT NUM='0' TYPE='reserved'>x</SEAT><SEAT NUM='1' TYPE='reserved'>y</SEAT>"), "table full"),
]


@pytest.mark.parametrize(("wish", "code"), BAD_LAUNCHES)
def test_launch_that_cannot_be_keeps_the_channel(wish: bytes, code: str) -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    ann.open_channel()
    assert ann.code(wish) == code
    assert not world.tables
    assert ann.code(ask.launch(0, "", OPEN)) == "ok"


def test_launching_needs_a_room_a_channel_and_to_be_at_no_table() -> None:
    ann = Person(World(), "ann").log_in()
    assert ann.code(ask.launch(0, "", OPEN)) == "not in room"
    ann.enter(0)
    assert ann.code(ask.launch(0, "", OPEN)) == "not in room"
    ann.enter(1)
    assert ann.code(ask.launch(0, "", OPEN)) == "no channel"
    ann.launch()
    assert ann.code(ask.launch(0, "", OPEN)) == "launch fail"


def test_joining_needs_a_channel_and_a_seat_and_uses_the_channel_up() -> None:
    world = World()
    ann, ben, cid = (Person(world, name).arrive() for name in ("ann", "ben", "cid"))
    ann.launch((spell.Seat(0, "reserved", "ann"), spell.Seat(1, "reserved", "BEN")))
    assert cid.code(spell.join(1)) == "no channel"
    assert cid.code(b"<JOIN/>\n") == "bad options"
    for wish, code in (
        (spell.join(7), "no table"),
        (spell.join(1), "table full"),
        (b"<JOIN TABLE='1' SEAT='0'/>\n", "seat assign fail"),
        (b"<JOIN TABLE='1' SEAT='9'/>\n", "seat assign fail"),
    ):
        channel = cid.open_channel()
        assert cid.code(wish) == code
        assert channel.wire.closed
        assert cid.code(wish) == "no channel"
    ben.join()
    assert ben.answer == "ok"
    assert ben.code(spell.join(1)) == "at table"
    assert ben.code(ask.enter(0)) == "at table"


def test_a_seat_may_be_chosen() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch((spell.Seat(0, "open"), spell.Seat(1, "reserved", "ann")))
    assert ann.game.heard()[0] == Seat(1)
    ben.open_channel()
    assert ben.code(b"<JOIN TABLE='1' SEAT='0'/>\n") == "ok"
    assert ben.game.heard()[0] == Seat(0)


def test_no_table_is_launched_while_the_house_stops() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    world.hub.drain()
    ann.launch()
    assert ann.answer == "launch fail"


# --- bots ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "level", "shown", "called"),
    [
        ("", "medium", "", "AI"),
        ("AI", "medium", "", "AI"),
        ("Robby", "medium", " Robby", "Robby"),
        ("hard", "hard", " hard", "hard"),
    ],
)
def test_bot_is_called_as_launched_and_plays_at_the_level_of_its_name(
    name: str, level: str, shown: str, called: str
) -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch((spell.Seat(0, "open"), spell.Seat(1, "bot", name)))
    add = next(line for line in map(words, ann.heard()) if "ACTION=add" in line)
    assert f"<SEAT NUM=1 TYPE=bot{shown}>" in add
    assert not [one for one in ann.all("UPDATE") if one.get("ACTION") == "seat"]
    assert Players((Chair(3, "ann"), Chair(2, called))) in ann.game.heard()
    (table,) = world.tables
    assert [member.level for member in table.party.members.values() if not member.is_person] == [level]


def test_whole_game_against_a_bot_then_another() -> None:
    ann = Person(World(), "ann").arrive().launch_bot()
    for _ in range(2):
        ann.game.choose(3, 3)
        play_out(ann)
        assert WantOptions() in ann.game.again()
    assert [words(one) for one in ann.all("UPDATE") if one.get("ACTION") == "stats"] == [
        "UPDATE TYPE=player ACTION=stats ROOM=1 <PLAYER ID=ann>"
    ] * 2


# --- coming back --------------------------------------------------------------------------------------------------


def test_seat_of_a_leaver_is_taken_by_somebody_else_who_gets_the_board() -> None:
    world = World()
    ann, ben, cid = (Person(world, name).arrive() for name in ("ann", "ben", "cid"))
    ann.launch()
    ben.join()
    ann.game.choose(3, 3)
    ann.game.draw("h 0 0")
    ben.leave()
    ann.heard()
    cid.join()
    heard = cid.game.heard()
    assert [type(message) for message in heard] == [Seat, Players, Options, Sync, WantMove]
    assert heard[3] == Sync(1, 0, 0, bytes(6), bytes((1, 0, 0, 0, 0, 0)), b"\xff" * 4)
    cid.game.draw("h 1 0")
    play_out(ann, cid)


# --- spectators ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", [spell.join(1, spectator=True), b"<SPECTATE TABLE='1'/>\n"])
def test_spectator_sees_the_game_and_everybody_sees_the_spectator(wish: bytes) -> None:
    world = World()
    ann, ben, eve = (Person(world, name).arrive() for name in ("ann", "ben", "eve"))
    ann.launch()
    ben.join()
    ann.game.choose(2, 2)
    updates(ann)
    eve.open_channel()
    assert eve.told(wish)[-1] == "JOIN TABLE=1 SPECTATOR=true"
    assert updates(ann) == ["join TABLE ID=1 SPECTATORS=1 <SPECTATOR NUM=0 eve>"]
    assert eve.game.heard()[0] == Seat(-1)
    listed = Person(world, "late").arrive().all("RESULT")[2]
    assert "<SPECTATOR NUM=0 eve>" in words(listed)
    eve.leave()
    assert updates(ann) == ["leave TABLE ID=1 SPECTATORS=1 <SPECTATOR NUM=0 eve>"]


def test_spectators_are_sent_home_when_the_players_have_left() -> None:
    world = World()
    ann, eve = (Person(world, name).arrive() for name in ("ann", "eve"))
    ann.launch_bot()
    eve.join(1, watch=True)
    eve.heard()
    ann.leave()
    assert [words(element) for element in eve.heard()] == [
        "LEAVE REASON=gameover",
        "UPDATE TYPE=table ACTION=leave ROOM=1 <TABLE ID=1 SEATS=2 <SEAT NUM=0 TYPE=player ann>>",
        "UPDATE TYPE=table ACTION=leave ROOM=1 <TABLE ID=1 SPECTATORS=1 <SPECTATOR NUM=0 eve>>",
        "UPDATE TYPE=table ACTION=status ROOM=1 <TABLE ID=1 STATUS=3 SEATS=2>",
        "UPDATE TYPE=table ACTION=delete ROOM=1 <TABLE ID=1 STATUS=-1 SEATS=2>",
    ]
    assert eve.game.wire.closed
    eve.launch()
    assert eve.answer == "ok"


def test_door_may_admit_no_spectators() -> None:
    world = World()
    Person(world, "ann").arrive().launch_bot()
    eve = Person(world, "eve", spectators="no").arrive()
    assert "SPECTATORS=false" in eve.told(ask.ask_list("game", full=True))[0]
    eve.open_channel()
    assert eve.code(spell.join(1, spectator=True)) == "table full"


# --- changing places ----------------------------------------------------------------------------------------------


def reseat(action: str, seat: int | None = None) -> bytes:
    return spell.element("RESEAT", {"ACTION": action, **({} if seat is None else {"SEAT": seat})})


def test_player_moves_stands_up_and_sits_down_again() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    updates(ben)
    assert ann.code(reseat("move", 1)) == "ok"
    assert updates(ben) == [
        "leave TABLE ID=1 SEATS=2 <SEAT NUM=0 TYPE=player ann>",
        "join TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ann>",
    ]
    ben.join()
    updates(ben)
    assert ben.code(reseat("stand")) == "ok"
    assert updates(ben) == []
    assert "SPECTATOR NUM=0 ben" in words(ben.last("UPDATE"))
    assert ben.code(reseat("sit", 1)) == "seat assign fail"
    assert ben.code(reseat("sit", 0)) == "ok"
    assert ben.code(reseat("dance")) == "bad options"
    assert ben.game.heard()[0] == Seat(0)


def test_reseating_needs_a_table() -> None:
    ann = Person(World(), "ann").log_in()
    assert ann.code(reseat("sit", 0)) == "not in room"
    ann.enter()
    assert ann.code(reseat("sit", 0)) == "no table"


# --- the owner ----------------------------------------------------------------------------------------------------


def change(action: str, inside: str, number: int = 1) -> bytes:
    return f"<UPDATE TYPE='table' ACTION='{action}' ROOM='1'><TABLE ID='{number}'>{inside}</TABLE></UPDATE>\n".encode()


DESC = change("desc", "<DESC>a &lt;quiet&gt; game</DESC>")


def test_owner_describes_furnishes_and_clears_the_table() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    updates(ben)
    assert ann.code(DESC) == "ok"
    assert updates(ben) == ["desc TABLE ID=1 <DESC a <quiet> game>"]
    assert ann.code(change("seat", "<SEAT NUM='1' TYPE='reserved'>ben</SEAT>")) == "ok"
    assert updates(ben) == ["seat TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=reserved ben>"]
    assert ann.code(change("seat", "<SEAT NUM='1' TYPE='bot'/>")) == "ok"
    assert updates(ben) == ["seat TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=bot>"]
    assert ann.code(change("seat", "<SEAT NUM='1' TYPE='open'/>")) == "ok"
    assert updates(ben) == ["seat TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=open>"]
    ben.join()
    assert ann.code(change("seat", "<SEAT NUM='1' TYPE='open'/>")) == "seat assign fail"
    assert ann.code(change("seat", "")) == "bad options"
    assert ann.code(change("dance", "")) == "bad options"
    assert ann.code(change("boot", "<SEAT NUM='1' TYPE='player'>nobody</SEAT>")) == "usr lookup"
    ben.heard()
    assert ann.code(change("boot", "<SEAT NUM='1' TYPE='player'>ben</SEAT>")) == "ok"
    assert words(ben.heard()[0]) == "LEAVE REASON=boot PLAYER=ann"
    assert ben.game.wire.closed


def test_owner_sends_a_netdot_user_away() -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch()
    (table,) = world.tables
    ned = netdot(world, "ned", "8x8")
    ned.witness.moving = True
    ned.say(f"network-chat /join {table.id}", "game-ready")
    updates(ann)
    assert ann.told(change("boot", "<SEAT NUM='1' TYPE='player'>ned</SEAT>")) == [
        "RESULT ACTION=update CODE=ok",
        "UPDATE TYPE=table ACTION=leave ROOM=1 <TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ned>>",
    ]
    assert any("ann has sent you away." in line for line in ned.heard())
    assert [member.name for member in table.party.members.values()] == ["ann"]


def test_everything_that_is_asked_for_at_a_table_is_in_the_log() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch(about="first")
    ann.say(DESC, change("seat", "<SEAT NUM='1' TYPE='reserved'>ben</SEAT>"))
    ben.join()
    ann.game.choose(3, 3)
    ann.game.draw("h 0 0")
    ben.say(reseat("stand"))
    (table,) = world.tables
    again = folded(table, [record for _, record in world.store.log])
    assert state_of(again) == state_of(table)
    assert (again.party.title, again.waits, again.moves) == ("a <quiet> game", True, ["h 0 0"])


def test_only_the_owner_may_and_whoever_has_sat_longest_is_next() -> None:
    world = World()
    ann, ben, cid = (Person(world, name).arrive() for name in ("ann", "ben", "cid"))
    ann.launch()
    ben.join()
    for other in (ben, cid):
        assert other.code(DESC) == "no permission"
    assert ann.code(change("desc", "", number=9)) == "no permission"
    ann.leave()
    cid.join()
    assert cid.code(DESC) == "no permission"
    assert ben.code(DESC) == "ok"


# --- other wires --------------------------------------------------------------------------------------------------


def netdot(world: World, name: str, size: str = "3x3", **keys: str) -> NetdotClient:
    client = NetdotClient(world.connect("netdot", size=size, start="ask", **keys), "3")
    return client.say("info-version 3 0", "request-info", f"request-join name {name}", "game-ready")


def test_netdot_room_is_listed_and_becomes_a_table_for_two() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    updates(ann)
    ned = netdot(world, "ned")
    assert updates(ann) == [
        "add TABLE ID=1 GAME=0 STATUS=1 SEATS=2 <DESC 3 by 3 dots> <SEAT NUM=0 TYPE=open> <SEAT NUM=1 TYPE=open>",
        "join TABLE ID=1 SEATS=2 <SEAT NUM=0 TYPE=player ned>",
    ]
    ann.join(1)
    assert ann.answer == "ok"
    assert Players((Chair(3, "ned"), Chair(3, "ann"))) in ann.game.heard()
    assert "game-start" in " ".join(ned.heard())
    assert ann.code(DESC) == "no permission"  # nobody of the zone has launched it


def test_netdot_user_comes_to_a_table_by_its_id() -> None:
    world = World(6)
    ann = Person(world, "ann").arrive().launch()
    ann.game.choose(3, 3)
    (table,) = world.tables
    assert "x" in table.id  # which NetDot users may write between the two numbers of a size
    ned = netdot(world, "ned", "8x8")
    ned.witness.moving = True
    ned.say(f"network-chat /join {table.id}", "game-ready")
    assert "join TABLE ID=1 SEATS=2 <SEAT NUM=1 TYPE=player ned>" in updates(ann)
    assert ann.game.to_move
    ann.game.draw("h 1 0")
    assert "game-line 1 1 0 hor" in ned.heard()
    ned.say("game-line 0 0 hor")
    assert Line("h 0 0") in ann.game.heard()


@pytest.mark.parametrize("size", ["26x3", "3x26"])
def test_board_that_is_too_large_for_the_wire_is_not_listed(size: str) -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    netdot(world, "ned", size)
    assert updates(ann) == []


def test_room_with_more_players_than_two_seats_is_taken_off_the_list() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    updates(ann)
    netdot(world, "ned")
    assert [line.split()[0] for line in updates(ann)] == ["add", "join"]
    netdot(world, "nan")
    assert [line.split()[0] for line in updates(ann)][-2:] == ["status", "delete"]


def test_namesake_from_another_wire_is_told_apart() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    netdot(world, "Ann")
    assert "<SEAT NUM=0 TYPE=player Ann*>" in updates(ann)[-1]
    netdot(world, "Ben", "4x4")
    ben = Person(world, "ben").arrive()
    assert "<SEAT NUM=0 TYPE=player Ben*>" in updates(ann)[-1]
    ben.wire.reset()
    assert "<SEAT NUM=0 TYPE=player Ben>" in updates(ann)[-1]


def test_table_of_the_bare_door_is_listed_and_joined() -> None:
    world = World()
    bare = world.connect("ggz-dots")
    ann = Person(world, "ann").arrive()
    assert "<SEAT NUM=0 TYPE=player Player 1> <SEAT NUM=1 TYPE=open>" in words(ann.all("RESULT")[2])
    ann.join()
    assert ann.answer == "ok"
    assert Players((Chair(3, "Player 1"), Chair(3, "ann"))) in ann.game.heard()
    bare.send(bytes((0, 0, 0, 3, 2, 2)))
    bare.send(bytes(6))
    assert [type(message) for message in ann.game.heard()] == [Options, Line, WantMove]


def test_tables_that_were_there_before_the_zone_are_listed() -> None:
    world = World()
    netdot(world, "ned")
    ann = Person(world, "ann").arrive()
    assert "TABLE ID=1" in words(ann.all("RESULT")[2])
    assert set(zone_of(world).tables.by_number) == {1}


@pytest.mark.parametrize("name", ["Rita", "R\u0456ta", "Parlour (easy)"])
def test_bot_is_not_called_like_a_registered_person_or_the_house(name: str) -> None:
    world = World(accounts=FakeAccounts(Rita="open sesame"))
    Person(world, "Gus").arrive().launch((spell.Seat(0, "reserved", "Gus"), spell.Seat(1, "bot", name)))
    (table,) = world.tables
    assert [member.name for member in table.party.members.values() if not member.is_person] == ["Parlour (medium)"]
