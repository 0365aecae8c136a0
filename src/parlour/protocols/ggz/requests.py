"""What a member asks for, and what is answered: the table of phases first, then each request's own reasons."""

from typing import TYPE_CHECKING

from parlour.protocols.ggz import sitting, spell
from parlour.protocols.ggz.chat import chat
from parlour.protocols.ggz.hall import DOTS, games, player_of
from parlour.protocols.ggz.member import Member
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.phases import ACTIONS, ANSWERED, IGNORED, MISPLACED, fate

if TYPE_CHECKING:
    from parlour.core.table.people import Member
    from parlour.protocols.ggz.zone import Zone

PROTOCOL = "protocol"
MOST_RANKED = 100


def answer(zone: "Zone", member: Member, element: Element) -> None:
    """Deal with one request."""
    tag = element.tag
    code = fate(tag, member.state)
    if code == IGNORED:
        return
    if code == ANSWERED:
        code = _deal(zone, member, element)
        if code == spell.OK:
            return  # with whatever else there was to say
    elif code == MISPLACED:
        member.tell(spell.result(PROTOCOL, code))
        return
    member.tell(spell.result(ACTIONS[tag], code))


def _deal(zone: "Zone", member: Member, element: Element) -> str:
    """Do it, and say so; or return the CODE of a refusal."""
    match element.tag:
        case "LIST":
            return _list(zone, member, element)
        case "ENTER":
            return _enter(zone, member, element)
        case "CHAT":
            return chat(zone, member, element)
        case "LAUNCH":
            return sitting.launch(zone, member, element)
        case "JOIN":
            return sitting.join(zone, member, element, element.truth("SPECTATOR"))
        case "SPECTATE":
            return sitting.join(zone, member, element, watch=True)
        case "LEAVE":
            return sitting.leave(zone, member)
        case "RESEAT":
            return sitting.reseat(zone, member, element)
        case "UPDATE":
            return sitting.update(zone, member, element)
        case "MOTD":
            member.tell(spell.motd(member.manners.motd))
        case "INFO":
            _tell_info(zone, member, element)
        case "RANKINGS":
            ranking = zone.hub.standings.ranking(DOTS)[:MOST_RANKED]
            places = enumerate(ranking, 1)
            member.tell(spell.rankings((place, name, tally.wins - tally.losses) for place, (name, tally) in places))
    return spell.OK


def _enter(zone: "Zone", member: Member, element: Element) -> str:
    code = zone.enter(member, element.number("ROOM"))
    if code == spell.OK:
        member.tell(spell.result("enter"))
    return code


def _list(zone: "Zone", member: Member, element: Element) -> str:
    """Everything of one kind; players and tables are those of the member's room."""
    if "TYPE" not in element.attrs:
        return "bad options"
    full, hall = element.truth("FULL"), member.hall
    match element.get("TYPE").lower():
        case "game":
            member.tell(spell.game_list(games(member.manners.spectators), full))
        case "room":
            member.tell(spell.room_list((one.spelled() for one in zone.halls.values()), full))
        case "player" | "table" if hall is None:
            return "not in room"
        case "player" if hall is not None:
            people = (player_of(other, zone.hub) for other in hall.members)
            member.tell(spell.player_list(hall.number, people))
        case "table" if hall is not None:
            tables = zone.tables.spelled() if hall is zone.tables.hall else []
            member.knows.update(table.number for table in tables)
            member.tell(spell.table_list(hall.number, tables))
        case _:
            member.tell(spell.result(PROTOCOL, MISPLACED))
    return spell.OK


def _tell_info(zone: "Zone", member: Member, element: Element) -> None:
    """Who sits at the member's table: all, or in one seat."""
    room = None if member.shown is None else member.shown.table.lobby
    if room is None or room.pair is None:
        return
    wanted = element.number("SEAT")
    seats = [(number, user) for number, user in enumerate(room.pair.chairs) if wanted in (None, -1, number)]
    member.tell(spell.info((number, _title(zone, user), "", "") for number, user in seats if user is not None))


def _title(zone: "Zone", user: "User") -> str:
    return zone.name_of(user) if user.is_person else user.name
