"""A GGZ zone with a thread for each connection, read by expat; Dots of protocol 4 on its channels."""

import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from tests.conform.plain.dots import Person, Table

LONGEST_NAME = 16
ROOMS = (("Entry Room", -1), ("Connect The Dots", 0))


class Node:
    """An element."""

    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag, self.attrs = tag.upper(), {name.upper(): value for name, value in attrs.items()}
        self.children: list[Node] = []
        self.text = ""

    def get(self, name: str, other: str = "") -> str:
        return self.attrs.get(name, other)

    def child(self, tag: str) -> "Node | None":
        return next((node for node in self.children if node.tag == tag), None)


class Board:
    """A table of the zone."""

    def __init__(self, number: int, about: str, quirks: Collection[str], bots: Collection[int]) -> None:
        self.number, self.about = number, about
        self.game = Table(quirks, four=True, bots=bots)
        self.members: dict[int, Member] = {}
        self.reserved: dict[int, str] = {}
        self.owner = ""

    def seats(self) -> list[str]:
        return [self.seat(number) for number in (0, 1)]

    def seat(self, number: int) -> str:
        if number in self.members:
            return f"<SEAT NUM='{number}' TYPE='player'>{escape(self.members[number].name)}</SEAT>"
        if number in self.game.bots:
            return f"<SEAT NUM='{number}' TYPE='bot'/>"
        if number in self.reserved:
            return f"<SEAT NUM='{number}' TYPE='reserved'>{escape(self.reserved[number])}</SEAT>"
        return f"<SEAT NUM='{number}' TYPE='open'/>"

    def whole(self) -> str:
        return (
            f"<TABLE ID='{self.number}' GAME='0' STATUS='1' SEATS='2'><DESC>{escape(self.about)}</DESC>"
            f"{''.join(self.seats())}</TABLE>"
        )


class Member:
    """One connection: a session, or a channel."""

    def __init__(self, link: socket.socket, zone: "Zone") -> None:
        self.link, self.zone, self.quirks = link, zone, zone.quirks
        self.lock = threading.Lock()
        self.name = ""
        self.room = -1
        self.board: Board | None = None
        self.channel: Person | None = None
        self.open = True
        self.stack: list[Node] = []
        self.depth = 0
        self.person: Person | None = None

    def say(self, text: str) -> None:
        data = (text + "\n").encode()
        with self.lock, suppress(OSError):
            if "one byte" in self.quirks:
                for byte in data:
                    self.link.sendall(bytes([byte]))
            else:
                self.link.sendall(data)

    def result(self, action: str, code: str = "ok", inside: str = "") -> None:
        if "double quotes" in self.quirks:
            self.say(f'<RESULT ACTION="{action}" CODE="{code}">{inside}</RESULT>')
        elif inside:
            self.say(f"<RESULT ACTION='{action}' CODE='{code}'>{inside}</RESULT>")
        else:
            self.say(f"<RESULT ACTION='{action}' CODE='{code}'/>")

    # --- reading ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        version = "9" if "version nine" in self.quirks else "10"
        self.say(
            "<?xml version='1.0' encoding='UTF-8'?>\n<SESSION>\n"
            f"<SERVER ID='plain' NAME='Plain Zone' VERSION='{version}' STATUS='ok' TLS_SUPPORT='no'>\n"
            "<OPTIONS CHATLEN='512'/>\n</SERVER>"
        )
        parser = expat.ParserCreate()
        if hasattr(parser, "SetReparseDeferralEnabled"):
            parser.SetReparseDeferralEnabled(False)
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        try:
            while self.open and (data := self.link.recv(4096)):
                if b"<" not in data and sum(map(len, (node.text for node in self.stack))) > 100_000:
                    break
                parser.Parse(data, False)
        except expat.ExpatError:
            if self.open:
                self.result("protocol", "bad xml")
                if "survives bad xml" in self.quirks:
                    self.link.settimeout(5)
        except OSError:
            pass
        if self.person is not None and self.zone.seated(self.person) and self.person_board is not None:
            self.person_board.game.hear(self.person)
        with self.zone.lock:
            self.zone.gone(self)
        self.link.close()

    person_board: Board | None = None

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > 1:
            self.stack.append(Node(tag, attrs))

    def characters(self, text: str) -> None:
        if self.stack:
            self.stack[-1].text += text

    def end(self, _: str) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.say("</SESSION>")
            self.open = False
        elif self.depth == 1:
            node = self.stack.pop()
            if self.open:
                with self.zone.lock:
                    self.hear(node)
        elif len(self.stack) > 1:
            node = self.stack.pop()
            self.stack[-1].children.append(node)

    # --- answering ----------------------------------------------------------------------------------------------------

    def hear(self, node: Node) -> None:
        known: dict[str, Callable[[Node], None]] = {
            "LIST": self.list, "ENTER": self.enter, "CHAT": self.chat, "LAUNCH": self.launch, "JOIN": self.join,
            "LEAVE": self.leave, "MOTD": self.motd, "UPDATE": self.update, "RESEAT": self.reseat, "INFO": self.info,
            "RANKINGS": self.rankings,
        }  # fmt: skip
        if node.tag == "LOGIN":
            self.login(node)
        elif node.tag == "CHANNEL":
            self.become_channel(node)
        elif node.tag == "PING":
            number = node.get("ID")
            self.say(f"<PONG ID={quoteattr(number)}/>" if number else "<PONG/>")
        elif node.tag in known:
            if not self.name:
                self.result(node.tag.lower(), "not logged in" if "login code" not in self.quirks else "no permission")
            else:
                known[node.tag](node)

    def login(self, node: Node) -> None:
        inner = node.child("NAME")
        name = inner.text.strip() if inner is not None else ""
        kind = node.get("TYPE", "guest").lower()
        if self.name:
            self.result("login", "already logged in")
        elif not name or kind not in ("guest", "normal", "first"):
            self.result("login", "bad options")
        elif len(name.encode()) > LONGEST_NAME and "long names" not in self.quirks:
            self.result("login", "too long")
        elif name.lower() in self.zone.members and "names twice" not in self.quirks:
            self.result("login", "already logged in")
        elif kind == "normal":
            secret = node.child("PASSWORD")
            self.result("login", "bad options" if secret is None else "user not found")
        elif kind == "first":
            self.result("login", "bad password")
        else:
            self.name = name
            self.zone.members[name.lower()] = self
            self.result("login")
            if "no motd" not in self.quirks:
                self.motd(node)

    def motd(self, _: Node) -> None:
        self.say("<MOTD PRIORITY='normal' URL=''><![CDATA[Welcome to the plain zone.]]></MOTD>")

    def list(self, node: Node) -> None:
        what, full = node.get("TYPE").lower(), node.get("FULL").lower() == "true"
        zone = self.zone
        if what == "game":
            more = "<ABOUT AUTHOR='A hand' URL=''/><DESC>Dots</DESC>" if full else ""
            engine = "4" if "protocol five" not in self.quirks else "5"
            inside = (
                f"<GAME ID='0' NAME='Dots' VERSION='0.0.4'><PROTOCOL ENGINE='Dots' VERSION='{engine}'/>"
                f"<ALLOW PLAYERS='2' BOTS='1' SPECTATORS='false' PEERS='false'/>{more}</GAME>"
            )
            self.result("list", inside=f"<LIST TYPE='game'>{inside}</LIST>")
        elif what == "room":
            rooms = ""
            for number, (name, game) in enumerate(ROOMS):
                count = len(zone.in_room(number)) + ("room counts off by one" in self.quirks)
                more = "<DESC>a room</DESC>" if full else ""
                rooms += (
                    f"<ROOM ID='{number}' NAME='{name}' REFNAME='{name}' GAME='{game}' PLAYERS='{count}'>{more}</ROOM>"
                )
            self.result("list", inside=f"<LIST TYPE='room'>{rooms}</LIST>")
        elif what not in ("player", "table"):
            self.result("list", "bad options")
        elif self.room < 0:
            self.result("list", "not in room")
        elif what == "player":
            people = "".join(self.zone.described(each) for each in zone.in_room(self.room))
            self.result("list", inside=f"<LIST TYPE='player' ROOM='{self.room}'>{people}</LIST>")
        else:
            tables = "".join(board.whole() for board in zone.boards.values() if self.room == 1)
            if "forgets tables in lists" in self.quirks:
                tables = ""
            self.result("list", inside=f"<LIST TYPE='table' ROOM='{self.room}'>{tables}</LIST>")

    def enter(self, node: Node) -> None:
        room = node.get("ROOM")
        if not room.isdigit() or int(room) >= len(ROOMS):
            self.result("enter", "bad options" if "enter code" not in self.quirks else "no table")
            return
        if self.board is not None and "enters from a table" not in self.quirks:
            self.result("enter", "at table")
            return
        before, self.room = self.room, int(room)
        self.result("enter")
        if before != self.room:
            self.zone.tell(before, self.news("delete", f" TOROOM='{self.room}'"), self)
            if "arrivals not told" not in self.quirks:
                self.zone.tell(self.room, self.news("add", f" FROMROOM='{before}'"), self)

    def news(self, action: str, more: str = "") -> Callable[[int], str]:
        inside = self.zone.described(self)
        return lambda room: f"<UPDATE TYPE='player' ACTION='{action}' ROOM='{room}'{more}>{inside}</UPDATE>"

    def chat(self, node: Node) -> None:
        kind, text = node.get("TYPE", "normal").lower() or "normal", node.text
        zone = self.zone
        if self.room < 0:
            self.result("chat", "not in room")
            return
        if kind == "announce":
            self.result("chat", "no permission")
            return
        said = f"<CHAT TYPE='{kind}' FROM={quoteattr(self.name)}>{escape(text)}</CHAT>"
        if "chat unescaped" in self.quirks:
            said = f"<CHAT TYPE='{kind}' FROM={quoteattr(self.name)}>{text}</CHAT>"
        if kind in ("private", "beep"):
            other = zone.members.get(node.get("TO").lower())
            if other is None:
                self.result("chat", "usr lookup")
            elif kind == "private" and (other.board is not None or self.board is not None):
                self.result("chat", "at table")
            else:
                self.result("chat")
                for each in zone.in_room(self.room) if "private for all" in self.quirks else [other]:
                    each.say(said)
            return
        if kind == "table":
            if self.board is None:
                self.result("chat", "no table")
                return
            self.result("chat")
            everyone = "table chat for the room" in self.quirks
            for each in zone.in_room(1) if everyone else list(self.board.members.values()):
                each.say(said)
            return
        self.result("chat")
        for each in zone.in_room(self.room):
            if each is self and "no echo" in self.quirks:
                continue
            each.say(said)

    # --- tables -------------------------------------------------------------------------------------------------------

    def launch(self, node: Node) -> None:
        zone, table = self.zone, node.child("TABLE")
        if self.room != 1 or table is None or table.get("GAME") != "0":
            self.result("launch", "not in room" if table is not None else "bad options")
            return
        if self.board is not None:
            self.result("launch", "launch fail")
            return
        if self.channel is None and "no channel needed" not in self.quirks:
            self.result("launch", "no channel")
            return
        seats = {
            int(seat.get("NUM", "9")): seat
            for seat in table.children
            if seat.tag == "SEAT" and seat.get("NUM").isdigit()
        }
        kinds = {number: seat.get("TYPE").lower() for number, seat in seats.items()}
        if table.get("SEATS") != "2" or set(kinds) != {0, 1} or list(kinds.values()).count("bot") > 1:
            self.result("launch", "bad options")
            return
        number = next(number for number in range(1, 99) if number not in zone.boards)
        about = table.child("DESC")
        bots = [seat for seat, kind in kinds.items() if kind == "bot"]
        board = zone.boards[number] = Board(number, about.text.strip() if about is not None else "", self.quirks, bots)
        board.owner = self.name
        board.reserved = {seat: node.text.strip() for seat, node in seats.items() if kinds[seat] == "reserved"}
        zone.tell(1, lambda room: f"<UPDATE TYPE='table' ACTION='add' ROOM='{room}'>{board.whole()}</UPDATE>")
        self.result("launch")
        self.sit(board)

    def join(self, node: Node) -> None:
        board = self.zone.boards.get(int(node.get("TABLE") or -1)) if node.get("TABLE").lstrip("-").isdigit() else None
        if self.room < 0:
            self.result("join", "not in room")
        elif self.board is not None:
            self.result("join", "at table")
        elif self.channel is None:
            self.result("join", "no channel")
        elif board is None or self.room != 1:
            self.result("join", "no table")
        elif node.get("SPECTATOR").lower() == "true" or not self.free(board):
            self.result("join", "table full" if "join code" not in self.quirks else "table empty")
        else:
            self.result("join")
            self.sit(board)

    def free(self, board: Board) -> bool:
        for number in (0, 1):
            if number in board.members or number in board.game.bots:
                continue
            if board.reserved.get(number, self.name).lower() == self.name.lower():
                return True
            if "reserved for anybody" in self.quirks:
                return True
        return False

    def sit(self, board: Board) -> None:
        zone = self.zone
        seat = self.place(board)
        if seat is None or self.channel is None:
            return
        board.members[seat], self.board = self, board
        person, self.channel = self.channel, None
        self.person_here = person
        inside = f"<TABLE ID='{board.number}' SEATS='2'>{board.seat(seat)}</TABLE>"
        if "joins not told" not in self.quirks:
            zone.tell(1, lambda room: f"<UPDATE TYPE='table' ACTION='join' ROOM='{room}'>{inside}</UPDATE>")
        self.say(f"<JOIN TABLE='{board.number}' SPECTATOR='false'/>")
        zone.ready(person, board)
        board.game.sit(person)

    person_here: Person | None = None

    def place(self, board: Board) -> int | None:
        """The seat that the game will give: the first that is free."""
        for number in (0, 1):
            taken = number in board.members or number in board.game.bots
            if not taken and board.reserved.get(number, self.name).lower() == self.name.lower():
                board.reserved.pop(number, None)
                return number
        return None

    def leave(self, _: Node) -> None:
        self.result("leave")
        reason = "gameover" if "reason" in self.quirks else "normal"
        if self.board is not None or "says nothing when not seated" not in self.quirks:
            self.stand()
            self.say(f"<LEAVE REASON='{reason}'/>")

    def stand(self) -> None:
        board, zone = self.board, self.zone
        if board is None:
            return
        seat = next(number for number, member in board.members.items() if member is self)
        before = board.seat(seat)
        del board.members[seat]
        self.board = None
        inside = f"<TABLE ID='{board.number}' SEATS='2'>{before}</TABLE>"
        zone.tell(1, lambda room: f"<UPDATE TYPE='table' ACTION='leave' ROOM='{room}'>{inside}</UPDATE>")
        if self.person_here is not None:
            board.game.leave(self.person_here)
            with suppress(OSError):
                self.person_here.link.shutdown(socket.SHUT_RDWR)
        if not board.members and "tables stay" not in self.quirks:
            zone.boards.pop(board.number, None)
            for action, status in (("status", 3), ("delete", -1)):
                inside = f"<TABLE ID='{board.number}' STATUS='{status}' SEATS='2'/>"
                text = f"<UPDATE TYPE='table' ACTION='{action}' ROOM='1'>{inside}</UPDATE>"
                zone.tell(1, lambda _, text=text: text)  # type: ignore[misc]

    def update(self, node: Node) -> None:
        table = node.child("TABLE")
        if node.get("TYPE").lower() != "table" or table is None:
            self.result("update", "bad options")
            return
        board = self.board
        if board is None:
            self.result("update", "no table")
        elif board.owner != self.name and "anybody describes" not in self.quirks:
            self.result("update", "no permission")
        elif node.get("ACTION").lower() == "desc":
            about = table.child("DESC")
            board.about = about.text.strip() if about is not None else ""
            self.result("update")
            inside = f"<TABLE ID='{board.number}'><DESC>{escape(board.about)}</DESC></TABLE>"
            self.zone.tell(1, lambda room: f"<UPDATE TYPE='table' ACTION='desc' ROOM='{room}'>{inside}</UPDATE>")
        else:
            self.result("update", "bad options")

    def reseat(self, node: Node) -> None:
        if self.board is None:
            self.result("reseat", "no table")
        elif node.get("ACTION").lower() not in ("sit", "stand", "move"):
            self.result("reseat", "bad options")
        elif "reseat stands up" in self.quirks:
            self.result("reseat")
            self.stand()
        else:
            self.result("reseat", "no permission" if "reseat forbidden" in self.quirks else "ok")

    def info(self, _: Node) -> None:
        if self.board is not None or "info anywhere" in self.quirks:
            self.say("<INFO/>" if "info broken" not in self.quirks else "<INFORMATION/>")

    def rankings(self, _: Node) -> None:
        if self.board is not None:
            self.say(
                "<RANKINGS><RANKING PLAYER='ann'/></RANKINGS>"
                if "rankings without position" in self.quirks
                else "<RANKINGS><RANKING POSITION='1' PLAYER='ann' SCORE='3'/></RANKINGS>"
            )

    # --- channels -----------------------------------------------------------------------------------------------------

    def become_channel(self, node: Node) -> None:
        owner = self.zone.members.get(node.get("ID").lower())
        self.person = Person(self.link, owner.name if owner is not None else "", self.quirks)
        if owner is not None:
            owner.channel = self.person
        self.zone.channels[self.person] = self


class Zone:
    """Everyone who is there."""

    def __init__(self, quirks: Collection[str]) -> None:
        self.quirks = quirks
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.members: dict[str, Member] = {}
        self.boards: dict[int, Board] = {}
        self.channels: dict[Person, Member] = {}

    def serve(self, link: socket.socket) -> None:
        Member(link, self).run()

    def in_room(self, room: int) -> list[Member]:
        return [member for member in self.members.values() if member.room == room]

    def described(self, member: Member) -> str:
        table = member.board.number if member.board is not None else -1
        kind = "normal" if "guests are registered" in self.quirks else "guest"
        return f"<PLAYER ID={quoteattr(member.name)} TYPE='{kind}' TABLE='{table}' PERMS='0x00000043' LAG='1'/>"

    def tell(self, room: int, text: Callable[[int], str], but: Member | None = None) -> None:
        for member in self.in_room(room):
            if member is not but:
                member.say(text(room))

    def ready(self, person: Person, board: Board) -> None:
        self.channels[person].person_board = board
        self.changed.notify_all()

    def seated(self, person: Person) -> bool:
        """Waits until the player of a channel sits at a table; a channel may also be dropped before."""
        member = self.channels[person]
        with self.changed:
            self.changed.wait_for(lambda: member.person_board is not None, timeout=10)
            self.channels.pop(person, None)
            return member.person_board is not None

    def gone(self, member: Member) -> None:
        if member.name and self.members.get(member.name.lower()) is member:
            member.stand()
            del self.members[member.name.lower()]
            if "departures not told" not in self.quirks:
                self.tell(member.room, member.news("delete", " TOROOM='-1'"), member)
