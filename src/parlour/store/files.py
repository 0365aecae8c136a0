"""The files of a data directory: for their owner alone, put in place whole, and judged before SQLite opens them."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from parlour.core.errors import LocalError

SECRET = "web-secret"  # noqa: S105 - its name
"""With which the door for browsers seals cookies and tokens."""
SECRET_BYTES = 32
PRIVATE = 0o600
PRIVATE_DIRECTORY = 0o700
HEADER_BYTES = 100
"""https://sqlite.org/fileformat2.html#the_database_header"""
COMPANIONS = ("-wal", "-shm")
"""What SQLite keeps beside a log, as the ends of their names."""


def make_directory(directory: Path) -> None:
    """Make the data directory unless it is there; one that is there keeps its mode. Raises OSError."""
    directory.mkdir(PRIVATE_DIRECTORY, parents=True, exist_ok=True)


def make_private(path: Path) -> None:
    """Let the owner alone read and write a log, with what SQLite keeps beside it; it makes new ones like the log."""
    for each in (path, *(beside(path, end) for end in COMPANIONS)):
        with suppress(OSError):  # it is not there, or another's, who may keep it as they like
            if stat.S_ISREG(each.lstat().st_mode):
                each.chmod(PRIVATE)


def new_draft(target: Path) -> Path:
    """An empty file beside this one, for its owner alone, which takes its name when it is complete. Raises OSError."""
    draft = beside(target, ".part")
    for end in ("", "-journal", *COMPANIONS):  # of one that was cut off: SQLite would mend the new one with it
        beside(draft, end).unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
    return draft


def put_in_place(draft: Path, target: Path, overwrite: bool = False) -> None:
    """Give a finished file its name, so that even a power cut leaves all of it there or nothing. Raises OSError."""
    _flush(draft)
    if not overwrite:
        try:
            os.link(draft, target)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            overwrite = True
    if overwrite:
        draft.replace(target)
    else:
        draft.unlink()
    _flush(target.parent)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def identity(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """Which files are now called like a log and its write-ahead file, as device and number; None for one not there."""
    found: list[tuple[int, int] | None] = []
    for each in (path, beside(path, "-wal")):
        try:
            status = each.stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_dev, status.st_ino))
    return tuple(found)


def read_secret(path: Path) -> bytes:
    """The secret of a data directory. Raises LocalError for what can be none, and OSError."""
    if not path.is_file():  # reading a pipe would never end
        raise LocalError(f"{path} is no file; remove it, and guests get new cookies")
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise LocalError(f"{path} does not hold {SECRET_BYTES} bytes; remove it, and guests get new cookies")
    return secret


def beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def require_no_remains(path: Path) -> None:
    """Refuse to begin a log where the last moves of another still lie: SQLite would take them for its own."""
    if beside(path, "-wal").exists():
        raise LocalError(f"the log {path} is missing, but its last moves are in {beside(path, '-wal')}: bring it back")


def require_log(path: Path) -> None:
    """Refuse what can be no log by its kind, mode and size. SQLite itself would take a byte or none for a new database.

    The file is not opened: closing it would end every lock that SQLite holds on it in this process, and then the next
    program that reads the log would remove the write-ahead file under a running server
    (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    try:
        status = path.stat()
    except OSError as error:
        raise LocalError(f"the log {path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise LocalError(f"the log {path} is no file")
    if not status.st_mode & 0o444:
        raise LocalError(f"the log {path} cannot be read: its mode forbids it")
    if not status.st_size:
        raise LocalError(f"the log {path} is damaged: it is empty")
    if status.st_size < HEADER_BYTES:
        raise LocalError(f"the log {path} is damaged: it has only {status.st_size} bytes")
