"""Save games of GGZ's Dots, written strictly and read with patience."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.core.game import Options
from parlour.core.words import Leave, Leaving, Open, Policy, Resign, Sit
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.conftest import ROOT
from tests.unit.core.people import Person
from tests.unit.store.club import THREE_AT_DOTS, Club

SMALL: Options = {"width": 3, "height": 2}

PLAYED_OUT = """\
player1 join Ann
width 3
height 2
player2 join Ben
player1 move 0 0 horizontal
player2 move 0 1 horizontal
player1 move 0 0 vertical
player2 move 1 0 vertical
player2 move 1 0 horizontal
player1 move 1 1 horizontal
player2 move 2 0 vertical
player2 winner
"""
MOVES = ("h 0 0", "h 0 1", "v 0 0", "v 1 0", "h 1 0", "h 1 1", "v 2 0")

DRAW = """\
player1 join Ann
width 3
height 2
player2 join Ben
player1 move 0 0 horizontal
player2 move 0 1 horizontal
player1 move 0 0 vertical
player2 move 1 0 horizontal
player1 move 1 0 vertical
player1 move 1 1 horizontal
player2 move 2 0 vertical
tie game
"""

CHANGED_HANDS = PLAYED_OUT.replace(
    "player1 move 0 0 vertical\n",
    "player1 move 0 0 vertical\nplayer2 leave Ben\nplayer2 join Cy\n",
)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with closing(SqliteStore(tmp_path / "log")) as store:
        yield Club(store)


def two_at_dots(club: Club, options: Options, names: tuple[str, str] = ("Ann", "Ben")) -> list[Person]:
    """Two at a table where a leaver's seat stays open for the next."""
    ann = Person(club.hub, names[0]).do(Open("dots", options, policy=Policy(leaving=Leaving.OPENS)))
    return [ann, Person(club.hub, names[1]).do(Sit(ann.here.id))]


def game_of(club: Club, person: Person) -> str:
    game_id = person.here.game_id
    assert club.settle() is None
    return game_id


def exported(data: Path, game_id: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    capsys.readouterr()
    assert main(["export", game_id, "--format", "ggz", "--data", str(data)]) == 0
    return capsys.readouterr()


def imported(text: str | bytes, data: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The new id, and what else was said."""
    capsys.readouterr()
    file = data.with_name("savegame.x1y2z3")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["import", str(file), "--data", str(data)]) == 0
    out, err = capsys.readouterr()
    return out.strip(), err


def refusal(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Why a file is not imported."""
    file = tmp_path / "savegame.x1y2z3"
    file.write_text(text)
    assert main(["import", str(file), "--data", str(tmp_path / "log")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert not (tmp_path / "log").exists()
    return err.removeprefix(f"parlour: {file} cannot be imported: ").rstrip("\n")


def test_game_is_written_as_the_original_writes_it(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, _ = two_at_dots(club, SMALL)
    club.play(*MOVES)
    assert exported(tmp_path / "log", game_of(club, ann), capsys) == (PLAYED_OUT, "")


def test_leaver_and_whoever_takes_the_seat_are_written(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, ben = two_at_dots(club, SMALL)
    club.play(*MOVES[:3])
    ben.do(Leave())
    Person(club.hub, "Cy").do(Sit(ann.here.id))
    club.play(*MOVES[3:])
    assert exported(tmp_path / "log", game_of(club, ann), capsys) == (CHANGED_HANDS, "")


def test_table_that_waits_is_written_as_far_as_it_goes(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = Person(club.hub, "Ann").do(Open("dots", SMALL))
    text, _ = exported(tmp_path / "log", game_of(club, ann), capsys)
    assert text == "player1 join Ann\nwidth 3\nheight 2\n"
    assert refusal(text, tmp_path / "log", capsys) == "no game has begun in it"


def test_names_stay_on_their_line(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ann, _ = two_at_dots(club, SMALL, (" Ann of\nGreen Gables ", ""))
    text, _ = exported(tmp_path / "log", game_of(club, ann), capsys)
    assert text == "player1 join Ann of?Green Gables\nwidth 3\nheight 2\nplayer2 join User 2\n"


def test_resignation_is_noted_because_it_cannot_be_written(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, _ = two_at_dots(club, SMALL)
    club.play(*MOVES[:2])
    ann.do(Resign())
    text, note = exported(tmp_path / "log", game_of(club, ann), capsys)
    assert text == "".join(PLAYED_OUT.splitlines(keepends=True)[:6])
    assert note == "parlour: note: the GGZ format cannot say 'resigned', so this game looks unfinished there\n"


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (Open("noughts", {}), "there is no GGZ format for Tic-tac-toe, only for Dots and boxes"),
        (THREE_AT_DOTS, "the GGZ format is for two players, and this game has 3"),
        (
            Open("dots", {"width": 26, "height": 4}),
            "the GGZ format is for boards of at most 25 by 25 dots, and this one has 26 by 4",
        ),
    ],
)
def test_what_the_format_cannot_express_is_refused_in_one_sentence(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str], wish: Open, why: str
) -> None:
    game_id = game_of(club, Person(club.hub, "Ann").do(wish))
    assert main(["export", game_id, "--format", "ggz", "--data", str(tmp_path / "log")]) == 2
    assert capsys.readouterr() == ("", f"parlour: {why}\n")


def test_unknown_game_is_one_sentence_and_exit_1(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_of(club, two_at_dots(club, SMALL)[0])
    assert main(["export", "nobody-1", "--format", "ggz", "--data", str(tmp_path / "log")]) == 1
    assert "there is no game nobody-1 in the log" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "winners", "scores", "status"),
    [
        (PLAYED_OUT, (1,), (0, 2), "finished"),
        (CHANGED_HANDS, (1,), (0, 2), "finished"),
        (DRAW, (), (1, 1), "finished"),
        (DRAW.replace("tie game", "players tie 1157382000"), (), (1, 1), "finished"),
        (PLAYED_OUT.replace("\n", "\r\n"), (1,), (0, 2), "finished"),
        (PLAYED_OUT.replace("player2 winner\n", ""), (1,), (0, 2), "finished"),
        ("# kept by hand\n\n\ufeff\n" + PLAYED_OUT.replace("height", "colour red\nheight"), (1,), (0, 2), "finished"),
        (PLAYED_OUT + "player1 leave Ann\nplayer2 leave Ben\n", (1,), (0, 2), "finished"),
        ("\n".join(PLAYED_OUT.splitlines()[:7]), (), (0, 0), "abandoned"),
        ("player1 join A\nplayer2 join B\nwidth 2\nheight 2\nwidth 5\n", (), (0, 0), "abandoned"),
    ],
)
def test_save_game_is_read(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    winners: tuple[int, ...],
    scores: tuple[int, ...],
    status: str,
) -> None:
    game_id, note = imported(text, tmp_path / "log", capsys)
    with closing(SqliteLibrary(tmp_path / "log")) as library:
        game, _ = library.game(game_id)
    assert game.result is not None
    assert (game.result.winners, game.result.scores, game.status, note) == (winners, scores, status, "")
    assert main(["replay", game_id, "--data", str(tmp_path / "log")]) == 0
    with closing(SqliteStore(tmp_path / "log")) as store:
        assert list(store.unfinished()) == []


@pytest.mark.parametrize("text", [PLAYED_OUT, DRAW, CHANGED_HANDS])
def test_imported_save_game_is_exported_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    game_id, _ = imported(text, tmp_path / "log", capsys)
    assert exported(tmp_path / "log", game_id, capsys) == (text, "")


@pytest.mark.parametrize(
    ("old", "new", "names", "kinds"),
    [
        ("Ann", "Ann of Green Gables", ["Ann of Green Gables", "Ben"], ["person", "person"]),
        ("Ann", "(null)", ["player1", "Ben"], ["person", "person"]),
        ("join Ann", "join", ["player1", "Ben"], ["person", "person"]),
        ("player2 join Ben\n", "", ["Ann", "player2"], ["person", "engine"]),
        ("player1 join Ann\n", "player2 leave Bo\n", ["player1", "Ben"], ["person", "person"]),
    ],
)
def test_who_sat_there_is_told_as_well_as_it_can_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, names: list[str], kinds: list[str]
) -> None:
    game_id, _ = imported(PLAYED_OUT.replace(old, new), tmp_path / "log", capsys)
    with closing(SqliteLibrary(tmp_path / "log")) as library:
        game, _ = library.game(game_id)
    assert [player.name for player in game.players] == names
    assert [player.kind.value for player in game.players] == kinds


def test_later_game_of_a_table_names_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(line for line in PLAYED_OUT.splitlines(keepends=True) if "join" not in line)
    game_id, _ = imported(text, tmp_path / "log", capsys)
    with closing(SqliteLibrary(tmp_path / "log")) as library:
        game, _ = library.game(game_id)
    assert [(player.name, player.kind.value) for player in game.players] == [
        ("player1", "person"),
        ("player2", "person"),
    ]


def test_names_from_before_utf_8_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_id, _ = imported(PLAYED_OUT.replace("Ben", "Jürgen").encode("latin-1"), tmp_path / "log", capsys)
    assert "player2 join Jürgen\n" in exported(tmp_path / "log", game_id, capsys)[0]


def test_bots_lines_are_put_in_order_and_its_last_ones_put_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """\
player1 join Ann
width 3
height 2
player1 move 0 0 horizontal
player2 move 0 1 horizontal
player1 move 0 0 vertical
player2 move 1 0 horizontal
player2 move 1 0 vertical
player1 move 1 1 horizontal
player2 winner
"""
    game_id, notes = imported(text, tmp_path / "log", capsys)
    assert notes.splitlines() == [
        "parlour: note: lines that a bot drew in one go stood there backwards, and were turned round",
        "parlour: note: lines drawn by a bot at the end were missing: 1, put back in an order that fits",
    ]
    with closing(SqliteLibrary(tmp_path / "log")) as library:
        game, moves = library.game(game_id)
    assert tuple(move.move for move in moves) == MOVES
    assert game.result is not None
    assert game.result.scores == (0, 2)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("width 3", "width three", "line 2: the width of the board is not a number"),
        ("width 3\n", "", "line 4: a move before the board has a width and a height"),
        ("width 3", "width 51", "there is no board of 51 by 2 dots"),
        ("0 0 vertical", "0 0 upwards", "line 7: a move is two numbers and 'vertical' or 'horizontal'"),
        ("0 0 vertical", "0 0", "line 7: a move is two numbers and 'vertical' or 'horizontal'"),
        ("0 0 vertical", "0 0 horizontal", "line 7: the move is not legal: That place is already taken."),
        ("0 0 vertical", "0 1 vertical", "line 7: the move is not legal: That is outside the board."),
        ("player1 move 0 0 v", "player2 move 0 0 v", "line 7: it is not the turn of player2"),
        ("player1 move 0 0 v", "player3 move 0 0 v", "line 7: there is no player3 in a game for two"),
        ("player2 winner", "player1 winner", "line 12: that is not how the moves end, which is 0 to 2"),
        ("player2 winner", "tie game", "line 12: that is not how the moves end, which is 0 to 2"),
        ("player2 move 1 0 vertical\n", "tie game\n", "line 9: a move after the end of the game"),
        ("player1 move 1 1", "player1 winner\nplayer1 move 1 1", "line 11: a move after the end of the game"),
        ("player2 winner", "player2 winner\nplayer2 winner", "line 13: the game is said to end twice"),
        (
            "player2 winner",
            "player2 winner\nwidth 3",
            "line 13: another game begins before the end of the file, and a save holds one",
        ),
        (
            "player1 move 0 0 v",
            "height 9\nplayer1 move 0 0 v",
            "line 7: another game begins before the end of the file, and a save holds one",
        ),
    ],
)
def test_file_that_no_game_can_have_led_to_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, why: str
) -> None:
    assert old in PLAYED_OUT
    assert refusal(PLAYED_OUT.replace(old, new), tmp_path, capsys) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("player1 leave Ann\nplayer2 leave Ben\n", "it does not say how wide and how high the board is"),
        ("width 3\nheight 3\n", "no game has begun in it"),
        ("width 3\nheight 3\ntie game\n", "line 3: the game is said to be over, but there are lines to draw"),
        (
            "player1 join A\nplayers options 3 3\nplayer1 move 0 2\n",
            "line 3: a move is two numbers and 'vertical' or 'horizontal'",
        ),
    ],
)
def test_file_without_a_game_of_dots_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    assert refusal(text, tmp_path, capsys) == why


def test_example_on_the_page_is_read_and_written_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "formats" / "ggz-dots.md").read_text(encoding="utf-8")
    example = "".join(line[4:] for line in page.splitlines(keepends=True) if line.startswith("    "))
    game_id, _ = imported(example, tmp_path / "log", capsys)
    assert exported(tmp_path / "log", game_id, capsys) == (example, "")
