"""Programs that we start: a server before each case, or a client for each."""

import asyncio
import contextlib
import os
import re
import shlex
import signal
from collections.abc import Mapping

from parlour.core.errors import LocalError

GOODBYE = 1.0
"""Seconds to end by itself once it is asked to."""
_KEPT = 1 << 16
"""Bytes of what it prints that are kept."""
_TRACES = re.compile(
    r"Traceback \(most recent call last\)|panicked at|Segmentation fault|core dumped|Unhandled exception|^fatal error:"
    r"|Exception in thread|^panic:|terminate called|AddressSanitizer|^Uncaught ",
    re.MULTILINE,
)
"""How programs of several languages say that they fell over."""


_SHELL = re.compile(r"[|&;<>()$`*?#~]|^\w+=")
_BY_SIGNAL = 128
"""What a shell adds to the signal that has ended its child."""


class Program:
    """A command in a process group of its own; all of the group ends with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._printed = {"out": b"", "err": b""}
        self._readers = [
            asyncio.ensure_future(self._keep(name, stream))
            for name, stream in (("out", process.stdout), ("err", process.stderr))
            if stream is not None
        ]

    @classmethod
    async def start(cls, command: str, places: Mapping[str, str]) -> "Program":
        """Start a command whose words may have `{host}`, `{port}` and `{name}` in them. Raises LocalError."""
        words = split(command, places)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                env=environment,
            )
        except OSError as error:
            raise LocalError(f"{words[0]!r} cannot be started: {error.strerror or error}") from error
        return cls(process)

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        status = self._process.returncode
        return _BY_SIGNAL - status if status is not None and status - _BY_SIGNAL in set(signal.Signals) else status

    @property
    def output(self) -> str:
        """What it printed on standard output."""
        return self._printed["out"].decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        """What it printed on standard error."""
        return self._printed["err"].decode("utf-8", "replace")

    @property
    def crashed(self) -> bool:
        """Whether it was ended by a signal that is not ours, or says itself that it fell over."""
        return (self.status is not None and self.status < 0) or self.traced

    @property
    def traced(self) -> bool:
        """Whether it printed a traceback or what other languages have in its place."""
        return _TRACES.search(self.errors) is not None or _TRACES.search(self.output) is not None

    def type(self, line: str) -> None:
        """One line of standard input; a program that reads none does not mind."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            with contextlib.suppress(OSError):
                stdin.write(line.encode() + b"\n")

    async def ended(self, seconds: float) -> bool:
        """Whether it has ended, or does so in this time."""
        if self._process.returncode is None:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(self._process.wait())), seconds)
        if self._process.returncode is None:
            return False
        await asyncio.wait(self._readers, timeout=GOODBYE)
        return True

    async def stop(self) -> None:
        """End it and all that it has started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), GOODBYE)
                break
        self._signal(signal.SIGKILL)
        await asyncio.wait(self._readers, timeout=GOODBYE)
        for reader in self._readers:
            reader.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _keep(self, name: str, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(_KEPT):
            self._printed[name] = (self._printed[name] + data)[-_KEPT:]

    def ending(self) -> str:
        """How it ended, in words; empty while it runs."""
        if self.status is None:
            return ""
        if self.status < 0:
            name = (
                signal.Signals(-self.status).name if -self.status in set(signal.Signals) else f"signal {-self.status}"
            )
            how = f"it was ended by {name}"
        else:
            how = f"it ended with exit status {self.status}"
        last = [line for line in self.errors.splitlines() if line.strip()][-1:]
        return f"{how}, saying “{last[0].strip()[:120]}”" if last and self.status else how


def split(command: str, places: Mapping[str, str]) -> list[str]:
    """The words of a command with the places filled in; one that needs a shell gets it. Raises LocalError."""
    for name, value in places.items():
        command = command.replace("{" + name + "}", value)
    if _SHELL.search(command):
        return ["/bin/sh", "-c", command]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LocalError(f"{command!r} is no command: {error}") from error
    if not words:
        raise LocalError("an empty command starts nothing")
    return words
