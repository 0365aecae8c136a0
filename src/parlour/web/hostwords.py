"""What the host's page is told."""

import msgspec

from parlour.web.desk import Load
from parlour.web.site import DoorRow


class HostSeat(msgspec.Struct, frozen=True):
    name: str
    wire: str
    kind: str
    level: str
    held: bool


class HostTable(msgspec.Struct, frozen=True):
    """A table, as its host sees it."""

    id: str
    game: str
    title: str
    status: str
    options: dict[str, int | str]
    seats: list[HostSeat | None]
    watchers: int
    moves: int
    scores: list[int]
    idle: float
    """Seconds since something last happened there."""


class HostPerson(msgspec.Struct, frozen=True):
    """A person who is connected."""

    id: int
    name: str
    wire: str
    level: str
    """`bot` for a program that says so."""
    account: str
    address: str
    """Where they come from."""
    neighbours: int
    """How many other people here come from the same address."""
    table: str
    seat: int | None
    chat: bool
    """Whether their wire has words for chat and announcements."""
    muted: bool


class HostBan(msgspec.Struct, frozen=True):
    """A name or address that is banned."""

    whom: str
    """A name, an address or a network."""
    until: float | None
    """Seconds since 1970; null: for good."""


class House(msgspec.Struct, frozen=True):
    """Everything at a glance. Long lists are cut; `total_` says how long they are."""

    version: str
    doors: list[DoorRow]
    connections: dict[str, int]
    """By wire."""
    load: Load
    refusing: str
    """Why no game may begin, as a word; empty when games may."""
    tables: list[HostTable]
    total_tables: int
    playing: int
    people: list[HostPerson]
    total_people: int
    muted: list[str]
    bans: list[HostBan]
    address: str
    """Where the host comes from who asks."""


class Done(msgspec.Struct, frozen=True):
    ok: bool = True
