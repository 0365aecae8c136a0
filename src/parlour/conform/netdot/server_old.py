"""2.0, 1.x and the beta alone: greetings, the queue, spectators, what cannot be read."""

from parlour.conform.case import Clause, Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import SHORT, Room, Seat, connected, entered, introduced
from parlour.conform.netdot.server_people import gone
from parlour.conform.netdot.server_rules import ours, sides
from parlour.conform.netdot.suite import server, shared
from parlour.conform.netdot.tongues import BETA, ONE, TWO, Heard

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
OLD = (TWO, ONE)


async def quiet(seat: Seat) -> bool:
    """Reads until nothing more comes; returns whether the connection has ended."""
    while isinstance(came := await seat.next(SHORT), Heard):
        pass
    return isinstance(came, End)


# --- greetings ------------------------------------------------------------------------------------------------------


@server(TWO, "hello.first", "the server speaks first", clauses.V2_GREETING, SHOULD)
async def first_words(exam: ServerExam) -> None:
    seat = await connected(exam)
    if not seat.log:
        raise Violation("network-assign -1, info-version or request-info", "nothing", clauses.V2_GREETING)


@shared("hello.version", "the server tells its version, with the right major number", "version", SHOULD, OLD)
async def version(exam: ServerExam) -> None:
    seat = await entered(exam)
    told = seat.since(0, "version")
    if not told:
        raise Violation(
            f"info-version {exam.habits.dialect} …", "nothing of it", clauses.clause(seat.dialect, "version")
        )
    if str(told[0].numbers[0]) != exam.habits.dialect:
        rule = clauses.clause(seat.dialect, "version")
        raise Violation(f"info-version {exam.habits.dialect} …", str(told[0]), rule)


@shared("hello.other-major", "a client of another major version is disconnected", "version", SHOULD, (*OLD, BETA))
async def other_major(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.send("info-version 9 0")
    if not await quiet(seat):
        rule = clauses.V2_VERSION if seat.dialect != ONE else clauses.V1_VERSION
        raise Violation("the end of the connection, for a client that says 9.0", "it stays open", rule)


@shared("hello.minor", "another minor version does not matter", "version", dialects=OLD)
async def minor(exam: ServerExam) -> None:
    seat = await connected(exam)
    rule = clauses.clause(seat.dialect, "version")
    await seat.send(f"info-version {exam.habits.dialect} 5", *(["request-join"] if seat.dialect == TWO else []))
    await seat.until(lambda _: seat.me >= 0 or bool(seat.since(0, "busy", "full", "deny")), "a place", rule)


@shared("hello.bad-version", "a version without numbers does no harm", "version", ROBUST, (*OLD, BETA))
async def bad_version(exam: ServerExam) -> None:
    for line in ("info-version", "info-version two", "info-version 2"):
        await (await connected(exam)).send(line)
    await entered(exam)


# --- the queue of 2.0 -----------------------------------------------------------------------------------------------


async def queued(exam: ServerExam) -> Seat:
    """A client that has told its version and not asked for anything."""
    seat = await connected(exam)
    await seat.send("info-version 2 0")
    return seat


@server(TWO, "queue.deaf", "clients in the queue hear nothing of chat and game", clauses.V2_QUEUED, SHOULD)
async def queue_deaf(exam: ServerExam) -> None:
    seat = await queued(exam)
    room = await Room.lobby(exam)
    for user in room.seats:
        await user.sync()
    await quiet(seat)
    if told := seat.since(0, "chat", "line"):
        raise Violation("nothing for a client in the queue", str(told[0]), clauses.V2_QUEUED)


@server(TWO, "queue.mute", "clients in the queue are not heard in the chat", clauses.V2_QUEUED, SHOULD)
async def queue_mute(exam: ServerExam) -> None:
    witness = await entered(exam)
    seat = await queued(exam)
    await seat.say("chat", "from the queue")
    await quiet(seat)
    await witness.sync()
    if [heard for heard in witness.since(0, "chat") if "from the queue" in heard.text]:
        raise Violation("nothing of a client in the queue", "its chat", clauses.V2_QUEUED)


@server(TWO, "queue.rename", "clients in the queue are no players, and change no name", clauses.V2_RENAME)
async def queue_rename(exam: ServerExam) -> None:
    witness = await entered(exam)
    offset = len(witness.log)
    seat = await queued(exam)
    await seat.say("name", "Outsider")
    await quiet(seat)
    await witness.sync()
    if told := witness.since(offset, "name"):
        raise Violation("nothing of a client in the queue", str(told[0]), clauses.V2_RENAME)


@server(TWO, "queue.play", "clients in the queue draw nothing", clauses.V2_PLAY)
async def queue_play(exam: ServerExam) -> None:
    room = await ours(exam)
    seat = await queued(exam)
    await seat.say("play", "h 0 0")
    await quiet(seat)
    for each in room.seats:
        await each.sync()
    if room.view.lines:
        raise Violation("nothing of a client in the queue", f"{room.view.lines}", clauses.V2_PLAY)


@server(TWO, "join.twice", "a player who asks to join again stays one player", clauses.V2_JOIN)
async def join_twice(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    witness, user = room.seats
    before, me = set(witness.view.users), user.me
    await user.send("request-join")
    await user.sync()
    await witness.sync()
    if user.me != me or set(witness.view.users) - before:
        raise Violation("the same id, and no further player", f"{user.me}, {witness.view.users}", clauses.V2_JOIN)


@server(TWO, "join.order", "a newcomer gets the grid and the other players before its id", clauses.V2_JOIN, SHOULD)
async def join_order(exam: ServerExam) -> None:
    first = await entered(exam)
    late = await entered(exam)
    own = next(at for at, heard in enumerate(late.log) if heard.kind == "assign" and heard.who == late.me)
    known = {heard.who for heard in late.log[:own] if heard.kind == "add"}
    if first.me not in known or not any(heard.kind == "size" for heard in late.log[:own]):
        raise Violation("player-add of all, grid-size, and then network-assign", "another order", clauses.V2_JOIN)


async def turned_away(late: Seat, rule: Clause) -> None:
    """The client is told that a game is running, unless there is another room for it."""
    await late.until(lambda it: bool(it.since(0, "busy")) or it.me >= 0, "network-busy: a game is running", rule)
    if late.me >= 0:
        skip("the server has another room for a newcomer")


@server(TWO, "busy.told", "who asks to join a running game is told that it is busy", clauses.V2_BUSY)
async def busy(exam: ServerExam) -> None:
    await Room.playing(exam)
    late = await introduced(exam)
    await turned_away(late, clauses.V2_BUSY)


async def spectator(exam: ServerExam) -> tuple[Room, Seat]:
    """A game with a box, and a client that looks on."""
    room = await ours(exam)
    await room.play_all(*sides(0, 0).values())
    late = await introduced(exam)
    await turned_away(late, clauses.V2_BUSY)
    offset = len(late.log)
    await late.send("request-spectate")
    await late.hear("assign", "network-assign -2", clauses.V2_SPECTATE, offset, who=-2)
    await late.sync()
    return room, late


@server(
    TWO, "spectate.state", "a spectator is told of players, grid, start, lines, boxes and the turn", clauses.V2_SPECTATE
)
async def spectate(exam: ServerExam) -> None:
    room, late = await spectator(exam)
    view, known = late.view, room.view
    if not view.sized or not view.running:
        raise Violation("grid-size and game-start", "not both of them", clauses.V2_SPECTATE)
    for what, mine, theirs in (("lines", view.lines, known.lines), ("boxes", view.boxes, known.boxes)):
        if mine != theirs:
            raise Violation(f"the {what} {theirs}", f"{mine}", clauses.V2_SPECTATE)
    if not set(view.users) >= known.players:
        raise Violation(f"player-add for {sorted(known.players)}", f"{sorted(view.users)}", clauses.V2_SPECTATE)
    if not late.since(0, "current") or (view.turn != known.turn and not known.over):
        raise Violation(f"game-current {known.turn}", f"{view.turn}", clauses.V2_CURRENT)


@server(TWO, "spectate.follows", "a spectator is told of the moves that follow", clauses.V2_PLAY)
async def spectate_follows(exam: ServerExam) -> None:
    room, late = await spectator(exam)
    if room.view.over:
        skip("the grid has one box")
    mover, move = room.mover, room.view.open_lines()[0]
    await room.play(move)
    await late.hear("line", f"the line {move}, told to the spectator", clauses.V2_PLAY, who=mover.me, move=move)


@server(TWO, "spectate.chat", "a spectator's chat comes from -2, and it hears the players", clauses.V2_CHAT)
async def spectate_chat(exam: ServerExam) -> None:
    room, late = await spectator(exam)
    await late.say("chat", "well played")
    for seat in room.seats:
        await seat.until(
            lambda it: any(heard.who == -2 and "well played" in heard.text for heard in it.since(0, "chat")),
            f"network-chat -2, told to {seat.me}",
            clauses.V2_CHAT,
        )
    await room.seats[0].say("chat", "thank you")
    await late.hear("chat", "the player's answer", clauses.V2_CHAT, who=room.seats[0].me, text="thank you")


@server(TWO, "spectate.play", "a spectator draws nothing", clauses.V2_WARN)
async def spectate_play(exam: ServerExam) -> None:
    room, late = await spectator(exam)
    if room.view.over:
        skip("the grid has one box")
    before = len(room.view.lines)
    await late.say("play", room.view.open_lines()[0])
    await late.sync()
    for seat in room.seats:
        await seat.sync()
    if len(room.view.lines) != before:
        raise Violation("nothing of a spectator", "its line", clauses.V2_WARN)


@server(TWO, "spectate.lobby", "request-spectate where there is a place does no harm", clauses.V2_SPECTATE, ROBUST)
async def spectate_lobby(exam: ServerExam) -> None:
    await (await queued(exam)).send("request-spectate")
    await entered(exam)


# --- what cannot be read --------------------------------------------------------------------------------------------

UNREADABLE = {
    TWO: {
        "no-point": "game-play",
        "no-direction": "game-play 0,0",
        "direction": "game-play 0,0 up",
        "letters": "game-play a,b hor",
        "half": "game-play 0 hor",
        "fraction": "game-play 0.5,0 hor",
        "boolean": "game-play true 0, 0",
    },
    ONE: {
        "no-point": "game-play",
        "no-dot": "game-play true",
        "boolean": "game-play maybe 0, 0",
        "letters": "game-play true a, b",
        "half": "game-play true 0",
    },
    BETA: {
        "no-point": "game-line",
        "direction": "game-line 0 0 up",
        "letters": "game-line a b hor",
        "no-direction": "game-line 0 0",
    },
    "3": {
        "no-point": "game-line",
        "no-direction": "game-line 0 0",
        "direction": "game-line 0 0 up",
        "letters": "game-line a b hor",
        "half": "game-line 0 hor",
        "comma": "game-line 0,0 hor",
        "fraction": "game-line 0.5 0 hor",
    },
}


def _unreadable(dialect: str, slug: str, line: str) -> None:
    rule = {TWO: clauses.V2_POINT, ONE: clauses.V1_MALFORMED}.get(dialect, clauses.DOTS)

    @server(dialect, f"unreadable.{slug}", f"“{line}” of the player on turn draws nothing, and the game goes on", rule)
    async def script(exam: ServerExam) -> None:
        room = await Room.playing(exam)
        if not await room.our_turn():
            skip("the game is over already")
        heard = await room.refused(line, rule, may_close=True)
        await room.play(room.view.open_lines()[0])
        if dialect in OLD and not any(each.kind == "warn" for each in heard):
            raise Shortfall("info-malformed", "nothing", rule)


for _dialect, _lines in UNREADABLE.items():
    for _slug, _line in _lines.items():
        _unreadable(_dialect, _slug, _line)


@shared("unknown.verb", "a command that its group does not have is answered with unknown-GROUP", "version", SHOULD, OLD)
async def unknown_verb(exam: ServerExam) -> None:
    seat = await entered(exam)
    rule = clauses.V2_UNKNOWN if seat.dialect == TWO else clauses.V1_UNKNOWN
    await seat.send("game-teapot 1")
    await seat.sync()
    if not any(heard.line.group == "unknown" for heard in seat.log):
        raise Violation("unknown-game", "nothing of it", rule)


@shared("unknown.harmless", "after a command that there is not, the next one is understood", "chat", dialects=OLD)
async def unknown_harmless(exam: ServerExam) -> None:
    seat = await entered(exam)
    await seat.send("game-teapot 1", "teapot-brew")
    await seat.sync()


WISHES = ("request-start", "request-restart", "request-stop")


def _wish(line: str) -> None:
    @shared(
        f"wish.{line.partition('-')[2]}",
        f"{line}: whatever the server makes of it, all are served on",
        "start",
        ROBUST,
        OLD,
    )
    async def script(exam: ServerExam) -> None:
        room = await Room.lobby(exam)
        await room.seats[0].send(line)
        await room.seats[1].sync()


for _line in WISHES:
    _wish(_line)


@shared("leaving.goodbye", "network-disconnect takes a player out, and all are told", "remove", dialects=OLD)
async def goodbye(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    leaver = room.seats[1]
    await leaver.send("network-disconnect")
    await gone(room, leaver)


@server(ONE, "busy.told", "who comes while a game runs is told that it is busy", clauses.V1_BUSY)
async def busy_one(exam: ServerExam) -> None:
    await Room.playing(exam)
    late = await introduced(exam)
    await turned_away(late, clauses.V1_BUSY)


@server(ONE, "coming.list", "a newcomer is told how many players there are, and who they are", clauses.V1_LIST)
async def list_one(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    late = room.seats[1]
    if not late.since(0, "count"):
        raise Violation("player-count", "no word of it", clauses.V1_LIST)
    if not all(late.view.users.values()):
        raise Violation("player-new for each player", f"{late.view.users}", clauses.V1_LIST)


@server(BETA, "talk.version", "request-info is answered with info-version 2 0, then the features", clauses.B_INFO)
async def version_beta(exam: ServerExam) -> None:
    seat = await introduced(exam)
    answer = await seat.hear("features", "info-features", clauses.B_INFO)
    told = seat.since(0, "version")[0]
    if told.numbers[0] != 2:
        raise Violation("info-version 2 0", str(told), clauses.B_INFO)
    if seat.log.index(answer) < seat.log.index(told):
        raise Violation("the version first", str(answer), clauses.B_INFO)
