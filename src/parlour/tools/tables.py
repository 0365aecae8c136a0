"""`parlour tables`: the games in the log."""

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice

import msgspec

from parlour.core.errors import LocalError
from parlour.store.base import Library, StoredGame
from parlour.store.places import open_library
from parlour.tools import place
from parlour.tools.columns import fitted
from parlour.tools.scoresheet import iso, line, plain

AT_A_TIME = 500
"""Games that are written together."""


def arguments(parser: argparse.ArgumentParser) -> None:
    place.arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--game", metavar="KEY", default="", help="only games of this kind that have begun, the latest first"
    )
    parser.add_argument("--player", metavar="NAME", default="", help="only games that NAME played, the latest first")
    parser.add_argument("--limit", metavar="N", type=int, help="only the latest N that have begun, the latest first")


def run(args: argparse.Namespace) -> int:
    if args.limit is not None and args.limit < 1:
        raise LocalError("--limit is at least 1")
    with closing(open_library(place.place_of(args))) as library:
        chosen = bool(args.game or args.player or args.limit is not None)
        games = islice(_latest(library, args.game, args.player), args.limit) if chosen else library.games()
        chunks = iter(lambda: list(islice(games, AT_A_TIME)), [])
        if args.json:
            _print_json(chunks)
        elif not _print_table(chunks):
            print(f"The log has no {'such games' if chosen else 'games yet'}.", file=sys.stderr)
    return 0


def _latest(library: Library, game: str, player: str) -> Iterator[StoredGame]:
    """The games that have begun, the latest first."""
    before = ""
    while page := library.latest(AT_A_TIME, before, game, player):
        yield from page
        before = page[-1].id


def _print_json(chunks: Iterable[list[StoredGame]]) -> None:
    encode = msgspec.json.Encoder().encode_lines
    for games in chunks:
        sys.stdout.write(encode([line(game) for game in games]).decode())


def _print_table(chunks: Iterable[list[StoredGame]]) -> bool:
    """Columns that fit the terminal: the players' names take what the others leave. Returns whether there is a row."""
    wide = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    id_width = game_width = 0
    for games in chunks:
        head = not id_width
        id_width = max(id_width, len("ID"), *(len(game.id) for game in games))
        game_width = max(game_width, len("GAME"), *(len(game.game) for game in games))
        fixed = f"{{:{id_width}}}  {{:{game_width}}}  {{:9}}  {{:>5}}  {{:16}}  "
        if head:
            print(fixed.format("ID", "GAME", "STATUS", "MOVES", "STARTED (UTC)") + "PLAYERS (* WON)")
        room = max(12, wide - len(fixed.format("", "", "", "", "")))
        sys.stdout.write("".join(_row(game, fixed, room) for game in games))
    return id_width > 0


def _row(game: StoredGame, fixed: str, room: int) -> str:
    started = "" if game.started is None else iso(game.started)[:16].replace("T", " ")
    row = fixed.format(plain(game.id), plain(game.game), game.status, game.moves, started)
    return (row + fitted(_names(game), room)).rstrip() + "\n"


def _names(game: StoredGame) -> str:
    winners = game.result.winners if game.result is not None else ()
    return ", ".join(plain(player.name) + "*" * (player.seat in winners) for player in game.players)
