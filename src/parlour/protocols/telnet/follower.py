"""A game read off the lines that tell what happens: which game it is, with which options, and who plays what."""

import re
from collections.abc import Mapping

from parlour.core.errors import Refused
from parlour.core.game import NOBODY, Game, Options
from parlour.core.session import Sheet
from parlour.protocols.telnet import sentences

_NAMED = re.compile(r"You are (?!at table)(.+)\.")
_SEAT = re.compile(r"You have seat ([0-9]+)")
_TURN = re.compile(r"It is (.+)'s turn\.")
_PLAYS = re.compile(r".+ plays ([^.]+)\.(?: .*)?")
_BACK = re.compile(r"([0-9]+) moves? (?:is|are) taken back\..*")
_PAIR = re.compile(r"(\w+)=([^,.]*)")
SAYS = " says: "


class Follower:
    """Writes the sheet of one game after another."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = {game.name: game for game in games.values()}
        self._game: Game | None = None
        self._options: Options = {}
        self._me = ""
        self._seat = 0
        """Ours, as it was told on our arrival."""
        self.sheet: Sheet | None = None

    def hear(self, text: str) -> None:
        """A line that tells what happened."""
        if SAYS in text:
            return
        if text.startswith(sentences.AT_TABLE):
            self._arrive(text)
        elif (named := _NAMED.fullmatch(text)) is not None:
            self._me = named[1]
        elif text.startswith((sentences.NEXT_GAME, sentences.THIS_GAME)) or sentences.CHOSEN in text:
            self._options |= _options(text)
        elif text.startswith(sentences.BEGINS):
            self._begin(text)
        elif self.sheet is not None and (played := _PLAYS.fullmatch(text)) is not None:
            self._play(self.sheet, played[1])
        elif self.sheet is not None and (back := _BACK.fullmatch(text)) is not None:
            kept = max(0, len(self.sheet.moves) - int(back[1]))
            del self.sheet.moves[kept:], self.sheet.by[kept:]

    def _arrive(self, text: str) -> None:
        self.sheet = None
        _, _, what = text.partition(": ")
        for name, game in self._games.items():
            if re.search(rf"(^|: ){re.escape(name)}[,.]", what):
                self._game, self._options = game, _options(what)
        seat = _SEAT.search(what)
        self._seat = 0 if seat is None else int(seat[1])

    def _begin(self, text: str) -> None:
        """Whose turn it is stands behind the names, unless it is ours."""
        self.sheet = None
        if self._game is None:
            return
        players, _, turn = text.partition(": ")[2].partition(".")
        sides = [f" ({side})" for side in self._game.sides]
        names = [_without(name, sides) for name in re.split(r", | and ", players)]
        mine = names.index(self._me) if self._me in names else self._seat
        begins = _TURN.search(turn)
        first = mine if begins is None else names.index(begins[1]) if begins[1] in names else 1 - mine
        try:
            options = self._game.options(self._options)
            self._game.start(options, first, len(names))
        except (Refused, KeyError, ValueError, IndexError):  # walls that are not told, or a game of another make
            return
        self.sheet = Sheet(self._game.key, options, mine, tuple(names), first)

    def _play(self, sheet: Sheet, move: str) -> None:
        assert self._game is not None, "a sheet is of a game"
        position = self._game.start(sheet.options, sheet.first, len(sheet.names))
        for made in sheet.moves:
            position.play(made)
        if position.turn != NOBODY and position.check(move) is None:
            sheet.add(position.turn, move)


def _without(name: str, sides: list[str]) -> str:
    """A player's name without the side that stands behind it."""
    return next((name.removesuffix(side) for side in sides if name.endswith(side)), name)


def _options(text: str) -> Options:
    pairs = _PAIR.findall(text)
    return {key: int(value) if value.isascii() and value.isdecimal() else value for key, value in pairs}
