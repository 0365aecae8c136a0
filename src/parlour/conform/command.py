"""`parlour conform URL` examines a server, `parlour conform --client NAME` a client."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec

from parlour.client.address import parse
from parlour.conform.case import Case, Role, Suite
from parlour.conform.suites import SUITES, suite
from parlour.core.errors import LocalError
from parlour.registry import protocols

if TYPE_CHECKING:
    from parlour.conform.examiner import Plan
    from parlour.conform.report import Examination

SECONDS = 5.0
LOOPBACK = "127.0.0.1:0"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `parlour conform` understands."""
    names = ", ".join(SUITES)
    parser.add_argument("url", metavar="URL", nargs="?", help=f"the server to examine: one of {names}, ://HOST[:PORT]")
    parser.add_argument("--client", metavar="NAME", choices=SUITES, help=f"examine a client of this wire: {names}")
    parser.add_argument("--command", dest="program", metavar="CMD", help="start the client for each case")
    parser.add_argument("--listen", metavar="HOST:PORT", default=LOOPBACK, help=f"where clients come to ({LOOPBACK})")
    parser.add_argument("--restart", metavar="CMD", help="start the server anew before each case")
    parser.add_argument("--dialect", metavar="NAME", help="what the peer speaks, where a wire has several")
    parser.add_argument(
        "--only", metavar="GLOB", action="append", default=[], help="put these cases alone (repeatable)"
    )
    parser.add_argument("--skip", metavar="GLOB", action="append", default=[], help="leave these out (repeatable)")
    parser.add_argument("--list", action="store_true", help="print the cases, with clause and severity")
    parser.add_argument("--seconds", metavar="S", type=_seconds, default=SECONDS, help="wait so long a case (5)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="all dice follow from it (0)")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--junit", metavar="FILE", help="write the report as JUnit's XML")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page, with diagrams")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e6:
        raise ValueError(text)
    return seconds


def run(args: argparse.Namespace) -> int:
    """0: no failure, 1: failures."""
    if args.list:
        return _list(args)
    if (args.url is None) == (args.client is None):
        raise LocalError("name the URL of a server, or --client NAME: one of the two")
    if args.program is not None and args.client is None:
        raise LocalError("--command starts a client: it goes with --client NAME")
    if args.restart is not None and args.client is not None:
        raise LocalError("--restart starts a server: it goes with a URL")
    return _examine(args)


def _list(args: argparse.Namespace) -> int:
    from parlour.conform.report import listed

    wires = [args.client] if args.client else [_wire(args.url)] if args.url else list(SUITES)
    roles = [Role.CLIENT] if args.client else [Role.SERVER] if args.url else list(Role)
    for case in _some([case for wire in wires for role in roles for case in _chosen(suite(wire), role, args)]):
        print(listed(case))
    return 0


def _wire(url: str) -> str:
    return parse(url, protocols())[0].name if "://" in url else url


def _chosen(wire: Suite, role: Role, args: argparse.Namespace) -> Sequence[Case]:
    """The cases that were asked for."""

    def wanted(case: Case) -> bool:
        only = not args.only or any(fnmatchcase(case.id, glob) for glob in args.only)
        return only and not any(fnmatchcase(case.id, glob) for glob in args.skip)

    return [case for case in wire.cases if case.role is role and wanted(case)]


def _some(cases: Sequence[Case]) -> Sequence[Case]:
    """The same. Raises LocalError when there are none."""
    if not cases:
        raise LocalError("there is no such case: --list shows all there are")
    return cases


def _examine(args: argparse.Namespace) -> int:
    import asyncio

    from parlour.conform.examiner import Plan
    from parlour.conform.report import Examination, as_json, as_junit, summary, write

    started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if args.client is not None:
        wire, role, peer = suite(args.client), Role.CLIENT, args.program or args.client
        host, port = _listen(args.listen)
    else:
        protocol, visit = parse(args.url, protocols())
        wire, role, peer = suite(protocol.name), Role.SERVER, args.url
        host, port = visit.host, visit.port
    plan = Plan(
        suite=wire,
        role=role,
        cases=_some(_chosen(wire, role, args)),
        seconds=args.seconds,
        seed=args.seed,
        dialect=args.dialect,
        host=host,
        port=port,
        command=args.program,
        restart=args.restart,
        say=lambda text: print(text, file=sys.stderr, flush=True),
        listening=lambda host, port: print(
            f"listening {wire.wire} {f'[{host}]' if ':' in host else host}:{port}", flush=True
        ),
    )
    examination = asyncio.run(_put(plan, Examination(wire.wire, role.value, peer, "", started, [])))
    for line in summary(examination.findings):
        print(line, file=sys.stderr)
    if args.json:
        write(args.json, as_json(examination))
    if args.junit:
        write(args.junit, as_junit(examination))
    if args.html:
        from parlour.conform.page import as_page

        write(args.html, as_page(examination))
    return _last_line(examination)


async def _put(plan: "Plan", run: "Examination") -> "Examination":
    """Put every case, and print what came of it as soon as it is known."""
    from parlour.conform.examiner import examine
    from parlour.conform.report import lines

    findings = []
    spoken: list[str] = []
    async for finding in examine(msgspec.structs.replace(plan, speaks=spoken.append)):
        findings.append(finding)
        print("\n".join(lines(finding)), flush=True)
    return msgspec.structs.replace(run, dialect=spoken[0], findings=findings)


def _last_line(run: "Examination") -> int:
    from parlour.conform.finding import Outcome, counted

    print(counted(run.findings), flush=True)
    return int(any(finding.outcome is Outcome.FAIL for finding in run.findings))


def _listen(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 0xFFFF:
        raise LocalError(f"--listen {text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
