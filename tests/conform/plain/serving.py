"""Plain servers behind sockets of their own: a thread that accepts, and what it does with each connection."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def listening(handle: Callable[[socket.socket], None], threads: bool = True) -> Iterator[int]:
    """The port of a server that hands every connection on, each to a thread of its own or one after the other."""
    door = socket.create_server(("127.0.0.1", 0), backlog=64)

    def accept() -> None:
        with suppress(OSError):
            while True:
                link, _ = door.accept()
                if threads:
                    threading.Thread(target=handle, args=(link,), daemon=True).start()
                else:
                    handle(link)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield door.getsockname()[1]
    finally:
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        door.close()
        thread.join(5)
