"""Restless people of NetDot and GGZ who come, sit, play, watch and go: all see the boards of their tables."""

from random import Random

import pytest

from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.words import Command, Open, TakeChair, Watch
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.dialect import FOUR, YEAR2000
from parlour.protocols.ggzdots.door import POLICY
from parlour.protocols.ggzdots.server import DotsSession
from parlour.protocols.netdot.v1 import Version1
from parlour.protocols.netdot.v2 import Version2
from parlour.protocols.netdot.words import QUEUED
from tests.netdot import Lan
from tests.properties.test_netdot_rooms import WORDS
from tests.unit.protocols.ggzdots_peer import Peer
from tests.unit.protocols.meeting import Screen, Sheet, spelled
from tests.world import Wire

DIALECTS = ("3", "beta", "2", "1")
MOST = 25


def at(wire: Wire) -> Participant | None:
    """Whoever is at a table on this connection."""
    who = None if wire.closed else wire.link.participant
    return None if who is None or who.table is None else who


class Company:
    """A server with a NetDot door and GGZ people around it."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        features = self.rng.choice(("chat", "chat,vote"))
        self.lan = Lan(size=self.rng.choice(("2x2", "3x3")), ready="2", features=features)
        self.sheets: list[Sheet] = []
        self.screens: list[Screen] = []
        self.together = 0
        """How many lines were drawn at tables with people of both wires."""

    # --- what people do ----------------------------------------------------------------------------------------------

    def step(self) -> None:
        rng = self.rng
        roll = rng.random()
        if roll < 0.08 or not (self.sheets and self.screens):
            self._come()
        elif roll < 0.62:
            self._move()
        elif roll < 0.80:
            self._say_something()
        elif roll < 0.90:
            self._go_somewhere()
        elif roll < 0.95:
            self.lan.world.advance(rng.choice((0.5, 3.5)))
        else:
            self._leave()

    def _come(self) -> None:
        rng, world = self.rng, self.lan.world
        if len(self.sheets) < 5 and rng.random() < 0.5:
            self.sheets.append(Sheet(self.lan.join(rng.choice(DIALECTS), ready=rng.random() < 0.7)))
        elif len(self.screens) < 5:
            dialect = rng.choice((FOUR, YEAR2000))
            table = rng.choice(world.tables).id if world.tables else ""
            wants: Command = rng.choice(
                (TakeChair(table, most=MOST), Watch(table), Open("dots", {}, policy=POLICY, most=MOST))
            )
            bare = rng.random() < 0.3
            peer = Peer(world, dialect) if bare else Peer.arriving(world, dialect, f"g{rng.random()}"[:6], wants)
            self.screens.append(Screen(peer))

    def _move(self) -> None:
        """Whoever is on turn somewhere draws a line."""
        running = [table for table in self.lan.world.tables if table.running and None not in table.seats]
        if not running:
            return
        table = self.rng.choice(running)
        assert table.position is not None
        seat = table.seats[table.position.turn]
        assert seat is not None
        move = self.rng.choice(table.position.legal())
        for sheet in self.sheets:
            if sheet.client.wire.link.participant is seat.who:
                sheet.client.say(spelled(sheet.client.dialect, move))
        for screen in self.screens:
            if screen.peer.wire.link.participant is seat.who:
                screen.draw(move)
        kinds = {person.wire for person in table.present()}
        self.together += len(kinds) > 1

    def _say_something(self) -> None:
        rng = self.rng
        if rng.random() < 0.4:
            rng.choice(self.screens).peer.wire.send(rng.choice((dots.NEW_GAME, dots.choose(rng.choice((2, 3)), 2))))
            return
        client = rng.choice(self.sheets).client
        client.say(rng.choice((*WORDS[client.dialect], "network-chat /size 3 2", "network-chat /tables")))

    def _go_somewhere(self) -> None:
        tables = self.lan.world.tables
        client = self.rng.choice(self.sheets).client
        if tables:
            client.witness.moving = True
            client.say(f"network-chat /join {self.rng.choice(tables).id}")
            client.heard()
            client.witness.moving = False

    def _leave(self) -> None:
        wires = [sheet.client.wire for sheet in self.sheets] + [screen.peer.wire for screen in self.screens]
        wire = self.rng.choice(wires)
        wire.end_of_file()
        wire.transport.closed = True

    # --- what they see -----------------------------------------------------------------------------------------------

    def look(self) -> None:
        for sheet in self.sheets:
            sheet.look()
        for screen in self.screens:
            screen.look()
        self.sheets = [sheet for sheet in self.sheets if at(sheet.client.wire)]
        self.screens = [screen for screen in self.screens if at(screen.peer.wire)]
        for sheet in self.sheets:
            self._check_sheet(sheet)
        for screen in self.screens:
            self._check_screen(screen)

    def _check_sheet(self, sheet: Sheet) -> None:
        session = sheet.client.wire.link.session
        who = at(sheet.client.wire)
        table = _running(who)
        waits = isinstance(session, Version2) and session.number == QUEUED
        if table is None or waits or (isinstance(session, Version1) and not session._playing):
            return
        assert sorted(sheet.drawn) == sorted(table.moves)
        if sheet.client.dialect != "1" and None not in table.seats:
            assert table.position is not None
            assert sheet.turn == table.party.cast[table.position.turn].id
        if sheet.client.dialect != "beta":
            heirs_and_players = sum(sheet.scores(table))
            assert heirs_and_players == sum(table.position.scores() if table.position else ())

    def _check_screen(self, screen: Screen) -> None:
        session = screen.peer.wire.link.session
        table = _running(at(screen.peer.wire))
        assert isinstance(session, DotsSession)
        if table is None or not session._live:
            return
        assert isinstance(table.position, DotsPosition)
        assert screen.position.scores() == table.position.scores()
        assert screen.position.legal() == table.position.legal()


def _running(who: Participant | None) -> Table | None:
    return who.table if who is not None and who.table is not None and who.table.running else None


@pytest.mark.parametrize("seed", range(10))
def test_everybody_sees_the_board_of_their_table(seed: int) -> None:
    company = Company(seed)
    for _ in range(700):
        company.step()
        company.look()
    assert company.together > 10, "they have hardly met"
    assert company.lan.world.complaints == []
