"""TLS without a proxy: people and programs come by https, certificates are renewed, and wrong ones are refused."""

import os
import re
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.certificate import self_signed
from tests.deploy.clients import Visitor, meet_and_play
from tests.server.child import HERE, PATIENCE, Peer, Server, doors, parlour, serving
from tests.web.house import hear, say

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Tls = tuple[Path, Path]
SQUARES = [f"{row}{column}" for row in "abc" for column in "123"]


def door(tls: Tls, more: str = "") -> list[str]:
    return ["--data", "none", *doors(f"web,tls={tls[0]}:{tls[1]}{more}")]


def test_two_browsers_play_by_our_own_tls(tmp_path: Path, tls: Tls, browser: "Browser") -> None:
    words = ["--data", str(tmp_path), *doors(f"web,tls={tls[0]}:{tls[1]},names=games.example.org")]
    with serving(*words) as server:
        port = server.port("web")
        assert server.lines[0] == f"listening web {HERE}:{port}"
        assert server.lines[1].startswith(f"host https://{HERE}:{port}/host#")
        address = f"https://games.example.org:{port}"
        assert meet_and_play(browser, address).startswith(f"{address}/table/")
        assert Visitor(tls[0], "games.example.org", port).ask("/api/here").json["reachable"] == [address]
        assert server.stop() == 0
        assert server.stderr == ""


def test_our_own_client_plays_by_our_own_tls(tls: Tls) -> None:
    with serving(*door(tls, ",path=/parlour")) as server:
        played = subprocess.run(
            [
                *(sys.executable, "-m", "parlour", "play", "--once"),
                f"https://localhost:{server.port('web')}/parlour/?game=noughts&level=beginner",
            ],
            input="\n".join(SQUARES * 3) + "\n",
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE,
            env={**os.environ, "SSL_CERT_FILE": str(tls[0])},
            check=False,
        )
    assert played.returncode == 0, played.stderr


def test_browser_that_forgets_the_s_is_told_the_right_address(tls: Tls) -> None:
    with serving(*door(tls, ",path=/parlour")) as server, Peer(server.port("web")) as peer:
        place = f"localhost:{server.port('web')}"
        peer.send(f"GET /parlour/table/x?join HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n".encode())
        answer = peer.rest().decode()
    assert answer.startswith("HTTP/1.1 308 ")
    assert f"location: https://{place}/parlour/table/x?join\r\n" in answer


# --- renewing --------------------------------------------------------------------------------------------------------


def shown(server: Server) -> str:
    """The certificate that a newcomer is shown."""
    return ssl.get_server_certificate((HERE, server.port("web")), timeout=PATIENCE)


def renewed(server: Server, said: str) -> None:
    """Send SIGHUP, and wait for what the log says of it."""
    before = server.stderr.count(said)
    server.process.send_signal(signal.SIGHUP)
    visitors = 0
    while server.stderr.count(said) == before:
        shown(server)  # takes its time
        visitors += 1
        assert visitors < 1000, server.stderr


def test_hangup_brings_a_new_certificate_and_disturbs_nobody(tmp_path: Path) -> None:
    old, new = self_signed(tmp_path, "old"), self_signed(tmp_path, "new")
    first = old[0].read_text()
    with (
        serving(*door(old)) as server,
        Visitor(old[0], "localhost", server.port("web")).browse() as page,
    ):
        say(page, type="hello")
        hear(page, "welcome")
        assert shown(server) == first
        old[0].write_bytes(new[0].read_bytes())
        renewed(server, "the certificate stays as it was")
        assert f"{old[1]} is not the key of {old[0]}" in server.stderr
        assert shown(server) == first, "with half of the files changed, nothing changes"
        old[1].write_bytes(new[1].read_bytes())
        renewed(server, "certificate read again")
        assert shown(server) == new[0].read_text()
        old[0].unlink()
        renewed(server, "the certificate stays as it was")
        assert shown(server) == new[0].read_text()
        say(page, type="lobby")
        hear(page, "lobby")
        assert server.stop() == 0


# --- wrong files -----------------------------------------------------------------------------------------------------


def wrong(kind: str, directory: Path, tls: Tls) -> str:
    """A value of `tls` that cannot be used."""
    other = self_signed(directory, "other")
    nonsense = directory / "nonsense"
    nonsense.write_text("no certificate\n")
    locked = directory / "locked.key"
    command = ["openssl", "pkcs8", "-topk8", "-in", str(tls[1]), "-out", str(locked), "-passout", "pass:secret"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return {
        "no certificate": f"{directory}/none:{tls[1]}",
        "no key": f"{tls[0]}:{directory}/none",
        "a directory": f"{directory}:{tls[1]}",
        "nonsense": f"{nonsense}:{nonsense}",
        "swapped": f"{tls[1]}:{tls[0]}",
        "another's key": f"{tls[0]}:{other[1]}",
        "a locked key": f"{tls[0]}:{locked}",
    }[kind]


SENTENCES = {
    "no certificate": "cannot read .*/none: No such file or directory",
    "no key": "cannot read .*/none: No such file or directory",
    "a directory": "cannot read .*: Is a directory",
    "nonsense": "are no certificate and key in PEM",
    "swapped": "are no certificate and key in PEM",
    "another's key": "is not the key of",
    "a locked key": "is locked with a password",
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_wrong_files_keep_the_server_from_starting_and_are_named(kind: str, tmp_path: Path, tls: Tls) -> None:
    ended = parlour("serve", "--data", "none", *doors(f"web,tls={wrong(kind, tmp_path, tls)}"))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert re.search(SENTENCES[kind], ended.stderr)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("tls=cert.pem", "tls must be two files, CERTIFICATE:KEY"),
        ("tls=cert.pem:", "tls must be two files"),
        ("proxy=localhost", "proxy must be addresses or networks"),
        ("proxy=10.0.0.0/99", "proxy must be addresses or networks"),
        ("path=games", "path must be a path such as /parlour"),
        ("path=/a//b", "path must be a path"),
        ("path=/../x", "path must be a path"),
        ("path=/a?b", "path must be a path"),
        ("path=/table", "path must not begin with /table, which has pages of its own"),
        ("path=/api/parlour", "path must not begin with /api"),
        ("path=/ws", "path must not begin with /ws"),
    ],
)
def test_keys_that_mean_nothing_are_refused_in_one_sentence(keys: str, sentence: str) -> None:
    ended = parlour("serve", "--data", "none", *doors(f"web,{keys}"))
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert sentence in ended.stderr
