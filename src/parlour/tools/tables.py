"""`parlour tables`: the games in the log."""

import argparse
import shutil
import sys
from collections.abc import Iterable
from contextlib import closing

import msgspec

from parlour.config import data_directory
from parlour.store.base import StoredEnd, StoredGame, StoredPlayer
from parlour.store.library import SqliteLibrary
from parlour.tools.columns import fitted
from parlour.tools.scoresheet import iso, plain


class Listed(msgspec.Struct, frozen=True):
    """One line of `--json`; the fields are its keys."""

    id: str
    table: str
    game: str
    status: str
    players: tuple[StoredPlayer, ...]
    moves: int
    started: str | None
    result: StoredEnd | None


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    with closing(SqliteLibrary(data_directory(args.data))) as library:
        if args.json:
            _print_json(library.games())
        else:
            _print_table(list(library.games()))
    return 0


def _print_json(games: Iterable[StoredGame]) -> None:
    encode = msgspec.json.Encoder().encode
    for game in games:
        started = None if game.started is None else iso(game.started)
        listed = Listed(
            id=game.id,
            table=game.table,
            game=game.game,
            status=game.status,
            players=game.players,
            moves=game.moves,
            started=started,
            result=game.result,
        )
        print(encode(listed).decode())


def _print_table(games: list[StoredGame]) -> None:
    """Columns that fit the terminal: the players' names take what the others leave."""
    if not games:
        print("The log has no games yet.", file=sys.stderr)
        return
    wide = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    id_width = max(len("ID"), *(len(game.id) for game in games))
    game_width = max(len("GAME"), *(len(game.game) for game in games))
    fixed = f"{{:{id_width}}}  {{:{game_width}}}  {{:9}}  {{:>5}}  {{:16}}  "
    print(fixed.format("ID", "GAME", "STATUS", "MOVES", "STARTED (UTC)") + "PLAYERS (* WON)")
    room = max(12, wide - len(fixed.format("", "", "", "", "")))
    for game in games:
        started = "" if game.started is None else iso(game.started)[:16].replace("T", " ")
        line = fixed.format(plain(game.id), plain(game.game), game.status, game.moves, started)
        print((line + fitted(_names(game), room)).rstrip())


def _names(game: StoredGame) -> str:
    winners = game.result.winners if game.result is not None else ()
    return ", ".join(plain(player.name) + "*" * (player.seat in winners) for player in game.players)
