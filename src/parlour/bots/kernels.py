"""The engines' machine code on disk: which of it is there, and what it was made from.

Compiling takes half a minute and much memory, loading a second. A note beside the code tells one case from the other
without importing the compiler: it is written when an engine's code is complete, and says for which machine it is.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import inspect
import os
import platform
import sys
from pathlib import Path

from parlour.bots.levels import EngineFailed
from parlour.core.game import Engine, Warmable

COMPILER = "numba"


def compiler() -> bool:
    """Whether there is one; only importing it tells whether it works."""
    return importlib.util.find_spec(COMPILER) is not None


def origin(engine: Engine) -> str:
    """What an engine's code is made from and for: sources, compiler, Python and processor."""
    source = sys.modules[type(engine).__module__].__file__
    files = sorted(Path(source).parent.glob("*.py")) if source is not None else []
    made_from = [(str(file), status.st_size, status.st_mtime_ns) for file in files for status in (file.stat(),)]
    versions = importlib.metadata.version(COMPILER), platform.python_version(), platform.machine(), _processor()
    return hashlib.blake2b(repr((made_from, versions)).encode(), digest_size=16).hexdigest()


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            return next((line for line in lines if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def _note(directory: str, key: str) -> Path:
    return Path(directory) / f"{key}.complete"


def is_kept(directory: str, key: str, engine: Engine) -> bool:
    """Whether this engine's code is there and fits."""
    try:
        return _note(directory, key).read_text(encoding="utf-8") == origin(engine)
    except (OSError, UnicodeDecodeError):
        return False


def load(directory: str, key: str, engine: Engine, memory: int | None) -> bool:
    """Load an engine's code, or compile it. Raises EngineFailed, whatever goes wrong inside."""
    assert isinstance(engine, Warmable)
    limits = {"memory": memory} if memory is not None and _takes_memory(engine) else {}
    try:
        works = engine.warm(directory, **limits)
    except Exception as error:  # a compiler, of any version, on any machine
        raise EngineFailed(f"{type(error).__name__}: {error}") from error
    if works and not is_kept(directory, key, engine):
        _keep(directory, key, engine)
    return works


def _takes_memory(engine: Warmable) -> bool:
    """Whether it wants to be told how many bytes its tables may take."""
    return "memory" in inspect.signature(engine.warm).parameters


def _keep(directory: str, key: str, engine: Engine) -> None:
    note = _note(directory, key)
    new = note.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # without the note it is loaded the slow way, once for each start
        new.write_text(origin(engine), encoding="utf-8")
        new.replace(note)
