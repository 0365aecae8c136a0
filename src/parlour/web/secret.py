"""The secret with which this server seals what it gives out: kept with the data, so that it opens after a restart."""

import os
from pathlib import Path

from parlour.core.errors import LocalError

FILE = "web-secret"
SECRET_BYTES = 32


def kept_secret(directory: Path | None) -> bytes:
    """The secret of a data directory, made when first asked for; without a directory one that dies with the server."""
    if directory is None:
        return os.urandom(SECRET_BYTES)
    path = directory / FILE
    try:
        if not path.exists():
            _write(path)
        secret = path.read_bytes()
    except OSError as error:
        raise LocalError(f"cannot keep the secret of the web door in {path}: {error.strerror}") from error
    if len(secret) != SECRET_BYTES:
        raise LocalError(f"{path} does not hold {SECRET_BYTES} bytes; remove it, and guests get new cookies")
    return secret


def _write(path: Path) -> None:
    """Writes it whole or not at all, and for the owner alone to read."""
    passing = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(os.urandom(SECRET_BYTES))
        file.flush()
        os.fsync(file.fileno())
    passing.replace(path)
