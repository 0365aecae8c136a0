"""3.0: votes. How many must say yes is the server's affair; all of them must be enough, and none must not."""

from parlour.conform.case import Clause, Severity, Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import NEVER, Room, Seat, entered, together
from parlour.conform.netdot.server_people import heard_by_all
from parlour.conform.netdot.suite import server
from parlour.conform.netdot.tongues import THREE

ROBUST = Severity.ROBUST


def _votes(exam: ServerExam) -> None:
    if not exam.habits.votes:
        skip("voting is disabled")


async def lobby(exam: ServerExam, users: int = 2) -> Room:
    """Users where votes are on."""
    _votes(exam)
    return await Room.lobby(exam, users)


async def playing(exam: ServerExam, users: int = 2) -> Room:
    """A game where votes are on."""
    _votes(exam)
    return await Room.playing(exam, users)


async def called(room: Room, what: str, seat: Seat | None = None, rule: Clause = clauses.VOTE_START) -> None:
    """A vote is asked for, and all are told that it has begun."""
    if what.split()[0] in room.view.unvotable or f"feature {what.split()[-1]}" in room.view.unvotable:
        skip(f"the server does not let vote on {what}")
    offsets = [len(each.log) for each in room.seats]
    await (seat or room.seats[0]).send(f"vote-request {what}")
    for each, offset in zip(room.seats, offsets, strict=True):
        heard = await each.hear("vote", f"“vote-start {what}”, told to {each.me}", rule, offset)
        if heard.text.split()[:2] != what.split()[:2]:
            raise Violation(f"“vote-start {what}”", str(heard), rule)


async def answered(room: Room, *answers: str, ends: bool = True) -> None:
    """Everyone's answer, and the end of the vote."""
    offsets = [len(each.log) for each in room.seats]
    for seat, answer in zip(room.seats, answers, strict=True):
        await seat.send(f"vote-{answer}")
    for seat, offset in zip(room.seats, offsets, strict=True):
        if ends:
            await seat.hear("voted", f"vote-end, told to {seat.me}: everyone has answered", clauses.VOTE_END, offset)
    for seat in room.seats:
        await seat.sync()


async def ready(room: Room) -> None:
    """All of us want to play, as far as the server has not begun by itself."""
    for seat in room.seats:
        await seat.send("game-ready")
    for seat in room.seats:
        await seat.sync()


@server(THREE, "vote.off", "where voting is disabled, no vote begins", clauses.VOTE_OFF)
async def off(exam: ServerExam) -> None:
    if exam.habits.votes:
        skip("voting is enabled")
    room = await Room.lobby(exam)
    await room.seats[0].send("vote-request restart", "vote-yes")
    for seat in room.seats:
        await seat.sync()
        if told := seat.since(0, "vote", "voted", "start"):
            raise Violation("no vote", str(told[0]), clauses.VOTE_OFF)


ASKED = {
    "restart": "restart",
    "shuffle": "shuffle",
    "lobby": "lobby",
    "enable": "enable random-start",
    "disable": "disable random-start",
}


def _told(slug: str, what: str, in_game: bool) -> None:
    place = "a game" if in_game else "the lobby"

    @server(
        THREE,
        f"vote.{slug}-{'playing' if in_game else 'lobby'}",
        f"vote-request {what} in {place} begins a vote, told to all",
        clauses.VOTE_START,
    )
    async def script(exam: ServerExam) -> None:
        room = await (playing(exam) if in_game else lobby(exam))
        await called(room, what, room.seats[1])


for _slug, _what in ASKED.items():
    for _in_game in (False, True):
        if _slug != "disable" and (_slug, _in_game) != ("lobby", False) and (_slug, _in_game) != ("shuffle", False):
            _told(_slug, _what, _in_game)


@server(THREE, "vote.end", "when everyone has said yes, the vote ends for everyone", clauses.VOTE_END)
async def end(exam: ServerExam) -> None:
    room = await playing(exam)
    await called(room, "shuffle")
    await answered(room, *["yes"] * len(room.seats))


@server(THREE, "vote.no-ends", "when everyone has said no, nothing changes", clauses.VOTE_YES)
async def no(exam: ServerExam) -> None:
    room = await playing(exam)
    before = room.view.games
    await called(room, "lobby")
    await answered(room, *["no"] * len(room.seats), ends=False)
    for seat in room.seats:
        if not seat.view.running or seat.view.games != before:
            raise Violation("the game to go on: nobody has said yes", "it was stopped", clauses.VOTE_YES)
    if await room.our_turn():
        await room.play(room.view.open_lines()[0])


@server(THREE, "vote.restart-begins", "restart, voted for by all in the lobby, starts a game", clauses.VOTE_RESTART)
async def restart_begins(exam: ServerExam) -> None:
    _votes(exam)
    room = await lobby(exam, max(2, exam.habits.need))
    await ready(room)
    if room.view.running:
        skip("the server has begun by itself")
    await called(room, "restart")
    await answered(room, *["yes"] * len(room.seats))
    for seat in room.seats:
        await seat.until(lambda it: it.view.running, "game-start", clauses.VOTE_RESTART)


@server(
    THREE,
    "vote.restart-anew",
    "restart, voted for by all in a game, starts it anew on an empty grid",
    clauses.VOTE_RESTART,
)
async def restart_anew(exam: ServerExam) -> None:
    room = await playing(exam)
    if await room.our_turn():
        await room.play(room.view.open_lines()[0])
    before = room.view.games
    await called(room, "restart")
    await answered(room, *["yes"] * len(room.seats))
    for seat in room.seats:
        await seat.until(lambda it: it.view.games > before, f"game-start, told to {seat.me}", clauses.VOTE_RESTART)
        await seat.sync()
    if room.alone and room.view.lines:
        raise Violation("an empty grid", f"{len(room.view.lines)} lines", clauses.START)


@server(THREE, "vote.lobby-stops", "lobby, voted for by all, stops the game, and all are told", clauses.VOTE_LOBBY)
async def lobby_stops(exam: ServerExam) -> None:
    room = await playing(exam)
    await called(room, "lobby")
    await answered(room, *["yes"] * len(room.seats))
    for seat in room.seats:
        await seat.until(lambda it: not it.view.running, f"game-stop, told to {seat.me}", clauses.VOTE_LOBBY)


@server(THREE, "vote.lobby-draws-nothing", "after game-stop nothing is drawn for a game", clauses.STOP)
async def lobby_draws_nothing(exam: ServerExam) -> None:
    room = await playing(exam)
    mover = room.mover if await room.our_turn() else room.seats[0]
    await called(room, "lobby")
    await answered(room, *["yes"] * len(room.seats))
    for seat in room.seats:
        await seat.until(lambda it: not it.view.running, "game-stop", clauses.VOTE_LOBBY)
    offset = len(room.seats[0].log)
    await mover.send("game-line 0 0 hor")
    for seat in room.seats:
        await seat.sync()
    if told := room.seats[0].since(offset, "box", "current"):
        raise Violation("no game in the lobby", str(told[0]), clauses.STOP)


@server(THREE, "vote.shuffle-goes-on", "after shuffle the game goes on, by its rules", clauses.VOTE_START)
async def shuffle(exam: ServerExam) -> None:
    room = await playing(exam)
    await called(room, "shuffle")
    await answered(room, *["yes"] * len(room.seats))
    for _ in range(3):
        if room.view.running and await room.our_turn():
            await room.play(room.view.open_lines()[0])


@server(THREE, "vote.kick", "kick, voted for by all others, sends the user away, and all are told", clauses.VOTE_KICK)
async def kick(exam: ServerExam) -> None:
    room = await lobby(exam, 3)
    victim = room.seats[2]
    await called(room, f"kick {victim.me} being in the way", rule=clauses.VOTE_KICK)
    for seat in room.seats[:2]:
        await seat.send("vote-yes")
    await victim.send("vote-yes")
    for seat in room.seats[:2]:
        await seat.hear("remove", f"network-remove {victim.me}, told to {seat.me}", clauses.VOTE_KICK, who=victim.me)


@server(THREE, "vote.kick-majority", "who is to be kicked by one against two stays", clauses.VOTE_YES)
async def kick_majority(exam: ServerExam) -> None:
    room = await lobby(exam, 3)
    victim = room.seats[2]
    await called(room, f"kick {victim.me}", rule=clauses.VOTE_KICK)
    for seat, answer in zip(room.seats, ("yes", "no", "no"), strict=True):
        await seat.send(f"vote-{answer}")
        await seat.sync()
    await room.seats[0].sync()
    if room.seats[0].since(0, "remove"):
        raise Violation(f"{victim.me} to stay: two of three have said no", "network-remove", clauses.VOTE_YES)


@server(THREE, "vote.feature", "a feature that is voted on is enabled for everyone, and disabled again", clauses.SWITCH)
async def feature(exam: ServerExam) -> None:
    room = await lobby(exam)
    name = "random-start"
    first, second = ("disable", "enable") if name in room.view.features else ("enable", "disable")
    for way in (first, second):
        offsets = [len(each.log) for each in room.seats]
        await called(room, f"{way} {name}", rule=clauses.VOTE_FEATURE)
        await answered(room, *["yes"] * len(room.seats))
        for seat, offset in zip(room.seats, offsets, strict=True):
            heard = await seat.hear(way, f"“feature-{way} {name}”, told to {seat.me}", clauses.SWITCH, offset)
            if name not in heard.text.split():
                raise Violation(f"“feature-{way} {name}”", str(heard), clauses.SWITCH)


@server(THREE, "vote.feature-newcomer", "who comes later is told that a feature was enabled", clauses.INFO_STATES)
async def feature_newcomer(exam: ServerExam) -> None:
    room = await lobby(exam)
    if "random-order" in room.view.features:
        skip("random-order is enabled already")
    await called(room, "enable random-order", rule=clauses.VOTE_FEATURE)
    await answered(room, *["yes"] * len(room.seats))
    late = await entered(exam)
    await room.seats[0].sync()
    together(room.seats[0], late)
    told = "random-order" in late.view.features
    room.seats.append(late)
    await called(room, "disable random-order", rule=clauses.VOTE_FEATURE)
    await answered(room, *["yes"] * len(room.seats))
    if not told:
        raise Violation("feature-enable random-order, for the newcomer", "no word of it", clauses.INFO_STATES)


@server(THREE, "vote.chat-off", "chat that was voted off is silent until it is voted on again", clauses.CHAT_OFF)
async def chat_off(exam: ServerExam) -> None:
    room = await lobby(exam)
    if not exam.habits.chat:
        skip("chat is disabled already")
    await called(room, "disable chat", rule=clauses.VOTE_FEATURE)
    await answered(room, *["yes"] * len(room.seats))
    offset = len(room.seats[1].log)
    await room.seats[0].send("network-chat hello")
    for seat in room.seats:
        await seat.sync()
    silent = not room.seats[1].since(offset, "chat")
    await called(room, "enable chat", rule=clauses.VOTE_FEATURE)
    await answered(room, *["yes"] * len(room.seats))
    if not silent:
        raise Violation("nothing: chat is disabled", "network-chat", clauses.CHAT_OFF)
    await heard_by_all(room, room.seats[0], "hello again")


@server(
    THREE, "vote.second", "while a vote runs a second one is refused, or takes its place: never both", clauses.VOTE_ONE
)
async def second(exam: ServerExam) -> None:
    room = await playing(exam)
    before = room.view.games
    await called(room, "lobby")
    offset = len(room.seats[0].log)
    await room.seats[1].send("vote-request shuffle")
    for seat in room.seats:
        await seat.sync()
    replaced = any("shuffle" in heard.text for heard in room.seats[0].since(offset, "vote"))
    await answered(room, *["yes"] * len(room.seats))
    stopped = not room.view.running or room.view.games != before
    if stopped and replaced:
        raise Violation("the game to go on: the vote on shuffle has replaced the other", "game-stop", clauses.VOTE_ONE)
    if not (stopped or replaced):
        raise Violation("game-stop: the vote was on lobby", "nothing of it", clauses.VOTE_ONE)


@server(THREE, "vote.once", "a user's yes counts once, however often it is said", clauses.VOTE_YES)
async def once(exam: ServerExam) -> None:
    enough = []
    for times in (1, 4):
        room = await playing(exam, 3)
        await called(room, "lobby")
        await room.seats[1].send(*["vote-yes"] * times)
        for seat in room.seats:
            await seat.sync()
        enough.append(not room.view.running)
        for seat in room.seats:
            await seat.talk.leave()
    if enough == [False, True]:
        raise Violation(
            "a vote of three that one user alone does not decide",
            "four times yes of one user decide it",
            clauses.VOTE_YES,
        )


@server(THREE, "vote.minority", "one yes and two no change nothing", clauses.VOTE_YES)
async def minority(exam: ServerExam) -> None:
    room = await playing(exam, 3)
    before = room.view.games
    await called(room, "lobby")
    await answered(room, "yes", "no", "no", *["no"] * (len(room.seats) - 3), ends=False)
    if not room.view.running or room.view.games != before:
        raise Violation("the game to go on: two of three have said no", "game-stop", clauses.VOTE_YES)


@server(THREE, "vote.stray", "answers without a vote mean nothing", clauses.VOTE_YES)
async def stray(exam: ServerExam) -> None:
    room = await playing(exam)
    offsets = [len(seat.log) for seat in room.seats]
    for seat in room.seats:
        await seat.send("vote-yes", "vote-no", "vote-yes")
    for seat, offset in zip(room.seats, offsets, strict=True):
        await seat.sync()
        if told := seat.since(offset, "vote", "start", "stop"):
            raise Violation("nothing: there is no vote", str(told[0]), clauses.VOTE_YES)


@server(THREE, "vote.next", "after a vote another can begin", clauses.VOTE_ONE)
async def following(exam: ServerExam) -> None:
    room = await playing(exam)
    for _ in range(2):
        await called(room, "shuffle")
        await answered(room, *["yes"] * len(room.seats))


@server(THREE, "vote.leaver", "a voter who leaves is not waited for", clauses.VOTE_END)
async def leaver(exam: ServerExam) -> None:
    room = await playing(exam, 3)
    await called(room, "shuffle")
    gone = room.seats.pop()
    await gone.talk.leave()
    await answered(room, *["yes"] * len(room.seats))


@server(THREE, "vote.disabled", "what is said to be disabled cannot be voted on", clauses.VOTE_DISABLED)
async def disabled(exam: ServerExam) -> None:
    room = await lobby(exam)
    if not room.view.unvotable:
        skip("everything can be voted on")
    what = sorted(room.view.unvotable)[0].replace("feature ", "enable ")
    await room.seats[0].send(f"vote-request {what}")
    for seat in room.seats:
        await seat.sync()
        if told := seat.since(0, "vote"):
            raise Violation(f"no vote on {what}", str(told[0]), clauses.VOTE_DISABLED)


BAD = {
    "nothing": "vote-request",
    "unknown": "vote-request teapot",
    "kick-nobody": "vote-request kick 9999",
    "kick-word": "vote-request kick him",
    "feature-none": "vote-request enable",
    "feature-unknown": "vote-request enable teapot",
}


def _bad(slug: str, line: str) -> None:
    @server(
        THREE,
        f"vote.bad-{slug}",
        f"“{line}” does no harm",
        clauses.VOTE_FEATURE if "able" in line else clauses.VOTE_START,
        ROBUST,
    )
    async def script(exam: ServerExam) -> None:
        room = await lobby(exam)
        await room.seats[0].send(line)
        await room.seats[1].sync()
        await entered(exam, lobby=False)


for _slug, _what in BAD.items():
    _bad(_slug, _what)


@server(THREE, "vote.starts-games", "where votes are on, a vote can start a game", clauses.VOTE_RESTART)
async def starts_games(exam: ServerExam) -> None:
    _votes(exam)
    if exam.habits.starts == NEVER:
        raise Violation("a game, after a vote on restart", "none", clauses.VOTE_RESTART)
