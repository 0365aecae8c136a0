"""A game read off the lines that tell what happens: which game it is, with which options, and who plays what."""

import re
from collections.abc import Mapping

from parlour.core.errors import Refused
from parlour.core.game import NOBODY, Game, Options
from parlour.core.session import Sheet
from parlour.protocols.telnet import sentences

_PLAYS = re.compile(r"(.+) plays ([^.]+)\.(?: .*)?")
_BACK = re.compile(r"([0-9]+) moves? (?:is|are) taken back\..*")
_PAIR = re.compile(r"(\w+)=([^,.]*)")
_SAYS = " says: "


class Follower:
    """Writes the sheet of one table after another. Who is not in it by seat is told apart by whose turn it is."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = {game.name: game for game in games.values()}
        self._game: Game | None = None
        self._options: Options = {}
        self.sheet: Sheet | None = None

    def hear(self, text: str) -> None:
        """A line that tells what happened."""
        if _SAYS in text:
            return
        if text.startswith(sentences.AT_TABLE):
            self._arrive(text)
        elif text.startswith((sentences.NEXT_GAME, sentences.THIS_GAME)) or sentences.CHOSEN in text:
            self._options |= _options(text)
        elif text.startswith(sentences.BEGINS):
            self._begin(text)
        elif self.sheet is not None and (played := _PLAYS.fullmatch(text)) is not None:
            self._play(played[2])
        elif self.sheet is not None and (back := _BACK.fullmatch(text)) is not None:
            kept = max(0, len(self.sheet.moves) - int(back[1]))
            del self.sheet.moves[kept:], self.sheet.by[kept:]
        elif self.sheet is not None and text.startswith(sentences.YOUR_TURN) and not self.sheet.moves:
            self.sheet.seat = 0  # who begins is called seat 0 here

    def _arrive(self, text: str) -> None:
        self.sheet = None
        _, _, what = text.partition(": ")
        for name, game in self._games.items():
            if re.search(rf"(^|: ){re.escape(name)}[,.]", what):
                self._game, self._options = game, _options(what)

    def _begin(self, text: str) -> None:
        self.sheet = None
        if self._game is None:
            return
        try:
            options = self._game.options(self._options)
            self._game.start(options)
        except (Refused, KeyError, ValueError):  # walls that are not told, or a game of another make
            return
        players, _, _ = text.partition(": ")[2].partition(".")
        names = re.split(r", | and ", players)
        self.sheet = Sheet(self._game.key, options, 1, tuple(name.partition(" (")[0] for name in names))

    def _play(self, move: str) -> None:
        assert self.sheet is not None
        assert self._game is not None
        position = self._game.start(self.sheet.options)
        for made in self.sheet.moves:
            position.play(made)
        if position.turn != NOBODY and position.check(move) is None:
            self.sheet.add(position.turn, move)


def _options(text: str) -> Options:
    pairs = _PAIR.findall(text)
    return {key: int(value) if value.isascii() and value.isdecimal() else value for key, value in pairs}
