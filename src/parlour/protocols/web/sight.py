"""The board as our own client follows it, record by record."""

from collections.abc import Iterable, Mapping
from typing import Any

from parlour.core.description import Description
from parlour.core.errors import LocalError, Refusal, Refused
from parlour.core.game import NOBODY, Game, Options, Position
from parlour.core.session import Sheet
from parlour.protocols.web.answers import TableSnapshot


class Sight:
    """A table's game. The server's word on whose turn it is counts when a snapshot has it."""

    def __init__(self, game: Game, players: int) -> None:
        self._game = game
        self._players = players
        self._position: Position | None = None
        self._opening: tuple[Options, int] = {}, 0
        """Options, and who began."""
        self._played: list[str] = []
        self._turn: int | None = None
        """Whose turn it is if that is not to be seen on the board."""
        self.running = False
        self.sheet: Sheet | None = None
        """As one of seat 0 would write it."""

    @staticmethod
    def of(table: TableSnapshot, games: Mapping[str, Game]) -> "Sight":
        """What a snapshot shows. Raises LocalError for a game that is not among these."""
        game = games.get(table.game)
        if game is None:
            raise LocalError(f"the server plays {table.game!r} there, which we do not know")
        sight = Sight(game, len(table.seats))
        if table.state.status in ("playing", "over"):
            sight._start(table.options, table.state.first)
            for move in table.state.moves:
                sight._play(move)
            sight.running = table.state.status == "playing"
            if sight.running and table.room is not None and table.room.chairs is None:
                sight._skip(number for number, seat in enumerate(table.seats) if seat is None)
            sight._turn = table.state.turn
        return sight

    def follow(self, event: Mapping[str, Any]) -> None:
        """Let something happen. Raises LocalError, KeyError or ValueError if it cannot have."""
        match event["type"]:
            case "arranged":
                self._players = len(event["seats"])
            case "furnished" if event["chairs"]:
                self._players = len(event["chairs"])
            case "started":
                self._start(event["options"], int(event["first"]))
                self.running = True
            case "played":
                self._play(str(event["move"]))
                self._turn = None
            case "takenback":
                self._take_back(int(event["moves"]))
            case "finished":
                self.running = False

    @property
    def turn(self) -> int:
        if self._position is None or not self.running:
            return NOBODY
        return self._position.turn if self._turn is None else self._turn

    @property
    def game(self) -> Description:
        return self._game.description

    def check(self, move: str) -> Refusal | None:
        """Why this move cannot be made now, by the rules."""
        return Refusal.NOT_PLAYING if self._position is None else self._position.check(move)

    def moves(self) -> tuple[str, ...]:
        return () if self._position is None else tuple(self._position.legal())

    def text(self) -> str:
        return "" if self._position is None else self._position.text()

    def _take_back(self, count: int) -> None:
        left = self._played[: max(0, len(self._played) - count)]
        self._start(*self._opening)
        for move in left:
            self._play(move)

    def _start(self, options: Options, first: int) -> None:
        try:
            self._position = self._game.start(options, first, self._players)
        except (Refused, KeyError, ValueError) as error:
            raise LocalError("the server's options make no game") from error
        self._opening, self._played = (options, first), []
        self._turn = None
        self.sheet = Sheet(self._game.key, options, 0, ("",) * self._players, first)

    def _skip(self, seats: Iterable[int]) -> None:
        """These seats have left a game that goes on without them."""
        for seat in seats:
            if self._position is not None:
                self._position.leave(seat)

    def _play(self, move: str) -> None:
        position = self._position
        if position is None or position.check(move) is not None:
            raise LocalError(f"the server says that {move!r} was played, which it cannot have been")
        assert self.sheet is not None, "a position has a sheet"
        self.sheet.add(position.turn, move)
        position.play(move)
        self._played.append(move)
