"""What a wire owes: ask the registry, so that a new wire is asked as well."""

import importlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from parlour import registry
from parlour.core.errors import Refusal
from tests.conftest import ROOT

WIRES = ROOT / "tests" / "wires"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
SHAPE = ("__init__.py", "messages.py", "codec.py", "phases.py", "server.py", "client.py", "README.md")

every_protocol = pytest.mark.parametrize("name", sorted(registry.PROTOCOLS))


def folder(name: str) -> Path:
    """Where a protocol's files are; found without importing them, so that what is missing is named one by one."""
    package = registry.PROTOCOLS[name].partition(":")[0]
    return ROOT / "src" / Path(*package.split("."))


@every_protocol
def test_protocol_goes_by_the_name_it_is_registered_under(name: str) -> None:
    protocol = registry.protocols()[name]
    assert protocol.name == name
    assert folder(name).name == name.replace("-", "")
    assert protocol.title
    assert protocol.ports


@every_protocol
@pytest.mark.parametrize("file", SHAPE)
def test_protocol_folder_has_the_shape_of_all_the_others(name: str, file: str) -> None:
    assert (folder(name) / file).is_file()


@every_protocol
def test_protocol_readme_says_what_its_player_sees_instead_of_what_the_wire_cannot_say(name: str) -> None:
    text = (folder(name) / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^## Gaps$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, 'no "## Gaps" section'
    rows = [line for line in section[1].splitlines() if line.startswith("|")]
    assert len(rows) >= 3, "a table needs its head, its rule and at least one gap"


@every_protocol
def test_protocol_has_transcripts(name: str) -> None:
    transcripts = sorted((WIRES / name.replace("-", "")).glob("*.wire"))
    assert len(transcripts) >= 3
    assert all(transcript.stat().st_size for transcript in transcripts)


@every_protocol
def test_protocol_has_a_fuzz_corpus(name: str) -> None:
    seeds = [path for path in (CORPUS / name).glob("*") if path.is_file()]
    assert len(seeds) >= 5
    assert len({path.read_bytes() for path in seeds}) == len(seeds), "two seeds are the same"


@every_protocol
def test_protocol_has_a_wire_for_every_refusal(name: str) -> None:
    package = registry.PROTOCOLS[name].partition(":")[0]
    refusals: Mapping[Refusal, object] = importlib.import_module(f"{package}.server").REFUSALS
    assert set(refusals) == set(Refusal)


@every_protocol
def test_door_keys_accept_their_own_defaults(name: str) -> None:
    protocol = registry.protocols()[name]
    for key in protocol.keys.values():
        key.check(key.default)
    for port, differing in protocol.ports:
        assert 1 <= port <= 65535
        for word, value in differing.items():
            protocol.keys[word].check(value)


def test_no_two_doors_share_a_default_port() -> None:
    ports = [port for name in registry.PROTOCOLS for port, _ in registry.protocols()[name].ports]
    assert len(ports) == len(set(ports))
