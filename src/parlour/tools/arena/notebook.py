"""The results of a match in a file, line by line, so that it can go on after whatever interrupted it.

The first line is the match; when more games are added to it, it stands there again. Every other line is one game.
"""

import os
import re
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from parlour.core.errors import LocalError
from parlour.tools.arena.match import Match
from parlour.tools.arena.referee import Outcome

FOLDER = "arena"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: what is known of the match, or one game."""

    match: Match | None = None
    game: Outcome | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Page).decode


class Notebook:
    """The file of one match."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def read(self) -> tuple[Match, list[Outcome]]:
        """The match and its games so far. Raises LocalError."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except OSError as error:
            raise LocalError(f"there is no match to resume in {self._path}: {error.strerror}") from error
        match, games = None, {}
        for number, line in enumerate(lines[:-1], 1):  # the last one is empty, or was never finished
            try:
                page = _decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise LocalError(f"line {number} of {self._path} is damaged: {error}") from error
            match = page.match or match
            if page.game is not None:
                games[page.game.group, page.game.game] = page.game
        if match is None:
            raise LocalError(f"{self._path} has no match in it")
        return match, list(games.values())

    def begin(self, match: Match) -> None:
        """A new match. Raises LocalError when there is one of this name."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("xb")
        except FileExistsError as error:
            raise LocalError(
                f"there is a match {match.name!r} already; --resume {match.name} goes on with it"
            ) from error
        except OSError as error:
            raise self._unwritable(error) from error
        self._write(Page(match=match))

    def go_on(self, match: Match) -> None:
        """Add to what is there, over a line that was never finished."""
        try:
            self._file = self._path.open("r+b")
            whole = self._path.read_bytes().rfind(b"\n") + 1
            self._file.truncate(whole)
            self._file.seek(whole)
        except OSError as error:
            raise self._unwritable(error) from error
        self._write(Page(match=match))

    def add(self, outcome: Outcome) -> None:
        """One more game."""
        self._write(Page(game=outcome))

    def _write(self, page: Page) -> None:
        assert self._file is not None
        try:
            self._file.write(_encode(page) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> LocalError:
        return LocalError(f"the results {self._path} cannot be written: {error.strerror}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()


def notebook(directory: Path, name: str) -> Notebook:
    """The notebook of the match of this name. Raises LocalError for what is no name."""
    if not _NAME.fullmatch(name):
        raise LocalError(f"{name!r} is no name for a match: letters, digits, '.', '_' and '-', at most 64")
    return Notebook(directory / FOLDER / f"{name}.jsonl")


def fresh_name(game: str) -> str:
    """A name for a match without one."""
    return f"{game}-{os.urandom(4).hex()}"
