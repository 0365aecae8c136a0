"""Launching tables, sitting down, watching, changing places, and what the owner of a table may do.

Each returns a CODE; when it is "ok", all has been said already. What the house refuses is raised. The order in which
things are said is the original's, which every client program understands.
"""

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.names import cut, one_line, reserved, visible
from parlour.core.words import Chair, Entitle, Kick, Open, SetChair, StandUp, TakeChair, Watch
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS
from parlour.protocols.ggz.messages import BAD_OPTIONS, Element
from parlour.protocols.ggz.shown import LONGEST_TITLE, SEATS, Shown
from parlour.protocols.ggz.user import LONGEST_NAME, User, is_name
from parlour.protocols.ggz.zone import Zone
from parlour.protocols.ggzdots.dialect import LARGEST
from parlour.protocols.ggzdots.door import POLICY
from parlour.protocols.ggzdots.names import UNNAMED

# --- launching ----------------------------------------------------------------------------------------------------


def launch(zone: Zone, user: User, element: Element) -> str:
    """Open a table as described and sit down there: the table is told, the answer, who sits, and JOIN."""
    wanted, hall, channel = element.child("TABLE"), user.hall, user.channel
    if wanted is None or hall is None:
        return BAD_OPTIONS
    if hall.game < 0 or wanted.number("GAME") != hall.game:  # LAUNCH: another game than the room's
        return "not in room"
    if channel is None:  # CHANNEL: LAUNCH and JOIN need one
        return "no channel"
    chairs = _chairs(zone, wanted)
    if chairs is None:  # LAUNCH: two seats, numbered 0 and 1, at most one of them a bot
        return BAD_OPTIONS
    zone.hub.carry_out(channel, Open(DOTS, {}, policy=POLICY, chairs=chairs, title=_title(wanted), most=LARGEST))
    assert channel.table is not None
    shown = zone.tables.add(channel.table, tuple(_launched(number, chair) for number, chair in enumerate(chairs)))
    return _sit_at(zone, user, shown, "launch")


def _chairs(zone: Zone, wanted: Element) -> tuple[Chair, Chair] | None:
    """What the seats are meant for; None when they are not two, or not such as we have.

    Dots document, General Procedures: a legal game has two players, or one player and one bot.
    """
    if wanted.number("SEATS") != SEATS:
        return None
    by_number = {seat.number("NUM"): _chair(zone, seat) for seat in wanted.every("SEAT")}
    first, second = by_number.get(0), by_number.get(1)
    if first is None or second is None or len(by_number) != SEATS or first.kind == second.kind == "engine":
        return None
    return first, second


def _chair(zone: Zone, seat: Element) -> Chair | None:
    """One seat; a bot that is called like a level plays at that level, and none is called like a registered person."""
    name = visible(seat.text)
    match seat.get("TYPE").lower():
        case "open":
            return Chair()
        case "reserved" if not name:
            return Chair()
        case "reserved" if is_name(name):
            known = zone.find(name)
            return Chair("reserved", name if known is None else known.name)
        case "bot":
            taken = name == UNNAMED or reserved(name) or zone.hub.accounts.registered(name) is not None
            called = "" if taken else cut(name, LONGEST_NAME)
            return Chair("engine", called, name if name in LEVELS else "medium")
    return None


def _launched(number: int, chair: Chair) -> spell.Seat:
    """A seat as it was launched."""
    return spell.Seat(number, "bot" if chair.kind == "engine" else chair.kind, chair.name)


def _title(wanted: Element) -> str:
    about = wanted.child("DESC")
    return "" if about is None else cut(one_line(about.text), LONGEST_TITLE)


def _sit_at(zone: Zone, user: User, shown: Shown, action: str, watch: bool = False) -> str:
    """The user's channel has come to a table: the answer, who sits, and JOIN."""
    user.tell(spell.result(action))
    zone.place(user, shown)
    user.tell(spell.join(shown.number, watch))
    return spell.OK


# --- joining and leaving ------------------------------------------------------------------------------------------


def join(zone: Zone, user: User, element: Element, watch: bool) -> str:
    """Sit down at a table, or watch it. A channel serves for one attempt, whatever comes of it."""
    number, seat, channel = element.number("TABLE"), element.number("SEAT"), user.channel
    if number is None or ("SEAT" in element.attrs and seat is None):
        return BAD_OPTIONS
    if channel is None:  # CHANNEL: LAUNCH and JOIN need one
        return "no channel"
    try:
        shown = _require_table(zone, user, number, watch)
        table = shown.table.id
        zone.hub.carry_out(channel, Watch(table) if watch else TakeChair(table, seat, LARGEST))
    except Refused:
        zone.dismiss(channel)
        raise
    if number not in user.knows:
        user.knows.add(number)
        user.tell(spell.table_added(zone.tables.hall.number, shown.view))
    return _sit_at(zone, user, shown, "join", watch)


def _require_table(zone: Zone, user: User, number: int, watch: bool) -> Shown:
    """The table of this number, if there is one in the user's room that may be sat down at, or watched.

    Only a table with two chairs can be watched: without them more than two may come to play, which no seat could show.
    """
    shown = zone.tables.by_number.get(number) if user.hall is zone.tables.hall else None
    if shown is None:  # JOIN: no such table
        raise Refused(Refusal.NO_SUCH_TABLE)
    if watch and not (user.manners.spectators and shown.table.party.chairs):  # JOIN: where ALLOW SPECTATORS says so
        raise Refused(Refusal.TABLE_FULL)
    return shown


def leave(zone: Zone, user: User) -> str:
    """Stand up, or stop watching; always granted, also to users who sit nowhere.

    Client programs close the channel and ask to leave at the same time. A user who was told already is not told twice:
    by then the program may be on its way to another table.
    """
    user.tell(spell.result("leave"), b"" if user.dropped else spell.left())
    user.dropped = False
    zone.unseat(user)
    return spell.OK


def reseat(zone: Zone, user: User, element: Element) -> str:
    """From watching to a seat, from a seat to watching, or from one seat to the other."""
    shown, channel = user.shown, user.playing
    if shown is None or channel is None:  # RESEAT: one who sits at no table has no seat to change
        return "no table"
    seat, sits = element.number("SEAT"), shown.sits(user)
    match element.get("ACTION").lower(), sits:
        case "stand", True:
            if not user.manners.spectators:
                raise Refused(Refusal.TABLE_FULL)
            zone.hub.carry_out(channel, StandUp())
        case ("sit", False) | ("move", True) if seat is not None or not sits:
            zone.hub.carry_out(channel, TakeChair(shown.table.id, seat, LARGEST))
        case _:
            return BAD_OPTIONS
    return _done(zone, user, shown, "reseat")


def _done(zone: Zone, user: User, shown: Shown, action: str) -> str:
    user.tell(spell.result(action))
    zone.tables.refresh(shown.table)
    return spell.OK


# --- the owner ----------------------------------------------------------------------------------------------------


def update(zone: Zone, user: User, element: Element) -> str:
    """Change a table: its description, one of its seats, or who sits there."""
    wanted = element.child("TABLE")
    if element.get("TYPE").lower() != "table" or wanted is None:
        return BAD_OPTIONS
    number = wanted.number("ID")
    shown = user.shown if number is None else zone.tables.by_number.get(number)
    if shown is None or shown.owner is not user or user.playing is None:  # UPDATE: the owner alone may change it
        return "no permission"
    match element.get("ACTION").lower():
        case "desc":
            zone.hub.carry_out(user.playing, Entitle(_title(wanted)))
        case "seat":
            for change in _changes(zone, wanted):
                zone.hub.carry_out(user.playing, change)
        case "boot":
            return _boot(zone, user, shown, wanted)
        case _:
            return BAD_OPTIONS
    return _done(zone, user, shown, "update")


def _changes(zone: Zone, wanted: Element) -> list[SetChair]:
    """What the empty seats are meant for, or those of bots."""
    seats = [(seat.number("NUM"), _chair(zone, seat)) for seat in wanted.every("SEAT")]
    changes = [SetChair(number, chair) for number, chair in seats if number is not None and chair is not None]
    if not seats or len(changes) != len(seats):
        raise Refused(Refusal.BAD_OPTIONS)
    return changes


def _boot(zone: Zone, owner: User, shown: Shown, wanted: Element) -> str:
    """Send a person away from the table, by name."""
    assert owner.playing is not None
    named = [*wanted.every("SEAT"), *wanted.every("SPECTATOR")]
    name = named[0].text.strip().casefold() if named else ""
    if name == owner.name.casefold():
        return "usr lookup"
    guest = next((user for user in shown.people if user.name.casefold() == name), None)
    if guest is not None:
        owner.tell(spell.result("update"))
        guest.tell(spell.left("boot", owner.name))
        zone.unseat(guest)
        return spell.OK
    people = shown.table.party.people()
    booted = next((member for member in people if zone.name_of(member).casefold() == name), None)
    if booted is None:
        return "usr lookup"
    zone.hub.carry_out(owner.playing, Kick(booted.id, f"{owner.name} has sent you away."))
    return _done(zone, owner, shown, "update")
