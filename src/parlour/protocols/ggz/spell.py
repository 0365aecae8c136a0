"""Elements to bytes, written as the original programs write them: one per line, single quotes, attributes in order.

Every function returns whole elements with the line feed after them, to be sent in one piece: a client whose parser
waits for more after half a tag would wait for ever.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from parlour.protocols.ggz.xml import FORBIDDEN

PROLOG = b"<?xml version='1.0' encoding='UTF-8'?>\n"
SESSION = b"<SESSION>\n"
END = b"</SESSION>\n"
"""The end of a document, and on a channel the last XML there is: in one piece with its line feed."""

CS_PROTOCOL = 10
"""The version of the protocol between client and server; clients take no other."""
CHAT_LENGTH = 512
OK = "ok"
NO_ROOM = NO_TABLE = -1

# --- any element ----------------------------------------------------------------------------------------------------

Value = str | int | bool
Content = str | Sequence[bytes] | None
"""What stands in an element: text, other elements each on a line of its own, or nothing at all."""

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;"}
_ESCAPED = re.compile("[&<>'\"]")
_TEXT_BREAKS = re.compile("\r")
_VALUE_BREAKS = re.compile("[\t\n\r]")


def escaped(text: str) -> str:
    """Text as it may stand in an element. What XML cannot contain is left out."""
    text = _ESCAPED.sub(lambda found: _ESCAPES[found[0]], FORBIDDEN.sub("", text))
    return _TEXT_BREAKS.sub(_reference, text)


def attribute(value: Value) -> str:
    """A value as it may stand between single quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _VALUE_BREAKS.sub(_reference, escaped(value))


def _reference(found: re.Match[str]) -> str:
    """A line end or tab that a parser would otherwise change."""
    return f"&#{ord(found[0])};"


def element(tag: str, attrs: Mapping[str, Value] | None = None, content: Content = None) -> bytes:
    """One element on its lines. No children at all are two lines; None is one empty tag."""
    head = tag + "".join(f" {name}='{attribute(value)}'" for name, value in (attrs or {}).items())
    if content is None:
        return f"<{head}/>\n".encode()
    if isinstance(content, str):
        return f"<{head}>{escaped(content)}</{tag}>\n".encode()
    return b"<%s>\n%s</%s>\n" % (head.encode(), b"".join(content), tag.encode())


# --- what there is in a zone ----------------------------------------------------------------------------------------


class Game(msgspec.Struct, frozen=True):
    """A kind of game. Clients choose their program by engine and protocol alone."""

    number: int
    name: str
    version: str
    engine: str
    protocol: str
    players: str = "2"
    """How many may play: a number, or several such as `2 4`."""
    bots: str = "1"
    spectators: bool = True
    author: str = ""
    url: str = ""
    about: str = ""


class Room(msgspec.Struct, frozen=True):
    """A room of the zone; one without a game has -1 for it."""

    number: int
    name: str
    game: int = -1
    players: int = 0
    about: str = ""


class Record(msgspec.Struct, frozen=True, gc=False):
    """A registered player's games."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    forfeits: int = 0
    rating: int | None = None


class Player(msgspec.Struct, frozen=True):
    """A person in a room."""

    name: str
    kind: str = "guest"
    """`guest`, `normal`, `admin`, `host` or `bot`."""
    table: int = NO_TABLE
    perms: int = 0x43
    lag: int = 1
    record: Record | None = None


class Seat(msgspec.Struct, frozen=True, gc=False):
    """A seat at a table: `open`, `bot`, `player`, `reserved`, `abandoned` or `none`."""

    number: int
    kind: str
    name: str = ""


class Spectator(msgspec.Struct, frozen=True, gc=False):
    """A person who watches."""

    number: int
    name: str


class Table(msgspec.Struct, frozen=True):
    """A table; the status is one of those below."""

    number: int
    game: int
    status: int
    about: str
    seats: tuple[Seat, ...]
    spectators: tuple[Spectator, ...] = ()


DELETED, CREATED, WAITING, PLAYING, DONE = -1, 0, 1, 2, 3
"""The status of a table."""


def seat_line(seat: Seat) -> bytes:
    named = seat.kind in ("player", "reserved", "abandoned") or (seat.kind == "bot" and seat.name)
    return element("SEAT", {"NUM": seat.number, "TYPE": seat.kind}, seat.name if named else None)


def _spectator(spectator: Spectator) -> bytes:
    return element("SPECTATOR", {"NUM": spectator.number}, spectator.name)


def _table(table: Table) -> bytes:
    attrs = {"ID": table.number, "GAME": table.game, "STATUS": table.status, "SEATS": len(table.seats)}
    people = [*map(seat_line, table.seats), *map(_spectator, table.spectators)]
    return element("TABLE", attrs, [element("DESC", None, table.about), *people])


def _record(record: Record | None) -> dict[str, Value]:
    if record is None:
        return {}
    counts: dict[str, Value] = {
        "WINS": record.wins,
        "LOSSES": record.losses,
        "TIES": record.ties,
        "FORFEITS": record.forfeits,
    }
    return counts if record.rating is None else {**counts, "RATING": record.rating}


def _perms(perms: int) -> str:
    return f"0x{perms:08X}"


def _player(player: Player) -> bytes:
    attrs: dict[str, Value] = {
        "ID": player.name,
        "TYPE": player.kind,
        "TABLE": player.table,
        "PERMS": _perms(player.perms),
        "LAG": player.lag,
    }
    return element("PLAYER", {**attrs, **_record(player.record)})


def _room(room: Room, full: bool) -> bytes:
    attrs: dict[str, Value] = {
        "ID": room.number,
        "NAME": room.name,
        "REFNAME": room.name,
        "GAME": room.game,
        "PLAYERS": room.players,
    }
    return element("ROOM", attrs, [element("DESC", None, room.about)] if full else [])


def _game(game: Game, full: bool) -> bytes:
    allow: dict[str, Value] = {
        "PLAYERS": game.players,
        "BOTS": game.bots,
        "SPECTATORS": game.spectators,
        "PEERS": False,
    }
    lines = [element("PROTOCOL", {"ENGINE": game.engine, "VERSION": game.protocol}), element("ALLOW", allow)]
    if full:
        lines += [
            element("ABOUT", {"AUTHOR": game.author, "URL": game.url}),
            element("DESC", None, game.about),
        ]
    return element("GAME", {"ID": game.number, "NAME": game.name, "VERSION": game.version}, lines)


# --- what a zone says -----------------------------------------------------------------------------------------------


def _server(program: str, name: str, status: str) -> dict[str, Value]:
    return {"ID": program, "NAME": name, "VERSION": CS_PROTOCOL, "STATUS": status, "TLS_SUPPORT": "no"}


def greeting(name: str, program: str, chat_length: int = CHAT_LENGTH) -> bytes:
    """The first words on every connection: the zone's name, and which program this is."""
    options = element("OPTIONS", {"CHATLEN": chat_length})
    return PROLOG + SESSION + element("SERVER", _server(program, name, OK), [options])


def turned_away(name: str, program: str) -> bytes:
    """The first and last words to a person for whom there is no place."""
    return PROLOG + SESSION + element("SERVER", _server(program, name, "full")) + END


def result(action: str, code: str = OK, content: Content = None) -> bytes:
    """What became of a request."""
    return element("RESULT", {"ACTION": action, "CODE": code}, content)


def registered(password: str) -> bytes:
    """A first login went well, and this is the password from now on."""
    return result("login", OK, [element("PASSWORD", None, password)])


def motd(text: str, url: str = "") -> bytes:
    """The message of the day, on lines of its own. What would end the CDATA section is divided between two of them."""
    lines = "".join(f"{line}\n" for line in FORBIDDEN.sub("", text).splitlines())
    inside = lines.replace("]]>", "]]]]><![CDATA[>")
    return f"<MOTD PRIORITY='normal' URL='{attribute(url)}'><![CDATA[\n{inside}]]></MOTD>\n".encode()


def _listed(kind: str, lines: Sequence[bytes], **attrs: Value) -> bytes:
    return result("list", OK, [element("LIST", {"TYPE": kind, **attrs}, lines)])


def game_list(games: Iterable[Game], full: bool = True) -> bytes:
    """Answers LIST game; `full` with what there is to read about each."""
    return _listed("game", [_game(game, full) for game in games])


def room_list(rooms: Iterable[Room], full: bool = True) -> bytes:
    """Answers LIST room."""
    return _listed("room", [_room(room, full) for room in rooms])


def player_list(room: int, players: Iterable[Player]) -> bytes:
    """Answers LIST player."""
    return _listed("player", [_player(player) for player in players], ROOM=room)


def table_list(room: int, tables: Iterable[Table]) -> bytes:
    """Answers LIST table."""
    return _listed("table", [_table(table) for table in tables], ROOM=room)


def _update(kind: str, action: str, room: int | None, line: bytes, **attrs: Value) -> bytes:
    place = {} if room is None else {"ROOM": room}
    return element("UPDATE", {"TYPE": kind, "ACTION": action, **place, **attrs}, [line])


def player_added(room: int, player: Player, from_room: int = NO_ROOM) -> bytes:
    """A person came in; from nowhere, after logging in."""
    return _update("player", "add", room, _player(player), FROMROOM=from_room)


def player_deleted(room: int, name: str, to_room: int = NO_ROOM) -> bytes:
    """A person went out; to nowhere, when logged out."""
    return _update("player", "delete", room, element("PLAYER", {"ID": name}), TOROOM=to_room)


def player_lag(room: int, name: str, lag: int) -> bytes:
    """How long a person takes to answer, from 1 to 5."""
    return _update("player", "lag", room, element("PLAYER", {"ID": name, "LAG": lag}))


def player_stats(room: int, name: str, record: Record | None) -> bytes:
    """A game was counted; for a guest there is nothing to tell but that."""
    return _update("player", "stats", room, element("PLAYER", {"ID": name, **_record(record)}))


def table_added(room: int, table: Table) -> bytes:
    """A new table. Clients break off when they hear of a table in any other way first."""
    return _update("table", "add", room, _table(table))


def table_deleted(room: int, table: int, seats: int) -> bytes:
    """A table is gone."""
    return _table_status("delete", room, table, seats, DELETED)


def table_status(room: int, table: int, seats: int, status: int) -> bytes:
    """A table waits, plays or is done."""
    return _table_status("status", room, table, seats, status)


def _table_status(action: str, room: int, table: int, seats: int, status: int) -> bytes:
    return _update("table", action, room, element("TABLE", {"ID": table, "STATUS": status, "SEATS": seats}))


def table_about(room: int, table: int, about: str) -> bytes:
    """A table has another description."""
    return _update("table", "desc", room, element("TABLE", {"ID": table}, [element("DESC", None, about)]))


def table_seat(room: int, table: int, seats: int, seat: Seat, action: str = "seat") -> bytes:
    """A seat is another one now; a person takes it ("join"), or leaves it, and then it is told as it was before."""
    return _update("table", action, room, element("TABLE", {"ID": table, "SEATS": seats}, [seat_line(seat)]))


def table_spectator(room: int, table: int, spectators: int, spectator: Spectator, action: str) -> bytes:
    """A person watches a table ("join"), or no longer does ("leave")."""
    attrs = {"ID": table, "SPECTATORS": spectators}
    return _update("table", action, room, element("TABLE", attrs, [_spectator(spectator)]))


def room_players(room: int, players: int) -> bytes:
    """So many are in that room."""
    return _update("room", "players", None, element("ROOM", {"ID": room, "PLAYERS": players}))


def chat(kind: str, sender: str, text: str | None) -> bytes:
    """A person says something; a beep has no text."""
    return element("CHAT", {"TYPE": kind, "FROM": sender}, text)


PING = element("PING")


def pong(number: str | None = None) -> bytes:
    """Answers PING, with its ID if it had one. Both sides say this."""
    return element("PONG", None if number is None else {"ID": number})


def join(table: int, spectator: bool = False) -> bytes:
    """Sit down, or watch. The client asks so, and the server says so when it is done."""
    return element("JOIN", {"TABLE": table, "SPECTATOR": spectator})


def left(reason: str = "normal", player: str | None = None) -> bytes:
    """You are at no table any more: `normal`, `boot` (by whom), `gameover` or `gameerror`."""
    return element("LEAVE", {"REASON": reason, **({} if player is None else {"PLAYER": player})})


def info(people: Iterable[tuple[int, str, str, str]]) -> bytes:
    """Who sits at your table: seat, real name, address of a picture, host."""
    names = ("SEAT", "REALNAME", "PHOTO", "HOST")
    return element("INFO", None, [element("PLAYERINFO", dict(zip(names, one, strict=True))) for one in people])


def rankings(places: Iterable[tuple[int, str, int]]) -> bytes:
    """The best players of your room's game: place, name, score."""
    names = ("POSITION", "PLAYER", "SCORE")
    return element("RANKINGS", None, [element("RANKING", dict(zip(names, one, strict=True))) for one in places])
