"""Servers: lines, bounds, turns, and when no moves are taken."""

from parlour.conform.case import Clause, Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import begin, both, first_at_a_table, seated
from parlour.conform.ggzdots.suite import server
from parlour.conform.ggzdots.table import SHORT, Player, closes
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.messages import Answer

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
SIZE = 4, 3
"""Not a square, so that width and height cannot be mistaken for each other."""

LINES = {
    "h-top-left": ("the line right of the first dot", "h 0 0"),
    "v-top-left": ("the line below the first dot", "v 0 0"),
    "h-top-right": ("the last line of the first row", "h 2 0"),
    "v-top-right": ("the line below the last dot of the first row", "v 3 0"),
    "h-bottom-left": ("the first line of the last row", "h 0 2"),
    "v-bottom-left": ("the last line of the first column", "v 0 1"),
    "h-bottom-right": ("the last line of the last row", "h 2 2"),
    "v-bottom-right": ("the last line of the last column", "v 3 1"),
    "h-inner": ("a horizontal line in the middle", "h 1 1"),
    "v-inner": ("a vertical line in the middle", "v 1 1"),
}


def _line(name: str, title: str, move: str) -> None:
    @server(f"ggz-dots.line.{name}", f"{title}, {move}, is drawn and told", clauses.LINES)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, SIZE)
        if move not in table.position.legal():
            skip("the server has drawn that line itself")
        await table.play(move)
        if not table.over:
            await table.mover.refused(move, -4)


for _name, (_title, _move) in LINES.items():
    _line(_name, _title, _move)

BEYOND = {
    "h-right": ("right of the last column", "h 3 0"),
    "h-corner": ("at the last dot", "h 3 2"),
    "h-below": ("below the last row", "h 0 3"),
    "v-right": ("right of the last column", "v 4 0"),
    "v-below": ("below the last row", "v 0 2"),
    "v-corner": ("at the last dot", "v 3 2"),
    "h-transposed": ("where it would be if rows were columns", "h 1 3"),
    "v-transposed": ("where it would be if rows were columns", "v 1 2"),
    "h-far": ("far outside", "h 255 0"),
    "v-far": ("far outside", "v 0 255"),
    "both-far": ("with both numbers 128", "h 128 128"),
}


def _beyond(name: str, title: str, move: str) -> None:
    words = "a horizontal line" if move.startswith("h") else "a vertical line"

    @server(f"ggz-dots.bounds.{name}", f"{words} {title}, {move} on 4 by 3 dots, is refused with -3", clauses.BOUND)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, SIZE)
        await table.mover.refused(move, -3)
        await table.play("h 0 0" if "h 0 0" in table.position.legal() else table.position.legal()[0])


for _name, (_title, _move) in BEYOND.items():
    _beyond(_name, _title, _move)


@server("ggz-dots.bounds.kept", "a refused line leaves board and turn alone", clauses.KEPT)
async def bounds_kept(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    for move in ("h 3 1", "v 2 2", "v 4 1"):
        await table.mover.refused(move, -3)
    await table.mover.synced(table.position, table.size, clauses.KEPT)
    await table.out()


@server("ggz-dots.full.own", "a line of one's own is refused with -4", clauses.FULL)
async def full_own(exam: ServerExam) -> None:
    table = await begin(exam)
    move = table.position.legal()[0]
    await table.play(move)
    while not table.over and table.ours and table.position.turn != table.position.line_owner(move):
        await table.play(table.position.legal()[-1])
    await table.mover.refused(move, -4)
    await table.play(table.position.legal()[-1])


@server("ggz-dots.full.others", "a line of the other player is refused with -4", clauses.FULL)
async def full_others(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.play("v 1 1" if "v 1 1" in table.position.legal() else table.position.legal()[0])
    position = table.position
    theirs = [
        move for move in position.shape.moves if position.line(move) and position.line_owner(move) != position.turn
    ]
    if not theirs:
        skip("the other has drawn no line")
    await table.mover.refused(theirs[0], -4)
    await table.play(position.legal()[0])


@server("ggz-dots.full.kept", "a line that is there already leaves board and turn alone", clauses.KEPT)
async def full_kept(exam: ServerExam) -> None:
    table = await begin(exam)
    await table.play(table.position.legal()[3])
    for _ in range(3):
        drawn = [move for move in table.position.shape.moves if table.position.line(move)]
        await table.mover.refused(exam.rng.choice(drawn), -4)
    await table.mover.synced(table.position, table.size, clauses.KEPT)
    await table.out()


@server("ggz-dots.full.all-game", "before every move all lines that are there are refused", clauses.FULL)
async def full_all_game(exam: ServerExam) -> None:
    table = await begin(exam, (3, 2))
    while not table.over:
        for move in table.position.shape.moves:
            if table.position.line(move):
                await table.mover.refused(move, -4)
        await table.play(exam.rng.choice(table.position.legal()))


# --- turns ----------------------------------------------------------------------------------------------------------


@server("ggz-dots.turn.first", "one who is not asked for the first move gets -2", clauses.TURN)
async def turn_first(exam: ServerExam) -> None:
    table = await both(exam)
    await table.other.refused("h 0 0", -2, mine=False)
    await table.play("h 0 0")


@server("ggz-dots.turn.twice", "a second line after one that closed nothing gets -2", clauses.TURN)
async def turn_twice(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("h 0 0")
    await table.other.refused("h 1 0", -2, mine=False)
    await table.play("h 1 0", "h 0 1")


@server("ggz-dots.turn.after-box", "after a square it is not the other's turn", clauses.TURN)
async def turn_after_box(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("h 0 0", "v 0 0", "v 1 0", "h 0 1")
    await table.other.refused("h 1 0", -2, mine=False)
    await table.play("h 1 0")


@server("ggz-dots.turn.kept", "a line out of turn changes neither board nor turn", clauses.KEPT)
async def turn_kept(exam: ServerExam) -> None:
    table = await both(exam, SIZE)
    for _ in range(4):
        free = table.position.legal()
        await table.other.refused(free[0], -2, mine=False)
        await table.other.synced(table.position, table.size, clauses.KEPT)
        await table.play(free[-1])
    await table.out()


@server("ggz-dots.turn.nonsense", "a line out of turn that is no line either is refused", clauses.KEPT)
async def turn_nonsense(exam: ServerExam) -> None:
    table = await both(exam)
    await table.other.refused("h 9 9", -2, -3, mine=False)
    await table.play("h 0 0")
    await table.other.refused("h 0 0", -2, -4, mine=False)
    await table.play("h 1 0")


@server("ggz-dots.turn.alternates", "lines that close nothing are drawn in turn", clauses.PASSES)
async def alternates(exam: ServerExam) -> None:
    table = await begin(exam, (5, 4))
    for _ in range(6):
        safe = [move for move in table.position.legal() if not closes(table.position, move)]
        if not safe or table.over:
            break
        await table.play(safe[0])


@server("ggz-dots.turn.not-echoed", "a line is told to the other, and not back to the player", clauses.TOLD)
async def not_echoed(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("v 1 0")
    await table.other.quiet("nothing but RSP_MOVE for one's own line", clauses.TOLD)
    await table.play("v 1 1")
    await table.other.quiet("nothing but RSP_MOVE for one's own line", clauses.TOLD)


@server("ggz-dots.turn.refusal-untold", "the other hears nothing of a refused line", clauses.KEPT)
async def refusal_untold(exam: ServerExam) -> None:
    table = await both(exam)
    await table.mover.refused("h 7 7", -3)
    await table.other.quiet("nothing: the line was refused", clauses.KEPT)
    await table.play("h 0 0")


# --- when no moves are taken ----------------------------------------------------------------------------------------


@server("ggz-dots.state.before-options", "a line before the board is chosen gets -1", clauses.STATE)
async def before_options(exam: ServerExam) -> None:
    table = await seated(exam)
    chooser = await table.asked()
    await chooser.refused("h 0 0", -1, mine=False)
    chooser.choosing = True
    await table.choose((3, 3))
    await table.start()
    await table.play(table.position.legal()[0])


@server("ggz-dots.state.other-before-options", "the same from the one who is not asked for it", clauses.STATE)
async def other_before_options(exam: ServerExam) -> None:
    table = await seated(exam)
    chooser = await table.asked()
    if not table.ours:
        skip("nobody of ours sits opposite")
    other = next(player for player in table.players if player is not chooser)
    await other.refused("v 0 0", -1, mine=False)
    await table.choose((3, 3))
    await table.start()
    await table.play("v 0 0")


@server("ggz-dots.state.alone", "a line while the other seat is open gets -1", clauses.STATE)
async def alone(exam: ServerExam) -> None:
    if not (exam.habits.pairs and exam.habits.early):
        skip("nobody is alone at a table, or is told so")
    player = await first_at_a_table(exam)
    await player.look(SHORT)
    if player.choosing:
        await player.talk.send(spell.choose(3, 3))
        await player.look(SHORT)
    await _refused_if_read(player)


async def _refused_if_read(player: Player) -> None:
    """RSP_MOVE -1, unless the server does not read what one says who is alone."""
    await player.talk.send(spell.draw("h 0 0"))
    while not isinstance(came := await player.talk.receive(2 * SHORT), Silence | End):
        if isinstance(came, Answer):
            if came.status != -1:
                raise Violation("RSP_MOVE -1", f"RSP_MOVE {came.status}", clauses.STATE)
            return
        if not player.notes(came):
            raise player.talk.wrong(came, "RSP_MOVE -1", clauses.STATE)
    skip("the server does not answer one who is alone")


@server("ggz-dots.state.after-game", "a line after the game gets -1", clauses.STATE)
async def after_game(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    for player in table.players:
        await player.refused("h 0 0", -1, mine=False)


@server("ggz-dots.state.between-games", "a line while a new game is being arranged gets -1", clauses.STATE)
async def between_games(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    await table.out()
    first, other = table.players
    await table.wanted(first)
    await first.refused("h 0 0", -1, mine=False)
    await other.refused("v 0 0", -1, mine=False)


@server("ggz-dots.state.deserted", "a line after the other has left is not drawn", clauses.STATE, SHOULD)
async def deserted(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("h 0 0")
    mover = table.mover
    await table.other.talk.leave()
    came = await mover.talk.receive()
    if isinstance(came, Silence | End) or not mover.notes(came) or not mover.alone:
        skip("the server does not keep the table for the next player")
    await mover.talk.listen(SHORT / 2)
    await mover.talk.send(spell.draw("v 0 0"))
    heard = [message for message in await mover.talk.listen(SHORT) if isinstance(message, Answer)]
    if heard and heard[0].status != -1:
        raise Shortfall("RSP_MOVE -1: the other seat is open", f"RSP_MOVE {heard[0].status}", clauses.STATE)


@server(
    "ggz-dots.state.options-in-game",
    "options that nobody has asked for do not change a running game",
    clauses.ASKED_OPTIONS,
)
async def options_in_game(exam: ServerExam) -> None:
    await _undisturbed(exam, spell.choose(5, 5), clauses.ASKED_OPTIONS)


@server("ggz-dots.state.newgame-in-game", "a new game that is asked for during one does not end it", clauses.NEW_GAME)
async def newgame_in_game(exam: ServerExam) -> None:
    await _undisturbed(exam, spell.NEW_GAME, clauses.NEW_GAME)


async def _undisturbed(exam: ServerExam, data: bytes, clause: Clause) -> None:
    """The game goes on after this, unless the server puts out who has said it."""
    table = await begin(exam, (3, 2))
    mover = table.mover
    await mover.talk.send(data)
    try:
        await mover.synced(table.position, table.size, clause)
    except Violation as violation:
        if mover.talk.ended is not None:
            skip("the server puts out who says such a thing in a game")
        raise Violation(violation.expected, violation.came, clause) from violation
    await table.out()
