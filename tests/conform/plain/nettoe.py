"""netToe in blocking sockets: a board is nine bytes, and a field is read until it is whole."""

import random
import socket
import time
from collections.abc import Collection

ROWS = ("012", "345", "678", "036", "147", "258", "048", "246")


class Gone(Exception):
    """The other side is not there any more, or talks rubbish."""


class Player:
    """Either side."""

    mine, theirs = ord("X"), ord("O")
    end, their_end = b"S\0", b"C\0"

    def __init__(self, link: socket.socket, quirks: Collection[str]) -> None:
        self.link, self.quirks = link, quirks
        self.board = bytearray(b" " * 9)
        self.games = 0
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def put(self, *fields: bytes) -> None:
        if "merged" in self.quirks:
            fields = (b"".join(fields),)
        for field in fields:
            if "bytewise" in self.quirks:
                for byte in field:
                    self.link.sendall(bytes([byte]))
                    time.sleep(0.001)
            else:
                self.link.sendall(field)
            if "slow" in self.quirks:
                time.sleep(0.05)

    def get(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.link.recv(size - len(data))
            if not part:
                raise Gone
            data += part
        return data

    def name(self, text: bytes) -> bytes:
        rest = b"left over from before" if "leftovers" in self.quirks else b"    " if "blanks" in self.quirks else b""
        return (text + b"\0" + rest).ljust(32, b"\0")[:32]

    def finished(self) -> bool:
        for number, row in enumerate(ROWS):
            a, b, c = (self.board[int(cell)] for cell in row)
            if a == b == c != ord(" "):
                if "misses a diagonal of the other" in self.quirks and number >= 6 and a == self.theirs:
                    continue
                if "misses a column" in self.quirks and number == 5:
                    continue
                return True
        if "two is enough" in self.quirks and self.board.count(self.theirs) == 2:
            return bool(self.board[0] == self.board[1] == self.theirs)
        if "draw missed when the other fills the board" in self.quirks and self.last == self.theirs:
            return False
        return b" " not in self.board

    last = 0

    def choose(self) -> int:
        free = [cell for cell in range(9) if self.board[cell] == ord(" ")]
        if "first free" in self.quirks:
            return free[0]
        if "last free" in self.quirks:
            return free[-1]
        return random.choice(free)

    def move(self) -> None:
        cell = self.choose()
        if "forgets its first mark" in self.quirks and self.board.count(self.mine) == 2:
            self.board[self.board.index(self.mine)] = ord(" ")
        if "erases in the corner" in self.quirks and self.board[8] == self.theirs:
            self.board[8] = ord(" ")
        self.board[cell] = self.mine
        self.last = self.mine
        end = self.end
        if "stop without its null" in self.quirks:
            end = end[:1] + b" "
        if "lower case stop" in self.quirks:
            end = end.lower()
        self.put(b"y\0", bytes(self.board), end)

    def hear(self) -> None:
        skipped = 0
        while self.get(2) != b"y\0":
            skipped += 1
            if skipped > 100:
                raise Gone
        board = bytearray(self.get(9))
        while self.get(2) != self.their_end:
            skipped += 1
            if skipped > 100:
                raise Gone
        new = [cell for cell in range(9) if board[cell] != self.board[cell]]
        if len(new) != 1 or self.board[new[0]] != ord(" ") or board[new[0]] != self.theirs:
            raise Gone
        self.board = board
        self.last = self.theirs

    def play(self, first: bool) -> None:
        if "board of the last game" in self.quirks and self.games:
            pass
        else:
            self.board = bytearray(b" " * 9)
        turn = first
        while not self.finished():
            if turn:
                self.move()
            else:
                self.hear()
            turn = not turn
        self.games += 1

    def run(self) -> None:
        try:
            self.talk()
        except (Gone, OSError):
            pass
        finally:
            self.link.close()

    def talk(self) -> None:
        raise TypeError("a player is a host or a guest")


class Host(Player):
    """The server."""

    def talk(self) -> None:
        name = self.name("Zoë".encode() if "umlaut" in self.quirks else b"" if "nameless" in self.quirks else b"Host")
        self.put(name)
        guest = self.get(32)
        first = random.random() < 0.5
        if "client begins" in self.quirks:
            first = False
        if "server begins" in self.quirks:
            first = True
        starter = name if first else guest
        if "starter cut" in self.quirks:
            starter = starter[:16]
        elif "starter upper" in self.quirks:
            starter = starter.upper()
        if "digit before the name" in self.quirks:
            self.put(b"1" if first else b"2", starter)
        else:
            self.put(starter, b"1" if first else b"2")
        while True:
            self.play(first)
            if "declines" in self.quirks:
                self.put(b"y\0", b"n\0")
                return
            if "declines without the hook" in self.quirks:
                self.put(b"n\0")
                return
            self.put(b"y\0", b"y\0")
            hook, answer = self.get(2), self.get(2)
            if (hook, answer) != (b"y\0", b"y\0"):
                if "goes on after no" in self.quirks:
                    self.put(b"1")
                elif "stays" in self.quirks:
                    while self.link.recv(100):
                        pass
                return
            if "winner begins" in self.quirks:
                first = self.last == self.mine
            elif "same begins" not in self.quirks:
                first = not first
            if "name and digit again" in self.quirks:
                self.put(name if first else guest)
            digit = b"1" if first else b"2"
            if "digit is stuck" in self.quirks:
                digit = b"2"
            self.put(digit)


class Guest(Player):
    """The client."""

    mine, theirs = ord("O"), ord("X")
    end, their_end = b"C\0", b"S\0"

    def talk(self) -> None:
        mine = self.name(b"Guest")
        if "writes first" in self.quirks:
            self.put(mine)
            self.get(32)
        else:
            self.get(32)
            self.put(mine)
        starter = self.get(32)
        first = self.get(1) == b"2"
        if "believes the name" in self.quirks:
            first = starter[:5] == b"Guest"
        while True:
            self.play(first)
            if "answers without being asked" in self.quirks:
                self.put(b"y\0", b"y\0")
                self.get(4)
            else:
                _, answer = self.get(2), self.get(2)
                if answer != b"y\0":
                    if "answers a no" in self.quirks:
                        self.put(b"y\0", b"n\0")
                    return
                if "declines" in self.quirks:
                    self.put(b"y\0", b"n\0")
                    return
                if "declines by leaving" in self.quirks:
                    return
                self.put(b"y\0", b"y\0")
            first = self.get(1) == b"2"
            if "always begins again" in self.quirks:
                first = True
