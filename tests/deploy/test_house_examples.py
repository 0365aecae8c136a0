"""What deploy/cluster has for three machines, each looked at by the program that it is for."""

import re
import shlex
import shutil
import sys
import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from bench.brokers import nats_server
from parlour.server import command, settings
from tests.conftest import ROOT, installed
from tests.deploy.proxies import DEPLOY
from tests.deploy.test_examples import MOST_EXPOSED, accepted, run

CLUSTER = DEPLOY / "cluster"
UNITS = ["parlour@.service", "parlour-broker.service"]


def told(words: list[str]) -> settings.Settings:
    """What a node would do when told so."""
    assert words[0] == "serve"
    parser = ArgumentParser()
    command.arguments(parser)
    return settings.from_arguments(parser.parse_args(words[1:]))


# --- systemd ---------------------------------------------------------------------------------------------------------


@pytest.fixture(params=UNITS)
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A unit with programs that are there."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not here")
    name = str(request.param)
    copy = tmp_path / name
    text = (CLUSTER / name).read_text()
    copy.write_text(re.sub(r"/opt/parlour/bin/\S+", sys.executable, text))
    return copy


def test_systemd_understands_the_units(unit: Path) -> None:
    verified = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")


def test_systemd_calls_the_units_well_shut_off(unit: Path) -> None:
    said = run("systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", str(unit))
    assert said.returncode == 0, said.stdout.splitlines()[-1:] or said.stderr


def test_unit_of_a_node_says_what_the_program_understands(tmp_path: Path) -> None:
    text = (CLUSTER / "parlour@.service").read_text().replace("\\\n", " ")
    found = re.search(r"^ExecStart=\S+ (.*)$", text, re.MULTILINE)
    assert found is not None
    here = {"${CREDENTIALS_DIRECTORY}": str(CLUSTER), "${STATE_DIRECTORY}": str(tmp_path), "%i": "one", "%H": "m1"}
    line = found[1]
    for word, value in here.items():
        assert word in line
        line = line.replace(word, value)
    node = told(shlex.split(line))
    assert (node.node, node.advertise, node.data) == ("one", "m1:7400", str(tmp_path))
    assert node.cluster == "nats://b1,nats://b2,nats://b3"
    assert [door.name for door in accepted(shlex.split(line))] == ["web", "nettoe", "c4n", "glendy"]
    assert not re.search(r"^(node|advertise) ?=", (CLUSTER / "node.toml").read_text(), re.MULTILINE)


# --- brokers ---------------------------------------------------------------------------------------------------------


def test_broker_understands_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with installed():
        program = nats_server()
    monkeypatch.setenv("BROKER", "b2")
    said = run(program, "-t", "-c", str(CLUSTER / "nats.conf"))
    assert said.returncode == 0, said.stderr
    assert "is valid" in said.stderr
    monkeypatch.delenv("BROKER")
    assert run(program, "-t", "-c", str(CLUSTER / "nats.conf")).returncode != 0, "it has no name"


def test_brokers_know_each_other_as_nodes_know_them() -> None:
    routes = re.findall(r"nats://(\w+):6222", (CLUSTER / "nats.conf").read_text())
    nodes = tomllib.loads((CLUSTER / "node.toml").read_text())
    assert nodes["cluster"] == ",".join(f"nats://{name}" for name in routes)


# --- containers ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    composed = yaml.safe_load((CLUSTER / "compose.yaml").read_text())
    named = {volume.partition(":")[0] for each in composed["services"].values() for volume in each["volumes"]}
    assert {name for name in named if not name.startswith(".")} == set(composed["volumes"])
    found: dict[str, dict[str, Any]] = composed["services"]
    return found


def test_composed_nodes_are_told_what_the_program_understands(services: dict[str, dict[str, Any]]) -> None:
    nodes = {name: told(each["command"]) for name, each in services.items() if "serve" in each.get("command", ())}
    assert sorted(nodes) == ["one", "three", "two"]
    for name, node in nodes.items():
        assert (node.node, node.advertise) == (name, f"{name}:7400")
        assert node.cluster is not None
        brokers = re.findall(r"nats://(\w+)", node.cluster)
        assert node.archive == "postgresql://parlour@db/parlour"
        assert {*brokers, "db"} == set(services[name]["depends_on"]) <= set(services)
        assert node.place == node.archive


def test_composed_ports_lead_to_doors_and_clash_with_none(services: dict[str, dict[str, Any]]) -> None:
    outside = []
    for name, each in services.items():
        inside = {door.port for door in accepted(each["command"])} if name in ("one", "two", "three") else set()
        for port in each.get("ports", ()):
            there, _, here = port.partition(":")
            outside.append(int(there))
            assert int(here) in inside
    assert len(set(outside)) == len(outside) == 6


def test_composed_brokers_have_names_and_disks_of_their_own(services: dict[str, dict[str, Any]]) -> None:
    for name in ("b1", "b2", "b3"):
        assert services[name]["environment"] == {"BROKER": name}
        assert [volume.rpartition(":")[0] for volume in services[name]["volumes"]][1] == name
        given, inside, _ = services[name]["volumes"][0].split(":")
        assert services[name]["command"] == ["-c", inside]
        assert (CLUSTER / given).exists()


def test_composed_image_is_built_from_what_is_there(services: dict[str, dict[str, Any]]) -> None:
    built = services["one"]["build"]
    assert (CLUSTER / built["context"]).resolve() == ROOT
    assert (ROOT / built["dockerfile"]).exists()
    assert "cluster" in (ROOT / built["dockerfile"]).read_text(), "the image has what a node needs"
