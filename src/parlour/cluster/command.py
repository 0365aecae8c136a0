"""`parlour cluster`: what the brokers and the archive say of a house."""

import argparse
import asyncio
import sys

import msgspec

from parlour.core.errors import LocalError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("verify",), help="compare the shelves with the archive")
    parser.add_argument("--cluster", metavar="URLS", required=True, help="nats://A,nats://B,nats://C: the brokers")
    parser.add_argument("--archive", metavar="URL", help="postgresql://…: the archive")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    if args.archive is None:
        raise LocalError(f"cluster {args.action} needs --archive")
    from parlour.cluster.verifying import verify

    findings = asyncio.run(verify(args.cluster.split(","), args.archive))
    if args.json:
        sys.stdout.write(msgspec.json.encode({"shelves": findings}).decode() + "\n")
    else:
        for finding in findings:
            behind = max(0, finding.messages - finding.archived)
            print(f"shelf {finding.shelf}: {finding.records} records compared, {behind} messages not archived yet")
            for difference in finding.differences:
                print(f"    {difference}")
    return 0 if all(not finding.differences for finding in findings) else 1
