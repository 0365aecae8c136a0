"""Our server's side of one connection: a line in, lines out, a prompt when all is said."""

import re
from collections.abc import Callable, Mapping
from textwrap import wrap

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import Options
from parlour.core.session import NOTHING, Alarm, Close, Do, Door, Output, Outputs, no_shortcut
from parlour.core.table.ballot import DRAW, OFFERS, REMATCH, START, TAKEBACK
from parlour.core.updates import (
    Announced,
    CaughtUp,
    ChairsChanged,
    Declined,
    Evicted,
    Kicked,
    Private,
    Proclaimed,
    Said,
    Seated,
    Update,
    Waiting,
)
from parlour.core.words import (
    Asked,
    Closed,
    Leave,
    Offer,
    Play,
    Propose,
    Ready,
    Record,
    Resign,
    Say,
    SetBoard,
    Vote,
    Watch,
    Wish,
)
from parlour.languages import reason, sentence
from parlour.protocols.telnet import sentences
from parlour.protocols.telnet.codec import NO_TIMING_MARK, PROMPT, REFUSED, TIMING_MARK, shown
from parlour.protocols.telnet.extensions import (
    ANYONE,
    LINK,
    OPPONENTS,
    Arrive,
    AsOf,
    Begin,
    CallMe,
    GamesListed,
    ListGames,
    ListTables,
    Look,
    TablesListed,
    TakeSeat,
    Welcomed,
)
from parlour.protocols.telnet.messages import Control, FromClient
from parlour.protocols.telnet.phases import WORDS, Phase
from parlour.protocols.telnet.telling import Place, happened

REFUSALS: Mapping[Refusal, str] = {why: REFUSED + sentence(why) for why in Refusal}
BREATH = 0.05
"""How long all has been said before the prompt comes: what happens together is told together."""
WIDTH = 76
_SEAT = re.compile(r"[0-9]{1,3}", re.ASCII)
MOVES = "Moves: "
"""Begins each line of a list of moves."""


class TelnetServer:
    """One person, from the greeting to the last word."""

    __slots__ = ("_door", "_end", "_place", "_prompted", "_prompts", "_wished", "phase")

    def __init__(self, door: Door) -> None:
        self.phase = Phase.FREE
        self._door = door
        self._end = "\r\n"
        """Of our lines: as the person ends theirs."""
        self._place: Place | None = None
        self._wished = ""
        """Against whom the person has last wished to play."""
        self._prompted = False
        """Whether the last thing we have sent is a prompt."""
        self._prompts = False
        """Whether one is about to be sent."""

    def opened(self) -> Outputs:
        return (Do(Arrive()),)

    # --- lines and prompts --------------------------------------------------------------------------------------------

    def _say(self, *lines: str) -> Outputs:
        """These lines, and a prompt when nothing more follows. Empty lines are left out."""
        kept = [f"{shown(line)}{self._end}" for line in lines if line]
        if not kept:
            return NOTHING
        return self._send("".join(kept))

    def _send(self, text: str) -> Outputs:
        """A prompt is alone on its line, so that every line begins with what it is."""
        head = self._end if self._prompted else ""
        self._prompted = False
        data = (head + text).encode("utf-8", "replace")
        said: list[Output] = [data] if data else []
        if not self._prompts:
            self._prompts = True
            said.append(Alarm("prompt", BREATH))
        return said

    def _refuse(self, text: str) -> Outputs:
        return self._say(REFUSED + text)

    def timer(self, _: str) -> Outputs:
        """All is said for now."""
        self._prompts = False
        if self._prompted:
            return NOTHING
        self._prompted = True
        return (PROMPT.encode(),)

    # --- what the person writes ---------------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: FromClient) -> Outputs:
        """A line. Commands of telnet are not answered, so that there is nothing to go on answering, but for one."""
        if isinstance(message, Control):
            return (NO_TIMING_MARK,) if message.command == TIMING_MARK else NOTHING
        self._end = message.end
        return *self._send(""), *self._obey(message.text.strip())

    def malformed(self, _: ProtocolError) -> Outputs:
        return *self._send(""), *self._refuse(sentences.TOO_LONG)

    def _obey(self, text: str) -> Outputs:
        """A legal move on one's turn is a move, whatever else it may mean; then come the words."""
        if not text:
            return NOTHING
        place = self._place
        move = "" if place is None else place.read(text)
        if place is not None and place.may_play(move):
            return (Do(Play(move)),)
        word, _, rest = text.partition(" ")
        word, rest = word.lower(), rest.strip()
        known = WORDS.get(word)
        if known is None:
            return (Do(Play(move)),) if place is not None else self._refuse(sentences.NO_SUCH_WORD)
        if self.phase not in known.phases:
            return self._refuse(sentences.NOT_HERE[self.phase])
        if rest and known.is_whole_line:
            return self._refuse(sentences.usage(known.usage))
        outputs = OBEYS[word](self, rest)
        return self._refuse(sentences.usage(known.usage)) if outputs is None else outputs

    def _help(self, rest: str) -> Outputs | None:
        if not rest:
            lines = [f"{word.usage}: {word.means}." for word in WORDS.values()]
            game = "GAME" if self._place is None else self._place.table.game.key
            return self._say(*lines, f"Anything else is a move: help {game} tells the rules and how moves are written.")
        word = WORDS.get(rest.lower())
        return (Do(ListGames(rest.lower())),) if word is None else self._say(f"{word.usage}: {word.means}.")

    def _name(self, rest: str) -> Outputs | None:
        return (Do(CallMe(rest)),) if rest else None

    def _new(self, rest: str) -> Outputs | None:
        """`GAME [key=value…] [against …]`; a word without `=` belongs to the value before it."""
        game, *words = rest.split() or ("",)
        opponent = self._door.keys["level"]
        if len(words) > 1 and words[-2].lower() == "against":
            opponent = words[-1].lower()
            words = words[:-2]
        options: Options = {}
        key = ""
        for word in words:
            head, equals, value = word.partition("=")
            if equals:
                key = head
                options[key] = value
            elif key:
                options[key] = f"{options[key]} {word}"
            else:
                return None
        if not game or opponent not in OPPONENTS:
            return None
        self._wished = opponent
        return (Do(Begin(game.lower(), options, opponent)),)

    def _sit(self, rest: str) -> Outputs | None:
        words = rest.split()
        if self._place is not None and words[:1] != [self._place.table.id]:
            if len(words) > 1 or not all(_SEAT.fullmatch(word) for word in words):
                return self._refuse(sentences.NOT_HERE[Phase.TABLE])
            words.insert(0, self._place.table.id)
        match words:
            case [table]:
                return (Do(TakeSeat(table, None)),)
            case [table, seat] if _SEAT.fullmatch(seat):
                return (Do(TakeSeat(table, int(seat))),)
        return None

    def _watch(self, rest: str) -> Outputs | None:
        return (Do(Watch(rest)),) if rest else None

    def _moves(self, _: str) -> Outputs | None:
        moves = [] if self._place is None else self._place.moves()
        if not moves:
            return self._say(sentences.NO_MOVES)
        unbroken = ", ".join(move.replace(" ", "\0") for move in moves)
        lines = wrap(unbroken, WIDTH - len(MOVES), break_long_words=False, break_on_hyphens=False)
        return self._say(*(MOVES + line.removesuffix(",").replace("\0", " ") for line in lines))

    def _talk(self, rest: str) -> Outputs | None:
        return (Do(Say(rest)),) if rest else None

    def _answer(self, yes: bool) -> Outputs:
        """To the question that is open; in a room without one, whether the person is ready for the next game."""
        assert self._place is not None
        table, me = self._place.table, self._place.me
        ballot = table.ballot
        if table.party.vote is not None and me is not None and me.id in table.party.vote.answers:
            return (Do(Vote(yes)),)
        if ballot is not None and ballot.what in OFFERS:
            return (Do(Offer(ballot.what, yes)),) if not yes or ballot.by != self._place.seat else NOTHING
        if me is not None and table.has_lobby:
            return (Do(Ready(yes)),)
        return (Do(Vote(yes)),)

    def _rematch(self, _: str) -> Outputs:
        """The table asks for it by itself, or in a room all who would play do."""
        assert self._place is not None
        table = self._place.table
        if table.has_lobby:
            return (Do(Wish(START)),)
        if table.ballot is not None and table.ballot.what == REMATCH:
            return (Do(Vote(True)),)
        return (Do(Propose(REMATCH)),)  # which says why not

    def _leave(self, _: str) -> Outputs:
        text = sentences.LEFT_QUEUE if self._place is None else sentences.LEFT_TABLE
        self._go()
        return Do(Leave()), *self._say(happened(text))

    def _quit(self, _: str) -> Outputs:
        self.phase = Phase.OVER
        return *self._say(happened(sentences.GOODBYE)), Close()

    # --- what the hub says --------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Spell what happened."""
        match told:
            case Record():
                return self._happened(told)
            case Said(name=name, text=text):
                return self._say(happened(f"{name} says: {text}"))
            case Announced(word=word):
                return NOTHING if word in sentences.RESULTS else self._say(happened(sentence(told)))
            case Seated(table=table, member=member, at=at):
                return self._come(Place(table, member), at)
            case Waiting():
                self.phase = Phase.WAITING
                return self._say(happened(sentences.WAITING))
            case Declined():
                return self._declined(told)
            case Evicted():
                self._go()
                return self._say(happened(sentence(told)))
            case Kicked(reason=reason):
                self._go()
                return self._say(happened(f"You have been sent away{f': {reason}' if reason else '.'}"))
            case Proclaimed():
                return self._say(happened(sentences.proclaimed(told)))
            case Private():
                return self._answered(told)
            case CaughtUp() | ChairsChanged():  # no one comes back here; who sits down is told at once
                return NOTHING

    def _happened(self, record: Record) -> Outputs:
        place, event = self._place, record.event
        if place is None:
            return NOTHING
        if type(event) is Asked:  # for the board: the one that is there will do
            mine = place.me is not None and place.me.id == event.member
            return (Do(SetBoard(place.table.options)),) if mine else NOTHING
        lines = tuple(place.tell(record))
        if type(event) is Closed:
            self._go()
        return self._say(*lines)

    def _come(self, place: Place, at: float) -> Outputs:
        self.phase, self._place = Phase.TABLE, place
        hint, self._wished = self._wished, ""
        lines = [*place.arrival(at)]
        if hint == LINK:
            lines.append(happened(sentences.INVITATION.format(table=place.table.id)))
        elif hint == ANYONE and len(place.table.party.members) == 1 and place.table.has_lobby:
            lines.append(happened(sentences.WAITING))
        return self._say(*lines)

    def _go(self) -> None:
        self.phase, self._place = Phase.FREE, None

    def _declined(self, told: Declined) -> Outputs:
        command, why = told.command, told.why
        if isinstance(command, SetBoard):  # not the person's
            return NOTHING
        if isinstance(command, Play) and why is Refusal.NO_SUCH_MOVE:
            return self._refuse(sentences.NO_SUCH_MOVE)
        if isinstance(command, Play) and self._place is not None and told.excess is None:
            return self._refuse(reason(self._place.table.game.description, why))
        if isinstance(command, ListGames):  # asked for with help
            return self._refuse(sentences.NO_SUCH_WORD)
        if isinstance(command, CallMe) and why is Refusal.NO_ROOM:
            return self._refuse(sentences.NAME_STAYS)
        return self._refuse(sentence(told))

    def _answered(self, told: Private) -> Outputs:
        match told:
            case Welcomed(name=name, first=True):
                self._prompted = True
                motd = shown(self._door.keys["motd"])
                greeting = sentences.GREETING.format(motd=motd, name=name).strip()
                return (f"{greeting}{self._end}{PROMPT}".encode(),)
            case Welcomed(name=name):
                return self._say(happened(sentences.YOU_ARE.format(name=name)))
            case GamesListed(rows=rows) | TablesListed(rows=rows):
                return self._say(*rows)
            case AsOf(at=at) if self._place is not None:
                return self._say(*self._place.shown(at))
            case _:
                return NOTHING

    # --- time and limits ----------------------------------------------------------------------------------------------

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return self._say(REFUSALS[Refusal.TOO_FAST])

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - the text is all that a person reads
        return (f"{REFUSED}{text}{self._end}".encode(),)

    def farewell(self) -> Outputs:
        return self._say(happened(sentence(Refusal.DRAINING)))


OBEYS: Mapping[str, Callable[[TelnetServer, str], Outputs | None]] = {
    "help": TelnetServer._help,
    "name": TelnetServer._name,
    "games": lambda _session, _rest: (Do(ListGames()),),
    "tables": lambda _session, _rest: (Do(ListTables()),),
    "new": TelnetServer._new,
    "sit": TelnetServer._sit,
    "watch": TelnetServer._watch,
    "board": lambda _session, _rest: (Do(Look()),),
    "moves": TelnetServer._moves,
    "say": TelnetServer._talk,
    "draw": lambda _session, _rest: (Do(Offer(DRAW)),),
    "back": lambda _session, _rest: (Do(Offer(TAKEBACK)),),
    "yes": lambda session, _: session._answer(True),
    "no": lambda session, _: session._answer(False),
    "resign": lambda _session, _rest: (Do(Resign()),),
    "rematch": TelnetServer._rematch,
    "leave": TelnetServer._leave,
    "quit": TelnetServer._quit,
}
"""What each word leads to, given the rest of its line; None when that is not how it is used."""
