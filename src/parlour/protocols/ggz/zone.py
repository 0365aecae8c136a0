"""The zone: everybody who is logged in, through whichever of its doors, and everything they see of one another.

A member's two connections are two participants. The one that speaks XML is never at a table; the channel is, and it is
brought there and away by what the member asks for on the other. The end of either is one leave.
"""

from typing import TYPE_CHECKING

from parlour.core.house.listing import Notice
from parlour.core.updates import Said
from parlour.core.words import Leave
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS_ROOM, MOST_IN_A_ROOM, Hall, halls, player_of, record_of
from parlour.protocols.ggz.member import Member, clean, cut
from parlour.protocols.ggz.shown import Shown, Tables, foreign_name
from parlour.protocols.ggz.told import Admitted, Dismissed

if TYPE_CHECKING:
    from parlour.core.house.hub import Hub
    from parlour.core.table.people import Member, Participant

COUNT_SECONDS = 60.0
"""How long the number of people in a room may be out of date for those in another."""


class Zone:
    """One for the house; `hub.service(Zone)` has it."""

    def __init__(self, hub: "Hub") -> None:
        self.hub = hub
        self.halls = halls()
        self.tables = Tables(hub, self.halls[DOTS_ROOM], self.name_of, self._strand)
        self.members: dict[str, Member] = {}
        """By name, without regard to case."""
        self.channels: dict[Participant, Member] = {}
        """Whose channel this is, used or not."""
        self._by_who: dict[Participant, Member] = {}
        self._asking: set[Participant] = set()
        """Whose login is being looked at."""
        self._counts: dict[int, int] = {}
        """How many were in each room when everybody was last told."""
        self._counting = False
        self._last_said: tuple[Said | None, bytes] = (None, b"")
        hub.listing.subscribe(self._heard)
        for table in hub.tables.values():
            self.tables.refresh(table)

    def _heard(self, notice: Notice) -> None:
        self.tables.refresh(notice.table)

    # --- who is who --------------------------------------------------------------------------------------------------

    def member(self, who: "Participant") -> Member | None:
        """Who speaks on this connection."""
        return self._by_who.get(who)

    def find(self, name: str) -> Member | None:
        """The member of this name."""
        return self.members.get(name.casefold())

    def name_of(self, user: "User") -> str:
        """How somebody in a chair is called here."""
        member = self.channels.get(user.who)
        return foreign_name(user.name, self.find(user.name) is not None) if member is None else member.name

    # --- coming and going --------------------------------------------------------------------------------------------

    def await_verdict(self, who: "Participant") -> None:
        self._asking.add(who)
        who.owner = self

    def conclude(self, who: "Participant") -> bool:
        """A login has been decided; False when nobody waits for it any more."""
        waited = who in self._asking
        self._asking.discard(who)
        return waited

    def admit(self, member: Member, answer: bytes) -> None:
        """Somebody is logged in."""
        who = member.who
        who.name, who.account, who.owner = member.name, member.account, self
        self.members[member.name.casefold()] = self._by_who[who] = member
        motd = member.manners.motd
        who.tell(Admitted(answer + spell.motd(motd) if motd else answer))
        self._rename_foreigners(member)

    def gone(self, who: "Participant") -> None:
        """A connection has ended, one or the other."""
        self._asking.discard(who)
        member = self._by_who.pop(who, None)
        if member is not None:
            self._log_out(member)
        else:
            self.lose_table(who, "normal")

    def speaker(self, who: "Participant") -> "Participant":
        """A channel is the second connection of a member."""
        member = self.channels.get(who)
        return who if member is None else member.who

    def _log_out(self, member: Member) -> None:
        self.unseat(member)
        if member.channel is not None:
            self.dismiss(member.channel)
        if member.hall is not None:
            self._go_out(member, member.hall, spell.NO_ROOM)
        del self.members[member.name.casefold()]
        self._rename_foreigners(member)

    def _rename_foreigners(self, member: Member) -> None:
        """People of other wires who are called like a member are told apart from now on, or no longer."""
        names = {member.name.casefold(), foreign_name(member.name, taken=True).casefold()}
        for shown in list(self.tables.by_number.values()):
            if any(seat.name.casefold() in names for seat in shown.view.seats):
                self.tables.refresh(shown.table)

    # --- rooms -------------------------------------------------------------------------------------------------------

    def enter(self, member: Member, number: int | None) -> str:
        """Bring somebody into a room, out of another. Returns a CODE."""
        hall = None if number is None else self.halls.get(number)
        if hall is None:
            return "bad options"
        old = member.hall
        if hall is not old and len(hall.members) >= MOST_IN_A_ROOM:
            return "room full"
        member.knows.clear()  # until they ask, or hear of new ones
        if hall is old:
            return spell.OK
        if old is not None:
            self._go_out(member, old, hall.number)
        came_from = spell.NO_ROOM if old is None else old.number
        hall.tell(spell.player_added(hall.number, player_of(member, self.hub), came_from))
        hall.members[member] = None
        member.hall = hall
        self._count_soon()
        return spell.OK

    def _go_out(self, member: Member, hall: Hall, number: int) -> None:
        del hall.members[member]
        member.hall = None
        hall.tell(spell.player_deleted(hall.number, member.name, number))
        self._count_soon()

    def _count_soon(self) -> None:
        if not self._counting:
            self._counting = True
            self.hub.alarm(COUNT_SECONDS, self._tell_counts)

    def _tell_counts(self) -> None:
        """Tell everybody how many are in the rooms, where that has changed."""
        self._counting = False
        counts = {number: len(hall.members) for number, hall in self.halls.items()}
        news = [spell.room_players(*item) for item in counts.items() if self._counts.get(item[0], 0) != item[1]]
        self._counts = counts
        if news:
            for hall in self.halls.values():
                hall.tell(b"".join(news))

    # --- channels ----------------------------------------------------------------------------------------------------

    def open_channel(self, who: "Participant", name: str) -> None:
        """A second connection for a member. It replaces one that was not used yet; nobody else can open it."""
        member = self.find(name)
        if member is None or member.who.address != who.address:
            who.tell(Dismissed())
            return
        if member.channel is not None:
            self.dismiss(member.channel)
        member.channel = who
        who.name, who.account, who.owner = member.name, member.account, self
        self.channels[who] = member

    def dismiss(self, channel: "Participant") -> None:
        """A channel is no longer needed."""
        member = self.channels.pop(channel, None)
        if member is not None and member.channel is channel:
            member.channel = None
        channel.tell(Dismissed())

    # --- at tables ---------------------------------------------------------------------------------------------------

    def place(self, member: Member, shown: Shown) -> None:
        """The member's channel has come to this table."""
        member.playing, member.channel = member.channel, None
        member.dropped = False
        member.shown = shown
        shown.people[member] = None

    def unseat(self, member: Member) -> None:
        """Take a member's channel away from the table, if there is one, and close it."""
        shown = member.shown
        if shown is not None:
            self._take_away(member, shown)
            self.tables.refresh(shown.table)

    def _take_away(self, member: Member, shown: Shown) -> None:
        channel = member.playing
        assert channel is not None
        member.playing = member.shown = None
        del shown.people[member]
        if channel.table is not None and channel.table.lobby is not None:
            channel.table.lobby.carry_out(channel, Leave())
        self.dismiss(channel)

    def lose_table(self, channel: "Participant", reason: str) -> None:
        """A channel has gone, or must go; if it was in use, the member is at no table any more."""
        member = self.channels.get(channel)
        if member is None:
            return
        if member.playing is not channel:
            self.dismiss(channel)
            return
        member.tell(spell.left(reason))
        member.dropped = True
        self.unseat(member)

    def _strand(self, shown: Shown) -> None:
        """A table is no longer one that members can be at, or is no more: those who watched it are free."""
        for member in list(shown.people):
            member.tell(spell.left("gameover"))
            self._take_away(member, shown)

    # --- what is said ------------------------------------------------------------------------------------------------

    def pass_on(self, channel: "Participant", said: Said) -> None:
        """Tell a member what was said at their table."""
        member = self.channels.get(channel)
        if member is None:
            return
        last, data = self._last_said
        if last is not said:
            speaker = self._speaker(channel, said)
            data = spell.chat("table", speaker, cut(clean(said.text), spell.CHAT_LENGTH))
            self._last_said = said, data
        member.tell(data)

    def _speaker(self, channel: "Participant", said: Said) -> str:
        """How whoever said this is called here."""
        room = None if channel.table is None else channel.table.lobby
        user = None if room is None else room.user(said.user)
        return foreign_name(said.name, self.find(said.name) is not None) if user is None else self.name_of(user)

    def note_result(self, channel: "Participant") -> None:
        """A member's game was counted."""
        member = self.channels.get(channel)
        if member is not None and member.hall is not None:
            record = record_of(member, self.hub)
            member.hall.tell(spell.player_stats(member.hall.number, member.name, record))

    def note_lag(self, who: "Participant", lag: int) -> None:
        """Tell the room how long a member takes to answer."""
        member = self._by_who.get(who)
        if member is None or member.lag == lag:
            return
        member.lag = lag
        if member.hall is not None:
            member.hall.tell(spell.player_lag(member.hall.number, member.name, lag))

    def proclaim(self, who: "Participant", text: str) -> None:
        """Let the house say something to a member. Client programs can show what is said in a room, and only there."""
        member = self._by_who.get(who)
        if member is not None and member.hall is not None:
            member.tell(spell.chat("announce", member.manners.name, cut(clean(text), spell.CHAT_LENGTH)))
