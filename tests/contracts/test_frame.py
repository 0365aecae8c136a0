"""The ways in: make, the build machine, and what tests do without a program they need."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import conftest
from tests.conftest import ROOT

ALONE = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
"""The environment without what make tells the programs that it starts."""


def recipe(target: str) -> str:
    """What make would run for this target, also when it was make that started us."""
    words = ["make", "--dry-run", "--always-make", target]
    return subprocess.run(words, cwd=ROOT, env=ALONE, capture_output=True, text=True, timeout=60, check=True).stdout


def test_serving_leaves_no_shell_between_make_and_the_server() -> None:
    assert recipe("serve").splitlines()[-1].startswith("exec ")


def test_serving_installs_nothing_that_only_tests_need() -> None:
    assert not re.search(r"\b(test|lint)\b", recipe("serve"))


@pytest.mark.parametrize("target", ["serve", "test"])
def test_make_installs_the_engines_machine_code(target: str) -> None:
    assert re.search(r"install .*'\.\[fast\b", recipe(target))


def test_make_does_not_pass_one_python_off_as_another() -> None:
    words = ["make", "--dry-run", "test", f"VENV={Path(sys.prefix)}", "PYTHON=/bin/echo"]
    answer = subprocess.run(words, cwd=ROOT, env=ALONE, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 2
    assert f"has Python {platform.python_version()}: add VENV=" in answer.stderr


def test_build_machine_runs_what_developers_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text(encoding="utf-8")
    for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports", "pytest"):
        assert tool in recipe("test")


def test_missing_program_skips_for_a_developer(
    require_program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "IN_CI", False)
    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        require_program("no-such-program")


def test_missing_program_fails_on_the_build_machine(
    require_program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "IN_CI", True)
    with pytest.raises(pytest.fail.Exception, match="no-such-program is not installed"):
        require_program("no-such-program")


def test_program_that_is_there_is_found(require_program: Callable[[str], str]) -> None:
    assert os.access(require_program("make"), os.X_OK)


def test_machine_without_apt_is_told_what_to_install_and_goes_on() -> None:
    answer = subprocess.run(
        ["/bin/sh", "scripts/system-packages", "nettoe"],
        cwd=ROOT,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode == 0
    assert "no apt-get here; please install by hand: nettoe" in answer.stderr


MANY_TESTS = """
import pytest
from tests.page import Page

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Page())
"""
A_TEST = """
import pytest

@pytest.mark.parametrize("number", range(300))
def test_number(number):
    if number == 7:
        pytest.skip("seven is not tested")
    assert number != 13
"""


def test_run_of_many_tests_ends_with_a_page_that_a_person_reads(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(MANY_TESTS)
    for folder in ("one", "two"):
        (tmp_path / "tests" / folder).mkdir(parents=True)
        (tmp_path / "tests" / folder / f"test_{folder}.py").write_text(A_TEST)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", "1", "tests"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stdout
    assert [line for line in lines if line.startswith("failed: ")] == [
        f"failed: tests/{folder}/test_{folder}.py::test_number[13]" for folder in ("one", "two")
    ]
    assert len(lines) < 70, "two of them for the failures"
    assert len([line for line in lines if "% of 600 tests after" in line]) == 10
    assert (
        len(
            [
                line
                for line in lines
                if re.fullmatch(r" +[0-9.]+  tests/(one|two) +298 passed, 1 skipped, 1 failed", line)
            ]
        )
        == 2
    )
    assert "      2  seven is not tested" in lines
    assert re.match(r"2 failed, 596 passed, 2 skipped in ", lines[-1])
    summary = re.search(r"grep -E '([^']+)'", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert summary is not None
    assert re.search(summary[1], lines[-1]), "the build machine finds its summary"


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("1", 1)])
def test_machine_without_npm_is_told_so_and_only_the_build_machine_minds(tmp_path: Path, ci: str, code: int) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "package.json").touch()
    for name in ("biome", "system-packages"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    (tmp_path / "bin").mkdir()
    for name in ("dirname", "id", "sh"):  # and no npm, apt-get or dpkg-query
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    words = ["/bin/sh", str(tmp_path / "scripts" / "biome"), "check"]
    environment = {"PATH": str(tmp_path / "bin"), "CI": ci}
    answer = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == code
    assert "biome: no npm here, so the JavaScript is not checked" in answer.stderr
