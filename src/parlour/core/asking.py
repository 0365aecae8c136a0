"""What the users of a room ask for together: done when everybody who matters has asked for the same."""

from collections.abc import Collection
from typing import TYPE_CHECKING, assert_never

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.news import Field
from parlour.core.roomwords import AskBots, AskSize, AskStart, AskStop

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.users import User

Ask = AskStart | AskStop | AskSize | AskBots

MOST_BOTS = 15


class Wishes(msgspec.Struct):
    """Who has asked for what, one wish of each kind per user."""

    by_kind: dict[type[Ask], dict["User", Ask]] = {}

    def add(self, user: "User", ask: Ask) -> bool:
        """Note a wish; False when the user has it already."""
        wishes = self.by_kind.setdefault(type(ask), {})
        if wishes.get(user) == ask:
            return False
        wishes[user] = ask
        return True

    def withdraw(self, user: "User", kind: type[Ask]) -> None:
        self.by_kind.get(kind, {}).pop(user, None)

    def drop(self, user: "User") -> None:
        """The user no longer counts, and takes all wishes along."""
        for wishes in self.by_kind.values():
            wishes.pop(user, None)

    def clear(self, *kinds: type[Ask]) -> None:
        for kind in kinds:
            self.by_kind.pop(kind, None)

    def agreed(self, deciders: Collection["User"]) -> list[Ask]:
        """What all of them wish for."""
        everyone = []
        for wishes in self.by_kind.values():
            found = [wishes.get(user) for user in deciders]
            if found and found[0] is not None and all(wish == found[0] for wish in found):
                everyone.append(found[0])
        return everyone


def check(room: "Room", user: "User", ask: Ask) -> None:
    """Refuse what nobody can have, or not this user."""
    if room.table.running and not user.playing:
        raise Refused(Refusal.NOT_SEATED)
    match ask:
        case AskStart():
            room.require_open_house()
        case AskStop():
            if not room.table.running:
                raise Refused(Refusal.NOT_PLAYING)
        case AskSize(width=width, height=height):
            room.table.game.options({"width": width, "height": height})
            if room.pair is not None and max(width, height) > room.pair.most:
                raise Refused(Refusal.BAD_OPTIONS)
        case AskBots(count=count, level=level):
            if not 0 <= count <= MOST_BOTS or level not in LEVELS:
                raise Refused(Refusal.BAD_OPTIONS)
        case _:
            assert_never(ask)


def word(room: "Room", ask: Ask) -> tuple[str, dict[str, Field]]:
    """What it is, for everybody to read."""
    match ask:
        case AskStart():
            return "wants-new-game" if room.table.running else "wants-start", {}
        case AskStop():
            return "wants-stop", {}
        case AskSize(width=width, height=height):
            return "wants-board", {"width": width, "height": height}
        case AskBots(count=0):
            return "wants-no-bots", {}
        case AskBots(count=count, level=level):
            return "wants-bots", {"count": count, "level": level}
        case _:
            assert_never(ask)


def ask(room: "Room", user: "User", wish: Ask) -> None:
    """Note what a user wants, and do what all of them want. Raises Refused."""
    check(room, user, wish)
    if room.wishes.add(user, wish):
        said, fields = word(room, wish)
        room.announce(said, name=user.name, **fields)
    if type(wish) is AskStart and not room.table.running:
        room.resting = False
        room.note_ready(user, True)
    room.settle()


def fulfil(room: "Room", hub: "Hub") -> None:
    """Do what everybody who matters has asked for."""
    for wish in room.wishes.agreed(room.deciders()):
        if type(wish) is not AskStart:
            room.wishes.clear(type(wish))
        match wish:
            case AskStart():
                if not room.obstacle():
                    room.start()
            case AskStop():
                room.stop()
                room.settle()  # which sees to the other wishes, too
                return
            case AskSize(width=width, height=height):
                if room.pair is None or max(width, height) <= room.pair.most:
                    room.lay_out(width, height)
                    room.settle()
                    return
            case AskBots(count=count, level=level):
                set_bots(room, hub, count, level)
            case _:
                assert_never(wish)


def set_bots(room: "Room", hub: "Hub", count: int, level: str = "medium") -> None:
    """Have so many engines in the room, and leave those that are there already.

    A game that is left to one player by that is stopped: nobody has won it.
    """
    bots = [user for user in room.users.values() if not user.is_person]
    count = min(count, MOST_BOTS)
    if room.pair is None and bots[count:] and len([user for user in room.players if user not in bots[count:]]) < 2:
        room.stop()
    for user in bots[count:]:
        room.leave(user.who)
    for _ in range(len(bots), count):
        name = f"Bot {room.arrivals + 1}"
        room.enter(hub.engines.hire(room.table.game, level, name), name=name)
