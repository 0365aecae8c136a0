"""Our telnet door: the greeting, every word in every place, limits, and what is never sent."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.house.hosting import Hosting
from parlour.core.session import Close
from parlour.core.updates import Announced, Evicted
from parlour.languages import sentence
from parlour.protocols.telnet import PROTOCOL, sentences
from parlour.protocols.telnet.phases import WORDS, Phase, rendered
from parlour.protocols.telnet.server import REFUSALS
from parlour.registry import games
from tests.browsers import Browser
from tests.conftest import ROOT
from tests.hosts import act, mute
from tests.unit.protocols.telnet_terminal import Nim, Terminal
from tests.world import FakeAccounts, World

NO_TIMING_MARK = b"\xff\xfc\x06"


def pair(world: World, game: str = "noughts") -> tuple[Terminal, Terminal]:
    """Ann, who begins, and Ben."""
    ann, ben = Terminal(world, "Ann"), Terminal(world, "Ben")
    ann.write(f"new {game} against link")
    ben.write(f"sit {world.tables[-1].id}")
    ann.heard()
    return ann, ben


# --- greeting, lines and prompts --------------------------------------------------------------------------------------


def test_greeting_is_one_line_and_a_prompt() -> None:
    wire = World().connect("telnet")
    assert wire.take_writes() == [b"Welcome to Parlour. You are Guest 1. Write help for a list of commands.\r\n> "]


def test_greeting_has_the_words_of_the_host() -> None:
    world = World()
    assert Terminal(world, motd="Hello\x1b at the {club}.").greeting == [
        "Hello at the {club}. You are Guest 1. Write help for a list of commands."
    ]
    assert Terminal(world, motd="").greeting == ["You are Guest 2. Write help for a list of commands."]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\0"])
def test_lines_end_as_those_of_the_person_and_a_prompt_is_alone_on_its_line(end: bytes) -> None:
    world = World()
    wire = world.connect("telnet")
    wire.take()
    wire.send(b"name Ann" + end)
    world.advance(0.15)
    answer = b"\n* You are Ann.\n> "
    assert wire.take() == (answer if end == b"\n" else answer.replace(b"\n", b"\r\n"))
    wire.send(end)
    world.advance(0.15)
    assert wire.take() == (b"\n> " if end == b"\n" else b"\r\n> ")
    world.advance(5)
    assert wire.take() == b""


def test_lines_written_together_are_answered_together() -> None:
    world = World()
    wire = world.connect("telnet")
    wire.take()
    wire.send(b"name Ann\nname Ben\nfrobnicate\n")
    world.advance(0.15)
    assert wire.take() == b"\n* You are Ann.\n* You are Ben.\n? There is no such command: write help.\n> "


def test_what_happens_together_is_told_before_one_prompt() -> None:
    world = World()
    ann, ben = pair(world, "connect4")
    for column in "010101":
        (ben if column == "1" else ann).write(column)
    ann.heard()
    ann.write("0")
    text = ben.wire.take().decode()
    assert text.count("> ") == 1
    assert text.startswith("\n* Ann plays 0.\n   0  1  2")
    assert text.endswith("* You lost.\n* Another game? Write yes or no.\n> ")


def test_telnet_is_not_answered_but_for_the_mark_that_its_client_waits_for() -> None:
    world = World()
    wire = world.connect("telnet")
    wire.take()
    window = b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x0a\xff\xf0"
    wire.send(b"\xff\xfd\x01\xff\xfd\x03" + window + b"\xff\xf6\xff\xfc\x06\xff\xfe\x06" * 5)
    world.advance(1)
    assert wire.take() == b""
    wire.send(b"\xff\xf4\xff\xfd\x06")
    assert wire.take() == NO_TIMING_MARK
    wire.send(b"na" + window + b"me Ann\r\n")
    world.advance(0.15)
    assert wire.take() == b"\r\n* You are Ann.\r\n> "


def test_line_that_is_too_long_is_refused_once_and_no_part_of_it_obeyed() -> None:
    world = World()
    ann = Terminal(world)
    for piece in (b"say " + b"x" * 2000, b"y" * 2000, b"quit\r\n"):
        ann.wire.send(piece)
    assert ann.heard() == ["? That line is too long."]
    assert ann.write("name Ann") == ["* You are Ann."]


# --- words ------------------------------------------------------------------------------------------------------------


def test_help_names_every_word() -> None:
    ann = Terminal(World())
    lines = ann.write("help")
    assert [line.partition(":")[0] for line in lines[:-1]] == [word.usage for word in WORDS.values()]
    assert ann.write("help NEW") == [line for line in lines if line.startswith("new ")]
    assert ann.refused("help chess") == "There is no such command: write help."


@pytest.mark.parametrize("phase", [Phase.FREE, Phase.WAITING, Phase.TABLE])
def test_word_that_makes_no_sense_here_is_refused_with_one_line(phase: Phase) -> None:
    for word, known in WORDS.items():
        ann = Terminal(World())
        if phase is not Phase.FREE:
            ann.write("new noughts against " + ("anyone" if phase is Phase.WAITING else "easy"))
        assert ann.wire.link.session.phase is phase
        if phase not in known.phases:
            assert ann.refused(word) == sentences.NOT_HERE[phase]
        else:
            assert sentences.NOT_HERE[phase] not in "".join(ann.write(word))


@pytest.mark.parametrize(
    "line",
    [
        "new",
        "new connect4 easy",
        "new connect4 against",
        "new connect4 against me",
        "new connect4 against easy now",
        "name",
        "sit",
        "sit a b",
        "sit a 1 2",
        "watch",
        "games all",
        "quit now",
    ],
)
def test_word_that_is_used_wrongly_is_answered_by_how_it_is_used(line: str) -> None:
    assert Terminal(World()).refused(line) == f"It is: {WORDS[line.split()[0]].usage}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("new chess", Refusal.NO_SUCH_GAME),
        ("new connect4 columns=99", Refusal.BAD_OPTIONS),
        ("new connect4 colour=red", Refusal.BAD_OPTIONS),
        ("new connect4 seat=2", Refusal.BAD_OPTIONS),
        ("new connect4 seat=-1", Refusal.BAD_OPTIONS),
        ("new dots players=3 seat=1", Refusal.BAD_OPTIONS),
        ("sit nowhere", Refusal.NO_SUCH_TABLE),
        ("watch nowhere", Refusal.NO_SUCH_TABLE),
        ("name parlour", Refusal.BAD_NAME),
        ("name Parlour (easy)", Refusal.BAD_NAME),
        ("name DELETED", Refusal.BAD_NAME),
    ],
)
def test_refusal_is_one_line_that_says_why(line: str, why: Refusal) -> None:
    assert Terminal(World()).refused(line) == sentence(why)


def test_every_refusal_is_a_line_of_its_own() -> None:
    assert all(text.startswith("? ") and text.isprintable() and len(text) > 5 for text in REFUSALS.values())


def test_words_may_be_written_in_capitals_and_with_blanks() -> None:
    ann = Terminal(World())
    assert ann.write("  NAME   Ann  Other ") == ["* You are Ann  Other."]
    assert ann.write("New CONNECT4 Against EASY")[0].startswith("* You are at table ")


def test_games_are_those_of_the_house() -> None:
    world = World()
    assert [line.partition(":")[0] for line in Terminal(world).write("games")] == list(games())
    world.hub.games = {**games(), "nim": Nim()}
    assert Terminal(world).write("games")[-1] == (
        "nim: Nim, 2 players; seat=soft. Take the last stone."
        " Moves such as no, back: no, yes and back take one, two and three stones."
    )
    assert Terminal(world).write("help Nim") == Terminal(world).write("games")[-1:]


def test_tables_are_listed_with_who_is_there_but_not_those_for_invited_people() -> None:
    world = World()
    ann, ben, eve = Terminal(world, "Ann"), Terminal(world, "Ben"), Terminal(world, "Eve")
    assert eve.write("tables") == [sentences.NO_TABLES]
    ann.write("new connect4 against easy")
    ben.write("new noughts against link")
    first, second = world.tables
    assert eve.write("tables") == [f"{first.id}: Connect Four; columns=7, rows=6; playing; Ann and Parlour (easy)"]
    assert ben.write("tables")[1] == f"{second.id}: Tic-tac-toe; waiting; Ben; a seat is free; you are here"


def test_long_list_of_tables_is_cut() -> None:
    world = World()
    people = [Terminal(world) for _ in range(103)]
    for each in people:
        each.write("new noughts")
    lines = people[0].write("tables")
    assert lines[0] == "103 tables, of which these are the newest:"
    assert [line.partition(":")[0] for line in lines[1:]] == [table.id for table in world.tables[3:]]


@pytest.mark.parametrize("game", sorted(games()))
@pytest.mark.parametrize("level", ["", " against easy"])
def test_one_line_is_enough_to_play_any_game(game: str, level: str) -> None:
    world = World()
    ann = Terminal(world, level="hard")
    lines = ann.write(f"new {game}{level}")
    assert lines[-1] == "* Your turn."
    opponent = world.tables[0].seats[1]
    assert opponent is not None
    assert opponent.level == ("easy" if level else "hard")
    assert any(line.startswith("* A game of") for line in lines)
    assert ann.write(world.tables[0].position.legal()[0])[0].startswith("* Guest 1 plays ")  # type: ignore[union-attr]


def test_options_may_have_blanks_and_a_seat_may_be_chosen() -> None:
    world = World()
    ann = Terminal(world)
    ann.write("new glenda walls=0 0;3 4 seat=1 against easy")
    table = world.tables[0]
    assert table.settled["walls"] == "0 0;3 4"
    assert table.seats[1].name == "Guest 1"  # type: ignore[union-attr]


def test_seat_is_an_option_of_a_game_that_has_one() -> None:
    world = World()
    world.hub.games = {**games(), "nim": Nim()}
    Terminal(world).write("new nim seat=hard")
    assert world.tables[0].options == {"seat": "hard"}


# --- names ------------------------------------------------------------------------------------------------------------


def test_name_of_somebody_registered_is_shown_as_a_guests() -> None:
    world = World(accounts=FakeAccounts(Ann="secret"))
    assert Terminal(world).write("name ANN") == ["* You are ANN (guest)."]


def test_name_stays_in_a_game_and_changes_in_a_room_for_all_to_see() -> None:
    world = World()
    ann, ben = pair(world)
    assert ann.refused("name Zoe") == "Your name stays as it is at this table."
    for each in (ann, ben):
        each.write("leave")
    ann.write("new dots players=3 against link")
    ben.write(f"sit {world.tables[-1].id}")
    ann.heard()
    assert ann.write("name Zoe") == ["* Ann is now called Zoe."]
    assert ben.told() == ["Ann is now called Zoe."]
    assert ben.write("name Parlour") == ["? That name cannot be used."]


def test_players_of_one_name_are_told_apart() -> None:
    world = World()
    ann, other = pair(world)
    for each in (ann, other):
        each.write("leave", "name Ann")
    ann.write("new noughts against link")
    other.write(f"sit {world.tables[-1].id}")
    ann.heard()
    assert ann.write("b2") == ["* Ann (seat 0) plays b2. It is Ann (seat 1)'s turn."]


# --- moves ------------------------------------------------------------------------------------------------------------


def test_move_names_who_made_it_and_whose_turn_it_is() -> None:
    world = World()
    ann, ben = pair(world)
    assert ann.write("B2") == ["* Ann plays b2. It is Ben's turn."]
    assert ben.heard() == [
        "* Ann plays b2.",
        "     1   2   3",
        "  a    |   |",
        "    ---+---+---",
        "  b    | X |",
        "    ---+---+---",
        "  c    |   |",
        "* Your turn.",
    ]
    assert ann.refused("a1") == "It is not your turn."
    assert ben.refused("b2") == "That cell is already taken."
    assert ben.refused("knight takes") == sentences.NO_SUCH_MOVE


def test_moves_are_listed_on_lines_that_say_so() -> None:
    world = World()
    ann, ben = pair(world, "dots width=6 height=5")
    lines = ben.write("moves")
    assert all(line.startswith("Moves: ") and len(line) <= 76 for line in lines)
    listed = [move for line in lines for move in line.removeprefix("Moves: ").split(", ")]
    assert listed == world.tables[0].position.legal()  # type: ignore[union-attr]
    ann.write("resign")
    assert ann.write("moves") == ["No one is to move now."]


def test_tall_board_is_shown_when_asked_for() -> None:
    world = World()
    ann = Terminal(world)
    lines = ann.write("new dots width=50 height=50 against easy")
    assert lines[-1] == "* Your turn."
    assert not any(line.startswith("  ") for line in lines)
    board = world.tables[0].position.text().splitlines()  # type: ignore[union-attr]
    assert [line[2:] for line in ann.write("board") if line.startswith("  ")] == [row.rstrip() for row in board]


def test_game_from_elsewhere_is_played_to_its_end_though_its_moves_look_like_words() -> None:
    world = World()
    world.hub.games = {**games(), "nim": Nim()}
    ann, ben = pair(world, "nim")
    assert ann.write("moves") == ["Moves: no, yes, back"]
    assert ann.write("back") == ["* Ann plays back. It is Ben's turn."]
    ben.heard()
    assert ann.refused("no") == "There is nothing to vote on."
    assert ben.write("YES") == ["* Ben plays yes. It is Ann's turn."]
    assert ann.heard()[1:] == ["  * oo", "  ? no", "  > yes", "* Your turn."]
    assert ann.write("yes")[-3:] == [
        "* Ann wins.",
        "* You won.",
        "* Another game? Write yes or no.",
    ]


def test_clock_is_told_in_words_at_each_turn_and_with_the_board() -> None:
    world = World()
    browser = Browser(world, "Web")
    browser.say("open", game="noughts", opponent="invite", clock=90, increment=0)
    ann = Terminal(world, "Ann")
    ann.write(f"sit {world.tables[0].id}")
    world.advance(10)
    browser.say("play", table=world.tables[0].id, move="b2", id="1")
    assert ann.told() == ["Web plays b2.", "Your turn. You have 1 minute 30 seconds left."]
    world.advance(31)
    assert ann.write("board")[-2:] == [
        "Web (X) and Ann (O); 1 move. Web has 1 minute 19 seconds left. You have 58 seconds left.",
        "* Your turn. You have 58 seconds left.",
    ]
    world.advance(60)
    assert ann.told()[-4:] == [
        "Ann has no time left.",
        "Web wins: Ann ran out of time.",
        "You lost.",
        "Another game? Write yes or no.",
    ]


# --- offers, ends, another game ---------------------------------------------------------------------------------------


def test_draw_is_offered_declined_withdrawn_and_agreed_on() -> None:
    world = World()
    ann, ben = pair(world)
    assert ann.write("draw") == ["* Ann offers a draw."]
    assert ben.told() == ["Ann offers a draw. Write yes or no."]
    assert ann.write("yes") == []
    assert ben.write("no") == ["* There is no draw."]
    assert ann.told() == ["There is no draw."]
    ben.write("draw")
    assert ben.write("no") == ["* There is no draw."]
    ann.heard()
    ann.write("draw")
    ben.heard()
    assert ben.write("draw")[-3:] == [
        "* A draw by agreement.",
        "* You drew.",
        "* Another game? Write yes or no.",
    ]
    assert ann.told()[-2:] == ["You drew.", "Another game? Write yes or no."]


def test_move_is_taken_back_when_the_other_agrees() -> None:
    world = World()
    ann, ben = pair(world)
    assert ann.refused("back") == "You have no move to take back."
    ann.write("b2")
    ben.heard()
    ann.write("back")
    assert ben.told() == ["Ann asks to take a move back. Write yes or no."]
    assert ben.write("yes") == ["* 1 move is taken back. It is Ann's turn."]
    assert ann.told() == ["1 move is taken back.", "Your turn."]
    ann.write("b2")
    ben.write("a1")
    ann.write("back")
    ben.heard()
    assert ben.write("no") == ["* No move is taken back."]


def test_another_game_begins_when_both_want_it() -> None:
    world = World()
    ann, ben = pair(world)
    assert ann.refused("rematch") == "A game is already running at this table."
    assert ann.write("resign")[-4:] == [
        "  c    |   |",
        "* Ben wins: Ann resigned.",
        "* You lost.",
        "* Another game? Write yes or no.",
    ]
    assert ann.write("rematch") == ["* Ann wants another game."]
    ben.heard()
    assert ben.write("yes")[:2] == [
        "* Ben wants another game.",
        "* A game of Tic-tac-toe begins: Ann (X) and Ben (O).",
    ]
    ben.write("resign")
    assert ann.told()[-2:] == ["You won.", "Another game? Write yes or no."]
    assert ann.write("no") == ["* Ann wants no other game.", "* The table is closed."]
    assert ben.told()[-1] == "The table is closed."
    assert ben.write("new connect4")[-1] == "* Your turn."


@pytest.mark.parametrize("way", ["leave", "quit", "end of file", "reset"])
def test_leaving_in_a_game_ends_it_for_the_other(way: str) -> None:
    world = World()
    ann, ben = pair(world)
    match way:
        case "leave":
            assert ann.write("leave") == ["* You have left the table."]
            assert ann.write("new connect4")[-1] == "* Your turn."
        case "quit":
            assert ann.write("quit") == ["* Goodbye."]
            assert ann.wire.closed
        case "end of file":
            ann.wire.end_of_file()
            assert ann.wire.closed
        case "reset":
            ann.wire.reset()
    assert ben.told() == [
        "Ann leaves the game.",
        "The game has no result.",
        "The game is broken off.",
        "The table is closed.",
    ]


def test_waiting_ends_by_leaving_or_with_the_next_person() -> None:
    world = World()
    ann, ben = Terminal(world, "Ann"), Terminal(world, "Ben")
    assert ann.write("new noughts against anyone") == [f"* {sentences.WAITING}"]
    assert ann.write("leave") == ["* You are no longer waiting."]
    ann.write("new noughts against anyone")
    assert ben.write("new noughts against anyone")[0].startswith("* You are at table ")
    assert any(line.startswith("A game of Tic-tac-toe begins: ") for line in ann.told())


# --- watching ---------------------------------------------------------------------------------------------------------


def test_observer_sees_the_game_and_can_do_nothing_in_it_but_talk() -> None:
    world = World()
    ann, ben = pair(world)
    eve = Terminal(world, "Eve")
    table = world.tables[0].id
    assert eve.write(f"watch {table}") == [
        f"* You are watching table {table}: Tic-tac-toe.",
        "* Here are Ann and Ben.",
        "     1   2   3",
        "  a    |   |",
        "    ---+---+---",
        "  b    |   |",
        "    ---+---+---",
        "  c    |   |",
        "Ann (X) and Ben (O); 0 moves.",
        "* It is Ann's turn.",
    ]
    ann.write("b2")
    assert eve.heard() == ["* Ann plays b2. It is Ben's turn."]
    assert ben.heard()[-1] == "* Your turn."
    for line in ("a1", "resign", "draw", "back", "yes", "no", "rematch"):
        assert eve.refused(line) in ("You have no seat at this table.", sentences.NO_SUCH_MOVE), line
    assert eve.refused("sit") == "Every seat at this table is taken."
    assert eve.refused("sit elsewhere") == sentences.NOT_HERE[Phase.TABLE]
    assert eve.write("say well played") == ["* Eve says: well played"]
    assert ben.told() == ["Eve says: well played"]
    ben.write("resign")
    assert eve.told() == ["Ben resigns.", "Ann wins: Ben resigned."]


def test_observer_sits_down_in_the_seat_that_is_free() -> None:
    world = World()
    ann, ben = Terminal(world, "Ann"), Terminal(world, "Ben")
    ann.write("new noughts against link")
    table = world.tables[0].id
    ben.write(f"watch {table}")
    assert ben.refused("sit 0") == "That seat is taken."
    assert "* A game of Tic-tac-toe begins: Ann (X) and Ben (O). It is Ann's turn." in ben.write("sit 1")
    assert ann.told()[-1] == "Your turn."


# --- talk -------------------------------------------------------------------------------------------------------------


def test_control_characters_reach_no_one() -> None:
    world = World()
    ann, ben = pair(world)
    browser = Browser(world, "Web")
    browser.say("watch", table=world.tables[0].id)
    ann.write("say a\x1b[2J\x07\N{RIGHT-TO-LEFT OVERRIDE}b")
    assert ben.heard() == ["* Ann says: a[2Jb"]
    assert browser.last("said")["text"] == "a[2Jb"
    browser.say("say", table=world.tables[0].id, text="x\r\n* You won.\x1b[31m")
    assert ben.heard() == ["* Web says: x  * You won.[31m"]


def test_host_is_heard_and_obeyed() -> None:
    world = World()
    ann, ben = pair(world)
    act(world, lambda desk, hosting: hosting.announce(desk.present(), "Lunch at noon"))
    assert ann.told() == ["The host says: Lunch at noon"]
    mute(world, "Ann")
    assert ann.told() == ["The host has muted you. Others no longer see what you write."]
    assert ann.refused("say why?") == "The host has muted you."
    act(world, lambda _desk, hosting: hosting.close(world.tables[0]))
    assert ben.told()[-1] == "The table is closed."
    assert ann.wire.link.session.phase is Phase.FREE


# --- limits -----------------------------------------------------------------------------------------------------------


def test_too_many_lines_are_refused_and_read_later() -> None:
    world = World()
    ann = Terminal(world)
    lines = ann.write(*["games"] * 300)
    assert "? Too many messages: 256 at once, then 50 a second. Please wait 1 s." in lines
    world.advance(2)
    assert ann.write("name Ann")[-1] == "* You are Ann."


def test_server_that_is_full_or_stops_says_so() -> None:
    world = World(max_connections=1)
    ann = Terminal(world)
    late = world.connect("telnet")
    assert (late.take(), late.closed) == (
        b"? The server is full. The limit is 1 connections on the whole server at the same time. Please wait 10 s.\r\n",
        True,
    )
    ann.wire.link.farewell()
    assert ann.heard() == ["* The server is about to stop."]
    assert ann.wire.closed


def test_house_that_takes_no_new_games_says_so() -> None:
    world = World()
    ann, ben = Terminal(world), Terminal(world)
    ann.write("new noughts against anyone")
    world.house.enter(world.hub.service(Hosting).pause)
    world.run()
    assert ann.told() == [sentence(Refusal.NO_NEW_GAMES)]
    assert ann.wire.link.session.phase is Phase.FREE
    for line in ("new noughts", "new dots", "new dots players=3", "new connect4 against anyone"):
        assert ben.refused(line) == sentence(Refusal.NO_NEW_GAMES)


def test_evicted_person_is_at_no_table() -> None:
    session = PROTOCOL.serve(Terminal(World()).wire.link.door)
    outputs = session.notify(Evicted(Refusal.LOG_DOWN))
    assert b"* The server cannot save games" in b"".join(out for out in outputs if isinstance(out, bytes))
    assert not any(isinstance(out, Close) for out in outputs)
    assert session.notify(Announced("won", {"winners": ("Ann",), "scores": "1"})) == ()


def test_readme_has_the_table_of_words() -> None:
    readme = (ROOT / "src" / "parlour" / "protocols" / "telnet" / "README.md").read_text(encoding="utf-8")
    assert rendered() in readme
