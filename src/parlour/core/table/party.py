"""The party of a table: who is here, in which chair or looking on, ready or not, and what they have agreed on.

A plain table is a party with fixed chairs that starts when they are full. A room is a party of any number whose seats
are dealt out for each game, or which has two chairs for a while. Where there are chairs, members sit down by
themselves. All of it is a fold of events.
"""

from collections.abc import Iterable, Sequence

from parlour.core.game import Options
from parlour.core.table.ballot import START, STOP, Ballot
from parlour.core.table.people import Member
from parlour.core.words import (
    AnyEvent,
    Arguments,
    Asked,
    Chosen,
    Counted,
    Decided,
    Entered,
    Furnished,
    Gone,
    Held,
    Joined,
    Laid,
    Left,
    Opened,
    Proposed,
    Readied,
    Recoloured,
    Renamed,
    Rested,
    Resumed,
    Rotation,
    Shuffled,
    Switched,
    Titled,
    Voted,
    Watched,
    Went,
)

_LOST = {Gone.EXPIRED, Gone.CLAIMED, Gone.SUBSTITUTED}
"""Why a seat may be gone when its player comes back."""


class Party:
    """The members of one table, in the order in which they take part, and what is common to them."""

    __slots__ = (
        "arrivals",
        "board",
        "cast",
        "chairs",
        "chooser",
        "chosen",
        "countdown",
        "counted_at",
        "dealt",
        "features",
        "lost",
        "members",
        "resting",
        "shuffles",
        "title",
        "vote",
        "wishes",
    )

    def __init__(self, opened: Opened, chairs: int = 0) -> None:
        self.members: dict[int, Member] = {}
        self.arrivals = 0
        self.cast: list[Member] = []
        """By seat, who plays the running or last game; a player who has left keeps a place here, and their boxes."""
        self.dealt = 0
        """How many the running or last game began with."""
        self.chairs: tuple[str, ...] = ("",) * chairs
        """For members to sit down on, each kept for a name or, empty, for anyone; none where seats are dealt out."""
        self.board: Options = opened.options
        """Of the board that is there: that of the next game unless one is running."""
        self.chosen = False
        """Whether the board of the next game on these chairs is chosen."""
        self.chooser = 0
        """The member who was asked for the board, or has chosen it."""
        self.features: tuple[str, ...] = opened.policy.features
        self.title = opened.title
        self.resting = False
        """The players have stopped a game, so none begins by itself until a member moves."""
        self.shuffles = False
        """Whether the next game is played in a random order, by vote."""
        self.countdown = 0
        """Seconds until a game begins by itself; 0 while none is about to."""
        self.counted_at = 0.0
        self.vote: Ballot | None = None
        """The open motion; voters are members."""
        self.wishes: dict[tuple[str, Arguments], Ballot] = {}
        """What members want, and who they are."""
        self.lost: dict[str, Gone] = {}
        """What became of places, by the digest of the token that opened them."""

    # --- what others ask ------------------------------------------------------------------------------------------

    def willing(self) -> list[Member]:
        """Those who would play the next game, in the order in which they take part."""
        return [member for member in self.members.values() if member.willing]

    def find(self, token_digest: str) -> Member | None:
        """The member whose token has this digest."""
        return next(
            (member for member in self.members.values() if token_digest and member.token_digest == token_digest), None
        )

    def people(self) -> Iterable[Member]:
        return (member for member in self.members.values() if member.is_person)

    def wanted(self, what: str, member: int) -> Arguments | None:
        """What this member wants of one kind, if anything."""
        return next(
            (args for (kind, args), ballot in self.wishes.items() if kind == what and member in ballot.answers), None
        )

    # --- applying --------------------------------------------------------------------------------------------------

    def admit(self, came: Entered | Joined) -> Member:
        """The member of this id, who may be new."""
        member = self.members.get(came.member)
        if member is None:
            member = self.members[came.member] = Member(came)
            self.arrivals = max(self.arrivals, came.member)
        return member

    def dismiss(self, member: Member, why: Gone) -> None:
        """The member is gone for good; of some it is remembered why."""
        self.members.pop(member.id, None)
        if member.token_digest and why in _LOST:
            self.lost[member.token_digest] = why
        self._silence(member.id)
        if self.chooser == member.id:
            self.chooser = 0

    def apply(self, event: AnyEvent, at: float) -> None:
        """What an event means for the party. Events that only concern the game mean nothing here."""
        match event:
            case Readied(member=number, yes=yes):
                self.members[number].ready = yes
                self.resting = self.resting and not yes
            case Voted(seat=number, yes=yes, what=what, arguments=arguments):
                self._apply_voted(number, yes, what, arguments)
            case Entered():
                self.admit(event)
                self.resting = False
            case Went(member=number, why=why):
                self.dismiss(self.members[number], why)
            case Held(member=number):
                self.members[number].hold(at)
                self._silence(number)
                if self.chooser == number and not self.chosen:
                    self.chooser = 0
            case Resumed(member=number):
                self.members[number].resume(event)
            case Renamed(member=number, name=name):
                self.members[number].rename(name)
            case Recoloured(member=number, colour=colour):
                self.members[number].colour = colour
            case Watched(member=number, watches=watches, confirms=confirms):
                self.members[number].watches, self.members[number].confirms = watches, confirms
            case Titled(title=title):
                self.title = title
            case Switched(feature=feature, on=on):
                others = tuple(name for name in self.features if name != feature)
                self.features = (*others, feature) if on else others
            case Laid(options=options):
                self.board = options
            case Furnished(chairs=chairs):
                self.furnish(chairs)
            case Asked(member=number):
                self.chooser = number
            case Chosen(member=number):
                self.chooser, self.chosen = number, True
            case Counted(seconds=seconds):
                self.countdown, self.counted_at = seconds, at
            case Shuffled():
                self.shuffles = True
            case Rested():
                self.resting = True
                self._forget_wishes(START, STOP)
            case Proposed():
                self.vote = Ballot(event, at)
            case Decided(what=what):
                if self.vote is not None and self.vote.what == what:
                    self.vote = None
                self._forget_wishes(what)
            case _:
                pass

    def furnish(self, chairs: tuple[str, ...]) -> None:
        """The chairs, or what they are kept for, are these; wishes were for a game of another kind."""
        if bool(chairs) != bool(self.chairs):
            self.wishes, self.chosen, self.chooser = {}, False, 0
        self.chairs = chairs

    def take_chair(self, number: int) -> None:
        """A member has sat down: the chair is kept for no one else."""
        self.resting = False
        if any(self.chairs):
            self.chairs = tuple("" if other == number else kept for other, kept in enumerate(self.chairs))

    def leave_seat(self, member: Member, left: Left) -> None:
        """A member has stood up. One who came with the seat is gone; one who is about to go is no longer ready."""
        if not left.stays and not member.entered:
            self.dismiss(member, left.why)
            return
        self._silence(member.id)
        if not left.stays:
            member.ready = False
        if self.chooser == member.id:
            self.chooser = 0

    def begin(self, seats: Sequence[Member | None]) -> None:
        """A game has begun on these seats."""
        self.cast = [member for member in seats if member is not None]
        self.dealt = len(seats)
        self.resting, self.shuffles, self.countdown = False, False, 0
        self.chosen = bool(self.chairs)
        self._forget_wishes(START, STOP)

    def succeed(self, number: int, member: Member) -> None:
        """A member plays on in this seat of the running game, or in a new one."""
        self.cast[number : number + 1] = [member]

    def end(self, rotation: Rotation, winners: Iterable[int]) -> None:
        """A game is over: its players go to the end of the line, all of them or all but a single winner."""
        self.chosen, self.chooser = False, 0
        stays = [self.cast[seat] for seat in winners] if rotation is Rotation.WINNER_STAYS else []
        for member in self.cast if rotation is not Rotation.ARRIVAL else ():
            if member.id in self.members and (len(stays) != 1 or member not in stays):
                self.members[member.id] = self.members.pop(member.id)

    def _apply_voted(self, number: int, yes: bool, what: str, arguments: Arguments) -> None:
        if self.vote is not None and self.vote.what == what:
            self.vote.vote(number, yes)
            return
        self._withdraw(what, number)
        if yes:
            wish = self.wishes.setdefault((what, arguments), Ballot(Proposed(what, (), number, arguments)))
            wish.vote(number, True)
            self.resting = self.resting and what != START

    def _silence(self, number: int) -> None:
        """What this member wants no longer counts."""
        if self.vote is not None:
            self.vote.drop(number)
        for what, _ in tuple(self.wishes):
            self._withdraw(what, number)

    def _withdraw(self, what: str, number: int) -> None:
        for key, ballot in tuple(self.wishes.items()):
            if key[0] == what:
                ballot.answers.pop(number, None)
                if not ballot.answers:
                    del self.wishes[key]

    def _forget_wishes(self, *kinds: str) -> None:
        if self.wishes:
            self.wishes = {key: ballot for key, ballot in self.wishes.items() if key[0] not in kinds}
