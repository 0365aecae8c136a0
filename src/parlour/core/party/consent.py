"""What the members of a room agree on: wishes, done when all who matter want the same, and votes, one at a time."""

from collections.abc import Callable, Mapping

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, Options
from parlour.core.names import one_line
from parlour.core.party.chairs import longest_side
from parlour.core.party.coming import bring_engine, kick, leave
from parlour.core.party.games import lay_out, start, stop
from parlour.core.party.lineup import deciders, obstacle, renewing
from parlour.core.party.steps import House, Steps
from parlour.core.table.ballot import BOARD, BOTS, START, STOP, WISHES, Ballot
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import Announced, Fields
from parlour.core.words import (
    FEATURES,
    Arguments,
    Decided,
    Leaving,
    Propose,
    Proposed,
    Readied,
    Shuffled,
    Switched,
    Voted,
    Wish,
)

VOTE_SECONDS = 30.0
MOST_BOTS = 15


# --- wishes -------------------------------------------------------------------------------------------------------


def wish(table: Table, house: House, member: Member, wanted: Wish) -> Steps:
    """Note what a member wants. Raises Refused for what none can have, or not this member."""
    what, arguments = wanted.what, wanted.arguments
    _check_wish(table, house, member, what, arguments)
    if table.party.wanted(what, member.id) != arguments:
        yield Voted(member.id, True, what, arguments)
        yield _wanted(table, member, what, arguments)
    if what == START and not table.running and not member.ready:
        yield Readied(member.id)


def _check_wish(table: Table, house: House, member: Member, what: str, arguments: Arguments) -> None:
    if what not in WISHES:
        raise Refused(Refusal.NO_SUCH_VOTE)
    if table.running and member.seat is None:
        raise Refused(Refusal.NOT_SEATED)
    if what == START and house.refusing is not None:
        raise Refused(house.refusing)
    if what == STOP and not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    if what == BOARD and max(table.game.board(_board(table, arguments))) > longest_side(table):
        raise Refused(Refusal.BAD_OPTIONS)
    if what == BOTS:
        _bots(arguments)


def _board(table: Table, arguments: Arguments) -> Options:
    """The options that `key=value` arguments ask for. Raises Refused for what is no board."""
    pairs = dict(argument.partition("=")[::2] for argument in arguments)
    return table.game.options({**table.options, **pairs})


def _bots(arguments: Arguments) -> tuple[int, str]:
    """How many engines, and of which level. Raises Refused."""
    match arguments:
        case (count, level) if count.isdecimal() and len(count) < 4 and int(count) <= MOST_BOTS and level in LEVELS:
            return int(count), level
    raise Refused(Refusal.BAD_OPTIONS)


def _wanted(table: Table, member: Member, what: str, arguments: Arguments) -> Announced:
    name: Fields = {"name": member.name}
    if what == START:
        return Announced("wants-new-game" if table.running else "wants-start", name)
    if what == STOP:
        return Announced("wants-stop", name)
    if what == BOARD:
        width, height = table.game.board(_board(table, arguments))
        return Announced("wants-board", {**name, "width": width, "height": height})
    count, level = _bots(arguments)
    return (
        Announced("wants-bots", {**name, "count": count, "level": level}) if count else Announced("wants-no-bots", name)
    )


def fulfil(table: Table, house: House) -> Steps:
    """Do what all who matter want."""
    electorate = [member.id for member in deciders(table)]
    agreed = [key for key, ballot in table.party.wishes.items() if ballot.backed_by(electorate)]
    for what, arguments in agreed:
        if what == START:
            if not obstacle(table, house):
                yield from start(table, house)
            continue
        yield Decided(what, True)
        if what == STOP:
            yield from stop(table)
        elif what == BOTS:
            yield from set_bots(table, *_bots(arguments))
        else:
            options = _board(table, arguments)
            if max(table.game.board(options)) <= longest_side(table):
                yield from lay_out(table, options)


def set_bots(table: Table, count: int, level: str = "medium") -> Steps:
    """Have so many engines in the room, and leave those that are there already.

    A game that has too few players without them is stopped, and won by no one.
    """
    bots = [member for member in table.party.members.values() if not member.is_person]
    players = sum(member not in bots[count:] for member in table.players())
    if table.running and table.leaving is Leaving.SKIPS and players < table.game.seats[0]:
        yield from stop(table)
    for member in bots[count:]:
        yield from leave(table, member)
    for _ in range(len(bots), min(count, MOST_BOTS)):
        yield from bring_engine(table, level)


# --- votes --------------------------------------------------------------------------------------------------------


def propose(table: Table, member: Member, proposal: Propose) -> Steps:
    """Open a vote among the members who can say yes or no. Raises Refused."""
    what, arguments = proposal.what, tuple(map(one_line, proposal.arguments))
    if "vote" not in table.party.features:
        raise Refused(Refusal.VOTE_OFF)
    if table.party.vote is not None:
        raise Refused(Refusal.BALLOT_OPEN)
    if not member.votes:
        raise Refused(Refusal.NO_VOTE)
    if what not in MOTIONS:
        raise Refused(Refusal.NO_SUCH_VOTE)
    MOTIONS[what].require(table, arguments)
    voters = tuple(other.id for other in table.party.members.values() if other.votes and not other.away)
    yield Proposed(what, voters, member.id, arguments)


def vote(table: Table, member: Member, yes: bool) -> Steps:
    """Take an answer. Raises Refused."""
    ballot = table.party.vote
    if ballot is None:
        raise Refused(Refusal.NO_BALLOT)
    ballot.check(member.id)
    yield Voted(member.id, yes, ballot.what)


def count_votes(table: Table, house: House, ballot: Ballot) -> Steps:
    """Close the vote if it is decided or its time is over: say how it went, do what it says, then call it closed."""
    passed = ballot.verdict()
    if passed is None and house.at < ballot.at + VOTE_SECONDS:
        return
    motion, arguments = MOTIONS[ballot.what], ballot.arguments
    verdict = f"vote-{'passed' if passed else 'failed'}-{ballot.what}"
    yield Announced(verdict, motion.fields(table, arguments))
    if passed:
        try:
            motion.require(table, arguments)
        except Refused as refused:  # what it was about is gone
            yield Announced(refused.why.value)
        else:
            yield from motion.carry(table, house, arguments)
    yield Decided(ballot.what, bool(passed))


class Motion(msgspec.Struct, frozen=True):
    """One kind of vote."""

    carry: Callable[[Table, House, Arguments], Steps]
    """Do it."""
    require: Callable[[Table, Arguments], None] = lambda _table, _arguments: None
    """Raises Refused when there is no point in voting on it, or it can no longer be done."""
    fields: Callable[[Table, Arguments], Fields] = lambda _table, _arguments: {}
    """What it is about, for the announcement of its end."""


def _restart(table: Table, house: House, _: Arguments) -> Steps:
    why = obstacle(table, house)
    if why:
        yield Announced(why)
    else:
        yield from start(table, house)


def _require_stoppable(table: Table, _: Arguments) -> None:
    if not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    if renewing(table):  # their wire has no word for a game that is not played to the end
        raise Refused(Refusal.NO_SUCH_VOTE)


def _stop(table: Table, _house: House, _: Arguments) -> Steps:
    return stop(table)


def _shuffle(_table: Table, _house: House, _: Arguments) -> Steps:
    yield Shuffled()
    yield Announced("new-order")


def _target(table: Table, arguments: Arguments) -> Member:
    number = arguments[0] if arguments else ""
    found = int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0
    member = table.party.members.get(found)
    if member is None:
        raise Refused(Refusal.NO_SUCH_USER)
    return member


def _require_target(table: Table, arguments: Arguments) -> None:
    _target(table, arguments)


def _target_name(table: Table, arguments: Arguments) -> Fields:
    try:
        return {"name": _target(table, arguments).name}
    except Refused:
        return {"name": "?"}


def _kick(table: Table, _house: House, arguments: Arguments) -> Steps:
    return kick(table, _target(table, arguments), " ".join(arguments[1:]))


def _require_feature(_table: Table, arguments: Arguments) -> None:
    if not arguments or arguments[0] not in FEATURES:
        raise Refused(Refusal.NO_SUCH_VOTE)


def _feature(_table: Table, arguments: Arguments) -> Fields:
    return {"feature": arguments[0]}


def _enable(_table: Table, _house: House, arguments: Arguments) -> Steps:
    yield Switched(arguments[0], True)


def _disable(_table: Table, _house: House, arguments: Arguments) -> Steps:
    yield Switched(arguments[0], False)


MOTIONS: Mapping[str, Motion] = {
    "restart": Motion(_restart),
    "lobby": Motion(_stop, _require_stoppable),
    "shuffle": Motion(_shuffle),
    "kick": Motion(_kick, _require_target, _target_name),
    "enable": Motion(_enable, _require_feature, _feature),
    "disable": Motion(_disable, _require_feature, _feature),
}
"""`kick` takes the member's id and a reason; `enable` and `disable` take one of FEATURES."""
