"""`parlour serve`."""

import argparse

from parlour.registry import SERVERS, load
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
        "--cluster", metavar="URLS", help="nats://A,nats://B,nats://C: be a node of the house that has these brokers"
    )
    parser.add_argument("--archive", metavar="URL", help="postgresql://…: where a house keeps games and names")
    parser.add_argument("--node", metavar="NAME", help="what this node is called (default: the name of the machine)")
    parser.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        help="where other nodes reach this one (default: a free port of this machine, for nodes on it alone)",
    )
    parser.add_argument(
        "--cluster-secret", metavar="FILE", help="what nodes know each other by (default: kept in the archive)"
    )
    parser.add_argument("--replicas", type=int, metavar="N", help="how many brokers keep each move (default 3)")
    parser.add_argument(
        "--sync-always",
        action="store_const",
        const=True,
        help="the brokers have sync_interval: always, which --durability power needs and they cannot be asked",
    )
    parser.add_argument(
        "--engine-memory", type=int, metavar="MB", help="what all engine processes together may take (default 512)"
    )
    parser.add_argument(
        "--edges", type=int, metavar="N", help="let N processes have the connections, and one the tables (default 0)"
    )


def run(args: argparse.Namespace) -> int:
    settings = configuration.from_arguments(args)
    kind = "edges" if settings.edges else "house" if settings.cluster is None else "node"
    return load(SERVERS[kind])(settings) or 0
