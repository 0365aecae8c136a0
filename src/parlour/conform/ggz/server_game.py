"""Servers: Dots of protocol 4 on the channels."""

from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import Silence
from parlour.conform.exam import ServerExam
from parlour.conform.games import search
from parlour.conform.ggz import clauses
from parlour.conform.ggz.suite import server
from parlour.conform.ggz.user import User, begin, newcomer, seated, shown, with_bot
from parlour.conform.ggzdots import clauses as dots
from parlour.conform.ggzdots.server_squares import sides
from parlour.conform.ggzdots.table import Goal, Table, closes, until
from parlour.protocols.ggz import spell
from parlour.protocols.ggzdots import spell as lines
from parlour.protocols.ggzdots.messages import Line, Options, Players, Seat, Sync

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
SIZE = 4, 3


@server("ggz.game.seats", "both players are told their seats, and who sits where", dots.PLAYERS)
async def seats(exam: ServerExam) -> None:
    _, ada, bea = await seated(exam)
    for user in (ada, bea):
        assert user.player is not None
        if [chair.name for chair in user.player.chairs] != [ada.name, bea.name]:
            raise Violation(f"{ada.name} in seat 0, {bea.name} in seat 1", str(user.player.chairs))
        if any(chair.kind != 3 for chair in user.player.chairs):
            raise Violation("kind 3, a player, for both", str(user.player.chairs))


@server("ggz.game.alone", "the launcher is told the seat, and that the other is open", dots.PLAYERS)
async def alone(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    await ada.launch()
    player = ada.player
    assert player is not None
    await until([player], lambda: player.seat >= 0 and player.alone, "MSG_SEAT, MSG_PLAYERS", dots.PLAYERS)


@server("ggz.game.options", "one player is asked for the board, both are told it", dots.OPTIONS)
async def options(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    assert table.chooser is not None
    if table.chooser.size != SIZE:
        raise Violation("MSG_OPTIONS 4 3 to the chooser as well", "none")


@server("ggz.game.options-early", "a board that is chosen before the second player comes", dots.OPTIONS)
async def options_early(exam: ServerExam) -> None:
    ada, bea = await User.inside(exam), await User.inside(exam)
    number = await ada.launch()
    assert ada.player is not None
    table = Table(exam, [ada.player])
    await table.choose(SIZE)
    await bea.join(number)
    assert bea.player is not None
    bea.player.board = SIZE
    table.players.append(bea.player)
    await table.together()
    second = bea.player
    await until([second], lambda: second.size == SIZE, "MSG_OPTIONS 4 3", dots.OPTIONS)
    await table.start()
    await table.out()


@server("ggz.game.whole", "a whole game, with the squares of every line", dots.SQUARES)
async def whole(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.out()


def _won(seat: int) -> Goal:
    return lambda position: position.winners() == (seat,)


VERDICTS: dict[str, tuple[str, Goal]] = {
    "won-0": ("seat 0 wins", _won(0)),
    "won-1": ("seat 1 wins", _won(1)),
    "draw": ("a draw is 2", lambda position: not position.winners()),
}


def _verdict(name: str, title: str, goal: Goal) -> None:
    @server(f"ggz.game.{name}", title, dots.DRAW if name == "draw" else dots.OVER)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, (3, 3))
        await table.toward(goal)


for _name, (_title, _goal) in VERDICTS.items():
    _verdict(_name, _title, _goal)


@server("ggz.game.square", "a line that completes a square lists it, and the player moves again", dots.SQUARES)
async def square(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    for x, y in ((0, 0), (2, 1)):
        await table.play(*(line for line in sides(x, y).values() if not table.position.line(line)))


@server("ggz.game.two-squares", "a line that completes two squares lists both", dots.SQUARES)
async def two_squares(exam: ServerExam) -> None:
    for size, last in (((3, 2), "v 1 0"), ((2, 3), "h 0 1")):
        table = await begin(exam, size)
        await table.play(*(move for move in table.position.shape.moves if move != last), last)


REFUSED = {
    "bounds-h": ("h 3 0", -3, "a horizontal line right of the last column: -3"),
    "bounds-v": ("v 0 2", -3, "a vertical line below the last row: -3"),
    "bounds-far": ("v 200 0", -3, "a line far outside: -3"),
    "full": ("h 0 0", -4, "a line that is there: -4"),
}


def _refused(name: str, move: str, status: int, title: str) -> None:
    @server(f"ggz.game.{name}", f"{title}, and no squares", dots.BOUND if status == -3 else dots.FULL)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, SIZE)
        await table.play("h 0 0")
        await table.mover.refused(move, status)
        await table.mover.synced(table.position, table.size, dots.KEPT)
        await table.play("h 1 1")


for _name, (_move, _status, _title) in REFUSED.items():
    _refused(_name, _move, _status, _title)


@server("ggz.game.turn", "a line out of turn: -2, and nothing changes", dots.TURN)
async def turn(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.other.refused("h 0 0", -2, mine=False)
    await table.play("h 0 0")
    await table.other.refused("h 1 0", -2, mine=False)
    await table.play("h 1 0")


@server("ggz.game.state", "a line before the board is chosen: -1", dots.STATE)
async def state(exam: ServerExam) -> None:
    table, _, _ = await seated(exam)
    chooser = await table.asked()
    await chooser.refused("h 0 0", -1, mine=False)


@server("ggz.game.after-game", "a line after the game: -1", dots.STATE)
async def after_game(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    for player in table.players:
        await player.refused("h 0 0", -1, mine=False)


@server("ggz.game.sync", "the whole board after every line", dots.SYNC)
async def sync(exam: ServerExam) -> None:
    table = await begin(exam, (3, 4))
    while not table.over:
        for player in table.players:
            await player.synced(table.position, table.size)
        await table.play(exam.rng.choice(table.position.legal()))


@server("ggz.game.ahead", "after a square the next line may come ahead of the request", dots.AHEAD)
async def ahead(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.play("h 0 0", "v 0 0", "v 1 0")
    mover = table.mover
    await mover.talk.send(lines.draw("h 0 1") + lines.draw("h 2 2"))
    await table.drawn(mover, "h 0 1", dots.AHEAD)
    await table.drawn(mover, "h 2 2", dots.AHEAD)


@server("ggz.game.bytes", "lines byte by byte", dots.BYTES)
async def by_bytes(exam: ServerExam) -> None:
    table = await begin(exam, (3, 2))
    while not table.over:
        mover, move = table.mover, table.position.legal()[0]
        await mover.talk.dribble(lines.draw(move))
        await table.drawn(mover, move, dots.BYTES)


@server("ggz.game.opcode-apart", "opcode and coordinates apart, as the original client sends them", dots.BYTES)
async def opcode_apart(exam: ServerExam) -> None:
    table = await begin(exam, (3, 2))
    for _ in range(3):
        mover, move = table.mover, table.position.legal()[0]
        data = lines.draw(move)
        await mover.talk.send(data[:4], data[4:], pause=0.02)
        await table.drawn(mover, move, dots.BYTES)


@server("ggz.game.again", "another game: the first who asks chooses the board", dots.CHOOSES)
async def again(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    for seat in (0, 1):
        await table.out()
        await table.again((3, 2), table.at(seat))
    await table.out()


@server("ggz.game.again-needs-both", "no new game while only one wants it", dots.NEW_GAME)
async def again_needs_both(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.needs_both()


@server("ggz.game.bot", "a game against a bot, to its end, and another one", dots.TWO)
async def bot(exam: ServerExam) -> None:
    table = await with_bot(exam, (3, 3))
    await table.out()
    await table.again((3, 2))
    await table.out()


@server("ggz.game.bot-kind", "a bot has kind 2 and a name", dots.PLAYERS)
async def bot_kind(exam: ServerExam) -> None:
    table = await with_bot(exam)
    player = table.players[0]
    chair = player.chairs[1 - player.seat]
    if chair.kind != 2 or not chair.name:
        raise Violation("kind 2 and a name", str(chair))


@server("ggz.game.named-bot", "a bot is called as the launch has named it", dots.PLAYERS, SHOULD)
async def named_bot(exam: ServerExam) -> None:
    table = await with_bot(exam, bot=spell.Seat(1, "bot", "Robby"))
    player = table.players[0]
    if player.chairs[1 - player.seat].name != "Robby":
        raise Violation("Robby", player.chairs[1 - player.seat].name)


@server("ggz.game.left", "a player who leaves in a game: the other is told that the seat is open", dots.PLAYERS)
async def left(exam: ServerExam) -> None:
    table, ada, bea = await seated(exam)
    await table.choose(SIZE)
    await table.start()
    await table.play("h 0 0")
    await bea.leave()
    player = ada.player
    assert player is not None
    await until([player], lambda: player.alone, "MSG_PLAYERS: seat 1 is open", dots.PLAYERS)


@server("ggz.game.resumed", "the next to sit down gets the board, and the game goes on", dots.SYNC)
async def resumed(exam: ServerExam) -> None:
    table, ada, bea = await seated(exam)
    await table.choose(SIZE)
    await table.start()
    await table.play("h 0 0", "v 0 0", "v 1 0", "h 0 1", "h 2 2", "v 3 1")
    await bea.leave()
    stays = ada.player
    assert stays is not None
    await until([stays], lambda: stays.alone, "MSG_PLAYERS: seat 1 is open", dots.PLAYERS)
    cleo = await User.inside(exam)
    await cleo.join(ada.table)
    comes = cleo.player
    assert comes is not None
    await comes.next(Sync, "SND_SYNC: the board of the game that goes on", dots.SYNC)
    table.players = [stays, comes]
    await table.together()
    await until(table.players, lambda: any(player.asked for player in table.players), "REQ_MOVE", dots.REQUEST)
    table.mover.asked = 0
    await comes.synced(table.position, table.size)
    free = [move for move in table.position.legal() if not closes(table.position, move)]
    await table.play(*free[:2])


@server("ggz.game.stats", "after a game the room is told that it was counted", clauses.CAME, SHOULD)
async def stats(exam: ServerExam) -> None:
    table, ada, _ = await seated(exam)
    await table.choose((2, 2))
    await table.start()
    await table.out()
    await ada.about_player("stats", ada.name, clauses.CAME)


@server("ggz.game.two-tables", "two tables know nothing of each other", dots.TWO)
async def two_tables(exam: ServerExam) -> None:
    one, two = await begin(exam, (3, 3)), await begin(exam, (2, 3))
    for table in (one, two, one, two):
        if not table.over:
            await table.play(table.position.legal()[0])
    await one.out()
    await two.out()


@server(
    "ggz.game.watched", "who watches sees the lines of both, with seat -1, and is asked for nothing", clauses.WATCHES
)
async def watched(exam: ServerExam) -> None:
    if not exam.habits.spectators:
        skip("spectators are not allowed here")
    table, ada, _ = await seated(exam)
    await table.choose(SIZE)
    await table.start()
    await table.play("h 0 0")
    cleo = await User.inside(exam)
    await cleo.join(ada.table, watch=True)
    assert cleo.player is not None
    talk = cleo.player.talk
    seat = await talk.expect(Seat, "MSG_SEAT -1", clauses.WATCHES)
    if seat.number != -1:
        raise Violation("MSG_SEAT -1", f"MSG_SEAT {seat.number}")
    while isinstance(came := await talk.receive(), Players | Options):
        if isinstance(came, Options):
            cleo.player.notes(came)
    if not isinstance(came, Sync) or (sum(came.horizontal), sum(came.vertical)) != (1, 0):
        raise talk.wrong(came, "SND_SYNC with one line", clauses.WATCHES)
    moves = ("v 0 0", "v 1 0", "h 0 1", "h 2 2")
    await table.play(*moves)
    for move in moves:
        line = await talk.expect(Line, f"MSG_MOVE {move}", clauses.WATCHES)
        if line.move != move:
            raise Violation(f"MSG_MOVE {move}", shown(line))
    came = await talk.receive(0.2)
    if not isinstance(came, Silence):
        raise Violation("nothing else", shown(came))


SIZES = ((2, 2), (25, 25), (2, 25), (25, 2))


def _size(width: int, height: int) -> None:
    @server(f"ggz.game.size-{width}x{height}", f"a board of {width} by {height} dots", dots.SIZES)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, (width, height))
        await table.play(f"h {width - 2} {height - 1}", f"v {width - 1} {height - 2}")
        await table.mover.refused(f"v 0 {height - 1}", -3)
        await table.mover.synced(table.position, table.size)


for _sides in SIZES:
    _size(*_sides)

WRONG = ((1, 1), (0, 0), (26, 26), (2, 26))


def _wrong(width: int, height: int) -> None:
    @server(f"ggz.game.size-not-{width}x{height}", f"a board of {width} by {height} dots is not played on", dots.SIZES)
    async def script(exam: ServerExam) -> None:
        table, _, _ = await seated(exam)
        chooser = await table.asked()
        await chooser.talk.send(lines.choose(width, height) + lines.choose(3, 3))
        for _ in range(8):
            if not await chooser.look(0.2) or chooser.size == (3, 3):
                break


for _sides in WRONG:
    _wrong(*_sides)


@server("ggz.game.options-in-game", "options in a game do not change it", dots.ASKED_OPTIONS)
async def options_in_game(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.mover.talk.send(lines.choose(6, 6))
    await table.mover.synced(table.position, table.size, dots.ASKED_OPTIONS)
    await table.play("h 0 0")


@server("ggz.game.newgame-in-game", "a new game that is asked for during one does not end it", dots.NEW_GAME)
async def newgame_in_game(exam: ServerExam) -> None:
    table = await begin(exam, SIZE)
    await table.mover.talk.send(lines.NEW_GAME)
    await table.mover.synced(table.position, table.size, dots.NEW_GAME)
    await table.play("h 0 0")


@server("ggz.game.random", "games that hypothesis thinks of, by our own rules", dots.SQUARES)
async def random_games(exam: ServerExam) -> None:
    from hypothesis import strategies

    async def attempt(numbers: list[int]) -> None:
        table = await begin(exam, SIZE)
        for number in numbers:
            if table.over:
                return
            moves = table.position.legal()
            await table.play(moves[number % len(moves)])
        if not table.over:
            await table.mover.synced(table.position, table.size)

    numbers = strategies.lists(strategies.integers(0, 16), max_size=17)
    await search(exam, numbers, attempt, lambda thought: f"free lines number {' '.join(map(str, thought))}", 4)


# --- robustness -----------------------------------------------------------------------------------------------------

RUBBISH = {
    "text": b"hello there\n",
    "http": b"GET / HTTP/1.0\r\nHost: x\r\n\r\n",
    "binary": bytes(range(256)) * 8,
    "nul": b"<SESSION>\n<LOGIN TYPE='guest'>\0</LOGIN>",
    "latin-1": b"<SESSION>\n<CHAT>gr\xfc\xdfe</CHAT>\n",
    "long-tag": b"<SESSION>\n<LOGIN TYPE='" + b"x" * 100_000 + b"'/>\n",
    "long-text": b"<SESSION>\n<LOGIN><NAME>" + b"x" * 200_000 + b"</NAME></LOGIN>\n",
    "deep": b"<SESSION>\n" + b"<A>" * 5000,
    "many": b"<SESSION>\n" + b"<PING/>\n" * 2000,
    "doctype": b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'>]><SESSION>\n<LOGIN><NAME>&a;</NAME></LOGIN>",
    "half": b"<SESSION>\n<LOGIN TYPE='gu",
    "nothing": b"",
}


def _rubbish(name: str, data: bytes) -> None:
    title = f"{name.replace('-', ' ')} before the login: those who come next are served"

    @server(f"ggz.robust.{name}", title, clauses.STANDING, ROBUST)
    async def script(exam: ServerExam) -> None:
        talk = await exam.connect()
        await talk.send(data)
        await talk.listen(0.1)
        await newcomer(exam)


for _name, _data in RUBBISH.items():
    _rubbish(_name, _data)

GAME_RUBBISH = {
    "opcode": ("an unknown opcode", lines.whole(99)),
    "xml": ("XML", b"<LEAVE/>\n"),
    "noise": ("all bytes there are", bytes(range(256)) * 4),
    "half": ("half a line", b"\0\0\0\0\1"),
}


def _game_rubbish(name: str, title: str, data: bytes) -> None:
    @server(f"ggz.robust.channel-{name}", f"{title} on the channel: those who come next play", clauses.STANDING, ROBUST)
    async def script(exam: ServerExam) -> None:
        table = await begin(exam)
        await table.mover.talk.send(data)
        await table.mover.talk.listen(0.1)
        await newcomer(exam)


for _name, (_title, _data) in GAME_RUBBISH.items():
    _game_rubbish(_name, _title, _data)


@server("ggz.robust.resets", "both connections are cut off in a game", clauses.STANDING, ROBUST)
async def resets(exam: ServerExam) -> None:
    table = await begin(exam)
    await table.play("h 0 0")
    for talk in exam.conversations:
        await talk.reset()
    await newcomer(exam)


@server("ggz.robust.half-closes", "half-closes of all connections in a game", clauses.STANDING, ROBUST)
async def half_closes(exam: ServerExam) -> None:
    await begin(exam)
    for talk in exam.conversations:
        talk.finish()
    await newcomer(exam)


@server("ggz.robust.game-bytes-early", "the game's bytes on a channel before the player sits", clauses.STANDING, ROBUST)
async def game_bytes_early(exam: ServerExam) -> None:
    ada = await User.inside(exam)
    talk = await ada.channel()
    await talk.send(lines.draw("h 0 0"))
    await talk.listen(0.1)
    await newcomer(exam)


@server("ggz.robust.comers", "twenty who come and go", clauses.STANDING, ROBUST)
async def comers(exam: ServerExam) -> None:
    for talk in [await exam.connect() for _ in range(20)]:
        await talk.reset()
    await newcomer(exam)
