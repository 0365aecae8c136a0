"""A program that plays through the API, as tests need one."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tests.server.child import PATIENCE
from tests.web.house import HERE, Answer

JSON = {"content-type": "application/json"}


class Reachable(Protocol):
    """A server."""

    @property
    def port(self) -> int: ...


class Stream:
    """Lines of JSON, as they come."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def line(self) -> bytes:
        return self._response.readline()

    def next(self, *kinds: str) -> dict[str, Any]:
        """The next message, or the next of these types."""
        while True:
            line = self.line()
            assert line, f"the stream ended before {kinds}"
            if line.strip():
                told: dict[str, Any] = json.loads(line)
                if not kinds or told["type"] in kinds:
                    return told

    def event(self, kind: str) -> dict[str, Any]:
        """The next record of such an event."""
        while True:
            told = self.next("record")
            if told["event"]["type"] == kind:
                return told

    def rest(self) -> list[dict[str, Any]]:
        """Everything up to the end of the stream."""
        return [json.loads(line) for line in self._response if line.strip()]


class Program:
    """Somebody with a token."""

    def __init__(self, house: Reachable, name: str = "Robin", bot: bool = True, token: str = "") -> None:
        self._port = house.port
        self.headers = dict(JSON)
        self.token = token or self.post("/api/guests", name=name, bot=bot).json["token"]
        self.headers["authorization"] = f"Bearer {self.token}"

    def post(self, path: str, **said: Any) -> Answer:
        return self._ask("POST", path, json.dumps(said).encode())

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, None)

    def _ask(self, method: str, path: str, body: bytes | None) -> Answer:
        connection = http.client.HTTPConnection(HERE, self._port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, self.headers)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    @contextmanager
    def stream(self, path: str, headers: dict[str, str] | None = None, **said: Any) -> Iterator[Stream]:
        """A stream: with something said by POST, else by GET."""
        connection = http.client.HTTPConnection(HERE, self._port, timeout=PATIENCE)
        try:
            body = json.dumps(said).encode() if said or path.endswith("/sit") else None
            connection.request("GET" if body is None else "POST", path, body, {**self.headers, **(headers or {})})
            response = connection.getresponse()
            yield Stream(response)
            response.close()
        finally:
            connection.close()
