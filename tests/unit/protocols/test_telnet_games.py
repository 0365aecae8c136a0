"""Whole games with people of this wire: against each other, against other wires, and in rooms and zones."""

from random import Random

import pytest

from parlour.core.game import NOBODY
from parlour.core.table.table import Table
from parlour.core.words import Finished
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.dialect import YEAR2000
from parlour.protocols.telnet import sentences
from parlour.registry import games
from tests.browsers import Browser
from tests.ggz import OPEN, Person
from tests.hosts import kick, people
from tests.netdot import Client, Lan
from tests.unit.protocols.ggzdots_peer import Peer
from tests.unit.protocols.meeting import Screen, spelled
from tests.unit.protocols.telnet_terminal import Terminal
from tests.visitor import Meeting, Visitor, meet
from tests.wires.transcripts import randomly_cut
from tests.world import World

RESULTS = {"You won.": "won", "You lost.": "lost", "You drew.": "draw", "The game is broken off.": "aborted"}


def results(lines: list[str]) -> list[str]:
    return [RESULTS[line[2:]] for line in lines if line[2:] in RESULTS]


def verdicts(world: World) -> list[tuple[int, ...]]:
    """Who won the games in the log."""
    return [record.event.winners for _, record in world.store.log if isinstance(record.event, Finished)]


# --- every game -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sorted(games()))
@pytest.mark.parametrize("opponent", ["easy", "link", "anyone"])
def test_whole_games_are_played_by_lines_that_arrive_in_any_pieces(game: str, opponent: str) -> None:
    for seed in range(4):
        rng = Random(f"{game} {opponent} {seed}")
        world = World(seed)
        ann, ben = Terminal(world, "Ann"), Terminal(world, "Ben")
        lines = {"Ann": ann.write(f"new {game}{' width=4 height=3' if game == 'dots' else ''} against {opponent}")}
        if opponent != "easy":
            line = f"sit {world.tables[0].id}" if opponent == "link" else lines_of(game)
            lines["Ben"] = ben.write(line)
        (table,) = world.tables
        while table.running:
            assert table.position is not None
            member = table.seats[table.position.turn]
            assert member is not None
            terminal = ann if member.name == "Ann" else ben
            move = rng.choice(table.position.legal())
            for piece in randomly_cut(f"{move.upper()}\r\n".encode(), rng):
                terminal.wire.send(piece)
            for name, each in (("Ann", ann), ("Ben", ben)):
                lines.setdefault(name, []).extend(each.heard())
            assert any(f"* {member.name} plays {move}." in line for line in lines[member.name])
        (winners,) = verdicts(world)
        for seat, player in enumerate(table.party.cast):
            if player.is_person:
                expected = "draw" if not winners else "won" if seat in winners else "lost"
                assert results(lines[player.name]) == [expected]


def lines_of(game: str) -> str:
    return f"new {game}{' width=4 height=3' if game == 'dots' else ''} against anyone"


# --- other wires, through the queue -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "game", "keys"),
    [
        ("nettoe", "noughts", {"opponent": "human"}),
        ("c4n", "connect4", {"opponent": "human"}),
        ("c4n", "connect4 columns=5 rows=4", {"opponent": "human", "size": "5x4"}),
        ("glendy", "glenda", {"opponent": "human", "walls": "3 3"}),
        ("ggz-dots", "dots width=3 height=3", {"opponent": "human"}),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_person_meets_whoever_waits_on_another_wire(wire: str, game: str, keys: dict[str, str], first: bool) -> None:
    for seed in range(3):
        rng = Random(seed)
        world = World(seed)
        other = Visitor(wire, rng.choice, query={"size": "3x3"} if wire == "ggz-dots" else None)
        ann = Terminal(world, "Ann")
        lines: list[str] = []
        meeting = Meeting(world)
        if first:
            lines += ann.write(f"new {game} against anyone")
        meeting.enter(other, world.connect(wire, **keys))
        for _ in range(12):
            meeting.step()
            world.advance(0.1)
        if not first:
            lines += ann.write(f"new {game} against anyone")
        for _ in range(4000):
            lines += ann.heard()
            (table,) = world.tables or (None,)
            if other.results or table is None:
                break
            position = table.position
            if table.running and position is not None and table.seats[position.turn].name == "Ann":  # type: ignore[union-attr]
                lines += ann.write(rng.choice(position.legal()))
            elif not meeting.step():
                world.advance(0.1)
                other.advance(0.1)
        for _ in range(20):
            meeting.step()
            lines += ann.heard()
        assert sorted((*results(lines), *other.results)) in (["lost", "won"], ["draw", "draw"])
        moves = [line for line in lines if " plays " in line]
        assert len(moves) == sum(type(record.event).__name__ == "Played" for _, record in world.store.log)


# --- rooms of NetDot --------------------------------------------------------------------------------------------------


def sit(lan: Lan, name: str = "Ann") -> Terminal:
    """A person of our wire in the room."""
    terminal = Terminal(lan.world, name)
    terminal.write(f"sit {lan.world.tables[0].id}")
    return terminal


def play(table: Table, ann: Terminal, netdot: Client, rng: Random) -> list[str]:
    """To the end; returns what Ann reads."""
    lines: list[str] = []
    while table.running:
        assert table.position is not None
        move = rng.choice(table.position.legal())
        if table.seats[table.position.turn].name == "Ann":  # type: ignore[union-attr]
            lines += ann.write(move)
        else:
            netdot.say(spelled(netdot.dialect, move))
            lines += ann.heard()
    return lines


@pytest.mark.parametrize("dialect", ["1", "2", "beta", "3"])
def test_whole_game_in_a_room_of_netdot(dialect: str) -> None:
    for seed in range(3):
        lan = Lan(size="3x3", ready="2")
        netdot = lan.join(dialect, "Ned")
        ann = sit(lan)
        lan.world.advance(4)
        assert any(line.startswith("A game of Dots and boxes begins: ") for line in ann.told())
        table = lan.world.tables[0]
        lines = play(table, ann, netdot, Random(seed))
        assert sum(" plays " in line for line in lines) == len(table.moves)
        assert len(results(lines)) == 1
        lan.check()
        ann.write("leave")
        assert netdot.gone is False


def test_lobby_is_told_in_sentences() -> None:
    lan = Lan(features="chat,vote")
    lan.join("3", "Ned", ready=False)
    ann = sit(lan)
    lan.join("3", "Lea", ready=False)
    ned, lea = lan.clients
    assert ann.told() == ["Lea comes in."]
    ned.say("game-ready")
    lea.say("user-name Mia")
    assert ann.told() == ["Ned is ready.", "Lea is now called Mia."]
    lea.say("vote-request restart")
    assert ann.told() == ["Mia calls a vote for a game. Write yes or no."]
    ann.write("no")
    ned.say("vote-no")
    assert ann.told() == ["Vote failed: start a new game."]
    ned.say(
        f"vote-request kick {next(m.id for m in lan.world.tables[0].party.members.values() if m.name == 'Mia')} bye"
    )
    assert ann.told() == ["Ned calls a vote for sending Mia away. Write yes or no."]
    ned.say("vote-yes")
    assert ann.write("yes") == ["* Vote passed: kick Mia.", "* Mia was sent away."]
    ned.say("vote-request disable chat")
    ann.write("yes")
    ned.say("vote-yes")
    assert "chat is switched off." in [line.removeprefix("* ") for line in ann.heard()]
    assert ann.refused("say hello") == "Chat is switched off here."
    ned.say("network-disconnect")
    assert ann.told() == ["Ned has gone."]


def test_person_is_ready_or_not_and_asks_for_a_game() -> None:
    lan = Lan(start="ask", features="chat,vote")
    ned = lan.join("3", "Ned")
    ann = sit(lan)
    assert ann.write("no") == ["* Ann is not ready."]
    assert ann.write("yes") == ["* Ann is ready."]
    ned.say("request-start")
    assert ann.told() == ["Ned wants to start."]
    assert ann.write("rematch") == [
        "* Ann wants to start.",
        "* A game of Dots and boxes begins: Ned and Ann. It is Ned's turn.",
    ]
    assert ann.write("resign")[0] == "* Ann resigns."
    lan.check()


def test_watcher_of_a_room_comes_in_and_is_no_longer_in_two_places() -> None:
    lan = Lan(ready="2")
    ned = lan.join("3", "Ned")
    eve = Terminal(lan.world, "Eve")
    table = lan.world.tables[0]
    assert eve.write(f"watch {table.id}")[0].startswith("* You are watching table ")
    ned.heard()
    assert eve.write("sit")[0].startswith("* You are at table ")
    assert [member.name for member in table.party.members.values()] == ["Ned", "Eve"]
    assert not table.audience
    assert "network-add 2" in "\n".join(ned.heard())
    kick(lan.world, next(person for person in people(lan.world) if person.who.name == "Eve"), "Enough")
    assert eve.told()[-1] == "You have been sent away: Enough"


# --- tables of GGZ, bare and in the zone ------------------------------------------------------------------------------


def draw(table: Table, ann: Terminal, screen: Screen, rng: Random) -> list[str]:
    lines: list[str] = []
    while table.running:
        assert table.position is not None
        move = rng.choice(table.position.legal())
        screen.look()
        if table.seats[table.position.turn].name == "Ann":  # type: ignore[union-attr]
            lines += ann.write(move)
        else:
            screen.draw(move)
            lines += ann.heard()
        screen.look()
        assert screen.position.scores() == table.position.scores()
    return lines


def test_two_games_at_a_table_of_the_bare_door() -> None:
    world = World()
    peer = Peer(world, YEAR2000)
    screen = Screen(peer)
    ann = Terminal(world, "Ann")
    table = world.tables[0]
    ann.write(f"sit {table.id}")
    peer.wire.send(dots.choose(3, 2))
    assert ann.told()[0] == "Player 1 has chosen the board: width=3, height=2, players=2."
    lines = draw(table, ann, screen, Random(1))
    assert lines[-1] == f"* {sentences.AGAIN}"
    assert ann.write("yes") == ["* Ann is ready."], "the board that is there will do"
    peer.wire.send(dots.NEW_GAME)
    assert ann.told()[0] == "Player 1 is ready."
    assert table.running
    assert len(results(draw(table, ann, screen, Random(2)))) == 1
    peer.wire.end_of_file()
    assert ann.told() == ["Player 1 has gone."]


@pytest.mark.parametrize("opens", ["ggz", "telnet"])
def test_whole_game_with_somebody_of_the_zone(opens: str) -> None:
    world = World()
    gus = Person(world, "Gus").arrive()
    ann = Terminal(world, "Ann")
    if opens == "ggz":
        gus.launch(OPEN)
        table = world.tables[0]
        ann.write(f"sit {table.id}")
        assert gus.channel is not None
        gus.channel.send(dots.choose(3, 3))
    else:
        ann.write("new dots width=3 height=3 against link")
        table = world.tables[0]
        gus.join(table.no)
    assert gus.channel is not None
    assert table.running
    lines = draw(table, ann, Screen(gus.channel), Random(4))
    assert len(results(lines)) == 1
    gus.channel.wire.end_of_file()
    assert "Gus has gone." in ann.told()


def test_player_who_leaves_a_table_of_two_chairs_is_waited_for() -> None:
    world = World()
    ann, ben, eve = (Terminal(world, name) for name in ("Ann", "Ben", "Eve"))
    ann.write("new dots width=3 height=3 against link")
    table = world.tables[0]
    ben.write(f"sit {table.id}")
    ann.write("h 0 0")
    ben.write("leave")
    assert ann.told() == [
        "Ben leaves the game.",
        "Ben has left the game. It goes on when someone takes the seat.",
        "Ben has gone.",
    ]
    assert ann.write("board")[-1] == f"* The game waits for a player: write sit {table.id}."
    assert eve.write(f"sit {table.id}")[-1] == "* Your turn."
    assert ann.told() == ["Eve comes in.", "Eve joins the game. It is Eve's turn."]


# --- browsers, and more than two --------------------------------------------------------------------------------------


def test_whole_game_with_a_browser_and_what_each_can_offer() -> None:
    world = World()
    ann = Terminal(world, "Ann")
    browser = Browser(world, "Web").open("connect4", "invite")
    table = world.tables[0]
    ann.write(f"sit {browser.table}")
    browser.say("offer", table=browser.table, what="draw")
    assert ann.told()[-1] == "Web offers a draw. Write yes or no."
    browser.play("0")
    assert "There is no draw." in ann.told()
    for column in (1, 0) * 3:
        if table.position.turn:  # type: ignore[union-attr]
            ann.write(str(column))
        else:
            browser.play(str(column))
    assert ann.told()[-3:] == [
        "Web wins.",
        "You lost.",
        "Another game? Write yes or no.",
    ]
    browser.say("rematch", table=browser.table, yes=True)
    assert ann.told() == ["Web wants another game."]
    assert ann.write("yes")[-1] == "* Your turn.", "the other begins this time"
    browser.wire.reset()
    assert ann.told() == ["Web has lost the connection and may come back."]
    world.advance(61)
    assert ann.told()[-1] == "The table is closed."


def test_four_who_want_the_same_meet_in_one_room() -> None:
    world = World()
    four = [Terminal(world, name) for name in ("Ann", "Ben", "Eve", "Dan")]
    for each in four:
        each.write("new dots players=4 width=3 height=3 against anyone")
    (table,) = world.tables
    world.advance(4)
    assert four[0].told()[-2:] == ["A game of Dots and boxes begins: Ann, Ben, Eve and Dan.", "Your turn."]
    four[0].write("h 0 0")
    four[1].write("leave")
    assert four[2].told()[-2:] == ["Your turn.", "Ben has gone."]
    four[2].write("resign")
    assert four[3].told()[-1] == "Your turn."
    assert table.running
    late = Terminal(world, "Late")
    late.write("new dots players=4 width=3 height=3 against anyone")
    assert world.tables == [table], "there is a place in this one"


def test_room_that_a_browser_opened_is_found() -> None:
    world = World()
    Browser(world, "Web").open("dots", "human", seats=3, options={"width": 3, "height": 3, "players": 3})
    ann = Terminal(world, "Ann")
    assert ann.write("new dots players=3 width=3 height=3 against anyone")[1] == "* Here is Web."


def test_room_without_a_place_is_for_those_who_watch() -> None:
    world = World()
    three = [Terminal(world, name) for name in ("Ann", "Ben", "Eve")]
    for each in three:
        each.write("new dots players=3 width=3 height=3 against anyone")
    table = world.tables[0].id
    late = Terminal(world, "Late")
    assert late.refused(f"sit {table}") == "Every seat at this table is taken."
    assert late.write(f"watch {table}")[1] == "* Here are Ann, Ben and Eve."
    assert late.refused("sit") == "Every seat at this table is taken."
    world.advance(4)
    three[1].write("leave")
    late.heard()
    assert late.write("sit")[0].startswith("* You are at table ")


def test_engines_fill_a_game_of_many() -> None:
    world = World()
    ann = Terminal(world, "Ann")
    ann.write("new dots players=3 width=2 height=2 against easy")
    world.advance(4)
    table = world.tables[0]
    while table.running and table.position is not None and table.position.turn != NOBODY:
        lines = ann.write(table.position.legal()[0])
    assert len(results(lines)) == 1


# --- our client -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["", *sorted(games())])
def test_our_client_and_our_door_agree_on_every_verdict(game: str) -> None:
    for seed in range(3):
        world = World(seed)
        wanted = iter((True, False))
        query = {"game": game} if game else {}
        visitor = Visitor("telnet", Random(seed).choice, lambda wanted=wanted: next(wanted), query=query)  # type: ignore[misc]
        meet(world, [(visitor, world.connect("telnet"))])
        assert len(visitor.results) == 2
        seats = [record.event for _, record in world.store.log]
        assert [bool(event.winners) for event in seats if isinstance(event, Finished)] == [
            result != "draw" for result in visitor.results
        ]
        assert visitor.closed


def test_two_of_our_clients_play_each_other() -> None:
    seen: set[str] = set()
    for seed in range(12):
        world, rng = World(seed), Random(seed)
        query = {"game": "connect4", "against": "anyone", "columns": "4", "rows": "4"}
        pair = [Visitor("telnet", rng.choice, query=query, name=name) for name in ("Ann", "Ben")]
        meet(world, [(each, world.connect("telnet")) for each in pair])
        (winners,) = verdicts(world)
        assert sorted(each.results[0] for each in pair) == (["lost", "won"] if winners else ["draw", "draw"])
        seen.update(each.results[0] for each in pair)
    assert seen >= {"won", "lost"}


def test_clients_of_two_wires_meet() -> None:
    for wire, game in (("nettoe", "noughts"), ("glendy", "glenda"), ("c4n", "connect4")):
        world, rng = World(), Random(wire)
        ours = Visitor("telnet", rng.choice, query={"game": game, "against": "anyone"})
        theirs = Visitor(wire, rng.choice)
        meet(world, [(ours, world.connect("telnet")), (theirs, world.connect(wire, opponent="human"))])
        assert sorted((*ours.results, *theirs.results)) in (["lost", "won"], ["draw", "draw"])
