"""Games of dots between NetDot and GGZ, on real wires: every line is seen by both, and both count the same."""

from random import Random

import pytest

from parlour.core.table.table import Table
from parlour.core.words import Finished, Reason, TakeChair, Titled
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.dialect import FOUR, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import Chair, GameOver, Players, Sync, WantOptions
from tests.ggz import Person
from tests.netdot import Client, Lan
from tests.unit.protocols.ggzdots_peer import Peer
from tests.unit.protocols.meeting import Screen, Sheet, agree, play, spelled
from tests.world import World

DIALECTS = ("1", "2", "beta", "3")
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def go_to(client: Client, table: Table) -> Sheet:
    """A NetDot user goes from the room of the door to this table, and sits down there."""
    client.witness.moving = True
    client.say(f"network-chat /join {table.id}")
    client.heard()
    client.witness.moving = False
    return Sheet(client).look()


@every_dialect
def test_who_comes_from_another_room_is_told_apart_by_colour(dialect: str) -> None:
    """Also where the colour brought along is somebody's already, and whoever comes later gets none that is taken."""
    lan = Lan(ready="3")
    first, second = lan.join(dialect), lan.join(dialect)
    _, table = in_bare_table(lan.world)
    go_to(first, table)
    go_to(second, table)
    lan.join("3").say(f"network-chat /join {table.id}")
    colours = [member.shown_colour for member in table.party.members.values()]
    assert len(set(colours)) == len(colours) == 4
    said = {line.split()[-1] for line in second.everything if line.startswith("player-color")}
    assert dialect not in ("1", "2") or {str(colour) for colour in colours[:2]} <= said


def in_bare_table(world: World) -> tuple[Peer, Table]:
    """Somebody alone at a table of the bare door, who is asked for the board."""
    peer = Peer(world, YEAR2000)
    return peer, world.tables[-1]


def won(table: Table) -> int:
    """As GGZ tells the end of this game."""
    assert table.result is not None
    return table.result.winners[0] if table.result.winners else 2


# --- a table of GGZ's -------------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("size", [(2, 2), (4, 3), (3, 6)])
def test_whole_game_at_a_table_of_the_bare_door(dialect: str, size: tuple[int, int]) -> None:
    lan = Lan()
    client = lan.join(dialect)
    peer, table = in_bare_table(lan.world)
    assert peer.heard()[-1] == WantOptions()
    sheet, screen = go_to(client, table), Screen(peer)
    assert not table.running
    peer.wire.send(dots.choose(*size))
    assert table.running, "no countdown: the board is all that was missing"
    agree(table, sheet, screen)
    play(table, sheet, screen, Random(str(size)))
    assert screen.winner == won(table)
    assert table.result is not None
    assert table.result.reason is Reason.PLAYED_OUT


@every_dialect
def test_next_game_is_on_the_board_that_ggz_chooses(dialect: str) -> None:
    lan = Lan()
    client = lan.join(dialect)
    peer, table = in_bare_table(lan.world)
    sheet, screen = go_to(client, table), Screen(peer)
    for number, size in enumerate([(2, 3), (5, 4), (2, 2), (3, 2)]):
        if number:
            assert peer.again()[-1] == WantOptions()
            assert not table.running
        peer.wire.send(dots.choose(*size))
        agree(table, sheet, screen)
        assert (sheet.grid.width, sheet.grid.height) == size
        play(table, sheet, screen, Random(number))
        assert screen.winner == won(table)
    assert table.number == 4


@every_dialect
def test_netdot_user_may_be_there_before_the_board_is_chosen_or_after(dialect: str) -> None:
    lan = Lan()
    client = lan.join(dialect)
    peer, table = in_bare_table(lan.world)
    peer.wire.send(dots.choose(3, 3))
    sheet, screen = go_to(client, table), Screen(peer)
    assert table.running, "the board was chosen already"
    agree(table, sheet, screen)
    play(table, sheet, screen, Random(7))


# --- a room of NetDot's -----------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("ggz", [YEAR2000, FOUR])
def test_ggz_player_sits_down_in_a_netdot_room(dialect: str, ggz: Dialect) -> None:
    lan = Lan(size="4x3")
    client = lan.join(dialect)
    sheet = Sheet(client).look()
    (table,) = lan.world.tables
    peer = Peer.arriving(lan.world, ggz, "gina", TakeChair(table.id, most=25))
    screen = Screen(peer)
    assert table.running, "at once, on the room's board"
    agree(table, sheet, screen)
    assert not any("starts in" in line for line in client.everything)
    play(table, sheet, screen, Random(3))
    assert screen.winner == won(table)


@pytest.mark.parametrize("size", ["26x2", "8x26", "50x50"])
def test_board_that_ggz_cannot_say_is_not_for_ggz(size: str) -> None:
    lan = Lan(size=size)
    lan.join("2")
    (table,) = lan.world.tables
    peer = Peer.arriving(lan.world, FOUR, "gina", TakeChair(table.id, most=25))
    assert peer.heard() == []
    assert not table.party.chairs
    assert len(table.party.members) == 1


def test_room_with_two_players_is_not_for_ggz() -> None:
    lan = Lan()
    clients = [lan.join("2"), lan.join("3", "Ann")]
    (table,) = lan.world.tables
    Peer.arriving(lan.world, FOUR, "gina", TakeChair(table.id, most=25))
    assert len(table.party.members) == 2
    clients[1].say("game-notready")
    Peer.arriving(lan.world, FOUR, "hal", TakeChair(table.id, most=25))
    assert table.running
    assert [member.name for member in table.party.cast] == ["User 1", "hal"]


@every_dialect
def test_room_is_an_ordinary_one_again_when_ggz_has_gone_between_games(dialect: str) -> None:
    lan = Lan(size="2x2", ready="2")
    client = lan.join(dialect)
    sheet = Sheet(client).look()
    (table,) = lan.world.tables
    peer = Peer.arriving(lan.world, FOUR, "gina", TakeChair(table.id, most=25))
    play(table, sheet, Screen(peer), Random(1))
    peer.wire.end_of_file()
    assert not table.party.chairs
    assert len(table.party.members) == 1
    others = [lan.join("2"), lan.join("3", "Cid")]
    lan.world.advance(5)
    assert table.running
    assert len(table.players()) == 3, "as many as are ready, after a countdown"
    lan.heard()
    assert any("The game starts in 1." in line for line in others[0].everything)


# --- an empty seat ----------------------------------------------------------------------------------------------------


def started(lan: Lan, dialect: str) -> tuple[Table, Sheet, Peer, Screen]:
    """A game on 3x3 between a NetDot user, who is seat 0, and gina, with four lines drawn and a box closed by each."""
    lan.keys["size"] = "3x3"
    client = lan.join(dialect)
    sheet = Sheet(client).look()
    (table,) = lan.world.tables
    peer = Peer.arriving(lan.world, FOUR, "gina", TakeChair(table.id, most=25))
    screen = Screen(peer).look()
    for move in ("h 0 0", "h 1 0", "v 0 0", "v 2 0", "v 1 0", "h 0 1"):
        table_turn(table, sheet, screen, move)
    return table, sheet, peer, screen


def table_turn(table: Table, sheet: Sheet, screen: Screen, move: str) -> None:
    assert table.position is not None
    seat = table.seats[table.position.turn]
    assert seat is not None
    if seat.who is sheet.client.wire.link.participant:
        sheet.client.say(spelled(sheet.client.dialect, move))
    else:
        screen.draw(move)
    agree(table, sheet, screen)


@every_dialect
@pytest.mark.parametrize("whose", [0, 1])
def test_seat_of_a_leaver_waits_and_the_netdot_user_is_told(dialect: str, whose: int) -> None:
    lan = Lan()
    table, sheet, peer, screen = started(lan, dialect)
    if table.position is not None and table.position.turn != whose:
        table_turn(table, sheet, screen, "v 0 1")
    assert isinstance(table.position, DotsPosition)
    assert table.position.turn == whose
    turn = sheet.turn
    peer.wire.end_of_file()
    said = sheet.client.heard()
    assert any("gina has left the game. It goes on when someone takes the seat." in line for line in said)
    assert not any(line.startswith(("game-stop", "game-current", "network-assign", "network-busy")) for line in said)
    sheet.look()
    assert sheet.turn == turn, "nobody gets the turn of somebody who is not there"
    drawn = len(table.moves)
    answer = sheet.client.answer(spelled(dialect, "h 0 2"))
    expected = "It is not your turn." if whose else "The other seat is empty: the game waits until someone takes it."
    assert answer == [f"info-warn {expected}"]
    assert len(table.moves) == drawn
    assert table.running


@every_dialect
@pytest.mark.parametrize("whose", [0, 1])
def test_somebody_else_takes_the_seat_and_the_game_goes_on(dialect: str, whose: int) -> None:
    lan = Lan()
    table, sheet, peer, screen = started(lan, dialect)
    if table.position is not None and table.position.turn != whose:
        table_turn(table, sheet, screen, "v 0 1")
    peer.wire.reset()
    sheet.look()
    before = sheet.scores(table)
    heir = Peer.arriving(lan.world, FOUR, "hal", TakeChair(table.id, most=25))
    second = Screen(heir).look()
    assert any(isinstance(message, Sync) for message in second.everything)
    assert table.position is not None
    assert second.position.scores() == table.position.scores()
    sheet.look()
    assert sorted(sheet.drawn) == sorted(table.moves)
    if dialect != "beta":
        assert sheet.scores(table) == table.position.scores(), "boxes of the seat are the heir's"
    else:
        assert sum(sheet.grid.score(user) for user in sheet.grid.owners()) == sum(before), "boxes keep their colour"
    while table.running:
        seat = table.seats[table.position.turn]
        assert seat is not None
        move = table.position.legal()[0]
        if seat.who is sheet.client.wire.link.participant:
            assert dialect == "1" or sheet.look().turn == table.party.cast[table.position.turn].id
            sheet.client.say(spelled(dialect, move))
        else:
            second.look().draw(move)
        assert sorted(sheet.look().drawn) == sorted(table.moves)
        assert second.look().position.scores() == table.position.scores()
    assert table.result is not None
    assert table.result.reason is Reason.PLAYED_OUT
    assert second.winner == won(table)


def test_heir_without_boxes_has_the_lines_of_the_seat() -> None:
    """In 2.0 they were left to somebody called Disconnected."""
    lan = Lan(size="3x3")
    sheet = Sheet(lan.join("2")).look()
    (table,) = lan.world.tables
    peer = Peer.arriving(lan.world, FOUR, "gina", TakeChair(table.id, most=25))
    screen = Screen(peer).look()
    for move in ("h 0 0", "h 0 2", "v 0 0"):
        table_turn(table, sheet, screen, move)
    peer.wire.reset()
    heir = Peer.arriving(lan.world, FOUR, "hal", TakeChair(table.id, most=25))
    Screen(heir).look()
    owners = set(table.party.members)
    assert set(sheet.look().grid._lines.values()) == owners
    assert sorted(sheet.drawn) == sorted(table.moves)


@every_dialect
@pytest.mark.parametrize("whose", [0, 1])
def test_netdot_user_takes_the_seat_of_a_ggz_player(dialect: str, whose: int) -> None:
    """Also in mid-game, through the door or by /join: the newcomer gets the board as it stands."""
    lan = Lan()
    client = lan.join(dialect)
    peer, table = in_bare_table(lan.world)
    other = Peer(lan.world, YEAR2000)
    peer.wire.send(dots.choose(3, 3))
    first, second = Screen(peer).look(), Screen(other).look()
    for move in ("h 0 0", "h 1 0", "v 0 0", "v 2 0", "v 1 0", "h 0 1", "v 0 1")[: 6 + whose]:
        assert table.position is not None
        (first, second)[table.position.turn].draw(move)
        first.look()
        second.look()
    other.wire.end_of_file()
    assert table.running
    sheet = go_to(client, table)
    assert client.wire.link.participant is not None
    assert client.wire.link.participant.seat == 1
    agree(table, sheet, first)
    play(table, sheet, first, Random(5))
    assert first.winner == won(table)


def test_empty_seat_can_be_taken_through_the_door() -> None:
    for dialect in DIALECTS:
        lan = Lan()
        table, _, peer, screen = started(lan, "3")
        netdot = lan.clients[0]
        netdot.wire.end_of_file()
        heir = lan.join(dialect)
        assert heir.wire.link.participant is not None
        assert heir.wire.link.participant.seat == 0
        sheet = Sheet(heir).look()
        agree(table, sheet, screen)
        play(table, sheet, screen, Random(2))
        assert screen.winner == won(table)
        assert peer.heard() == []


@every_dialect
def test_one_who_is_left_alone_may_stop_the_game(dialect: str) -> None:
    lan = Lan()
    table, sheet, peer, _ = started(lan, dialect)
    peer.wire.end_of_file()
    said = sheet.client.answer("network-chat /stop")
    assert "game-stop" in said
    assert not table.running
    assert not table.party.chairs
    lan.join("2")
    lan.start()
    assert table.running
    assert sheet.client.heard()[-1].startswith(("game-start", "game-current"))


def test_user_of_3_0_leaves_the_game_and_comes_back_to_it() -> None:
    lan = Lan()
    table, sheet, peer, screen = started(lan, "3")
    said = sheet.client.answer("game-leave")
    assert "game-leave 1" in said
    assert table.running
    assert Players((Chair(1), Chair(3, "gina"))) in peer.heard()
    said = sheet.client.answer("game-join")
    assert said[:2] == ["game-start", "game-join 1"], "the board once more, with the boxes of the seat"
    assert said[-1].startswith("game-current")
    screen.look()
    play(table, sheet.look(), screen, Random(4))
    assert screen.winner == won(table)


def test_vote_neither_stops_nor_restarts_a_game_of_ggz() -> None:
    lan = Lan(features="chat,vote")
    table, sheet, peer, _ = started(lan, "3")
    drawn = len(table.moves)
    assert sheet.client.answer("vote-request lobby") == ["info-warn That cannot be voted on."]
    sheet.client.say("vote-request restart", "vote-yes")
    assert any("Both players at this table must want a new game." in line for line in sheet.client.heard())
    assert (table.number, len(table.moves)) == (1, drawn)
    assert peer.heard() == []


def test_size_is_agreed_on_by_both_so_netdot_alone_does_not_change_it() -> None:
    lan = Lan()
    table, sheet, _, screen = started(lan, "2")
    sheet.client.say("network-chat /size 5 5", "network-chat /stop", "network-chat /start", "network-chat /bots 2")
    play(table, sheet.look(), screen, Random(4))
    board = table.game.board(table.party.board)
    assert (board, table.number, len(table.party.members)) == ((3, 3), 1, 2)


# --- what is listed ---------------------------------------------------------------------------------------------------


def test_tables_for_two_are_listed_with_title_and_free_chairs() -> None:
    lan = Lan(size="3x3")
    ann = lan.join("2")
    peer, table = in_bare_table(lan.world)
    titled = iter((Titled("come in"),))
    lan.world.house.enter(lambda: lan.world.hub.at_once(lambda: lan.world.hub.perform(table, titled)))
    home = lan.world.tables[0]
    listed = [
        f"network-chat -3 {home.id}: 3x3, 1 here, in the lobby, you are here",
        f"network-chat -3 {table.id}: 8x8, 1 here, in the lobby, 1 free chair: come in",
    ]
    assert ann.answer("network-chat /tables") == listed
    other = Peer(lan.world, YEAR2000)
    peer.choose(4, 4)
    assert ann.answer("network-chat /tables")[1].endswith("4x4, 2 here, playing, no free chairs: come in")
    other.wire.end_of_file()
    assert ann.answer("network-chat /tables")[1].endswith("4x4, 1 here, waiting for a player, 1 free chair: come in")


def test_user_without_a_chair_watches_until_one_is_free() -> None:
    lan = Lan(size="3x3")
    ann = lan.join("2")
    peer, table = in_bare_table(lan.world)
    other = Peer(lan.world, YEAR2000)
    peer.choose(3, 3)
    sheet = go_to(ann, table)
    assert [member.seat for member in table.party.members.values()] == [0, 1, None]
    agree(table, sheet, Screen(peer))
    other.wire.end_of_file()
    assert [member.seat for member in table.party.members.values()] == [0, 1]
    assert ann.answer("game-play 0,0 hor") == ["info-warn It is not your turn."]
    assert not any("wait for whoever comes next" in line for line in ann.everything)


# --- through the zone -------------------------------------------------------------------------------------------------


@every_dialect
def test_game_in_a_netdot_room_that_the_zone_lists(dialect: str) -> None:
    lan = Lan(size="4x3")
    client = lan.join(dialect)
    (table,) = lan.world.tables
    gina = Person(lan.world, "gina").arrive()
    gina.heard()
    assert gina.knows == {1}, "the room is listed"
    gina.join(1)
    sheet, screen = Sheet(client).look(), Screen(gina.game)
    assert table.running
    agree(table, sheet, screen)
    play(table, sheet, screen, Random(8))
    assert screen.winner == won(table)
    gina.game.send(dots.NEW_GAME).send(dots.choose(2, 2))
    agree(table, sheet, screen)
    play(table, sheet, screen, Random(9))
    assert GameOver(won(table)) in gina.game.everything


@every_dialect
def test_game_at_a_table_that_was_launched_in_the_zone(dialect: str) -> None:
    lan = Lan()
    client = lan.join(dialect)
    gina = Person(lan.world, "gina").arrive().launch(about="for all")
    table = lan.world.tables[-1]
    screen = Screen(gina.game)
    sheet = go_to(client, table)
    gina.game.send(dots.choose(3, 3))
    agree(table, sheet, screen)
    play(table, sheet, screen, Random(8))
    assert screen.winner == won(table)
    gina.leave()
    assert not table.party.chairs, "an ordinary room of whoever is left"


def test_what_is_said_at_the_table_is_heard_on_both_wires() -> None:
    lan = Lan()
    client = lan.join("2")
    gina = Person(lan.world, "gina").arrive().join(1)
    client.say("network-chat hello")
    assert any("hello" in element.text for element in gina.heard() if element.tag == "CHAT")
    gina.say(b"<CHAT TYPE='table'>good day</CHAT>\n")
    assert client.heard()[-1] == "network-chat 2 good day"


def test_log_of_a_game_with_an_heir_ends_played_out() -> None:
    lan = Lan()
    table, sheet, peer, _ = started(lan, "2")
    peer.wire.end_of_file()
    heir = Screen(Peer.arriving(lan.world, FOUR, "hal", TakeChair(table.id, most=25)))
    play(table, sheet.look(), heir.look(), Random(6))
    ends = [record.event for _, record in lan.world.store.log if isinstance(record.event, Finished)]
    assert [end.reason for end in ends] == [Reason.PLAYED_OUT]
    assert ends[0].scores == sheet.scores(table)
