"""The yardstick for spectators: a bare uvloop server that sends what anybody says to everybody, and nothing else."""

import asyncio
import sys
from typing import cast

import uvloop

everybody: list[asyncio.Transport] = []


class Broadcast(asyncio.Protocol):
    __slots__ = ("transport",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        everybody.append(self.transport)

    def data_received(self, data: bytes) -> None:
        for transport in everybody:
            transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - every end is the same here
        everybody.remove(self.transport)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Broadcast, "127.0.0.1", 0, backlog=4096)
    print(f"listening broadcast 127.0.0.1:{server.sockets[0].getsockname()[1]}")
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        uvloop.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
