"""`parlour play URL`: a person, or a script, plays on any server."""

import argparse
import asyncio
import io
import os
import signal
import sys

import msgspec

from parlour.client.address import SCHEMES, parse
from parlour.client.stay import INTERRUPTED, Screen, Stay
from parlour.registry import games, protocols


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `parlour play` understands."""
    wires = ", ".join(f"{SCHEMES.get(name, name)}://" for name in protocols())
    parser.add_argument("url", metavar="URL", help=f"where to play: {wires} and then HOST[:PORT]")
    parser.add_argument("--name", metavar="N", help="the name to play under (also NAME@HOST in the URL)")
    parser.add_argument("--once", action="store_true", help="play one game, say no to another one, and end")


def run(args: argparse.Namespace) -> int:
    """Play until the server, the person or the input is through."""
    protocol, visit = parse(args.url, protocols(), args.name)
    # An address stays in histories and in lists of processes: no place for a password.
    visit = msgspec.structs.replace(visit, password=os.environ.get("PARLOUR_PASSWORD", ""), games=games())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name in letters that this terminal lacks is no reason to fail

    async def stay() -> int:
        typed = sys.stdin
        live = typed is not None and typed.isatty()
        fd = None if typed is None else typed.fileno()
        encoding = "utf-8" if typed is None else typed.encoding
        return await Stay(protocol, visit, Screen(sys.stdout), args.once, live).run(fd, encoding)

    code = asyncio.run(stay())
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # we are as good as gone; one more Ctrl-C shall not spoil it
    return code
