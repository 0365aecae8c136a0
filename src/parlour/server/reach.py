"""What others can reach: the ports of the house that runs on a data directory, or of the one `serve` would open."""

import fcntl
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

from parlour.server.announcing import KINDS, places, service_name
from parlour.store.lock import LOCK
from parlour.web.here import reachable

Port = tuple[str, str, int]
"""Name of the door, as far as it is known; host and port."""
LISTENING = "0A"
"""The state of a listening socket in /proc/net/tcp."""
MULTICAST_DNS = 5353
PROC = Path("/proc")
UFW, FIREWALLD = Path("/etc/ufw/ufw.conf"), Path("/run/firewalld")


def running(directory: Path) -> int | None:
    """The process of the server on this data; None if there is none."""
    try:
        with (directory / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = (directory / LOCK).read_text().strip()
        return int(holder) if holder.isdigit() else None
    except OSError:
        pass
    return None


def ports_of(process: int) -> list[Port]:
    """Where a process listens. Linux only, and for processes of one's own; raises OSError elsewhere."""
    return [("", host, port) for host, port, state in _sockets(process, "tcp") if state == LISTENING]


def is_announced(process: int) -> bool:
    """Whether a process answers those who look for services on the local network."""
    return any(port == MULTICAST_DNS for _, port, _ in _sockets(process, "udp"))


def _sockets(process: int, kind: str) -> Iterator[tuple[str, int, str]]:
    """Local host, port and state of the sockets of a process. https://docs.kernel.org/networking/proc_net_tcp.html"""
    links = [os.readlink(link.path) for link in os.scandir(PROC / str(process) / "fd")]
    inodes = {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
    for family in (kind, f"{kind}6"):
        table = PROC / str(process) / "net" / family
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            fields = line.split()
            if fields[9] in inodes:
                host, _, port = fields[1].partition(":")
                yield _address(host), int(port, 16), fields[3]


def _address(digits: str) -> str:
    """An address that is written as numbers of 32 bits, each as this machine keeps it in memory."""
    words = [int(digits[place : place + 8], 16) for place in range(0, len(digits), 8)]
    packed = b"".join(word.to_bytes(4, "little") for word in words)
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def who_reaches(host: str) -> str:
    """Who can come to a door that is bound so."""
    addresses = reachable(host)
    return f"others reach it at {', '.join(addresses)}" if addresses else "only this machine reaches it"


def announcement(ports: Sequence[Port], mode: str) -> str:
    """What `serve` would tell the local network."""
    kinds = sorted({place.kind.removesuffix(".local.") for place in places([(*port, {}) for port in ports], mode)})
    if kinds:
        return f"the local network would find it as {service_name()!r} ({', '.join(kinds)})"
    doors = " or ".join(KINDS)
    return "no" if mode == "no" else f"no: no {doors} door that others can reach"


def firewall(ports: Sequence[Port]) -> str:
    """What a firewall that is switched on has to be told, as far as that is seen without asking for rights."""
    open_ports = sorted({port for _, host, port in ports if reachable(host)})
    if not open_ports:
        return ""
    if FIREWALLD.exists():
        return "firewalld runs: " + "; ".join(f"firewall-cmd --add-port={port}/tcp" for port in open_ports)
    try:
        on = "ENABLED=yes" in UFW.read_text().split()
    except OSError:
        on = False
    return "ufw is on: " + "; ".join(f"ufw allow {port}/tcp" for port in open_ports) if on else ""
