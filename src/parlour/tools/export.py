"""`parlour export`: one game of the log, for other programs or for people."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing

import msgspec

from parlour.core.errors import LocalError
from parlour.store.base import Library, NoSuchGame
from parlour.store.places import open_library
from parlour.tools import ggz_save, place
from parlour.tools.pictures.files import FILMS, as_film, as_svg
from parlour.tools.scoresheet import iso, name_of, plain, rules, seat_line, sheet, verdict


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="the game, as `parlour tables` lists it")
    parser.add_argument(
        "--all", action="store_true", help="every game that has begun, a line of JSON each, the oldest first"
    )
    place.arguments(parser)
    parser.add_argument("--format", choices=sorted((*FORMATS, *FILMS)), default="json", help="default: json")
    parser.add_argument("--move", metavar="N", type=int, help="with svg: the board after N moves (default: all)")
    parser.add_argument("--output", metavar="FILE", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    if args.all == (args.id is not None) or (args.all and args.format != "json"):
        raise LocalError("name one game, or write --all for a line of JSON each")
    if args.move is not None and args.format != "svg":
        raise LocalError("--move is for --format svg")
    if args.format in FILMS and args.output is None and sys.stdout.isatty():
        raise LocalError("a film is nothing for a terminal: name a file with --output")
    try:
        with closing(open_library(place.place_of(args))) as library:
            _write(_everything(library) if args.all else [written(library, args.id, args.format, args.move)], args)
    except NoSuchGame as error:
        print(f"parlour: {error}", file=sys.stderr)
        return 1
    return 0


def _write(parts: Iterable[bytes], args: argparse.Namespace) -> None:
    """Each as soon as it is there, so that a log of any size fits into memory."""
    if args.output is None:
        for part in parts:
            if args.format in FILMS:
                sys.stdout.buffer.write(part)
            else:
                sys.stdout.write(part.decode())
        return
    try:
        with open(args.output, "wb") as file:
            file.writelines(parts)
    except OSError as error:
        raise LocalError(f"cannot write {args.output}: {error.strerror}") from error


def _everything(library: Library) -> Iterator[bytes]:
    """The games that have begun, as `as_json` has them."""
    for game in library.games():
        if game.started is not None:
            yield written(library, game.id, "json")


def written(library: Library, game_id: str, form: str, move: int | None = None) -> bytes:
    """A game in one of the formats. Raises NoSuchGame, and LocalError where the format cannot say it."""
    if form in FILMS:
        return as_film(*library.game(game_id), form)
    if move is not None:
        return as_svg(*library.game(game_id), move).encode() + b"\n"
    return FORMATS[form](library, game_id).encode() + b"\n"


def as_picture(library: Library, game_id: str) -> str:
    """The board as it was at the end, or is now."""
    return as_svg(*library.game(game_id))


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


FORMATS = {"ggz": as_ggz, "json": as_json, "svg": as_picture, "text": as_text}
"""Those that are text; the others are FILMS."""
