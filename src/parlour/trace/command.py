"""`parlour trace`: stand between a client and a server, or read what was recorded."""

import argparse
from pathlib import Path

import msgspec

from parlour.core.errors import LocalError
from parlour.trace.reading import FOLLOWERS
from parlour.trace.sinks import check
from parlour.trace.tracer import Plan

DIALECTS = {"ggz-dots": ("2000", "4"), "netdot": ("1", "2", "beta", "3")}
"""Wires that may be told in which dialect they are spoken; the others show it themselves."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `parlour trace`."""
    parser.usage = (
        "parlour trace LISTEN TARGET --wire NAME [options]\n       parlour trace FILE [--wire NAME] [options]"
    )
    parser.add_argument("place", nargs="+", metavar="PLACE", help="HOST:PORT to listen on and HOST:PORT of the server, "
                        "or a file: .wire, .ndjson, .pcap or .pcapng")  # fmt: skip
    parser.add_argument("--wire", choices=FOLLOWERS, metavar="NAME", help=f"one of {', '.join(FOLLOWERS)}")
    parser.add_argument("--dialect", default="", metavar="NAME", help="ggz-dots: 2000 or 4; netdot: 1, 2, beta or 3")
    parser.add_argument("--port", action="append", type=int, default=[], metavar="N", help="in a capture, only "
                        "connections to this port (repeatable)")  # fmt: skip
    parser.add_argument("--save", action="append", default=[], metavar="FILE", help="keep it, by the ending of the "
                        "name: .wire, .ndjson, .pcapng or .html (repeatable)")  # fmt: skip
    parser.add_argument("--raw", action="store_true", help="show the bytes of every message as well")
    parser.add_argument("--board", action="store_true", help="draw the position after every move")


def run(args: argparse.Namespace) -> int:
    """Trace until the file ends, or until stopped."""
    plan = Plan(args.wire or "", _dialect(args), args.raw, args.board, tuple(args.save))
    for name in plan.save:
        check(name)
    if len(args.place) == 1:
        return _read(plan, Path(args.place[0]), frozenset(args.port))
    if len(args.place) > 2:
        raise LocalError("trace takes LISTEN and TARGET, or one file")
    if not plan.wire:
        raise LocalError(f"trace needs --wire, one of {', '.join(FOLLOWERS)}")
    listen, target = (_address(text, number) for number, text in enumerate(args.place))
    from parlour.trace.live import stand_between

    return stand_between(plan, listen, target)


def _dialect(args: argparse.Namespace) -> str:
    dialect: str = args.dialect
    known = DIALECTS.get(args.wire or "", ())
    if dialect and dialect not in known:
        raise LocalError(f"--dialect must be one of {', '.join(known)} on this wire" if known else
                         "--dialect is for --wire ggz-dots and netdot; the other wires show theirs")  # fmt: skip
    return dialect


def _address(text: str, number: int) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or not number <= int(port) <= 65535:
        raise LocalError(f"{text!r} is no HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


# --- a file -----------------------------------------------------------------------------------------------------------


def _read(plan: Plan, path: Path, ports: frozenset[int]) -> int:
    from parlour.trace.decoder import tracer
    from parlour.trace.sources import Source

    source = Source(path, plan.wire, ports)
    if any(Path(name).exists() and Path(name).samefile(path) for name in plan.save):
        raise LocalError(f"{path} is read and cannot be written at the same time")
    trace = tracer(msgspec.structs.replace(plan, wire=source.wire), print)
    try:
        if source.decoded:
            trace.say(source.messages())
        else:
            for record in source.records():
                trace.take(record)
    except KeyboardInterrupt:
        return 0  # as much as was wanted
    finally:
        trace.close()
    return 0
