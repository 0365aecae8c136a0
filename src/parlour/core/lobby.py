"""A room: one long-lived table and the lobby around it, where users come, get ready, vote, play and watch.

Who is in the room is not journaled; everything that changes the table is, and from that a room is rebuilt for players
who can come back. All users are connected to the table, so its records reach players and spectators alike.
"""

from typing import TYPE_CHECKING

from parlour.core import absence, asking, lineup, places, takeover
from parlour.core.asking import Wishes
from parlour.core.ballot import Ballot
from parlour.core.countdown import Countdown
from parlour.core.errors import Refusal, Refused
from parlour.core.game import Options
from parlour.core.news import (
    Announced,
    ChairsChanged,
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
from parlour.core.pair import Pair
from parlour.core.roomwords import (
    AskBots,
    AskCode,
    AskSize,
    AskStart,
    AskStop,
    Entitle,
    LeaveChair,
    Recolour,
    Rename,
    RoomWish,
    SetBoard,
    SetChair,
    StandUp,
    TakeChair,
    TakePart,
)
from parlour.core.seating import digest
from parlour.core.users import User, clean_name, opaque, outcome
from parlour.core.vocab import (
    Arranged,
    Cap,
    Command,
    Finished,
    Gone,
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
    Sit,
    Starting,
    Vanish,
    Vote,
)
from parlour.core.voting import Voting

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant
    from parlour.core.table import Table

POLICY = Policy(leaving=Leaving.SKIPS, starting=Starting.LOBBY)

SEATS = 16
"""The most who play at a time."""


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
        self.dealt = 0
        """How many the running or last game began with."""
        self.wishes = Wishes()
        """What the users have asked for together."""
        self.arrivals = 0
        self.resting = False
        """The users have stopped a game, so none begins by itself until somebody moves."""
        self._last_result: Finished | None = None
        """The one that has been announced."""
        self.pair: Pair | None = None
        """Two chairs, while somebody is here whose wire needs them."""
        self.title = ""
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

    @property
    def next_size(self) -> tuple[int, int]:
        """In dots, of the board of the next game."""
        return int(self.options["width"]), int(self.options["height"])

    def obstacle(self) -> str:
        """Why no game can begin; empty when one can."""
        if not lineup.enough(self):
            return "It takes two to play."
        if self.pair is not None and not self.pair.agreed:
            return "Both players at this table must want a new game."
        return "" if self._hub.refusing is None else self._hub.refusing.value

    def deciders(self) -> list[User]:
        """Whose wishes count."""
        return lineup.deciders(self)

    # --- commands ----------------------------------------------------------------------------------------------------

    def carry_out(self, who: "Participant", command: Command) -> bool:
        """Do what a user wants; False when that is no business of the lobby's. Raises Refused."""
        user = self.users[who]
        match command:
            case Vanish() if absence.may_return(self, user):
                absence.step_out(self, self._hub, user)
            case Leave() | Vanish():
                self.leave(who)
            case Sit(table=table, seat=seat) if table == self.table.id:
                places.sit_down(self, self._hub, user, seat)
            case Ready(yes=yes):
                self.set_ready(user, yes)
            case Rename(name=name):
                self._rename(user, clean_name(name))
            case Recolour(value=value):
                user.colour = opaque(value)
                self.tell(UserRecoloured(user))
            case Say(text=text):
                self._say(user, text)
            case StandUp() | Resign():
                places.stand_up(self, self._hub, user)
            case TakePart():
                places.take_part(self, self._hub, user)
            case Propose(what=what, arguments=arguments):
                self.voting.propose(user, what, arguments)
            case Vote(yes=yes):
                self.voting.vote(user, yes)
            case AskStart() | AskStop() | AskSize() | AskBots():
                asking.ask(self, user, command)
            case AskCode():
                takeover.show_code(user, self._hub)
            case TakeChair(table=table) if table == self.table.id:
                places.change_chair(self, self._hub, user, command)
            case LeaveChair() | SetChair() | SetBoard() | Entitle():
                places.change_pair(self, user, command)
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
        self._hub.listing.touch(self.table)
        pair = self.pair
        if pair is not None and not self.table.running and not any(user.renews for user in self.users.values()):
            self.pair = None  # nobody needs chairs any more
            self.tell(ChairsChanged(pair))
        elif pair is not None:
            pair.settle()
        asking.fulfil(self, self._hub)
        self.voting.settle()
        self._countdown.mind()

    # --- coming and going --------------------------------------------------------------------------------------------

    def enter(
        self,
        who: "Participant",
        *,
        name: str = "",
        colour: int | None = None,
        ready: bool = True,
        votes: bool = False,
        renews: bool = False,
        watches: bool = False,
        chair: int | None = None,
        settle: bool = True,
    ) -> None:
        """A user comes in, and watches until the next game begins, or sits down at once."""
        self.arrivals += 1
        who.name = name or f"User {self.arrivals}"
        user = User(self.arrivals, who, who.name, colour, ready, votes)
        user.renews, user.watches = renews, watches
        self.tell(UserCame(user))
        self.users[who] = user
        self.table.attach(who, None)
        token, user.key = self.new_key(who)
        who.tell(Entered(self, user, token) if user.is_person else Seated(self.table, None))
        if chair is not None and self.pair is not None:
            self.pair.seat(user, chair)
        self.resting = False
        if settle:
            self.settle()

    def new_key(self, who: "Participant") -> tuple[str, str]:
        """A token for somebody who can come back with it, and what is kept of it; nothing for others."""
        token = self._hub.new_secret(32) if Cap.RESUME in who.caps else ""
        return token, digest(token) if token else ""

    def leave(self, who: "Participant", settle: bool = True, why: Gone = Gone.LEFT) -> None:
        """A user goes. A room that nobody keeps is closed."""
        user = self.users.pop(who)
        seat = who.seat
        self.table.detach(who)
        if self.pair is not None:
            self.pair.vacate(user)
        self.wishes.drop(user)
        self.voting.drop(user)
        if seat is not None and self.pair is not None:
            self.pair.give_up(seat, heirs=settle, why=why)
        elif seat is not None:
            self._hub.happen(self.table, Left(seat, why))
            self._hub.follow(self.table)
        if not any(other.keeps_room for other in self.users.values()):
            self._hub.shut(self.table)
            return
        if seat is not None and self.pair is not None:
            self.pair.lament(user)
        self.tell(UserWent(user))
        if settle:
            self.settle()

    def kick(self, user: User, reason: str) -> None:
        """Send a user away."""
        if user.is_person:
            user.who.tell(Kicked(reason))
        self.leave(user.who, why=Gone.SENT_AWAY)

    def close(self) -> None:
        """The table is no more: nothing of what was about to happen will."""
        self._closed = True
        self.pair = None
        self.users = {}
        self.voting.ballot = None
        self._countdown.end()

    # --- users -------------------------------------------------------------------------------------------------------

    def set_ready(self, user: User, yes: bool) -> None:
        """The user says so."""
        self.note_ready(user, yes)
        if yes:
            self.resting = False
        if self.wish.start == "ask" and "vote" not in self.features and not self.table.running:
            # Being ready is the only way to ask that every wire with readiness has.
            if yes:
                self.wishes.add(user, AskStart())
            else:
                self.wishes.withdraw(user, AskStart)
        self.settle()

    def note_ready(self, user: User, yes: bool) -> None:
        """The user is ready, or not, for the next game."""
        if user.ready != yes:
            user.ready = yes
            self.tell(UserReadied(user, yes))

    def _rename(self, user: User, name: str) -> None:
        before = user.name
        user.name = user.who.name = name
        self._hub.listing.touch(self.table)
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

    # --- games -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin a game, in place of the one that runs, with everybody who is ready."""
        table, rng = self.table, self._hub.rng
        if table.running:
            self._end_game()
        self._take_size()
        self._countdown.end()
        self.resting = False
        self.wishes.clear(AskStart, AskStop)
        players = lineup.lineup(self)
        if self.pair is None and (self.shuffles or "random-order" in self.features):
            rng.shuffle(players)
        self.shuffles = False
        options = table.game.options({**self.options, "players": len(players)})
        for who in self.users:
            who.seat = None
        for seat, user in enumerate(players):
            user.who.seat = seat
        self.seated = players
        self.dealt = len(players)
        leaving = POLICY.leaving
        if self.pair is not None:
            leaving, self.pair.board = Leaving.OPENS, self.size
        seats = tuple(user.joined(seat) for seat, user in enumerate(players))
        self._hub.happen(table, Arranged(options, seats, leaving))
        table.regroup(self.users)
        first = rng.randrange(len(players)) if "random-start" in self.features and self.pair is None else 0
        self._hub.happen(table, table.next_game(table.game.settle(options, rng), first))

    def stop(self) -> None:
        """End the running game before its time; the next one waits until somebody moves."""
        if self.table.running:
            self._end_game()
            self.resting = True
            self._take_size()

    def _end_game(self) -> None:
        self.wishes.clear(AskStart, AskStop)
        self._hub.happen(self.table, self.table.end((), Reason.ABANDONED))

    def _announce_result(self) -> None:
        result = self.table.result
        if result is not None and result is not self._last_result:
            self._last_result = result
            self.announce(outcome(result, self.seated))
            if self.pair is not None:
                self.pair.game_over()

    def _take_size(self) -> None:
        """Lay out the board of the next game."""
        if self.size != self.next_size:
            self.size = self.next_size
            self.tell(Resized(*self.size))

    # --- beginning by itself -----------------------------------------------------------------------------------------

    def _due(self) -> bool:
        """Whether a game should begin by itself."""
        if self.wish.start != "auto" or self.resting or self.table.running:
            return False
        if self.pair is not None:
            return not self.pair.renewing and not self.obstacle()
        ready = sum(user.willing for user in self.users.values())
        return ready >= self.wish.ready and lineup.enough(self)

    def lay_out(self, width: int, height: int) -> None:
        """The next game is on a board of this size."""
        self.options = {**self.options, "width": width, "height": height}
        if self.table.running:
            self.announce(f"The next game is on a board of {width} by {height} dots.")
            return
        self._take_size()
        if self.pair is not None:
            self.pair.note_board(width, height)
