"""`parlour replay`: one game of the log, move by move, with the board after each."""

import argparse
import sys
from contextlib import closing

from parlour.store.base import NoSuchGame
from parlour.store.places import open_library
from parlour.tools import place, scoresheet
from parlour.tools.scoresheet import Unplayable, name_of, plain, seat_line, verdict


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the game, as `parlour tables` lists it")
    place.arguments(parser)


def run(args: argparse.Namespace) -> int:
    try:
        with closing(open_library(place.place_of(args))) as library:
            stored, moves = library.game(args.id)
    except NoSuchGame as error:
        print(f"parlour: {error}", file=sys.stderr)
        return 1
    game = scoresheet.rules(stored.game)
    print(f"{game.name}, game {plain(stored.id)}")
    for player in stored.players:
        print(seat_line(game, player))
    try:
        steps = scoresheet.replay(game, stored.options, moves, len(stored.players))
        for move, (left, back, joined, position) in zip(moves, steps, strict=True):
            print()
            for seat in left:
                if seat not in back:  # of those who are, it is not certain who was away
                    print(f"{name_of(stored.players, seat)} is out.")
            for seat in joined:
                print(f"{name_of(stored.players, seat)} takes part.")
            print(f"{move.seq}. {name_of(stored.players, move.seat)}: {plain(move.move)}")
            print(position.text())
    except Unplayable as error:
        print(f"parlour: the game does not follow its rules: {error}", file=sys.stderr)
        return 1
    print()
    print(verdict(stored))
    return 0
