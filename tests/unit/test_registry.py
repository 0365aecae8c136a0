"""Games of other packages: found by their entry points, never in the place of ours, and nothing falls over them."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from parlour import cli, registry
from parlour.core.errors import LocalError

GROUP = "parlour.games"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder for packages, which claim to be these games."""
    places = {
        "dots": "theirs:GAME",
        "new": "theirs:GAME",
        "broken": "broken:GAME",
        "alone": "alone:GAME",
        "other": "theirs:GAME",
    }
    points = [EntryPoint(name, place, GROUP) for name, place in places.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == GROUP else [])
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text("class GAME:\n    key = 'new'\n")
    (tmp_path / "broken.py").write_text("import a_package_that_is_not_there")
    (tmp_path / "alone.py").write_text("class GAME:\n    key = 'alone'\n")
    registry._games.cache_clear()
    yield tmp_path
    registry._games.cache_clear()
    for name in ("theirs", "broken", "alone"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("installed")
def test_ours_come_first_and_keep_their_names() -> None:
    assert list(registry.games()) == [*registry.GAMES, "new", "broken", "alone", "other"]
    assert registry.games()["dots"].key == "dots"
    assert registry.games()["new"].key == "new"


def test_files_of_a_game_are_found_in_its_package(installed: Path) -> None:
    assert registry.folder("new") == installed / "theirs"
    for key, why in (("alone", "must be in a package"), ("other", "calls itself 'new'"), ("broken", "No module named")):
        with pytest.raises(LocalError, match=why):
            registry.folder(key)


@pytest.mark.usefixtures("installed")
def test_package_that_cannot_be_loaded_is_named_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["analyse", "broken"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("parlour: 'broken' of another package cannot be loaded from 'broken:GAME': No module named")
    assert told.count("\n") == 1
