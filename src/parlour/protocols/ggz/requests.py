"""What a user asks for, and what is answered: the table of phases first, then each request's own reasons."""

from collections.abc import Mapping

from parlour.core.errors import Refusal, Refused, TooMuch
from parlour.core.table.people import Member
from parlour.languages import sentence
from parlour.protocols.ggz import sitting, spell
from parlour.protocols.ggz.chat import chat
from parlour.protocols.ggz.hall import DOTS, games, player_of
from parlour.protocols.ggz.messages import BAD_OPTIONS, Element
from parlour.protocols.ggz.phases import ACTIONS, ANSWERED, IGNORED, MISPLACED, fate
from parlour.protocols.ggz.user import User
from parlour.protocols.ggz.zone import Zone
from parlour.protocols.ggzdots.names import UNNAMED, given_name

PROTOCOL = "protocol"
MOST_RANKED = 100

NO_PERMISSION = "no permission"
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
    Refusal.TOO_MANY: NO_PERMISSION,
    Refusal.BANNED: NO_PERMISSION,
    Refusal.MUTED: NO_PERMISSION,
    Refusal.NO_NEW_GAMES: "launch fail",
    Refusal.LOG_DOWN: "launch fail",
    Refusal.SERVER_FULL: "launch fail",
    Refusal.DRAINING: "launch fail",
}
"""The CODE for what the house refuses."""


def answer(zone: Zone, user: User, element: Element) -> None:
    """Deal with one request."""
    tag = element.tag
    code = fate(tag, user.state)
    if code == IGNORED:
        return
    if code == MISPLACED:
        user.tell(spell.result(PROTOCOL, code))
        return
    if code == ANSWERED:
        try:
            code = _deal(zone, user, element)
        except Refused as refused:
            code = REFUSALS[refused.why]
            if isinstance(refused, TooMuch):  # a CODE cannot say for how long
                zone.proclaim(user.who, sentence(refused.excess))
    if code != spell.OK:
        user.tell(spell.result(ACTIONS[tag], code))


def _deal(zone: Zone, user: User, element: Element) -> str:
    """Carry out a request and answer it; or return the CODE of a refusal, or raise Refused."""
    match element.tag:
        case "LIST":
            return _list(zone, user, element)
        case "ENTER":
            return _enter(zone, user, element)
        case "CHAT":
            return chat(zone, user, element)
        case "LAUNCH":
            return sitting.launch(zone, user, element)
        case "JOIN":
            return sitting.join(zone, user, element, element.truth("SPECTATOR"))
        case "SPECTATE":
            return sitting.join(zone, user, element, watch=True)
        case "LEAVE":
            return sitting.leave(zone, user)
        case "RESEAT":
            return sitting.reseat(zone, user, element)
        case "UPDATE":
            return sitting.update(zone, user, element)
        case "MOTD":
            user.tell(spell.motd(user.manners.motd))
        case "INFO":
            _tell_info(zone, user, element)
        case "RANKINGS":
            ranking = zone.hub.standings.ranking(DOTS)[:MOST_RANKED]
            places = enumerate(ranking, 1)
            user.tell(spell.rankings((place, name, tally.wins - tally.losses) for place, (name, tally) in places))
    return spell.OK


def _enter(zone: Zone, user: User, element: Element) -> str:
    code = zone.enter(user, element.number("ROOM"))
    if code == spell.OK:
        user.tell(spell.result("enter"))
    return code


def _list(zone: Zone, user: User, element: Element) -> str:
    """Everything of one kind; players and tables are those of the user's room."""
    if "TYPE" not in element.attrs:  # LIST: a missing TYPE
        return BAD_OPTIONS
    full, hall = element.truth("FULL"), user.hall
    match element.get("TYPE").lower():
        case "game":
            user.tell(spell.game_list(games(user.manners.spectators), full))
        case "room":
            user.tell(spell.room_list((one.spelled() for one in zone.halls.values()), full))
        case "player" | "table" if hall is None:  # LIST: players and tables are those of the room
            return "not in room"
        case "player" if hall is not None:
            people = (player_of(other, zone.hub) for other in hall.users)
            user.tell(spell.player_list(hall.number, people))
        case "table" if hall is not None:
            tables = zone.tables.spelled() if hall is zone.tables.hall else []
            user.knows.update(table.number for table in tables)
            user.tell(spell.table_list(hall.number, tables))
        case _:
            user.tell(spell.result(PROTOCOL, MISPLACED))
    return spell.OK


def _tell_info(zone: Zone, user: User, element: Element) -> None:
    """Who sits at the user's table: all, or in one seat."""
    if user.shown is None or not user.shown.table.party.chairs:  # INFO: elsewhere it is not answered
        return
    wanted = element.number("SEAT")
    seats = [place for place in enumerate(user.shown.table.seats) if wanted in (None, -1, place[0])]
    user.tell(spell.info((number, _name(zone, member), "", "") for number, member in seats if member is not None))


def _name(zone: Zone, member: Member) -> str:
    return zone.name_of(member) if member.is_person else given_name(member) or UNNAMED
