"""How the original ggzd behaves on the wire, faults included, with its Dots tables. Bytes in, bytes out, no sockets.

Elements are read by expat, as the original does. A request that a client in its right mind never makes is a complaint.
"""

from collections.abc import Callable
from random import Random
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape

from tests.interop.ggz_dots_original import BOT, OPEN, PLAYER, RESERVED, Chair, DotsTable

GREETING = (
    "<?xml version='1.0' encoding='UTF-8'?>\n",
    "<SESSION>\n",
    "<SERVER ID='GGZ-snapshot-0.99.5+' NAME='Lab GGZ Server' VERSION='10' STATUS='ok' TLS_SUPPORT='no'>\n",
    "<OPTIONS CHATLEN='512'/>\n",
    "</SERVER>\n",
)
MOTD = (
    "<MOTD PRIORITY='normal' URL='(null)'><![CDATA[\n# Welcome to <vm> & friends.\n#\n#\tEnjoy your stay,\n]]></MOTD>\n"
)
GAMES = (
    "<RESULT ACTION='list' CODE='ok'>\n<LIST TYPE='game'>\n"
    "<GAME ID='3' NAME='Tic-Tac-Toe' VERSION='0.0.4'>\n<PROTOCOL ENGINE='TicTacToe' VERSION='4'/>\n"
    "<ALLOW PLAYERS='2' BOTS='1' SPECTATORS='true' PEERS='true'/>\n</GAME>\n"
    "<GAME ID='0' NAME='Dots' VERSION='0.0.4'>\n<PROTOCOL ENGINE='Dots' VERSION='4'/>\n"
    "<ALLOW PLAYERS='2' BOTS='1' SPECTATORS='false' PEERS='false'/>\n"
    "<ABOUT AUTHOR='Rich Gade' URL='(null)'/>\n<DESC>A game</DESC>\n</GAME>\n</LIST>\n</RESULT>\n"
)
ROOMS = {0: ("Entry Room", -1), 1: ("Connect The Dots", 0), 2: ("Three in a Row", 3)}
KINDS = {OPEN: "open", BOT: "bot", PLAYER: "player", RESERVED: "reserved"}
FAULTS = (
    "not logged in",
    "bad options",
    "no channel",
    "not in room",
    "at table",
    "in transit",
    "bad xml",
    "launch fail",
)
SPINS = "the channel of {} was closed without LEAVE: the table's process spins"
LOST_AFTER = 512
"""So many bytes without any tag, and the original hangs up."""


class Element:
    """One element below SESSION, with all that is in it."""

    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag = tag.upper()
        self.attrs = {name.upper(): value for name, value in attrs.items()}
        self.text = ""
        self.children: list[Element] = []

    def child(self, tag: str) -> "Element | None":
        return next((child for child in self.children if child.tag == tag), None)

    def said(self, tag: str) -> str:
        child = self.child(tag)
        return "" if child is None else child.text


class Conn:
    """The server's end of one connection."""

    def __init__(self, server: "Ggzd") -> None:
        self.server = server
        self.out: list[bytes] = []
        """What it writes, one entry a write."""
        self.closed = False
        self.left = False
        """The peer has gone."""
        self.name = ""
        self.room = -1
        self.spoiled = False
        self.channel = ""
        """Whose channel this is, or says it is."""
        self.raw = False
        self.table: Table | None = None
        self.seat = -1
        self.heard: list[str] = []
        """The tags of everything that came."""
        self._open: list[Element] = []
        self._text_since_tag = 0
        self._parser = ParserCreate("UTF-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def say(self, text: str) -> None:
        """The original writes line by line."""
        if not self.closed:
            self.out.extend(line.encode() for line in text.splitlines(keepends=True))

    def send(self, data: bytes) -> None:
        if not self.closed:
            self.out.append(data)

    def read(self, data: bytes) -> None:
        """Bytes of an XML conversation; behind the end of a channel's, whatever was read with it is lost."""
        end = data.upper().find(b"</SESSION>")
        if end >= 0 and data[end + 10 :].strip():
            self.server.complain(f"lost behind </SESSION>: {data[end + 10 :]!r}")
        try:
            self._parser.Parse(data if end < 0 else data[: end + 10])
        except ExpatError as error:
            self.server.complain(f"bad xml: {error}")
            self.say("<RESULT ACTION='protocol' CODE='bad xml'/>\n")
            self.closed = True

    def _start(self, tag: str, attrs: dict[str, str]) -> None:
        self._text_since_tag = 0
        self._open.append(Element(tag, attrs))

    def _text(self, text: str) -> None:
        self._text_since_tag += len(text.encode())
        if self._text_since_tag > LOST_AFTER:
            self.server.complain("too much text without a tag")
        if self._open:
            self._open[-1].text += text

    def _end(self, _: str) -> None:
        self._text_since_tag = 0
        element = self._open.pop()
        if len(self._open) > 1:
            self._open[-1].children.append(element)
        elif self._open:
            self.heard.append(element.tag)
            self.server.handle(self, element)
        else:
            self.heard.append("/SESSION")
            self.server.ended(self)


class Table:
    """A table as the zone sees it; the game is a process of its own."""

    def __init__(self, number: int, description: str, game: DotsTable) -> None:
        self.number = number
        self.description = description
        self.game = game
        self.leftovers: list[Conn] = []
        """The launcher's channel: the game process has inherited it, so it stays open until the table ends."""

    def seat(self, number: int) -> str:
        chair = self.game.chairs[number]
        name = chair.reserved if chair.kind == RESERVED else chair.name
        shown = name if name != "AI" else ""  # an unnamed bot has no name in XML
        start = f"<SEAT NUM='{number}' TYPE='{KINDS[chair.kind]}'"
        return f"{start}>{escape(shown)}</SEAT>\n" if shown else f"{start}/>\n"

    def full(self) -> str:
        return (
            f"<TABLE ID='{self.number}' GAME='0' STATUS='1' SEATS='2'>\n<DESC>{escape(self.description)}</DESC>\n"
            f"{self.seat(0)}{self.seat(1)}</TABLE>\n"
        )


class Ggzd:
    """The zone."""

    def __init__(self, rng: Random, accounts: dict[str, str] | None = None) -> None:
        self.rng = rng
        self.accounts = accounts or {}
        self.complaints: list[str] = []
        self.conns: list[Conn] = []
        self.tables: dict[int, Table] = {}
        self.past: list[Table] = []
        """Tables that have ended."""
        self.chats: list[tuple[str, str, str]] = []
        """Type, who, what."""
        self.silent: set[str] = set()
        """Requests that get no answer at all."""
        self.refusals: dict[str, list[str]] = {}
        """By request, the codes of the next answers; nothing else happens then."""

    def complain(self, text: str) -> None:
        self.complaints.append(text)

    # --- connections -------------------------------------------------------------------------------------------------

    def connect(self) -> Conn:
        conn = Conn(self)
        self.conns.append(conn)
        for line in GREETING:
            conn.say(line)
        return conn

    def receive(self, conn: Conn, data: bytes) -> None:
        if conn.closed:
            return
        if not conn.raw:
            conn.read(data)
        elif conn.table is None:
            self.complain(f"game bytes before the table: {data!r}")
        else:
            conn.table.game.hear(conn.seat, data)

    def lost(self, conn: Conn) -> None:
        """The peer has closed. A channel that ends while its session lives is not even noticed."""
        conn.left = True
        if conn.raw or conn.channel:
            owner = next((one for one in self._members() if one.name == conn.channel), None)
            if owner is not None and owner.table is not None and not owner.left and conn is self._channel_at(owner):
                self.complain(SPINS.format(owner.name))  # until the session takes leave as well
            return
        self._gone(conn)

    def ended(self, conn: Conn) -> None:
        """</SESSION>"""
        if not conn.name and "channel" in self.silent:
            return
        conn.say("</SESSION>\n")
        if conn.channel:
            conn.raw = True
            return
        self._gone(conn)
        conn.closed = True

    def ping(self) -> None:
        for member in self._members():
            member.say("<PING/>\n" if self.rng.random() < 0.5 else "<PING ID='7'/>\n")

    def _members(self) -> list[Conn]:
        return [conn for conn in self.conns if conn.name and not conn.closed]

    def _gone(self, conn: Conn) -> None:
        if conn.table is not None:
            self._stand_up(conn)
        if conn.name:
            self._tell_room(
                conn.room,
                f"<UPDATE TYPE='player' ACTION='delete' ROOM='{conn.room}' TOROOM='-1'>\n"
                f"<PLAYER ID='{escape(conn.name)}'/>\n</UPDATE>\n",
                but=conn,
            )
        conn.name = ""

    def _tell_room(self, room: int, text: str, but: Conn | None = None) -> None:
        for member in self._members():
            if member.room == room >= 0 and member is not but:
                member.say(text)

    # --- requests ----------------------------------------------------------------------------------------------------

    def handle(self, conn: Conn, element: Element) -> None:
        action = element.tag.lower()
        if action in self.silent:
            return
        if self.refusals.get(action):
            self._result(conn, action, self.refusals[action].pop(0), blame=False)
            return
        handler: Callable[[Conn, Element], Any] | None = getattr(self, f"_{action}", None)
        if handler is None:
            self.complain(f"unknown element {element.tag}")
        elif not conn.name and action not in ("login", "channel", "language", "ping"):
            self._result(conn, action, "not logged in")
        else:
            handler(conn, element)

    def _result(self, conn: Conn, action: str, code: str, blame: bool = True) -> None:
        if blame and code in FAULTS:
            self.complain(f"{action}: {code}")
        conn.say(f"<RESULT ACTION='{action}' CODE='{code}'/>\n")

    def _language(self, conn: Conn, element: Element) -> None:
        pass

    def _ping(self, conn: Conn, element: Element) -> None:
        conn.say("<PONG/>\n")

    def _pong(self, conn: Conn, element: Element) -> None:
        pass

    def _channel(self, conn: Conn, element: Element) -> None:
        conn.channel = element.attrs.get("ID", "")
        if not any(member.name == conn.channel for member in self._members()):
            self.complain(f"a channel for {conn.channel!r}, whom nobody knows")

    def _login(self, conn: Conn, element: Element) -> None:
        code = self._admit(conn, element.attrs.get("TYPE", "guest"), element.said("NAME"), element.said("PASSWORD"))
        if code == "first":
            password = escape(self.accounts[conn.name])
            conn.say(f"<RESULT ACTION='login' CODE='ok'>\n<PASSWORD>{password}</PASSWORD>\n</RESULT>\n")
        else:
            self._result(conn, "login", code)
        conn.spoiled = True
        if conn.name:
            conn.say(MOTD)

    def _admit(self, conn: Conn, kind: str, name: str, password: str) -> str:
        if conn.spoiled or any(member.name == name for member in self._members()):
            return "already logged in"
        if not name or kind not in ("guest", "normal", "first") or (kind == "normal" and not password):
            return "bad options"
        if len(name.encode()) > 16:
            return "too long"
        match kind:
            case "guest" if name in self.accounts:
                return "wrong login type"
            case "normal" if name not in self.accounts:
                return "user not found"
            case "normal" if self.accounts[name] != password:
                return "usr lookup"
            case "first" if name in self.accounts:
                return "username already taken"
            case "first":
                self.accounts[name] = password
        conn.name = name
        return "first" if kind == "first" else "ok"

    def _motd(self, conn: Conn, element: Element) -> None:
        conn.say(MOTD)

    def _list(self, conn: Conn, element: Element) -> None:
        kind = element.attrs.get("TYPE", "")
        match kind:
            case "game":
                conn.say(GAMES)
                return
            case "room":
                items = "".join(
                    f"<ROOM ID='{number}' NAME='{name}' REFNAME='{name}' GAME='{game}' PLAYERS='0'>\n"
                    "<DESC>A room</DESC>\n</ROOM>\n"
                    for number, (name, game) in ROOMS.items()
                )
                conn.say(f"<RESULT ACTION='list' CODE='ok'>\n<LIST TYPE='room'>\n{items}</LIST>\n</RESULT>\n")
                return
            case "table" | "player" if conn.room >= 0:
                items = "".join(table.full() for table in self.tables.values()) if kind == "table" else ""
                start = f"<RESULT ACTION='list' CODE='ok'>\n<LIST TYPE='{kind}' ROOM='{conn.room}'>\n"
                conn.say(f"{start}{items if conn.room == 1 else ''}</LIST>\n</RESULT>\n")
                return
        self._result(conn, "list", "not in room" if kind in ("table", "player") else "bad options")

    def _enter(self, conn: Conn, element: Element) -> None:
        room = element.attrs.get("ROOM", "")
        if not room.isdigit() or int(room) not in ROOMS:
            self._result(conn, "enter", "bad options")
        elif conn.table is not None:
            self._result(conn, "enter", "at table")
        else:
            self._tell_room(
                int(room),
                f"<UPDATE TYPE='player' ACTION='add' ROOM='{room}' FROMROOM='{conn.room}'>\n"
                f"<PLAYER ID='{escape(conn.name)}' TYPE='guest' TABLE='-1' PERMS='0x00000043' LAG='1'/>\n</UPDATE>\n",
                but=conn,
            )
            conn.room = int(room)
            self._result(conn, "enter", "ok")

    def _chat(self, conn: Conn, element: Element) -> None:
        kind = element.attrs.get("TYPE", "normal")
        if conn.room < 0 or (kind == "table" and conn.table is None):
            self._result(conn, "chat", "not in room" if conn.room < 0 else "no table")
            return
        if len(element.text.encode()) > 512:
            self.complain("a chat line longer than CHATLEN")
        self.chats.append((kind, conn.name, element.text))
        self._result(conn, "chat", "ok")
        for member in self._members():
            if member.room == conn.room and (kind != "table" or member.table is conn.table):
                member.say(f"<CHAT TYPE='{kind}' FROM='{escape(conn.name)}'>{escape(element.text)}</CHAT>\n")

    # --- tables ------------------------------------------------------------------------------------------------------

    def _unused_channel(self, name: str) -> Conn | None:
        free = (one for one in self.conns if one.raw and one.channel == name and one.seat < 0)
        return next((one for one in free if not one.left and not one.closed), None)

    def _channel_at(self, member: Conn) -> Conn | None:
        found = (one for one in self.conns if one.raw and one.table is member.table and one.seat == member.seat)
        return next(found, None)

    def _launch(self, conn: Conn, element: Element) -> None:
        table = element.child("TABLE")
        seats = [] if table is None else [child for child in table.children if child.tag == "SEAT"]
        if table is None or conn.room != 1 or table.attrs.get("GAME") != "0":
            self._result(conn, "launch", "not in room")
            return
        channel = self._unused_channel(conn.name)
        if conn.table is not None or channel is None:
            self._result(conn, "launch", "launch fail" if conn.table is not None else "no channel")
            return
        kinds = {seat.attrs.get("NUM"): seat for seat in seats}
        bots = sum(seat.attrs.get("TYPE") == "bot" for seat in seats)
        if table.attrs.get("SEATS") != "2" or set(kinds) != {"0", "1"} or bots > 1:
            self._result(conn, "launch", "bad options")
            return
        chairs = [self._chair(kinds[number]) for number in ("0", "1")]
        number = next(number for number in range(1, 1000) if number not in self.tables)
        new = Table(number, table.said("DESC"), DotsTable(chairs, self.rng, self.complain))
        self.tables[number] = new
        new.leftovers.append(channel)
        lines = [
            "<RESULT ACTION='launch' CODE='ok'/>\n",
            f"<UPDATE TYPE='table' ACTION='add' ROOM='1'>\n{new.full()}</UPDATE>\n",
        ]
        self._tell_room(1, lines[1], but=conn)
        self.rng.shuffle(lines)  # both orders were seen
        conn.say("".join(lines))
        self._sit(conn, channel, new)

    def _chair(self, seat: Element) -> Chair:
        match seat.attrs.get("TYPE", ""):
            case "bot":
                return Chair(BOT, seat.text or "AI")
            case "reserved":
                return Chair(RESERVED, reserved=seat.text)
        return Chair(OPEN)

    def _join(self, conn: Conn, element: Element) -> None:
        channel = self._unused_channel(conn.name)
        if conn.table is not None or channel is None:
            self._result(conn, "join", "at table" if conn.table is not None else "no channel")
            return
        number = element.attrs.get("TABLE", "")
        table = self.tables.get(int(number)) if number.isdigit() else None
        if table is None or self._free(table, conn.name) is None:
            channel.seat = 99  # used up
            self._result(conn, "join", "no table" if table is None else "table full")
            return
        self._sit(conn, channel, table, "<RESULT ACTION='join' CODE='ok'/>\n")

    def _free(self, table: Table, name: str) -> int | None:
        chairs = list(enumerate(table.game.chairs))
        mine = [number for number, chair in chairs if chair.kind == RESERVED and chair.reserved == name]
        return next(iter(mine + [number for number, chair in chairs if chair.kind == OPEN]), None)

    def _sit(self, conn: Conn, channel: Conn, table: Table, result: str = "") -> None:
        seat = self._free(table, conn.name)
        assert seat is not None, "the launcher left itself no seat"
        conn.table = channel.table = table
        conn.seat = channel.seat = seat
        table.game.join(seat, conn.name, channel.send)
        update = (
            f"<UPDATE TYPE='table' ACTION='join' ROOM='1'>\n<TABLE ID='{table.number}' SEATS='2'>\n"
            f"{table.seat(seat)}</TABLE>\n</UPDATE>\n"
        )
        self._tell_room(1, update, but=conn)
        lines = [update, result + f"<JOIN TABLE='{table.number}' SPECTATOR='false'/>\n"]
        self.rng.shuffle(lines)
        conn.say("".join(lines))

    def _leave(self, conn: Conn, element: Element) -> None:
        if conn.table is not None:
            self._stand_up(conn)
        self._result(conn, "leave", "ok")
        conn.say("<LEAVE REASON='normal'/>\n")

    def _stand_up(self, conn: Conn) -> None:
        table, channel = conn.table, self._channel_at(conn)
        assert table is not None
        if SPINS.format(conn.name) in self.complaints:
            self.complaints.remove(SPINS.format(conn.name))
        update = f"<TABLE ID='{table.number}' SEATS='2'>\n{table.seat(conn.seat)}</TABLE>\n</UPDATE>\n"
        self._tell_room(1, f"<UPDATE TYPE='table' ACTION='leave' ROOM='1'>\n{update}")
        table.game.leave(conn.seat)
        conn.table, conn.seat = None, -1
        if channel is not None and channel not in table.leftovers:
            channel.closed = True
        if not any(chair.kind == PLAYER for chair in table.game.chairs):
            self._end(table)

    def _end(self, table: Table) -> None:
        for action, status in (("status", 3), ("delete", -1)):
            self._tell_room(
                1,
                f"<UPDATE TYPE='table' ACTION='{action}' ROOM='1'>\n"
                f"<TABLE ID='{table.number}' STATUS='{status}' SEATS='2'/>\n</UPDATE>\n",
            )
        self.past.append(self.tables.pop(table.number))
        for channel in table.leftovers:
            channel.closed = True

    def crash(self, table: Table) -> None:
        """The game process dies: everybody is sent away from the table."""
        for member in self._members():
            if member.table is table:
                channel = self._channel_at(member)
                if channel is not None:
                    channel.closed = True
                member.table, member.seat = None, -1
                member.say("<LEAVE REASON='gameerror'/>\n")
        self._end(table)
