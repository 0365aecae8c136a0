"""`parlour bot URL`: an engine's level, or a program, plays on any server, game after game."""

import argparse
import asyncio
import io
import os
import signal
import sys
import time
from typing import assert_never

import msgspec

from parlour.bots.levels import SECONDS
from parlour.client.address import parse
from parlour.client.asking import Thinker, any_of, asked
from parlour.client.call import Call
from parlour.client.lines import plain
from parlour.client.stay import GRACE_SECONDS, INTERRUPTED, Screen
from parlour.config import kernel_directory
from parlour.core.errors import LocalError
from parlour.core.game import LEVELS
from parlour.core.session import Again, Board, Over, Report, Sheet, Show, Visit, WireProtocol, YourTurn
from parlour.core.words import Leave, Play, Resign, Vote
from parlour.registry import games, protocols
from parlour.tools.arena.match import MOST_GAMES, Contender, program, seconds
from parlour.tools.arena.program import Forfeit, Stopped

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
"""Seconds before a server is tried again, doubled until a game has been finished there."""
_SECONDS_OF_A_PROGRAM = 1.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `parlour bot` understands."""
    add = parser.add_argument
    add("url", metavar="URL", help=f"where to play: {', '.join(f'{name}://' for name in protocols())} and HOST[:PORT]")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--level", metavar="L", choices=LEVELS, help=f"an engine plays: {', '.join(LEVELS)}")
    who.add_argument(
        "--command", dest="program", metavar="CMD", help="a program plays, by the lines of `parlour arena`"
    )
    add("--name", metavar="N", help="the name to play under (also NAME@HOST in the URL)")
    add("--games", metavar="N", help="games to play to their end (default: for ever)")
    add("--seconds", metavar="S", help="for a move (default: a level's own time, 1 for a program)")


def run(args: argparse.Namespace) -> int:
    """Play until the games are over. 0 when all were, 1 when one was broken off or given up, 130 after Ctrl-C."""
    protocol, visit = parse(args.url, protocols(), args.name)
    visit = msgspec.structs.replace(visit, password=os.environ.get("PARLOUR_PASSWORD", ""), games=games())
    contender = Contender(args.level, args.level) if args.level else program(args.program)
    limit = seconds(args.seconds, "--seconds") if args.seconds else SECONDS.get(args.level, _SECONDS_OF_A_PROGRAM)
    thinker = Thinker(contender, limit, kernel_directory(None))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    bot = Bot(protocol, visit, thinker, _count(args.games), Screen(sys.stdout))
    try:
        return asyncio.run(bot.run())
    finally:
        thinker.close()


def _count(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 8 and 1 <= int(text) <= MOST_GAMES):
        raise LocalError(f"--games must be a whole number from 1 to {MOST_GAMES}, not {text!r}")
    return int(text)


class Bot:
    """One visit after another, and the game that is being played."""

    def __init__(
        self, protocol: WireProtocol, visit: Visit, thinker: Thinker, limit: int | None, screen: Screen
    ) -> None:
        self._protocol = protocol
        self._visit = visit
        self._thinker = thinker
        self._limit = limit
        """Games to finish; None for no end."""
        self._screen = screen
        self._counts = {"won": 0, "lost": 0, "draw": 0}
        self._spoiled = False
        """A game was broken off, or given up because the player failed."""
        self._interrupted = False
        self._call: Call | None = None
        self._task: asyncio.Task[int] | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._began: float | None = None
        """When the running game began."""
        self._sheet: Sheet | None = None
        """Of the running or last game."""
        self._made = 0
        """Our own moves in it."""
        self._given_up = ""
        """Why the running game was given up."""
        self._luck = False
        """A game has been finished in this visit."""
        self._last_words = ""
        """What the session said last."""

    async def run(self) -> int:
        """Play until all games are over. Raises LocalError when there is no server to begin with."""
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt)
        try:
            await self._thinker.warm(self._protocol.visit(self._visit).guide.game)
            await self._come_and_go()
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
        finally:
            self._forget_thought()
            self._thinker.stop()
        won, lost, drawn = self._counts.values()
        self._screen.write(f"{won} won, {lost} lost, {drawn} drawn\n")
        return INTERRUPTED if self._interrupted else int(self._spoiled)

    @property
    def _done(self) -> bool:
        return self._interrupted or self._screen.gone or sum(self._counts.values()) == self._limit

    async def _come_and_go(self) -> None:
        pause, first = FIRST_PAUSE, True
        while not self._done:
            self._luck = False
            try:
                await self._stay()
            except LocalError as error:
                if first:
                    raise
                self._complain(str(error))
            first = False
            if self._luck:
                pause = FIRST_PAUSE
                continue
            if not self._done:
                self._complain(f"{self._last_words} Trying again in {pause:g} seconds.".lstrip())
                self._last_words = ""
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _stay(self) -> None:
        """One visit, from the connection to its end."""
        call = self._call = Call(self._protocol, self._visit, self._show, lambda: None)
        self._sheet = None
        try:
            await call.connect()
            await call.stay()
        finally:
            self._call = None
            self._forget_thought()
            if self._leaving is not None:
                self._leaving.cancel()
                self._leaving = None
            self._over("aborted")

    # --- what the session shows --------------------------------------------------------------------------------------

    def _show(self, shown: Show) -> None:
        match shown:
            case YourTurn() if self._done:  # a server that did not wait for our answer
                self._act_soon(Leave())
            case YourTurn(moves=moves):
                self._begin()
                self._forget_thought()
                if not self._given_up:
                    self._thinking = asyncio.get_running_loop().create_task(self._think(moves))
            case Over(result=result):
                self._over(result)
            case Again():
                self._act_soon(Vote(not self._done))
            case Report(text=text):
                self._last_words = text
            case Board() if not self._done and self._call is not None and self._call.session.sheet is not self._sheet:
                self._begin()
            case Board():
                pass
            case _:
                assert_never(shown)

    def _begin(self) -> None:
        """A game runs, if the session has one on its sheet that we do not know."""
        sheet = None if self._call is None else self._call.session.sheet
        if self._began is None or (sheet is not self._sheet and sheet is not None):
            self._began, self._made, self._given_up = time.monotonic(), 0, ""
        self._sheet = sheet or self._sheet

    def _over(self, result: str) -> None:
        """A game has ended, unless none had begun."""
        self._forget_thought()
        if self._began is None:
            return
        spent, self._began = time.monotonic() - self._began, None
        why, self._given_up = self._given_up, ""
        result = "lost" if why else result
        self._spoiled = self._spoiled or bool(why) or result == "aborted"
        if result in self._counts:
            self._counts[result] += 1
            self._luck = True
        moves = len(self._sheet.moves) if self._sheet is not None else self._made
        self._screen.write(f"{result} {self._opponent()} {moves} {spent:.1f}{f' resigned: {why}' if why else ''}\n")
        if self._done and self._call is not None and self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._leave)

    def _opponent(self) -> str:
        """Who sits opposite, in one word."""
        sheet = self._sheet
        names = [] if sheet is None else [name for seat, name in enumerate(sheet.names) if name and seat != sheet.seat]
        host = f"{self._visit.host}:{self._visit.port}"
        return "_".join(plain(",".join(names) or host).split()) or host

    # --- what we do --------------------------------------------------------------------------------------------------

    async def _think(self, offered: tuple[str, ...]) -> None:
        """Answer with a move, or give the game up."""
        assert self._call is not None
        question = asked(self._call.session.sheet, offered, self._thinker.seconds)
        try:
            if question is not None:
                move = await self._thinker.move(question)
            elif offered:
                move = any_of(offered)  # the rules know no such position, but the server wants a move
            else:
                self._give_up("there is no move to make")
                return
        except Forfeit as forfeit:
            self._give_up(f"{forfeit.fault.value}: {plain(str(forfeit))}")
            return
        except Stopped:
            return
        self._made += 1
        self._call.act(Play(move))

    def _give_up(self, why: str) -> None:
        self._given_up = why
        assert self._call is not None
        self._call.act(Resign())

    def _forget_thought(self) -> None:
        thought, self._thinking = self._thinking, None
        if thought is not None and thought is not asyncio.current_task():
            thought.cancel()

    def _act_soon(self, command: Vote | Leave) -> None:
        """A session is in the middle of telling us something: answer once it has."""
        call = self._call
        if call is not None:
            asyncio.get_running_loop().call_soon(call.act, command)

    def _leave(self) -> None:
        if self._call is not None:
            self._call.act(Leave())

    def _interrupt(self) -> None:
        """Leave in good order; the second time, at once."""
        second, self._interrupted = self._interrupted, True
        self._thinker.stop()
        if self._call is None or not self._call.connected:
            if self._task is not None:
                self._task.cancel()
        elif second:
            self._call.abort()
        else:
            self._leave()

    def _complain(self, text: str) -> None:
        print(f"parlour bot: {plain(text)}", file=sys.stderr, flush=True)
