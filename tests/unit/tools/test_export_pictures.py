"""`parlour export` to pictures, as scripts and people meet it."""

import json
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from parlour.cli import main

MOVES = ("a1", "b1", "a2", "b2", "a3")
SHEET = {
    "id": "x",
    "table": "t",
    "game": "noughts",
    "options": {},
    "players": [{"seat": n, "name": name, "wire": "web", "kind": "person"} for n, name in enumerate(("Ann", "Ben"))],
    "moves": [{"seq": n + 1, "seat": n % 2, "move": m, "at": f"2026-01-01T00:00:0{n}Z"} for n, m in enumerate(MOVES)],
    "started": "2026-01-01T00:00:00Z",
    "result": {"winners": [0], "scores": [1, 0], "reason": "played-out"},
}


@pytest.fixture
def game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A game in the log, by its id."""
    (tmp_path / "sheet.json").write_text(json.dumps(SHEET))
    assert main(["import", str(tmp_path / "sheet.json"), "--data", str(tmp_path)]) == 0
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize(("words", "shown"), [((), "5 / 5"), (("--move", "2"), "2 / 5")])
def test_picture_goes_to_standard_output(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], shown: str
) -> None:
    assert main(["export", game, "--data", str(tmp_path), "--format", "svg", *words]) == 0
    text = capsys.readouterr().out
    assert text.startswith("<svg")
    assert text.endswith("</svg>\n")
    assert shown in text


@pytest.mark.parametrize(("form", "format"), [("gif", "GIF"), ("apng", "PNG")])
def test_film_goes_to_a_file(game: str, tmp_path: Path, form: str, format: str) -> None:
    film = tmp_path / "film"
    assert main(["export", game, "--data", str(tmp_path), "--format", form, "--output", str(film)]) == 0
    picture = Image.open(BytesIO(film.read_bytes()))
    assert (picture.format, picture.n_frames) == (format, len(MOVES) + 1)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--format", "svg", "--move", "9"), "there is no move 9: the game has 5"),
        (("--format", "gif", "--move", "2"), "--move is for --format svg"),
        (("--format", "svg", "--output", "/no/such/place"), "cannot write /no/such/place"),
        (("--format", "pdf"), "invalid choice"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert main(["export", game, "--data", str(tmp_path), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_film_is_not_poured_over_a_terminal(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["export", game, "--data", str(tmp_path), "--format", "gif"]) == 2
    assert "--output" in capsys.readouterr().err
