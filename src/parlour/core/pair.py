"""Two chairs in a room: how it seats people whose wire names their seat before the game, and asks them for the board.

A room gets its chairs from whoever opens it so, or when such a person sits down in it; it loses them when the last one
has gone and no game is left. While it has them a game is for two, a leaver's seat stays open with the board as it is,
and nothing begins before both are seated and have said yes: by sitting down the first time, anew after every game.
"""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.news import BoardChosen, BoardWanted, ChairsChanged
from parlour.core.vocab import Gone

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.roomwords import Chair
    from parlour.core.users import User

ENGINE_NAME = "AI"
"""What an engine is called that nobody has named."""
CHAIR_KINDS = frozenset({"open", "engine", "reserved"})


class Pair:
    """The chairs of one room."""

    def __init__(self, room: "Room", hub: "Hub", most: int, wait: float = 0.0, level: str = "medium") -> None:
        self._room = room
        self._hub = hub
        self.most = most
        """The most dots in a row that everybody here can say."""
        self._wait = wait
        self._level = level
        """An engine of this level takes a chair that has been empty for so many seconds; 0 waits for ever."""
        self.chairs: list[User | None] = [None, None]
        self.reserved = ["", ""]
        """For whom an empty chair is kept, by name."""
        self.board: tuple[int, int] | None = None
        """In dots, of the game that runs or comes next; None while it is to be chosen."""
        self.chooser: User | None = None
        """Who was asked for the board, or has chosen it."""
        self._told: object = None
        self._looking_again = False
        self._vacancy: object = None
        """Stands for the time that somebody has been waiting opposite an empty chair."""

    # --- what others ask ---------------------------------------------------------------------------------------------

    @property
    def renewing(self) -> bool:
        """Whether somebody sits here who is asked anew for each game: then it begins at once when all have said yes."""
        return any(user is not None and user.renews for user in self.chairs)

    @property
    def agreed(self) -> bool:
        """Whether the board is chosen, and everybody seated has said yes to a new game on it."""
        if self.board is None or (self._room.table.running and self.renewing):
            return False
        return all(user is not None and user.willing for user in self.chairs)

    @property
    def waiting(self) -> bool:
        """Whether a game stands still until somebody takes an empty chair."""
        return self._room.table.running and None in self.chairs

    def takes(self, user: "User") -> bool:
        """Whether this user, who has no chair yet, gets one by itself."""
        return self._eligible(user) and self.free_chair("") is not None

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
        """Sit down; between games, from the other chair."""
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

    def excuse(self, user: "User") -> None:
        """The user is away, and keeps the chair; but somebody else may choose the board."""
        if self.chooser is user and self.board is None:
            self.chooser = None

    def stand_up(self, user: "User") -> None:
        """Leave the chair and stay to watch."""
        if self.chair_of(user) is None:
            raise Refused(Refusal.NOT_SEATED)
        table, seat = self._room.table, user.who.seat
        self.vacate(user)
        self._room.wishes.drop(user)
        self._room.note_ready(user, False)
        if seat is not None and table.running:
            table.detach(user.who)
            table.attach(user.who, None)
            self.give_up(seat)
            self.lament(user)

    def give_up(self, seat: int, heirs: bool = True, why: Gone = Gone.LEFT) -> None:
        """Somebody is out of the game: whoever has waited for a chair goes on with the board."""
        self._hub.give_up(self._room.table, seat, why)  # a rated game ends by that: nobody can inherit it
        if heirs:
            self.fill()
        self._hub.follow(self._room.table)

    def lament(self, user: "User") -> None:
        """Say what becomes of the game, if it has lost this user and found nobody else."""
        if self.waiting:
            self._room.announce(f"{user.name} has left the game. The seat and the board wait for whoever comes next.")

    def furnish(self, number: int, chair: "Chair") -> None:
        """What this chair is meant for from now on."""
        check_chair(chair)
        if number not in (0, 1):
            raise Refused(Refusal.BAD_OPTIONS)
        holder = self.chairs[number]
        if holder is not None and holder.is_person:
            raise Refused(Refusal.SEAT_TAKEN)
        if chair.kind == "engine" and self._beside_engine(number):
            raise Refused(Refusal.BAD_OPTIONS)
        self.reserved[number] = chair.name if chair.kind == "reserved" else ""
        if holder is not None:
            self._room.leave(holder.who, settle=False)  # or somebody who has waited would be faster than we
        if chair.kind == "engine" and self._room.pair is self:
            self.seat_engine(number, chair.name, chair.level)

    def seat_engine(self, number: int, name: str, level: str, settle: bool = True) -> None:
        """Let an engine sit down; without `settle` in a room where somebody is about to come in."""
        name = name or ENGINE_NAME
        engine = self._hub.engines.hire(self._room.table.game, level, name)
        self._room.enter(engine, name=name, chair=number, settle=settle)

    def _beside_engine(self, number: int) -> bool:
        """Engines do not play among themselves."""
        other = self.chairs[1 - number]
        return other is not None and not other.is_person

    def _eligible(self, user: "User") -> bool:
        """Whether the user takes a chair by being ready; those whose wire has chairs take them by name."""
        return user.willing and not user.renews and not user.watches and self.chair_of(user) is None

    def fill(self) -> None:
        """Those who are ready and have no chair get one that is kept for nobody, people first, in order of arrival."""
        if None not in self.chairs:
            return
        for user in sorted(self._room.users.values(), key=lambda user: not user.is_person):
            number = self.free_chair("") if self._eligible(user) else None
            if number is not None and (user.is_person or not self._beside_engine(number)):
                self.seat(user, number)

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
        self.fill()
        self._tell_chairs()
        if not running:
            self._ask_for_board()
            self._begin()
        self._mind_vacancy()

    def _tell_chairs(self) -> None:
        now = (*self.chairs, *self.reserved)
        if now != self._told:
            self._told = now
            self._room.tell(ChairsChanged(self))

    def _ask_for_board(self) -> None:
        if self.board is not None or (self.chooser is not None and self.chooser in self.chairs):
            return
        self.chooser = next((user for user in self.chairs if user is not None and user.renews and user.willing), None)
        if self.chooser is not None:
            self.chooser.who.tell(BoardWanted())
        elif not self.renewing and any(user is not None and user.is_person for user in self.chairs):  # nobody to ask
            self._room.lay_out(*self._room.next_size)

    def _begin(self) -> None:
        """Begin at once; games of those who are not asked for each are counted down as in any room."""
        if not (self.renewing and self.agreed):
            return
        if self._hub.refusing is None:
            self._room.start()
        elif not self._looking_again:  # the house takes no new games, but may again
            self._looking_again = True
            self._hub.alarm(1.0, self._look_again)

    def _look_again(self) -> None:
        self._looking_again = False
        self._room.settle()

    # --- nobody comes ------------------------------------------------------------------------------------------------

    def _lonely(self) -> int | None:
        """The empty chair, if a person sits in the other one."""
        number = self.free_chair("")
        other = None if number is None else self.chairs[1 - number]
        return number if other is not None and other.is_person else None

    def _mind_vacancy(self) -> None:
        if self._lonely() is None:
            self._vacancy = None
        elif self._vacancy is None and self._wait > 0:
            vacancy = self._vacancy = object()
            self._hub.alarm(self._wait, lambda: self._wait_over(vacancy))

    def _wait_over(self, vacancy: object) -> None:
        number = self._lonely()
        if self._room.pair is self and self._vacancy is vacancy and number is not None:
            self.seat_engine(number, "", self._level)


def check_chair(chair: "Chair") -> None:
    """Refuse what no chair can be meant for."""
    if chair.kind not in CHAIR_KINDS or (chair.kind == "engine" and chair.level not in LEVELS):
        raise Refused(Refusal.BAD_OPTIONS)
