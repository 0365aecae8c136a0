"""What the games' machine code has in common: how it is compiled, kept in a directory and loaded from there.

A kernel is a module whose functions are compiled when it is imported, so nothing may import it but `load`.
"""

import importlib
import importlib.util
import os
from types import ModuleType


def load(module: str, cache_dir: str) -> ModuleType | None:
    """Import a kernel from this directory, or compile it and keep it there; None where there is no numba.

    It takes several seconds the first time, less than one later. If the directory cannot be written, the kernel is
    compiled every time.
    """
    if importlib.util.find_spec("numba") is None:
        return None
    import numba

    directory = os.path.abspath(cache_dir)
    try:
        os.makedirs(directory, exist_ok=True)
        numba.config.CACHE_DIR = directory if os.access(directory, os.W_OK) else ""
    except OSError:
        numba.config.CACHE_DIR = ""
    return importlib.import_module(module)
