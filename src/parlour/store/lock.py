"""One server per data directory: an advisory lock that the kernel drops with the process, however it ends."""

import fcntl
import os
from pathlib import Path

from parlour.core.errors import LocalError

LOCK = "parlour.lock"


def take(directory: Path) -> int:
    """Lock the directory; the descriptor holds the lock until it is closed. The file names the holder."""
    try:
        descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise LocalError(f"the data directory {directory} cannot be locked: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise LocalError(f"the data directory {directory} is in use by another Parlour server ({who})") from error
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def release(descriptor: int) -> None:
    """Let the next one in. The file stays: removing it would race with a process that is just opening it."""
    os.ftruncate(descriptor, 0)
    os.close(descriptor)
