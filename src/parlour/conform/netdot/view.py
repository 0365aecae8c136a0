"""What a client knows of a NetDot server by what it was told, with our own rules beside it.

Every line is held against them. Line, boxes and turn of one move may come in any order: the document names none, and
the beta tells the turn first.
"""

from parlour.conform.case import Clause, Violation
from parlour.conform.netdot import clauses
from parlour.conform.netdot.clauses import clause
from parlour.conform.netdot.tongues import BETA, NOBODY, ONE, THREE, TWO, Heard
from parlour.games.dots.rules import Shape, shape
from parlour.protocols.netdot.phases import State, may

LARGEST = 200
UNHELD = {
    State.TALK: {"network-assign", "network-ping", "network-pong"},
    State.LOBBY: {
        "network-assign",
        "info-version",
        "info-features",
        "info-motd",
        "game-line",
        "game-join",
        "game-leave",
        "request-deny",
    },
    State.PLAYING: {
        "network-assign",
        "info-version",
        "info-features",
        "info-motd",
        "request-deny",
        "game-ready",
        "game-notready",
    },
}
"""What is not held against the usage table: answers to what we asked, art in the lobby, and what the text allows."""


class View:
    """One connection's knowledge."""

    def __init__(self, dialect: str, tells_turns: bool) -> None:
        self.dialect = dialect
        self.tells_turns = tells_turns
        """Whether the turn is said after each move; else it is counted."""
        self.live = False
        """The state of the network has been told, and every line is held against the rules."""
        self.joining = False
        """We have asked to join."""
        self.me: int | None = None
        self.users: dict[int, str] = {}
        self.colors: dict[int, int] = {}
        self.ready: set[int] = set()
        self.players: set[int] = set()
        self.features = {"chat"}
        self.unvotable: set[str] = set()
        self.vote: str | None = None
        self.shape: Shape = shape(2, 2)
        self.sized = False
        self.running = False
        self.games = 0
        self.turn = NOBODY
        self.lines: dict[str, int] = {}
        self.boxes: dict[tuple[int, int], int] = {}
        self.awaiting: Clause | None = None
        """The turn must be told next, by this clause."""
        self._owed: dict[tuple[int, int], int] = {}
        self._early: dict[tuple[int, int], int] = {}
        self._early_turn: int | None = None
        self._last: tuple[int, bool] = (NOBODY, False)

    @property
    def state(self) -> State:
        if self.me is None:
            return State.TALK
        return State.PLAYING if self.running else State.LOBBY

    @property
    def over(self) -> bool:
        """Whether every box has an owner."""
        return self.running and self._closed() == self.shape.boxes

    @property
    def settled(self) -> bool:
        """Whether nothing of a move is still to come."""
        if self.over:
            return not self._owed
        return not (self._owed or self._early or self.awaiting) and self._early_turn is None

    @property
    def owes(self) -> tuple[str, Clause]:
        """What is still to come, and by which clause."""
        if self._owed:
            (x, y), who = next(iter(self._owed.items()))
            return f"game-box {who} {x} {y}: all four sides are drawn", clauses.BOX
        if self._early:
            (x, y), _ = next(iter(self._early.items()))
            return f"nothing of the box {x} {y}: not all of its sides are drawn", clauses.BOX_CLOSED
        if self._early_turn is not None:
            if self._last[1]:
                return f"game-current {self.turn}, who has closed a box, and not {self._early_turn}", clauses.AGAIN
            return f"a line that passes the turn from {self.turn} to {self._early_turn}", clauses.PASSES
        return "game-current: the turn has passed", self.awaiting or clauses.CURRENT

    def open_lines(self) -> list[str]:
        return [move for move in self.shape.moves if move not in self.lines]

    def closes(self, move: str) -> list[tuple[int, int]]:
        """The boxes that this line would close."""
        lines = {*self.lines, move}
        board = self.shape
        touched = board.touching[board.index[move]]
        return [board.where[box] for box in touched if all(board.moves[side] in lines for side in board.sides[box])]

    def score(self, who: int) -> int:
        return sum(owner == who for owner in self.boxes.values())

    def text(self) -> str:
        """The board, drawn: boxes by the last digit of their owner."""
        rows = []
        for y in range(self.shape.height):
            across = "".join("---+" if f"h {x} {y}" in self.lines else "   +" for x in range(self.shape.width - 1))
            rows.append(f"+{across}")
            if y < self.shape.height - 1:
                cells = []
                for x in range(self.shape.width):
                    owner = self.boxes.get((x, y), NOBODY)
                    cells.append(
                        ("|" if f"v {x} {y}" in self.lines else " ") + f" {str(owner)[-1] if owner >= 0 else ' '} "
                    )
                rows.append("".join(cells).rstrip())
        return "\n".join(rows)

    # --- hearing -----------------------------------------------------------------------------------------------------

    def hear(self, heard: Heard) -> None:
        """Believe a line, or raise the Violation that it is."""
        word, state = heard.line.word, self.state
        held = self.dialect == THREE and (self.live or state is State.TALK) and heard.kind not in ("warn", "strange")
        if held and not may("S", word, state) and word not in UNHELD[state]:
            rule = clauses.ASSIGN_FIRST if self.joining else clauses.TALK
            if state is not State.TALK:
                unstarted = state is State.LOBBY and self.ready and heard.kind in ("current", "line", "box")
                rule = clauses.BEGINS if unstarted else clauses.TABLE
            raise Violation(f"nothing that a server does not say in the state {state.value}", str(heard), rule)
        hearing = getattr(self, f"_{heard.kind}", None)
        if hearing is not None:
            hearing(heard)

    def _assign(self, heard: Heard) -> None:
        if heard.who >= 0 or self.dialect != TWO:
            self.me = heard.who

    def _count(self, heard: Heard) -> None:
        self.users = dict.fromkeys(range(min(heard.numbers[0], LARGEST)), "")

    def _connect(self, _: Heard) -> None:
        self.users[len(self.users)] = ""

    def _add(self, heard: Heard) -> None:
        self.users[heard.who] = heard.text
        if self.dialect in (THREE, BETA):
            self.colors[heard.who] = heard.numbers[0]
        if self.dialect in (TWO, ONE):
            self.players.add(heard.who)

    def _remove(self, heard: Heard) -> None:
        self.users.pop(heard.who, None)
        self.ready.discard(heard.who)
        self._out(heard.who, clause(self.dialect, "removeturn"))

    def _name(self, heard: Heard) -> None:
        self.users[heard.who] = heard.text

    def _color(self, heard: Heard) -> None:
        self.colors[heard.who] = heard.numbers[0]

    def _ready(self, heard: Heard) -> None:
        self.ready.add(heard.who)

    def _notready(self, heard: Heard) -> None:
        self.ready.discard(heard.who)

    def _enable(self, heard: Heard) -> None:
        self.features |= set(heard.text.split())

    def _disable(self, heard: Heard) -> None:
        self.features -= set(heard.text.split())

    def _vote(self, heard: Heard) -> None:
        self.vote = heard.text

    def _voted(self, _: Heard) -> None:
        self.vote = None

    def _votable(self, heard: Heard) -> None:
        self.unvotable.discard(heard.text)

    def _unvotable(self, heard: Heard) -> None:
        self.unvotable.add(heard.text)

    def _size(self, heard: Heard) -> None:
        width, height = heard.numbers
        if self.dialect == TWO and (width, height) == (0, 0):
            return  # by way of nothing, for the Java client
        if not (2 <= width <= LARGEST and 2 <= height <= LARGEST):
            raise Violation("a grid of at least 2 by 2 dots", str(heard), clause(self.dialect, "size"))
        self.shape, self.sized = shape(width, height), True

    def _reset(self, _: Heard) -> None:
        self.lines.clear()
        self.boxes.clear()

    def _start(self, _: Heard) -> None:
        self.running = True
        self.games += 1
        self._reset(_)
        self._owed, self._early, self._early_turn, self.awaiting = {}, {}, None, None
        self._last = (NOBODY, False)
        self.turn = NOBODY
        if self.dialect == THREE:
            self.players = set(self.ready)
        elif self.dialect == BETA:
            if 0 in self.users:  # its host plays and begins, without a word
                self.players.add(0)
            self.turn = 0 if 0 in self.users else NOBODY
        else:
            self.players = set(self.users)
            self.turn = min(self.players, default=NOBODY)

    def _stop(self, _: Heard) -> None:
        self.running, self.awaiting, self.turn = False, None, NOBODY
        self._owed, self._early, self._early_turn = {}, {}, None

    def _join(self, heard: Heard) -> None:
        self.players.add(heard.who)

    def _leave(self, heard: Heard) -> None:
        self._out(heard.who, clauses.LEAVE)

    def _out(self, who: int, rule: Clause) -> None:
        """A player no longer plays; if it was its turn, the turn of another must be told."""
        self.players.discard(who)
        if not (self.live and self.running) or self.over or who != self.turn or not self.players:
            return
        if self._early_turn is not None:
            self.turn, self._early_turn = self._early_turn, None
        elif self.tells_turns:
            self.awaiting = rule
        else:
            self.turn = self._after(who)

    # --- the game ----------------------------------------------------------------------------------------------------

    def _drawn(self, heard: Heard) -> None:
        self.lines[heard.move] = heard.who

    def _line(self, heard: Heard) -> None:
        if not (self.live and self.running):
            self.lines[heard.move] = heard.who
            return
        who, move = heard.who, heard.move
        if self.over:
            raise Violation("no line any more: every box has an owner", str(heard), clauses.OVER)
        if move not in self.shape.index or move in self.lines:
            why = "the grid has" if move not in self.shape.index else "nobody has drawn yet"
            raise Violation(f"a line that {why}", str(heard), clauses.DOTS)
        if self._owed or (self.awaiting and self._early_turn is None):
            raise Violation(self.owes[0], str(heard), self.owes[1])
        if self.turn not in (NOBODY, who):
            raise Violation(f"a line of {self.turn}, whose turn it is", str(heard), clauses.NOT_ON_TURN)
        closed = self.closes(move)
        self.lines[move] = who
        self._last = (who, bool(closed))
        if self.dialect in (TWO, ONE):
            self.boxes.update(dict.fromkeys(closed, who))
            self.turn = who if closed else self._after(who)
            told = self.tells_turns and not closed and not self.over  # a turn that stays need not be told
            self.awaiting = clause(self.dialect, "turn") if told else None
            return
        for box, owner in self._early.items():
            if box not in closed or owner != who:
                raise self._wrong_box(box, owner)
        self._owed = {box: who for box in closed if box not in self._early}
        self._early = {}
        self._pass_on(who, bool(closed))

    def _pass_on(self, who: int, closed: bool) -> None:
        self.turn = who
        if self._early_turn is not None:
            early, self._early_turn = self._early_turn, None
            self._turn_to(early)
        elif not closed and not self.over:
            self.awaiting = clauses.PASSES

    def _box(self, heard: Heard) -> None:
        box = (heard.numbers[0], heard.numbers[1])
        if not (self.live and self.running) or self.dialect == TWO:
            self.boxes[box] = heard.who
            return
        if box in self._owed:
            if self._owed[box] != heard.who:
                raise self._wrong_box(box, heard.who)
            del self._owed[box]
            self.boxes[box] = heard.who
        elif self.boxes.get(box) != heard.who:
            if box in self.boxes or (self._last[0] != NOBODY and self._full_sides(box)):
                raise self._wrong_box(box, heard.who)
            self._early[box] = heard.who
            self.boxes[box] = heard.who

    def _full_sides(self, box: tuple[int, int]) -> bool:
        board = self.shape
        return box in board.where and all(
            board.moves[side] in self.lines for side in board.sides[board.where.index(box)]
        )

    def _wrong_box(self, box: tuple[int, int], who: int) -> Violation:
        x, y = box
        owner = self._owed.get(box, self.boxes.get(box))
        right = f"the box {x} {y} to be of {owner}" if owner is not None else f"nothing of the box {x} {y}: it is open"
        return Violation(right, f"“game-box {who} {x} {y}”", clauses.BOX_CLOSED)

    def _current(self, heard: Heard) -> None:
        if not (self.live and self.running) or self.over:
            self.turn = heard.who
            return
        if self.awaiting is not None:
            self.awaiting = None
            self._turn_to(heard.who)
        elif heard.who == self.turn:
            return
        elif self.turn == NOBODY or self.dialect in (TWO, ONE):
            self._turn_to(heard.who)
        else:
            self._early_turn = heard.who

    def _turn_to(self, who: int) -> None:
        mover, closed = self._last
        if closed and who != mover and mover in self.players:
            raise Violation(
                f"game-current {mover}: who closes a box draws again",
                f"“game-current {who}”",
                clause(self.dialect, "again"),
            )
        others = self.players - {mover}
        if not closed and who == mover and others and mover != NOBODY:
            raise Violation(
                f"another player's turn, after the line of {mover}",
                f"“game-current {who}”",
                clause(self.dialect, "turn"),
            )
        if self.dialect == THREE and who in self.users and who not in self.players and self.players:
            raise Violation("the turn of a player", f"“game-current {who}”, who does not play", clauses.READY_PLAYS)
        self.turn = who
        self._last = (NOBODY, False)

    def _after(self, who: int) -> int:
        order = sorted(self.players)
        return next((other for other in order if other > who), order[0] if order else NOBODY)

    def _closed(self) -> int:
        board = self.shape
        return sum(all(board.moves[side] in self.lines for side in sides) for sides in board.sides)
