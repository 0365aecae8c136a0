"""`parlour arena`, from the command line to the log."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cli import main
from parlour.core.game import NOBODY
from parlour.registry import games
from parlour.store.sqlite import SqliteStore
from parlour.tools.arena.display import Progress
from parlour.tools.arena.lines import Memory, Question, decode, encode
from parlour.tools.arena.match import Contender, Match
from tests.conftest import ROOT
from tests.processes import started
from tests.unit.tools.test_arena_scores import outcome

EXAMPLE = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'examples' / 'random_bot.py'))}"
SMALL = ["dots", "-o", "width=3", "-o", "height=3"]
SCORES = ("players", "wins", "draws", "losses", "seats")

ENGINES = """
from parlour.registry import games

class Raises:
    def choose(self, position, level, budget):
        raise RuntimeError("no idea")

class Cheats:
    def choose(self, position, level, budget):
        return "a1"

RAISES, CHEATS = Raises(), Cheats()
"""

HANGS_IN_ITS_SECOND_GAME = """
import json, sys, time
games = 0
for line in sys.stdin:
    question = json.loads(line)
    games += len(question["moves"]) < 2
    if games == 2:
        open(sys.argv[1], "w").close()
        time.sleep(600)
    print(question["legal"][0], flush=True)
"""

MISTAKES = [
    ([], "which game"),
    (["go", "easy", "hard"], "no game 'go'"),
    (["noughts", "easy"], "needs 2 players, not 1"),
    (["noughts", "easy", "grandmaster"], "no player 'grandmaster'"),
    (["noughts", "easy", "hard@soon"], "no player"),
    (["noughts", "easy", "hard@1.2.3"], "not negative"),
    (["noughts", "easy", "cmd:"], "empty"),
    (["noughts", "easy", "cmd:'x"], "cannot be read"),
    (["noughts", "easy", "cmd:/no/such/program"], "no program"),
    (["noughts", "easy", "--command", "/no/such/program"], "no program"),
    (["noughts", "easy", "hard:no.such.module:ENGINE"], "no module"),
    (["noughts", "a=easy", "a=easy", "a#2=easy"], "no player 'a#2=easy'"),
    (["noughts", "easy", "hard", "-o", "size=3"], "'size=3'"),
    (["dots", "easy", "hard", "-o", "width"], "KEY=VALUE"),
    (["dots", "easy", "hard", "-o", "players=3"], "needs 3 players"),
    (["noughts", "easy", "hard", "--games", "0"], "--games"),
    (["noughts", "easy", "hard", "--seconds", "-1"], "--seconds"),
    (["noughts", "easy", "hard", "--grace", "nan"], "--grace"),
    (["noughts", "easy", "hard", "--seed", "x"], "--seed"),
    (["noughts", "easy", "hard", "--jobs", "0"], "--jobs"),
    (["noughts", "easy", "hard", "--name", "../up"], "no name for a match"),
    (["noughts", "easy", "hard", "--games", "1000001"], "--games"),
    (["noughts", *["easy"] * 60, "--games", "1000000"], "are the most"),
    (["--resume", "nobody"], "no match to resume"),
    (["--resume", "nobody", "noughts"], "already"),
]


def arena(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """The results of a match, as a script gets them."""
    assert main(["arena", *words, "--json"]) == code
    results: dict[str, Any] = json.loads(capsys.readouterr().out)
    return results


def sheets(capsys: pytest.CaptureFixture[str], data: Path) -> list[dict[str, Any]]:
    """Every game in the log, exported."""
    assert main(["tables", "--data", str(data), "--json"]) == 0
    listed = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    games_ = []
    for id_ in listed:
        assert main(["export", id_, "--data", str(data)]) == 0
        games_.append(json.loads(capsys.readouterr().out))
    return games_


def course(sheet: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Who sat where, and what they played."""
    return [player["name"] for player in sheet["players"]], [move["move"] for move in sheet["moves"]]


def command(code: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", code, *arguments])


# --- playing ----------------------------------------------------------------------------------------------------------


def test_every_game_is_in_the_log_and_seats_alternate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    results = arena(capsys, *SMALL, "random", "other=random", "--games", "4", "--data", str(tmp_path))
    logged = sheets(capsys, tmp_path)
    assert [course(sheet)[0] for sheet in logged] == [["random", "other"], ["other", "random"]] * 2
    assert [sheet["result"]["reason"] for sheet in logged] == ["played-out"] * 4
    (pairing,) = results["pairings"]
    wins = sum([player["name"] for player in sheet["players"]].index("random") in sheet["result"]["winners"]
               for sheet in logged)  # fmt: skip
    assert (pairing["games"], pairing["wins"]) == (4, wins)
    assert main(["replay", logged[0]["id"], "--data", str(tmp_path)]) == 0
    assert "won" in capsys.readouterr().out


def test_everything_follows_from_the_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    played = []
    for folder, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        data = tmp_path / folder
        arena(capsys, "glenda", "random", "easy", "--games", "4", "--seed", seed, "--data", str(data))
        played.append([(sheet["options"], *course(sheet)) for sheet in sheets(capsys, data)])
    assert played[0] == played[1] != played[2]
    assert played[0][0][0] == played[0][1][0] != played[0][2][0]  # both sides get the same walls, then others


def test_games_at_the_same_time_are_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["noughts", "random", "x=random", "y=random", "--games", "6", "--data", "none"]
    one, four = arena(capsys, *words), arena(capsys, *words, "--jobs", "4")
    assert [[pairing[key] for key in SCORES] for pairing in one["pairings"]] == [
        [pairing[key] for key in SCORES] for pairing in four["pairings"]
    ]
    assert len(one["pairings"]) == 3


def test_levels_meet_and_the_better_one_wins(capsys: pytest.CaptureFixture[str]) -> None:
    results = arena(capsys, "noughts", "master", "engine", "random", "--games", "8", "--data", "none", "--jobs", "2")
    best = {player["name"]: player for player in results["players"]}
    assert best["random"]["points"] < min(best["master"]["points"], best["engine"]["points"])
    meeting = next(pairing for pairing in results["pairings"] if pairing["players"] == ["master", "engine"])
    assert (meeting["draws"], meeting["elo"]) == (8, 0)
    assert best["master"]["moves"] > 0


def test_three_at_a_table_rotate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*SMALL, "-o", "players=3", "a=random", "b=random", "c=random", "--games", "3", "--data", str(tmp_path)]
    assert len(arena(capsys, *words)["pairings"]) == 3
    assert ["".join(course(sheet)[0]) for sheet in sheets(capsys, tmp_path)] == ["abc", "bca", "cab"]


def test_the_opening_is_random_and_the_same_for_both_seats(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arena(capsys, "noughts", "master", "hard", "--opening", "3", "--games", "4", "--data", str(tmp_path))
    openings = [course(sheet)[1][:3] for sheet in sheets(capsys, tmp_path)]
    assert openings[0] == openings[1]
    assert openings[2] == openings[3] != openings[0]


def test_an_opening_longer_than_the_game_leaves_the_last_move(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["dots", "-o", "width=2", "-o", "height=2", "random", "random", "--opening", "99", "--games", "2"]
    results = arena(capsys, *words, "--data", "none")
    assert sum(player["moves"] for player in results["players"]) == 2


# --- programs ---------------------------------------------------------------------------------------------------------


def test_example_bot_plays_like_chance_does(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for folder, player in (("program", f"bot=cmd:{EXAMPLE}"), ("chance", "bot=random")):
        arena(capsys, *SMALL, player, "easy", "--games", "4", "--data", str(tmp_path / folder))
    logged = [sheets(capsys, tmp_path / folder) for folder in ("program", "chance")]
    assert [course(sheet) for sheet in logged[0]] == [course(sheet) for sheet in logged[1]]
    assert {player["wire"] for sheet in logged[0] for player in sheet["players"]} == {"program", "engine"}


def test_a_program_may_be_one_line_of_sed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = next(line for line in (ROOT / "docs" / "arena.md").read_text().splitlines() if "sed -u" in line)
    words = shlex.split(program)[1:]
    assert words[:2] == ["arena", "noughts"]
    arena(capsys, *words[1:], "--games", "2", "--data", str(tmp_path))
    _, second = (course(sheet) for sheet in sheets(capsys, tmp_path))
    assert (second[0][0], second[1][0]) == ("sed", "a1")


def test_faults_are_losses_and_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "cheat.py").write_text("for _ in iter(input, None): print('z9')")
    words = ["noughts", "random", "--command", f"{sys.executable} {tmp_path / 'cheat.py'}", "--games", "2"]
    results = arena(capsys, *words, "--data", str(tmp_path), code=1)
    assert (results["pairings"][0]["wins"], results["players"][1]["illegal"]) == (2, 2)
    first = results["errors"][0]
    assert (first["verdict"], first["move"], first["game"]) == ("ILLEGAL", 2, 1)
    assert "z9" in first["detail"]
    assert main(["export", first["id"], "--data", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == {"winners": [0], "scores": [1, 0], "reason": "resigned"}


def test_timeouts_are_losses_and_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    slow = command("import time; print(input()[:0] + 'a1', flush=True); time.sleep(600)")
    words = ["noughts", f"slow=cmd:{slow}", "x=random", "--opening", "0", "--seconds", "0", "--grace", "0.1"]
    results = arena(capsys, *words, "--games", "1", "--seed", "3", "--data", str(tmp_path), code=1)
    assert [(error["player"], error["verdict"], error["move"]) for error in results["errors"]] == [
        ("slow", "TIMEOUT", 3)
    ]
    (sheet,) = sheets(capsys, tmp_path)
    assert sheet["result"]["reason"] == "timeout"


def test_engines_that_fail_are_judged_like_programs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd_engines.py").write_text(ENGINES)
    monkeypatch.syspath_prepend(tmp_path)
    words = ["noughts", "a=master:odd_engines:RAISES", "b=master:odd_engines:CHEATS", "--games", "2"]
    results = arena(capsys, *words, "--data", "none", code=1)
    verdicts = [(error["player"], error["verdict"]) for error in results["errors"]]
    assert verdicts == [("a", "CRASH"), ("a", "CRASH")]
    assert "RuntimeError: no idea" in results["errors"][0]["detail"]
    again = arena(capsys, "noughts", "random", "b=master:odd_engines:CHEATS", "--games", "4", "--data", "none", code=1)
    assert {(error["player"], error["verdict"]) for error in again["errors"]} == {("b", "ILLEGAL")}


def test_the_others_play_on_at_a_bigger_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*SMALL, "-o", "players=3", "easy", f"crash=cmd:{command('1 / 0')}", "last=easy", "--games", "3"]
    results = arena(capsys, *words, "--data", str(tmp_path), code=1)
    assert results["players"][-1]["name"] == "crash"
    assert results["players"][-1]["crashes"] == 3
    for sheet in sheets(capsys, tmp_path):
        assert sheet["result"]["reason"] == "played-out"
        assert len(sheet["moves"]) == 12
        assert main(["replay", sheet["id"], "--data", str(tmp_path)]) == 0


# --- going on ---------------------------------------------------------------------------------------------------------


def test_a_resumed_match_is_the_match_it_would_have_been(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*SMALL, "random", "easy", "--seed", "7"]
    whole = arena(capsys, *words, "--games", "6", "--data", "none")
    arena(capsys, *words, "--games", "3", "--name", "m", "--data", str(tmp_path))
    file = tmp_path / "arena" / "m.jsonl"
    file.write_bytes(file.read_bytes()[:-9])  # the last line was being written when the power went
    resumed = arena(capsys, "--resume", "m", "--games", "6", "--data", str(tmp_path))
    assert [resumed["pairings"][0][key] for key in SCORES] == [whole["pairings"][0][key] for key in SCORES]
    assert (resumed["played"], resumed["seed"]) == (6, 7)
    done = arena(capsys, "--resume", "m", "--data", str(tmp_path))
    assert (done["played"], done["planned"]) == (6, 6)
    assert len(sheets(capsys, tmp_path)) == 7  # one game was played twice, and says so


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["noughts", "random", "random", "--name", "m"], "--resume m"),
        (["--resume", "m", "--games", "1"], "can only add"),
        (["--resume", "m", "--seed", "1"], "already"),
        (["--resume", "bad"], "line 2"),
        (["--resume", "empty"], "no match in it"),
    ],
)
def test_what_cannot_be_resumed_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: Sequence[str], sentence: str
) -> None:
    arena(capsys, "noughts", "random", "random", "--games", "2", "--name", "m", "--data", str(tmp_path))
    good = (tmp_path / "arena" / "m.jsonl").read_text().splitlines()
    (tmp_path / "arena" / "bad.jsonl").write_text("\n".join([good[0], "{", good[1], ""]))
    (tmp_path / "arena" / "empty.jsonl").write_text("")
    assert main(["arena", *words, "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_interrupt_keeps_what_was_played(tmp_path: Path) -> None:
    fifo = tmp_path / "hanging"
    os.mkfifo(fifo)
    program = command(HANGS_IN_ITS_SECOND_GAME, str(fifo))
    call = [sys.executable, "-m", "parlour", "arena", "noughts", "random", f"p=cmd:{program}", "--games", "2"]
    call += ["--seconds", "600", "--name", "m", "--data", str(tmp_path), "--json"]
    with started(call, stderr=subprocess.PIPE) as running:
        fifo.open().close()  # waits until it hangs
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert json.loads(out)["played"] == 1
    assert "--resume m" in err
    assert "Traceback" not in err
    resumed = subprocess.run([*call[:4], "--resume", "m", "--data", str(tmp_path), "--json"],
                             capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert (resumed.returncode, json.loads(resumed.stdout)["played"]) == (0, 2)


# --- telling ----------------------------------------------------------------------------------------------------------


def test_table_for_people_names_everything(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["arena", "glenda", "random", f"bad\x1b[1m=cmd:{command('1 / 0')}", "--games", "2", "--data", "none"]
    assert main(words) == 2  # no such letters in a name
    capsys.readouterr()
    assert main([*words[:3], f"bad=cmd:{command('1 / 0')}", *words[4:]]) == 1
    said = capsys.readouterr()
    assert "2 of 2 games" in said.out
    assert "random - bad" in said.out
    assert "+inf" in said.out
    assert "AS TRAPPER" in said.out
    assert "bad: CRASH at move" in said.err
    assert "2/2 games" in said.err


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    people = (Contender("a", "random"), Contender("b\x1b", "random"))
    progress = Progress(Match("m", "dots", {}, people, 2, 0, None, 1.0, 0), 2, 0)
    progress.add(outcome((0, 1), (0,), (1, 0), 1))
    progress.end()
    shown = screen.getvalue()
    assert "[............" in shown
    assert "[############......" in shown
    assert "b?: CRASH" in shown
    assert shown.endswith("\r\033[K")


@pytest.mark.parametrize(("words", "sentence"), MISTAKES)
def test_mistake_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], sentence: str
) -> None:
    assert main(["arena", *words, "--data", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_data_in_use_is_one_sentence_with_a_way_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)):
        assert main(["arena", "noughts", "random", "random", "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "in use" in said
    assert "--data none" in said
    assert not (tmp_path / "arena").exists()


# --- lines ------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 1000), st.lists(st.booleans(), max_size=30), st.integers(2, 4))
def test_memory_never_differs_from_a_replay(seed: int, leaving: list[bool], players: int) -> None:
    rng = Random(seed)
    memory, game = Memory(), games()["dots"]
    options = game.options({"width": 3, "height": 3, "players": players})
    for _ in range(2):
        position = game.start(options)
        moves: list[str] = []
        out: list[tuple[int, int]] = []
        goes = iter(leaving)
        while position.turn != NOBODY:
            question = Question("dots", options, players, position.turn, moves[:], out[:], position.legal(), 1.0, 0)
            if rng.random() < 0.5:  # one is not asked every time
                recalled = memory.recall(decode(encode(question)))
                assert (recalled.turn, recalled.text(), recalled.scores()) == (
                    position.turn,
                    position.text(),
                    position.scores(),
                )
            if next(goes, False) and rng.random() < 0.2:
                out.append((position.turn, len(moves)))
                position.leave(position.turn)
            else:
                moves.append(rng.choice(position.legal()))
                position.play(moves[-1])
