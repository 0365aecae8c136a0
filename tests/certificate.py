"""Certificates for tests, made and signed by themselves."""

import subprocess
from pathlib import Path

from tests.conftest import find_program

HOSTS = ("DNS:localhost", "IP:127.0.0.1", "DNS:*.example.org")


def self_signed(directory: Path, name: str = "server") -> tuple[Path, Path]:
    """A certificate for HOSTS, and its key."""
    certificate, key = directory / f"{name}.crt", directory / f"{name}.key"
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-addext", f"subjectAltName={','.join(HOSTS)}", "-subj", f"/CN={name}"]
    command = [find_program("openssl"), "req", *kind, *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return certificate, key
