"""`parlour tables`, `replay`, `export` and `import`, as scripts and people meet them."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from parlour.cli import main
from parlour.core.table.ballot import START
from parlour.core.words import Leave, Offer, Open, Resign, Seek, Sit, StandUp, TakePart, Wish
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person, enter
from tests.unit.store.club import ROOM, THREE_AT_DOTS, Club, open_club

TWO_ROWS = ("a1", "b1", "a2", "b2", "a3")
STARTED = "2001-09-09T01:46:40.000Z"


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with closing(SqliteStore(tmp_path)) as store:
        yield Club(store)


def finished_game(club: Club) -> str:
    """The id of a short game that Ann has won."""
    ann, _ = club.pair()
    table = ann.here
    club.play(*TWO_ROWS)
    ann.do(Leave())
    assert club.settle() is None
    return table.game_id


def exported(game_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["export", game_id, "--data", str(tmp_path)]) == 0
    sheet = json.loads(capsys.readouterr().out)
    assert isinstance(sheet, dict)
    return sheet


def test_export_has_the_promised_keys(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_id = finished_game(club)
    sheet = exported(game_id, tmp_path, capsys)
    assert list(sheet.items()) == [
        ("id", game_id),
        ("table", game_id.removesuffix("-1")),
        ("game", "noughts"),
        ("options", {}),
        (
            "players",
            [
                {"seat": 0, "name": "Ann", "wire": "test", "kind": "person"},
                {"seat": 1, "name": "Ben", "wire": "test", "kind": "person"},
            ],
        ),
        (
            "moves",
            [
                {"seq": 1, "seat": 0, "move": "a1", "at": "2001-09-09T01:46:40.250Z"},
                {"seq": 2, "seat": 1, "move": "b1", "at": "2001-09-09T01:46:40.500Z"},
                {"seq": 3, "seat": 0, "move": "a2", "at": "2001-09-09T01:46:40.750Z"},
                {"seq": 4, "seat": 1, "move": "b2", "at": "2001-09-09T01:46:41.000Z"},
                {"seq": 5, "seat": 0, "move": "a3", "at": "2001-09-09T01:46:41.250Z"},
            ],
        ),
        ("started", STARTED),
        ("result", {"winners": [0], "scores": [1, 0], "reason": "played-out"}),
    ]


def test_moves_that_were_taken_back_are_nobodys_moves(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, ben = club.pair()
    game_id = ann.here.game_id
    club.play("c3", "c2", "c1")
    for who in (ben, ann):
        who.do(Offer("takeback"))
    club.play("b2")
    for who in (ann, ben):
        who.do(Offer("takeback"))
    assert club.settle() is None
    assert main(["tables", "--json", "--data", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["moves"] == 0
    club.play(*TWO_ROWS)
    assert club.settle() is None
    sheet = exported(game_id, tmp_path, capsys)
    assert [(move["seq"], move["move"]) for move in sheet["moves"]] == list(enumerate(TWO_ROWS, 1))
    assert main(["replay", game_id, "--data", str(tmp_path)]) == 0
    assert main(["export", game_id, "--format", "text", "--data", str(tmp_path)]) == 0
    assert "c2" not in capsys.readouterr().out


def test_agreed_draw_can_be_exported_and_imported(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, ben = club.pair()
    game_id = ann.here.game_id
    club.play("a1", "b2")
    for who in (ann, ben):
        who.do(Offer("draw"))
    assert club.settle() is None
    sheet = exported(game_id, tmp_path, capsys)
    assert sheet["result"] == {"winners": [], "scores": [0, 0], "reason": "agreed"}
    assert main(["replay", game_id, "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("A draw (agreed).\n")
    club.store.close()
    (tmp_path / "sheet.json").write_text(json.dumps(sheet))
    assert main(["import", str(tmp_path / "sheet.json"), "--data", str(tmp_path)]) == 0


def test_running_game_has_no_result_yet(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ann, _ = club.pair()
    club.play("a1")
    club.settle()
    sheet = exported(ann.here.game_id, tmp_path, capsys)
    assert (sheet["result"], len(sheet["moves"])) == (None, 1)


def test_tables_as_json_is_one_object_a_line(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished_game(club)
    Person(club.hub, "Cat").do(Open("connect4", {}))
    club.settle()
    assert main(["tables", "--json", "--data", str(tmp_path)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert list(first) == ["id", "table", "game", "status", "players", "moves", "started", "result", "options"]
    assert (first["status"], first["moves"], first["started"]) == ("finished", 5, STARTED)
    assert first["result"] == {"winners": [0], "scores": [1, 0], "reason": "played-out"}
    assert (second["status"], second["moves"], second["started"], second["result"]) == ("waiting", 0, None, None)
    assert [player["name"] for player in second["players"]] == ["Cat"]


def test_tables_for_people_fit_into_80_columns_and_keep_names_harmless(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished_game(club)
    club.pair(names=("A name that goes on for rather a long time", "\x1b[31mRed"))
    club.pair(names=("囲碁囲碁囲碁囲碁囲碁囲碁囲碁囲碁", "Eve\n"))
    club.settle()
    assert main(["tables", "--data", str(tmp_path)]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == "ID        GAME     STATUS     MOVES  STARTED (UTC)     PLAYERS (* WON)"
    assert lines[0][10:] == "noughts  finished       5  2001-09-09 01:46  Ann*, Ben"
    assert len(lines) == 3
    assert all(len(line) <= 80 and line.isprintable() for line in [header, *lines])
    assert len(lines[2].encode("utf-16-be")) // 2 + lines[2].count("囲") + lines[2].count("碁") <= 80


def test_replay_shows_the_board_after_every_move(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_id = finished_game(club)
    assert main(["replay", game_id, "--data", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Tic-tac-toe, game {game_id}\nSeat 0 (X): Ann, a person on test\n")
    assert out.count("---+---+---") == 2 * len(TWO_ROWS)
    assert "5. Ann: a3\n   1   2   3\na  X | X | X\n" in out
    assert out.endswith("\nAnn won (played-out).\n")


def test_text_export_lists_the_moves(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_id = finished_game(club)
    assert main(["export", game_id, "--format", "text", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Tic-tac-toe, game {game_id}"
    assert next(line.split() for line in lines if line[:4].strip().isdigit()) == ["1.", "a1", "Ann"]
    assert lines[-1] == "Ann won (played-out)."


def test_who_was_skipped_shows_in_replay_and_survives_export_and_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = open_club(tmp_path / "a")
    cat = Person(club.hub, "Cat").do(THREE_AT_DOTS)
    table = cat.here
    dan, eve = (Person(club.hub, name).do(Sit(table.id)) for name in ("Dan", "Eve"))
    club.play("h 0 0", "h 0 2")
    eve.do(Leave())
    club.play("v 0 0", "v 1 0", "h 0 1", "v 0 1", "v 1 1")
    game_id = table.game_id
    for person in (cat, dan):
        person.do(Leave())
    assert club.settle() is None
    club.store.close()
    assert main(["replay", game_id, "--data", str(tmp_path / "a")]) == 0
    assert "Eve is out.\n3. Cat: v 0 0\n" in capsys.readouterr().out
    sheet = exported(game_id, tmp_path / "a", capsys)
    again = imported(sheet, tmp_path / "b", capsys)
    assert played(exported(again, tmp_path / "b", capsys)) == played(sheet)


@pytest.mark.parametrize("back", [False, True])
def test_who_took_part_later_shows_in_replay_and_survives_export_and_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], back: bool
) -> None:
    club = open_club(tmp_path / "a")
    people = [Person(club.hub, name).do(enter(ROOM, name)) for name in ("Cat", "Dan", "Eve", "Fay")]
    for person in people[:3]:
        person.do(Wish(START))
    table = people[0].here
    club.play("h 0 0", "h 0 2")
    people[1].do(StandUp())
    people[1 if back else 3].do(TakePart())
    club.play("v 0 0", "v 1 0", "v 0 1", "v 1 1", "h 0 1")
    assert not table.running
    game_id = table.game_id
    for person in people:
        person.do(Leave())
    assert club.settle() is None
    club.store.close()
    assert main(["replay", game_id, "--data", str(tmp_path / "a")]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("Dan won 0:2:0 (played-out).\n" if back else "Fay won 0:0:0:2 (played-out).\n")
    assert ("Fay takes part.\n4. Fay: v 1 0\n" in shown) is not back
    sheet = exported(game_id, tmp_path / "a", capsys)
    again = imported(sheet, tmp_path / "b", capsys)
    assert played(exported(again, tmp_path / "b", capsys)) == played(sheet)


@pytest.mark.parametrize(("winners", "code"), [([0], 0), ([1], 0), ([2], 1), ([], 1), ([0, 1], 1)])
def test_of_three_players_the_leader_may_have_left_before_the_end_but_not_whoever_moved_last(
    tmp_path: Path, winners: list[int], code: int
) -> None:
    seats = (0, 1, 2, 0, 1, 2, 0, 0, 0, 1)
    lines = ("h 0 0", "h 0 3", "v 0 0", "v 1 0", "v 0 1", "v 1 1", "h 0 1", "h 0 2", "v 0 2", "v 1 2")
    sheet = {
        "id": "x-1",
        "table": "x",
        "game": "dots",
        "options": {"width": 2, "height": 4, "players": 3},
        "players": [{"seat": seat, "name": "N", "wire": "", "kind": "person"} for seat in range(3)],
        "moves": [
            {"seq": number, "seat": seat, "move": line, "at": STARTED}
            for number, (seat, line) in enumerate(zip(seats, lines, strict=True), 1)
        ],
        "started": STARTED,
        "result": {"winners": winners, "scores": [2, 1, 0], "reason": "played-out"},
    }
    (tmp_path / "sheet.json").write_text(json.dumps(sheet))
    assert main(["import", str(tmp_path / "sheet.json"), "--data", str(tmp_path)]) == code


def imported(sheet: dict[str, Any], data: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The id under which a score sheet went into another log."""
    capsys.readouterr()
    data.mkdir(exist_ok=True)
    (data / "sheet.json").write_text(json.dumps(sheet))
    assert main(["import", str(data / "sheet.json"), "--data", str(data)]) == 0
    return capsys.readouterr().out.strip()


def played(sheet: dict[str, Any]) -> dict[str, Any]:
    """A score sheet but for the names under which the log has it."""
    return {key: value for key, value in sheet.items() if key not in ("id", "table")}


@pytest.mark.parametrize("game", ["noughts", "dots", "connect4", "glenda"])
def test_imported_game_is_the_exported_one_under_a_new_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str
) -> None:
    club = open_club(tmp_path / "a")
    ann = Person(club.hub, "Ann").do(Seek(game, {}))
    Person(club.hub, "Ben").do(Seek(game, {}))
    table = ann.here
    for _ in range(6):
        assert table.position is not None
        club.play(table.position.legal()[0])
    if table.running:
        ann.do(Resign())
    game_id = table.game_id
    assert club.settle() is None
    club.store.close()
    sheet = exported(game_id, tmp_path / "a", capsys)
    again = imported(sheet, tmp_path / "b", capsys)
    assert again != game_id
    assert played(exported(again, tmp_path / "b", capsys)) == played(sheet)
    with closing(SqliteLibrary(tmp_path / "b")) as library:
        assert [(stored.id, stored.status) for stored in library.games()] == [(again, "finished")]
    with closing(SqliteStore(tmp_path / "b")) as store:
        assert list(store.unfinished()) == []


def _set(*path: str | int, to: object) -> tuple[tuple[str | int, ...], object]:
    return path, to


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("moves", 2, "move", to="a1"), "move 3, 'a1', is not legal: That place is already taken."),
        (_set("moves", 2, "move", to="z9\x1b"), "move 3, 'z9?', is not legal: That is not a move of this game."),
        (_set("moves", 1, "seat", to=0), "move 2, 'b1': it is not the turn of seat 0"),
        (_set("moves", 0, "seat", to=7), "seat 7 cannot make the first move"),
        (_set("moves", 1, "seq", to=9), "move 2 is numbered 9"),
        (_set("moves", 1, "at", to="noon"), "'noon' is not a time in ISO 8601"),
        (_set("started", to=None), "the game is not finished"),
        (_set("result", to=None), "the game is not finished"),
        (_set("result", "winners", to=[1]), "its result is not what its moves lead to"),
        (_set("result", "reason", to="sleep"), "it is no exported game: Invalid enum value 'sleep'"),
        (_set("result", "scores", to=[1]), "its result is not one of 2 players"),
        (_set("moves", to=[]), "it is not played out"),
        (_set("options", "colour", to="red"), "These settings do not work for this game."),
        (_set("players", 0, "seat", to=1), "its players do not fill seats 0 to 1"),
    ],
)
def test_game_against_the_rules_is_not_imported(
    club: Club,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: tuple[tuple[str | int, ...], object],
    reason: str,
) -> None:
    sheet = exported(finished_game(club), tmp_path, capsys)
    (*path, last), value = change
    place: Any = sheet
    for key in path:
        place = place[key]
    place[last] = value
    file = tmp_path / "sheet.json"
    file.write_text(json.dumps(sheet))
    assert main(["import", str(file), "--data", str(tmp_path / "b")]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"parlour: {file} cannot be imported: {reason}")
    assert error.count("\n") == 1
    assert not (tmp_path / "b").exists()


def test_options_left_to_chance_are_not_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = {
        "id": "x-1",
        "table": "x",
        "game": "glenda",
        "options": {"walls": "7"},
        "players": [{"seat": seat, "name": "N", "wire": "", "kind": "engine"} for seat in (0, 1)],
        "moves": [],
        "started": STARTED,
        "result": {"winners": [0], "scores": [1, 0], "reason": "resigned"},
    }
    for walls, code in (("7", 1), ("", 0)):
        sheet["options"] = {"walls": walls}
        text = io.TextIOWrapper(io.BytesIO(json.dumps(sheet).encode()))
        monkeypatch.setattr("sys.stdin", text)
        assert main(["import", "-", "--data", str(tmp_path)]) == code
    assert "leave something to chance" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2]", b"\xff\xfe", b'{"id": 1}'])
def test_file_that_is_no_score_sheet_is_not_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "sheet.json").write_bytes(content)
    assert main(["import", str(tmp_path / "sheet.json"), "--data", str(tmp_path)]) == 1
    assert "it is no exported game" in capsys.readouterr().err


def test_import_waits_for_no_server_but_refuses(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = exported(finished_game(club), tmp_path, capsys)
    (tmp_path / "sheet.json").write_text(json.dumps(sheet))
    assert main(["import", str(tmp_path / "sheet.json"), "--data", str(tmp_path)]) == 2
    assert "in use by another Parlour server" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "missing.json"), "--data", str(tmp_path)]) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["tables"], ["tables", "--json"], ["replay", "x-1"], ["export", "x-1"]])
def test_without_a_log_there_is_one_sentence_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main([*words, "--data", str(tmp_path / "empty")]) == 2
    assert capsys.readouterr() == ("", f"parlour: there is no log in {tmp_path / 'empty'}\n")


@pytest.mark.parametrize("command", ["replay", "export"])
def test_unknown_game_is_one_sentence_and_exit_1(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    finished_game(club)
    assert main([command, "nobody-1", "--data", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "there is no game nobody-1 in the log" in err


def test_game_that_never_began_can_be_looked_at(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Person(club.hub, "Ann").do(Open("glenda", {"walls": "5"})).table
    assert table is not None
    assert club.settle() is None
    assert main(["replay", table.game_id, "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("\nNot started yet.\n")
    for form in ("svg", "gif"):
        output = ["--output", str(tmp_path / "picture"), "--format", form]
        assert main(["export", table.game_id, "--data", str(tmp_path), *output]) == 2
        assert (
            capsys.readouterr().err == f"parlour: the game {table.game_id} has not begun: its board is left to chance\n"
        )


def test_game_that_was_abandoned_has_no_result_and_is_no_draw(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, _ = club.pair()
    table = ann.table
    assert table is not None
    club.play("a1", "b2")
    ann.do(Leave())
    assert club.settle() is None
    for command in (["replay", table.game_id], ["export", table.game_id, "--format", "text"]):
        assert main([*command, "--data", str(tmp_path)]) == 0
        assert capsys.readouterr().out.endswith("\nNo result (abandoned).\n")
    assert exported(table.game_id, tmp_path, capsys)["result"] == {
        "winners": [],
        "scores": [0, 0],
        "reason": "abandoned",
    }


def test_unknown_format_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "x-1", "--format", "pgn", "--data", str(tmp_path)]) == 2
    assert "invalid choice: 'pgn'" in capsys.readouterr().err


def test_empty_log_is_said_to_be_empty(club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", "The log has no games yet.\n")


def test_tables_can_be_chosen_and_come_the_latest_first(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = finished_game(club), finished_game(club)
    ann, _ = club.pair("connect4", ("Ann", "Cat"))
    third = ann.here.game_id
    Person(club.hub, "Dan").do(Open("connect4", {}))
    assert club.settle() is None

    def ids(*words: str) -> list[str]:
        assert main(["tables", "--json", "--data", str(tmp_path), *words]) == 0
        return [json.loads(row)["id"] for row in capsys.readouterr().out.splitlines()]

    assert ids()[:3] == [first, second, third]
    assert len(ids()) == 4
    assert ids("--limit", "2") == [third, second]
    assert ids("--player", "ann") == [third, second, first]
    assert ids("--player", "Ann", "--game", "noughts", "--limit", "1") == [second]
    assert ids("--game", "connect4") == [third]
    assert main(["tables", "--player", "Eve", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", "The log has no such games.\n")
    assert main(["tables", "--limit", "0", "--data", str(tmp_path)]) == 2


def test_long_list_is_written_as_it_is_read(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [finished_game(club) for _ in range(7)]
    monkeypatch.setattr("parlour.tools.tables.AT_A_TIME", 3)
    assert main(["tables", "--data", str(tmp_path)]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("ID ")
    assert [row.split()[0] for row in rows] == games


def test_every_game_that_has_begun_is_exported_a_line_each(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [finished_game(club) for _ in range(3)]
    Person(club.hub, "Dan").do(Open("connect4", {}))
    assert club.settle() is None
    expected = [exported(game, tmp_path, capsys) for game in games]
    assert main(["export", "--all", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out
    assert [json.loads(row) for row in lines.splitlines()] == expected
    assert main(["export", "--all", "--data", str(tmp_path), "--output", str(tmp_path / "all")]) == 0
    assert (tmp_path / "all").read_text(encoding="utf-8") == lines
    for words in ([], [games[0], "--all"], ["--all", "--format", "text"]):
        assert main(["export", *words, "--data", str(tmp_path)]) == 2


def test_default_place_of_the_log_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    SqliteStore(tmp_path / "parlour").close()
    assert main(["tables"]) == 0
