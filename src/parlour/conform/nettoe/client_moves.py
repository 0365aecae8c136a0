"""Clients: boards and turns."""

from collections.abc import Callable

from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import Silence, shown, told
from parlour.conform.exam import ClientExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import CELLS, DRAW, Field, O, X, blanks, marked
from parlour.conform.nettoe.host import Host
from parlour.conform.nettoe.match import CLIENT_STOP, HOOK, SERVER_STOP, SHORT, YES, frame
from parlour.conform.nettoe.suite import client

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD


def _square(cell: int) -> None:
    @client(f"nettoe.client-move.square-{CELLS[cell]}", f"byte {cell} of a board is {CELLS[cell]}", clauses.BOARD)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, first=False)
        await host.talk.send(host.mark(cell))
        await host.move()


for _cell in range(9):
    _square(_cell)


@client("nettoe.client-move.typed", "the O goes to the square that is typed", clauses.BOARD)
async def typed(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.begin(exam)
    wishes, moves = [], []
    for wish in (5, 6, 1):
        cell = wish if wish in blanks(host.board) else blanks(host.board)[-1]
        wishes.append(cell)
        moves.append(await host.move(cell))
        if host.over:
            break
        await host.talk.send(host.mark(blanks(host.board)[0]))
    if wishes != moves:
        skip(f"the client plays by itself, or reads moves in another way: told {wishes}, it played {moves}")


@client("nettoe.client-move.form", "y, NUL, nine squares, C, NUL", clauses.STOP)
async def form(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()


@client("nettoe.client-move.one", "one board a turn", clauses.TURNS)
async def one(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.quiet("nothing: it is the server's turn", clauses.TURNS)
    await host.talk.send(host.mark())
    await host.move()


@client("nettoe.client-move.long-game", "turn after turn up to a full board", clauses.TURNS)
async def long_game(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.toward(DRAW)
    await host.out()


@client("nettoe.client-move.second-player", "the same where the server begins", clauses.TURNS)
async def second_player(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    await host.toward(DRAW)
    await host.out()


@client("nettoe.client-move.last-square", "when one square is left, the O goes there", clauses.BOARD)
async def last_square(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=True)
    if not await host.toward(DRAW):
        skip("no game went on so long")


# --- framing -------------------------------------------------------------------------------------------------------


def _cut(slug: str, title: str, cut: Callable[[bytes], list[bytes]], pause: float = 0.004) -> None:
    @client(f"nettoe.client-framing.{slug}", title, clauses.STREAM)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, first=False)
        for _ in range(2):
            await host.talk.send(*cut(host.mark()), pause=pause)
            await host.move()


def _squares_apart(data: bytes) -> list[bytes]:
    return [data[:2], *(data[at : at + 1] for at in range(2, 11)), data[11:]]


_cut("bytes", "a board that comes byte by byte", lambda data: [data[at : at + 1] for at in range(len(data))])
_cut("parts", "a board in three parts: hook, squares, stop", lambda data: [data[:2], data[2:11], data[11:]])
_cut("squares", "nine squares one by one, as the original writes them", _squares_apart)
_cut("hook-halved", "a hook in two halves", lambda data: [data[:1], data[1:]])
_cut("stop-halved", "a stop in two halves", lambda data: [data[:12], data[12:]])
_cut("late", "a board with long pauses within", lambda data: [data[:5], data[5:]], 3 * SHORT)


@client("nettoe.client-framing.stop-awaited", "without its stop signal a board is no turn", clauses.STOP_AWAITED)
async def stop_awaited(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    whole = host.mark()
    await host.talk.send(whole[:11])
    await host.quiet("nothing: the stop signal is still to come", clauses.STOP_AWAITED)
    await host.talk.send(whole[11:])
    await host.move()


def _no_stop(slug: str, title: str, stop: bytes) -> None:
    @client(f"nettoe.client-framing.{slug}", title, clauses.STOP_AWAITED)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, first=False)
        await host.talk.send(host.mark()[:11] + stop)
        exam.type(CELLS[blanks(host.board)[0]])
        await host.quiet("nothing: no stop signal of a server has come", clauses.STOP_AWAITED, 4 * SHORT)


_no_stop("client-stop", "the client's own stop signal is not the server's", CLIENT_STOP)
_no_stop("no-stop", "two NULs are no stop signal", b"\0\0")


# --- boards that are no move, and rubbish --------------------------------------------------------------------------


def _illegal(slug: str, title: str, change: Callable[[bytes], bytes]) -> None:
    @client(f"nettoe.client-illegal.{slug}", title, clauses.TURNS, SHOULD)
    async def script(exam: ClientExam) -> None:
        exam.remark("The document does not say what is done with such a board; the original takes any.")
        host = await Host.begin(exam)
        await host.move()
        await host.talk.send(host.mark())
        await host.move()
        board = change(host.board)
        await host.talk.send(frame(board, SERVER_STOP))
        exam.type(CELLS[blanks(host.board)[-1]])
        host.talk.phase = 11
        came = await host.talk.receive(4 * SHORT)
        if isinstance(came, Field) or (isinstance(came, Silence) and came.unread[:2] == HOOK):
            raise Shortfall(f"no answer to {shown(board)}, which is no move on {shown(host.board)}", told(came))


def _two(board: bytes) -> bytes:
    first, second = blanks(board)[:2]
    return marked(marked(board, first, X), second, X)


_illegal("two", "two marks at once", _two)
_illegal("none", "no mark at all", lambda board: board)
_illegal("over-o", "a mark upon the client's", lambda board: board.replace(b"O", b"X", 1))
_illegal("wiped", "a mark of the client wiped out", lambda b: marked(b, blanks(b)[0], X).replace(b"O", b" ", 1))
_illegal("other-mark", "the client's mark in place of the server's", lambda board: marked(board, blanks(board)[0], O))
_illegal("small", "a small x", lambda board: marked(board, blanks(board)[0], ord("x")))


def _rubbish(slug: str, title: str, data: bytes) -> None:
    @client(f"nettoe.client-rubbish.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, first=False)
        await host.talk.send(data)
        await host.talk.listen(SHORT)


_rubbish("nuls", "nothing but NULs", bytes(4096))
_rubbish("binary", "bytes of all kinds", bytes(range(256)) * 16)
_rubbish("odd", "one byte too many in front of a board", b"?" + frame(b"X        ", SERVER_STOP))
_rubbish("escape", "a board of control characters", frame(b"\x1b[2J\x1b[31m"[:9], SERVER_STOP))
_rubbish("answer", "a question in the middle of a game", YES)
_rubbish("boards", "a hundred boards at once", frame(b"X" * 9, SERVER_STOP) * 100)


@client("nettoe.client-move.never-server", "a client never says S, nor an X of its own", clauses.STOP)
async def never_server(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.out()
    said = b"".join(segment.data for segment in exam.segments if segment.sender == "C")[32:]
    if SERVER_STOP in said[11::13]:
        raise Violation("C and a NUL behind every board", shown(said))
