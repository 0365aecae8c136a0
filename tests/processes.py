"""Programs that tests start."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def started(words: Sequence[str], **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """A program with its output in a pipe. It ends with the test however that ends; Popen alone waits for it."""
    with subprocess.Popen(words, **{"stdout": subprocess.PIPE, "text": True} | options) as process:
        try:
            yield process
        finally:
            process.kill()
