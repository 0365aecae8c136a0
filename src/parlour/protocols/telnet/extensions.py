"""What a person of this wire wants of the house, each carried out in the hub's turn."""

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, Game, Options
from parlour.core.house.hub import Hub
from parlour.core.house.wishing import ENGINE, HUMAN, INVITE, GameWish, command_for
from parlour.core.names import reserved
from parlour.core.party.games import has_place
from parlour.core.table.people import Participant
from parlour.core.table.table import Status, Table
from parlour.core.updates import Private
from parlour.core.words import (
    EnterTable,
    Extension,
    Leave,
    Rename,
    Sit,
    Talk,
)
from parlour.protocols.telnet import sentences

WIRE = "telnet"
ANYONE, LINK = "anyone", "link"
OPPONENTS = (*LEVELS, ANYONE, LINK)
LISTED = 100
"""So many tables are listed, the newest."""
NAMED = 8
"""So many people of a table are named in the list."""
SEAT = "seat"
"""What may stand among the options of a game that has no option of this name: where the person sits."""


class Welcomed(Private, frozen=True):
    """The person is called this from now on; at first by the house."""

    name: str
    first: bool = False


class GamesListed(Private, frozen=True):
    """One line a game."""

    rows: tuple[str, ...]


class TablesListed(Private, frozen=True):
    """One line a table, the newest last."""

    rows: tuple[str, ...]


class AsOf(Private, frozen=True):
    """The table is to be shown as it is at this time."""

    at: float


class Guests:
    """Gives names to those who come; `hub.service(Guests)` has it."""

    def __init__(self, _: Hub) -> None:
        self.count = 0

    def next_name(self) -> str:
        self.count += 1
        return f"Guest {self.count}"


class Arrive(Extension, frozen=True):
    """A connection is there."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        who.name = hub.service(Guests).next_name()
        who.tell(Welcomed(who.name, first=True))


class CallMe(Extension, frozen=True):
    """Be called otherwise. A registered name is its owner's, and there is no way here to show that one is."""

    name: str

    def run(self, hub: Hub, who: Participant) -> None:
        if reserved(self.name):
            raise Refused(Refusal.BAD_NAME)
        if who.member is not None:
            hub.carry_out(who, Rename(self.name))
            return
        who.name = hub.name_for(self.name)
        who.tell(Welcomed(who.name))


class ListGames(Talk, frozen=True):
    """All games of the house, or one of them."""

    of_house = True

    key: str = ""

    def run(self, hub: Hub, who: Participant) -> None:
        if self.key:
            game = hub.game(self.key)
            rules = (game.description.rules,) if game.description.rules else ()
            who.tell(GamesListed((_game_row(game), *rules)))
        else:
            who.tell(GamesListed(tuple(_game_row(hub.game(key)) for key in hub.games)))


class ListTables(Talk, frozen=True):
    """Every table but those that are kept for invited people."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        tables = [each for each in hub.tables.values() if _is_shown(each) or each is who.table]
        others = [card.rows["telnet"] for card in hub.listing.elsewhere.values() if "telnet" in card.rows]
        rows = [*others, *(_table_row(table, table is who.table) for table in tables[-LISTED:])][-LISTED:]
        if len(tables) + len(others) > LISTED:
            rows.insert(0, f"{len(tables) + len(others)} tables, of which these are the newest:")
        who.tell(TablesListed(tuple(rows or [sentences.NO_TABLES])))


class Look(Extension, frozen=True):
    """Show the table, with its clock as of now."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        who.tell(AsOf(hub.at))


class TakeSeat(Extension, frozen=True):
    """Sit down: in a seat, on a chair, or in a room in the line of those who play."""

    table: str
    seat: int | None

    def run(self, hub: Hub, who: Participant) -> None:
        table = hub.table(self.table)
        if who.table is not None and who.table is not table:
            raise Refused(Refusal.ALREADY_SEATED)
        if table.party.chairs or who.member is not None:
            hub.carry_out(who, Sit(table.id, self.seat))
            return
        hub.require_open_house()
        if not has_place(table):
            raise Refused(Refusal.TABLE_FULL)
        if who.table is table:  # looks on, and comes in
            hub.carry_out(who, Leave())
        hub.carry_out(who, EnterTable(table.id, votes=True))


class Begin(Extension, frozen=True):
    """A new game, whichever the house has: at a plain table, at one with two chairs, or in a room."""

    opens = True

    game: str
    options: Options
    opponent: str
    """A level, ANYONE or LINK."""

    def run(self, hub: Hub, who: Participant) -> None:
        hub.require_free(who)
        game = hub.game(self.game)
        given = dict(self.options)
        seat = None if SEAT in game.options({}) else _number(given.pop(SEAT, ""))
        if seat is not None and game.players(game.options(given)) > 2:
            raise Refused(Refusal.BAD_OPTIONS)
        engine = self.opponent in LEVELS
        opponent = ENGINE if engine else INVITE if self.opponent == LINK else HUMAN
        wish = GameWish(self.game, given, opponent, self.opponent if engine else "medium", seat=seat)
        hub.carry_out(who, command_for(wish, game, who.name, hub.new_secret(12)))


def _number(text: int | str) -> int | None:
    """A seat, None where none is named. Raises Refused."""
    if text == "":
        return None
    if not (isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 4):
        raise Refused(Refusal.BAD_OPTIONS)
    return int(text)


def row(table: Table) -> str:
    """A table in one line for those who are elsewhere; nothing of one that is kept for invited people."""
    return _table_row(table, here=False) if _is_shown(table) else ""


def _is_shown(table: Table) -> bool:
    return table.policy.open or table.running


def _table_row(table: Table, here: bool) -> str:
    """A table of the house in one line."""
    names = [member.name for member in table.party.members.values()]
    if len(names) > NAMED:
        names[NAMED:] = [f"{len(names) - NAMED} others"]
    options = sentences.described(table.options)
    parts = [
        f"{table.id}: {table.party.title or table.game.name}",
        options,
        "playing" if table.running else "waiting" if table.status is Status.WAITING else "between games",
        sentences.joined(names) if names else "no one",
        "" if not has_place(table) else "a seat is free" if table.party.chairs else "a room with a place",
        f"{table.onlookers} watching" if table.onlookers else "",
        "you are here" if here else "",
    ]
    return "; ".join(part for part in parts if part)


def _game_row(game: Game) -> str:
    options = sentences.described(game.options({}))
    fewest, most = game.seats
    players = f"{fewest} players" if fewest == most else f"{fewest} to {most} players"
    notation = game.description.notation
    examples = ", ".join(notation.examples)
    return (
        f"{game.key}: {game.name}, {players}{f'; {options}' if options else ''}. {game.description.about}"
        f" Moves such as {examples}: {notation.help}"
    )
