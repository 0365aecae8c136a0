"""The secret with which this server seals what it gives out: kept with the data, so that it opens after a restart."""

import os
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store import files

FILE = files.SECRET
SECRET_BYTES = 32


def kept_secret(directory: Path | None) -> bytes:
    """The secret of a data directory, made when first asked for; without a directory one that dies with the server."""
    if directory is None:
        return os.urandom(SECRET_BYTES)
    path = directory / FILE
    try:
        if not os.path.lexists(path):
            _write(path)
        if not path.is_file():  # reading a pipe would never end
            raise LocalError(f"cannot keep the secret of the web door in {path}: it is no file")
        files.make_private(path)
        secret = path.read_bytes()
    except OSError as error:
        raise LocalError(f"cannot keep the secret of the web door in {path}: {error.strerror}") from error
    if len(secret) != SECRET_BYTES:
        raise LocalError(f"{path} does not hold {SECRET_BYTES} bytes; remove it, and guests get new cookies")
    return secret


def _write(path: Path) -> None:
    """Writes it whole or not at all, and for the owner alone to read."""
    draft = files.new_draft(path)
    draft.write_bytes(os.urandom(SECRET_BYTES))
    files.put_in_place(draft, path)
