"""A student's Dots server and client, written from the document alone, and what students get wrong in them.

Right where `faults` is empty, and then different from ours in everything that the document leaves open: a coin decides
who begins, seats are numbered as in later versions, the board is asked for when both players are there, nobody is asked
again after a refused line.
"""

import asyncio
import contextlib
import random
import struct

OPEN, PLAYER = 1, 3


class Seat:
    """One player's connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.table: Table | None = None
        self.number = 0

    def say(self, form: str, *values: int) -> None:
        if not self.writer.is_closing():
            self.writer.write(struct.pack(">" + form, *values))


class Table:
    """Two seats and a board."""

    def __init__(self, faults: frozenset[str]) -> None:
        self.faults = faults
        self.seats: list[Seat | None] = [None, None]
        self.size = (0, 0)
        self.playing = False
        self.chooser: Seat | None = None
        self.again: set[int] = set()
        self.over = False
        self.clear()

    def clear(self) -> None:
        self.lines: set[tuple[int, int, int]] = set()
        self.boxes: dict[tuple[int, int], int] = {}
        self.turn = -1

    @property
    def people(self) -> list[Seat]:
        return [seat for seat in self.seats if seat is not None]

    # --- people -----------------------------------------------------------------------------------------------------

    def sit(self, seat: Seat) -> None:
        seat.number = 0 if self.seats[0] is None else 1
        self.seats[seat.number], seat.table = seat, self
        if "no seat" not in self.faults:
            seat.say("ii", 0, 0 if "same seat" in self.faults else seat.number)
        self.tell_players([seat] if "untold of second" in self.faults else self.people)
        if len(self.people) < 2:
            return
        if self.chooser is None and not self.over:
            self.ask(self.people[0])
            if "asks both" in self.faults:
                self.people[1].say("i", 9)
        elif self.turn >= 0:
            seat.say("iBB", 8, *self.size)
            self.sync(seat)
            self.playing = True
            self.people[self.turn].say("i", 5)
        elif self.over and self.size[0]:
            seat.say("iBB", 8, *self.size)
            self.again.add(seat.number)
            self.begin()

    def tell_players(self, whom: list[Seat]) -> None:
        message = struct.pack(">i", 1)
        for number, seat in enumerate(self.seats):
            if seat is None:
                message += struct.pack(">i", OPEN)
            else:
                name = f"Student {number}".encode()
                length = len(name) + ("no NUL" not in self.faults)
                message += struct.pack(">ii", PLAYER, length) + name + b"\0"
        for seat in whom:
            if not seat.writer.is_closing():
                seat.writer.write(message)

    def leave(self, seat: Seat) -> None:
        self.seats[seat.number] = None
        self.playing = False
        self.again.discard(seat.number)
        if "leaves unnoticed" not in self.faults:
            self.tell_players(self.people)
        if self.chooser is seat and "table stays" not in self.faults:
            self.chooser = None

    # --- the board --------------------------------------------------------------------------------------------------

    def ask(self, seat: Seat) -> None:
        self.chooser = seat
        seat.say("i", 9)

    def choose(self, seat: Seat, width: int, height: int) -> None:
        if self.playing and "options in game" in self.faults:
            self.size = width, height
            for each in self.people:
                each.say("iBB", 8, width, height)
        if self.playing or self.chooser is not seat:
            return
        if not (2 <= width <= 25 and 2 <= height <= 25) and "any size" not in self.faults:
            seat.say("i", 9)
            return
        if "at most 24" in self.faults and max(width, height) > 24:
            seat.say("i", 9)
            return
        self.size = width, height
        told = self.size[::-1] if "height first" in self.faults else self.size
        for each in self.people:
            if each is seat or "options untold" not in self.faults:
                each.say("iBB", 8, *told)
        self.begin()

    def begin(self) -> None:
        ready = not self.over or len(self.again) == 2 or "begins alone" in self.faults
        if len(self.people) < 2 or not self.size[0] or not ready:
            return
        if "keeps lines" not in self.faults:
            self.clear()
        self.playing, self.over, self.again = True, False, set()
        self.turn = random.randrange(2)
        for seat in self.people:
            if seat.number == self.turn or "asks both for moves" in self.faults:
                seat.say("i", 5)

    # --- moves ------------------------------------------------------------------------------------------------------

    def move(self, seat: Seat, kind: int, x: int, y: int) -> None:
        status = self.why_not(seat, kind, x, y)
        if status:
            if status != -1 or "silent state" not in self.faults:
                seat.say("ib", 6, status)
            if "refusal passes" in self.faults and status < -2:
                self.turn = 1 - self.turn
            return
        self.lines.add((kind, x, y))
        closed = [box for box in self.beside(kind, x, y) if self.closed(*box)]
        self.boxes.update(dict.fromkeys(closed, seat.number))
        count = len(closed)
        told = 0 if "no count" in self.faults else min(count, 1) if "one for two" in self.faults else count
        seat.say("ib", 6, told)
        if "echo" in self.faults:
            seat.say("iBB", 2 + kind, x, y)
        self.tell_move(seat, kind, x, y)
        self.turn = self.next(seat.number, count)
        if self.finished():
            self.finish()
            return
        self.people[self.turn].say("i", 5)

    def tell_move(self, seat: Seat, kind: int, x: int, y: int) -> None:
        faults = self.faults
        if "untold" in faults or ("untold box" in faults and any(self.closed(*box) for box in self.beside(kind, x, y))):
            return
        kind = 1 - kind if "h for v" in faults else kind
        x, y = (y, x) if "y first" in faults else (x, y)
        for other in self.people:
            if other is not seat:
                other.say("iBB", 2 + kind, x, y)

    def next(self, mover: int, count: int) -> int:
        stays = bool(count)
        if "no extra turn" in self.faults:
            stays = False
        if "never passes" in self.faults:
            stays = True
        if "extra only for one" in self.faults:
            stays = count == 1
        return mover if stays else 1 - mover

    def why_not(self, seat: Seat, kind: int, x: int, y: int) -> int:
        faults = self.faults
        if not self.playing and "any state" not in faults:
            return -2 if "state is turn" in faults else -1
        if seat.number != self.turn and "any turn" not in faults:
            return -1 if "turn is state" in faults else -2
        width, height = self.size
        right, bottom = (width, height - 1) if kind else (width - 1, height)
        if "loose bounds" in faults:
            right, bottom = width, height
        if "tight bounds" in faults and kind:
            right -= 1
        if "turned bounds" in faults:
            right, bottom = bottom, right
        if x >= right or y >= bottom:
            return -4 if "bounds is full" in faults else -3
        if (kind, x, y) in self.lines and "overdraws" not in faults:
            return -3 if "full is bounds" in faults else -4
        return 0

    def beside(self, kind: int, x: int, y: int) -> list[tuple[int, int]]:
        boxes = [(x - 1, y), (x, y)] if kind else [(x, y - 1), (x, y)]
        if "upper only" in self.faults:
            boxes = boxes[:1]
        width, height = self.size
        return [(bx, by) for bx, by in boxes if 0 <= bx < width - 1 and 0 <= by < height - 1]

    def closed(self, x: int, y: int) -> bool:
        sides = {(0, x, y), (0, x, y + 1), (1, x, y), (1, x + 1, y)}
        if "three sides" in self.faults:
            return len(sides & self.lines) >= 3 and (x, y) not in self.boxes
        return sides <= self.lines

    # --- the end ----------------------------------------------------------------------------------------------------

    def finished(self) -> bool:
        total = (self.size[0] - 1) * (self.size[1] - 1)
        if "ends early" in self.faults and max(self.scores()) * 2 > total:
            return True
        return len(self.boxes) == total

    def scores(self) -> list[int]:
        return [list(self.boxes.values()).count(seat) for seat in (0, 1)]

    def finish(self) -> None:
        first, second = self.scores()
        winner = 2 if first == second else int(second > first)
        if "draw is 0" in self.faults and winner == 2:
            winner = 0
        if "loser" in self.faults and winner < 2:
            winner = 1 - winner
        if "last mover" in self.faults:
            winner = self.turn
        for seat in self.people:
            if "one verdict" not in self.faults or seat.number == 0:
                seat.say("iB", 4, winner)
            if "asks after the end" in self.faults and seat.number == self.turn:
                seat.say("i", 5)
        self.playing, self.over, self.size, self.chooser, self.again = False, True, (0, 0), None, set()
        self.turn = -1

    def new_game(self, seat: Seat) -> None:
        if self.playing:
            if "new game in game" in self.faults:
                self.playing = False
                self.ask(seat)
            return
        if not self.over:
            return
        self.again.add(seat.number)
        if self.chooser is None and "no new options" not in self.faults:
            self.ask(self.people[-1] if "asks the other" in self.faults else seat)
        elif "asks again" in self.faults:
            self.ask(seat)
        self.begin()

    def sync(self, seat: Seat) -> None:
        width, height = self.size
        faults = self.faults
        kinds = []
        for kind in (1, 0):
            right, bottom = (width, height - 1) if kind else (width - 1, height)
            by_x = [(x, y) for x in range(right) for y in range(bottom)]
            by_y = [(x, y) for y in range(bottom) for x in range(right)]
            kinds.append(bytes((kind, x, y) in self.lines for x, y in (by_y if "by rows" in faults else by_x)))
        if "horizontal first" in faults:
            kinds.reverse()
        none = 0 if "unowned is 0" in faults else 255
        owners = bytes(
            self.boxes.get((x, y), none) for x in range(max(width - 1, 0)) for y in range(max(height - 1, 0))
        )
        scores = self.scores()[::-1] if "scores swapped" in faults else self.scores()
        turn = 1 - self.turn if "other's turn" in faults and self.turn >= 0 else self.turn
        order = "<" if "little" in faults else ">"
        head = struct.pack(">ib", 7, turn) + struct.pack(order + "ii", *scores)
        if not seat.writer.is_closing():
            seat.writer.write(head + kinds[0] + kinds[1] + owners)


class Server:
    """Tables for two, as many as are needed."""

    def __init__(self, faults: frozenset[str]) -> None:
        self.faults = faults
        self.tables: list[Table] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seat = Seat(writer)
        least = 0 if "table stays" in self.faults else 1
        table = next((table for table in self.tables if least <= len(table.people) < 2), None)
        if table is None:
            self.tables.append(table := Table(self.faults))
        table.sit(seat)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self.hear(table, seat, reader)
        finally:
            table.leave(seat)
            if not table.people and "table stays" not in self.faults:
                self.tables.remove(table)
            writer.close()

    async def hear(self, table: Table, seat: Seat, reader: asyncio.StreamReader) -> None:
        while True:
            if "one recv" in self.faults or "drops merged" in self.faults:
                data = await reader.read(4096)
                if not data:
                    return
                operands = {0: 2, 1: 2, 3: 2}.get(int.from_bytes(data[:4], "big"), 0)
                if len(data) < 4 + operands and "drops merged" in self.faults:
                    data += await reader.readexactly(4 + operands - len(data))
                self.do(table, seat, int.from_bytes(data[:4], "big"), data[4 : 4 + operands])
                continue
            opcode = int.from_bytes(await reader.readexactly(4), "big", signed=True)
            self.do(table, seat, opcode, await reader.readexactly(2) if opcode in (0, 1, 3) else b"")

    def do(self, table: Table, seat: Seat, opcode: int, operands: bytes) -> None:
        if opcode in (0, 1) and len(operands) == 2:
            table.move(seat, opcode, *operands)
        elif opcode == 2:
            table.sync(seat)
        elif opcode == 3 and len(operands) == 2:
            table.choose(seat, *operands)
        elif opcode == 4:
            table.new_game(seat)


async def student_server(faults: frozenset[str]) -> asyncio.Server:
    return await asyncio.start_server(Server(faults).serve, "127.0.0.1", 0)


# --- a client -------------------------------------------------------------------------------------------------------


class Client:
    """Draws any free line when it is asked to, and always wants another game."""

    def __init__(self, faults: frozenset[str]) -> None:
        self.faults = faults
        self.size = (0, 0)
        self.lines: set[tuple[int, int, int]] = set()
        self.sent: tuple[int, int, int] | None = None
        self.over = False

    async def run(self, host: str, port: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        self.reader, self.writer = reader, writer
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ValueError):
            try:
                if "hello" in self.faults:
                    self.say("iBB", 3, 5, 5)
                while await self.one():
                    await writer.drain()
            finally:
                writer.close()

    def say(self, form: str, *values: int) -> None:
        self.writer.write(struct.pack(">" + form, *values))

    async def whole(self) -> int:
        if "one recv" in self.faults:
            data = await self.reader.read(4)
            if not data:
                raise ConnectionError
            return int.from_bytes(data, "big", signed=True)
        return int.from_bytes(await self.reader.readexactly(4), "big", signed=True)

    async def take(self, count: int) -> bytes:
        return await self.reader.readexactly(count)

    async def one(self) -> bool:
        faults = self.faults
        opcode = await self.whole()
        match opcode:
            case 0:
                await self.whole()
            case 1:
                for _ in range(2):
                    kind = await self.whole()
                    if kind not in (-1, 1) or "open has a name" in faults:
                        length = await self.whole()
                        if not 0 < length < 100:
                            return False
                        await self.take(length - ("no NUL" in faults))
            case 2 | 3:
                x, y = await self.take(2)
                kind = opcode - 2
                if "deaf" not in faults and not ("deaf to v" in faults and kind):
                    self.lines.add((1 - kind if "h for v" in faults else kind, x, y))
                if "any turn" in faults:
                    self.draw()
            case 4:
                await self.take(1)
                self.over = True
                if "keeps playing" in faults:
                    self.say("iBB", 0, 0, 0)
                elif "no again" not in faults:
                    self.say("i", 4)
            case 5:
                self.draw()
                if "draws twice" in faults:
                    self.draw()
            case 6:
                (status,) = struct.unpack(">b", await self.take(1))
                if status < 0 and self.sent is not None:
                    self.lines.discard(self.sent)
                if status > 0 and "no second" in faults:
                    await asyncio.sleep(60)
                if status == 0 and "presses on" in faults:
                    self.draw()
            case 7:
                await self.sync()
            case 8:
                width, height = await self.take(2)
                self.size = (height, width) if "height first" in faults else (width, height)
                if "keeps lines" not in faults:
                    self.lines.clear()
                if "moves at options" in faults:
                    self.draw()
            case 9:
                size = (1, 30) if "bad size" in faults else (4, 3)
                if "no options" not in faults:
                    self.say("iBB", 3, *size)
                if "options twice" in faults:
                    self.say("iBB", 3, *size)
            case _:
                return False
        return True

    async def sync(self) -> None:
        width, height = self.size
        await self.take(9)
        self.lines.clear()
        kinds = (0, 1) if "horizontal first" in self.faults else (1, 0)
        for kind in kinds:
            right, bottom = (width, height - 1) if kind else (width - 1, height)
            cells = await self.take(right * bottom)
            for number, cell in enumerate(cells):
                where = (number % right, number // right) if "by rows" in self.faults else divmod(number, bottom)
                if cell and "ignores sync" not in self.faults:
                    self.lines.add((kind, *where))
        await self.take((width - 1) * (height - 1))

    def draw(self) -> None:
        width, height = self.size
        extra = int("from one" in self.faults)
        free = [(0, x + extra, y + extra) for x in range(width - 1) for y in range(height)]
        free += [(1, x + extra, y + extra) for x in range(width) for y in range(height - 1)]
        if "loose bounds" in self.faults:
            free = [(0, width - 1, 0), *free]
        free = [line for line in free if line not in self.lines]
        if not free:
            return
        self.sent = free[0] if "loose bounds" in self.faults else random.choice(free)
        if "forgets its own" not in self.faults:
            self.lines.add(self.sent)
        kind, x, y = self.sent
        self.say("iBB", kind, *((y, x) if "y first" in self.faults else (x, y)))
