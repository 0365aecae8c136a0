"""The Dots document with a thread for each player and a lock for each table; bare, or on a zone's channel."""

import random
import socket
import struct
import threading
import time
from collections.abc import Collection
from contextlib import suppress

SEAT, PLAYERS, MOVE, GAMEOVER, REQ_MOVE, RSP_MOVE, SYNC, OPTIONS, REQ_OPTIONS = 0, 1, 2, 4, 5, 6, 7, 8, 9
STATE, TURN, BOUND, FULL = -1, -2, -3, -4


class Gone(Exception):
    """The player has left."""


class Person:
    """Who sits at a table."""

    def __init__(self, link: socket.socket, name: str, quirks: Collection[str]) -> None:
        self.link, self.name, self.quirks = link, name, quirks
        self.again = False
        self.lock = threading.Lock()
        self.held = b""

    def say(self, opcode: int, form: str = "", *values: int) -> None:
        self.write(struct.pack(f">i{form}", opcode, *values))

    def write(self, data: bytes) -> None:
        with self.lock, suppress(OSError):
            if "one byte" in self.quirks:
                for byte in data:
                    self.link.sendall(bytes([byte]))
            elif "late" in self.quirks:
                self.held += data  # goes with the next, or when nothing more is to be said
            else:
                self.link.sendall(data)

    def flush(self) -> None:
        with self.lock, suppress(OSError):
            data, self.held = self.held, b""
            self.link.sendall(data)

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.link.recv(count - len(data))
            if not part:
                raise Gone
            data += part
        return data


class Table:
    """One board; `four` is protocol 4, which lists the squares."""

    def __init__(self, quirks: Collection[str], four: bool = False, bots: Collection[int] = ()) -> None:
        self.quirks, self.four, self.bots = quirks, four, set(bots)
        self.lock = threading.RLock()
        self.seats: list[Person | None] = [None, None]
        self.size: tuple[int, int] | None = None
        self.chooser: Person | None = None
        self.lines: set[tuple[str, int, int]] = set()
        self.owners: dict[tuple[int, int], int] = {}
        self.turn = -1
        self.played = 0

    def people(self) -> list[Person]:
        return [person for person in self.seats if person is not None]

    # --- coming and going ---------------------------------------------------------------------------------------------

    def sit(self, person: Person) -> int | None:
        with self.lock:
            free = [seat for seat in (0, 1) if self.seats[seat] is None and seat not in self.bots]
            if not free:
                return None
            seat = free[-1] if "second seat first" in self.quirks else free[0]
            self.seats[seat] = person
            person.say(SEAT, "i", 1 - seat if "seat swapped" in self.quirks else seat)
            self.tell_players()
            if self.size is None and (self.chooser is None or self.chooser not in self.seats):
                self.ask_size(person)
            elif self.size is not None:
                person.say(OPTIONS, "BB", *self.size)
                if self.turn >= 0 and "newcomer not told" not in self.quirks:
                    self.sync(person)
                if self.turn < 0:
                    person.again = True
                    self.begin()
                elif self.turn >= 0:
                    self.ask()
            self.flush()
            return seat

    def tell_players(self) -> None:
        data = struct.pack(">i", PLAYERS)
        for number, person in enumerate(self.seats):
            if number in self.bots:
                name = b"AI\0"
                data += struct.pack(">ii", 2 if self.four else -2, len(name)) + name
            elif person is None:
                data += struct.pack(">i", 1 if self.four else -1)
            else:
                name = person.name.encode() + b"\0"
                if "name without its null" in self.quirks:
                    name = name[:-1]
                data += struct.pack(">ii", 3 if self.four else -5, len(name)) + name
        for person in self.people():
            person.write(data)

    def leave(self, person: Person) -> None:
        with self.lock:
            if person not in self.seats:
                return
            self.seats[self.seats.index(person)] = None
            person.again = False
            if "leaver not told" not in self.quirks:
                self.tell_players()
            if "game forgotten when one leaves" in self.quirks and self.turn >= 0:
                self.clear()
            if self.size is None and self.people():
                self.ask_size(self.people()[0])
            self.flush()

    # --- the board ----------------------------------------------------------------------------------------------------

    def ask_size(self, person: Person) -> None:
        self.chooser = person
        person.say(REQ_OPTIONS)

    def choose(self, person: Person, width: int, height: int) -> None:
        if person is not self.chooser or self.size is not None:
            return
        if not (2 <= width <= 25 and 2 <= height <= (26 if "twenty-six" in self.quirks else 25)):
            if "bad sizes are mended" in self.quirks:
                width, height = min(max(width, 2), 25), min(max(height, 2), 25)
            else:
                self.ask_size(person)
                return
        if "square boards only" in self.quirks:
            height = width
        self.size = (height, width) if "size turned" in self.quirks and self.played else (width, height)
        for each in self.people():
            if each is person and "chooser not told" in self.quirks:
                continue
            each.say(OPTIONS, "BB", *self.size)
        self.begin()

    def begin(self) -> None:
        taken = all(person or number in self.bots for number, person in enumerate(self.seats))
        if not taken or self.size is None:
            return
        wanted = not self.played or all(person.again for person in self.people())
        if not wanted and "begins without the other" not in self.quirks:
            return
        for person in self.people():
            person.again = False
        if "old lines stay" not in self.quirks:
            self.lines.clear()
            self.owners.clear()
        self.turn = 1 if "loser begins" in self.quirks and self.played else 0
        self.ask()

    def ask(self) -> None:
        while self.turn in self.bots:
            self.draw(self.turn, *random.choice(sorted(self.missing())))
            if self.turn < 0:
                return
        person = self.seats[self.turn]
        if person is not None and self.seats.count(None) == len(self.bots):
            person.say(REQ_MOVE)

    def missing(self) -> set[tuple[str, int, int]]:
        assert self.size is not None
        width, height = self.size
        across = {("h", x, y) for x in range(width - 1) for y in range(height)}
        down = {("v", x, y) for x in range(width) for y in range(height - 1)}
        return (across | down) - self.lines

    def why_not(self, seat: int, kind: str, x: int, y: int) -> int:
        quirks = self.quirks
        if self.turn < 0 or self.size is None or self.seats.count(None) > len(self.bots):
            return TURN if "state is turn" in quirks else STATE
        if seat != self.turn:
            return STATE if "turn is state" in quirks else TURN
        width, height = self.size
        wide, high = (width - 1, height) if kind == "h" else (width, height - 1)
        if "bounds of dots" in quirks:
            wide, high = width, height
        if x >= wide or y >= high:
            return FULL if "bound is full" in quirks else BOUND
        if (kind, x, y) in self.lines:
            if "full by the other is taken" in quirks and random.random() < 0.5:
                return 0
            return BOUND if "full is bound" in quirks else FULL
        return 0

    def squares(self, kind: str, x: int, y: int) -> list[tuple[int, int]]:
        """What a line closes."""
        assert self.size is not None
        beside = [(x, y - 1), (x, y)] if kind == "h" else [(x - 1, y), (x, y)]
        found = []
        for a, b in beside:
            if not (0 <= a < self.size[0] - 1 and 0 <= b < self.size[1] - 1):
                continue
            sides = {("h", a, b), ("h", a, b + 1), ("v", a, b), ("v", a + 1, b)}
            if sides <= self.lines:
                found.append((a, b))
        if "one of two" in self.quirks:
            found = found[:1]
        if "last column never closes" in self.quirks:
            found = [square for square in found if square[0] != self.size[0] - 2 or self.size[0] == 2]
        return found

    def move(self, person: Person, kind: str, x: int, y: int) -> None:
        seat = self.seats.index(person)
        status = self.why_not(seat, kind, x, y)
        if status:
            person.say(RSP_MOVE, "bB" if self.four else "b", *((status, 0) if self.four else (status,)))
            if status in (BOUND, FULL) and "asks again" in self.quirks:
                person.say(REQ_MOVE)
            if "refusal costs the turn" in self.quirks and status in (BOUND, FULL):
                self.turn = 1 - self.turn
                self.ask()
            return
        self.draw(seat, kind, x, y)
        if self.turn >= 0:
            self.ask()

    def draw(self, seat: int, kind: str, x: int, y: int) -> None:
        quirks = self.quirks
        self.lines.add((kind, x, y))
        closed = self.squares(kind, x, y)
        for square in closed:
            self.owners[square] = 1 - seat if "squares for the other" in quirks else seat
        listed = [value for square in closed for value in square]
        mover, other = self.seats[seat], self.seats[1 - seat]
        if mover is not None:
            if self.four:
                mover.say(RSP_MOVE, f"bB{len(listed)}B", 0, len(closed), *listed)
            else:
                mover.say(RSP_MOVE, "b", min(len(closed), 1) if "count is one" in quirks else len(closed))
        told = [other] if other is not None else []
        if "mover told as well" in quirks and mover is not None:
            told.append(mover)
        for each in told:
            code = MOVE + (kind == "v")
            if "other told transposed" in quirks:
                x, y = y, x
            if self.four:
                each.say(code, f"BBB{len(listed)}B", x, y, len(closed), *listed)
            else:
                each.say(code, "BB", x, y)
        if not self.missing():
            self.finish()
        elif (
            len(closed) in ((0, 2) if "two squares end the turn" in quirks else (0,)) or "turn passes always" in quirks
        ):
            self.turn = 1 - seat

    def scores(self) -> tuple[int, int]:
        taken = list(self.owners.values())
        return taken.count(0), taken.count(1)

    def finish(self) -> None:
        first, second = self.scores()
        winner = 2 if first == second else int(second > first)
        if "draw is for seat 0" in self.quirks and winner == 2:
            winner = 0
        if "last mover wins" in self.quirks:
            winner = self.turn
        for number, person in enumerate(self.seats):
            if person is None or ("loser not told" in self.quirks and number != winner):
                continue
            if "each told that it won" in self.quirks and winner != 2:
                person.say(GAMEOVER, "B", number)
            else:
                person.say(GAMEOVER, "B", winner)
        self.turn, self.size = -1, None
        self.chooser = None
        self.played += 1
        self.clear()

    def clear(self) -> None:
        if "old lines stay" not in self.quirks:
            self.lines.clear()
            self.owners.clear()
        self.turn = -1

    def new_game(self, person: Person) -> None:
        if self.turn >= 0 or not self.played:
            return
        person.again = True
        if self.size is None and (self.chooser is None or "both are asked" in self.quirks):
            self.ask_size(person)
        elif self.size is not None:
            self.begin()

    def sync(self, person: Person) -> None:
        width, height = self.size or (0, 0)
        first, second = self.scores()
        if "scores swapped in sync" in self.quirks:
            first, second = second, first
        turn = 1 - self.turn if "sync tells the other's turn" in self.quirks and self.turn >= 0 else self.turn
        data = struct.pack(">ibii", SYNC, turn, first, second)
        if not width:
            person.write(data)
            return
        down = bytes(("v", x, y) in self.lines for x in range(width) for y in range(height - 1))
        across = bytes(("h", x, y) in self.lines for x in range(width - 1) for y in range(height))
        if "sync by rows" in self.quirks:
            down = bytes(("v", x, y) in self.lines for y in range(height - 1) for x in range(width))
        owners = [self.owners.get((x, y), -1) for x in range(width - 1) for y in range(height - 1)]
        if "nobody's square is zero" in self.quirks:
            owners = [max(owner, 0) for owner in owners]
        parts = (across, down) if "horizontal first" in self.quirks else (down, across)
        person.write(data + b"".join(parts) + struct.pack(f"{len(owners)}b", *owners))

    # --- what is said -------------------------------------------------------------------------------------------------

    def hear(self, person: Person) -> None:
        """Until the player leaves."""
        try:
            while True:
                opcode = struct.unpack(">i", person.take(4))[0]
                values = person.take(2) if opcode in (0, 1, 3) else b""
                with self.lock:
                    if person not in self.seats:
                        return
                    match opcode:
                        case 0 | 1:
                            self.move(person, "hv"[opcode], values[0], values[1])
                        case 2:
                            self.sync(person)
                        case 3:
                            self.choose(person, values[0], values[1])
                        case 4:
                            self.new_game(person)
                        case _ if "closes on an unknown opcode" in self.quirks:
                            return
                    self.flush()
        except (Gone, OSError):
            pass

    def flush(self) -> None:
        for person in self.people():
            person.flush()


class House:
    """The bare document: two who come sit down opposite each other."""

    def __init__(self, quirks: Collection[str]) -> None:
        self.quirks = quirks
        self.lock = threading.Lock()
        self.tables: list[Table] = []

    def serve(self, link: socket.socket) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        person = Person(link, random.choice(("Ada", "Bea", "Cyd")), self.quirks)
        with self.lock:
            if "plays itself" in self.quirks:
                table = Table(self.quirks, bots=(1,))
                table.sit(person)
            else:
                table = next((each for each in self.tables if each.sit(person) is not None), None) or self.opened(
                    person
                )
        table.hear(person)
        if "slow to notice" in self.quirks:
            time.sleep(0.01)
        with self.lock:
            table.leave(person)
            if not table.people() and table in self.tables:
                self.tables.remove(table)
        link.close()

    def opened(self, person: Person) -> Table:
        table = Table(self.quirks)
        self.tables.append(table)
        table.sit(person)
        return table
