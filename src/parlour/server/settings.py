"""What a host says to `parlour serve`: options, the configuration file, and the keys of each door."""

import tomllib
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from parlour.config import data_directory
from parlour.core.errors import LocalError
from parlour.core.session import WireProtocol
from parlour.store.places import Place

DURABILITIES = ("kill", "power")
ANNOUNCING = ("auto", "yes", "no")
LEAST_ENGINE_MEMORY = 340
"""Megabytes: what one engine process needs."""
MOST_EDGES = 64


class DoorSpec(msgspec.Struct, frozen=True):
    """One listening port, with every door key of its wire."""

    name: str
    host: str
    port: int
    keys: dict[str, str]


class Settings(msgspec.Struct, frozen=True):
    """Everything `serve` needs to know."""

    data: str | None = None
    host: str = "127.0.0.1"
    listen: tuple[str, ...] = ()
    seed: int | None = None
    durability: str = "kill"
    drain: float = 10.0
    max_connections: int = 20_000
    metrics: str | None = None
    engine_memory: int = 512
    announce: str = "auto"
    visit: tuple[str, ...] = ()
    edges: int = 0
    """Processes for connections, beside the one that keeps the tables; 0 is one process for all."""
    cluster: str | None = None
    archive: str | None = None
    node: str | None = None
    advertise: str | None = None
    cluster_secret: str | None = None
    replicas: int = 3
    sync_always: bool = False

    @property
    def place(self) -> Place | None:
        """Where games are kept in the end; None where nothing is."""
        if self.archive is not None:
            return self.archive
        return None if self.data == "none" else data_directory(self.data)


KEYS = {name.replace("_", "-"): name for name in Settings.__struct_fields__}


def from_arguments(args: Namespace) -> Settings:
    """The configuration file, overruled by what was said on the command line."""
    values: dict[str, Any] = _read_file(args.config) if args.config else {}
    values |= {name: getattr(args, name) for name in KEYS.values() if getattr(args, name) is not None}
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise LocalError(f"the configuration is not understood: {error}") from error
    if settings.durability not in DURABILITIES:
        raise LocalError(f"durability must be one of {', '.join(DURABILITIES)}, not {settings.durability!r}")
    if settings.announce not in ANNOUNCING:
        raise LocalError(f"announce must be one of {', '.join(ANNOUNCING)}, not {settings.announce!r}")
    if settings.max_connections < 1:
        raise LocalError("max-connections must be at least 1")
    if settings.engine_memory < LEAST_ENGINE_MEMORY:
        raise LocalError(f"engine-memory must be at least {LEAST_ENGINE_MEMORY} MB")
    if not 0 <= settings.edges <= MOST_EDGES:
        raise LocalError(f"edges must be a number up to {MOST_EDGES}")
    if settings.edges and settings.visit:
        raise LocalError("a server whose doors are in other processes (edges) cannot visit other servers")
    if settings.edges and settings.cluster is not None:
        raise LocalError("edges are for a house on one machine: leave out --edges or --cluster")
    if settings.drain < 0:
        raise LocalError("drain must not be negative")
    if (settings.cluster is None) != (settings.archive is None):
        raise LocalError("a node of a house needs both: --cluster names its brokers, --archive its database")
    if settings.replicas < 1:
        raise LocalError("replicas must be at least 1")
    if settings.cluster and settings.durability == "power" and not settings.sync_always:
        raise LocalError("--durability power needs brokers with sync_interval: always; --sync-always says they have it")
    return settings


def _read_file(path: str) -> dict[str, Any]:
    try:
        given = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise LocalError(f"cannot read the configuration {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LocalError(f"the configuration {path} is not TOML: {error}") from error
    for key in given:
        if key not in KEYS:
            raise LocalError(f"unknown key {key!r} in {path}; known are {', '.join(sorted(KEYS))}")
    return {KEYS[key]: value for key, value in given.items()}


def doors(settings: Settings, wires: Mapping[str, WireProtocol]) -> list[DoorSpec]:
    """The doors to open: those the host names, or every wire on its default ports."""
    if settings.listen:
        return [parse_door(text, wires) for text in settings.listen]
    return [
        DoorSpec(wire.name, settings.host, port, _complete(wire, differing))
        for wire in wires.values()
        for port, differing in wire.ports
    ]


def parse_door(text: str, wires: Mapping[str, WireProtocol]) -> DoorSpec:
    """`NAME=HOST:PORT[,key=value…]`; a bare word after a comma continues the list of the door key before it."""
    name, equals, rest = text.partition("=")
    if not equals:
        raise LocalError(f"a door is NAME=HOST:PORT, not {text!r}")
    if name not in wires:
        raise LocalError(f"there is no door called {name!r}; known are {', '.join(wires)}")
    place, *words = rest.split(",")
    host, port = parse_address(place)
    given: dict[str, str] = {}
    key = ""
    for word in words:
        head, equals, value = word.partition("=")
        if equals:
            key = head.strip()
            given[key] = value.strip()
        elif key:
            given[key] = f"{given[key]},{word.strip()}"
        else:
            raise LocalError(f"{word!r} in {text!r} is not key=value")
    return DoorSpec(name, host, port, _complete(wires[name], given))


def parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, with an IPv6 address in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65535:
        raise LocalError(f"an address is HOST:PORT, not {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _complete(wire: WireProtocol, given: Mapping[str, str]) -> dict[str, str]:
    for key, value in given.items():
        if key not in wire.keys:
            raise LocalError(f"the door {wire.name!r} has no key {key!r}; known are {', '.join(wire.keys)}")
        try:
            wire.keys[key].check(value)
        except ValueError as error:
            raise LocalError(f"{wire.name}: {key} {error}, not {value!r}") from error
    return {name: key.default for name, key in wire.keys.items()} | dict(given)
