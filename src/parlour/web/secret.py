"""The secret with which this server seals what it gives out: kept with the data, so that it opens after a restart."""

import os
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store import files
from parlour.store.places import Place

FILE = files.SECRET


def kept_secret(place: Place | None) -> bytes:
    """The secret of a data directory or an archive, made when first asked for; without one it dies with the server."""
    fresh = os.urandom(files.SECRET_BYTES)
    if place is None:
        return fresh
    if isinstance(place, str):
        from parlour.store.postgres import shared_secret

        return shared_secret(place, FILE, fresh)
    path = place / FILE
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
