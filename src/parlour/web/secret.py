"""The secret with which this server seals what it gives out: kept with the data, so that it opens after a restart."""

import os
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store import files

FILE = files.SECRET


def kept_secret(directory: Path | None) -> bytes:
    """The secret of a data directory, made when first asked for; without a directory one that dies with the server."""
    if directory is None:
        return os.urandom(files.SECRET_BYTES)
    path = directory / FILE
    try:
        if not os.path.lexists(path):
            _write(path)
        files.make_private(path)
        return files.read_secret(path)
    except OSError as error:
        raise LocalError(f"cannot keep the secret of the web door in {path}: {error.strerror}") from error


def _write(path: Path) -> None:
    """Writes it whole or not at all, and for the owner alone to read."""
    draft = files.new_draft(path)
    draft.write_bytes(os.urandom(files.SECRET_BYTES))
    files.put_in_place(draft, path)
