"""A client of NetDot 3.0 and 2.0 as a student writes it, with faults to plant."""

import asyncio
import contextlib
import random

from tests.conform.netdot_students import Grid, Line


class StudentClient:
    """A client of 3.0 or 2.0 that plays by itself, any open line."""

    def __init__(self, faults: frozenset[str], version: int = 3) -> None:
        self.faults = faults
        self.version = version
        self.me = -1
        self.grid = Grid(3, 3)
        self.players: set[int] = set()
        self.current = -1
        self.running = self.asked = False
        self.rng = random.Random("student")

    def fault(self, name: str) -> bool:
        return name in self.faults

    async def run(self, host: str, port: int) -> None:
        reader, self.writer = await asyncio.open_connection(host, port)
        with contextlib.suppress(OSError):
            try:
                await self.listen(reader)
            finally:
                self.writer.close()
            await self.writer.wait_closed()

    async def listen(self, reader: asyncio.StreamReader) -> None:
        rest = b""
        if self.version == 2:
            self.hello()
        while data := await reader.read(4096):
            if self.fault("one recv"):
                lines, rest = [data.split(b"\n")[0]], b""
            else:
                *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace")
                self.hear(text if self.fault("no crlf") else text.rstrip("\r"))
                if self.writer.is_closing():
                    return
            await asyncio.sleep(0)
            if not self.fault("hasty"):
                self.think()
            await self.writer.drain()

    def say(self, *lines: str) -> None:
        self.writer.write("".join(f"{line}\n" for line in lines).encode())

    def hello(self) -> None:
        version = f"info-version {9 if self.fault('version') else self.version} 0"
        if self.version == 2:
            self.say(version, "request-join")
        elif self.fault("features first"):
            self.say("info-features chat", version, "request-info")
        else:
            self.say(version, "info-features chat vote", "request-info")

    def hear(self, text: str) -> None:
        word, *args = text.split(" ")
        match word:
            case "request-info":
                self.hello()
            case "info-version" if self.version == 3 and not self.asked:
                self.asked = True
                self.say("request-join name" if self.fault("no name") else "request-join color -256 name Stu Dent")
                if self.fault("early ready"):
                    self.say("game-ready")
            case "network-assign":
                self.me = int(args[0])
                if self.version == 3:
                    self.say("game-ready")
            case "network-ping":
                if not self.fault("no pong"):
                    self.say("network-pong")
                if self.fault("two pongs"):
                    self.say("network-pong")
            case "game-size":
                self.sized(int(args[0]), int(args[1]))
            case "grid-size":
                self.sized(*map(int, args[0].split("x")))
            case "player-add":
                self.players.add(int(args[0]))
            case "player-remove":
                self.players.discard(int(args[0]))
                if self.current == int(args[0]):
                    self.current = self.after(self.current)
            case "game-start" | "game-restart":
                self.started()
            case "game-stop":
                self.running = False
            case "game-current" if not self.fault("deaf to turns"):
                self.current = int(args[0])
            case "game-line":
                self.drawn(int(args[0]), (args[3], int(args[1]), int(args[2])))
            case "game-play":
                x, y = map(int, args[1].split(","))
                self.drawn(int(args[0]), (args[2], x, y))
            case "game-box" if not self.fault("no boxes"):
                self.grid.boxes[int(args[1]), int(args[2])] = int(args[0])
            case "player-line":
                x, y = map(int, args[2].split(","))
                self.grid.lines[args[1], x, y] = int(args[0])
            case "network-busy":
                self.say("request-spectate")
            case "network-disconnect" if not self.fault("stays"):
                self.writer.close()
            case "vote-start" if self.fault("votes oddly"):
                self.say("vote-maybe")
            case "info-warn" | "info-malformed" if self.fault("answers"):
                self.say("info-malformed you too")
            case "teapot-brew" if self.fault("falls over"):
                raise ConnectionError(text)
        if self.fault("hasty"):
            self.think()

    def sized(self, width: int, height: int) -> None:
        if width:
            self.grid = Grid(height, width) if self.fault("turned") else Grid(width, height)

    def started(self) -> None:
        self.running = True
        if not self.fault("old grid"):
            self.grid = Grid(self.grid.width, self.grid.height)
        self.current = min(self.players, default=-1) if self.version == 2 else -1

    def after(self, who: int) -> int:
        order = sorted(self.players)
        return next((other for other in order if other > who), order[0] if order else -1)

    def drawn(self, who: int, line: Line) -> None:
        if not (self.fault("forgets lines") and who != self.me):
            closed = self.grid.draw(who, line)
            if self.version == 2:
                self.current = who if closed and not self.fault("no again") else self.after(who)
            elif not closed and who == self.me:
                self.current = -1

    def think(self) -> None:
        mine = self.current == self.me or self.fault("any turn")
        lines = self.grid.open()
        if not self.running or self.me < 0 or not mine or not lines or self.grid.full:
            return
        way, x, y = self.rng.choice(lines)
        if self.fault("swapped"):
            x, y = y, x
        if self.fault("from one"):
            x, y = x + 1, y + 1
        if self.version == 2:
            self.say(f"game-play {way} {x},{y}" if self.fault("syntax") else f"game-play {x},{y} {way}")
        else:
            self.say(f"game-play {x} {y} {way}" if self.fault("syntax") else f"game-line {x} {y} {way}")
        if self.fault("moves twice"):
            self.say(f"game-line {x} {y} {way}")
        self.current = -1
