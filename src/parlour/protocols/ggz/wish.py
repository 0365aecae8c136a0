"""What the address of a `parlour play ggz://` asks for, and what in a zone fits it."""

from collections.abc import Iterable, Mapping

import msgspec

from parlour.core.errors import LocalError
from parlour.core.session import Visit
from parlour.protocols.ggz.messages import Element, number
from parlour.protocols.ggzdots.client import read_size

ENGINE, VERSION = "Dots", "4"
"""The game we speak, by the names in a zone's list of games; what the game itself is called does not matter."""
NEW = "new"
KEYS = ("opponent", "bot", "size", "password", "register", "email")


class Wish(msgspec.Struct, frozen=True):
    """Where to sit, against whom, and as whom."""

    name: str
    password: str | None = None
    """None is a guest."""
    register: bool = False
    email: str | None = None
    room: str = ""
    """Its number, or its name or a part of it; empty for whichever room plays dots."""
    table: int | None = None
    """None for the first with a free seat."""
    new: bool = False
    """Open a table, whatever others there are."""
    bot: str | None = None
    """Play against a bot of this name; empty for a name of the server's, None for a person."""
    size: tuple[int, int] = read_size("")


def read(visit: Visit) -> Wish:
    """The wish that an address expresses. Raises LocalError for what it does not understand."""
    query = visit.query
    unknown = sorted(query.keys() - set(KEYS))
    if unknown:
        raise LocalError(f"ggz:// knows no {unknown[0]!r}; it knows {', '.join(KEYS)}")
    room, _, place = visit.path.partition("/")
    table = number(place)
    if place and place != NEW and (table is None or table < 0):
        raise LocalError(f"{place!r} is no table: write its number, or {NEW!r} to open one")
    opponent = _one_of(query, "opponent", "human", "bot")
    if opponent == "human" and "bot" in query:
        raise LocalError("bot=NAME belongs to opponent=bot")
    register = _one_of(query, "register", "no", "yes") == "yes"
    password = query.get("password") or visit.password or None
    if register and password is None:
        raise LocalError("register=yes needs a password: set PARLOUR_PASSWORD")
    bot = query.get("bot", "") if opponent == "bot" or "bot" in query else None
    if bot is not None and table is not None:
        raise LocalError("a bot sits at a table of its own: leave the table's number out")
    return Wish(
        visit.name, password, register, query.get("email"), room.strip(), table, place == NEW, bot,
        read_size(query.get("size", "")),
    )  # fmt: skip


def _one_of(query: Mapping[str, str], key: str, *values: str) -> str:
    """The value of a key; empty when it is not there."""
    value = query.get(key, "")
    if value and value not in values:
        raise LocalError(f"{key} must be {' or '.join(values)}, not {value!r}")
    return value


def plays_dots(game: Element) -> bool:
    """Whether a GAME of the zone's list is the one we speak."""
    protocol = game.child("PROTOCOL")
    return protocol is not None and (protocol.get("ENGINE"), protocol.get("VERSION")) == (ENGINE, VERSION)


def find_room(rooms: Iterable[Element], wanted: str, games: frozenset[int]) -> Element | None:
    """The ROOM that is meant: by number, else by name, else by part of a name; where no room is named, by its game."""
    rooms = [room for room in rooms if room.number("ID") is not None]
    ours = [room for room in rooms if room.number("GAME") in games]
    if not wanted:
        return next(iter(ours), None)
    if number(wanted) is not None:
        return next((room for room in rooms if room.number("ID") == number(wanted)), None)
    wanted = wanted.casefold()
    ranked = (
        [room for room in rooms if room.get("NAME").casefold() == wanted],
        [room for room in ours if wanted in room.get("NAME").casefold()],
        [room for room in rooms if wanted in room.get("NAME").casefold()],
    )
    return next((room for found in ranked for room in found), None)


def has_place(table: Element, name: str) -> bool:
    """Whether a person of this name may sit down at a TABLE."""
    seats = table.every("SEAT")
    return any(_may_take(seat.get("TYPE").lower(), seat.text.strip(), name) for seat in seats)


def _may_take(kind: str, held_for: str, name: str) -> bool:
    return kind == "open" or (kind in ("reserved", "abandoned") and held_for == name)
