"""Two chairs in a room: how it seats people whose wire names their seat before the game, and asks them for the board.

A room gets its chairs from whoever opens it so, or when such a person sits down in it; it loses them when the last one
has gone and no game is left. While it has them a game is for two, a leaver's seat stays open with the board as it is,
and nothing begins before both are seated and have said yes: by sitting down the first time, anew after every game.
"""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal, Refused
from parlour.core.news import BoardChosen, BoardWanted, ChairsChanged
from parlour.core.vocab import Left

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.roomwords import Chair
    from parlour.core.users import User

ENGINE_NAME = "AI"
"""What an engine is called that nobody has named."""


class Pair:
    """The chairs of one room."""

    def __init__(self, room: "Room", hub: "Hub", most: int) -> None:
        self._room = room
        self._hub = hub
        self.most = most
        """The most dots in a row that everybody here can say."""
        self.chairs: list[User | None] = [None, None]
        self.reserved = ["", ""]
        """For whom an empty chair is kept, by name."""
        self.board: tuple[int, int] | None = None
        """In dots, of the game that runs or comes next; None while it is to be chosen."""
        self.chooser: User | None = None
        """Who was asked for the board, or has chosen it."""
        self._told: object = None
        self._looking_again = False

    # --- what others ask ---------------------------------------------------------------------------------------------

    def chair_of(self, user: "User") -> int | None:
        return self.chairs.index(user) if user in self.chairs else None

    def free_chair(self, name: str, wanted: int | None = None) -> int | None:
        """An empty chair for somebody of this name: the wanted one, one kept for them, or any that is not kept."""
        free = [n for n in (0, 1) if self.chairs[n] is None and self.reserved[n] in ("", name)]
        if wanted is not None:
            return wanted if wanted in free else None
        free.sort(key=lambda number: self.reserved[number] == "")
        return free[0] if free else None

    def require_chair(self, name: str, wanted: int | None) -> int:
        number = self.free_chair(name, wanted)
        if number is None:
            raise Refused(Refusal.TABLE_FULL if wanted is None else Refusal.SEAT_TAKEN)
        return number

    # --- chairs ------------------------------------------------------------------------------------------------------

    def seat(self, user: "User", number: int) -> None:
        """Put a user of the room into an empty chair; into a game that waits for one, if there is."""
        table, who = self._room.table, user.who
        self.chairs[number] = user
        self.reserved[number] = ""
        if not table.running:
            return
        self._room.seated[number] = user
        table.watchers.remove(who)
        who.seat = number
        self._hub.happen(table, user.joined(number))
        table.attach(who, number)

    def move(self, user: "User", wanted: int | None) -> None:
        """To the other chair, between games."""
        old = self.chair_of(user)
        number = self.require_chair(user.name, wanted)
        if old is not None:
            if self._room.table.running:
                raise Refused(Refusal.ALREADY_PLAYING)
            self.chairs[old] = None
        self.seat(user, number)

    def vacate(self, user: "User") -> None:
        """A chair is empty again, and a game that ran there waits."""
        number = self.chair_of(user)
        if number is not None:
            self.chairs[number] = None
        if self.chooser is user:
            self.chooser = None

    def stand_up(self, user: "User") -> None:
        """Leave the chair and stay to watch."""
        if self.chair_of(user) is None:
            raise Refused(Refusal.NOT_SEATED)
        table, seat = self._room.table, user.who.seat
        self.vacate(user)
        self._room.note_ready(user, False)
        if seat is not None:
            table.detach(user.who)
            table.attach(user.who, None)
            if table.running:
                self._hub.happen(table, Left(seat))

    def furnish(self, number: int, chair: "Chair") -> None:
        """What this chair is meant for from now on."""
        if number not in (0, 1):
            raise Refused(Refusal.BAD_OPTIONS)
        holder = self.chairs[number]
        if holder is not None and holder.is_person:
            raise Refused(Refusal.SEAT_TAKEN)
        if chair.kind == "engine" and (other := self.chairs[1 - number]) is not None and not other.is_person:
            raise Refused(Refusal.BAD_OPTIONS)  # engines among themselves
        if holder is not None:
            self._room.leave(holder.who)
        self.reserved[number] = chair.name if chair.kind == "reserved" else ""
        if chair.kind == "engine":
            self.seat_engine(number, chair.name, chair.level)

    def seat_engine(self, number: int, name: str, level: str) -> None:
        name = name or ENGINE_NAME
        engine = self._hub.engines.hire(self._room.table.game, level, name)
        self._room.enter(engine, name=name, chair=number)

    # --- the board ---------------------------------------------------------------------------------------------------

    def choose_board(self, user: "User", width: int, height: int) -> None:
        """Whoever was asked may choose, and think again until the game begins."""
        if self.chair_of(user) is None:
            raise Refused(Refusal.NOT_SEATED)
        if self._room.table.running:
            raise Refused(Refusal.ALREADY_PLAYING)
        if self.board is not None and self.chooser is not user:
            raise Refused(Refusal.NOT_YOUR_TURN)
        self._room.table.game.options({"width": width, "height": height})  # refuses what is no board
        if max(width, height) > self.most:
            raise Refused(Refusal.BAD_OPTIONS)
        self.chooser = user
        self._room.lay_out(width, height)

    def note_board(self, width: int, height: int) -> None:
        """The next game is on this board."""
        self.board = width, height
        self._room.tell(BoardChosen(width, height))

    # --- what follows ------------------------------------------------------------------------------------------------

    def game_over(self) -> None:
        """Whoever wants another game says so, and chooses its board."""
        self.board = self.chooser = None
        for user in self.chairs:
            if user is not None and user.renews:
                self._room.note_ready(user, False)

    def settle(self) -> None:
        """Let everything happen that follows from who sits and who is ready."""
        running = self._room.table.running
        if not running:
            for user in self.chairs:
                if user is not None and not user.ready and not user.renews:
                    self.vacate(user)
        self._fill()
        self._tell_chairs()
        if not running:
            self._ask_for_board()
            self._begin()

    def _fill(self) -> None:
        """Those who are ready and have no chair get one, first come first served."""
        for user in list(self._room.users.values()):
            if user.ready and not user.renews and not user.watches and self.chair_of(user) is None:
                number = self.free_chair(user.name)
                if number is not None:
                    self.seat(user, number)

    def _tell_chairs(self) -> None:
        now = (*self.chairs, *self.reserved)
        if now != self._told:
            self._told = now
            self._room.tell(ChairsChanged(self))

    def _ask_for_board(self) -> None:
        if self.board is not None or (self.chooser is not None and self.chooser in self.chairs):
            return
        self.chooser = next((user for user in self.chairs if user is not None and user.renews and user.ready), None)
        if self.chooser is not None:
            self.chooser.who.tell(BoardWanted())
        elif not any(user is not None and user.renews for user in self.chairs):  # nobody here can be asked
            self.note_board(*self._room.size)

    def _begin(self) -> None:
        if self.board is None or not all(user is not None and user.ready for user in self.chairs):
            return
        if self._hub.refusing is None:
            self._room.start()
        elif not self._looking_again:  # the house takes no new games, but may again
            self._looking_again = True
            self._hub.alarm(1.0, self._look_again)

    def _look_again(self) -> None:
        self._looking_again = False
        self._room.settle()
