"""The zone: everyone who is logged in, through whichever of its doors, and everything they see of one another.

A user's two connections are two participants. The one that speaks XML is never at a table; the channel is, brought
there and away by commands that the zone gives for it when the user asks on the other. The end of either is one leave.
"""

from parlour.core.house.hub import Hub
from parlour.core.house.listing import Notice
from parlour.core.names import cut, one_line
from parlour.core.table.people import Member, Participant
from parlour.core.updates import Announced, Said
from parlour.core.words import Leave
from parlour.languages import sentence
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS_ROOM, MOST_IN_A_ROOM, Hall, halls, player_of, record_of
from parlour.protocols.ggz.shown import Shown, Tables, foreign_name
from parlour.protocols.ggz.told import Admitted, Dismissed
from parlour.protocols.ggz.user import User

COUNT_SECONDS = 60.0
"""How long the number of people in a room may be out of date for those in another."""


class Zone:
    """One for the house; `hub.service(Zone)` has it. Its list of tables follows the house's notices."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.halls = halls()
        self.tables = Tables(hub, self.halls[DOTS_ROOM], self.name_of, self._strand)
        self.users: dict[str, User] = {}
        """By name, without regard to case."""
        self.channels: dict[Participant, User] = {}
        """The user of each channel, used or not."""
        self._by_who: dict[Participant, User] = {}
        self._asking: set[Participant] = set()
        """Connections whose login is being looked at."""
        self._counts: dict[int, int] = {}
        """How many were in each room when everyone was last told."""
        self._counting = False
        self._last_said: tuple[Said | None, bytes] = (None, b"")
        hub.listing.subscribe(self._heard)
        for table in hub.tables.values():
            self.tables.refresh(table)

    def _heard(self, notice: Notice) -> None:
        self.tables.refresh(notice.table)

    # --- who is who --------------------------------------------------------------------------------------------------

    def user(self, who: Participant) -> User | None:
        """Returns the user who speaks on this connection; None before the login."""
        return self._by_who.get(who)

    def find(self, name: str) -> User | None:
        """The user of this name."""
        return self.users.get(name.casefold())

    def name_of(self, member: Member) -> str:
        """How a person at a table is called here."""
        user = None if member.who is None else self.channels.get(member.who)
        return self._foreign_name(member.name) if user is None else user.name

    def _foreign_name(self, name: str) -> str:
        return foreign_name(name, self.find(name) is not None)

    # --- coming and going --------------------------------------------------------------------------------------------

    def await_verdict(self, who: Participant) -> None:
        self._asking.add(who)
        who.owner = self

    def conclude(self, who: Participant) -> bool:
        """A login has been decided; False when its connection has gone meanwhile."""
        waited = who in self._asking
        self._asking.discard(who)
        return waited

    def admit(self, user: User, answer: bytes) -> None:
        """A user is logged in."""
        who = user.who
        self.hub.log_in(who, user.account)
        who.name, who.owner = user.name, self
        self.users[user.name.casefold()] = self._by_who[who] = user
        motd = user.manners.motd
        who.tell(Admitted(answer + spell.motd(motd) if motd else answer))
        self._rename_foreigners(user)

    def gone(self, who: Participant) -> None:
        """A connection has ended, one or the other, or its channel has left the table."""
        self._asking.discard(who)
        user = self._by_who.pop(who, None)
        if user is not None:
            self._log_out(user)
        else:
            self.lose_table(who, "normal")

    def speaker(self, who: Participant) -> Participant:
        """A channel is the second connection of a user."""
        user = self.channels.get(who)
        return who if user is None else user.who

    def _log_out(self, user: User) -> None:
        self.unseat(user)
        if user.channel is not None:
            self.dismiss(user.channel)
        if user.hall is not None:
            self._go_out(user, user.hall, spell.NO_ROOM)
        del self.users[user.name.casefold()]
        self._rename_foreigners(user)

    def _rename_foreigners(self, user: User) -> None:
        """People of other wires who are called like a user are told apart from now on, or no longer."""
        names = {user.name.casefold(), foreign_name(user.name, taken=True).casefold()}
        for shown in list(self.tables.by_number.values()):
            if any(seat.name.casefold() in names for seat in shown.view.seats):
                self.tables.refresh(shown.table)

    # --- rooms -------------------------------------------------------------------------------------------------------

    def enter(self, user: User, number: int | None) -> str:
        """Bring a user into a room, out of another. Returns a CODE."""
        hall = None if number is None else self.halls.get(number)
        if hall is None:
            return "bad options"
        old = user.hall
        if hall is not old and len(hall.users) >= MOST_IN_A_ROOM:
            return "room full"
        user.knows.clear()  # until they ask, or hear of new ones
        if hall is old:
            return spell.OK
        if old is not None:
            self._go_out(user, old, hall.number)
        came_from = spell.NO_ROOM if old is None else old.number
        hall.tell(spell.player_added(hall.number, player_of(user, self.hub), came_from))  # not to the user
        hall.users[user] = None
        user.hall = hall
        self._count_soon()
        return spell.OK

    def _go_out(self, user: User, hall: Hall, number: int) -> None:
        del hall.users[user]
        user.hall = None
        hall.tell(spell.player_deleted(hall.number, user.name, number))
        self._count_soon()

    def _count_soon(self) -> None:
        if not self._counting:
            self._counting = True
            self.hub.alarm(COUNT_SECONDS, self._tell_counts)

    def _tell_counts(self) -> None:
        """Tell everyone how many are in the rooms, where that has changed."""
        self._counting = False
        counts = {number: len(hall.users) for number, hall in self.halls.items()}
        news = [spell.room_players(*item) for item in counts.items() if self._counts.get(item[0], 0) != item[1]]
        self._counts = counts
        if news:
            for hall in self.halls.values():
                hall.tell(b"".join(news))

    # --- channels ----------------------------------------------------------------------------------------------------

    def open_channel(self, who: Participant, name: str) -> None:
        """A second connection for a user, from the same address. It replaces one that was not used yet."""
        user = self.find(name)
        if user is None or user.who.address != who.address:
            who.tell(Dismissed())
            return
        self.hub.log_in(who, user.account)
        if user.channel is not None:
            self.dismiss(user.channel)
        user.channel = who
        who.name, who.owner = user.name, self
        self.channels[who] = user

    def dismiss(self, channel: Participant) -> None:
        """A channel is no longer needed."""
        user = self.channels.pop(channel, None)
        if user is not None and user.channel is channel:
            user.channel = None
        channel.tell(Dismissed())

    # --- at tables ---------------------------------------------------------------------------------------------------

    def place(self, user: User, shown: Shown) -> None:
        """The user's channel has come to this table."""
        user.playing, user.channel = user.channel, None
        user.dropped = False
        user.shown = shown
        shown.people[user] = None
        self.tables.refresh(shown.table)

    def unseat(self, user: User) -> None:
        """Take a user's channel away from the table, if there is one, and close it."""
        shown = user.shown
        if shown is not None:
            self._take_away(user, shown)
            self.tables.refresh(shown.table)

    def _take_away(self, user: User, shown: Shown) -> None:
        """The channel leaves; as it is no longer in use then, `gone` dismisses it."""
        channel = user.playing
        assert channel is not None
        user.playing = user.shown = None
        del shown.people[user]
        self.hub.carry_out(channel, Leave())

    def lose_table(self, channel: Participant, reason: str) -> None:
        """A channel has gone, or must go; if it was in use, the user is at no table any more."""
        user = self.channels.get(channel)
        if user is None:
            return
        if user.playing is not channel:
            self.dismiss(channel)
            return
        user.tell(spell.left(reason))
        user.dropped = True
        self.unseat(user)

    def _strand(self, shown: Shown) -> None:
        """A table is no longer one that users can be at, or is no more: those who watched it are free."""
        for user in list(shown.people):
            user.tell(spell.left("gameover"))
            self._take_away(user, shown)

    # --- what is said ------------------------------------------------------------------------------------------------

    def pass_on(self, channel: Participant, said: Said | Announced) -> None:
        """Tell a user what was said at their table."""
        user = self.channels.get(channel)
        if user is None:
            return
        if isinstance(said, Announced):
            user.tell(spell.chat("table", user.manners.name, sentence(said)))
            return
        last, data = self._last_said
        if last is not said:
            data = spell.chat("table", self._speaker(channel, said), cut(one_line(said.text), spell.CHAT_LENGTH))
            self._last_said = said, data
        user.tell(data)

    def _speaker(self, channel: Participant, said: Said) -> str:
        """How the speaker is called here."""
        member = None if channel.table is None else channel.table.party.members.get(said.member)
        return self._foreign_name(said.name) if member is None else self.name_of(member)

    def note_result(self, channel: Participant) -> None:
        """A user's game was counted."""
        user = self.channels.get(channel)
        if user is not None and user.hall is not None:
            record = record_of(user, self.hub)
            user.hall.tell(spell.player_stats(user.hall.number, user.name, record))

    def note_lag(self, who: Participant, lag: int) -> None:
        """Tell the room how long a user takes to answer."""
        user = self._by_who.get(who)
        if user is None or user.lag == lag:
            return
        user.lag = lag
        if user.hall is not None:
            user.hall.tell(spell.player_lag(user.hall.number, user.name, lag))

    def proclaim(self, who: Participant, text: str) -> None:
        """Let the house say something to a user. Client programs can show what is said in a room, and only there."""
        user = self._by_who.get(who)
        if user is not None and user.hall is not None:
            user.tell(spell.chat("announce", user.manners.name, cut(one_line(text), spell.CHAT_LENGTH)))
