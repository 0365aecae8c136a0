"""Clients of any dialect: coming in, moves, turns, boxes, endings, bytes."""

import asyncio
from collections.abc import Callable, Sequence

from parlour.conform.case import Clause, ClientScript, Severity, Violation, skip
from parlour.conform.conversation import DRIBBLE
from parlour.conform.exam import ClientExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.clauses import clause
from parlour.conform.netdot.host import MAJOR, Host
from parlour.conform.netdot.room import SHORT
from parlour.conform.netdot.suite import SUITE, client
from parlour.conform.netdot.tongues import BETA, ONE, THREE, TWO, spelled
from parlour.protocols.netdot import words

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
TOLD_TURNS = (THREE, BETA)
CALM = 1.0
"""Seconds in which a client that is about to speak out of turn does."""


def common(
    name: str,
    title: str,
    rule: Clause | str,
    severity: Severity = Severity.MUST,
    dialects: Sequence[str] = SUITE.dialects,
) -> Callable[[ClientScript], ClientScript]:
    """Registers the same question to clients of several dialects."""

    def registered(script: ClientScript) -> ClientScript:
        for dialect in dialects:
            found = clause(dialect, rule) if isinstance(rule, str) else rule
            client(dialect, name, title, found, severity)(script)
        return script

    return registered


# --- coming in ------------------------------------------------------------------------------------------------------


@common("client-hello.version", "the client tells its version: two numbers, the first of them right", "version")
async def version(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    rule = clause(host.dialect, "version")
    line = await host.hear("info-version", rule)
    numbers = words.numbers(line.args)
    if len(numbers) < 2:
        raise Violation("info-version MAJOR MINOR", spelled(line), rule)
    if numbers[0] != MAJOR[host.dialect]:
        raise Violation(f"info-version {MAJOR[host.dialect]} …", spelled(line), rule)


@common(
    "client-hello.version-first", "the version comes before the features and before asking to join", clauses.INFO_ANSWER
)
async def version_first(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    told = [line for line in host.heard if line.word in ("info-version", "info-features", "request-join")]
    if told[0].word != "info-version":
        raise Violation("info-version first", spelled(told[0]), clauses.INFO_ANSWER)


@client(THREE, "client-hello.features", "request-info is answered with the features, too", clauses.INFO_ANSWER, SHOULD)
async def features(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    await host.hear("info-features", clauses.INFO_ANSWER)


@common("client-hello.join", "the client asks to join, once", "join", dialects=(THREE, TWO, BETA))
async def joins(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    await host.pump(lambda: False, SHORT)
    if host.count("request-join") > 1:
        raise Violation("request-join once", f"{host.count('request-join')} times", clause(host.dialect, "join"))


@common(
    "client-hello.join-words",
    "request-join: a colour first, then a name, if any",
    clauses.JOIN_NAME,
    dialects=TOLD_TURNS,
)
async def join_words(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    line = next(line for line in host.heard if line.word == "request-join")
    rest = line.args
    if rest.startswith("color"):
        colour, rest = words.head(rest[6:])
        if colour is None:
            raise Violation("request-join color <Int> …", spelled(line), clauses.JOIN_COLOR)
    if rest and not (rest.startswith("name ") and rest[5:].strip()):
        raise Violation("request-join [color <color>] [name <name>]", spelled(line), clauses.JOIN_NAME)


@common(
    "client-hello.waits", "before it is let in, the client speaks of nothing but that", clauses.TALK, dialects=(THREE,)
)
async def waits(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    exam.type("h 0 0")
    await host.pump(lambda: False, CALM)  # every message is checked against the usage table
    await host.admit()
    await host.goes_on(clauses.JOIN)


@common("client-hello.slowly", "a server that takes its time is waited for", "join")
async def slowly(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    await asyncio.sleep(1.2)
    await host.admit()
    await host.goes_on(clause(host.dialect, "join"))


@common(
    "client-hello.denied", "a client that is denied goes, or waits, and makes no move", clauses.DENY, dialects=(THREE,)
)
async def denied(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    await host.say("request-deny The server is full.")
    await host.pump(lambda: False, SHORT)
    host.talk.finish()
    await host.pump(lambda: False, SHORT)


@client(THREE, "client-lobby.ready", "a client that wants to play says game-ready", clauses.READY, SHOULD)
async def ready(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.hear("game-ready", clauses.READY)


@common("client-lobby.no-move", "no line is drawn in the lobby", clauses.TURN)
async def no_move(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.quiet(CALM, "no move in the lobby", clauses.TURN)


@client(TWO, "client-lobby.busy", "a client that hears network-busy asks for nothing but to look on", clauses.V2_BUSY)
async def busy(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    await host.say("request-deny A game is running.", "network-busy")
    await host.quiet(CALM, "no move: the client is not let in", clauses.V2_BUSY)
    if not host.has("request-spectate"):
        return
    await host.say("network-assign -2", "player-add 2 Opponent", "player-add 3 Third", "grid-size 3x3", "grid-reset")
    await host.say("game-start", "game-current 2", "player-line 2 hor 0,0")
    await host.quiet(CALM, "no move of a spectator", clauses.V2_SPECTATE)


@common("client-lobby.goodbye", "a client that is sent away goes", clauses.V2_DISCONNECT, dialects=(TWO,))
async def goodbye(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.say("network-disconnect")
    await host.leaves(clauses.V2_DISCONNECT)


# --- moves ----------------------------------------------------------------------------------------------------------


@common("client-move.first", "on turn, the client draws a line", clauses.TURN)
async def first(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.move()


@common("client-move.one", "one line a turn", clauses.TURN)
async def one(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.move()
    await host.quiet(CALM, "nothing until the server has told the move", clauses.TURN)


@common("client-move.typed", "what is typed is what is drawn: x to the right, y down, hor and ver", clauses.DOT)
async def typed(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.playing(exam, width=4, height=3)
    wanted, drawn = [], []
    for move in ("h 2 1", "v 3 0", "v 0 1", "h 0 2"):
        wanted.append(move)
        drawn.append(await host.turn_taken(move))
        if host.turn != host.me:
            await host.pass_turn()
    if wanted == drawn:
        return
    flipped = all(mine[0] != theirs[0] and mine[1:] == theirs[1:] for mine, theirs in zip(wanted, drawn, strict=True))
    swapped = all(mine.split()[1:] == theirs.split()[:0:-1] for mine, theirs in zip(wanted, drawn, strict=True))
    if flipped or swapped:
        raise Violation(", ".join(wanted), ", ".join(drawn), clauses.DOT)
    skip(f"the client plays by itself: it was told {wanted} and drew {drawn}")


@common(
    "client-move.not-yours",
    "while another player is on turn, the client waits",
    clauses.TURN,
    dialects=(THREE, TWO, BETA),
)
async def not_yours(exam: ClientExam) -> None:
    host = await Host.playing(exam, first=False)
    await host.quiet(CALM, "no move: it is the turn of 2", clauses.TURN)
    await host.draw("h 0 0")
    await host.move()


@common("client-move.after-own", "after its own line, the client waits for the other's", clauses.TURN)
async def after_own(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.turn_taken()
    await host.quiet(CALM, "no move: the turn has passed", clauses.TURN)
    await host.pass_turn()
    await host.move()


@common("client-move.turns", "turn after turn, one line each, none of them drawn before", clauses.DOTS)
async def turns(exam: ClientExam) -> None:
    host = await Host.playing(exam, width=4, height=4)
    for _ in range(6):
        if host.turn == host.me:
            await host.turn_taken()
        else:
            await host.pass_turn()


SIZES = {"small": (2, 2), "wide": (5, 2), "high": (2, 5), "large": (8, 8)}


def _size(slug: str, width: int, height: int) -> None:
    @common(f"client-size.{slug}", f"on a grid of {width} by {height} dots the client draws lines of that grid", "size")
    async def script(exam: ClientExam) -> None:
        host = await Host.playing(exam, width=width, height=height)
        for _ in range(3):
            if host.over:
                return
            if host.turn == host.me:
                await host.turn_taken()
            else:
                await host.pass_turn()


for _slug, (_width, _height) in SIZES.items():
    _size(_slug, _width, _height)


def _last_line(slug: str, left: str) -> None:
    @common(
        f"client-move.only-{slug}",
        "where one line is open, the client draws that one",
        clauses.DOTS,
        dialects=TOLD_TURNS,
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.playing(exam, first=False)
        for move in [move for move in host.shape.moves if move != left]:
            lines = host.drawing(host.other, move, host.other)
            await host.say(*(line for line in lines if not line.startswith(b"game-current")))
        host.turn = host.me
        await host.say(f"game-current {host.me}")
        await host.move(left)


for _slug, _move in {"top": "h 1 0", "right": "v 2 1", "middle": "v 1 0", "bottom": "h 0 2"}.items():
    _last_line(_slug, _move)


@common("client-move.refused", "a move that the server warns of may be replaced, but not for ever", "refused")
async def refused(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.move()
    await host.say("info-warn That line cannot be drawn.")
    await asyncio.sleep(SHORT)
    await host.pump(lambda: False, CALM)
    if sum(line.word in ("game-line", "game-play") for line in host.heard) > 8:
        raise Violation("a few tries at most", "a flood of moves", clause(host.dialect, "refused"))


# --- boxes and turns ------------------------------------------------------------------------------------------------


@common("client-box.own", "after closing a box the client draws again", "again")
async def own_box(exam: ClientExam) -> None:
    host = await Host.playing(exam, width=3, height=3)
    for _ in range(60):
        if host.over:
            skip("no game led to a box of the client before the end")
        if host.turn != host.me:
            offering = [move for move in host.open_lines() if not host.closes(move)]
            await host.draw((offering or host.open_lines())[0])
            continue
        closing = next((move for move in host.open_lines() if host.closes(move)), None)
        before = len(host.boxes)
        await host.turn_taken(closing)
        if len(host.boxes) > before and not host.over:
            await host.move(rule=clause(host.dialect, "again"))
            return


@common("client-box.other", "while the other closes boxes, the client waits", "again")
async def other_box(exam: ClientExam) -> None:
    host = await Host.playing(exam, width=3, height=3)
    for _ in range(60):
        if host.over:
            skip("no game led to a box of the other before the end")
        if host.turn == host.me:
            await host.turn_taken(next((move for move in host.open_lines() if not host.closes(move)), None))
            continue
        closing = next((move for move in host.open_lines() if host.closes(move)), None)
        await host.draw(closing or host.open_lines()[0])
        if closing and not host.over:
            await host.quiet(CALM, "no move: the other has closed a box and draws again", clause(host.dialect, "again"))
            return


@common("client-game.whole", "a whole game: every line legal, no line after the last box", clauses.SCORE)
async def whole(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.play_out()
    await host.quiet(CALM / 2, "no move: every box has an owner", clauses.SCORE)


@common("client-game.whole-4x3", "a whole game on 4 by 3 dots", clauses.SCORE)
async def whole_larger(exam: ClientExam) -> None:
    host = await Host.playing(exam, width=4, height=3)
    await host.play_out()
    await host.quiet(CALM / 2, "no move: every box has an owner", clauses.SCORE)


@common("client-game.again", "a second game starts on an empty grid", "start")
async def again(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.play_out()
    await host.pump(lambda: False, SHORT)
    exam.type("yes")
    await host.pump(lambda: False, SHORT)
    if host.talk.ended:
        skip("the client plays one game and goes")
    await host.start()
    await host.move(rule=clause(host.dialect, "start"))


@common("client-game.restart", "game-start within a game begins it anew: every line is open again", "start")
async def restart(exam: ClientExam) -> None:
    rule = clause(exam.dialect or THREE, "start")
    host = await Host.playing(exam, width=2, height=2)
    await host.turn_taken()
    await host.draw(host.open_lines()[0])
    await host.turn_taken()
    await host.start()
    for _ in range(2):
        move = await host.move(rule=rule)
        await host.accept(move)
        if host.turn == host.other and len(host.open_lines()) > 1:
            await host.draw(host.open_lines()[0])


@common("client-game.stop", "after game-stop no line is drawn", "start")
async def stop(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.turn_taken()
    await host.say("game-stop")
    host.state = host.state.LOBBY
    await host.quiet(CALM, "no move in the lobby", clauses.STOP)
    await host.start()
    await host.move()


@client(THREE, "client-game.spectator", "a client that is no player draws nothing", clauses.SPECTATOR)
async def spectator(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    host.state = host.state.PLAYING
    await host.say(
        "game-start", "network-add 3 -256 Third", "game-join 2", "game-join 3", "game-leave 1", "game-current 2"
    )
    host.turn = host.other
    await host.draw("h 0 0", 2, 3)
    await host.quiet(CALM, "no move of a spectator", clauses.SPECTATOR)


ORDERS = {
    "turn-first": "the turn before the line, as the beta has it",
    "box-first": "the box before the line",
    "apart": "line, box and turn in segments of their own",
}


def _order(slug: str, title: str) -> None:
    @client(THREE, f"client-order.{slug}", f"{title}: the client draws when all is told", clauses.OBEY)
    async def script(exam: ClientExam) -> None:
        host = await Host.playing(exam, first=False, width=2, height=2)
        for move in ("h 0 0", "v 0 0"):
            await host.draw(move, then=host.other)
        lines = host.drawing(host.other, "h 0 1", host.me)
        if slug == "turn-first":
            lines.reverse()
        await host.say(*lines, pause=0.02 if slug == "apart" else None)
        move = await host.move("v 1 0")
        told = host.drawing(host.me, move)
        await host.say(*(reversed(told) if slug == "box-first" else told))
        await host.quiet(SHORT, "no move: every box has an owner", clauses.SCORE)


for _slug, _title in ORDERS.items():
    _order(_slug, _title)


@common(
    "client-turn.leaver",
    "when the player on turn leaves and the client is on turn, it draws",
    "removeturn",
    dialects=(THREE, TWO),
)
async def leaver(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    if host.dialect == THREE:
        await host.say("network-add 3 -256 Third", "game-ready 3")
        await host.say(
            "game-start",
            "game-join 1",
            "game-join 2",
            "game-join 3",
            "game-current 2",
            "game-current 1",
            "network-remove 2",
        )
    else:
        await host.say("player-add 3 Third", "game-start", "game-current 2", "player-remove 2", "game-current 1")
    host.state, host.turn = host.state.PLAYING, host.me
    await host.move(rule=clause(host.dialect, "removeturn"))


@common(
    "client-turn.told",
    "game-current is obeyed, whatever the client has counted",
    clauses.CURRENT,
    dialects=(THREE, TWO, BETA),
)
async def told_turn(exam: ClientExam) -> None:
    host = await Host.playing(exam, first=False)
    await host.say(*host.drawing(host.other, "h 0 0", host.other), f"game-current {host.other}")
    await host.quiet(CALM, "no move: the server says that it is the turn of 2", clauses.CURRENT)
    await host.say(f"game-current {host.me}")
    await host.move()


# --- bytes ----------------------------------------------------------------------------------------------------------


@common("client-framing.bytewise", "a greeting and a game that come byte by byte are understood", clauses.STREAM)
async def bytewise(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    data = "".join(f"{line}\n" for line in host.starting()).encode()
    await host.talk.dribble(data, pause=DRIBBLE / 2)
    await host.move(rule=clauses.STREAM)


@common("client-framing.split", "a line in two pieces is one line", clauses.STREAM)
async def split(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    data = "".join(f"{line}\n" for line in host.starting()).encode()
    await host.talk.send(data[:-5], data[-5:], pause=0.3)
    await host.move(rule=clauses.STREAM)


@common("client-framing.merged", "many lines in one segment are many lines", clauses.STREAM)
async def merged(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    move = await host.move()
    lines = host.drawing(host.me, move)
    while host.turn == host.other:
        quiet = [each for each in host.open_lines() if not host.closes(each)]
        lines += host.drawing(host.other, (quiet or host.open_lines())[0])
    await host.say(*lines)
    await host.move(rule=clauses.STREAM)


@common("client-framing.crlf", "lines that end with CR LF are the same lines", clauses.LINE_END)
async def crlf(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.talk.send("".join(f"{line}\r\n" for line in host.starting()).encode())
    await host.move(rule=clauses.LINE_END)


@common("client-framing.own-lines", "the client ends its lines, and begins them with a command", clauses.STREAM)
async def own_lines(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.move()
    strange = [line for line in host.heard if not line.verb]
    if strange:
        raise Violation("group-verb arguments", spelled(strange[0]), clauses.STREAM)


# --- what no client may fall over from ------------------------------------------------------------------------------

STRANGE = {
    "unknown": "teapot-brew now",
    "unknown-verb": "game-teapot 1",
    "complaint": "info-warn Be careful.",
    "malformed": "info-malformed",
    "blank": "",
    "utf8": "network-chat {other} Grüße, 點格棋",
    "binary": "network-chat {other} \udcff\udcfe",
    "long": "network-chat {other} " + "x" * 3000,
    "nobody": "network-chat 99 Who am I?",
    "colour": "user-color {other} -1",
}


def _strange(slug: str, line: str) -> None:
    @common(
        f"client-robust.{slug}",
        f"the client goes on after “{line[:40]}”",
        clauses.UNKNOWN if "unknown" in slug else clauses.STANDING,
        ROBUST,
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.playing(exam, width=4, height=4)
        await host.turn_taken()
        text = line.format(other=host.other)
        if slug == "colour" and host.dialect in (TWO, ONE):
            text = text.replace("user", "player")
        before = len(host.heard)
        await host.say(text.encode("utf-8", "surrogateescape") + b"\n")
        await host.pass_turn()
        await host.move(rule=clauses.STANDING)
        answers = [each for each in host.heard[before:] if each.group in ("unknown", "info")]
        if slug in ("complaint", "malformed") and answers:
            raise Violation("no answer to a complaint", spelled(answers[0]), clauses.UNKNOWN)


for _slug, _line in STRANGE.items():
    _strange(_slug, _line)


def _gone(slug: str, title: str) -> None:
    @common(
        f"client-leaving.{slug}",
        f"a server that goes {title} leaves a client that ends in good order",
        clauses.STANDING,
        ROBUST,
    )
    async def script(exam: ClientExam) -> None:
        if slug == "at-once":
            talk = await exam.join()
            await talk.leave()
            return
        host = await (Host.welcomed(exam) if slug == "lobby" else Host.playing(exam))
        if slug == "cut":
            await host.talk.reset()
        elif slug == "half-line":
            await host.say(b"game-curr")
            await host.talk.leave()
        else:
            await host.talk.leave()


for _slug, _title in {
    "at-once": "before it has said anything",
    "lobby": "in the lobby",
    "playing": "in a game",
    "cut": "without a goodbye",
    "half-line": "in the middle of a line",
}.items():
    _gone(_slug, _title)
