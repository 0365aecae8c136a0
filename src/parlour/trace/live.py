"""The life of a proxy: the process that decodes, the loop that passes bytes on, and the signal that ends both."""

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import BinaryIO, cast

import msgspec

from parlour.core.errors import LocalError
from parlour.trace import proxy
from parlour.trace.proxy import Target
from parlour.trace.spill import Feed
from parlour.trace.tracer import Plan


def stand_between(plan: Plan, listen: tuple[str, int], target: tuple[str, int]) -> int:
    """Listen, pass on, decode, until stopped. Raises LocalError."""
    try:
        found = socket.getaddrinfo(*target, type=socket.SOCK_STREAM)
    except OSError as error:
        raise LocalError(f"{target[0]} is no known host: {error.strerror}") from error
    _raise_limit()
    loop = _new_loop()
    try:
        loop.run_until_complete(_serve(plan, listen, target, str(found[0][4][0])))
    finally:
        loop.close()
    return 0


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _raise_limit() -> None:
    """As many connections as the system lets us have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(plan: Plan, listen: tuple[str, int], target: tuple[str, int], shown: str) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    command = [sys.executable, "-m", "parlour.trace.decoder", msgspec.json.encode(plan).decode()]
    decoder = subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0)  # noqa: S603 - our own
    assert decoder.stdin is not None
    feed = Feed()
    feed.on_death = lambda: sys.stderr.write("parlour: nothing is decoded any more; bytes are still passed on\n")
    await feed.open(cast(BinaryIO, decoder.stdin))
    try:
        await proxy.run(
            listen, Target(*target, shown), feed, lambda where: _say(f"listening {plan.wire} {where}"), stop
        )
    except OSError as error:
        raise LocalError(f"{listen[0]}:{listen[1]} cannot be listened on: {os.strerror(error.errno or 0)}") from error
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        await feed.finish()
        decoder.wait()


def _say(text: str) -> None:
    print(text, flush=True)
