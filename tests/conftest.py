"""What every test may use."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.page import Page

IN_CI = bool(os.environ.get("CI"))

# A slow machine is not a failing test, and the build machine must see today what it saw yesterday.
settings.register_profile(
    "parlour", deadline=None, derandomize=IN_CI, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("parlour")

# Servers that the tests start compile nothing, unless the test is about that.
os.environ.setdefault("PARLOUR_KERNELS", "none")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the workers of xdist tell the first process, and that writes the page
        config.pluginmanager.register(Page(), "page")


ROOT = Path(__file__).parent.parent
GAMES_ARE_HERE = ("/usr/games", "/usr/local/games")
"""Where Debian puts the programs that the interop tests play against; seldom on a build machine's path."""


@pytest.fixture
def require_program() -> Callable[[str], str]:
    """The path of a program that must be installed: skips without it, and fails where CI is set."""

    def find(name: str) -> str:
        path = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *GAMES_ARE_HERE)))
        if path is not None:
            return path
        reason = f"{name} is not installed (scripts/system-packages {name})"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)

    return find


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT
