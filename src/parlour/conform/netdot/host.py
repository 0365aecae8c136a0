"""Our side of a game with the client under examination: we are its server, and our own rules say how it stands.

The client is user 1. Everyone else, usually user 2, is ours and exists only in what we say.
"""

import time
from collections.abc import Iterable
from typing import Any

from parlour.conform.case import Clause, Shortfall, Violation
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import SHORT
from parlour.conform.netdot.tongues import BETA, ONE, THREE, TWO, spelled
from parlour.games.dots.rules import Shape, shape
from parlour.protocols.netdot import spell1, spell2, spell3, words
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import USAGE, State, may

MAJOR = {ONE: 1, TWO: 2, BETA: 2, THREE: 3}
SPELLERS: dict[str, Any] = {ONE: spell1, TWO: spell2, BETA: spell3, THREE: spell3}
MOVES = {"game-line", "game-play"}
UNHELD = {
    "game-ready",
    "game-notready",
    "game-join",
    "network-ping",
    "network-pong",
    "network-disconnect",
    "request-start",
}
"""What clients say that is not held against the usage table: wishes for the next game, and what was kept from 2.0."""


class Host:
    """One client, and what it was told."""

    def __init__(self, exam: ClientExam, talk: Conversation, width: int = 3, height: int = 3) -> None:
        self.exam = exam
        self.talk = talk
        self.dialect = exam.dialect or THREE
        self.me, self.other = (0, 1) if self.dialect == ONE else (1, 2)
        self.shape: Shape = shape(width, height)
        self.lines: dict[str, int] = {}
        self.boxes: dict[tuple[int, int], int] = {}
        self.heard: list[Line] = []
        self.state = State.TALK
        self.turn = -1
        self.name = ""
        self._taken = 0
        """Moves of the client that we have dealt with."""
        exam.picture = self.text

    def text(self) -> str:
        """The lines that are drawn."""
        return f"drawn: {', '.join(self.lines)}" if self.lines else ""

    # --- saying ------------------------------------------------------------------------------------------------------

    async def say(self, *lines: str | bytes, pause: float | None = None) -> None:
        """Lines to the client, all in one segment, or each in its own."""
        data = [line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines]
        if pause is None:
            await self.talk.send(b"".join(data))
        else:
            await self.talk.send(*data, pause=pause)

    def drawing(self, who: int, move: str, then: int | None = None) -> list[bytes]:
        """The lines that tell of a move, which is made here: line, boxes, turn as the dialect has it."""
        closed = self.closes(move)
        self.lines[move] = who
        self.boxes.update(dict.fromkeys(closed, who))
        spell = SPELLERS[self.dialect]
        if then is None:
            then = who if closed else self.other if who == self.me else self.me
        self.turn = -1 if self.over else then
        if self.dialect in (TWO, ONE):
            return [spell.play(who, move)]
        boxes = [spell.box(who, x, y) for x, y in closed]
        current = [] if self.over else [spell.current(then)]
        if self.dialect == BETA:
            return [*boxes, *([] if closed else current), spell.line(who, move)]
        return [spell.line(who, move), *boxes, *current]

    async def draw(self, move: str, who: int | None = None, then: int | None = None) -> None:
        """Tells the client a move of another player."""
        await self.say(*self.drawing(self.other if who is None else who, move, then))

    async def pass_turn(self) -> None:
        """Our move: one that closes nothing, if there is one, so that it is the client's turn."""
        while self.turn == self.other:
            quiet = [move for move in self.open_lines() if not self.closes(move)]
            await self.draw((quiet or self.open_lines())[0])

    def closes(self, move: str) -> list[tuple[int, int]]:
        """The boxes that this line would close."""
        lines, board = {*self.lines, move}, self.shape
        touched = board.touching[board.index[move]]
        return [board.where[box] for box in touched if all(board.moves[side] in lines for side in board.sides[box])]

    def open_lines(self) -> list[str]:
        return [move for move in self.shape.moves if move not in self.lines]

    @property
    def over(self) -> bool:
        return len(self.boxes) == self.shape.boxes

    # --- coming in ---------------------------------------------------------------------------------------------------

    @classmethod
    async def greeted(cls, exam: ClientExam, width: int = 3, height: int = 3) -> "Host":
        """The client has connected, and has heard our first words."""
        host = cls(exam, await exam.join(), width, height)
        first = {TWO: ("network-assign -1", "info-version 2 0"), ONE: ("info-version 1 7",)}
        await host.say(*first.get(host.dialect, ("request-info",)))
        return host

    @classmethod
    async def welcomed(cls, exam: ClientExam, width: int = 3, height: int = 3) -> "Host":
        """The client is in the lobby, with one other user."""
        host = await cls.greeted(exam, width, height)
        await host.asked_in()
        await host.admit()
        return host

    async def asked_in(self) -> None:
        """The client has told its version, and asked to join where that is the way."""
        wanted = "info-version" if self.dialect == ONE else "request-join"
        rule = {ONE: clauses.V1_VERSION, TWO: clauses.V2_JOIN}.get(self.dialect, clauses.JOIN)
        if self.dialect in (THREE, BETA):
            await self.pump(lambda: self.has("request-info", "request-join"), SHORT * 4)
            if not self.has("request-info", "request-join"):
                await self.say(*self.info())  # it waits for being told unasked
        await self.hear(wanted, rule)

    def info(self) -> list[str]:
        """What we answer to request-info."""
        features = "chat random-start" if self.dialect == BETA else "chat vote random-start random-order"
        return [f"info-version {MAJOR[self.dialect]} 0", f"info-features {features}"]

    async def admit(self) -> None:
        """The client gets its id and the state of the network."""
        width, height = self.shape.width, self.shape.height
        name = self.name or "Examinee"
        if self.dialect in (THREE, BETA):
            users = [f"network-add 1 -65536 {name}", "network-add 2 -16776961 Opponent"]
            await self.say("network-assign 1", *users, "game-ready 2", f"game-size {width} {height}")
        elif self.dialect == TWO:
            await self.say(
                "player-add 2 Opponent",
                f"grid-size {width}x{height}",
                "grid-reset",
                "network-assign 1",
                "player-add 1 Client 1",
            )
        else:
            users = ["player-count 2", "player-new 0 0 Client 0", "player-new 1 0 Opponent"]
            await self.say(*users, "network-assign 0", f"grid-size {width}x{height}", "grid-reset")
        self.state = State.LOBBY
        if self.dialect == THREE:
            await self.pump(lambda: self.has("game-ready"), SHORT * 2)

    @classmethod
    async def playing(cls, exam: ClientExam, first: bool = True, width: int = 3, height: int = 3) -> "Host":
        """A game has begun; the client is on turn, or the other."""
        host = await cls.welcomed(exam, width, height)
        await host.start(first)
        return host

    def starting(self, first: bool = True) -> list[str]:
        """The lines that start a game; in 1.x and 2.0 the lower id begins, which is the client's."""
        self.lines.clear()
        self.boxes.clear()
        self.state = State.PLAYING
        self.turn = self.me if first else self.other
        joins = [f"game-join {self.me}", f"game-join {self.other}"]
        if self.dialect in (THREE, BETA):
            return ["game-start", *joins, f"game-current {self.turn}"]
        return ["game-start", *([] if first or self.dialect == ONE else [f"game-current {self.turn}"])]

    async def start(self, first: bool = True) -> None:
        await self.say(*self.starting(first))

    # --- listening ---------------------------------------------------------------------------------------------------

    def has(self, *heard: str) -> bool:
        """Whether the client has said one of these."""
        return any(line.word in heard for line in self.heard)

    def count(self, word: str) -> int:
        return sum(line.word == word for line in self.heard)

    async def next(self, within: float | None = None) -> Any:
        """What the client says next, held against the usage table; wishes are granted."""
        came = await self.talk.receive(within)
        if not isinstance(came, Line):
            return came
        self._hold(came)
        self.heard.append(came)
        await self._answer(came)
        return came

    def _hold(self, line: Line) -> None:
        unheld = line.word in UNHELD and (self.state is not State.TALK or line.group != "game")
        if self.dialect == THREE and line.word in USAGE and not unheld and not may("C", line.word, self.state):
            rule = clauses.TURN if line.word in MOVES else clauses.TABLE
            raise Violation(f"nothing that a client does not say in the state {self.state.value}", spelled(line), rule)

    async def _answer(self, line: Line) -> None:
        """As a server would."""
        match line.word:
            case "request-info":
                await self.say(*self.info())
            case "request-motd":
                await self.say("info-motd Welcome.")
            case "request-join":
                self.name = line.args.partition("name ")[2] or self.name
            case "network-ping":
                await self.say("network-pong")
            case "game-ready" | "game-notready" if self.state is State.LOBBY:
                await self.say(f"{line.word} {self.me}")
            case "user-name" | "user-color" | "player-rename" | "player-color" | "network-chat" if (
                self.state is not State.TALK
            ):
                await self.say(f"{line.word} {self.me} {line.args}")

    async def pump(self, done: Any, seconds: float) -> Any:
        """Listen until it is so, or for so long. Returns what came last that is no line."""
        ends = time.monotonic() + seconds
        while not done():
            came = await self.next(max(ends - time.monotonic(), 0.0))
            if not isinstance(came, Line):
                return came
        return None

    async def hear(self, word: str, rule: Clause, more_than: int = 0) -> Line:
        """The client says this, now or before."""
        came = await self.pump(lambda: self.count(word) > more_than, self.exam.seconds)
        if came is not None:
            raise self.talk.wrong(came, f"{word} from the client", rule)
        return [line for line in self.heard if line.word == word][-1]

    async def move(self, typed: str | None = None, rule: Clause | None = None) -> str:
        """The client's move, which must be legal. It is not yet told: `accept` does that."""
        choice = typed or self.exam.rng.choice(self.open_lines())
        self.exam.type(choice)
        came = await self.pump(lambda: len(self._moves()) > self._taken, self.exam.seconds)
        if came is not None:
            raise self.talk.wrong(came, "a move: it is the client's turn", rule or clauses.TURN)
        self._taken += 1
        return self.read(self._moves()[self._taken - 1])

    def _moves(self) -> list[Line]:
        return [line for line in self.heard if line.word in MOVES]

    def read(self, line: Line) -> str:
        """The move of this line. Raises the Violation that it may be."""
        readers = {ONE: words.move1, TWO: words.move2}
        move = readers.get(self.dialect, words.move3)(line.args)
        if move is None or line.word != ("game-play" if self.dialect in (TWO, ONE) else "game-line"):
            usage = {ONE: "game-play true|false X, Y", TWO: "game-play X,Y hor|ver"}.get(
                self.dialect, "game-line X Y hor|ver"
            )
            rule = {ONE: clauses.V1_PLAY, TWO: clauses.V2_PLAY}.get(self.dialect, clauses.LINE)
            raise Violation(usage, spelled(line), rule)
        if move not in self.shape.index:
            raise Violation(
                f"a line of the grid of {self.shape.width} by {self.shape.height} dots", spelled(line), clauses.DOT
            )
        if move in self.lines:
            raise Violation("a line that nobody has drawn", spelled(line), clauses.DOTS)
        return move

    async def accept(self, move: str) -> None:
        """Tell the client its own move."""
        await self.say(*self.drawing(self.me, move))

    async def turn_taken(self, typed: str | None = None) -> str:
        """The client moves, and is told so."""
        move = await self.move(typed)
        await self.accept(move)
        return move

    async def quiet(self, seconds: float, expected: str, rule: Clause) -> None:
        """The client makes no move for a while, though its person types one."""
        if self.open_lines():
            self.exam.type(self.open_lines()[0])
        came = await self.pump(lambda: len(self._moves()) > self._taken, seconds)
        if came is None:
            raise Violation(expected, spelled(self._moves()[self._taken]), rule)
        if isinstance(came, End) and not self.over:
            raise Violation(f"{expected}, and a connection that stays", told(came), rule)

    async def goes_on(self, rule: Clause) -> None:
        """The client is still with us: on turn, it moves."""
        if self.state is not State.PLAYING:
            await self.start()
        elif self.turn != self.me:
            await self.pass_turn()
        await self.move(rule=rule)

    async def play_out(self, ours: Iterable[str] = ()) -> None:
        """A game to its end: our moves are the first open lines, or those."""
        wanted = list(ours)
        while not self.over:
            if self.turn == self.me:
                await self.turn_taken()
            else:
                move = next((move for move in wanted if move not in self.lines), self.open_lines()[0])
                await self.draw(move)

    async def leaves(self, rule: Clause) -> None:
        """The client ends the connection, perhaps with a last word."""
        came = await self.pump(lambda: False, self.exam.seconds)
        if isinstance(came, Silence):
            raise Shortfall("the client ends the connection", told(came), rule)
