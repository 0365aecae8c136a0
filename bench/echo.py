"""The yardstick: a bare uvloop server that sends back what it gets, and nothing else."""

import asyncio
import sys
from typing import cast

import uvloop


class Echo(asyncio.Protocol):
    __slots__ = ("transport",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0, backlog=4096)
    print(f"listening echo 127.0.0.1:{server.sockets[0].getsockname()[1]}")
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        uvloop.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
