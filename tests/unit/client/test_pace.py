"""A connection whose server shares the loop with others brings no more bytes a second than it may."""

import asyncio
from typing import Any

from parlour.client.link import MORSEL, Link
from parlour.core.session import Visit
from tests.unit.client.fake import Guest, Lines


class Pipe(asyncio.Transport):
    """Notes when reading stops and goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.reading: list[bool] = []
        self.resumed = asyncio.Event()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return Socket() if name == "socket" else default

    def pause_reading(self) -> None:
        self.reading.append(False)

    def resume_reading(self) -> None:
        self.reading.append(True)
        self.resumed.set()

    def is_closing(self) -> bool:
        return False

    def write(self, data: Any) -> None:
        """Whatever it says."""


class Socket:
    def setsockopt(self, *_: object) -> None:
        """Whatever it is."""


def test_reading_stops_for_as_long_as_the_bytes_should_have_taken() -> None:
    async def read() -> list[bool]:
        vera = Guest(Visit("here", 1, "Vera"))
        link = Link(Lines(), vera, lambda _: None, lambda: None, lambda: None, lambda _: None, pace=1e6)
        pipe = Pipe()
        link.connection_made(pipe)
        link.data_received(b"say x\n")
        assert pipe.reading == []
        link.data_received(b"say x\n" * MORSEL)
        assert pipe.reading == [False]
        await asyncio.wait_for(pipe.resumed.wait(), 20)
        return pipe.reading

    assert asyncio.run(read()) == [False, True]
