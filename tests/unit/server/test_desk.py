"""The host's hand on people of every wire: what each is told, and that nobody and nothing is left behind."""

from collections.abc import Callable

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.house.hosting import Heard, Hosting
from parlour.core.words import Closed, Finished, Reason
from parlour.protocols.c4n.codec import START
from parlour.protocols.glendy.codec import hello
from parlour.protocols.nettoe.codec import name_field
from parlour.server.desk import Desk
from tests.browsers import Browser
from tests.ggz import Person as Member
from tests.hosts import act, kick, mute, people
from tests.netdot import HELLO
from tests.world import Wire, World

TEXT = "Lunch at noon, everybody"
REASON = "Enough of that"


def netdot(world: World, dialect: str = "3") -> Wire:
    lines = (*HELLO[dialect], "request-join")
    return world.connect("netdot", size="3x3", ready="16").send("".join(f"{line}\n" for line in lines).encode())


def c4n(world: World) -> Wire:
    return world.connect("c4n", opponent="engine").send(START)


def nettoe(world: World) -> Wire:
    return world.connect("nettoe", opponent="engine").send(name_field("Otto"))


def glendy(world: World) -> Wire:
    return world.connect("glendy", walls="none").send(hello("Rabbit", 1))


def web(world: World) -> Wire:
    return Browser(world, "Ann").wire


def member(world: World) -> Wire:
    return Member(world, "Gus").arrive().wire


TALKERS: dict[str, Callable[[World], Wire]] = {
    "web": web,
    "netdot 3": netdot,
    "netdot 2": lambda world: netdot(world, "2"),
    "netdot 1": lambda world: netdot(world, "1"),
    "ggz": member,
}
SILENT: dict[str, Callable[[World], Wire]] = {"c4n": c4n, "nettoe": nettoe, "glendy": glendy}


@pytest.mark.parametrize("wire", TALKERS)
def test_announcement_reaches_whoever_has_words_for_it(wire: str) -> None:
    world = World()
    peer = TALKERS[wire](world)
    peer.take()
    heard = act(world, lambda desk, hosting: hosting.announce(desk.present(), TEXT))
    assert heard == Heard(1, {})
    assert TEXT.encode() in peer.take()


def test_announcement_says_which_wires_have_no_words_for_it() -> None:
    world = World()
    peers = [connect(world) for connect in SILENT.values()]
    web(world)
    for peer in peers:
        peer.take()
    heard = act(world, lambda desk, hosting: hosting.announce(desk.present(), TEXT))
    assert heard == Heard(1, dict.fromkeys(SILENT, 1))
    assert [peer.take() for peer in peers] == [b""] * len(peers)


@pytest.mark.parametrize("wire", [*TALKERS, *SILENT])
@pytest.mark.parametrize("reason", ["", REASON])
def test_whoever_is_sent_away_leaves_no_connection_and_no_seat(wire: str, reason: str) -> None:
    world = World()
    peer = (TALKERS | SILENT)[wire](world)
    [person] = people(world)
    kick(world, person, reason)
    assert peer.closed
    assert all(who.table is None for who in person.connections)
    assert not any(seat is not None and seat.who is person.who for table in world.tables for seat in table.seats)
    assert len(world.hub.matchmaker) == 0


@pytest.mark.parametrize("game", ["dots", "noughts"])
def test_browser_that_is_sent_away_is_told_why_and_loses_its_seat(game: str) -> None:
    world = World()
    ann = Browser(world, "Ann").open(game)
    [person] = people(world)
    kick(world, person, REASON)
    told = ann.last("left")
    assert (told["why"], told["text"]) == ("sent-away", REASON)
    assert ann.wire.closed
    assert not world.tables


def test_opponent_of_somebody_sent_away_is_told_as_ever() -> None:
    world = World()
    ann = Browser(world, "Ann").open("connect4", "human")
    bob = Browser(world, "Bob").open("connect4", "human")
    kick(world, next(person for person in people(world) if person.who.name == "Ann"))
    assert "left" in bob.events()
    assert ann.wire.closed
    assert not bob.wire.closed


# --- muting ---------------------------------------------------------------------------------------------------------


def two_browsers(world: World, game: str) -> tuple[Browser, Browser]:
    ann = Browser(world, "Ann").open(game, "human")
    bob = Browser(world, "Bob").open(game, "human")
    return ann, bob


@pytest.mark.parametrize("game", ["dots", "noughts"])
def test_nobody_hears_somebody_who_is_muted(game: str) -> None:
    world = World()
    ann, bob = two_browsers(world, game)
    mute(world, "Ann")
    assert ann.last("note")["why"] == "muted"
    assert ann.why("say", table=ann.last("table")["table"], text="hello?") == "muted"
    assert not bob.all("said")
    act(world, lambda desk, hosting: hosting.unmute("Ann", desk.present()))
    assert ann.last("note")["why"] == "unmuted"
    ann.say("say", table=ann.last("table")["table"], text="hello?")
    assert bob.last("said")["text"] == "hello?"


def test_muted_person_comes_back_muted_under_another_name() -> None:
    world = World()
    ann, _ = two_browsers(world, "noughts")
    mute(world, "Ann")
    token = ann.last("welcome")["token"]
    ann.wire.end_of_file()
    again = Browser(world, hello=False)
    again.say("hello", name="Zoe", token=token)
    zoe = next(person for person in people(world) if person.who.name == "Zoe")
    assert world.hub.muting.muted_as(zoe.who) == "Ann"


def test_another_person_of_the_same_name_is_not_muted() -> None:
    world = World()
    two_browsers(world, "noughts")
    mute(world, "Ann")
    other = Browser(world, "Ann")
    muted = [(person.who.name, world.hub.muting.muted_as(person.who)) for person in people(world)]
    assert sorted(muted, key=str) == [("Ann", "Ann"), ("Ann", None), ("Bob", None)]
    assert not other.all("note")


def test_netdot_user_who_is_muted_stays_so_when_renamed() -> None:
    world = World()
    loud, quiet = netdot(world), netdot(world)
    mute(world, "User 1")
    loud.send(b"info-name Innocent\n")
    quiet.take()
    loud.send(b"chat hello\n")
    assert b"hello" not in quiet.take()
    assert b"muted" in loud.take()


# --- tables and the house -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["dots", "noughts", "glenda", "connect4"])
def test_closed_table_is_abandoned_and_everybody_is_told(game: str) -> None:
    world = World()
    ann, bob = two_browsers(world, game)
    [table] = world.tables
    act(world, lambda _, hosting: hosting.close(table))
    assert not world.tables
    last = [record.event for _, record in world.store.log][-2:]
    assert isinstance(last[0], Finished)
    assert last[0].reason is Reason.ABANDONED
    assert last[1] == Closed("host")
    for browser in (ann, bob):
        assert browser.last("note")["why"] == "table-closed"
        assert browser.last("left")["why"] == "closed"
        browser.open("noughts")
        assert browser.last("table")["game"] == "noughts"


@pytest.mark.parametrize("wire", SILENT)
def test_table_of_an_old_wire_can_be_closed(wire: str) -> None:
    world = World()
    peer = SILENT[wire](world)
    if wire == "glendy":
        world.connect("glendy", walls="none").send(hello("Trapper", 0))
    [table] = world.tables
    act(world, lambda _, hosting: hosting.close(table, REASON))
    world.advance(1)
    assert not world.tables
    assert peer.closed


def test_no_game_begins_while_the_host_holds_them_and_running_ones_go_on() -> None:
    world = World()
    players = two_browsers(world, "noughts")
    waiting = Browser(world, "Cat").open("connect4", "human")
    act(world, lambda _, hosting: hosting.pause())
    assert waiting.last("left")["why"] == "no-new-games"
    assert Browser(world, "Dan").why("open", game="noughts") == "no-new-games"
    for player in players:  # whoever begins
        player.say("play", table=world.tables[0].id, move="b2", id="m")
    assert world.tables[0].moves == ["b2"]
    act(world, lambda _, hosting: hosting.resume())
    assert Browser(world, "Eve").open("noughts").last("table")["game"] == "noughts"


def test_no_rematch_begins_while_the_host_holds_games() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts")
    table = ann.last("table")["table"]
    ann.say("resign", table=table)
    act(world, lambda _, hosting: hosting.pause())
    assert ann.why("rematch", table=table, yes=True) == "no-new-games"
    act(world, lambda _, hosting: hosting.resume())
    ann.say("rematch", table=table, yes=True)
    assert world.tables[0].running


@pytest.mark.parametrize("why", [Refusal.DRAINING, Refusal.LOG_DOWN])
def test_host_cannot_undo_what_others_decided(why: Refusal) -> None:
    world = World()
    world.hub.refusing = why
    hosting = world.hub.service(Hosting)
    for attempt in (hosting.pause, hosting.resume):
        with pytest.raises(Refused):
            attempt()
    assert world.hub.refusing is why


# --- figures --------------------------------------------------------------------------------------------------------


def test_load_counts_connections_and_records() -> None:
    world = World()
    desk = Desk(world.house)
    two_browsers(world, "noughts")
    world.advance(2)
    load = desk.load()
    assert load.connections == 2
    assert load.records == world.house.counts["records"] > 0
    assert load.records_per_second == pytest.approx(load.records / 2, abs=0.1)
    assert load.memory > 1_000_000
    assert desk.wires() == {"web": 2}


def test_log_that_fails_shows_in_the_load() -> None:
    world = World()
    desk = Desk(world.house)
    assert desk.load().log == "ok"
    world.hub.refusing = Refusal.LOG_DOWN
    assert desk.load().log == "down"
