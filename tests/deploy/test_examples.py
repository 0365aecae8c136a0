"""The unit, the image and the configurations, each looked at by the program that it is for."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest

from parlour.registry import protocols
from parlour.server import command, settings
from tests.conftest import ROOT, find_program
from tests.deploy.proxies import DEPLOY, caddy_sites, free_port, nginx, nginx_site

MOST_EXPOSED = 20
"""Of 100, by systemd's own reckoning; a service that takes no care has 96."""


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


def accepted(words: list[str]) -> list[settings.DoorSpec]:
    """The doors that `parlour serve` would open when told so."""
    assert words[0] == "serve"
    parser = ArgumentParser()
    command.arguments(parser)
    return settings.doors(settings.from_arguments(parser.parse_args(words[1:])), protocols())


# --- systemd ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not here")
    copy = tmp_path / "parlour.service"
    text = (DEPLOY / "parlour.service").read_text()
    copy.write_text(text.replace("/opt/parlour/bin/parlour", sys.executable))
    return copy


def test_systemd_understands_the_unit(unit: Path) -> None:
    verified = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")


def test_systemd_calls_the_unit_well_shut_off(unit: Path) -> None:
    told = run("systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", str(unit))
    assert told.returncode == 0, told.stdout.splitlines()[-1:] or told.stderr


def test_unit_opens_doors_that_there_are() -> None:
    text = (DEPLOY / "parlour.service").read_text().replace("\\\n", " ")
    found = re.search(r"^ExecStart=\S+ (.*)$", text, re.MULTILINE)
    assert found is not None
    opened = accepted(shlex.split(found[1]))
    assert [(door.name, door.port) for door in opened] == [("web", 8080), ("nettoe", 7501)]
    assert opened[0].keys["proxy"] == "127.0.0.1,::1"


# --- the image -------------------------------------------------------------------------------------------------------


def instructions(name: str) -> list[str]:
    """The lines of the Containerfile that begin with this word, without it."""
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    return [line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith(f"{name} ")]


def test_image_copies_what_is_there_and_opens_every_door() -> None:
    for copied in instructions("COPY"):
        assert all((ROOT / source).exists() for source in copied.split()[:-1]), copied
    opened = accepted(json.loads(instructions("CMD")[0]))
    assert sorted(door.port for door in opened) == sorted(map(int, instructions("EXPOSE")[0].split()))
    assert instructions("USER") == ["parlour"]


def test_image_can_be_built_and_speaks(tmp_path: Path) -> None:
    builder = next(
        (name for name in ("podman", "docker") if shutil.which(name) and not run(name, "info").returncode), ""
    )
    if not builder:
        pytest.skip("neither podman nor docker can build here")
    name = f"parlour-test-{tmp_path.name.lower()}"
    built = subprocess.run(
        [builder, "build", "-q", "-t", name, "-f", str(DEPLOY / "Containerfile"), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    try:
        assert run(builder, "run", "--rm", name, "--version").stdout.startswith("parlour ")
    finally:
        run(builder, "rmi", "-f", name)


# --- proxies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-subpath.conf"])
def test_nginx_warns_of_nothing(name: str, tls: tuple[Path, Path], tmp_path: Path) -> None:
    with nginx(tmp_path, nginx_site(name, 9, free_port(), tls, tmp_path)):
        assert (tmp_path / "error.log").read_text() == ""


def test_caddy_understands_its_file_and_would_write_it_so(tls: tuple[Path, Path], tmp_path: Path) -> None:
    program, file = find_program("caddy"), DEPLOY / "Caddyfile"
    assert run(program, "fmt", str(file)).stdout == file.read_text()
    changed = tmp_path / "Caddyfile"
    changed.write_text(caddy_sites((9, 9), 8443, tls, tmp_path))
    validated = run(program, "validate", "--config", str(changed), "--adapter", "caddyfile")
    assert validated.returncode == 0, validated.stderr


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-subpath.conf", "Caddyfile"])
def test_every_example_says_how_to_start_the_house_behind_it(name: str) -> None:
    told = re.findall(r"parlour (serve --listen \S+)", (DEPLOY / name).read_text())
    assert told
    for words in told:
        assert accepted(words.split())[0].keys["proxy"] == "127.0.0.1"
