"""`parlour cluster`: what the brokers, the nodes and the archive say of a house."""

import argparse
import asyncio
import sys

import msgspec

from parlour.core.errors import LocalError


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, purpose in (
        ("status", "nodes, shelves, leases, brokers, and what is wrong with them"),
        ("drain", "let a node hand over its tables and end"),
        ("verify", "compare the shelves with the archive"),
    ):
        action = actions.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if name == "drain":
            action.add_argument("node", metavar="NODE", help="its name")
        action.add_argument("--cluster", metavar="URLS", required=True, help="nats://A,nats://B,nats://C: the brokers")
        action.add_argument("--archive", metavar="URL", help="postgresql://…: the archive")
        action.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    urls = [url.strip() for url in args.cluster.split(",")]
    return {"status": _status, "drain": _drain, "verify": _verify}[args.action](args, urls)


def _print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


def _status(args: argparse.Namespace, urls: list[str]) -> int:
    from parlour.cluster.status import lines, status

    found = asyncio.run(status(urls, args.archive))
    if args.json:
        _print_json(found)
    else:
        print("\n".join(lines(found, args.archive)))
    return 1 if found.wrong else 0


def _drain(args: argparse.Namespace, urls: list[str]) -> int:
    from parlour.cluster.draining import drain

    told = asyncio.run(drain(urls, args.node))
    if args.json:
        _print_json(told)
    else:
        print(told.text)
    return 0 if told.ended else 1


def _verify(args: argparse.Namespace, urls: list[str]) -> int:
    if args.archive is None:
        raise LocalError("cluster verify needs --archive")
    from parlour.cluster.verifying import verify

    findings = asyncio.run(verify(urls, args.archive))
    if args.json:
        _print_json({"shelves": findings})
    else:
        for finding in findings:
            behind = max(0, finding.messages - finding.archived)
            print(f"shelf {finding.shelf}: {finding.records} records compared, {behind} messages not archived yet")
            for difference in finding.differences:
                print(f"    {difference}")
    return 0 if all(not finding.differences for finding in findings) else 1
