"""A network of one's own, for programs whose port is built in: two tests may listen on it at the same time."""

import ctypes
import fcntl
import os
import socket
import struct
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


def in_own_network(test: Callable[P, None]) -> Callable[P, None]:
    """Run a test in a thread with its own loopback, where the system allows that; otherwise one test at a time.

    The threads and programs that it starts inherit its network.
    """

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        def inside() -> None:
            if _enter_new_network():
                test(*args, **kwargs)
            else:
                with _alone(test.__module__):
                    test(*args, **kwargs)

        with ThreadPoolExecutor(1) as thread:
            thread.submit(inside).result()

    return run


def _enter_new_network() -> bool:
    """Give this thread a network of its own, with a loopback that works; False where that is not allowed."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "unshare") or libc.unshare(CLONE_NEWNET):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    return True


@contextmanager
def _alone(what: str) -> Iterator[None]:
    """Nobody else on this machine does the same meanwhile."""
    path = os.path.join(tempfile.gettempdir(), f"parlour-{os.getuid()}-{what}.lock")
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
