"""Servers: channels, tables, sitting down and leaving."""

from parlour.conform.case import Clause, Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.server_rooms import hall, hears, listed_table
from parlour.conform.ggz.suite import server
from parlour.conform.ggz.user import BOT, OPEN, User, fits, seated, shown
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggzdots import spell as dots

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
SHORT = 0.25


def seat_of(table: Element, number: int) -> Element:
    """One SEAT of a TABLE."""
    found = next((seat for seat in table.every("SEAT") if seat.number("NUM") == number), None)
    if found is None:
        raise Violation(f"<SEAT NUM='{number}' …>", shown(table), clauses.SEATED)
    return found


def sits(table: Element, user: User, clause: Clause) -> None:
    """One of the seats is told to be this player's."""
    if not any(
        fits(seat, "SEAT", {"TYPE": "player"}) and seat.text.strip() == user.name for seat in table.every("SEAT")
    ):
        raise Violation(f"<SEAT TYPE='player'>{user.name}</SEAT>", shown(table), clause)


# --- channels -------------------------------------------------------------------------------------------------------


@server("ggz.channel.opened", "a second connection becomes a channel", clauses.CHANNEL)
async def opened(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.channel()


@server("ggz.channel.silent", "no byte of the game before the player sits", clauses.CHANNEL)
async def silent(exam: ServerExam) -> None:
    user = await User.inside(exam)
    talk = await user.channel()
    came = await talk.receive(SHORT)
    if not isinstance(came, Silence) or came.unread.strip():
        raise Violation("nothing before LAUNCH or JOIN", shown(came))


@server("ggz.channel.bytes", "the channel's XML comes byte by byte", clauses.CHANNEL)
async def channel_bytes(exam: ServerExam) -> None:
    user = await User.inside(exam)
    talk = await exam.connect()
    await talk.dribble(ask.channel(user.name), pause=0.002)
    await user.channel()
    await user.ask(user.launching(), "launch", clauses.LAUNCH)


@server("ggz.channel.launch-without", "LAUNCH without a channel: no channel", clauses.NO_CHANNEL)
async def launch_without(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.ask(user.launching(), "launch", clauses.NO_CHANNEL, "no channel")
    await user.launch()


@server("ggz.channel.join-without", "JOIN without a channel: no channel", clauses.NO_CHANNEL)
async def join_without(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.ask(spell.join(number), "join", clauses.NO_CHANNEL, "no channel")


@server("ggz.channel.own", "the channel of one player is not another's", clauses.NO_CHANNEL)
async def own(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.channel()
    await bea.ask(bea.launching(), "launch", clauses.NO_CHANNEL, "no channel")
    await ada.ask(ada.launching(), "launch", clauses.LAUNCH)


@server("ggz.channel.nobody", "a channel for a name that nobody has harms nobody", clauses.STANDING, ROBUST)
async def nobody(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(ask.channel("Nobody99"))
    await talk.listen(SHORT)
    ada = await User.inside(exam)
    await ada.launch()


@server("ggz.channel.second-table", "after leaving, the next table needs the next channel", clauses.CHANNEL)
async def second_table(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    for _ in range(2):
        await ada.launch()
        await ada.leave()
    await ada.ask(ada.launching(), "launch", clauses.NO_CHANNEL, "no channel")


# --- launching ------------------------------------------------------------------------------------------------------


@server("ggz.launch.ok", "RESULT ok, then JOIN with the table's number", clauses.LAUNCH)
async def launch_ok(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.channel()
    await ada.talk.send(ada.launching())
    came = await ada.find(
        lambda one: one.tag in ("RESULT", "JOIN"), "<RESULT ACTION='launch' CODE='ok'/>", clauses.LAUNCH
    )
    if not fits(came, "RESULT", {"ACTION": "launch", "CODE": "ok"}):
        raise Violation("<RESULT ACTION='launch' CODE='ok'/> before JOIN", shown(came))
    await ada.sits(clauses.LAUNCH)


@server("ggz.launch.added", "the room is told of the new table, with all of it", clauses.ADDED)
async def added(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch(about="Tea & biscuits")
    table = await bea.about_table("add", number, clauses.ADDED)
    if (table.number("GAME"), table.number("SEATS")) != (exam.habits.game, 2) or len(table.every("SEAT")) != 2:
        raise Violation(f"GAME='{exam.habits.game}' SEATS='2' and both seats", shown(table))
    if fits(seat_of(table, 1), "SEAT", {"TYPE": "player"}):
        raise Violation("seat 1 open", shown(table))
    about = table.child("DESC")
    if about is None or about.text.strip() != "Tea & biscuits":
        raise Violation("<DESC>Tea &amp; biscuits</DESC>", shown(table))


@server("ggz.launch.add-first", "add comes before all other news of the table, to all", clauses.ADDED)
async def add_first(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    for user in (ada, bea):
        await user.about_seat(number, ada.name)
        before = [one.get("ACTION").lower() for one in user.heard("UPDATE", TYPE="table") if _is_of(one, number)]
        while "delete" in before:  # that was another table of this number
            before = before[before.index("delete") + 1 :]
        if before[:1] != ["add"]:
            raise Violation("add, then join", " ".join((*before, "join")))


def _is_of(update: Element, number: int) -> bool:
    table = update.child("TABLE")
    return table is not None and table.number("ID") == number


@server("ggz.launch.joined", "the room is told that the launcher sits", clauses.SEATED)
async def joined(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.about_seat(number, ada.name)


@server("ggz.launch.other-room", "another room hears nothing of it", clauses.ADDED)
async def other_room(exam: ServerExam) -> None:
    away = await User.inside(exam, hall(exam))
    ada = await User.inside(exam)
    await ada.launch()
    room = exam.habits.room
    await away.untold("UPDATE", "nothing about tables of another room", clauses.ADDED, TYPE="table", ROOM=room)


@server("ggz.launch.bot", "a table with a bot", clauses.LAUNCH)
async def launch_bot(exam: ServerExam) -> None:
    if not exam.habits.bots:
        skip("the zone has no bots")
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch(spell.Seat(0, "reserved", ada.name), BOT)
    table = await listed_table(bea, number)
    if not fits(seat_of(table, 1), "SEAT", {"TYPE": "bot"}):
        raise Violation("<SEAT NUM='1' TYPE='bot'>", shown(table))


@server("ggz.launch.open-seats", "both seats open: the launcher sits in one of them", clauses.LAUNCH)
async def open_seats(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch(spell.Seat(0, "open"), OPEN)
    sits(await listed_table(bea, number), ada, clauses.LAUNCH)
    await bea.join(number)


FORMS: dict[str, tuple[str, tuple[spell.Seat, ...]]] = {
    "one-seat": ("one seat", (spell.Seat(0, "open"),)),
    "three-seats": ("three seats", (spell.Seat(0, "open"), OPEN, spell.Seat(2, "open"))),
    "two-bots": ("two bots", (spell.Seat(0, "bot"), BOT)),
    "seat-7": ("a seat with the number 7", (spell.Seat(0, "open"), spell.Seat(7, "open"))),
}


def _form(name: str, title: str, seats: tuple[spell.Seat, ...]) -> None:
    @server(f"ggz.launch.{name}", f"{title}: bad options, and no table", clauses.LAUNCH_FORM)
    async def script(exam: ServerExam) -> None:
        ada, bea = await User.inside(exam), await User.inside(exam)
        await ada.channel()
        request = ada.launching(seats, about=f"by {ada.name}")
        await ada.ask(request, "launch", clauses.LAUNCH_FORM, "bad options")
        await bea.fence()
        opened = [one for one in bea.heard("UPDATE", TYPE="table", ACTION="add") if ada.name in shown(one)]
        if opened:
            raise Violation("no table", shown(opened[0]))


for _name, (_title, _seats) in FORMS.items():
    _form(_name, _title, _seats)


@server("ggz.launch.undefined-seat", "a seat that is left out: bad options", clauses.LAUNCH_FORM)
async def undefined_seat(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.channel()
    game = exam.habits.game
    request = f"<LAUNCH><TABLE GAME='{game}' SEATS='2'><SEAT NUM='0' TYPE='open'/></TABLE></LAUNCH>\n"
    await ada.ask(request.encode(), "launch", clauses.LAUNCH_FORM, "bad options")


@server("ggz.launch.outside", "outside a room: not in room", clauses.LAUNCH_ROOM)
async def launch_outside(exam: ServerExam) -> None:
    ada = await User.guest(exam)
    await ada.channel()
    await ada.ask(ada.launching(), "launch", clauses.LAUNCH_ROOM, "not in room")


@server("ggz.launch.wrong-room", "in a room of another game: not in room", clauses.LAUNCH_ROOM)
async def wrong_room(exam: ServerExam) -> None:
    ada = await User.inside(exam, hall(exam))
    await ada.channel()
    await ada.ask(ada.launching(), "launch", clauses.LAUNCH_ROOM, "not in room")


@server("ggz.launch.wrong-game", "another game than the room's: not in room", clauses.LAUNCH_ROOM)
async def wrong_game(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.channel()
    await ada.ask(ada.launching(game=exam.habits.game + 77), "launch", clauses.LAUNCH_ROOM, "not in room")


@server("ggz.launch.at-table", "at a table: launch fail", clauses.LAUNCH_TABLE)
async def launch_at_table(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.launch()
    await ada.channel()  # so that nothing else is missing
    await ada.ask(ada.launching(), "launch", clauses.LAUNCH_TABLE, "launch fail")


@server("ggz.launch.two-tables", "two tables have two numbers", clauses.ADDED)
async def two_tables(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    one, two = await ada.launch(), await bea.launch()
    if one == two:
        raise Violation("two numbers", f"{one} for both")
    cleo = await User.inside(exam)
    for number in (one, two):
        await listed_table(cleo, number)


# --- joining --------------------------------------------------------------------------------------------------------


@server("ggz.join.ok", "RESULT ok, then JOIN", clauses.JOIN)
async def join_ok(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    if await bea.join(number) != number:
        raise Violation(f"<JOIN TABLE='{number}'/>", f"<JOIN TABLE='{bea.table}'/>")


@server("ggz.join.told", "everyone in the room is told who sits down where", clauses.SEATED)
async def join_told(exam: ServerExam) -> None:
    ada, bea, cleo = await User.inside(exam), await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.join(number)
    for user in (ada, cleo):
        await user.about_seat(number, ada.name)
        await user.about_seat(number, bea.name)
    sits(await listed_table(cleo, number), bea, clauses.TABLES)


@server("ggz.join.seat", "JOIN with SEAT='1' gets that seat", clauses.JOIN, SHOULD)
async def join_seat(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await bea.channel()
    request = spell.element("JOIN", {"TABLE": number, "SEAT": 1, "SPECTATOR": False})
    await bea.ask(request, "join", clauses.JOIN)
    await bea.sits(clauses.JOIN)


@server("ggz.join.no-table", "a table that is not there: no table", clauses.NO_TABLE)
async def no_table(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.channel()
    await ada.ask(spell.join(9999), "join", clauses.NO_TABLE, "no table")


@server("ggz.join.deleted", "a table that has gone: no table", clauses.NO_TABLE)
async def deleted(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await ada.leave()
    await bea.about_table("delete", number, clauses.DELETED)
    await bea.channel()
    if number in [table.number("ID") for table in await bea.listed("table", clauses.TABLES)]:
        skip("somebody else has a table of that number now")
    await bea.ask(spell.join(number), "join", clauses.NO_TABLE, "no table")


@server("ggz.join.full", "both seats taken: table full", clauses.TABLE_FULL)
async def full(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    cleo = await User.inside(exam)
    await cleo.channel()
    await cleo.ask(spell.join(ada.table), "join", clauses.TABLE_FULL, "table full")


@server("ggz.join.bot-table", "a table with a bot is full", clauses.TABLE_FULL)
async def bot_table(exam: ServerExam) -> None:
    if not exam.habits.bots:
        skip("the zone has no bots")
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch(spell.Seat(0, "reserved", ada.name), BOT)
    await bea.channel()
    await bea.ask(spell.join(number), "join", clauses.TABLE_FULL, "table full")


@server("ggz.join.reserved", "a seat that is reserved is for that player alone", clauses.TABLE_FULL)
async def reserved(exam: ServerExam) -> None:
    ada, bea, cleo = await User.inside(exam), await User.inside(exam), await User.inside(exam)
    number = await ada.launch(spell.Seat(0, "reserved", ada.name), spell.Seat(1, "reserved", bea.name))
    await cleo.channel()
    await cleo.ask(spell.join(number), "join", clauses.TABLE_FULL, "table full")
    await bea.join(number)


@server("ggz.join.at-table", "one who sits: at table", clauses.AT_TABLE)
async def join_at_table(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    await ada.launch()
    number = await bea.launch()
    await ada.channel()
    await ada.ask(spell.join(number), "join", clauses.AT_TABLE, "at table")


# --- leaving --------------------------------------------------------------------------------------------------------


@server("ggz.leave.ok", "RESULT ok, then LEAVE with REASON normal", clauses.LEAVE)
async def leave_ok(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    left = await ada.leave()
    if left.get("REASON").lower() != "normal":
        raise Violation("<LEAVE REASON='normal'/>", shown(left))


@server("ggz.leave.nowhere", "at no table it is the same", clauses.LEAVE)
async def nowhere(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.leave()


@server("ggz.leave.told", "everyone in the room is told who leaves the seat", clauses.STOOD_UP)
async def leave_told(exam: ServerExam) -> None:
    cleo = await User.inside(exam)
    _, ada, bea = await seated(exam)
    number = bea.table
    await bea.leave()
    for user in (ada, cleo):
        table = await user.about_table("leave", number, clauses.STOOD_UP)
        if not table.every("SEAT"):
            raise Violation("the SEAT that was left", shown(table))
    seat = seat_of(await listed_table(cleo, number), 1)
    if fits(seat, "SEAT", {"TYPE": "player"}) and seat.text.strip() == bea.name:
        raise Violation("seat 1 is free again", shown(seat), clauses.TABLES)


@server("ggz.leave.seat-free", "the next player gets the seat", clauses.STOOD_UP)
async def seat_free(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await bea.leave()
    cleo = await User.inside(exam)
    await cleo.join(ada.table)


@server("ggz.leave.back", "one who has left may come back", clauses.JOIN)
async def back(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await bea.leave()
    await bea.join(ada.table)


@server("ggz.leave.deleted", "when the last person has left the room is told that the table is gone", clauses.DELETED)
async def leave_deleted(exam: ServerExam) -> None:
    cleo = await User.inside(exam)
    _, ada, bea = await seated(exam)
    number = ada.table
    await ada.leave()
    await cleo.about_table("leave", number, clauses.STOOD_UP)
    await listed_table(cleo, number)  # it stays while someone sits there
    await bea.leave()
    await cleo.about_table("leave", number, clauses.STOOD_UP)
    await cleo.about_table("delete", number, clauses.DELETED)


@server("ggz.leave.bot-stays-not", "a bot alone keeps no table", clauses.DELETED)
async def bot_alone(exam: ServerExam) -> None:
    if not exam.habits.bots:
        skip("the zone has no bots")
    cleo, ada = await User.inside(exam), await User.inside(exam)
    number = await ada.launch(spell.Seat(0, "reserved", ada.name), BOT)
    await ada.leave()
    await cleo.about_table("delete", number, clauses.DELETED)


@server("ggz.leave.logout", "logging out is leaving the table", clauses.STOOD_UP)
async def logout(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await bea.end()
    await ada.about_table("leave", ada.table, clauses.STOOD_UP)


@server("ggz.leave.dropped", "so is the end of the session's connection", clauses.STOOD_UP)
async def dropped(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await bea.talk.leave()
    await ada.about_table("leave", ada.table, clauses.STOOD_UP)


@server("ggz.leave.channel", "the end of the channel alone is not the end of the session", clauses.STANDING, ROBUST)
async def channel_ends(exam: ServerExam) -> None:
    _, _, bea = await seated(exam)
    assert bea.player is not None
    await bea.player.talk.leave()
    await bea.fence()


@server("ggz.leave.channel-and-leave", "LEAVE and the end of the channel at once, as clients do", clauses.LEAVE)
async def channel_and_leave(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    assert bea.player is not None
    await bea.talk.send(ask.leave(force=True))
    await bea.player.talk.leave()
    await bea.result("leave", clauses.LEAVE)
    await ada.about_table("leave", ada.table, clauses.STOOD_UP)
    await bea.fence()


# --- the owner ------------------------------------------------------------------------------------------------------


def changed(action: str, table: int, *lines: bytes) -> bytes:
    """UPDATE of a table."""
    inner = spell.element("TABLE", {"ID": table, "SEATS": 1}, lines)
    return spell.element("UPDATE", {"TYPE": "table", "ACTION": action}, (inner,))


def described(table: int, about: str) -> bytes:
    return changed("desc", table, spell.element("DESC", None, about))


async def allowed(owner: User, request: bytes, clause: Clause) -> None:
    """The owner may change the table; a zone that never lets anyone is warned."""
    try:
        await owner.ask(request, "update", clause)
    except Violation as violation:
        raise Shortfall(violation.expected, violation.came, clause) from violation


@server("ggz.owner.desc", "the owner describes the table anew, and the room is told", clauses.DESC)
async def desc(exam: ServerExam) -> None:
    cleo, ada = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    await allowed(ada, described(number, "for beginners"), clauses.DESC)
    about = (await cleo.about_table("desc", number, clauses.DESC)).child("DESC")
    if about is None or about.text.strip() != "for beginners":
        raise Violation("<DESC>for beginners</DESC>", "none" if about is None else shown(about))


@server("ggz.owner.other", "another player may not", clauses.OWNER)
async def other(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await allowed(ada, described(ada.table, "ours"), clauses.DESC)
    await bea.ask(described(ada.table, "mine"), "update", clauses.OWNER, "no permission")


@server("ggz.owner.boot", "the owner sends a player away", clauses.BOOT)
async def boot(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    seat = spell.element("SEAT", {"NUM": 1, "TYPE": "player"}, bea.name)
    await allowed(ada, changed("boot", ada.table, seat), clauses.BOOT)
    left = await bea.element("LEAVE", "<LEAVE REASON='boot'/>", clauses.BOOT)
    if left.get("REASON").lower() != "boot":
        raise Violation("<LEAVE REASON='boot'/>", shown(left))


@server("ggz.owner.boot-other", "another player may not", clauses.OWNER)
async def boot_other(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    await allowed(ada, described(ada.table, "ours"), clauses.DESC)
    seat = spell.element("SEAT", {"NUM": 0, "TYPE": "player"}, ada.name)
    await bea.ask(changed("boot", ada.table, seat), "update", clauses.OWNER, "no permission")
    await ada.untold("LEAVE", "the owner stays", clauses.OWNER)


# --- watching -------------------------------------------------------------------------------------------------------


@server("ggz.spectate.refused", "where ALLOW SPECTATORS='false' nobody watches: table full", clauses.SPECTATE)
async def spectate_refused(exam: ServerExam) -> None:
    if exam.habits.spectators:
        skip("spectators are allowed here")
    _, ada, _ = await seated(exam)
    cleo = await User.inside(exam)
    await cleo.channel()
    await cleo.ask(spell.join(ada.table, True), "join", clauses.SPECTATE, "table full")


@server("ggz.spectate.ok", "JOIN with SPECTATOR true, and the room is told", clauses.SPECTATE)
async def spectate_ok(exam: ServerExam) -> None:
    if not exam.habits.spectators:
        skip("spectators are not allowed here")
    _, ada, _ = await seated(exam)
    cleo = await User.inside(exam)
    await cleo.join(ada.table, watch=True)

    def watches(update: Element) -> bool:
        table = update.child("TABLE")
        named = () if table is None else table.every("SPECTATOR")
        return update.get("ACTION").lower() == "join" and any(one.text.strip() == cleo.name for one in named)

    await ada.find(watches, f"<SPECTATOR …>{cleo.name}</SPECTATOR>", clauses.SPECTATE)


@server("ggz.spectate.chat", "who watches hears and speaks at the table", clauses.CHAT_TABLE)
async def spectate_chat(exam: ServerExam) -> None:
    if not exam.habits.spectators:
        skip("spectators are not allowed here")
    _, ada, _ = await seated(exam)
    cleo = await User.inside(exam)
    await cleo.join(ada.table, watch=True)
    await ada.ask(ask.say("welcome", "table"), "chat", clauses.CHAT_TABLE)
    await hears(cleo, "table", ada.name, "welcome", clauses.CHAT_TABLE)


@server("ggz.spectate.move", "a line of one who watches harms nobody", clauses.STANDING, ROBUST)
async def spectate_move(exam: ServerExam) -> None:
    if not exam.habits.spectators:
        skip("spectators are not allowed here")
    table, ada, _ = await seated(exam)
    await table.choose((3, 3))
    await table.start()
    cleo = await User.inside(exam)
    await cleo.join(ada.table, watch=True)
    assert cleo.player is not None
    await cleo.player.talk.send(dots.draw("h 0 0"))
    await table.play("h 1 0")


@server("ggz.spectate.leave", "who has watched leaves as a player does", clauses.LEAVE)
async def spectate_leave(exam: ServerExam) -> None:
    if not exam.habits.spectators:
        skip("spectators are not allowed here")
    _, ada, _ = await seated(exam)
    cleo = await User.inside(exam)
    await cleo.join(ada.table, watch=True)
    await cleo.ask(ask.leave(spectator=True), "leave", clauses.LEAVE)
    await cleo.element("LEAVE", "<LEAVE REASON='normal'/>", clauses.LEAVE)


@server(
    "ggz.channel.closed-after-leave",
    "the game's connection ends when a player who has joined leaves",
    clauses.LEAVE,
    SHOULD,
)
async def closed_after_leave(exam: ServerExam) -> None:
    _, _, bea = await seated(exam)
    assert bea.player is not None
    await bea.leave()
    while not isinstance(came := await bea.player.talk.receive(), End):
        if isinstance(came, Silence):
            raise Violation("the end of the channel", shown(came))
