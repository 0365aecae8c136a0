"""Glendy, both revisions, on one thread that waits for any of its sockets."""

import random
import select
import socket
import time
from collections.abc import Collection
from contextlib import suppress

SIZE = 11
EVEN = {"NE": (0, -1), "E": (1, 0), "SE": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1)}
ODD = {"NE": (1, -1), "E": (1, 0), "SE": (1, 1), "SW": (0, 1), "W": (-1, 0), "NW": (0, -1)}
Cell = tuple[int, int]


def step(cell: Cell, direction: str) -> Cell:
    """Where a step leads."""
    dx, dy = (ODD if cell[1] % 2 else EVEN)[direction]
    return cell[0] + dx, cell[1] + dy


def on_rim(cell: Cell) -> bool:
    return cell[0] in (0, SIZE - 1) or cell[1] in (0, SIZE - 1)


def is_free_way(start: Cell, walls: Collection[Cell]) -> bool:
    """Whether a way leads to the rim."""
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        if on_rim(here):
            return True
        for direction in EVEN:
            there = step(here, direction)
            if there not in seen and there not in walls:
                seen.add(there)
                todo.append(there)
    return False


class Guest:
    """A client of the server."""

    def __init__(self, link: socket.socket, server: "Server") -> None:
        self.link, self.server = link, server
        self.data = b""
        self.table: Table | None = None
        self.side = 0
        self.nick = "Guest"
        self.greeted = False
        self.out = b""

    def say(self, text: str) -> None:
        if "merged" in self.server.quirks:
            self.out += text.encode() + b"\n"
            return
        line = text.encode() + b"\n"
        with suppress(OSError):
            if "one byte" in self.server.quirks:
                for byte in line:
                    self.link.sendall(bytes([byte]))
            else:
                self.link.sendall(line)

    def flush(self) -> None:
        data, self.out = self.out, b""
        if data:
            with suppress(OSError):
                self.link.sendall(data)

    def close(self) -> None:
        self.flush()
        self.server.guests.pop(self.link, None)
        with suppress(OSError):
            self.link.shutdown(socket.SHUT_WR)
        self.link.close()


class Table:
    """A game of two."""

    def __init__(self, players: list[Guest], quirks: Collection[str]) -> None:
        self.players, self.quirks = players, quirks
        self.at: Cell = (5, 5)
        count = 0 if "bare" in quirks else 30 if "crowded" in quirks else random.randint(5, 12)
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) != self.at]
        while True:
            self.walls = set(random.sample(cells, count))
            if is_free_way(self.at, self.walls):
                break
        self.turn = 0
        self.count = 0
        for player in players:
            player.table = self
            if "later" in quirks:
                player.say(f"CONN {player.side} {players[1 - player.side].nick}")
            self.show(player)
        self.ask()

    def show(self, player: Guest) -> None:
        player.say("INIT")
        walls = sorted(self.walls)
        if "shuffled" in self.quirks:
            random.shuffle(walls)
        if "another board for glenda" in self.quirks and player.side and walls:
            walls = walls[1:]
        lines = [f"w {x} {y}" for x, y in walls]
        glenda = f"g {self.at[0]} {self.at[1]}"
        lines.insert(
            0 if "glenda first" in self.quirks else len(lines) // 2 if "between" in self.quirks else len(lines), glenda
        )
        if "walls transposed" in self.quirks and player.side == 0:
            lines = [f"{line[0]} {line.split()[2]} {line.split()[1]}" for line in lines]
        for line in lines:
            player.say(line)
        player.say("SENT")

    def ask(self) -> None:
        for player in self.players:
            player.say("TURN" if player.side == self.turn else "WAIT")

    def hear(self, player: Guest, text: str) -> None:
        quirks = self.quirks
        if text in ("q", "\0"):
            self.abandoned(player)
            return
        if player.side != self.turn:
            if "silent when it is not the turn" not in quirks:
                player.say("ERR WAIT" if "wrong warning" not in quirks else "ERR TURN")
            return
        words = text.split(" ") if "strict" in quirks else text.split()
        if player.side == 0 and len(words) >= 3 and words[0] == "p":
            self.put(player, words)
        elif player.side == 1 and len(words) == 2 and words[0] == "m":
            self.move(player, words[1])
        else:
            self.refuse(player, "ERR what")

    def refuse(self, player: Guest, text: str) -> None:
        player.say(text)
        if "nudge" in self.quirks:
            player.say("TURN")
        if "refusal passes the turn" in self.quirks:
            self.turn = 1 - self.turn
            self.ask()

    def put(self, player: Guest, words: list[str]) -> None:
        try:
            x, y = int(words[1]), int(words[2])
        except ValueError:
            self.refuse(player, "ERR numbers")
            return
        if not (0 <= x < SIZE and 0 <= y < SIZE):
            if "off the board is taken" in self.quirks and (x == SIZE or y == SIZE):
                pass
            else:
                self.refuse(player, "ERR outside")
                return
        later = "later" in self.quirks
        if (x, y) == self.at:
            self.refuse(player, f"ERR glenda in {x} {y}" if later else f"GLND {x} {y}")
        elif (x, y) in self.walls and "walls twice" not in self.quirks:
            if "wall told transposed" in self.quirks:
                x, y = y, x
            self.refuse(player, f"ERR wall in {x} {y}" if later else f"WALL {x} {y}")
        else:
            self.walls.add((x, y))
            self.done(f"{x} {y}")

    def move(self, player: Guest, direction: str) -> None:
        if direction not in EVEN:
            if "small letters move" not in self.quirks or direction.upper() not in EVEN:
                self.refuse(player, "ERR direction")
                return
            direction = direction.upper()
        there = step(self.at, direction)
        if "odd rows as even" in self.quirks:
            there = self.at[0] + EVEN[direction][0], self.at[1] + EVEN[direction][1]
        if there in self.walls and "through walls" not in self.quirks:
            self.refuse(player, f"ERR wall in {there[0]} {there[1]}" if "later" in self.quirks else f"WALL {direction}")
            return
        self.at = there
        self.done(direction)

    def done(self, what: str) -> None:
        self.count += 1
        number = self.count - ("sync from zero" in self.quirks)
        if "sync counts rounds" in self.quirks:
            number = (self.count + 1) // 2
        for player in self.players:
            if "mover not told" in self.quirks and player.side == self.turn:
                continue
            player.say(f"SYNC {number} {what}")
        escaped = on_rim(self.at)
        if "escape two from the rim" in self.quirks:
            escaped = escaped or any(value in (1, SIZE - 2) for value in self.at)
        if "no escape at the bottom" in self.quirks and self.at[1] == SIZE - 1 and self.at[0] not in (0, SIZE - 1):
            escaped = False
        trapped = not is_free_way(self.at, self.walls)
        if "trapped only when shut in" in self.quirks:
            trapped = all(step(self.at, direction) in self.walls for direction in EVEN)
        if escaped or trapped:
            winner = 1 if escaped else 0
            if "verdict swapped when trapped" in self.quirks and trapped:
                winner = 1
            for player in self.players:
                won = player.side == winner or "everyone wins" in self.quirks
                player.say("WON" if won else "LOST")
            if "turn after the end" in self.quirks:
                self.ask()
            for player in self.players:
                player.table = None
                if "stays open" not in self.quirks:
                    player.close()
            return
        if "glenda twice" in self.quirks and self.turn == 1 and self.count % 6 == 0:
            self.ask()
            return
        self.turn = 1 - self.turn
        if "wait forgotten" in self.quirks:
            self.players[self.turn].say("TURN")
        else:
            self.ask()

    def abandoned(self, leaver: Guest) -> None:
        other = self.players[1 - leaver.side]
        for player in self.players:
            player.table = None
        if "nobody told" not in self.quirks:
            if "wins by leaving" in self.quirks:
                other.say("WON")
            elif "dies" in self.quirks or "later" in self.quirks:
                other.say("DIE other client have been disconnected")
            other.close()
        leaver.close()


class Server:
    """The loop."""

    def __init__(self, quirks: Collection[str]) -> None:
        self.quirks = quirks
        self.door = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.door.getsockname()[1]
        self.guests: dict[socket.socket, Guest] = {}
        self.waiting: Guest | None = None
        self.running = True

    def run(self) -> None:
        while self.running:
            ready, _, _ = select.select([self.door, *self.guests], [], [], 0.1)
            for link in ready:
                if link is self.door:
                    with suppress(OSError):
                        self.come(self.door.accept()[0])
                elif link in self.guests:
                    self.read(self.guests[link])
            for guest in list(self.guests.values()):
                guest.flush()
        self.door.close()
        for guest in list(self.guests.values()):
            guest.close()

    def come(self, link: socket.socket) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        guest = self.guests[link] = Guest(link, self)
        if "later" not in self.quirks:
            self.seat(guest, 0)

    def seat(self, guest: Guest, side: int) -> None:
        """Opposite whoever waits, or to wait."""
        guest.greeted = True
        first = self.waiting
        if "later" not in self.quirks:
            guest.side = 1 if first else 0
            guest.say(f"CONN {guest.side}")
        else:
            guest.side = side
            if first is not None and side == 2:
                guest.side = 1 - first.side % 2
            if first is not None and first.side == guest.side:
                guest.say("WAIT")
                guest.say("UGUD")
                return  # stays without a partner: one queue of one is enough here
        if first is None or first.link not in self.guests:
            self.waiting = guest
            guest.say("WAIT")
            if "later" in self.quirks:
                guest.say("UGUD")
            return
        self.waiting = None
        if first.side == 2:
            first.side = 1 - guest.side % 2
        if guest.side == 2:
            guest.side = 1 - first.side
        pair = [first, guest]
        pair.sort(key=lambda each: each.side)
        Table(pair, self.quirks)

    def read(self, guest: Guest) -> None:
        try:
            data = guest.link.recv(4096)
        except OSError:
            data = b""
        if not data:
            self.gone(guest)
            return
        guest.data += data
        if "one recv is one line" in self.quirks:
            guest.data = guest.data.split(b"\n")[0] + b"\n" if b"\n" in guest.data else b""
        while b"\n" in guest.data and guest.link in self.guests:
            line, _, guest.data = guest.data.partition(b"\n")
            if b"\0" in line and not line.strip(b"\0"):
                self.gone(guest)
                return
            self.hear(guest, line.decode("latin-1").rstrip("\r").replace("\0", ""))
        if guest.data == b"\0" or len(guest.data) > 1000:
            self.gone(guest)

    def hear(self, guest: Guest, text: str) -> None:
        if "later" in self.quirks and not guest.greeted:
            self.hello(guest, text)
        elif guest.table is not None:
            if text != "y" or "later" not in self.quirks:
                guest.table.hear(guest, text)
        elif text == "q":
            self.gone(guest)
        elif "later" not in self.quirks:
            guest.say("ERR WAIT")

    def hello(self, guest: Guest, text: str) -> None:
        words = text.split()
        known = len(words) == 4 and words[1] == "0" and words[2] in "012" and len(words[2]) == 1
        if not known or not (words[0] == "@" or (words[0].isalnum() and len(words[0]) <= 8)):
            guest.say("DIE bad hello")
            guest.close()
            return
        guest.nick = "Guest" if words[0] == "@" else words[0]
        self.seat(guest, int(words[2]))

    def gone(self, guest: Guest) -> None:
        if self.waiting is guest:
            self.waiting = None
        if guest.table is not None:
            guest.table.abandoned(guest)
        else:
            guest.close()


class Client:
    """A client that knows the board and plays by itself."""

    def __init__(self, link: socket.socket, quirks: Collection[str]) -> None:
        self.link, self.quirks = link, quirks
        self.walls: set[Cell] = set()
        self.at: Cell = (5, 5)
        self.side = 0
        self.count = 0

    def say(self, text: str) -> None:
        if "slow" in self.quirks:
            time.sleep(0.05)
        line = text.encode() + (b"\r\n" if "crlf" in self.quirks else b"\n")
        if "one byte" in self.quirks:
            for byte in line:
                self.link.sendall(bytes([byte]))
                time.sleep(0.001)
        else:
            self.link.sendall(line)

    def run(self) -> None:
        with suppress(OSError):
            self.talk()
        self.link.close()

    def talk(self) -> None:
        if "later" in self.quirks:
            self.say("carla 0 2 0")
        data = b""
        while part := self.link.recv(1024):
            data += part
            while b"\n" in data:
                line, _, data = data.partition(b"\n")
                if not self.hear(line.decode().split()):
                    return
            if "drops what is cut" in self.quirks:
                data = b""

    def hear(self, words: list[str]) -> bool:
        """Returns whether it goes on."""
        match words:
            case ["CONN", side, *_]:
                self.side = int(side) % 2
            case ["UGUD"]:
                if "mute" not in self.quirks:
                    self.say("y")
            case ["INIT"]:
                self.walls.clear()
            case ["w", x, y]:
                self.walls.add((int(y), int(x)) if "transposed" in self.quirks else (int(x), int(y)))
            case ["g", x, y]:
                self.at = int(x), int(y)
            case ["TURN"]:
                self.move()
            case ["SYNC", _, x, y]:
                self.walls.add((int(x), int(y)))
            case ["SYNC", _, direction]:
                self.at = step(self.at, direction)
                if "ends it itself" in self.quirks and on_rim(self.at):
                    return False
            case ["WON" | "LOST" | "DIE", *_]:
                return "stays after the end" in self.quirks
            case ["WALL" | "GLND" | "ERR", *_] if "insists" in self.quirks:
                self.move()
        return True

    def move(self) -> None:
        self.count += 1
        if self.side == 1:
            free = [way for way in EVEN if step(self.at, way) not in self.walls and self.inside(step(self.at, way))]
            if not free:
                self.say("q")
                return
            if "even rows only" in self.quirks:
                free = [way for way in EVEN if (self.at[0] + EVEN[way][0], self.at[1] + EVEN[way][1]) not in self.walls]
            way = random.choice(free)
            self.say(f"m {way.lower()}" if "small letters" in self.quirks else f"m {way}")
        else:
            cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in self.walls and (x, y) != self.at]
            if "may hit glenda" in self.quirks and self.count == 2:
                cells = [self.at]
            x, y = random.choice(cells)
            if "from one" in self.quirks:
                x, y = x + 1, y + 1
            self.say(f"p {x},{y}" if "comma" in self.quirks else f"p {x} {y}")
        if "twice" in self.quirks:
            self.say("m E" if self.side else "p 0 0")

    def inside(self, cell: Cell) -> bool:
        return all(0 <= value < SIZE for value in cell)
