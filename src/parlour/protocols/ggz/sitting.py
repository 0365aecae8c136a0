"""Launching tables, sitting down, watching, changing places, and what the owner of a table may do."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parlour.core import places
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.pair import ENGINE_NAME
from parlour.core.roomwords import LeaveChair, OpenPair
from parlour.core.words import Chair, Entitle, SetChair, TakeChair
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS
from parlour.protocols.ggz.member import LONGEST_NAME, Member, clean, cut, is_name
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.shown import LONGEST_TITLE, MOST_DOTS, SEATS, Shown
from parlour.protocols.ggz.told import Words

if TYPE_CHECKING:
    from parlour.core.lobby import Room
    from parlour.core.table.people import Participant
    from parlour.protocols.ggz.zone import Zone

BAD_OPTIONS, NO_PERMISSION = "bad options", "no permission"

REFUSALS: Mapping[Refusal, str] = {
    **dict.fromkeys(Refusal, BAD_OPTIONS),
    Refusal.TABLE_FULL: "table full",
    Refusal.SEAT_TAKEN: "seat assign fail",
    Refusal.NO_SUCH_TABLE: "no table",
    Refusal.NO_ROOM: "no table",
    Refusal.NOT_SEATED: "no table",
    Refusal.ALREADY_SEATED: "at table",
    Refusal.ALREADY_PLAYING: NO_PERMISSION,
    Refusal.CHAT_OFF: NO_PERMISSION,
    Refusal.TOO_FAST: NO_PERMISSION,
    Refusal.MUTED: NO_PERMISSION,
    Refusal.NO_NEW_GAMES: "launch fail",
    Refusal.LOG_DOWN: "launch fail",
    Refusal.SERVER_FULL: "launch fail",
    Refusal.DRAINING: "launch fail",
}
"""The CODE for whatever the house refuses."""


# --- launching ----------------------------------------------------------------------------------------------------


def launch(zone: "Zone", member: Member, element: Element) -> str:
    """Open a table as described and sit down there. Returns a CODE; when it is "ok", all has been said already.

    The order is the one in which every client program understands it: the table, the answer, who sits, and "sit".
    """
    wanted = element.child("TABLE")
    hall = member.hall
    if wanted is None or hall is None:
        return BAD_OPTIONS
    if hall.game < 0 or wanted.number("GAME") != hall.game:
        return "not in room"
    channel = member.channel
    if channel is None:
        return "no channel"
    chairs = _chairs(zone, wanted)
    if chairs is None:
        return BAD_OPTIONS
    about = wanted.child("DESC")
    title = "" if about is None else cut(clean(about.text), LONGEST_TITLE)
    try:
        room = zone.hub.rooms.open_pair(channel, OpenPair(chairs, title, MOST_DOTS, DOTS))
    except Refused as refused:
        return REFUSALS[refused.why]
    seats = tuple(_launched(number, chair) for number, chair in enumerate(chairs))
    shown = zone.tables.add(room.table, seats)
    member.tell(spell.result("launch"))
    zone.place(member, shown)
    zone.tables.refresh(room.table)
    member.tell(spell.join(shown.number))
    return spell.OK


def _chairs(zone: "Zone", wanted: Element) -> tuple[Chair, Chair] | None:
    """What the seats are meant for; None when they are not two, or not such as we have."""
    if wanted.number("SEATS") != SEATS:
        return None
    by_number = {seat.number("NUM"): _chair(zone, seat) for seat in wanted.every("SEAT")}
    first, second = by_number.get(0), by_number.get(1)
    if first is None or second is None or len(by_number) != SEATS or first.kind == second.kind == "engine":
        return None
    return first, second


def _chair(zone: "Zone", seat: Element) -> Chair | None:
    """One seat; a bot that is called like a level plays at that level."""
    name = clean(seat.text).strip()
    match seat.get("TYPE").lower():
        case "open":
            return Chair()
        case "reserved" if not name:
            return Chair()
        case "reserved" if is_name(name):
            known = zone.find(name)
            return Chair("reserved", name if known is None else known.name)
        case "bot":
            called = "" if name == ENGINE_NAME else cut(name, LONGEST_NAME)
            return Chair("engine", called, name if name in LEVELS else "medium")
    return None


def _launched(number: int, chair: Chair) -> spell.Seat:
    """A seat as it was launched."""
    return spell.Seat(number, "bot" if chair.kind == "engine" else chair.kind, chair.name)


# --- joining and leaving ------------------------------------------------------------------------------------------


def join(zone: "Zone", member: Member, element: Element, watch: bool) -> str:
    """Sit down at a table, or watch it. A channel serves for one attempt, whatever comes of it."""
    number = element.number("TABLE")
    channel = member.channel
    if number is None or ("SEAT" in element.attrs and element.number("SEAT") is None):
        return BAD_OPTIONS
    if channel is None:
        return "no channel"
    try:
        shown = _require_table(zone, member, number)
        room = _room(shown)
        if watch:
            _watch(member, room)
        else:
            seat = element.number("SEAT") if "SEAT" in element.attrs else None
            places.take_chair(room, zone.hub, channel, TakeChair(shown.table.id, seat, MOST_DOTS))
    except Refused as refused:
        zone.dismiss(channel)
        return REFUSALS[refused.why]
    if number not in member.knows:
        member.knows.add(number)
        member.tell(spell.table_added(zone.tables.hall.number, shown.view))
    member.tell(spell.result("join"))
    zone.place(member, shown)
    zone.tables.refresh(shown.table)
    member.tell(spell.join(number, watch))
    return spell.OK


def _require_table(zone: "Zone", member: Member, number: int) -> Shown:
    shown = zone.tables.by_number.get(number) if member.hall is zone.tables.hall else None
    if shown is None:
        raise Refused(Refusal.NO_SUCH_TABLE)
    return shown


def _room(shown: Shown) -> "Room":
    room = shown.table.lobby
    assert room is not None  # no other tables are shown
    return room


def _watch(member: Member, room: "Room") -> None:
    """Only where two chairs are: in a room without them more than two may come to play, which no seat could show."""
    channel = member.channel
    assert channel is not None
    if not member.manners.spectators or room.pair is None:
        raise Refused(Refusal.TABLE_FULL)
    room.enter(channel, name=channel.name, ready=False, watches=True)


def leave(zone: "Zone", member: Member) -> str:
    """Stand up, or stop watching; always granted, also to those who sit nowhere.

    Client programs close the channel and ask to leave at the same time. Whoever was told already is not told twice: by
    then the program may be on its way to another table.
    """
    member.tell(spell.result("leave"), b"" if member.dropped else spell.left())
    member.dropped = False
    zone.unseat(member)
    return spell.OK


def reseat(zone: "Zone", member: Member, element: Element) -> str:
    """From watching to a seat, from a seat to watching, or from one seat to the other."""
    shown, channel = member.shown, member.playing
    if shown is None or channel is None:
        return "no table"
    room = _room(shown)
    user = room.users[channel]
    sits = room.pair is not None and room.pair.chair_of(user) is not None
    try:
        match element.get("ACTION").lower():
            case "stand" if sits:
                if not member.manners.spectators:
                    raise Refused(Refusal.TABLE_FULL)
                room.carry_out(channel, LeaveChair())
            case "sit" if not sits:
                room.carry_out(channel, TakeChair(shown.table.id, element.number("SEAT"), MOST_DOTS))
            case "move" if sits and element.number("SEAT") is not None:
                room.carry_out(channel, TakeChair(shown.table.id, element.number("SEAT"), MOST_DOTS))
            case _:
                return BAD_OPTIONS
    except Refused as refused:
        return REFUSALS[refused.why]
    member.tell(spell.result("reseat"))
    zone.tables.refresh(shown.table)
    return spell.OK


# --- the owner ----------------------------------------------------------------------------------------------------


def update(zone: "Zone", member: Member, element: Element) -> str:
    """Change a table: its description, one of its seats, or who sits there."""
    wanted = element.child("TABLE")
    if element.get("TYPE").lower() != "table" or wanted is None:
        return BAD_OPTIONS
    number = wanted.number("ID")
    shown = member.shown if number is None else zone.tables.by_number.get(number)
    if shown is None or shown.owner is not member or member.playing is None:
        return NO_PERMISSION
    room = _room(shown)
    try:
        match element.get("ACTION").lower():
            case "desc":
                about = wanted.child("DESC")
                title = "" if about is None else cut(clean(about.text), LONGEST_TITLE)
                room.carry_out(member.playing, Entitle(title))
            case "seat":
                _set_seats(zone, room, member.playing, wanted)
            case "boot":
                return _boot(zone, member, room, wanted)
            case _:
                return BAD_OPTIONS
    except Refused as refused:
        return REFUSALS[refused.why]
    member.tell(spell.result("update"))
    zone.tables.refresh(shown.table)
    return spell.OK


def _set_seats(zone: "Zone", room: "Room", channel: "Participant", wanted: Element) -> None:
    """What the empty seats are meant for, or those of bots."""
    seats = [(seat.number("NUM"), _chair(zone, seat)) for seat in wanted.every("SEAT")]
    if not seats:
        raise Refused(Refusal.BAD_OPTIONS)
    changes = [SetChair(number, chair) for number, chair in seats if number is not None and chair is not None]
    if len(changes) != len(seats):
        raise Refused(Refusal.BAD_OPTIONS)
    for change in changes:
        room.carry_out(channel, change)


def _boot(zone: "Zone", owner: Member, room: "Room", wanted: Element) -> str:
    """Send somebody away from the table, by name."""
    named = [*wanted.every("SEAT"), *wanted.every("SPECTATOR")]
    name = named[0].text.strip().casefold() if named else ""
    booted = next(
        (user for user in room.users.values() if user.is_person and zone.name_of(user).casefold() == name), None
    )
    if booted is None or booted.who is owner.playing:
        return "usr lookup"
    owner.tell(spell.result("update"))
    guest = zone.channels.get(booted.who)
    if guest is not None:
        guest.who.tell(Words(spell.left("boot", owner.name)))
        zone.unseat(guest)
    else:
        room.kick(booted, f"{owner.name} has sent you away.")
        zone.tables.refresh(room.table)
    return spell.OK
