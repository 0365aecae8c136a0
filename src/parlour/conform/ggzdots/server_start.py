"""Servers: seats, players, the board."""

from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import begin, both, come, first_at_a_table, seated
from parlour.conform.ggzdots.suite import server
from parlour.conform.ggzdots.table import EITHER, SHORT, Table, until
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import OPEN
from parlour.protocols.ggzdots.messages import Options, WantOptions

SHOULD = Severity.SHOULD


@server("ggz-dots.start.seat", "a player is told a seat: 0 or 1", clauses.SEAT)
async def seat(exam: ServerExam) -> None:
    await seated(exam)


@server("ggz-dots.start.two-seats", "two players get two seats", clauses.SEAT)
async def two_seats(exam: ServerExam) -> None:
    table = await both(exam)
    if {player.seat for player in table.players} != set(EITHER):
        raise Violation("seats 0 and 1", " and ".join(str(player.seat) for player in table.players))


@server(
    "ggz-dots.start.players", "each is told who sits where, with a name for each seat that is taken", clauses.PLAYERS
)
async def players(exam: ServerExam) -> None:
    await seated(exam)


@server("ggz-dots.start.same-players", "both are told the same about the seats", clauses.PLAYERS)
async def same_players(exam: ServerExam) -> None:
    table = await both(exam)
    mine, theirs = (player.chairs for player in table.players)
    if mine != theirs:
        raise Violation(f"the same for both: {mine}", str(theirs))


@server("ggz-dots.start.open-seat", "the seat of one who has not come is open, and has no name", clauses.PLAYERS)
async def open_seat(exam: ServerExam) -> None:
    if not (exam.habits.pairs and exam.habits.early):
        skip("nobody is alone at a table, or is told so")
    player = await first_at_a_table(exam)
    if player.chairs[player.seat].kind in OPEN:
        raise Violation(f"seat {player.seat} taken, the other open", str(player.chairs))


@server("ggz-dots.start.told-of-second", "the first is told when the second comes", clauses.PLAYERS)
async def told_of_second(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself")
    first = await first_at_a_table(exam)
    table = Table(exam, [first, await come(exam)])
    await until([first], lambda: first.together, "MSG_PLAYERS: both seats are taken", clauses.PLAYERS)
    await table.together()


@server("ggz-dots.start.asked", "one player is asked for the options", clauses.ASKED_OPTIONS)
async def asked(exam: ServerExam) -> None:
    table = await seated(exam)
    await table.asked()


@server("ggz-dots.start.one-asked", "only one of two players is asked", clauses.ASKED_OPTIONS)
async def one_asked(exam: ServerExam) -> None:
    table = await seated(exam)
    chooser = await table.asked()
    for player in table.players:
        await player.quiet("no more than one REQ_OPTIONS", clauses.ASKED_OPTIONS)
    await chooser.talk.send(spell.choose(3, 3))
    table.chosen(chooser, (3, 3))
    await table.start()


@server("ggz-dots.start.options-told", "the one who has not chosen is told the board", clauses.OPTIONS)
async def options_told(exam: ServerExam) -> None:
    await both(exam, (4, 3))


@server("ggz-dots.start.options-confirmed", "the one who has chosen is told the board as well", clauses.OPTIONS, SHOULD)
async def options_confirmed(exam: ServerExam) -> None:
    table = await begin(exam, (4, 3))
    assert table.chooser is not None
    if table.chooser.size != (4, 3):
        raise Violation("MSG_OPTIONS 4 3", "no MSG_OPTIONS before the game")


@server(
    "ggz-dots.start.options-ahead",
    "options that come before they are asked for harm nobody",
    clauses.SIZES,
    Severity.ROBUST,
)
async def options_ahead(exam: ServerExam) -> None:
    player = await come(exam)
    await player.talk.send(spell.choose(3, 3))
    await player.talk.listen(SHORT)
    await exam.close()
    await begin(exam)


SIZES = ((2, 2), (3, 2), (2, 3), (4, 3), (3, 5), (7, 4), (25, 2), (2, 25), (25, 25))


def _size(width: int, height: int) -> None:
    words = f"a board of {width} by {height} dots is played on"

    @server(f"ggz-dots.size.{width}x{height}", words, clauses.SIZES)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, (width, height))
        for move in (f"h {width - 2} {height - 1}", f"v {width - 1} {height - 2}"):
            if not table.over and move in table.position.legal():
                await table.play(move)
        if not table.over:
            await table.mover.refused(f"h {width - 1} 0", -3)
            await table.mover.refused(f"v 0 {height - 1}", -3)
            await table.mover.synced(table.position, table.size)


for _sides in SIZES:
    _size(*_sides)

WRONG = {
    "1x2": (1, 2),
    "2x1": (2, 1),
    "0x0": (0, 0),
    "1x1": (1, 1),
    "26x25": (26, 25),
    "25x26": (25, 26),
    "255x255": (255, 255),
}


def _wrong(name: str, width: int, height: int) -> None:
    @server(f"ggz-dots.size.not-{name}", f"a board of {width} by {height} dots is not played on", clauses.SIZES)
    async def script(exam: ServerExam) -> None:
        table = await seated(exam)
        chooser = await table.asked()
        await chooser.talk.send(spell.choose(width, height), spell.choose(3, 3))
        while not isinstance(came := await chooser.talk.receive(SHORT), Silence | End):
            if isinstance(came, WantOptions):
                continue
            if isinstance(came, Options) and (came.width, came.height) == (3, 3):
                return
            if not chooser.notes(came):
                raise chooser.talk.wrong(came, "options from 2 to 25, and no game before", clauses.SIZES)


for _name, _sides in WRONG.items():
    _wrong(_name, *_sides)


@server("ggz-dots.start.options-first", "no move is asked for before the board is chosen", clauses.REQUEST)
async def options_first(exam: ServerExam) -> None:
    table = await seated(exam)
    await table.asked()
    for player in table.players:
        if player.asked:
            raise Violation("REQ_OPTIONS before REQ_MOVE", "REQ_MOVE")
        await player.quiet("nothing before the board is chosen", clauses.REQUEST)


@server("ggz-dots.start.not-alone", "no move is asked for while the other seat is open", clauses.TWO)
async def not_alone(exam: ServerExam) -> None:
    if not (exam.habits.pairs and exam.habits.early):
        skip("nobody is alone at a table, or is told so")
    player = await first_at_a_table(exam)
    await player.look(SHORT)
    if not player.choosing:
        skip("one who is alone is not asked for the board")
    await player.talk.send(spell.choose(3, 3))
    await player.quiet("no game of one player", clauses.TWO)


@server("ggz-dots.start.second-after-options", "one who comes when the board is chosen is told it", clauses.OPTIONS)
async def second_after_options(exam: ServerExam) -> None:
    if not (exam.habits.pairs and exam.habits.early):
        skip("nobody is alone at a table, or is told so")
    first = await first_at_a_table(exam)
    await first.look(SHORT)
    if not first.choosing:
        skip("one who is alone is not asked for the board")
    await first.talk.send(spell.choose(4, 3))
    table = Table(exam, [first])
    table.chosen(first, (4, 3))
    await until([first], lambda: first.size is not None, "MSG_OPTIONS 4 3", clauses.OPTIONS)
    table.players.append(second := await come(exam))
    second.board = 4, 3
    await table.together()
    await until([second], lambda: second.size == (4, 3), "MSG_OPTIONS 4 3", clauses.OPTIONS)
    await table.start()
    await table.out()


@server("ggz-dots.start.one-request", "the game begins with one request, to one player", clauses.REQUEST)
async def one_request(exam: ServerExam) -> None:
    table = await both(exam)
    await table.other.quiet("nothing: the other is on turn", clauses.REQUEST)
    await table.mover.quiet("no second request", clauses.REQUEST)
    await table.play("h 0 0")
