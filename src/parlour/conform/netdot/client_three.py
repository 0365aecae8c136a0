"""Clients of 3.0: heartbeats, votes, features, and everything that a server may say in each state."""

from parlour.conform.case import Severity, Violation
from parlour.conform.exam import ClientExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.client_cases import CALM, common
from parlour.conform.netdot.host import Host
from parlour.conform.netdot.room import SHORT
from parlour.conform.netdot.suite import client
from parlour.conform.netdot.tongues import BETA, THREE, spelled
from parlour.protocols.netdot.phases import USAGE, State, may

ROBUST = Severity.ROBUST


async def beats(host: Host, times: int = 1) -> None:
    """Heartbeats, each of which is answered."""
    before = host.count("network-pong")
    for _ in range(times):
        await host.say("network-ping")
    await host.hear("network-pong", clauses.PING, before + times - 1)


@common("client-ping.lobby", "a heartbeat in the lobby is answered", clauses.PING, dialects=(THREE, BETA))
async def ping_lobby(exam: ClientExam) -> None:
    await beats(await Host.welcomed(exam))


@common(
    "client-ping.playing",
    "a heartbeat in a game is answered, on turn and off turn",
    clauses.PING,
    dialects=(THREE, BETA),
)
async def ping_playing(exam: ClientExam) -> None:
    host = await Host.playing(exam, first=False)
    await beats(host)
    await host.draw("h 0 0")
    await beats(host)
    await host.move()


@common("client-ping.each", "three heartbeats are answered three times", clauses.PING, dialects=(THREE, BETA))
async def ping_each(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await beats(host, 3)
    await host.pump(lambda: False, SHORT)
    if host.count("network-pong") > 3:
        raise Violation("three network-pong", str(host.count("network-pong")), clauses.PING)


@client(THREE, "client-ping.unasked", "a network-pong that was not asked for is not answered", clauses.PING)
async def pong(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    before = host.count("network-pong")
    await host.say("network-pong")
    await host.pump(lambda: False, SHORT)
    if host.count("network-pong") > before:
        raise Violation("nothing", "network-pong", clauses.PING)


VOTES = (
    "restart",
    "lobby",
    "shuffle",
    "kick 2",
    "kick 2 too slow",
    "enable random-start",
    "disable chat",
    "teapot",
    "enable teapot",
)


def _vote(what: str, state: State) -> None:
    slug = f"{what.replace(' ', '-')}-{state.value.lower()}"

    @client(
        THREE,
        f"client-vote.{slug}",
        f"a vote on {what} in {state.value} is answered with yes or no, or not at all",
        clauses.VOTE_YES,
    )
    async def script(exam: ClientExam) -> None:
        host = await (Host.welcomed(exam) if state is State.LOBBY else Host.playing(exam, first=False))
        await host.say("feature-enable vote")
        before = len(host.heard)
        await host.say(f"vote-start {what}")
        await host.pump(lambda: False, SHORT)
        votes = [line for line in host.heard[before:] if line.group == "vote"]
        if strange := [line for line in votes if line.word not in ("vote-yes", "vote-no")]:
            raise Violation("vote-yes or vote-no", spelled(strange[0]), clauses.VOTE_YES)
        if len(votes) > 1:
            raise Violation("one answer", f"{len(votes)}", clauses.VOTE_YES)
        await host.say("vote-end")
        await beats(host)


for _what in VOTES:
    for _state in (State.LOBBY, State.PLAYING):
        _vote(_what, _state)


@client(THREE, "client-vote.off", "without the feature vote no vote is asked for", clauses.VOTE_OFF)
async def vote_off(exam: ClientExam) -> None:
    host = await Host.playing(exam, width=2, height=2)
    await host.play_out()
    exam.type("yes")
    await host.pump(lambda: False, CALM)
    if host.has("vote-request"):
        raise Violation("no vote-request: voting is disabled", "vote-request", clauses.VOTE_OFF)


@client(THREE, "client-vote.replaced", "a vote may be replaced by another without vote-end", clauses.VOTE_START)
async def vote_replaced(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.say("feature-enable vote", "vote-start shuffle", "vote-start restart", "vote-end")
    await beats(host)


ARGUMENTS = {
    "request-deny": "not now",
    "info-version": "3 0",
    "info-motd": "Welcome, all of you.",
    "info-features": "chat vote random-start random-order",
    "feature-enable": "random-start random-order",
    "feature-disable": "chat",
    "vote-start": "shuffle",
    "vote-enable": "kick",
    "vote-disable": "feature chat",
    "network-announce": "The server will rest at noon.",
    "network-add": "3 -256 Third User",
    "network-remove": "3",
    "network-chat": "2 hello there",
    "user-name": "2 Another Name",
    "user-color": "2 -16711936",
    "game-ready": "2",
    "game-notready": "2",
    "game-leave": "3",
    "game-join": "3",
    "game-size": "3 3",
    "game-line": "2 0 0 hor",
    "game-box": "2 0 0",
    "game-current": "2",
}
LATER = {"network-assign", "request-deny", "game-start", "game-stop"}
"""What other cases are about."""


def _said(word: str, state: State) -> None:
    title = f"{word} in {state.value} is taken as the document has it: the client goes on"

    @client(THREE, f"client-state.{state.value.lower()}-{word}", title, clauses.TABLE)
    async def script(exam: ClientExam) -> None:
        line = f"{word} {ARGUMENTS.get(word, '')}".strip()
        if state is State.TALK:
            host = await Host.greeted(exam)
            await host.asked_in()
            await host.say(line)
            await host.admit()
        else:
            host = await (Host.welcomed(exam) if state is State.LOBBY else Host.playing(exam, first=False))
            await host.say("network-add 3 -256 Third", line)
        await beats(host)
        if state is not State.PLAYING:
            await host.start()
        elif word == "game-line":
            host.lines["h 0 0"] = host.other
        if host.turn != host.me:
            host.turn = host.me
            await host.say(f"game-current {host.me}")
        await host.move(rule=clauses.TABLE)


for _state in State:
    for _word in USAGE:
        if may("S", _word, _state) and _word not in LATER and _word != "request-info":
            _said(_word, _state)


@client(THREE, "client-network.crowd", "forty users come and go, and the client goes on", clauses.ADD_ALL, ROBUST)
async def crowd(exam: ClientExam) -> None:
    host = await Host.welcomed(exam)
    await host.say(*(f"network-add {number} -256 User {number}" for number in range(3, 43)))
    await host.say(*(f"network-remove {number}" for number in range(3, 43)))
    await beats(host)
    await host.goes_on(clauses.ADD_ALL)


@client(THREE, "client-network.removed", "a client that is removed falls over nothing", clauses.VOTE_KICK, ROBUST)
async def removed(exam: ClientExam) -> None:
    host = await Host.playing(exam)
    await host.say(f"network-remove {host.me}")
    await host.pump(lambda: False, SHORT)
    await host.talk.leave()


@client(THREE, "client-network.owner", "the owner of a box may change, and the client goes on", clauses.OBEY)
async def owner(exam: ClientExam) -> None:
    host = await Host.playing(exam, first=False)
    for move in ("h 0 0", "h 0 1", "v 0 0", "v 1 0"):
        await host.draw(move, then=host.other)
    await host.say(f"game-box {host.me} 0 0", f"game-current {host.me}")
    host.turn = host.me
    await host.move(rule=clauses.OBEY)


@client(
    THREE, "client-network.art", "a line that is drawn over another changes its owner, and nothing else", clauses.OBEY
)
async def art(exam: ClientExam) -> None:
    host = await Host.playing(exam, first=False)
    await host.draw("h 0 0", then=host.other)
    await host.say("network-add 3 -256 Third", "game-line 3 0 0 hor", f"game-current {host.me}")
    host.turn = host.me
    await host.move(rule=clauses.OBEY)


@client(THREE, "client-network.running", "a client that joins a running game knows its lines", clauses.JOIN_STATE)
async def running(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.asked_in()
    host.state = State.LOBBY
    await host.say("network-assign 1", "network-add 1 -65536 Examinee", "network-add 2 -256 Opponent", "game-size 3 3")
    host.state = State.PLAYING
    drawn = [move for move in host.shape.moves if move not in ("v 2 1", "h 1 1")]
    lines = [line for move in drawn for line in host.drawing(2, move, 2) if not line.startswith(b"game-current")]
    await host.say("game-start", "game-join 2", *lines, "game-current 2")
    await host.quiet(CALM, "no move of a spectator", clauses.SPECTATOR)
    host.turn = host.me
    await host.say("game-join 1", "game-current 1")
    await host.move(rule=clauses.JOIN_STATE)
