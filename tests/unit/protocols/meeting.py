"""A NetDot user and a GGZ player at one table, each with the board that they would draw from what they are told."""

from random import Random
from typing import Protocol

from parlour.core.table.table import Table
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.board import laid_out, restored
from parlour.protocols.ggzdots.messages import Answer, GameOver, Line, Options, ServerMessage, Sync, WantMove
from parlour.protocols.netdot import words
from parlour.protocols.netdot.grid import Grid
from tests.netdot import Client
from tests.world import Wire

READERS = {"game-play": {"1": words.move1, "2": words.move2}, "game-line": {"3": words.move3, "beta": words.move3}}


def spelled(dialect: str, move: str) -> str:
    """A move as a client of this dialect says it."""
    if dialect == "1":
        return f"game-play {words.spell1(move)}"
    return f"game-play {words.spell2(move)}" if dialect == "2" else f"game-line {words.spell3(move)}"


class Sheet:
    """What a NetDot client has on its screen."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.grid = Grid()
        self.turn: int | None = None
        self.drawn: list[str] = []
        self._read = 0

    def look(self) -> "Sheet":
        """Draw what has been heard since the last time."""
        self.client.heard()
        for line in self.client.everything[self._read :]:
            self._hear(*line.partition(" ")[::2])
        self._read = len(self.client.everything)
        return self

    def _hear(self, word: str, rest: str) -> None:
        who, after = words.head(rest)
        match word:
            case "grid-size" | "game-size":
                width, height = words.size(rest) or words.numbers(rest)
                self.grid.resize(width, height)
                self.drawn = []
            case "grid-reset" | "game-start":
                self.grid.reset()
                self.drawn, self.turn = [], None
            case "game-current":
                self.turn = who
            case "player-line":
                direction, _, dot = after.partition(" ")
                self._draw(who, words.move2(f"{dot} {direction}"), closes=False)
            case "game-play" | "game-line":
                dialect = self.client.dialect
                # In 3.0 the server names the boxes, before it the client closes them.
                self._draw(who, READERS[word][dialect](after), closes=word == "game-play")
            case "player-box":
                x, y = words.point(after) or (-1, -1)
                self.grid.own(x, y, -1 if who is None else who)
            case "game-box":
                x, y = words.numbers(after)
                self.grid.own(x, y, -1 if who is None else who)

    def _draw(self, who: int | None, move: str | None, closes: bool) -> None:
        assert who is not None
        assert move is not None
        assert move not in self.drawn, f"{move} twice"
        self.drawn.append(move)
        for x, y in self.grid.draw(move, who):
            if closes:
                self.grid.own(x, y, who)

    def scores(self, table: Table) -> tuple[int, ...]:
        """By seat. In 1.x the player who begins is place 0."""
        cast = table.party.cast
        if self.client.dialect == "1":
            return tuple(self.grid.score((seat - table.starter) % len(cast)) for seat in range(len(cast)))
        return tuple(self.grid.score(member.id) for member in cast)


class Hearing(Protocol):
    """A connection that speaks Dots."""

    wire: Wire

    def heard(self) -> list[ServerMessage]: ...


class Screen:
    """What a GGZ client has on its screen."""

    def __init__(self, peer: Hearing) -> None:
        self.peer = peer
        self.everything: list[ServerMessage] = []
        self.board = (2, 2)
        self.position: DotsPosition = laid_out(2, 2)
        self.wanted = False
        """Asked for a move."""
        self.winner: int | None = None
        self._sent = ""

    def look(self) -> "Screen":
        """Draw what has been heard since the last time."""
        for message in self.peer.heard():
            self.everything.append(message)
            match message:
                case Options(width=width, height=height):
                    self.board = width, height
                    self.position, self.winner = laid_out(width, height), None
                case Sync():
                    self.position = restored(self.board, message)
                case WantMove():
                    self.wanted = True
                case Line(move=move):
                    self.position.play(move)
                case Answer(status=status):
                    assert status >= 0, f"{self._sent} was refused with {status}"
                    self.position.play(self._sent)
                case GameOver(winner=winner):
                    self.winner = winner
                case _:
                    pass
        return self

    def draw(self, move: str) -> None:
        assert self.wanted, "nobody has asked"
        self.wanted, self._sent = False, move
        self.peer.wire.send(dots.draw(move))


def play(table: Table, sheet: Sheet, screen: Screen, rng: Random, moves: int = 9999) -> None:
    """Let the two play so many lines, or to the end; both see every line and count the same after each."""
    agree(table, sheet, screen)
    for _ in range(moves):
        position = table.position
        assert isinstance(position, DotsPosition)
        if not table.running:
            break
        seat = table.seats[position.turn]
        assert seat is not None
        move = rng.choice(position.legal())
        if seat.who is sheet.client.wire.link.participant:
            if sheet.client.dialect != "1":
                assert sheet.turn == table.party.cast[position.turn].id
            sheet.client.say(spelled(sheet.client.dialect, move))
        else:
            screen.draw(move)
        agree(table, sheet, screen)


def agree(table: Table, sheet: Sheet, screen: Screen) -> None:
    """Both screens are the table's board, line by line and box by box."""
    sheet.look()
    screen.look()
    assert table.position is not None
    assert sorted(sheet.drawn) == sorted(table.moves)
    assert [move for move in table.moves if not screen.position.line(move)] == []
    assert screen.position.scores() == table.position.scores() == sheet.scores(table)
