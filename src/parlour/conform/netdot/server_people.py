"""Users of a server of any dialect: coming, talking, changing name and colour, leaving."""

from parlour.conform.case import Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.clauses import clause
from parlour.conform.netdot.room import Room, Seat, entered
from parlour.conform.netdot.server_rules import ours, sides, spelled
from parlour.conform.netdot.suite import shared
from parlour.conform.netdot.tongues import BETA, ONE, THREE, TWO

WITH_GAMES = (THREE, TWO, BETA)
"""1.x has no way to go on without a player."""


def _chats(exam: ServerExam) -> None:
    if not exam.habits.chat:
        skip("chat is disabled")


async def heard_by_all(room: Room, speaker: Seat, text: str) -> None:
    """A message, told to everyone with the speaker's id."""
    rule = clause(speaker.dialect, "chat")
    offsets = [len(seat.log) for seat in room.seats]
    await speaker.say("chat", text)
    for seat, offset in zip(room.seats, offsets, strict=True):
        await seat.hear(
            "chat", f"“network-chat {speaker.me} {text}”, told to {seat.me}", rule, offset, who=speaker.me, text=text
        )


TEXTS = {
    "plain": ("a message goes to everyone, its sender too", "hello"),
    "blanks": ("the blanks within a message stay", "one  two   three"),
    "hyphen": ("a message may look like a command", "game-start now, network-remove 1"),
    "number": ("a message may begin with a number", "7 boxes to 2"),
    "utf8": ("a message may hold any letters", "Grüße, 點格棋, ¡olé!"),
    "long": ("a message of 300 letters arrives whole", "abcdefghij" * 30),
}


def _chat(slug: str, title: str, text: str) -> None:
    @shared(f"chat.{slug}", title, "chat")
    async def script(exam: ServerExam) -> None:
        _chats(exam)
        room = await Room.lobby(exam)
        for speaker in room.seats if slug == "plain" else room.seats[:1]:
            await heard_by_all(room, speaker, text)


for _slug, (_title, _text) in TEXTS.items():
    _chat(_slug, _title, _text)


@shared("chat.playing", "in a game, too, everyone hears everyone", "chat")
async def chat_playing(exam: ServerExam) -> None:
    _chats(exam)
    room = await Room.playing(exam)
    for speaker in room.seats:
        await heard_by_all(room, speaker, f"I am {speaker.me}")


@shared("chat.order", "messages come in the order in which they were sent", "chat")
async def chat_order(exam: ServerExam) -> None:
    _chats(exam)
    room = await Room.lobby(exam)
    for text in ("first", "second", "third"):
        await room.seats[0].say("chat", text)
    for seat in room.seats:
        await seat.hear("chat", "the third message", clause(seat.dialect, "chat"), text="third")
        texts = [
            heard.text for heard in seat.log if heard.kind == "chat" and heard.text in ("first", "second", "third")
        ]
        if texts != ["first", "second", "third"]:
            raise Violation("first, second, third", f"{texts}", clause(seat.dialect, "chat"))


# --- names and colours ----------------------------------------------------------------------------------------------

NAMES = {
    "plain": ("a new name is told to everyone, its owner too", "Verena"),
    "blanks": ("a name may have blanks", "Ada of the Hill"),
    "hyphen": ("a name may have hyphens", "Jean-Luc"),
    "utf8": ("a name may have any letters", "Zoë"),
}


async def renamed(room: Room, seat: Seat, name: str) -> None:
    offsets = [len(each.log) for each in room.seats]
    await seat.say("name", name)
    for each, offset in zip(room.seats, offsets, strict=True):
        expected = f"the name {name} of {seat.me}, told to {each.me}"
        await each.hear("name", expected, clause(seat.dialect, "name"), offset, who=seat.me, text=name)


def _name(slug: str, title: str, name: str) -> None:
    @shared(f"name.{slug}", title, "name")
    async def script(exam: ServerExam) -> None:
        room = await Room.lobby(exam)
        await renamed(room, room.seats[1], name)


for _slug, (_title, _text) in NAMES.items():
    _name(_slug, _title, _text)


@shared("name.newcomer", "who comes later is told the new name", "add")
async def name_newcomer(exam: ServerExam) -> None:
    first = await entered(exam)
    await renamed(Room(exam, [first]), first, "Verena")
    late = await entered(exam)
    if "Verena" not in late.view.users.values():
        raise Violation("Verena among the users", f"{list(late.view.users.values())}", clause(late.dialect, "add"))


@shared("name.playing", "a name can be changed in a game, and the game goes on", "name")
async def name_playing(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    await renamed(room, room.seats[0], "Verena")
    if await room.our_turn():
        await room.play(room.view.open_lines()[0])


async def recoloured(room: Room, seat: Seat, argb: int) -> None:
    """A colour, told to everyone. Alpha is nothing that the document speaks of."""
    rule = clause(seat.dialect, "color")
    offsets = [len(each.log) for each in room.seats]
    await seat.say("color", str(argb))
    for each, offset in zip(room.seats, offsets, strict=True):
        heard = await each.hear(
            "color", f"the colour {argb} of {seat.me}, told to {each.me}", rule, offset, who=seat.me
        )
        if (heard.numbers[0] ^ argb) & 0xFFFFFF:
            raise Violation(f"the colour {argb}", str(heard), rule)


@shared("color.plain", "a new colour is told to everyone, its owner too", "color")
async def color(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    await recoloured(room, room.seats[0], -8388480)
    await recoloured(room, room.seats[1], -65281)


@shared("color.playing", "a colour can be changed in a game, and the game goes on", "color")
async def color_playing(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    await recoloured(room, room.seats[0], -8388480)
    if await room.our_turn():
        await room.play(room.view.open_lines()[0])


@shared("color.word", "a colour that is no number is told to nobody", "color", dialects=(THREE, BETA))
async def color_word(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    offsets = [len(each.log) for each in room.seats]
    await room.seats[0].say("color", "red")
    for each, offset in zip(room.seats, offsets, strict=True):
        await each.sync()
        if told := each.since(offset, "color"):
            raise Violation("nothing: red is no number", str(told[0]), clause(each.dialect, "color"))


# --- coming ---------------------------------------------------------------------------------------------------------


@shared("coming.others", "those who are there are told of a newcomer", "add")
async def coming_others(exam: ServerExam) -> None:
    first = await entered(exam)
    offset = len(first.log)
    late = await entered(exam)
    if exam.habits.dialect == ONE:
        await first.hear("add", "player-new for the newcomer", clauses.V1_LIST, offset)
        return
    await first.hear("add", f"{late.me}, the newcomer", clause(first.dialect, "add"), offset, who=late.me)


@shared("coming.all", "a newcomer is told of all who are there", "add")
async def coming_all(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 3)
    late = room.seats[-1]
    for seat in room.seats:
        if seat.me not in late.view.users and exam.habits.dialect != ONE:
            rule = clauses.ADD_ALL if exam.habits.dialect in (THREE, BETA) else clause(late.dialect, "add")
            raise Violation(f"{seat.me} among the users", f"{sorted(late.view.users)}", rule)
    if len(late.view.users) < 3:
        raise Violation("three users at least", f"{late.view.users}", clause(late.dialect, "add"))


@shared("coming.ids", "every user has an id of its own", "assign")
async def coming_ids(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 4)
    ids = [seat.me for seat in room.seats]
    if len(set(ids)) != len(ids):
        raise Violation("four different ids", f"{ids}", clauses.ASSIGN_UNIQUE)


@shared("coming.size", "everyone is told the same grid, of two dots each way at least", "size")
async def coming_size(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    one, two = (seat.view.shape for seat in room.seats)
    if one is not two:
        raise Violation(
            "one size for all",
            f"{one.width}x{one.height} and {two.width}x{two.height}",
            clause(exam.habits.dialect, "size"),
        )


# --- leaving --------------------------------------------------------------------------------------------------------


async def gone(room: Room, leaver: Seat, abruptly: bool = False) -> None:
    """One of us leaves, and all others are told."""
    room.seats.remove(leaver)
    offsets = [len(seat.log) for seat in room.seats]
    await (leaver.talk.reset() if abruptly else leaver.talk.leave())
    for seat, offset in zip(room.seats, offsets, strict=True):
        expected = f"that {leaver.me} has left, told to {seat.me}"
        who = {"who": leaver.me} if seat.dialect != ONE else {}
        await seat.hear("remove", expected, clause(seat.dialect, "remove"), offset, **who)


@shared("leaving.lobby", "who leaves the lobby is removed, and all are told", "remove")
async def leaving_lobby(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 3)
    await gone(room, room.seats[1])
    await gone(room, room.seats[0])


@shared("leaving.cut", "who is cut off has left as well", "remove")
async def leaving_cut(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 2)
    await gone(room, room.seats[1], abruptly=True)


@shared("leaving.newcomer", "who comes afterwards is not told of a user who has left, and gets another id", "remove")
async def leaving_newcomer(exam: ServerExam) -> None:
    room = await Room.lobby(exam, 2)
    leaver = room.seats[1]
    await gone(room, leaver)
    late = await entered(exam)
    if exam.habits.dialect != ONE and leaver.me in late.view.users and late.me != leaver.me:
        raise Violation(f"no {leaver.me} any more", f"users {sorted(late.view.users)}", clause(late.dialect, "remove"))


@shared(
    "leaving.on-turn",
    "when the player on turn leaves, the next one is on turn, and the game goes on",
    "removeturn",
    dialects=WITH_GAMES,
)
async def leaving_on_turn(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    await room.play(room.view.open_lines()[0])
    await leaves_and_goes_on(room, room.mover)


@shared(
    "leaving.one-of-two",
    "when one of two players leaves on turn, the other is on turn, or the game is stopped",
    "removeturn",
    dialects=(THREE,),
)
async def leaving_one_of_two(exam: ServerExam) -> None:
    room = await ours(exam, 2)
    await room.play(room.view.open_lines()[0])
    leaver = room.mover
    stays = next(seat for seat in room.seats if seat is not leaver)
    offset = len(stays.log)
    await gone(room, leaver)
    rule = clause(leaver.dialect, "removeturn")
    await stays.until(
        lambda it: not it.view.running or bool(it.since(offset, "current")), "game-current, or game-stop", rule
    )


@shared(
    "leaving.off-turn",
    "when another player leaves, the turn stays, and the leaver is passed over",
    "remove",
    dialects=WITH_GAMES,
)
async def leaving_off_turn(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    await leaves_and_goes_on(room, room.waiting)


async def leaves_and_goes_on(room: Room, leaver: Seat) -> None:
    """One of three leaves; the other two play on."""
    turn = room.view.turn
    await gone(room, leaver)
    for seat in room.seats:
        try:
            await seat.until(lambda it: it.view.settled, "", None)
        except Violation as wrong:
            raise Violation(seat.view.owes[0], wrong.came, seat.view.owes[1]) from wrong
        await seat.sync()
    if not room.view.running:
        skip("the server stops a game that somebody leaves")
    if leaver.me != turn and room.view.turn != turn:
        raise Violation(f"the turn of {turn} to stay", f"that of {room.view.turn}", clause(leaver.dialect, "turn"))
    for _ in range(4):
        if await room.our_turn():
            await room.play(room.exam.rng.choice(room.view.open_lines()))


@shared(
    "leaving.boxes",
    "the lines and boxes of a leaver stay, and count for the end of the game",
    "remove",
    dialects=WITH_GAMES,
)
async def leaving_boxes(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    await room.play_all(*sides(0, 0).values())
    if room.view.over:
        skip("the grid has one box")
    leaver = room.mover
    await leaves_and_goes_on(room, leaver)
    if await room.our_turn():
        await room.refused(spelled(exam.habits.dialect, "h 0 0", exam.habits.spaced), clauses.DOTS)
    await room.play_out()


@shared("leaving.all", "when all players have left, the next ones can play", clauses.STANDING)
async def leaving_all(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    for seat in room.seats:
        await seat.talk.leave()
    again = await Room.playing(exam)
    if await again.our_turn():
        await again.play(again.view.open_lines()[0])
