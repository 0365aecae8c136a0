"""Recorded conversations with our server in them happen again; what original clients said is understood."""

from pathlib import Path

import pytest

from tests.netdot import Client, Lan
from tests.wires.transcripts import load

WIRES = Path(__file__).parents[2] / "wires" / "netdot"
SERVED = sorted(WIRES.glob("served-*.wire"))


@pytest.mark.parametrize("path", SERVED, ids=[path.stem for path in SERVED])
def test_our_server_says_what_it_said(path: Path) -> None:
    transcript = load(path)
    lan = Lan(**dict(word.split("=", 1) for word in transcript.headers["served"].split()))
    for entry in transcript.entries:
        while len(lan.clients) <= entry.connection:
            lan.connect(transcript.headers["version"])
        if entry.side == "C":
            lan.clients[entry.connection].wire.send(entry.data)
    for number, client in enumerate(lan.clients):
        said = "".join(f"{line}\n" for line in client.heard())
        assert said.encode() == transcript.data(("S", number))


@pytest.mark.parametrize("name", ["beta30-client-session", "detect-beta-client", "cross-beta-server-beta-client"])
def test_every_line_of_the_beta_program_is_understood(name: str) -> None:
    lan = Lan()
    client = lan.connect("beta")
    lan.join("beta")
    for data in load(WIRES / f"{name}.wire").segments(("C", 0)):
        _moderate(client, data)
    said = client.everything
    assert "network-assign 2" in said
    assert not [line for line in said if line.startswith(("unknown", "info-malformed"))]


def _moderate(client: Client, data: bytes) -> None:
    client.wire.send(data)
    client.heard()
