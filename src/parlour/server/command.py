"""`parlour serve`."""

import argparse

from parlour.registry import load
from parlour.server import settings as configuration


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="DIR", help='where the log lives; "none" keeps everything in memory')
    parser.add_argument("--host", metavar="ADDR", help="address of all default doors (default 127.0.0.1)")
    parser.add_argument(
        "--listen",
        metavar="NAME=HOST:PORT[,key=value...]",
        action="append",
        help="open this door (repeatable; when given, only these open; port 0 picks a free one)",
    )
    parser.add_argument(
        "--visit", metavar="URL", action="append", help="list another server as a table to sit at (repeatable)"
    )
    parser.add_argument("--config", metavar="FILE", help="TOML file with the same keys")
    parser.add_argument("--seed", type=int, metavar="N", help="every toss, wall and tie-break follows from it")
    parser.add_argument(
        "--durability",
        choices=configuration.DURABILITIES,
        help="what an acknowledged move survives: kill -9 (default), or a power cut",
    )
    parser.add_argument("--drain", type=float, metavar="SECONDS", help="how long a stop waits for games (default 10)")
    parser.add_argument("--max-connections", type=int, metavar="N", help="default 20000, or what the system allows")
    parser.add_argument("--metrics", metavar="HOST:PORT", help="serve Prometheus metrics there")
    parser.add_argument(
        "--announce",
        choices=configuration.ANNOUNCING,
        help="tell the local network where the house is (default auto: when others can reach it)",
    )
    parser.add_argument(
        "--engine-memory", type=int, metavar="MB", help="what all engine processes together may take (default 512)"
    )
    parser.add_argument(
        "--edges", type=int, metavar="N", help="let N processes have the connections, and one the tables (default 0)"
    )


def run(args: argparse.Namespace) -> int:
    settings = configuration.from_arguments(args)
    if settings.edges:
        code: int = load("parlour.cluster.supervisor:serve")(settings)
        return code
    from parlour.server.app import serve

    serve(settings)
    return 0
