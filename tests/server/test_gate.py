"""One gate for all doors of a real server: passwords, logins in a crowd, bans from outside, a new password."""

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.server.child import HERE, PARLOUR, PATIENCE, Server, doors, serving
from tests.server.test_people import SECRET, ask, zone_says

TIMED = re.compile(rb"\? The host has banned you\. The ban ends in 3[56]\d\d s\.\r\n")


@contextmanager
def browser(server: Server, token: str = "", name: str = "") -> Iterator[ClientConnection]:
    with connect(f"ws://{HERE}:{server.port('web')}/ws", open_timeout=PATIENCE) as page:
        page.send(json.dumps({"type": "hello", "token": token, "name": name}))
        assert json.loads(page.recv(PATIENCE))["type"] == "welcome"
        yield page


@contextmanager
def zone(server: Server, login: str) -> Iterator[socket.socket]:
    with socket.create_connection((HERE, server.port("ggz")), PATIENCE) as sock:
        sock.sendall(f"<SESSION>\n<LANGUAGE>en</LANGUAGE>\n{login}".encode())
        heard(sock, b"ACTION='login' CODE='ok'")
        sock.sendall(b"<ENTER ROOM='0'/>\n")
        heard(sock, b"ACTION='enter' CODE='ok'")
        yield sock


def heard(sock: socket.socket, words: bytes = b"") -> bytes:
    """What is said until these words, or to the end."""
    data = b""
    while not words or words not in data:
        chunk = sock.recv(65536)
        if not chunk:
            return data
        data += chunk
    return data


def last_words(page: ClientConnection) -> list[dict[str, Any]]:
    """What a page is told before it is closed."""
    told = []
    try:
        while True:
            told.append(json.loads(page.recv(PATIENCE)))
    except ConnectionClosed:
        return told


def accounts(data: Path, *words: str) -> None:
    subprocess.run([*PARLOUR, "accounts", *words, "--data", str(data)], check=True, timeout=PATIENCE)


def test_wrong_passwords_of_one_door_count_at_the_other(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), *doors("web", "ggz")) as server:
        ask(server, "/api/register", {"name": "Rita", "password": SECRET})
        ask(server, "/api/register", {"name": "Sven", "password": SECRET})
        for _ in range(10):
            assert zone_says(server, "normal", "Rita", "wrong") == "usr lookup"
        status, told = ask(server, "/api/login", {"name": "Rita", "password": SECRET})
        assert (status, told["counted"]) == (429, "name")
        for _ in range(10):
            assert ask(server, "/api/login", {"name": "Sven", "password": "wrong"})[0] == 401
        assert zone_says(server, "normal", "Sven", SECRET) == "in transit"
        assert zone_says(server, "first", "Tove", "tove") == "bad password"
        assert zone_says(server, "first", "R\u0456ta", SECRET) == "username already taken"
        assert ask(server, "/api/register", {"name": "Parlour", "password": SECRET})[0] == 409


def test_crowd_at_the_zone_does_not_keep_a_browser_out(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), *doors("web", "ggz")) as server, ThreadPoolExecutor(100) as crowd:
        ask(server, "/api/register", {"name": "Rita", "password": SECRET})
        for number in range(3):
            ask(server, "/api/register", {"name": f"User {number}", "password": SECRET})
        asked = [crowd.submit(zone_says, server, "normal", f"User {n % 3}", SECRET) for n in range(100)]
        status, _ = ask(server, "/api/login", {"name": "Rita", "password": SECRET})
        waiting = sum(not one.done() for one in asked)
        assert status == 200
        assert waiting  # it was not the last in one line
        assert {one.result() for one in asked} <= {"ok", "in transit", "already logged in"}


def test_bans_from_outside_reach_a_running_server(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), *doors("web", "ggz", "telnet")) as server:
        with (
            browser(server, name="Rita") as page,
            zone(server, "<LOGIN TYPE='guest'><NAME>Rita</NAME></LOGIN>\n") as user,
        ):
            accounts(tmp_path, "ban", "RITA")
            assert b"The host has banned you." in heard(user)
            assert any("The host has banned you." in str(message) for message in last_words(page))
        assert zone_says(server, "guest", "Rita", "") == "no permission"
        assert ask(server, "/api/me", {"name": "Rita"})[0] == 403
        assert ask(server, "/api/guests", {"name": "R\u0456ta"})[0] == 403
        accounts(tmp_path, "unban", "Rita")
        accounts(tmp_path, "ban", "127.0.0.2", "--until", "1h")
        with socket.create_connection((HERE, server.port("telnet")), PATIENCE, ("127.0.0.2", 0)) as sock:
            assert heard(sock)  # let in before the ban was noticed, and put out since; or told so at once
        with socket.create_connection((HERE, server.port("telnet")), PATIENCE, ("127.0.0.2", 0)) as sock:
            assert TIMED.fullmatch(heard(sock))
        with socket.create_connection((HERE, server.port("web")), PATIENCE, ("127.0.0.2", 0)) as sock:
            assert heard(sock).startswith(b"HTTP/1.1 403 ")
        assert zone_says(server, "guest", "Rita", "") == "ok"
        server.kill()
    with (
        serving("--data", str(tmp_path), *doors("telnet")) as server,
        socket.create_connection((HERE, server.port("telnet")), PATIENCE, ("127.0.0.2", 0)) as sock,
    ):
        assert TIMED.fullmatch(heard(sock))


def test_deleted_account_ends_its_sessions_with_words_at_every_door(tmp_path: Path) -> None:
    login = f"<LOGIN TYPE='normal'><NAME>Rita</NAME><PASSWORD>{SECRET}</PASSWORD></LOGIN>\n"
    with serving("--data", str(tmp_path), *doors("web", "ggz")) as server:
        mine = ask(server, "/api/register", {"name": "Rita", "password": SECRET})[1]["token"]
        other = ask(server, "/api/login", {"name": "Rita", "password": SECRET})[1]["token"]
        with browser(server, other) as lost, zone(server, login) as user:
            assert ask(server, "/api/me", {"password": SECRET}, mine, "DELETE")[0] == 200
            assert any("has been deleted" in str(message) for message in last_words(lost))
            assert b"has been deleted" in heard(user)
        assert zone_says(server, "normal", "Rita", SECRET) == "user not found"
        assert zone_says(server, "first", "Rita", "another word") == "ok"


def test_new_password_ends_every_session_but_the_one_that_changed_it(tmp_path: Path) -> None:
    login = f"<LOGIN TYPE='normal'><NAME>Rita</NAME><PASSWORD>{SECRET}</PASSWORD></LOGIN>\n"
    with serving("--data", str(tmp_path), *doors("web", "ggz")) as server:
        mine = ask(server, "/api/register", {"name": "Rita", "password": SECRET})[1]["token"]
        other = ask(server, "/api/login", {"name": "Rita", "password": SECRET})[1]["token"]
        with browser(server, mine) as kept, browser(server, other) as lost, zone(server, login) as user:
            status, _ = ask(server, "/api/password", {"old": SECRET, "new": "another word"}, mine)
            assert status == 200
            assert any("has changed" in str(message) for message in last_words(lost))
            assert b"has changed" in heard(user)
            kept.send(json.dumps({"type": "lobby"}))
            assert json.loads(kept.recv(PATIENCE))["type"] == "lobby"
        assert ask(server, "/api/me", token=other)[1]["account"] == ""
