"""The brokers of a house: NATS servers with JetStream. Who uses this has installed `parlour[cluster]`."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from parlour.core.errors import LocalError
from parlour.store.base import shown

try:
    import nats
    from nats.aio.client import Client
    from nats.errors import Error as NatsError
    from nats.js.errors import APIError
except ImportError as error:
    raise LocalError("a house on several machines needs more packages: pip install 'parlour[cluster]'") from error

if TYPE_CHECKING:
    from nats.js import JetStreamContext

OLDEST = (2, 12, 3)
"""Of several writers with one expected sequence, older ones let two through, or lose what they acknowledged
(nats-server#4320, #7564)."""
PATIENCE = 5.0
"""Seconds for a broker to answer at the start."""
UNPLACED = (10005, 10023, 10074)
"""What JetStream answers when there are fewer brokers than copies are wanted."""

Failure = (NatsError, OSError, asyncio.TimeoutError)
"""What a question to the brokers may end in."""


class Brokers:
    """One connection to all of them: it finds another broker by itself when one is lost."""

    def __init__(self, client: Client, replicas: int) -> None:
        self.client = client
        self.js: JetStreamContext = client.jetstream(timeout=PATIENCE)
        self.replicas = replicas

    async def close(self) -> None:
        """The library writes its last words on a connection that may be lost, or that no one reads from any more."""
        with suppress(*Failure, RuntimeError):
            async with asyncio.timeout(PATIENCE):
                await self.client.close()


async def connect(urls: Sequence[str], replicas: int, name: str = "parlour") -> Brokers:
    """Raises LocalError when no broker answers, or one does that must not be used."""
    answering = [url for url in urls if await _is_fit(url)]
    if not answering:
        raise LocalError(f"no broker answers at {', '.join(map(shown, urls))}")
    client = await nats.connect(
        list(urls),
        name=name,
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.25,
        connect_timeout=1,
        ping_interval=3,
        max_outstanding_pings=2,
        error_cb=_ignore,
    )
    return Brokers(client, replicas)


async def _ignore(_: Exception) -> None:
    """The caller that waits for an answer gets the error; the library would print it as well."""


async def _is_fit(url: str) -> bool:
    """Whether a broker is there. Raises LocalError for one that is too old or keeps nothing."""
    try:
        client = await asyncio.wait_for(
            nats.connect(url, allow_reconnect=False, connect_timeout=2, error_cb=_ignore), PATIENCE
        )
    except Failure:
        return False
    try:
        version = client.connected_server_version
        found = (version.major, version.minor, version.patch)
        if found < OLDEST:
            raise LocalError(
                f"the broker {shown(url)} is nats-server {_dotted(found)}; {_dotted(OLDEST)} or newer is needed"
            )
        await client.jetstream(timeout=PATIENCE).account_info()
    except APIError as error:
        raise LocalError(f"the broker {shown(url)} keeps nothing: it runs without JetStream") from error
    except Failure:  # of a cluster that has no leader now: others tell
        pass
    finally:
        await client.close()
    return True


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def unplaced(error: APIError, replicas: int) -> LocalError:
    """One sentence for why the brokers do not want to keep something."""
    if error.err_code in UNPLACED:
        return LocalError(f"there are fewer brokers than the {replicas} copies wanted; --replicas 1 keeps only one")
    return LocalError(f"the brokers refuse: {error.description}")
