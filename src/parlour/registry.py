"""Every game, wire, store and command: one line each. Nothing is imported until it is asked for.

Other packages add games and wires through the entry point groups `parlour.games` and `parlour.protocols`.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, cast

from parlour.core.errors import LocalError
from parlour.core.game import Game
from parlour.core.session import WireProtocol

GAMES = {
    "dots": "parlour.games.dots:GAME",
    "connect4": "parlour.games.connect4:GAME",
    "noughts": "parlour.games.noughts:GAME",
    "glenda": "parlour.games.glenda:GAME",
}

PROTOCOLS = {
    "c4n": "parlour.protocols.c4n:PROTOCOL",
    "nettoe": "parlour.protocols.nettoe:PROTOCOL",
    "glendy": "parlour.protocols.glendy:PROTOCOL",
    "netdot": "parlour.protocols.netdot:PROTOCOL",
    "ggz": "parlour.protocols.ggz:PROTOCOL",
    "ggz-dots": "parlour.protocols.ggzdots:PROTOCOL",
    "web": "parlour.protocols.web:PROTOCOL",
    "telnet": "parlour.protocols.telnet:PROTOCOL",
}

COMMANDS = {
    "serve": ("parlour.server.command", "open the doors and run until stopped"),
    "play": ("parlour.client.command", "play on any server, ours or an original one"),
    "bot": ("parlour.client.bot", "let an engine or a program play on any server"),
    "analyse": ("parlour.tools.analyse", "show what an engine thinks of a position"),
    "arena": ("parlour.tools.arena.command", "let levels, engines and outside programs play matches"),
    "tables": ("parlour.tools.tables", "list the games in the log"),
    "replay": ("parlour.tools.replay", "show one game of the log, move by move"),
    "export": ("parlour.tools.export", "write a game of the log to a file: JSON, text, picture or film"),
    "import": ("parlour.tools.importing", "put an exported game into the log"),
    "backup": ("parlour.tools.backup", "save everything a server keeps in one file, while it runs"),
    "restore": ("parlour.tools.restore", "make a data directory from a backup"),
    "compact": ("parlour.tools.compact", "remove old unrated games and give their space back"),
    "accounts": ("parlour.tools.accounts", "manage registered names and bans, for the host"),
    "cluster": ("parlour.cluster.command", "look after a house on several machines"),
    "trace": ("parlour.trace.command", "show what a client and a server say to each other, live or recorded"),
    "conform": ("parlour.conform.command", "examine a server or a client of a wire against its document"),
    "doctor": ("parlour.server.doctor", "check what this machine has, and what others can reach"),
}

SERVERS = {
    "house": "parlour.server.app:serve",
    "edges": "parlour.cluster.supervisor:serve",
    "node": "parlour.cluster.node:serve",
}
"""What `serve` starts: a house of one process, one with edges, or a node of one on several machines."""


def load(place: str) -> Any:
    """The object at "module:name"."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class _Shelf(Mapping[str, Any]):
    """Names with their objects, each imported when first taken down. Ours come first, and keep their names."""

    def __init__(self, places: Mapping[str, str], group: str) -> None:
        others = {point.name: point.value for point in entry_points(group=group) if point.name not in places}
        self._ours = frozenset(places)
        self._places = {**places, **others}
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Any:
        place = self._places[name]
        if name in self._ours:
            return load(place)
        try:
            return load(place)
        except Exception as error:  # it comes from another package and may fail in any way
            raise LocalError(f"{name!r} of another package cannot be loaded from {place!r}: {error}") from error

    def module(self, name: str) -> str:
        """The name of the package, or of the module in it, that has the object."""
        return self._places[name].partition(":")[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@cache
def _games() -> _Shelf:
    return _Shelf(GAMES, "parlour.games")


def games() -> Mapping[str, Game]:
    return cast(Mapping[str, Game], _games())


def folder(game: str) -> Traversable:
    """Where the files of a game are: the package that its entry point names, or the one around a module.

    Raises LocalError for a game of another package that cannot be played.
    """
    shelf = _games()
    if shelf[game].key != game:
        raise LocalError(f"the game {game!r} of another package calls itself {shelf[game].key!r}")
    package = import_module(shelf.module(game)).__package__
    if not package:
        raise LocalError(f"the game {game!r} is a module alone: it must be in a package, where its board lies, too")
    return files(package)


@cache
def protocols() -> Mapping[str, WireProtocol]:
    return cast(Mapping[str, WireProtocol], _Shelf(PROTOCOLS, "parlour.protocols"))
