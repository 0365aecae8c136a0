"""3.0 alone: the handshake, joining, readiness, spectators, features, heartbeats."""

from parlour.conform.case import Clause, Severity, Violation, skip
from parlour.conform.conversation import End
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import HELLO, SHORT, Room, Seat, connected, entered, introduced, together
from parlour.conform.netdot.server_people import heard_by_all
from parlour.conform.netdot.server_rules import ours, sides
from parlour.conform.netdot.suite import server, shared
from parlour.conform.netdot.tongues import BETA, THREE

OFFICIAL = ("chat", "vote", "random-start", "random-order")
SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
BOTH = (THREE, BETA)


# --- Talk -----------------------------------------------------------------------------------------------------------


@shared("talk.request-info", "the server's first words ask for the client's", clauses.FIRST_WORDS, SHOULD, BOTH)
async def first_words(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.hear("ask", "request-info, before the client has said anything", clauses.FIRST_WORDS)


@server(
    THREE,
    "talk.version",
    "request-info is answered with info-version 3, and the features after it",
    clauses.INFO_ANSWER,
)
async def version(exam: ServerExam) -> None:
    seat = await introduced(exam)
    await seat.talk.listen(0)
    answer = await seat.hear("version", "info-version", clauses.INFO_ANSWER)
    if answer.numbers[0] != 3:
        raise Violation("info-version 3 …", str(answer), clauses.VERSION)
    await _listen(seat)
    kinds = [heard.kind for heard in seat.log if heard.kind in ("version", "features", "enable", "disable")]
    if kinds[0] != "version":
        raise Violation("the version first", f"{kinds[0]} before it", clauses.INFO_ANSWER)


async def _listen(seat: Seat) -> None:
    """Reads until nothing more comes."""
    while not isinstance(came := await seat.next(SHORT), End) and hasattr(came, "kind"):
        pass


@server(
    THREE, "talk.features", "request-info is answered with the features that are supported", clauses.INFO_ANSWER, SHOULD
)
async def features(exam: ServerExam) -> None:
    seat = await introduced(exam)
    await seat.hear("features", "info-features, after info-version", clauses.INFO_ANSWER)


@server(THREE, "talk.features-known", "only features that are supported are enabled", clauses.FEATURES)
async def features_known(exam: ServerExam) -> None:
    seat = await introduced(exam)
    await _listen(seat)
    told = [word for heard in seat.since(0, "features") for word in heard.line.args.split()]
    enabled = [word for heard in seat.since(0, "enable") for word in heard.text.split()]
    if told and (more := set(enabled) - set(told) - {"chat"}):
        raise Violation(f"nothing enabled but of {told}", f"{sorted(more)}", clauses.FEATURES)


@server(THREE, "talk.asked-twice", "request-info is answered as often as it is asked", clauses.INFO_ANSWER)
async def asked_twice(exam: ServerExam) -> None:
    seat = await introduced(exam)
    await _listen(seat)
    offset = len(seat.log)
    await seat.send("request-info")
    await seat.hear("version", "info-version once more", clauses.INFO_ANSWER, offset)


@server(THREE, "talk.motd", "request-motd is answered with info-motd", clauses.MOTD)
async def motd(exam: ServerExam) -> None:
    seat = await introduced(exam)
    await seat.send("request-motd")
    await seat.hear("motd", "info-motd", clauses.MOTD)


@server(THREE, "talk.minor", "another minor version does not matter", clauses.VERSION, SHOULD)
async def minor(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.send("info-version 3 9", "request-info", "request-join name Uma")
    await seat.until(
        lambda _: seat.me >= 0 or bool(seat.since(0, "deny")), "network-assign for a client of 3.9", clauses.VERSION
    )


@server(THREE, "talk.major", "a version that there is not does no harm", clauses.VERSION, ROBUST)
async def major(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.send("info-version 99 0", "request-join")
    await entered(exam)


@server(THREE, "talk.version-words", "a version without numbers does no harm", clauses.VERSION, ROBUST)
async def version_words(exam: ServerExam) -> None:
    for line in ("info-version", "info-version three", "info-version 3"):
        await (await connected(exam)).send(line)
    await entered(exam)


@server(THREE, "talk.deaf", "who has not joined hears nothing of the network", clauses.TALK)
async def deaf(exam: ServerExam) -> None:
    seat = await introduced(exam)
    room = await Room.lobby(exam)
    await room.seats[0].send("network-chat hello", "user-name Verena", "game-ready")
    await room.seats[0].sync()
    await _listen(seat)  # every message that comes is checked against the state


@server(THREE, "talk.mute", "who has not joined is not heard in the network", clauses.TALK)
async def mute(exam: ServerExam) -> None:
    witness = await entered(exam)
    seat = await introduced(exam)
    offset = len(witness.log)
    await seat.send("network-chat hello", "user-name Verena", "game-ready")
    await _listen(seat)
    await witness.sync()
    if told := witness.since(offset, "chat", "name", "ready"):
        raise Violation("nothing of a client that has not joined", str(told[0]), clauses.TALK)


# --- joining --------------------------------------------------------------------------------------------------------

JOINS = {
    "name": ("a name that is asked for is given", "request-join name Verena", "Verena", None),
    "name-blanks": ("a name with blanks", "request-join name Ada of the Hill", "Ada of the Hill", None),
    "name-color": ("a name that begins like a colour", "request-join name color 5", "color 5", None),
    "name-utf8": ("a name in any letters", "request-join name Zoë 點", "Zoë 點", None),
    "name-hyphen": ("a name with hyphens", "request-join name Jean-Luc", "Jean-Luc", None),
    "color": ("a colour that is asked for is given", "request-join color -8388480", None, -8388480),
    "both": ("colour and name together", "request-join color -65281 name Verena", "Verena", -65281),
}


def _joins(slug: str, title: str, line: str, name: str | None, color: int | None) -> None:
    @shared(
        f"join.{slug}",
        f"{title}, to the newcomer and to all others",
        clauses.JOIN_NAME if name else clauses.JOIN_COLOR,
        dialects=BOTH,
    )
    async def script(exam: ServerExam) -> None:
        first = await entered(exam)
        late = await entered(exam, line)
        await first.hear("add", f"{late.me}, the newcomer", clauses.ADD_OTHERS, who=late.me)
        for seat in (late, first):
            view = seat.view
            if name is not None and view.users[late.me] != name:
                raise Violation(f"the name {name}", view.users[late.me], clauses.JOIN_NAME)
            if color is not None and (view.colors[late.me] ^ color) & 0xFFFFFF:
                raise Violation(f"the colour {color}", str(view.colors[late.me]), clauses.JOIN_COLOR)


for _slug, _rest in JOINS.items():
    _joins(_slug, *_rest)


@shared("join.bare", "request-join without a wish gives a name and a colour", clauses.JOIN, dialects=BOTH)
async def bare(exam: ServerExam) -> None:
    await entered(exam, "request-join")


@server(THREE, "join.assign-first", "the id comes before everything else of the network", clauses.ASSIGN_FIRST)
async def assign_first(exam: ServerExam) -> None:
    await entered(exam)
    late = await entered(exam)
    network = [heard for heard in late.log if heard.line.group in ("network", "game", "user")]
    if network[0].kind != "assign":
        raise Violation("network-assign first", str(network[0]), clauses.ASSIGN_FIRST)


@server(THREE, "join.order", "the users come before the size, the size before the game", clauses.JOIN_STATE)
async def join_order(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    if await room.our_turn():
        await room.play(room.view.open_lines()[0])
    late = await entered(exam, lobby=False)
    await room.seats[0].sync()
    together(room.seats[0], late)
    order = [heard.kind for heard in late.log if heard.kind in ("assign", "add", "size", "start", "line")]
    ranks = [("assign", "add", "size", "start", "line").index(kind) for kind in order]
    if ranks != sorted(ranks):
        raise Violation(
            "network-assign, network-add…, game-size, game-start, game-line…", " ".join(order), clauses.JOIN_STATE
        )


@shared(
    "join.running",
    "who joins while a game runs is told of all its lines, boxes and the turn",
    clauses.JOIN_STATE,
    dialects=BOTH,
)
async def join_running(exam: ServerExam) -> None:
    room = await ours(exam)
    await room.play_all(*sides(0, 0).values())
    late = await entered(exam, lobby=False)
    await room.seats[0].sync()
    together(room.seats[0], late)
    compared(room, late)


def compared(room: Room, late: Seat) -> None:
    """A newcomer knows what all others know."""
    view, known = late.view, room.view
    if not view.running:
        raise Violation("game-start: a game is running", "no word of it", clauses.JOIN_STATE)
    for what, mine, theirs in (("lines", view.lines, known.lines), ("boxes", view.boxes, known.boxes)):
        if mine != theirs:
            raise Violation(f"the {what} {theirs}", f"{mine}", clauses.JOIN_STATE)
    if not known.over and view.turn not in (known.turn, -1):
        raise Violation(f"the turn of {known.turn}", f"that of {view.turn}", clauses.CURRENT)


@shared(
    "join.looks-on",
    "who joins while a game runs sees it go on, and draws nothing unasked",
    clauses.SPECTATOR,
    dialects=BOTH,
)
async def looks_on(exam: ServerExam) -> None:
    room = await ours(exam)
    await room.play("h 0 0")
    late = await entered(exam, lobby=False)
    await room.seats[0].sync()
    together(room.seats[0], late)
    late.view.turn = room.view.turn
    late.view.players = set(room.view.players) | ({late.me} & late.view.players)
    room.seats.append(late)
    if late.me in late.view.players:
        skip("the server lets a newcomer into the running game")
    await room.refused(f"game-line {room.view.shape.width - 2} 1 hor", clauses.SPECTATOR, late)
    await room.play("v 0 0")


@server(THREE, "join.twice", "a user who asks to join again stays one user", clauses.ASSIGN_UNIQUE)
async def join_twice(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    witness, user = room.seats
    before = set(witness.view.users)
    await user.send("request-join name Second")
    await _listen(user)
    await witness.sync()
    if more := set(witness.view.users) - before:
        raise Violation("no further user", f"{sorted(more)}", clauses.ASSIGN_UNIQUE)


BAD_JOINS = {
    "color-word": "request-join color red",
    "color-alone": "request-join color",
    "name-alone": "request-join name",
    "word": "request-join please",
}


def _bad_join(slug: str, line: str) -> None:
    @server(
        THREE,
        f"join.bad-{slug}",
        f"“{line}” is answered somehow, or not, and the next one is served",
        clauses.JOIN,
        ROBUST,
    )
    async def script(exam: ServerExam) -> None:
        await (await introduced(exam)).send(line)
        await entered(exam)


for _slug, _line in BAD_JOINS.items():
    _bad_join(_slug, _line)


@server(THREE, "join.no-info", "a client may join without having asked for anything", clauses.JOIN, ROBUST)
async def no_info(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.send(HELLO[THREE][0], "request-join name Uma")
    await _listen(seat)
    await entered(exam)


# --- readiness ------------------------------------------------------------------------------------------------------


async def tell(room: Room, seat: Seat, line: str, kind: str, rule: Clause) -> None:
    """A line of one user, of which all are told with its id."""
    offsets = [len(each.log) for each in room.seats]
    await seat.send(line)
    for each, offset in zip(room.seats, offsets, strict=True):
        await each.hear(kind, f"“{line} {seat.me}”, told to {each.me}", rule, offset, who=seat.me)


@server(THREE, "ready.told", "game-ready of a user is told to everyone", clauses.READY)
async def ready(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 3)
    await tell(room, room.seats[1], "game-ready", "ready", clauses.READY)


@server(THREE, "ready.not-told", "game-notready of a user is told to everyone", clauses.NOTREADY)
async def notready(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 3)
    await tell(room, room.seats[1], "game-ready", "ready", clauses.READY)
    await tell(room, room.seats[1], "game-notready", "notready", clauses.NOTREADY)


@server(THREE, "ready.again", "a user may become ready again", clauses.READY)
async def ready_again(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 2)
    for line, kind, rule in (
        ("game-ready", "ready", clauses.READY),
        ("game-notready", "notready", clauses.NOTREADY),
        ("game-ready", "ready", clauses.READY),
    ):
        await tell(room, room.seats[0], line, kind, rule)


@server(THREE, "ready.players", "the ready users are the players, and no one else", clauses.READY_PLAYS)
async def ready_players(exam: ServerExam) -> None:
    room = await Room.playing(exam, idle=1)
    watcher = room.seats[-1]
    for seat in room.seats:
        if watcher.me in seat.view.players:
            raise Violation(
                f"{watcher.me}, who is not ready, to look on",
                f"players {sorted(seat.view.players)}",
                clauses.READY_PLAYS,
            )
    for _ in range(4):
        if await room.our_turn():
            await room.play(exam.rng.choice(room.view.open_lines()))


@server(THREE, "ready.withdrawn", "who is no longer ready is not made to play", clauses.NOTREADY)
async def withdrawn(exam: ServerExam) -> None:
    if exam.habits.starts == "never":
        skip("games are started by the server's host alone, and nobody does")
    room = await Room.lobby(exam, exam.habits.need)
    unwilling = await entered(exam)
    await room.seats[0].sync()
    together(room.seats[0], unwilling)
    room.seats.append(unwilling)
    await unwilling.send("game-ready", "game-notready")
    await unwilling.hear("notready", "game-notready, told to its sender", clauses.NOTREADY, who=unwilling.me)
    await room.start(room.seats[:-1])
    if unwilling.me in room.view.players:
        raise Violation(
            f"{unwilling.me}, who is not ready, to look on", f"players {sorted(room.view.players)}", clauses.NOTREADY
        )


@server(THREE, "ready.spectator-line", "a spectator draws nothing", clauses.SPECTATOR)
async def spectator_line(exam: ServerExam) -> None:
    room = await Room.playing(exam, idle=1)
    if await room.our_turn():
        x, y = room.view.open_lines()[0].split()[1:]
        direction = "hor" if room.view.open_lines()[0][0] == "h" else "ver"
        await room.refused(f"game-line {x} {y} {direction}", clauses.SPECTATOR, room.seats[-1])
        await room.play(room.view.open_lines()[0])


# --- leaving the game -----------------------------------------------------------------------------------------------


async def left(room: Room, leaver: Seat) -> None:
    """A player leaves the game and stays in the network; all are told, and the game goes on."""
    turn = room.view.turn
    await tell(room, leaver, "game-leave", "leave", clauses.LEAVE)
    for seat in room.seats:
        try:
            await seat.until(lambda it: it.view.settled, "", None)
        except Violation as wrong:
            raise Violation(seat.view.owes[0], wrong.came, seat.view.owes[1]) from wrong
        await seat.sync()
    if not room.view.running:
        skip("the server stops a game that somebody leaves")
    if turn == leaver.me and room.view.turn == leaver.me:
        raise Violation("the turn of another player", f"game-current {turn}", clauses.LEAVE)
    if turn != leaver.me and room.view.turn != turn:
        raise Violation(f"the turn of {turn} to stay", f"that of {room.view.turn}", clauses.CURRENT)


@server(
    THREE, "leave.on-turn", "a player on turn may leave the game: all are told, and the next is on turn", clauses.LEAVE
)
async def leave_on_turn(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    await left(room, room.mover)
    for _ in range(4):
        await room.play(room.view.open_lines()[0])


@server(THREE, "leave.off-turn", "another player may leave as well: the turn stays", clauses.LEAVE)
async def leave_off_turn(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    await left(room, room.waiting)
    for _ in range(4):
        await room.play(room.view.open_lines()[0])


@server(THREE, "leave.one-of-two", "one of two may leave: the other is told, or the game is stopped", clauses.LEAVE)
async def leave_one_of_two(exam: ServerExam) -> None:
    room = await ours(exam, 2)
    leaver, stays = room.waiting, room.mover
    offset = len(stays.log)
    await leaver.send("game-leave")
    expected = f"game-leave {leaver.me}, or game-stop"
    await stays.until(lambda it: not it.view.running or bool(it.since(offset, "leave")), expected, clauses.LEAVE)


@server(THREE, "leave.draws-nothing", "who has left the game draws nothing, and sees it go on", clauses.SPECTATOR)
async def leave_draws_nothing(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    leaver = room.mover
    await left(room, leaver)
    await room.refused("game-line 0 0 hor", clauses.SPECTATOR, leaver)
    await room.play("h 0 0")


@server(THREE, "leave.stays", "who has left the game is still in the network", clauses.LEAVE)
async def leave_stays(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    leaver = room.mover
    await left(room, leaver)
    for seat in room.seats:
        if leaver.me not in seat.view.users:
            raise Violation(f"{leaver.me} still among the users", f"{sorted(seat.view.users)}", clauses.LEAVE)
    if exam.habits.chat:
        await heard_by_all(room, leaver, "I look on")


# --- heartbeats, features -------------------------------------------------------------------------------------------


@shared("ping.lobby", "network-ping is answered in the lobby, each time", clauses.PING, dialects=BOTH)
async def ping(exam: ServerExam) -> None:
    seat = await entered(exam)
    for _ in range(3):
        await seat.sync()


@shared("ping.playing", "network-ping is answered in a game, to who asks", clauses.PING, dialects=BOTH)
async def ping_playing(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    offsets = [len(seat.log) for seat in room.seats]
    await room.seats[0].sync()
    await room.seats[1].sync()
    if len(room.seats[1].since(offsets[1], "pong")) > 1:
        raise Violation("one network-pong for one network-ping", "two", clauses.PING)


@server(THREE, "feature.chat-off", "where chat is disabled, nobody is heard", clauses.CHAT_OFF)
async def chat_off(exam: ServerExam) -> None:
    if exam.habits.chat:
        skip("chat is enabled")
    room = await Room.lobby(exam)
    await room.seats[0].send("network-chat hello")
    await room.seats[0].sync()
    offset = 0
    await room.seats[1].sync()
    if told := room.seats[1].since(offset, "chat"):
        raise Violation("nothing: chat is disabled", str(told[0]), clauses.CHAT_OFF)


@server(THREE, "feature.same", "all clients are told the same features", clauses.INFO_STATES)
async def same_features(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    one, two = (seat.view.features for seat in room.seats)
    if one != two:
        raise Violation(f"the features {sorted(one)} for everyone", f"{sorted(two)}", clauses.INFO_STATES)
