"""Clients: the way in, lists, rooms, the channel, sitting down."""

import re

from parlour.conform.case import Severity, Violation
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ClientExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.lodge import ROOM, Lodge, Manners, lodge
from parlour.conform.ggz.suite import client
from parlour.conform.ggz.user import shown
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.messages import Hearing

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
ROBUSTLY = 0.3
"""Seconds in which a client that is about to fall over does."""


@client(
    "ggz.client-login.speaks-second", "the client waits for the server's first words", clauses.SPEAKS_SECOND, SHOULD
)
async def speaks_second(exam: ClientExam) -> None:
    talk = await exam.join()
    talk.phase = Hearing.STRANGER
    came = await talk.receive(0.3)
    if not isinstance(came, Silence):
        raise Violation("nothing before the server has spoken", shown(came))


@client("ggz.client-login.name", "the client logs in with a name of at most 16 bytes", clauses.CLIENT_LOGIN)
async def name(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.logged_in()
        await zone.quiet(0.1)


@client("ggz.client-login.once", "one login, and requests only after its result", clauses.CLIENT_LOGIN)
async def once(exam: ClientExam) -> None:
    manners = Manners()
    manners.codes["login"] = "hold"
    async with lodge(exam, manners) as zone:
        await zone.said("LOGIN", clauses.CLIENT_LOGIN)
        early = [one for one in zone.asked if one.tag in ("LIST", "ENTER", "LAUNCH", "JOIN", "CHAT")]
        if early:
            raise Violation("nothing before the result of the login", shown(early[0]))


REFUSALS = ("already logged in", "wrong login type", "usr lookup", "too long", "bad options")


def _refusal(code: str) -> None:
    slug = code.replace(" ", "-")

    @client(
        f"ggz.client-login.{slug}",
        f"the login is refused: {code}; the client does not go on as if it were in",
        clauses.CLIENT_REFUSED,
    )
    async def script(exam: ClientExam) -> None:
        manners = Manners()
        manners.codes["login"] = code
        async with lodge(exam, manners) as zone:
            await zone.said("LOGIN", clauses.CLIENT_LOGIN)
            await zone.quiet(ROBUSTLY)
            wrong = [one for one in zone.asked if one.tag in ("ENTER", "LAUNCH", "JOIN", "CHAT", "CHANNEL")]
            if wrong:
                raise Violation("no request that needs a login", shown(wrong[0]))


for _code in REFUSALS:
    _refusal(_code)


@client("ggz.client-login.version", "a server of VERSION 11 is not entered", clauses.CLIENT_VERSION, SHOULD)
async def version(exam: ClientExam) -> None:
    manners = Manners()
    manners.version = "11"
    async with lodge(exam, manners) as zone:
        await zone.quiet(ROBUSTLY)
        if zone.asked and any(one.tag == "LOGIN" for one in zone.asked):
            raise Violation("no LOGIN", shown(zone.asked[-1]))


@client("ggz.client-login.full", "a server that is full is not entered, and nothing falls over", clauses.SERVER, ROBUST)
async def full(exam: ClientExam) -> None:
    manners = Manners()
    manners.status = "full"
    async with lodge(exam, manners) as zone:
        await zone.quiet(ROBUSTLY)


@client("ggz.client-room.enters", "the client enters a room of the list", clauses.CLIENT_ENTER)
async def enters(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.said("ENTER", clauses.CLIENT_ENTER)
        await zone.until(lambda: zone.room is not None, "a room of the list", clauses.CLIENT_ENTER)


@client(
    "ggz.client-room.by-protocol",
    "the room is that of ENGINE Dots, VERSION 4, whatever game and room are called",
    clauses.CLIENT_GAME,
)
async def by_protocol(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.until(lambda: zone.room == ROOM, f"<ENTER ROOM='{ROOM}'/>", clauses.CLIENT_GAME)
        await zone.seated()


@client("ggz.client-room.refused", "a room that cannot be entered: room full", clauses.CLIENT_REFUSED)
async def room_refused(exam: ClientExam) -> None:
    manners = Manners()
    manners.codes["enter"] = "room full"
    async with lodge(exam, manners) as zone:
        await zone.said("ENTER", clauses.CLIENT_ENTER)
        await zone.quiet(ROBUSTLY)
        wrong = [one for one in zone.asked if one.tag in ("LAUNCH", "JOIN")]
        if wrong:
            raise Violation("no table in a room that is not entered", shown(wrong[0]))


@client(
    "ggz.client-channel.said",
    "the channel: SESSION, CHANNEL with the player's name, </SESSION>",
    clauses.CLIENT_CHANNEL,
)
async def channel(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.until(lambda: zone.channel is not None, "a second connection", clauses.CLIENT_CHANNEL)


@client("ggz.client-channel.silent", "no byte of the game before the player sits", clauses.CLIENT_CHANNEL)
async def channel_silent(exam: ClientExam) -> None:
    manners = Manners()
    manners.codes = {"join": "hold", "launch": "hold"}
    async with lodge(exam, manners) as zone:
        await zone.until(lambda: zone.channel is not None, "a second connection", clauses.CLIENT_CHANNEL)
        await zone.until(lambda: any(one.tag in ("JOIN", "LAUNCH") for one in zone.asked), "JOIN", clauses.CLIENT_SIT)
        assert zone.channel is not None
        zone.channel.phase = None
        came = await zone.channel.receive(0.2)
        if not isinstance(came, Silence | End) or (isinstance(came, Silence) and came.unread.strip()):
            raise Violation("nothing on the channel", shown(came))


@client(
    "ggz.client-table.joins",
    "where a table has a free seat, the client sits down there or launches one",
    clauses.CLIENT_SIT,
)
async def joins(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.seated()


@client("ggz.client-table.launches", "where no table is free, the client launches one", clauses.LAUNCH_FORM)
async def launches(exam: ClientExam) -> None:
    await _launched(exam, Manners())


async def _launched(exam: ClientExam, manners: Manners) -> None:
    manners.offers = False
    async with lodge(exam, manners) as zone:
        await zone.seated()


REFUSED = {"join": ("table full", "no table", "no channel"), "launch": ("launch fail", "bad options", "not in room")}


def _refused(action: str, code: str) -> None:
    slug = f"{action}-{code.replace(' ', '-')}"

    @client(
        f"ggz.client-table.{slug}",
        f"{action.upper()} is refused: {code}; no byte of a game follows",
        clauses.CLIENT_REFUSED,
    )
    async def script(exam: ClientExam) -> None:
        manners = Manners()
        manners.codes, manners.offers = {action: code}, action == "join"
        async with lodge(exam, manners) as zone:
            await zone.until(
                lambda: any(one.tag in ("JOIN", "LAUNCH") for one in zone.asked), "JOIN or LAUNCH", clauses.CLIENT_SIT
            )
            await zone.quiet(ROBUSTLY)


for _action, _codes in REFUSED.items():
    for _each in _codes:
        _refused(_action, _each)


# --- PING -------------------------------------------------------------------------------------------------------------


async def pong(zone: Lodge, ping: bytes, number: str) -> None:
    """PING is answered, with the ID that it has."""
    before = len(zone.asked)
    await zone.say(ping)

    def answered() -> bool:
        return any(one.tag == "PONG" for one in zone.asked[before:])

    await zone.until(answered, "<PONG/>", clauses.CLIENT_PONG)
    came = next(one for one in zone.asked[before:] if one.tag == "PONG")
    if came.get("ID") != number:
        raise Violation(f"<PONG ID='{number}'/>" if number else "<PONG/>", shown(came), clauses.CLIENT_PONG)


@client("ggz.client-ping.logged-in", "PING after the login is answered", clauses.CLIENT_PONG)
async def ping(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.logged_in()
        await pong(zone, spell.PING, "")


@client("ggz.client-ping.id", "PONG has the ID of the PING", clauses.CLIENT_PONG)
async def ping_id(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.logged_in()
        for number in ("7", "12345"):
            await pong(zone, spell.element("PING", {"ID": number}), number)


@client("ggz.client-ping.at-table", "PING during a game is answered, and the game goes on", clauses.CLIENT_PONG)
async def ping_at_table(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing()
        if not host.theirs:
            await host.ours()
        await pong(zone, spell.PING, "")
        await host.turn()


# --- XML --------------------------------------------------------------------------------------------------------------


def _lower(data: bytes) -> bytes:
    """Names of tags and attributes in small letters."""
    return re.sub(rb"</?[A-Z_]+|(?<= )[A-Z_]+(?==')", lambda found: found[0].lower(), data)


def _one_line(data: bytes) -> bytes:
    return re.sub(rb">\n<", b"><", data)


def _double(data: bytes) -> bytes:
    return re.sub(rb"='([^'\"]*)'", rb'="\1"', data)


def _blanks(data: bytes) -> bytes:
    return re.sub(rb"/>", b"  />", re.sub(rb">\n<", b">\n\n   <", data))


SPELLINGS = {
    "lower-case": ("names in small letters", _lower, clauses.NAMES),
    "one-line": ("no line ends between elements", _one_line, clauses.XML),
    "double-quotes": ("values in double quotes", _double, clauses.XML),
    "blanks": ("blanks within and between tags", _blanks, clauses.XML),
}
for _name, (_title, _spelled, _clause) in SPELLINGS.items():

    @client(f"ggz.client-xml.{_name}", f"{_title}: the client finds its table", _clause)
    async def spelled_otherwise(exam: ClientExam, spelled: object = _spelled) -> None:
        manners = Manners()
        manners.spelled = spelled  # type: ignore[assignment]
        async with lodge(exam, manners) as zone:
            host = await zone.playing()
            await host.turn() if host.theirs else await host.ours()


@client("ggz.client-xml.pieces", "everything comes in pieces of seven bytes", clauses.XML)
async def pieces(exam: ClientExam) -> None:
    manners = Manners()
    manners.slow = True
    async with lodge(exam, manners) as zone:
        await zone.seated()


NEWS = {
    "unknown": ("an unknown element", b"<FROBNICATE LEVEL='9'><DEEP>er</DEEP></FROBNICATE>\n"),
    "chat": (
        "talk of others",
        spell.chat("normal", "Emily", "<hello> & 'goodbye'") + spell.chat("beep", "Emily", None),
    ),
    "players": (
        "players who come and go",
        spell.player_added(ROOM, spell.Player("Emily")) + spell.player_deleted(ROOM, "Emily"),
    ),
    "lag": ("lag and counts", spell.player_lag(ROOM, "Dorothea", 3) + spell.room_players(ROOM, 5)),
    "motd": ("another message of the day", spell.motd("]]> & more")),
    "letters": ("letters of other languages", spell.chat("normal", "Ωmega", "将棋 Grüße")),
}


def _news(slug: str, title: str, data: bytes) -> None:
    clause = clauses.UNKNOWN if slug == "unknown" else clauses.XML

    @client(f"ggz.client-news.{slug}", f"{title} before every answer", clause)
    async def script(exam: ClientExam) -> None:
        manners = Manners()
        manners.news = data
        async with lodge(exam, manners) as zone:
            host = await zone.playing()
            if not host.theirs:
                await host.ours()
            await host.turn()


for _name, (_title, _data) in NEWS.items():
    _news(_name, _title, _data)

RUBBISH = {
    "broken": b"<RESULT ACTION='list' CODE=ok></LIST>\n",
    "text": b"HTTP/1.0 400 Bad Request\r\n\r\n" * 40,
    "binary": bytes(range(256)),
    "endless": b"<MOTD>" + b"x" * 200_000,
}


def _rubbish(slug: str, data: bytes) -> None:
    @client(
        f"ggz.client-robust.{slug}",
        f"{slug} words of the server: the client does not fall over",
        clauses.STANDING,
        ROBUST,
    )
    async def script(exam: ClientExam) -> None:
        async with lodge(exam) as zone:
            await zone.logged_in()
            await zone.talk.send(data)
            await zone.quiet(ROBUSTLY)


for _name, _data in RUBBISH.items():
    _rubbish(_name, _data)


@client("ggz.client-robust.end-at-once", "the server ends before it has said anything", clauses.STANDING, ROBUST)
async def end_at_once(exam: ClientExam) -> None:
    await (await exam.join()).leave()


@client("ggz.client-robust.end-after-login", "the server ends after the login", clauses.STANDING, ROBUST)
async def end_after_login(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.logged_in()
        await zone.talk.leave()
        await zone.quiet(ROBUSTLY)
