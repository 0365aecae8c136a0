"""Dots among others: spectators, people of other wires in the other chair, and what has no word here."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.news import Announced, BoardChosen, Kicked, UserCame
from parlour.core.roomwords import Chair as Wanted
from parlour.core.roomwords import LeaveChair, OpenPair, SetBoard, TakeChair
from parlour.core.session import Close, Do
from parlour.core.users import User
from parlour.core.vocab import Command, Declined, Finished, Ready, Reason, Record, Said, Started, Watch
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import (
    Answer,
    Chair,
    GameOver,
    Line,
    Options,
    Players,
    Seat,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.server import REFUSALS, DotsSession
from tests.netdot import Lan
from tests.unit.protocols.ggzdots_peer import DIALECTS, Peer, play, two
from tests.world import World

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)


def seats(dialect: Dialect, *names: str) -> Players:
    """MSG_PLAYERS with persons of these names; "" is an open chair."""
    first, second = (Chair(KINDS[dialect].player, name) if name else Chair(KINDS[dialect].open) for name in names)
    return Players((first, second))


def do(peer: Peer, command: Command) -> None:
    """What a zone does for somebody."""
    world, who = peer.wire.world, peer.wire.link.participant
    assert who is not None
    world.house.enter(lambda: world.hub.submit(who, command))
    world.run()


# --- spectators -------------------------------------------------------------------------------------------------------


@every_dialect
def test_spectator_sees_the_lines_of_both_and_not_the_end(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    ann.draw("h 0 0")
    wim = Peer.arriving(world, dialect, "wim", Watch(world.tables[0].id))
    board = Sync(1, 0, 0, bytes(2), b"\1\0", b"\xff")
    assert wim.heard() == [Seat(-1), seats(dialect, "ann", "bob"), Options(2, 2), board]
    bob.draw("h 0 1")
    ann.draw("v 0 0")
    bob.draw("v 1 0")
    closed = ((0, 0),) if dialect is FOUR else ()
    assert wim.heard() == [Line("h 0 1"), Line("v 0 0"), Line("v 1 0", closed)]
    ann.again()
    ann.choose(2, 2)
    bob.again()
    assert wim.heard() == [Options(2, 2)]
    ann.draw("v 0 0")
    assert wim.heard() == [Line("v 0 0")]


@every_dialect
def test_spectator_before_a_game_hears_of_chairs_and_board_as_they_come(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    wim = Peer.arriving(world, dialect, "wim", Watch(world.tables[0].id))
    assert wim.heard() == [Seat(-1), seats(dialect, "ann", "")], "as the original server tells it on JOIN"
    bob = Peer(world, dialect, "bob")
    assert wim.heard() == [seats(dialect, "ann", "bob")]
    ann.choose(3, 2)
    assert wim.heard() == [Options(3, 2)]
    bob.wire.end_of_file()
    assert wim.heard() == [seats(dialect, "ann", "")]


@every_dialect
def test_spectator_who_missed_the_board_is_told_it_on_coming_in(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.choose(3, 2)
    wim = Peer.arriving(world, dialect, "wim", Watch(world.tables[0].id))
    assert wim.heard() == [Seat(-1), seats(dialect, "ann", ""), Options(3, 2)]
    Peer(world, dialect, "bob")
    assert wim.heard() == [seats(dialect, "ann", "bob")]


@every_dialect
def test_spectator_who_wants_to_play_is_refused_and_disturbs_nobody(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 3, 3)
    wim = Peer.arriving(world, dialect, "wim", Watch(world.tables[0].id))
    wim.heard()
    assert wim.draw("h 0 0", "v 1 1") == [Answer(-1), Answer(-1)]
    assert wim.choose(2, 2) == wim.again() == []
    assert len(wim.sync()) == 1
    assert ann.heard() == bob.heard() == []
    assert ann.draw("h 0 0") == [Answer(0)]


@every_dialect
def test_spectator_may_sit_down_and_a_player_may_stand_up(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    wim = Peer.arriving(world, dialect, "wim", Watch(world.tables[0].id))
    wim.heard()
    do(bob, LeaveChair())
    assert bob.heard() == [Seat(-1), seats(dialect, "ann", "")]
    assert ann.heard() == [seats(dialect, "ann", "")]
    do(wim, TakeChair(world.tables[0].id, most=25))
    assert wim.heard() == [seats(dialect, "ann", ""), Seat(1), seats(dialect, "ann", "wim")]
    assert ann.heard() == [seats(dialect, "ann", "wim"), WantMove()]
    ann.draw("h 0 0")
    assert wim.heard() == [Line("h 0 0"), WantMove()]
    assert bob.heard() == [seats(dialect, "ann", "wim"), Line("h 0 0")]


def test_spectators_are_closed_with_the_table() -> None:
    world = World()
    ann, bob = two(world, FOUR, 2, 2)
    wim = Peer.arriving(world, FOUR, "wim", Watch(world.tables[0].id))
    ann.wire.end_of_file()
    bob.wire.end_of_file()
    assert wim.wire.closed
    assert world.tables == []


# --- chairs -----------------------------------------------------------------------------------------------------------


@every_dialect
def test_chair_that_is_kept_for_somebody_is_shown_as_open(dialect: Dialect) -> None:
    world = World()
    chairs = Wanted("reserved", "ann"), Wanted("reserved", "bob")
    ann = Peer.arriving(world, dialect, "ann", OpenPair(chairs, "", 25))
    assert ann.heard() == [Seat(0), seats(dialect, "ann", ""), WantOptions()]


@every_dialect
def test_named_engine_in_the_first_chair_begins(dialect: Dialect) -> None:
    world = World()
    ann = Peer.arriving(world, dialect, "ann", OpenPair((Wanted("engine", "Robby"), Wanted()), "", 25))
    kinds = KINDS[dialect]
    chairs = Players((Chair(kinds.bot, "Robby"), Chair(kinds.player, "ann")))
    assert ann.heard() == [Seat(1), chairs, WantOptions()]
    assert ann.choose(3, 3) == [Options(3, 3), Line("h 0 0"), WantMove()]


@every_dialect
def test_long_name_is_cut_between_characters(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.heard()
    Peer(world, dialect, "Jürgen aus Österreich")
    (told,) = ann.heard()
    assert told == seats(dialect, "ann", "Jürgen aus Öst")  # the next would be the seventeenth byte


# --- people of other wires --------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("version", ["2", "3"])
def test_netdot_user_and_dots_player_meet_in_the_users_room(dialect: Dialect, version: str) -> None:
    lan = Lan(size="2x2")
    user = lan.join(version, "ned")
    table = lan.world.tables[0]
    ann = Peer.arriving(lan.world, dialect, "ann", TakeChair(table.id, most=25))
    seat, chairs, *rest = ann.heard()
    assert seat == Seat(1)
    assert isinstance(chairs, Players)
    assert Options(2, 2) in rest
    assert table.running
    moves = iter(["h 0 0", "h 0 1", "v 0 0", "v 1 0"])
    position = table.position
    assert isinstance(position, DotsPosition)
    for move in moves:
        if position.turn == 1:
            assert ann.draw(move)[-1] in (Answer(0), Answer(1), GameOver(1))
        else:
            letter, x, y = move.split()
            where = f"{x} {y}" if version == "3" else f"{x},{y}"
            user.say(f"game-{'line' if version == '3' else 'play'} {where} {'hor' if letter == 'h' else 'ver'}")
            assert ann.heard() == [Line(move), WantMove()]
    assert table.result is not None
    assert table.result.winners == (1,)


def test_other_name_of_the_other_player_is_told_and_the_turn_repeated() -> None:
    lan = Lan(size="2x2")
    user = lan.join("3", "ned")
    ann = Peer.arriving(lan.world, FOUR, "ann", TakeChair(lan.world.tables[0].id, most=25))
    user.say("game-line 0 0 hor")
    ann.heard()
    user.say("user-name nell")
    assert ann.heard() == [seats(FOUR, "nell", "ann"), WantMove()]


def test_board_too_large_for_the_wire_is_not_told() -> None:
    lan = Lan(size="40x30")
    lan.join("3", "ned")
    lan.join("3", "nell")
    lan.start()
    table = lan.world.tables[0]
    assert table.running
    wim = Peer.arriving(lan.world, FOUR, "wim", Watch(table.id))
    assert wim.heard() == [Seat(-1)]
    lan.play(["0 0 hor", "39 28 ver"])
    assert wim.heard() == []
    assert wim.sync() == [Sync(-1, 0, 0)]
    session = wim.wire.link.session
    assert session.notify(BoardChosen(26, 2)) == ()


# --- without words ----------------------------------------------------------------------------------------------------


@every_dialect
def test_game_that_is_broken_off_is_followed_by_an_empty_board(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    ann.draw("h 0 0")
    bob.heard()
    room = world.tables[0].lobby
    assert room is not None

    def stop() -> None:
        room.stop()
        room.settle()

    world.house.enter(lambda: world.hub.at_once(stop))
    world.run()
    assert ann.heard() == [WantOptions()]
    assert bob.heard() == []
    empty = Sync(0, 0, 0, bytes(2), bytes(2), b"\xff")
    assert ann.choose(2, 2) == [Options(2, 2), empty, WantMove()]
    assert bob.heard() == [Options(2, 2), empty]
    assert ann.draw("h 0 0") == [Answer(0)]


def test_who_sat_at_a_game_that_is_broken_off_wants_the_next_one() -> None:
    world = World()
    ann, bob = two(world, FOUR, 2, 2)
    wim = Peer.arriving(world, FOUR, "wim", Watch(world.tables[0].id))
    broken = Record(99, 0.0, Finished((), (0, 0), Reason.ABANDONED))
    for peer in (ann, bob):
        assert peer.wire.link.session.notify(broken) == (Do(Ready(True)),)
    assert wim.wire.link.session.notify(broken) == ()
    begun = Record(100, 0.0, Started("x", {}))
    board = spell.sync(Sync(0, 0, 0, bytes(2), bytes(2), b"\xff"))
    assert ann.wire.link.session.notify(begun) == (board + spell.WANT_MOVE,)
    assert wim.wire.link.session.notify(begun) == (board,)


def test_news_without_words_is_not_told() -> None:
    world = World()
    ann, _ = two(world, YEAR2000, 2, 2)
    session = ann.wire.link.session
    assert isinstance(session, DotsSession)
    user = session.user
    assert isinstance(user, User)
    for told in (Announced("start-off"), Said("bob", 1, "hello"), UserCame(user)):
        assert session.notify(told) == ()
    assert session.notify(Kicked("why")) == (Close(),)
    assert DotsSession(FOUR).notify(Record(1, 0.0, Finished((), (0, 0), Reason.PLAYED_OUT))) == ()


def test_every_refusal_of_a_line_has_a_status_and_other_refusals_have_none() -> None:
    assert set(REFUSALS.values()) == {-1, -2, -3, -4}
    session = DotsSession(YEAR2000)
    for why in Refusal:
        assert session.notify(Declined(SetBoard(3, 3), why)) == ()
        assert session.notify(Declined(Ready(True), why)) == ()


def test_two_tables_do_not_hear_each_other() -> None:
    world = World()
    ann, bob = two(world, FOUR, 2, 2)
    cid, dan = two(world, FOUR, 2, 2)
    play(ann, bob, 2, 2)
    assert cid.heard() == dan.heard() == []
    assert len(world.tables) == 2
