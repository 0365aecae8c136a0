"""Servers: the first words, XML, and the login."""

import asyncio
import secrets

from parlour.conform.case import Clause, Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.suite import server
from parlour.conform.ggz.user import User, fits, fresh, shown
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.messages import Element

SHOULD = Severity.SHOULD


@server("ggz.session.greeting", "the server speaks first: SESSION and SERVER", clauses.SERVER)
async def greeting(exam: ServerExam) -> None:
    await User.greeted(exam)


@server("ggz.session.version", "VERSION is 10, which all clients insist on", clauses.SERVER)
async def version(exam: ServerExam) -> None:
    user = await User.greeted(exam)
    if user.greeting.get("VERSION") != str(spell.CS_PROTOCOL):
        raise Violation("VERSION='10'", shown(user.greeting))


@server("ggz.session.attributes", "STATUS is ok, NAME is there, TLS_SUPPORT is yes or no", clauses.SERVER)
async def attributes(exam: ServerExam) -> None:
    server = (await User.greeted(exam)).greeting
    if server.get("STATUS").lower() != "ok" or "NAME" not in server.attrs:
        raise Violation("NAME='…' STATUS='ok'", shown(server))
    if server.get("TLS_SUPPORT", "no").lower() not in ("yes", "no"):
        raise Violation("TLS_SUPPORT='yes' or 'no'", shown(server))


@server("ggz.session.chatlen", "OPTIONS CHATLEN, where it is said, is a number", clauses.SERVER)
async def chatlen(exam: ServerExam) -> None:
    options = (await User.greeted(exam)).greeting.child("OPTIONS")
    if options is not None and "CHATLEN" in options.attrs and not options.number("CHATLEN"):
        raise Violation("CHATLEN with a number", shown(options))


@server("ggz.session.each-connection", "every connection is greeted", clauses.SERVER)
async def each_connection(exam: ServerExam) -> None:
    for _ in range(3):
        await User.greeted(exam)


@server("ggz.session.end", "</SESSION> is answered, and the connection closed", clauses.END)
async def end(exam: ServerExam) -> None:
    await (await User.guest(exam)).end()


@server("ggz.session.end-in-room", "the same from a room", clauses.END)
async def end_in_room(exam: ServerExam) -> None:
    await (await User.inside(exam)).end()


@server("ggz.session.end-before-login", "the same before the login", clauses.END)
async def end_before_login(exam: ServerExam) -> None:
    await (await User.stranger(exam)).end()


@server("ggz.session.ping", "PING with an ID is answered with PONG and the same ID", clauses.PING)
async def ping(exam: ServerExam) -> None:
    user = await User.guest(exam)
    for number in ("7", "8"):
        await user.talk.send(spell.element("PING", {"ID": number}))
        pong = await user.element("PONG", f"<PONG ID='{number}'/>", clauses.PING)
        if pong.get("ID") != number:
            raise Violation(f"<PONG ID='{number}'/>", shown(pong))


@server("ggz.session.ping-early", "PING is answered before the login, too", clauses.PING, SHOULD)
async def ping_early(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.talk.send(spell.element("PING", {"ID": "7"}))
    await user.element("PONG", "<PONG ID='7'/>", clauses.PING)


@server("ggz.session.pong", "a PONG that nobody has asked for is taken", clauses.PING)
async def pong(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.talk.send(spell.pong("3"))
    await user.fence()


@server("ggz.session.language", "LANGUAGE may come before the login", clauses.LOGIN)
async def language(exam: ServerExam) -> None:
    user = await User.greeted(exam)
    await user.talk.send(ask.hello("de_DE.UTF-8"))
    await user.ask(ask.login(fresh(exam)), "login", clauses.LOGIN)


# --- XML ------------------------------------------------------------------------------------------------------------


@server("ggz.xml.bytes", "login and lists, byte by byte", clauses.XML)
async def by_bytes(exam: ServerExam) -> None:
    user = await User.greeted(exam)
    await user.talk.dribble(ask.hello() + ask.login(fresh(exam)), pause=0.002)
    await user.result("login", clauses.XML)
    await user.talk.dribble(ask.enter(exam.habits.room), pause=0.002)
    await user.result("enter", clauses.XML)


@server("ggz.xml.merged", "everything up to the lists in one segment is answered in order", clauses.XML)
async def merged(exam: ServerExam) -> None:
    user = await User.greeted(exam)
    lists = ask.ask_list("game") + ask.ask_list("room")
    await user.talk.send(ask.hello() + ask.login(fresh(exam)) + lists + ask.enter(exam.habits.room))
    await user.result("login", clauses.XML)
    await user.result("list", clauses.XML)
    await user.result("list", clauses.XML)
    await user.result("enter", clauses.XML)


@server("ggz.xml.cut-tag", "a tag is cut in two segments", clauses.XML)
async def cut_tag(exam: ServerExam) -> None:
    user = await User.guest(exam)
    for at in (1, 3, 8, 12):
        request = ask.enter(exam.habits.room)
        await user.talk.send(request[:at], request[at:], pause=0.03)
        await user.result("enter", clauses.XML)


@server("ggz.xml.slow-launch", "an element with others in it comes line by line", clauses.XML)
async def slow_launch(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.channel()
    await user.talk.send(*user.launching().splitlines(keepends=True))
    await user.result("launch", clauses.XML)


@server("ggz.xml.one-line", "elements need no line ends between them", clauses.XML)
async def one_line(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    name = fresh(exam)
    await user.talk.send(f"<LOGIN TYPE='guest'><NAME>{name}</NAME></LOGIN><LIST TYPE='room'/>".encode())
    await user.result("login", clauses.XML)
    await user.result("list", clauses.XML)


@server("ggz.xml.blanks", "blanks within tags, double quotes, an end tag for an empty element", clauses.XML)
async def blanks(exam: ServerExam) -> None:
    user = await User.guest(exam)
    for request in (f'<ENTER ROOM="{exam.habits.room}" />', f"<ENTER\n  ROOM = '{exam.habits.room}'></ENTER>"):
        await user.ask(request.encode(), "enter", clauses.XML)


@server("ggz.xml.case", "names of tags and attributes in small letters", clauses.NAMES)
async def case(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    request = f"<login type='guest'><name>{fresh(exam)}</name></login>"
    await user.ask(request.encode(), "login", clauses.NAMES)
    await user.ask(f"<enter room='{exam.habits.room}'/>".encode(), "enter", clauses.NAMES)
    await user.ask(b"<List Type='room'/>", "list", clauses.NAMES)


@server("ggz.xml.hex", "a number in hexadecimal", clauses.NUMBERS, SHOULD)
async def hexadecimal(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.ask(f"<ENTER ROOM='0x{exam.habits.room:x}'/>".encode(), "enter", clauses.NUMBERS)


@server("ggz.xml.unknown-element", "an unknown element is ignored, and the next request answered", clauses.UNKNOWN)
async def unknown_element(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.talk.send(b"<FROBNICATE LEVEL='9'><DEEP>er</DEEP></FROBNICATE>\n")
    await user.enter(exam.habits.room)
    if came := user.heard("RESULT"):
        raise Violation("nothing about an unknown element", shown(came[0]))


@server("ggz.xml.unknown-attribute", "an unknown attribute is ignored", clauses.UNKNOWN)
async def unknown_attribute(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.ask(f"<ENTER COLOUR='red' ROOM='{exam.habits.room}'/>".encode(), "enter", clauses.UNKNOWN)


@server(
    "ggz.xml.misplaced",
    "NAME alone gets ACTION='protocol' CODE='bad options', and the connection stays",
    clauses.MISPLACED,
)
async def misplaced(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.talk.send(b"<NAME>lost</NAME>\n" + spell.element("PING", {"ID": 4711}))
    expected = "<RESULT ACTION='protocol' CODE='bad options'/>"
    came = await user.find(lambda element: element.tag in ("RESULT", "PONG"), expected, clauses.MISPLACED)
    if came.tag == "PONG":
        raise Shortfall(expected, "nothing", clauses.MISPLACED)
    if not fits(came, "RESULT", {"ACTION": "protocol", "CODE": "bad options"}):
        raise Violation(expected, shown(came), clauses.MISPLACED)
    await user.enter(exam.habits.room)


BROKEN = {
    "wrong-end": b"<LOGIN TYPE='guest'><NAME>x</LOGIN></NAME>\n",
    "no-quotes": b"<LIST TYPE=room/>\n",
    "two-angles": b"<<LIST TYPE='room'/>\n",
    "ampersand": b"<CHAT TYPE='normal'>you & me</CHAT>\n",
    "unknown-entity": b"<CHAT TYPE='normal'>&nonsense;</CHAT>\n",
    "stray-end": b"</LIST>\n",
    "attribute-twice": b"<LIST TYPE='room' TYPE='game'/>\n",
}


def _broken(name: str, data: bytes) -> None:
    title = f"{data.decode().strip()} is no XML: bad xml, and the end"

    @server(f"ggz.xml.broken-{name}", title, clauses.BAD_XML)
    async def script(exam: ServerExam) -> None:
        user = await User.inside(exam)
        await user.talk.send(data)
        await put_out(user, "bad xml", clauses.BAD_XML)


for _name, _data in BROKEN.items():
    _broken(_name, _data)


async def put_out(user: User, code: str, clause: Clause, wrong: type[Violation] = Violation) -> None:
    """The connection is closed, with the reason before; `wrong` is what it is when nothing comes."""
    results: list[Element] = []
    while not isinstance(came := await user.hear(), End):
        if isinstance(came, Silence):
            raise wrong(f"<RESULT ACTION='protocol' CODE='{code}'/> and the end", shown(came), clause)
        if isinstance(came, Element) and came.tag == "RESULT":
            results.append(came)
    if not results:
        raise Shortfall(f"<RESULT ACTION='protocol' CODE='{code}'/> before the end", "the end alone", clause)
    if (results[-1].get("ACTION").lower(), results[-1].get("CODE").lower()) != ("protocol", code):
        raise Violation(f"<RESULT ACTION='protocol' CODE='{code}'/>", shown(results[-1]), clause)


@server("ggz.xml.endless", "600 bytes without a tag are too many", clauses.ENDLESS)
async def endless(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.talk.send(b"blah " * 130)
    await put_out(user, "bad options", clauses.ENDLESS, Shortfall)


# --- before the login -----------------------------------------------------------------------------------------------

EARLY = {
    "list": ask.ask_list("room"),
    "enter": ask.enter(0),
    "chat": ask.say("hello"),
    "join": spell.join(1),
    "leave": ask.leave(),
    "launch": ask.launch(0, "", (spell.Seat(0, "open"), spell.Seat(1, "bot"))),
    "motd": spell.element("MOTD"),
}


def _early(action: str, request: bytes) -> None:
    @server(f"ggz.early.{action}", f"{action.upper()} before the login: not logged in", clauses.LOGGED_OUT)
    async def script(exam: ServerExam) -> None:
        user = await User.stranger(exam)
        await user.ask(request, action, clauses.LOGGED_OUT, "not logged in")
        await user.ask(ask.login(fresh(exam)), "login", clauses.LOGIN)


for _action, _request in EARLY.items():
    _early(_action, _request)


# --- the login ------------------------------------------------------------------------------------------------------


def login(kind: str | None, *inside: bytes) -> bytes:
    """LOGIN with just these parts."""
    return spell.element("LOGIN", None if kind is None else {"TYPE": kind}, inside)


def named(name: str) -> bytes:
    return spell.element("NAME", None, name)


def password(word: str) -> bytes:
    return spell.element("PASSWORD", None, word)


@server("ggz.login.guest", "a guest is let in", clauses.LOGIN)
async def guest(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.fence()


@server("ggz.login.default", "without TYPE it is a guest", clauses.LOGIN)
async def default(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(login(None, named(fresh(exam))), "login", clauses.LOGIN)


@server("ggz.login.no-name", "without a name: bad options", clauses.LOGIN_FORM)
async def no_name(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(login("guest"), "login", clauses.LOGIN_FORM, "bad options")


@server("ggz.login.unknown-type", "an unknown type: bad options", clauses.LOGIN_FORM)
async def unknown_type(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(login("emperor", named(fresh(exam))), "login", clauses.LOGIN_FORM, "bad options")


@server("ggz.login.sixteen", "a name of 16 bytes is let in", clauses.LOGIN_LENGTH)
async def sixteen(exam: ServerExam) -> None:
    user = await User.inside_as(exam, fresh(exam).ljust(16, "q"))
    players = await user.listed("player", clauses.PLAYERS)
    if user.name not in [player.get("ID") for player in players]:
        raise Violation(f"{user.name} in the list", " ".join(player.get("ID") for player in players))


@server("ggz.login.seventeen", "a name of 17 bytes: too long", clauses.LOGIN_LENGTH)
async def seventeen(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(ask.login(fresh(exam).ljust(17, "q")), "login", clauses.LOGIN_LENGTH, "too long")


@server("ggz.login.bytes-not-letters", "nine letters of two bytes each: too long", clauses.LOGIN_LENGTH, SHOULD)
async def bytes_not_letters(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(ask.login("ä" * 9), "login", clauses.LOGIN_LENGTH, "too long")


@server("ggz.login.in-use", "a name that somebody has: already logged in", clauses.LOGIN_TWICE)
async def in_use(exam: ServerExam) -> None:
    first = await User.guest(exam)
    second = await User.stranger(exam)
    await second.ask(ask.login(first.name), "login", clauses.LOGIN_TWICE, "already logged in")
    await first.fence()


@server("ggz.login.twice", "a second login on a connection: already logged in", clauses.LOGIN_TWICE)
async def twice(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.ask(ask.login(fresh(exam)), "login", clauses.LOGIN_TWICE, "already logged in")
    await user.fence()


@server("ggz.login.free-again", "a name is free again when its owner has logged out", clauses.LOGIN)
async def free_again(exam: ServerExam) -> None:
    user = await User.guest(exam)
    await user.end()
    await returning(exam, ask.login(user.name), clauses.LOGIN)


async def returning(exam: ServerExam, request: bytes, clause: Clause, *codes: str) -> User:
    """A login by a name whose last owner has just gone, which the server may still have to notice."""
    for _ in range(10):
        user = await User.stranger(exam)
        await user.talk.send(request)
        came = await user.find(lambda element: element.tag == "RESULT", "<RESULT ACTION='login'>", clause)
        if came.get("CODE").lower() != "already logged in":
            break
        await asyncio.sleep(0.1)
    if came.get("CODE").lower() not in (codes or ("ok",)):
        raise Violation(f"<RESULT ACTION='login' CODE='{' or '.join(codes or ('ok',))}'>", shown(came), clause)
    return user


@server("ggz.login.normal-unknown", "normal by a name that is not registered: user not found", clauses.NORMAL)
async def normal_unknown(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(ask.login(fresh(exam), "secret7wordX"), "login", clauses.NORMAL, "user not found")


@server("ggz.login.normal-no-password", "normal without a password: bad options", clauses.LOGIN_FORM)
async def normal_no_password(exam: ServerExam) -> None:
    user = await User.stranger(exam)
    await user.ask(login("normal", named(fresh(exam))), "login", clauses.LOGIN_FORM, "bad options")


async def registered(exam: ServerExam) -> tuple[str, str]:
    """A name and its password; skips where nobody may register."""
    user = await User.stranger(exam)
    name, word = f"C{secrets.token_hex(5)}", f"k9-{secrets.token_hex(6)}"
    await user.talk.send(ask.login(name, word, "a@example.org", first=True))
    came = await user.find(lambda element: element.tag == "RESULT", "<RESULT ACTION='login'>", clauses.FIRST)
    if came.get("CODE") != "ok":
        skip(f"nobody may register here: {came.get('CODE')}")
    told = came.child("PASSWORD")
    if told is None:
        raise Violation("<RESULT ACTION='login' CODE='ok'> with a PASSWORD", shown(came), clauses.FIRST)
    await user.end()
    return name, told.text.strip() or word


@server("ggz.login.first", "first registers a name, and tells its password", clauses.FIRST)
async def first(exam: ServerExam) -> None:
    await registered(exam)


@server("ggz.login.first-taken", "first with a name that is registered: username already taken", clauses.FIRST)
async def first_taken(exam: ServerExam) -> None:
    name, word = await registered(exam)
    again = ask.login(name, word, "b@example.org", first=True)
    await returning(exam, again, clauses.FIRST, "username already taken")


@server("ggz.login.normal", "normal with the right password", clauses.NORMAL)
async def normal(exam: ServerExam) -> None:
    name, word = await registered(exam)
    user = await returning(exam, ask.login(name, word), clauses.NORMAL)
    await user.enter(exam.habits.room)
    players = [one for one in await user.listed("player", clauses.PLAYERS) if one.get("ID") == name]
    if not players or players[0].get("TYPE").lower() == "guest":
        raise Violation(f"{name} in the list, and no guest", " ".join(map(shown, players)), clauses.PLAYERS)


@server("ggz.login.wrong-password", "normal with a wrong password: usr lookup", clauses.NORMAL)
async def wrong_password(exam: ServerExam) -> None:
    name, word = await registered(exam)
    await returning(exam, ask.login(name, word + "x"), clauses.NORMAL, "usr lookup")


@server("ggz.login.guest-registered", "a guest with a registered name: wrong login type", clauses.GUESTS)
async def guest_registered(exam: ServerExam) -> None:
    name, _ = await registered(exam)
    await returning(exam, ask.login(name), clauses.GUESTS, "wrong login type")


@server("ggz.login.motd", "MOTD is told when it is asked for", clauses.MOTD)
async def motd(exam: ServerExam) -> None:
    if not exam.habits.motd:
        skip("the zone has no message of the day")
    user = await User.guest(exam)
    await user.fence()
    user.news.clear()
    await user.talk.send(spell.element("MOTD"))
    await user.element("MOTD", "<MOTD>", clauses.MOTD)
