"""`parlour export`: one game of the log, for other programs or for people."""

import argparse
import sys
from contextlib import closing

import msgspec

from parlour.config import data_directory
from parlour.store.base import Library, NoSuchGame
from parlour.store.library import SqliteLibrary
from parlour.tools import ggz_save
from parlour.tools.scoresheet import iso, name_of, plain, rules, seat_line, sheet, verdict


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the game, as `parlour tables` lists it")
    parser.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")
    parser.add_argument("--format", choices=sorted(FORMATS), default="json", help="default: json")


def run(args: argparse.Namespace) -> int:
    try:
        with closing(SqliteLibrary(data_directory(args.data))) as library:
            text = FORMATS[args.format](library, args.id)
    except NoSuchGame as error:
        print(f"parlour: {error}", file=sys.stderr)
        return 1
    print(text)
    return 0


def as_json(library: Library, game_id: str) -> str:
    """One JSON object; `parlour import` reads it."""
    return msgspec.json.encode(sheet(*library.game(game_id))).decode()


def as_ggz(library: Library, game_id: str) -> str:
    """A save game of GGZ's Dots; `parlour import` reads it, too."""
    game, moves = library.game(game_id)
    save = ggz_save.of_game(game, moves, library.comings(game_id))
    unsaid = ggz_save.unsaid(game)
    if unsaid is not None:
        print(f"parlour: note: {unsaid}", file=sys.stderr)
    return ggz_save.text(save)


def as_text(library: Library, game_id: str) -> str:
    """A sheet to read or print."""
    game, moves = library.game(game_id)
    known = rules(game.game)
    lines = [f"{known.name}, game {plain(game.id)}"]
    if game.options:
        lines.append("Options: " + ", ".join(f"{plain(key)} {plain(str(game.options[key]))}" for key in game.options))
    if game.started is not None:
        lines.append(f"Started: {iso(game.started)}")
    lines += [seat_line(known, player) for player in game.players]
    if moves:
        lines.append("")
    lines += [f"{move.seq:>4}. {plain(move.move)}  {name_of(game.players, move.seat)}" for move in moves]
    return "\n".join([*lines, "", verdict(game)])


FORMATS = {"ggz": as_ggz, "json": as_json, "text": as_text}
