"""A room: one long-lived table and the lobby around it, where users come, get ready, vote, play and watch.

Who is in the room is not journaled, for nobody can come back to a lobby; everything that changes the table is. All
users are connected to the table, so its records reach players and spectators alike.
"""

from typing import TYPE_CHECKING, assert_never

from parlour.core.asking import MOST_BOTS, Ask, Wishes, check, words
from parlour.core.ballot import Ballot
from parlour.core.countdown import Countdown
from parlour.core.errors import Refusal, Refused
from parlour.core.game import Joinable, Options
from parlour.core.news import (
    Announced,
    Entered,
    FeatureSet,
    Kicked,
    News,
    Resized,
    UserCame,
    UserReadied,
    UserRecoloured,
    UserRenamed,
    UserWent,
)
from parlour.core.roomwords import AskBots, AskSize, AskStart, AskStop, Recolour, Rename, RoomWish, StandUp, TakePart
from parlour.core.users import User, clean_name, opaque, outcome
from parlour.core.vocab import (
    Arranged,
    Cap,
    Command,
    Finished,
    Leave,
    Leaving,
    Left,
    Policy,
    Propose,
    Ready,
    Reason,
    Resign,
    Said,
    Say,
    Seated,
    Started,
    Starting,
    Vanish,
    Vote,
)
from parlour.core.voting import Voting

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant
    from parlour.core.table import Table

POLICY = Policy(leaving=Leaving.SKIPS, starting=Starting.LOBBY, hold=0.0)

SEATS = 16
"""The most who play at a time."""
SEATS_IN_ALL = 26
"""The most who have a part in one game, with those who left it."""


class Room:
    """One table, its users in the order of their arrival, and what they have agreed on."""

    def __init__(self, hub: "Hub", wish: RoomWish, table: "Table") -> None:
        self._hub = hub
        self.wish = wish
        self.table = table
        table.lobby = self
        self.limit = min(max(wish.players, 2), SEATS) if wish.players else SEATS
        self.users: dict[Participant, User] = {}
        self.seated: list[User] = []
        """By seat, who plays the running or last game; leavers keep their place here, and their boxes."""
        self.features = set(wish.features)
        self.options: Options = table.options
        """Of the next game."""
        self.size = (wish.width, wish.height)
        """In dots, of the board that is there: that of the next game unless one is running."""
        self.voting = Voting(self, hub)
        self._countdown = Countdown(hub, self._due, self.announce, self.start)
        self.shuffles = False
        """Whether the next game is played in a random order, by vote."""
        self._dealt = 0
        self._wishes = Wishes()
        self._arrivals = 0
        self._resting = False
        """The users have stopped a game, so none begins by itself until somebody moves."""
        self._last_result: Finished | None = None
        """The one that has been announced."""
        self._closed = False

    # --- what others ask ---------------------------------------------------------------------------------------------

    @property
    def ballot(self) -> Ballot | None:
        """The open vote, by ids of users."""
        return self.voting.ballot

    @property
    def players(self) -> list[User]:
        """Who plays the game that runs now, by seat; nobody while none does."""
        if not self.table.running:
            return []
        here = self.users.get
        return [user for seat, user in enumerate(self.seated) if here(user.who) is user and user.seat == seat]

    @property
    def countdown(self) -> int:
        """Seconds until a game begins by itself; 0 while none is about to."""
        return self._countdown.left

    def neighbours(self) -> list["Room"]:
        """Every room of the house, this one too, in the order they were opened."""
        return [table.lobby for table in self._hub.tables.values() if table.lobby is not None]

    def user(self, number: int) -> User | None:
        """The user with this id, if still here."""
        return next((user for user in self.users.values() if user.id == number), None)

    def require_open_house(self) -> None:
        """Refuse while no new game may begin."""
        self._hub.require_open_house()

    def obstacle(self) -> str:
        """Why no game can begin; empty when one can."""
        if not self._enough():
            return "It takes two to play."
        return "" if self._hub.refusing is None else self._hub.refusing.value

    def _enough(self) -> bool:
        lineup = self._lineup()
        return len(lineup) >= 2 and any(user.is_person for user in lineup)

    def _lineup(self) -> list[User]:
        """Who would play now: those who are ready, first come first served, but not engines alone."""
        ready = [user for user in self.users.values() if user.ready]
        lineup = ready[: self.limit]
        if not any(user.is_person for user in lineup):
            lineup[-1:] = [user for user in ready if user.is_person][:1] or lineup[-1:]
        return lineup

    def _deciders(self) -> list[User]:
        """Whose wishes count: the players, or those who would play, or whoever is there."""
        if self.table.running:
            return [user for user in self.players if user.is_person]
        people = [user for user in self.users.values() if user.is_person]
        return [user for user in self._lineup() if user.is_person] or people

    # --- commands ----------------------------------------------------------------------------------------------------

    def carry_out(self, who: "Participant", command: Command) -> bool:
        """Do what a user wants; False when that is no business of the lobby's. Raises Refused."""
        user = self.users[who]
        match command:
            case Leave() | Vanish():
                self.leave(who)
            case Ready(yes=yes):
                self._set_ready(user, yes)
            case Rename(name=name):
                self._rename(user, clean_name(name))
            case Recolour(value=value):
                user.colour = opaque(value)
                self.tell(UserRecoloured(user))
            case Say(text=text):
                self._say(user, text)
            case StandUp() | Resign():
                self._stand_up(user)
            case TakePart():
                self._take_part(user)
            case Propose(what=what, arguments=arguments):
                self.voting.propose(user, what, arguments)
            case Vote(yes=yes):
                self.voting.vote(user, yes)
            case AskStart() | AskStop() | AskSize() | AskBots():
                self._ask(user, command)
            case _:
                return False
        return True

    def tell(self, news: News | Said) -> None:
        """Say something to every person in the room."""
        for user in self.users.values():
            if user.is_person:
                user.who.tell(news)

    def announce(self, text: str) -> None:
        self.tell(Announced(text))

    def settle(self) -> None:
        """Let everything happen that follows from who is there, who is ready and what they want."""
        if self._closed:
            return
        self._announce_result()
        self._fulfil_wishes()
        self.voting.settle()
        self._countdown.mind()

    # --- coming and going --------------------------------------------------------------------------------------------

    def enter(
        self, who: "Participant", *, name: str = "", colour: int | None = None, ready: bool = True, votes: bool = False
    ) -> None:
        """A user comes in, and watches until the next game begins."""
        self._arrivals += 1
        who.name = name or f"User {self._arrivals}"
        user = User(self._arrivals, who, who.name, colour, ready, votes)
        self.tell(UserCame(user))
        self.users[who] = user
        self.table.attach(who, None)
        who.tell(Entered(self, user) if user.is_person else Seated(self.table, None))
        self._resting = False
        self.settle()

    def leave(self, who: "Participant") -> None:
        """A user goes. A room without people is closed."""
        user = self.users.pop(who)
        seat = who.seat
        self.table.detach(who)
        self._wishes.drop(user)
        self.voting.drop(user)
        if seat is not None:
            self._hub.happen(self.table, Left(seat))
            self._hub.follow(self.table)
        if not any(other.is_person for other in self.users.values()):
            self._hub.shut(self.table)
            return
        self.tell(UserWent(user))
        self.settle()

    def kick(self, user: User, reason: str) -> None:
        """Send a user away."""
        if user.is_person:
            user.who.tell(Kicked(reason))
        self.leave(user.who)

    def close(self) -> None:
        """The table is no more: nothing of what was about to happen will."""
        self._closed = True
        self.users = {}
        self.voting.ballot = None
        self._countdown.end()

    def set_bots(self, count: int, level: str = "medium") -> None:
        """Have so many engines in the room, and leave those that are there already."""
        bots = [user for user in self.users.values() if not user.is_person]
        count = min(count, MOST_BOTS)
        for user in bots[count:]:
            self.leave(user.who)
        for _ in range(len(bots), count):
            name = f"Bot {self._arrivals + 1}"
            self.enter(self._hub.engines.hire(self.table.game, level, name), name=name)

    # --- users -------------------------------------------------------------------------------------------------------

    def _set_ready(self, user: User, yes: bool) -> None:
        self._note_ready(user, yes)
        if yes:
            self._resting = False
        if self.wish.start == "ask" and "vote" not in self.features and not self.table.running:
            # Being ready is the only way to ask that every wire with readiness has.
            if yes:
                self._wishes.add(user, AskStart())
            else:
                self._wishes.withdraw(user, AskStart)
        self.settle()

    def _note_ready(self, user: User, yes: bool) -> None:
        if user.ready != yes:
            user.ready = yes
            self.tell(UserReadied(user, yes))

    def _rename(self, user: User, name: str) -> None:
        before = user.name
        user.name = user.who.name = name
        self.tell(UserRenamed(user, before))

    def _say(self, user: User, text: str) -> None:
        if "chat" not in self.features:
            raise Refused(Refusal.CHAT_OFF)
        said = Said(user.name, user.seat, text, user.id)
        for other in self.users.values():
            if other.is_person and Cap.CHAT in other.who.caps:
                other.who.tell(said)

    def set_feature(self, name: str, on: bool) -> None:
        """Switch one of FEATURES."""
        if on:
            self.features.add(name)
        else:
            self.features.discard(name)
        self.tell(FeatureSet(name, on))

    # --- seats -------------------------------------------------------------------------------------------------------

    def _stand_up(self, user: User) -> None:
        if not self.table.running:
            raise Refused(Refusal.NOT_PLAYING)
        seat = user.seat
        if seat is None:
            raise Refused(Refusal.NOT_SEATED)
        self.table.detach(user.who)
        self.table.attach(user.who, None)
        self._wishes.drop(user)
        self._hub.happen(self.table, Left(seat))
        self._hub.settle(self.table)

    def _take_part(self, user: User) -> None:
        table = self.table
        if not table.running:
            self._set_ready(user, True)
            return
        if user.seat is not None:
            raise Refused(Refusal.ALREADY_SEATED)
        seat = self._vacancy(user)
        if seat is None:
            raise Refused(Refusal.TABLE_FULL)
        if seat == len(self.seated):
            self.seated.append(user)
        table.watchers.remove(user.who)
        user.who.seat = seat
        self._hub.happen(table, user.joined(seat))
        table.attach(user.who, seat)

    def _vacancy(self, user: User) -> int | None:
        """A seat for one more player, where somebody has left: one's own, or a new one, for boxes keep their owner."""
        seats = self.table.seats
        if sum(seat is not None for seat in seats) >= self._dealt or not isinstance(self.table.position, Joinable):
            return None
        if user in self.seated:
            return self.seated.index(user)
        return len(seats) if len(seats) < SEATS_IN_ALL else None

    # --- games -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin a game, in place of the one that runs, with everybody who is ready."""
        table, rng = self.table, self._hub.rng
        if table.running:
            self._end_game()
        self._take_size()
        self._countdown.end()
        self._resting = False
        self._wishes.clear(AskStart, AskStop)
        players = self._lineup()
        if self.shuffles or "random-order" in self.features:
            rng.shuffle(players)
        self.shuffles = False
        options = table.game.options({**self.options, "players": len(players)})
        for who in self.users:
            who.seat = None
        for seat, user in enumerate(players):
            user.who.seat = seat
        self.seated = players
        self._dealt = len(players)
        self._hub.happen(table, Arranged(options, tuple(user.joined(seat) for seat, user in enumerate(players))))
        table.regroup(self.users)
        first = rng.randrange(len(players)) if "random-start" in self.features else 0
        self._hub.happen(table, Started(f"{table.id}-{table.number + 1}", table.game.settle(options, rng), first))

    def stop(self) -> None:
        """End the running game before its time; the next one waits until somebody moves."""
        if self.table.running:
            self._end_game()
            self._resting = True
            self._take_size()

    def _end_game(self) -> None:
        assert self.table.position is not None
        self._wishes.clear(AskStart, AskStop)
        self._hub.happen(self.table, Finished((), self.table.position.scores(), Reason.ABANDONED))

    def _announce_result(self) -> None:
        result = self.table.result
        if result is not None and result is not self._last_result:
            self._last_result = result
            self.announce(outcome(result, self.seated))

    def _take_size(self) -> None:
        """Lay out the board of the next game."""
        size = int(self.options["width"]), int(self.options["height"])
        if size != self.size:
            self.size = size
            self.tell(Resized(*size))

    # --- beginning by itself -----------------------------------------------------------------------------------------

    def _due(self) -> bool:
        """Whether a game should begin by itself."""
        if self.wish.start != "auto" or self._resting or self.table.running:
            return False
        ready = sum(user.ready for user in self.users.values())
        return ready >= self.wish.ready and self._enough()

    # --- wishes ------------------------------------------------------------------------------------------------------

    def _ask(self, user: User, ask: Ask) -> None:
        check(self, user, ask)
        if self._wishes.add(user, ask):
            self.announce(f"{user.name} wants {words(self, ask)}.")
        if type(ask) is AskStart and not self.table.running:
            self._resting = False
            self._note_ready(user, True)
        self.settle()

    def _fulfil_wishes(self) -> None:
        for ask in self._wishes.agreed(self._deciders()):
            if type(ask) is not AskStart:
                self._wishes.clear(type(ask))
            match ask:
                case AskStart():
                    if not self.obstacle():
                        self.start()
                case AskStop():
                    self.stop()
                case AskSize(width=width, height=height):
                    self._set_size(width, height)
                case AskBots(count=count, level=level):
                    self.set_bots(count, level)
                case _:
                    assert_never(ask)

    def _set_size(self, width: int, height: int) -> None:
        self.options = {**self.options, "width": width, "height": height}
        if self.table.running:
            self.announce(f"The next game is on a board of {width} by {height} dots.")
        else:
            self._take_size()
