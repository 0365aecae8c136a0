"""3.0: every command in every state in which a client may not say it: it changes nothing, for any user."""

from parlour.conform.case import Violation
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import SHORT, Room, Seat, entered, introduced
from parlour.conform.netdot.suite import server
from parlour.conform.netdot.tongues import HEARS, NOBODY, THREE
from parlour.protocols.netdot.phases import USAGE, State, may

ARGUMENTS = {
    "request-deny": "no",
    "info-version": "3 0",
    "info-motd": "hello",
    "info-features": "chat",
    "feature-enable": "teapot",
    "feature-disable": "chat",
    "vote-start": "restart",
    "vote-request": "restart",
    "vote-enable": "kick",
    "vote-disable": "kick",
    "network-assign": "77",
    "network-announce": "I speak for the server",
    "network-add": "77 -65536 Nobody",
    "network-remove": "{other}",
    "network-chat": "from outside",
    "user-name": "Outsider",
    "user-color": "-65536",
    "game-leave": "",
    "game-size": "2 2",
    "game-line": "0 0 hor",
    "game-box": "{me} 0 0",
    "game-current": "{me}",
}
HARMLESS = {
    "request-info",
    "request-motd",
    "request-join",
    "info-version",
    "info-features",
    "network-pong",
    "network-ping",
}
"""What a server may answer to the sender alone."""
OPEN = {
    (State.LOBBY, "game-line"),
    (State.LOBBY, "game-join"),
    (State.LOBBY, "game-leave"),
    (State.PLAYING, "game-ready"),
    (State.PLAYING, "game-notready"),
    (State.PLAYING, "game-box"),
}
"""Of these a server may make something: art in the lobby, a wish for the next game."""
UPHEAVAL = ("start", "stop", "remove", "size", "vote", "voted", "enable", "disable", "assign", "announce")


async def _after(sender: Seat, witness: Seat, word: str, state: State, me: int) -> None:
    """Checks that no other user has heard of it."""
    offset = len(witness.log)
    other = witness.me
    arguments = ARGUMENTS.get(word, "").format(me=me, other=other)
    sender.view.live = False  # it may be told off, or sent away
    await sender.send(f"{word} {arguments}".strip())
    await sender.talk.listen(SHORT / 5)
    await witness.sync()
    kind = HEARS[THREE].get(word, (word, ""))[0]
    loud = set() if (state, word) in OPEN else {kind, *UPHEAVAL}
    for heard in witness.since(offset, *(loud - {"announce"} if word != "network-announce" else loud)):
        gone = heard.kind == "remove" and heard.who == me  # a server may send such a client away
        mine = heard.who in (me, NOBODY, other, 77)
        if heard.kind == "announce" and "speak for the server" not in heard.text:
            continue
        if not gone and mine:
            raise Violation(f"nothing, because a client says {word} in {state.value}", str(heard), clauses.TABLE)


def _wrong(state: State, word: str) -> None:
    title = f"{word} from a client in {state.value}: nothing comes of it for others"

    @server(THREE, f"state.{state.value.lower()}-{word}", title, clauses.TABLE)
    async def script(exam: ServerExam) -> None:
        if state is State.TALK:
            witness = await entered(exam)
            await _after(await introduced(exam), witness, word, state, NOBODY)
            return
        room = await (Room.lobby(exam) if state is State.LOBBY else Room.playing(exam))
        sender = room.seats[1] if state is State.LOBBY or not room.players else room.waiting
        witness = next(seat for seat in room.seats if seat is not sender)
        await _after(sender, witness, word, state, sender.me)


for _state in State:
    for _word in USAGE:
        if not may("C", _word, _state) and not (_state is State.TALK and _word in HARMLESS):
            _wrong(_state, _word)
