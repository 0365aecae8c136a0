"""Servers: lists, rooms, talk."""

from parlour.conform.case import Clause, Severity, Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.suite import server
from parlour.conform.ggz.user import User, fits, seated, shown
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.wish import plays_dots

SHOULD = Severity.SHOULD


def hall(exam: ServerExam) -> int:
    """Another room than that of Dots."""
    room: int | None = exam.habits.hall
    return skip("the zone has one room") if room is None else room


def complete(elements: tuple[Element, ...], names: tuple[str, ...], clause: Clause) -> None:
    """All of them have these attributes."""
    for element in elements:
        missing = [name for name in names if name not in element.attrs]
        if missing:
            raise Violation(f"{element.tag} with {missing[0]}", shown(element), clause)


# --- lists ----------------------------------------------------------------------------------------------------------


@server("ggz.list.games", "a game of ENGINE Dots, VERSION 4, for 2 players", clauses.GAMES)
async def games(exam: ServerExam) -> None:
    user = await User.guest(exam)
    for full in (True, False):
        listed = await user.listed("game", clauses.GAMES, full)
        complete(listed, ("ID", "NAME"), clauses.GAMES)
        dots = [game for game in listed if plays_dots(game)]
        if not dots:
            raise Violation("<PROTOCOL ENGINE='Dots' VERSION='4'/>", " ".join(map(shown, listed)) or "no games")
        allow = dots[0].child("ALLOW")
        if allow is None or "2" not in allow.get("PLAYERS").split():
            raise Violation("<ALLOW PLAYERS='2' …>", shown(dots[0]))


@server("ggz.list.full", "FULL='true' adds what there is to read", clauses.GAMES, SHOULD)
async def full(exam: ServerExam) -> None:
    user = await User.guest(exam)
    listed = await user.listed("game", clauses.GAMES, True) + await user.listed("room", clauses.ROOMS, True)
    bare = [element for element in listed if element.child("DESC") is None]
    if bare:
        raise Violation("DESC in each", shown(bare[0]))


@server("ggz.list.rooms", "rooms with ID, NAME, GAME, PLAYERS; Dots is played in one", clauses.ROOMS)
async def rooms(exam: ServerExam) -> None:
    user = await User.guest(exam)
    listed = await user.listed("room", clauses.ROOMS)
    complete(listed, ("ID", "NAME", "GAME"), clauses.ROOMS)
    numbers = [room.number("ID") for room in listed]
    if None in numbers or len(set(numbers)) != len(numbers):
        raise Violation("a number of its own for each room", " ".join(map(shown, listed)))
    playing = [game.number("ID") for game in await user.listed("game", clauses.GAMES) if plays_dots(game)]
    if not any(room.number("GAME") in playing for room in listed):
        raise Violation("a room whose GAME is Dots", " ".join(map(shown, listed)))


@server("ggz.list.head-count", "PLAYERS of a room counts who is there", clauses.ROOMS, SHOULD)
async def head_count(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    listed = await ada.listed("room", clauses.ROOMS)
    room = next(room for room in listed if room.number("ID") == exam.habits.room)
    if (room.number("PLAYERS") or 0) < 2:
        raise Violation(f"PLAYERS='2': {ada.name} and {bea.name}", shown(room))


@server("ggz.list.players", "the players of the room: both of ours, as guests, at no table", clauses.PLAYERS)
async def players(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    for user in (ada, bea):
        listed = await user.listed("player", clauses.PLAYERS)
        complete(listed, ("ID", "TYPE", "TABLE"), clauses.PLAYERS)
        for name in (ada.name, bea.name):
            if not any(fits(one, "PLAYER", {"ID": name, "TYPE": "guest", "TABLE": -1}) for one in listed):
                raise Violation(f"<PLAYER ID='{name}' TYPE='guest' TABLE='-1'>", " ".join(map(shown, listed)))


@server("ggz.list.players-of-room", "players of another room are not listed", clauses.PLAYERS)
async def players_of_room(exam: ServerExam) -> None:
    away = await User.inside(exam, hall(exam))
    user = await User.inside(exam)
    listed = await user.listed("player", clauses.PLAYERS)
    if away.name in [player.get("ID") for player in listed]:
        raise Violation("those in the room", " ".join(map(shown, listed)))


@server("ggz.list.players-at-table", "TABLE of a player who sits is that table", clauses.PLAYERS)
async def players_at_table(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.about_seat(number, ada.name)
    listed = await bea.listed("player", clauses.PLAYERS)
    if not any(fits(one, "PLAYER", {"ID": ada.name, "TABLE": number}) for one in listed):
        raise Violation(f"<PLAYER ID='{ada.name}' TABLE='{number}'>", " ".join(map(shown, listed)))


@server("ggz.list.tables", "a table with its number, game, seats and who sits there", clauses.TABLES)
async def tables(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    number = await ada.launch(about="A quiet corner")
    bea = await User.inside(exam)
    table = await listed_table(bea, number)
    complete((table,), ("ID", "GAME", "STATUS", "SEATS"), clauses.TABLES)
    if (table.number("GAME"), table.number("SEATS")) != (exam.habits.game, 2):
        raise Violation(f"GAME='{exam.habits.game}' SEATS='2'", shown(table))
    seats = {seat.number("NUM"): seat for seat in table.every("SEAT")}
    if set(seats) != {0, 1} or seats[0].text.strip() != ada.name or seats[1].get("TYPE").lower() != "open":
        raise Violation(f"{ada.name} in seat 0, seat 1 open", shown(table))
    about = table.child("DESC")
    if about is None or about.text.strip() != "A quiet corner":
        raise Violation("<DESC>A quiet corner</DESC>", shown(table))


async def listed_table(user: User, number: int) -> Element:
    """The table of this number in the list."""
    listed = await user.listed("table", clauses.TABLES)
    found = next((table for table in listed if table.number("ID") == number), None)
    if found is None:
        raise Violation(f"table {number} in the list", " ".join(map(shown, listed)) or "no tables", clauses.TABLES)
    return found


@server("ggz.list.tables-gone", "a table that was left is not listed any more", clauses.DELETED)
async def tables_gone(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.about_table("add", number, clauses.ADDED)
    await ada.leave()
    await bea.about_table("delete", number, clauses.DELETED)
    listed = await bea.listed("table", clauses.TABLES)
    if number in [table.number("ID") for table in listed]:
        raise Violation(f"no table {number}", " ".join(map(shown, listed)))


for _kind in ("player", "table"):

    @server(f"ggz.list.{_kind}s-outside", f"LIST {_kind} outside a room: not in room", clauses.LIST_ROOM)
    async def outside(exam: ServerExam, kind: str = _kind) -> None:
        user = await User.guest(exam)
        await user.ask(ask.ask_list(kind), "list", clauses.LIST_ROOM, "not in room")


@server("ggz.list.no-type", "LIST without TYPE: bad options", clauses.LIST_FORM)
async def no_type(exam: ServerExam) -> None:
    await refused_list(exam, spell.element("LIST"))


@server("ggz.list.bad-type", "LIST with an unknown TYPE: bad options", clauses.LIST_FORM)
async def bad_type(exam: ServerExam) -> None:
    await refused_list(exam, ask.ask_list("cabbages"))


async def refused_list(exam: ServerExam, request: bytes) -> None:
    """Which ACTION names it differs: list, or protocol."""
    user = await User.inside(exam)
    await user.talk.send(request)
    result = await user.element("RESULT", "<RESULT … CODE='bad options'>", clauses.LIST_FORM)
    if result.get("CODE").lower() != "bad options":
        raise Violation("CODE='bad options'", shown(result))


# --- rooms ----------------------------------------------------------------------------------------------------------


@server("ggz.enter.again", "entering the same room again is ok", clauses.ENTER)
async def again(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.enter(exam.habits.room)
    await user.listed("player", clauses.PLAYERS)


@server("ggz.enter.unknown", "a room that is not there: bad options", clauses.ENTER_UNKNOWN)
async def unknown(exam: ServerExam) -> None:
    user = await User.guest(exam)
    for room in (9999, -5):
        await user.ask(ask.enter(room), "enter", clauses.ENTER_UNKNOWN, "bad options")
    await user.ask(ask.ask_list("player"), "list", clauses.LIST_ROOM, "not in room")


@server("ggz.enter.unknown-from-room", "after a room that is not there one is where one was", clauses.ENTER_UNKNOWN)
async def unknown_from_room(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.ask(ask.enter(9999), "enter", clauses.ENTER_UNKNOWN, "bad options")
    await user.ask(ask.say("still here"), "chat", clauses.CHAT)


@server("ggz.enter.told", "who is in the room is told who comes", clauses.CAME)
async def told(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    bea = await User.inside(exam)
    update = await ada.about_player("add", bea.name, clauses.CAME)
    if update.number("ROOM") not in (None, exam.habits.room):
        raise Violation(f"ROOM='{exam.habits.room}'", shown(update))


@server("ggz.enter.not-oneself", "who comes is not told about themselves", clauses.CAME)
async def not_oneself(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.fence()
    own = [one for one in user.heard("UPDATE", TYPE="player", ACTION="add") if user.name in shown(one)]
    if own:
        raise Violation("no UPDATE about oneself", shown(own[0]))


@server("ggz.enter.left", "who stays is told who goes to another room", clauses.CAME)
async def left(exam: ServerExam) -> None:
    room = hall(exam)
    ada, bea = await User.inside(exam), await User.inside(exam)
    await bea.enter(room)
    await ada.about_player("delete", bea.name, clauses.CAME)


@server("ggz.enter.moved", "those in the other room are told who comes there", clauses.CAME)
async def moved(exam: ServerExam) -> None:
    ada = await User.inside(exam, hall(exam))
    bea = await User.inside(exam)
    await bea.enter(hall(exam))
    await ada.about_player("add", bea.name, clauses.CAME)


WAYS = {"session": "</SESSION>", "close": "the end of the connection", "reset": "a reset"}


def _way(way: str, words: str) -> None:
    @server(f"ggz.enter.logout-{way}", f"after {words} the room is told that the player has gone", clauses.CAME)
    async def script(exam: ServerExam) -> None:
        ada, bea = await User.inside(exam), await User.inside(exam)
        if way == "session":
            await bea.end()
        elif way == "close":
            await bea.talk.leave()
        else:
            await bea.talk.reset()
        await ada.about_player("delete", bea.name, clauses.CAME)
        listed = await ada.listed("player", clauses.PLAYERS)
        if bea.name in [player.get("ID") for player in listed]:
            raise Violation(f"{bea.name} is not there any more", " ".join(map(shown, listed)), clauses.PLAYERS)


for _name, _words in WAYS.items():
    _way(_name, _words)


@server("ggz.enter.at-table", "from a table: at table", clauses.ENTER_TABLE)
async def at_table(exam: ServerExam) -> None:
    room = hall(exam)
    ada = await User.inside(exam)
    await ada.launch()
    await ada.ask(ask.enter(room), "enter", clauses.ENTER_TABLE, "at table")
    await ada.leave()
    await ada.enter(room)


# --- talk -----------------------------------------------------------------------------------------------------------


async def hears(user: User, kind: str, sender: str, text: str, clause: Clause) -> None:
    """A line of talk as it was said."""
    expected = f"<CHAT TYPE='{kind}' FROM='{sender}'>{text}</CHAT>"

    def ours(element: Element) -> bool:  # strangers may talk as well
        return element.tag == "CHAT" and (element.get("FROM") == sender or (element.text == text != ""))

    chat = await user.find(ours, expected, clause)
    if (chat.get("TYPE").lower(), chat.get("FROM"), chat.text) != (kind, sender, text):
        raise Violation(expected, shown(chat), clause)


TEXTS = {
    "normal": ("what is said in a room is heard by all, the speaker too", "Good evening", clauses.CHAT),
    "entities": ("the five signs that XML needs for itself", "<a href=\"x\"> & 'b'", clauses.ENTITIES),
    "utf-8": ("letters of other languages", "Grüße, Ωμέγα, 将棋, ♞", clauses.XML),
    "long": ("500 letters", "abcdefghi " * 50 + ".", clauses.CHAT),
    "one-letter": ("one letter", "x", clauses.CHAT),
}


def _text(name: str, title: str, text: str, clause: Clause) -> None:
    @server(f"ggz.chat.{name}", title, clause)
    async def script(exam: ServerExam) -> None:
        ada, bea = await User.inside(exam), await User.inside(exam)
        await ada.ask(ask.say(text), "chat", clause)
        for user in (ada, bea):
            await hears(user, "normal", ada.name, text, clause)


for _name, (_title, _line, _clause) in TEXTS.items():
    _text(_name, _title, _line, _clause)


@server("ggz.chat.cdata", "a text in a CDATA section", clauses.XML)
async def cdata(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.ask(b"<CHAT TYPE='normal'><![CDATA[a < b]]></CHAT>\n", "chat", clauses.XML)
    await hears(bea, "normal", ada.name, "a < b", clauses.XML)


@server("ggz.chat.reference", "a character by its number", clauses.XML)
async def reference(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.ask(b"<CHAT TYPE='normal'>&#65;&#x42;</CHAT>\n", "chat", clauses.XML)
    await hears(bea, "normal", ada.name, "AB", clauses.XML)


@server("ggz.chat.default", "without TYPE it is said to the room", clauses.CHAT)
async def default(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.ask(spell.element("CHAT", None, "hello"), "chat", clauses.CHAT)
    await hears(bea, "normal", ada.name, "hello", clauses.CHAT)


@server("ggz.chat.order", "ten lines arrive in their order", clauses.CHAT)
async def order(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.talk.send(b"".join(ask.say(f"line {number}") for number in range(10)))
    for number in range(10):
        await hears(bea, "normal", ada.name, f"line {number}", clauses.CHAT)


@server("ggz.chat.other-room", "what is said in a room is not heard in another", clauses.CHAT)
async def other_room(exam: ServerExam) -> None:
    away = await User.inside(exam, hall(exam))
    ada = await User.inside(exam)
    await ada.ask(ask.say("only here"), "chat", clauses.CHAT)
    await away.untold("CHAT", "nothing from another room", clauses.CHAT, FROM=ada.name)


@server("ggz.chat.outside", "outside a room: not in room", clauses.CHAT_ROOM)
async def outside_chat(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.ask(ask.say("anyone?"), "chat", clauses.CHAT_ROOM, "not in room")


@server("ggz.chat.private", "private is heard by the one, and by nobody else", clauses.CHAT_ONE)
async def private(exam: ServerExam) -> None:
    ada, bea, cleo = await User.inside(exam), await User.inside(exam), await User.inside(exam)
    await ada.ask(ask.say("psst", "private", bea.name), "chat", clauses.CHAT_ONE)
    await hears(bea, "private", ada.name, "psst", clauses.CHAT_ONE)
    await cleo.untold("CHAT", "nothing that is for another", clauses.CHAT_ONE, FROM=ada.name)


@server("ggz.chat.private-unknown", "private to one who is not there: usr lookup", clauses.CHAT_ONE)
async def private_unknown(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.ask(ask.say("psst", "private", "Nobody99"), "chat", clauses.CHAT_ONE, "usr lookup")


@server("ggz.chat.beep", "a beep is heard by the one", clauses.CHAT_ONE)
async def beep(exam: ServerExam) -> None:
    ada, bea, cleo = await User.inside(exam), await User.inside(exam), await User.inside(exam)
    await ada.ask(ask.say(None, "beep", bea.name), "chat", clauses.CHAT_ONE)
    await hears(bea, "beep", ada.name, "", clauses.CHAT_ONE)
    await cleo.untold("CHAT", "nothing that is for another", clauses.CHAT_ONE, FROM=ada.name)


@server("ggz.chat.table", "table is heard at the table, and not in the room", clauses.CHAT_TABLE)
async def table(exam: ServerExam) -> None:
    cleo = await User.inside(exam)
    _, ada, bea = await seated(exam)
    await ada.ask(ask.say("your move", "table"), "chat", clauses.CHAT_TABLE)
    await hears(bea, "table", ada.name, "your move", clauses.CHAT_TABLE)
    await hears(ada, "table", ada.name, "your move", clauses.CHAT_TABLE)
    await cleo.untold("CHAT", "nothing from a table", clauses.CHAT_TABLE, FROM=ada.name)


@server("ggz.chat.table-nowhere", "table without a table: no table", clauses.CHAT_TABLE)
async def table_nowhere(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.ask(ask.say("hello?", "table"), "chat", clauses.CHAT_TABLE, "no table")


@server("ggz.chat.from-table", "who sits at a table hears and speaks in the room", clauses.CHAT)
async def from_table(exam: ServerExam) -> None:
    cleo = await User.inside(exam)
    _, ada, _ = await seated(exam)
    await ada.ask(ask.say("all of you"), "chat", clauses.CHAT)
    await hears(cleo, "normal", ada.name, "all of you", clauses.CHAT)
    await cleo.ask(ask.say("yes?"), "chat", clauses.CHAT)
    await ada.element("CHAT", f"<CHAT FROM='{cleo.name}'>", clauses.CHAT, FROM=cleo.name)


@server("ggz.chat.announce", "a guest may not announce: no permission", clauses.CHAT_ANNOUNCE)
async def announce(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.ask(ask.say("hear, hear", "announce"), "chat", clauses.CHAT_ANNOUNCE, "no permission")
