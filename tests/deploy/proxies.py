"""nginx and Caddy as `deploy/` has them, on ports and with certificates of the test."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import ROOT, find_program

HERE = "127.0.0.1"
DEPLOY = ROOT / "deploy"
WHENCE = "X-Test-Address"
"""By this header a client of a test tells nginx where it is, and nginx then tells us."""
NGINX = """
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    set_real_ip_from {here};
    real_ip_header {whence};
    include {directory}/site.conf;
}}
"""
CADDY = """
{{
	admin off
	auto_https disable_redirects
	storage file_system {directory}
}}
"""


def free_port() -> int:
    with socket.create_server((HERE, 0)) as sock:
        return int(sock.getsockname()[1])


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    """A text with some parts changed, all of which are there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx_site(name: str, house: int, port: int, tls: tuple[Path, Path], directory: Path) -> str:
    """An example for nginx, from its TLS port to the house's."""
    text = (DEPLOY / name).read_text()
    lines = [line for line in text.splitlines() if not line.strip().startswith(("listen [", "listen 80;"))]
    host = "games.example.org" if name == "nginx.conf" else "www.example.org"
    pairs = [
        ("127.0.0.1:8080", f"{HERE}:{house}"),
        ("listen 443 ssl", f"listen {HERE}:{port} ssl"),
        (f"/etc/letsencrypt/live/{host}/fullchain.pem", str(tls[0])),
        (f"/etc/letsencrypt/live/{host}/privkey.pem", str(tls[1])),
    ]
    if name == "nginx.conf":
        pairs += [
            ("/var/cache/nginx/parlour", f"{directory}/cache"),
            ("server {\n    server_name", f"server {{\n    listen {HERE}:{free_port()};\n    server_name"),
        ]
    return replaced("\n".join(lines), *pairs)


@contextmanager
def nginx(directory: Path, site: str) -> Iterator[None]:
    """Runs from when its ports are open, which is when its first process ends."""
    program = find_program("nginx")
    main = directory / "nginx.conf"
    main.write_text(
        NGINX.format(directory=directory, here=HERE, whence=WHENCE) + ("user root;" if os.geteuid() == 0 else "")
    )
    (directory / "site.conf").write_text(site)
    command = [program, "-p", str(directory), "-c", str(main), "-e", str(directory / "error.log")]
    started = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert started.returncode == 0, started.stderr
    try:
        yield
    finally:
        subprocess.run([*command, "-s", "stop"], capture_output=True, timeout=60, check=True)


def caddy_sites(houses: tuple[int, int], port: int, tls: tuple[Path, Path], directory: Path) -> str:
    """The example for Caddy: both of its sites on one port."""
    ours = f"\ttls {tls[0]} {tls[1]}\n\tbind {HERE}\n"
    text = replaced(
        (DEPLOY / "Caddyfile").read_text(),
        ("\ngames.example.org {\n", f"\ngames.example.org:{port} {{\n{ours}"),
        ("\nwww.example.org {\n", f"\nwww.example.org:{port} {{\n{ours}"),
        ("reverse_proxy 127.0.0.1:8080", f"reverse_proxy {HERE}:{houses[0]}"),
        ("reverse_proxy 127.0.0.1:8081", f"reverse_proxy {HERE}:{houses[1]}"),
    )
    return CADDY.format(directory=directory) + text


@contextmanager
def caddy(directory: Path, sites: str) -> Iterator[None]:
    file, pid = directory / "Caddyfile", directory / "caddy.pid"
    file.write_text(sites)
    command = [find_program("caddy"), "start", "--config", str(file), "--pidfile", str(pid)]
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(directory),
        "XDG_CONFIG_HOME": str(directory),
        "HOME": str(directory),
    }
    with (directory / "caddy.log").open("w") as log:
        subprocess.run(command, stdout=log, stderr=log, timeout=60, check=True, env=environment)
    try:
        yield
    finally:
        os.kill(int(pid.read_text()), signal.SIGTERM)
