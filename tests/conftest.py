"""What every test may use."""

import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bench.brokers import Broker, Database, Missing, brokers, database
from tests.page import Page

IN_CI = bool(os.environ.get("CI"))

# A slow machine is not a failing test, and the build machine must see today what it saw yesterday.
settings.register_profile(
    "parlour", deadline=None, derandomize=IN_CI, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("parlour")

# Servers that the tests start compile nothing, unless the test is about that.
os.environ.setdefault("PARLOUR_KERNELS", "none")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: servers, brokers and browsers that are waited for leave them idle at times."""
    return 1 + (os.cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job ignores it, and so do its children
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # the workers of xdist tell the first process, and that writes the page
        config.pluginmanager.register(Page(), "page")


ROOT = Path(__file__).parent.parent
SELDOM_ON_THE_PATH = ("/usr/games", "/usr/local/games", "/usr/sbin")
"""Where Debian puts games, and servers; seldom on a build machine's path."""


def find_program(name: str) -> str:
    """The path of a program that must be installed: skips without it, and fails where CI is set."""
    path = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *SELDOM_ON_THE_PATH)))
    if path is not None:
        return path
    reason = f"{name} is not installed (scripts/system-packages {name})"
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def require_program() -> Callable[[str], str]:
    return find_program


class MachineCode:
    """The engines' machine code: all tests share one directory, and one process compiles while the others wait for it.

    It is kept from one run of the tests to the next.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        """A place for users' data whose machine code it is: the value of XDG_DATA_HOME."""
        self._directory = data / "parlour" / "kernels"
        self._directory.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Whatever is compiled meanwhile is not compiled by another process as well."""
        with (self._directory / "tests.lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def load(self, warm: Callable[..., bool], *more: int) -> bool:
        """Whether an engine could load its code, or compile it."""
        with self.alone():
            return warm(str(self._directory), *more)


@pytest.fixture(scope="session")
def machine_code(pytestconfig: pytest.Config) -> MachineCode:
    assert pytestconfig.cache is not None
    return MachineCode(pytestconfig.cache.mkdir("data"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


# --- brokers and a database -------------------------------------------------------------------------------------------


@contextmanager
def installed() -> Iterator[None]:
    """What is missing is a reason to skip, and a failure where CI is set."""
    try:
        yield
    except Missing as missing:
        if IN_CI:
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    """A PostgreSQL server for all tests of this process; every test makes a database of its own."""
    with tempfile.TemporaryDirectory(prefix="parlour-postgres-") as directory:
        Path(directory).chmod(0o755)  # it runs as another user
        with installed(), database(Path(directory)) as server:
            yield server


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One broker for all tests of this process that need no more."""
    with installed(), brokers(tmp_path_factory.mktemp("broker"), count=1) as (only,):
        yield only
