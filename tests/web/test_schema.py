"""The API does what its description says, whatever is asked: requests made of it try to prove otherwise."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from parlour.web.describing import LINES
from parlour.web.openapi import document
from tests.server.child import PATIENCE
from tests.web.api import Program
from tests.web.house import HERE, WebHouse

EXAMPLES = 15
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
REFUSED = 413, 421
"""Too long, and by another name: refusals as well, which the check of bad requests does not know."""
SCHEMA = schemathesis.openapi.from_dict(document())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)}


class Seated:
    """A program with a game under way, so that paths and tokens can name something."""

    def __init__(self, house: WebHouse) -> None:
        self.base = f"http://{HERE}:{house.port}"
        self._program = Program(house)
        self._seek = self._program.stream("/api/seek", game="noughts", opponent="engine", level="easy")
        self.table = self._seek.__enter__().next("table")["table"]
        with self._program.stream("/api/seek", game="connect4", opponent="engine", level="easy") as stream:
            over = stream.next("table")
            self._program.post(f"/api/tables/{over['table']}/resign")
            stream.event("finished")
        self.game = over["state"]["game"]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": self._program.headers["authorization"]}

    def go(self) -> None:
        self._seek.__exit__(None, None, None)


@pytest.fixture
def seated(house: WebHouse) -> Iterator[Seated]:
    found = Seated(house)
    yield found
    found.go()


def test_every_path_is_tried() -> None:
    assert len(OPERATIONS) == sum(len(methods) for methods in document()["paths"].values())


@pytest.mark.parametrize("label", OPERATIONS)
def test_good_requests_are_answered_as_described(seated: Seated, label: str) -> None:
    try_out(seated, label, GenerationMode.POSITIVE, CHECKS)


@pytest.mark.parametrize("label", [label for label, found in OPERATIONS.items() if found.body or found.query])
def test_bad_requests_are_refused_as_described(seated: Seated, label: str) -> None:
    try_out(seated, label, GenerationMode.NEGATIVE, [*CHECKS, negative_data_rejection])


def try_out(seated: Seated, label: str, mode: GenerationMode, checks: list[Any]) -> None:
    """Requests made of the description, half of them about something that is there, half with a token."""
    operation = OPERATIONS[label]

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans(), known=st.booleans())
    def ask(case: Any, real: bool, known: bool) -> None:
        if real and mode is GenerationMode.POSITIVE and "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = seated.game if "/games/" in label else seated.table
        words = case.as_transport_kwargs(base_url=seated.base, headers=seated.headers if known else None)
        with requests.request(**words, stream=True, timeout=PATIENCE) as response:
            if response.headers.get("content-type") == LINES and response.ok:
                response._content = next(response.iter_lines(), b"") + b"\n"  # there may be no end to wait for
            expected = [
                each for each in checks if each is not negative_data_rejection or response.status_code not in REFUSED
            ]
            case.validate_response(response, checks=expected)

    ask()
