"""`parlour bot` as a process: one line a game, and what it complains about."""

import re
import subprocess
import sys
import threading
import time

from tests.server.child import PARLOUR

PATIENCE = 120.0
LINE = re.compile(r"(won|lost|draw|aborted) \S+ \d+ \d+\.\d")
LEVEL = ("--level", "easy")
PROGRAM = ("--command", f"{sys.executable} examples/random_bot.py", "--seconds", "60")
"""With all the time in the world: the machine may be busy."""


class Bot:
    """A running bot called Vera."""

    def __init__(self, url: str, *words: str) -> None:
        self.process = subprocess.Popen(
            [*PARLOUR, "bot", url, "--name", "Vera", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self._stdout = self.process.stdout
        self.errors = ""
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as complaints:
            for line in complaints:
                self.errors += line

    def line(self) -> str:
        """The next line of its output."""
        return self._stdout.readline().rstrip("\n")

    def complains(self, text: str) -> None:
        """Wait until it has."""
        end = time.monotonic() + PATIENCE
        while text not in self.errors:
            assert self.process.poll() is None, self.errors
            assert time.monotonic() < end, self.errors
            time.sleep(0.02)

    def finish(self) -> tuple[list[str], str]:
        """Wait for its end: the other lines of games, and the last line."""
        guard = threading.Timer(PATIENCE, self.process.kill)
        guard.start()
        with self._stdout as lines:
            *games, last = lines.read().splitlines()
        self.process.wait(PATIENCE)
        self._listening.join(PATIENCE)
        guard.cancel()
        return games, last
