"""Dots and boxes on a server of any dialect: lines, bounds, boxes, turns, whole games."""

from itertools import pairwise
from random import Random

from parlour.conform.case import Shortfall, Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.games import search
from parlour.conform.netdot import clauses
from parlour.conform.netdot.clauses import clause
from parlour.conform.netdot.room import Room, Seat
from parlour.conform.netdot.suite import shared
from parlour.conform.netdot.tongues import BETA, TWO, said
from parlour.conform.netdot.view import View

GAMES = 4
"""Games that hypothesis thinks of."""


def spelled(dialect: str, move: str, spaced: bool = False) -> str:
    """A client's line for this move, without its end."""
    text = said(dialect, "play", move).decode().strip()
    return text.replace(",", " ") if spaced and dialect == TWO else text


async def ours(exam: ServerExam, users: int = 2) -> Room:
    """A game in which all players are ours."""
    room = await Room.playing(exam, users)
    if not room.alone:
        skip("somebody who is not ours plays as well")
    return room


def sides(x: int, y: int) -> dict[str, str]:
    """The lines round a box."""
    return {"top": f"h {x} {y}", "bottom": f"h {x} {y + 1}", "left": f"v {x} {y}", "right": f"v {x + 1} {y}"}


def placed(room: Room, text: str) -> str:
    """A place on this grid: w and h are its sides in dots, w1 and h1 one less, w2 and h2 two less."""
    w, h = room.view.shape.width, room.view.shape.height
    return text.format(w=w, h=h, w1=w - 1, h1=h - 1, w2=w - 2, h2=h - 2)


# --- lines ----------------------------------------------------------------------------------------------------------

EDGES: dict[str, tuple[str, str]] = {
    "top-left-hor": ("the line right of dot 0,0", "h 0 0"),
    "top-left-ver": ("the line below dot 0,0", "v 0 0"),
    "top-right-hor": ("the last horizontal line of the top row", "h {w2} 0"),
    "top-right-ver": ("the right edge's first vertical line", "v {w1} 0"),
    "bottom-left-hor": ("the bottom row's first horizontal line", "h 0 {h1}"),
    "bottom-left-ver": ("the left edge's last vertical line", "v 0 {h2}"),
    "bottom-right-hor": ("the bottom row's last horizontal line", "h {w2} {h1}"),
    "bottom-right-ver": ("the right edge's last vertical line", "v {w1} {h2}"),
}
BEYOND: dict[str, tuple[str, str]] = {
    "hor-x": ("a horizontal line that would begin at the last dot of a row", "h {w1} 0"),
    "hor-y": ("a horizontal line below the last row", "h 0 {h}"),
    "ver-x": ("a vertical line right of the last column", "v {w} 0"),
    "ver-y": ("a vertical line that would begin at the last dot of a column", "v 0 {h1}"),
    "corner": ("a line from the last dot", "v {w1} {h1}"),
    "negative-x": ("a line at x = -1", "h -1 0"),
    "negative-y": ("a line at y = -1", "v 0 -1"),
    "far": ("a line at x = 2147483647", "h 2147483647 0"),
}


def _edge(slug: str, title: str, move: str) -> None:
    @shared(f"line.{slug}", f"{title} can be drawn, and all are told", clauses.DOT)
    async def script(exam: ServerExam) -> None:
        room = await Room.playing(exam)
        if await room.our_turn():
            wanted = placed(room, move)
            if wanted in room.view.lines:
                skip("somebody else has drawn it")
            await room.play(wanted)


for _slug, (_title, _move) in EDGES.items():
    _edge(_slug, _title, _move)


async def refusal(room: Room, move: str, seat: Seat | None = None, rule: str = "refused") -> None:
    """A line that is not drawn; in 2.0 its sender is warned."""
    dialect = room.habits.dialect
    found = clause(dialect, rule) if rule != "turn" else clauses.NOT_ON_TURN
    heard = await room.refused(spelled(dialect, move, room.habits.spaced), found, seat)
    if dialect in (TWO, BETA) and not any(each.kind == "warn" for each in heard):
        raise Shortfall(f"info-warn for {move}", "nothing", clauses.V2_WARN)


def _beyond(slug: str, title: str, move: str) -> None:
    @shared(f"bounds.{slug}", f"{title} is not drawn, and the turn stays", clauses.DOTS)
    async def script(exam: ServerExam) -> None:
        room = await Room.playing(exam)
        if not await room.our_turn():
            skip("the game is over already")
        await refusal(room, placed(room, move))
        await room.play(exam.rng.choice(room.view.open_lines()))


for _slug, (_title, _move) in BEYOND.items():
    _beyond(_slug, _title, _move)


@shared("taken.other", "a line that the other player has drawn cannot be drawn again", clauses.DOTS)
async def taken(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    if await room.our_turn():
        await room.play(exam.rng.choice(room.view.open_lines()))
    if await room.our_turn():
        await refusal(room, next(iter(room.view.lines)))
        await room.play(exam.rng.choice(room.view.open_lines()))


@shared("taken.own", "a player who draws again cannot draw the line that closed the box", clauses.DOTS)
async def taken_own(exam: ServerExam) -> None:
    room = await ours(exam)
    *three, last = sides(0, 0).values()
    await room.play_all(*three, last)
    if not room.view.over:
        await refusal(room, last)
        await room.play(room.view.open_lines()[0])


# --- boxes ----------------------------------------------------------------------------------------------------------


def _last_side(side: str) -> None:
    @shared(
        f"box.{side}", f"a box whose last side is the {side} one belongs to the player who draws it", clauses.BOX_CLOSED
    )
    async def script(exam: ServerExam) -> None:
        room = await ours(exam)
        lines = sides(0, 0)
        last = lines.pop(side)
        await room.play_all(*lines.values())
        await _scores(room, last, 1)


for _side in ("top", "bottom", "left", "right"):
    _last_side(_side)


async def _scores(room: Room, last: str, boxes: int) -> None:
    """The line closes so many boxes, and its player draws again."""
    mover = room.mover
    await room.play(last)
    for seat in room.seats:
        if seat.view.score(mover.me) != boxes:
            expected = f"{boxes} box{'es' * (boxes > 1)} of {mover.me} after {last}"
            raise Violation(expected, f"for {seat.me} it has {seat.view.score(mover.me)}", clauses.BOX_CLOSED)
    if room.view.over:
        return
    if room.view.turn != mover.me:
        raise Violation(f"{mover.me} to draw again", f"the turn of {room.view.turn}", clause(mover.dialect, "again"))
    await room.play(room.view.open_lines()[0])


CORNERS = {"top-right": "{w2} 0", "bottom-left": "0 {h2}", "bottom-right": "{w2} {h2}"}


def _corner(slug: str, where: str) -> None:
    @shared(f"box.{slug}", f"the box in the corner {slug.replace('-', ' ')} can be closed", clauses.BOX_CLOSED)
    async def script(exam: ServerExam) -> None:
        room = await ours(exam)
        *three, last = sides(*map(int, placed(room, where).split())).values()
        await room.play_all(*three)
        await _scores(room, last, 1)


for _slug, _where in CORNERS.items():
    _corner(_slug, _where)


def _double(slug: str, across: bool) -> None:
    @shared(f"box.{slug}", "a line between two boxes closes both, and its player draws again", clauses.BOX_CLOSED)
    async def script(exam: ServerExam) -> None:
        room = await ours(exam)
        if (room.view.shape.width if across else room.view.shape.height) < 3:
            skip("the grid has no two boxes side by side")
        first, second = sides(0, 0), sides(1, 0) if across else sides(0, 1)
        between = first["right"] if across else first["bottom"]
        lines = [line for line in dict.fromkeys((*first.values(), *second.values())) if line != between]
        await room.play_all(*lines)
        await _scores(room, between, 2)


_double("two-across", True)
_double("two-down", False)


@shared("box.three-sides", "three sides are no box: the turn passes, and nobody owns it", clauses.BOX_CLOSED)
async def three_sides(exam: ServerExam) -> None:
    room = await ours(exam)
    await room.play_all(*list(sides(0, 0).values())[:3])
    for seat in room.seats:
        if seat.view.boxes:
            raise Violation("no box", f"{seat.view.boxes}", clauses.BOX_CLOSED)


@shared("box.second-player", "a box belongs to who closes it, whoever drew the other sides", clauses.BOX_CLOSED)
async def second_player(exam: ServerExam) -> None:
    room = await ours(exam)
    if room.view.shape.width < 3:
        skip("the grid has one box in a row")
    lines = sides(0, 0)
    last = lines.pop("left")
    first = room.view.turn
    await room.play_all(*lines.values())
    if room.view.turn == first:
        await room.play(f"h {room.view.shape.width - 2} {room.view.shape.height - 1}")
    await _scores(room, last, 1)


# --- turns ----------------------------------------------------------------------------------------------------------


@shared("turn.not-yours", "a player who is not on turn draws nothing", clauses.NOT_ON_TURN)
async def not_yours(exam: ServerExam) -> None:
    room = await ours(exam)
    await refusal(room, room.view.open_lines()[0], room.waiting, "turn")
    await room.play(room.view.open_lines()[0])
    await refusal(room, room.view.open_lines()[1], room.waiting, "turn")
    await room.play(room.view.open_lines()[1])


@shared("turn.after-box", "while a player draws again, the other draws nothing", clauses.AGAIN)
async def after_box(exam: ServerExam) -> None:
    room = await ours(exam)
    await room.play_all(*sides(0, 0).values())
    if not room.view.over:
        await refusal(room, room.view.open_lines()[-1], room.waiting, "turn")
        await room.play(room.view.open_lines()[0])


@shared("turn.alternates", "a line that closes nothing passes the turn, time after time", "turn")
async def alternates(exam: ServerExam) -> None:
    room = await ours(exam)
    for _ in range(6):
        quiet = [move for move in room.view.open_lines() if not room.view.closes(move)]
        if not quiet:
            return
        mover = room.mover
        await room.play(exam.rng.choice(quiet))
        if not room.view.over and room.view.turn == mover.me:
            raise Violation("the turn of the other player", f"that of {mover.me} again", clause(mover.dialect, "turn"))


@shared("turn.order", "three players take turns in the order in which they connected", clauses.ORDER)
async def order(exam: ServerExam) -> None:
    room = await ours(exam, 3)
    if "random-order" in room.view.features:
        skip("random-order is enabled")
    if len(room.view.players) < 3:
        skip("the server lets two play")
    order = [seat.me for seat in room.players]
    seen: list[int] = []
    for _ in range(2 * len(order)):
        quiet = [move for move in room.view.open_lines() if not room.view.closes(move)]
        if not quiet:
            break
        seen.append(room.view.turn)
        await room.play(quiet[0])
    for now, then in pairwise(seen):
        right = order[(order.index(now) + 1) % len(order)]
        if then != right and exam.habits.dialect == TWO and exam.habits.tells_turns:
            skip("the server says itself whose turn it is: clients of 2.0 obey that")
        if then != right:
            raise Violation(f"{right} after {now}: they connected as {order}", f"turns of {seen}", clauses.ORDER)


@shared("turn.first", "the player who connected first begins", clauses.FIRST)
async def first(exam: ServerExam) -> None:
    room = await ours(exam)
    if {"random-start", "random-order"} & room.view.features:
        skip("random-start or random-order is enabled")
    right = room.players[0].me
    if room.view.turn != right and exam.habits.dialect == TWO:
        skip("the server says itself who begins: clients of 2.0 obey that")
    if room.view.turn != right:
        raise Violation(f"{right} begins", f"the turn of {room.view.turn}", clauses.FIRST)
    await room.play("h 0 0")


@shared(
    "turn.twice",
    "two lines sent at once by the player on turn are one move: the second comes too early",
    clauses.NOT_ON_TURN,
)
async def twice(exam: ServerExam) -> None:
    room = await ours(exam)
    mover, dialect = room.mover, exam.habits.dialect
    if room.view.shape.boxes < 2:
        skip("the grid has one box")
    one, two = "h 0 0", f"v {room.view.shape.width - 1} {room.view.shape.height - 2}"
    both = "".join(spelled(dialect, move, exam.habits.spaced) + "\n" for move in (one, two))
    await mover.talk.send(both.encode())
    await room.drawn(one, mover)
    for seat in room.seats:
        await seat.sync()
        if two in seat.view.lines:
            raise Violation("the second line not to be drawn", two, clauses.NOT_ON_TURN)


# --- whole games ----------------------------------------------------------------------------------------------------


@shared("game.whole", "a whole game: all are told the same lines, boxes and turns", clauses.AUTHORITY)
async def whole(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    await room.play_out()
    _complete(room)


def _complete(room: Room) -> None:
    for seat in room.seats:
        view = seat.view
        if view.running and view.games == room.view.games and view.boxes != room.view.boxes:
            raise Violation(
                "the same owners of boxes for everyone", f"{view.boxes}, not {room.view.boxes}", clauses.AUTHORITY
            )


@shared("game.three-players", "a whole game of three", clauses.AUTHORITY)
async def whole_of_three(exam: ServerExam) -> None:
    room = await Room.playing(exam, 3)
    await room.play_out()
    _complete(room)


@shared("game.after-the-end", "nothing can be drawn when every box has an owner", clauses.OVER)
async def after_the_end(exam: ServerExam) -> None:
    room = await Room.playing(exam)
    await room.play_out()
    if not room.view.over:
        skip("the next game begins at once")
    for seat in room.players:
        offset = len(seat.log)
        await seat.say("play", "h 0 0")
        await seat.sync()
        if [heard for heard in seat.since(offset, "line") if heard.who == seat.me]:
            raise Violation("no line any more: the game is over", str(seat.log[-2]), clauses.OVER)


@shared("game.again", "a second game starts on an empty grid", "start")
async def again(exam: ServerExam) -> None:
    room = await ours(exam)
    await room.play_out()
    before = room.view.games
    try:
        await room.start()
    except Violation as wrong:
        if room.view.games == before:
            skip(f"the server starts no second game: {wrong.came}")
        raise
    if room.view.lines or room.view.boxes:
        raise Violation(
            "an empty grid after game-start", f"{len(room.view.lines)} lines", clause(exam.habits.dialect, "start")
        )
    if await room.our_turn():
        mover = room.mover
        await mover.say("play", "h 0 0")
        await room.drawn("h 0 0", mover, clause(exam.habits.dialect, "start"))


@shared("game.random", "games that hypothesis thinks of, by our own rules", clauses.AUTHORITY)
async def random_games(exam: ServerExam) -> None:
    from hypothesis import strategies

    async def attempt(seed: tuple[int, int]) -> None:
        number, length = seed
        room = await ours(exam)
        rng = Random(number)
        for _ in range(length):
            if not await room.our_turn():
                return
            await room.play(eager(room.view, rng))

    numbers = strategies.tuples(strategies.integers(0, 999), strategies.integers(1, 40))
    await search(exam, numbers, attempt, lambda seed: "." * seed[1], GAMES)


def eager(view: View, rng: Random) -> str:
    """A line that closes a box if one does, so that there are many."""
    moves = view.open_lines()
    return next((move for move in moves if view.closes(move)), rng.choice(moves))
