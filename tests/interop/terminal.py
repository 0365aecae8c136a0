"""A program in a terminal of its own: what it shows can be waited for, and lines can be typed."""

import os
import re
import select
import subprocess
import time
from typing import Self

ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Za-z0-9]|[=>])")


class Terminal:
    """Use it in a `with`: whatever happens, the program does not outlive the block."""

    def __init__(self, *command: str) -> None:
        self._fd, inside = os.openpty()
        self._program = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**os.environ, "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(inside)
        self.shown = ""
        """Everything the program has written, without the escape sequences."""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.close(self._fd)

    def end(self) -> None:
        """Kill the program, if it still runs."""
        self._program.kill()
        self._program.wait()

    def type(self, line: str) -> None:
        """Enter a line."""
        os.write(self._fd, line.encode() + b"\n")

    def see(self, text: str, seconds: float = 15.0) -> str:
        """Wait until this is shown, after what was waited for before; returns everything up to it."""
        return self.see_any(text, seconds=seconds)[1]

    def see_any(self, *texts: str, seconds: float = 15.0) -> tuple[str, str]:
        """Wait until one of these is shown; returns which, and everything up to it."""
        deadline = time.monotonic() + seconds
        while True:
            found = [(at, text) for text in texts if (at := self.shown.find(text, self._seen)) >= 0]
            if found:
                at, text = min(found)
                before, self._seen = self.shown[self._seen : at + len(text)], at + len(text)
                return text, before
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"never saw any of {texts}, only:\n{self.shown[self._seen :]}")

    def _read(self, seconds: float) -> bool:
        """Take in what is written within this time; False when the program has ended."""
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # how a terminal says that nobody is at the other end
            return False
        self.shown += ESCAPES.sub("", data.decode(errors="replace")).replace("\r", "")
        return bool(data)
