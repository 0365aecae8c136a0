"""One account at every door: registered in a browser, known to the zone, kept over a crash, ended by a new password."""

import http.client
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

from tests.server.child import HERE, PARLOUR, PATIENCE, Server, doors, serving

SECRET = "open sesame"


def ask(
    server: Server, path: str, said: dict[str, Any] | None = None, token: str = "", method: str = ""
) -> tuple[int, dict[str, Any]]:
    """What the API answers."""
    connection = http.client.HTTPConnection(HERE, server.port("web"), timeout=PATIENCE)
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    body = None if said is None else json.dumps(said).encode()
    connection.request(method or ("GET" if body is None else "POST"), path, body, headers)
    response = connection.getresponse()
    told: dict[str, Any] = json.loads(response.read())
    connection.close()
    return response.status, told


def zone_says(server: Server, kind: str, name: str, password: str) -> str:
    """How a member of the zone is received."""
    login = f"<LOGIN TYPE='{kind}'><NAME>{name}</NAME><PASSWORD>{password}</PASSWORD></LOGIN>\n"
    with socket.create_connection((HERE, server.port("ggz")), PATIENCE) as sock:
        sock.sendall(f"<SESSION>\n<LANGUAGE>en</LANGUAGE>\n{login}".encode())
        data = b""
        while b"</RESULT>" not in data and b"ACTION='login' CODE='" not in data:
            data += sock.recv(65536)
    return data.partition(b"CODE='")[2].partition(b"'")[0].decode()


def test_one_account_for_browsers_and_the_zone_that_outlives_a_crash(tmp_path: Path) -> None:
    words = ["--data", str(tmp_path), *doors("web", "ggz")]
    with serving(*words) as server:
        status, rita = ask(server, "/api/register", {"name": "Rita", "password": SECRET})
        assert (status, rita["account"]) == (200, "Rita")
        _, guest = ask(server, "/api/me", {"name": "Gus"})
        assert zone_says(server, "normal", "rita", "wrong") == "usr lookup"
        assert zone_says(server, "normal", "rita", SECRET) == "ok"
        assert zone_says(server, "first", "Zoe", SECRET) == "ok"
        assert ask(server, "/api/login", {"name": "ZOE", "password": SECRET})[1]["account"] == "Zoe"
        server.kill()
    with serving(*words) as server:
        assert ask(server, "/api/me", token=rita["token"])[1] == rita
        assert ask(server, "/api/me", token=guest["token"])[1]["name"] == "Gus"
        server.stop()
    change = [*PARLOUR, "accounts", "password", "rita", "--data", str(tmp_path)]
    subprocess.run(change, input=b"another\n", check=True, timeout=PATIENCE)
    with serving(*words) as server:
        assert ask(server, "/api/me", token=rita["token"])[1]["account"] == ""
        assert ask(server, "/api/login", {"name": "Rita", "password": "another"})[0] == 200
