"""The process that reads what the proxy passes on: it writes lines and files, and may be as slow as it likes.

It is a process of its own so that nothing that happens here, not even a fault, holds a byte back on its way.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

import msgspec

from parlour.core.errors import LocalError
from parlour.trace.records import Unpacker
from parlour.trace.sinks import opened
from parlour.trace.tracer import Plan, Tracer

CHUNK = 1 << 20


class Printer:
    """Lines to standard output, many at a time; when standard output is closed they are dropped."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open = True

    def show(self, line: str) -> None:
        self._lines.append(line)

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        if not lines or not self._open:
            return
        try:
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            self._open = False
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tracer(plan: Plan, show: Callable[[str], object]) -> Tracer:
    """A tracer with the files that are to be kept. Raises LocalError."""
    sinks = [opened(name, plan.wire) for name in plan.save]
    return Tracer(plan, sinks, show, boards=any(name.endswith(".html") for name in plan.save))


def main() -> int:
    """Read records from standard input until it ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the proxy is told to stop, and then says so by closing
    os.nice(10)  # the process that passes the bytes on goes first
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    printer, unpacker = Printer(), Unpacker()
    try:
        trace = tracer(plan, printer.show)
    except LocalError as error:
        sys.stderr.write(f"parlour: {error}\n")
        return 2
    while data := os.read(0, CHUNK):
        for record in unpacker.feed(data):
            trace.take(record)
        printer.flush()
    trace.close()
    printer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
