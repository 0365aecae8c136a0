"""GGZ people of tests: each has a session in XML and, when playing, a channel, and remembers what was said on both."""

from collections.abc import Callable, Iterator, Sequence

from parlour.core.accounts import AccountCallback, Source, Trouble
from parlour.core.keys import LEVEL
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from parlour.protocols.ggz.zone import Zone
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.messages import Options, ServerMessage, WantMove
from parlour.protocols.ggzdots.phases import Reading
from tests.world import Wire, World

OPEN = (spell.Seat(0, "open"), spell.Seat(1, "open"))
BOT = (spell.Seat(0, "open"), spell.Seat(1, "bot"))


class Channel:
    """A person's second connection: Dots of protocol 4."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.everything: list[ServerMessage] = []
        self.raw = b""
        self._board = Reading()
        self._rest = b""
        self._in_xml = True

    def send(self, data: bytes) -> "Channel":
        self.wire.send(data)
        return self

    def heard(self) -> list[ServerMessage]:
        """The game's messages since the last time; what comes before `</SESSION>` is not one."""
        data = self.wire.take()
        self.raw += data
        self._rest += data
        if self._in_xml:
            _, end, after = self._rest.partition(spell.END)
            if not end:
                return []
            self._in_xml, self._rest = False, after
        new = list(self._messages())
        self.everything += new
        return new

    def _messages(self) -> Iterator[ServerMessage]:
        start = 0
        while start < len(self._rest):
            found = CODEC.parse(self._rest, start, self._board)
            if found is None:
                break
            message, start = found
            assert not isinstance(message, Opened | Element | Ended)
            if isinstance(message, Options):
                self._board = Reading(message.width, message.height)
            yield message  # type: ignore[misc] # a server's, for a server's were read
        self._rest = self._rest[start:]

    def choose(self, width: int, height: int) -> list[ServerMessage]:
        return self.send(dots.choose(width, height)).heard()

    def draw(self, *moves: str) -> list[ServerMessage]:
        return self.send(b"".join(dots.draw(move) for move in moves)).heard()

    def again(self) -> list[ServerMessage]:
        return self.send(dots.NEW_GAME).heard()

    def sync(self) -> list[ServerMessage]:
        return self.send(dots.ASK_SYNC).heard()

    @property
    def to_move(self) -> bool:
        """Whether it is this person's turn: nothing else is said after that."""
        self.heard()
        return bool(self.everything) and isinstance(self.everything[-1], WantMove)


class Person:
    """Somebody with a GGZ client that does what the original does, when told to."""

    def __init__(self, world: World, name: str, address: str = "127.0.0.1", /, **keys: str) -> None:
        self.world = world
        self.name = name
        self.address = address
        self.keys = keys
        self.everything: list[Element] = []
        self.channel: Channel | None = None
        self._rest = b""
        self.knows: set[int] = set()
        """Tables of the room we are in that we have heard of, as the original's library keeps them."""
        self.wire = world.connect("ggz", address, **keys)
        self.say(ask.hello("C.UTF-8"))

    # --- talking -----------------------------------------------------------------------------------------------------

    def say(self, *elements: bytes) -> "Person":
        self.wire.send(b"".join(elements))
        return self

    def heard(self) -> list[Element]:
        """What was said on the XML session since the last time. Raises when the original would break off."""
        new = []
        self._rest += self.wire.take()
        start = 0
        while start < len(self._rest):
            found = CODEC.parse(self._rest, start, Hearing.SERVER)
            if found is None:
                break
            message, start = found
            if isinstance(message, Element):
                self._survive(message)
                new.append(message)
        self._rest = self._rest[start:]
        self.everything += new
        return new

    def _survive(self, element: Element) -> None:
        """The original's library hangs up when it hears of a table in any other way than by a list or an `add`."""
        if element.tag == "RESULT" and element.get("ACTION") == "enter" and element.get("CODE") == "ok":
            self.knows = set()
        tables = element.child("LIST")
        if tables is not None and tables.get("TYPE") == "table":
            self.knows = {table.number("ID") or 0 for table in tables.children}
        if element.tag == "UPDATE" and element.get("TYPE") == "table":
            number = element.children[0].number("ID") or 0
            if element.get("ACTION") == "add":
                assert number not in self.knows, f"{self.name} hears twice of table {number}"
                self.knows.add(number)
            assert number in self.knows, f"{self.name} does not know table {number}"
            if element.get("ACTION") == "delete":
                self.knows.remove(number)

    def told(self, *elements: bytes) -> list[str]:
        """What comes back at once, as words."""
        self.heard()
        self.say(*elements)
        return [words(element) for element in self.heard()]

    def code(self, *elements: bytes) -> str:
        """The CODE of the first RESULT that comes back."""
        self.heard()
        self.say(*elements)
        return next((element.get("CODE") for element in self.heard() if element.tag == "RESULT"), "")

    def all(self, tag: str) -> list[Element]:
        """Every such element that was ever heard."""
        self.heard()
        return [element for element in self.everything if element.tag == tag]

    def last(self, tag: str) -> Element:
        """The last of them."""
        return self.all(tag)[-1]

    @property
    def answer(self) -> str:
        """The CODE of the last RESULT."""
        return self.last("RESULT").get("CODE")

    # --- what a client does -----------------------------------------------------------------------------------------

    def log_in(self, password: str | None = None, first: bool = False) -> "Person":
        self.say(ask.login(self.name, password, first=first))
        return self

    def enter(self, room: int = 1) -> "Person":
        """Go into a room and ask who and what is there, as the original does."""
        return self.say(ask.enter(room)).say(ask.ask_list("table")).say(ask.ask_list("player"))

    def arrive(self) -> "Person":
        """Log in as a guest and go to the Dots room."""
        return self.log_in().enter()

    def open_channel(self, name: str | None = None) -> Channel:
        wire = self.world.connect("ggz", self.address, **self.keys)
        self.channel = Channel(wire)
        self.channel.send(ask.channel(self.name if name is None else name)).heard()
        return self.channel

    def launch(self, seats: Sequence[spell.Seat] = OPEN, about: str = "") -> "Person":
        """Open a channel and launch a table."""
        self.open_channel()
        return self.say(ask.launch(0, about, seats))

    def launch_bot(self, level: str = "") -> "Person":
        """A table against an engine."""
        assert not level or LEVEL.check(level) is None
        return self.launch((spell.Seat(0, "reserved", self.name), spell.Seat(1, "bot", level)))

    def join(self, number: int = 1, watch: bool = False) -> "Person":
        """Open a channel and join a table, or watch it."""
        self.open_channel()
        return self.say(spell.join(number, watch))

    def leave(self) -> "Person":
        return self.say(ask.leave())

    @property
    def game(self) -> Channel:
        assert self.channel is not None
        return self.channel


class Ledger:
    """Accounts that answer when the test says so."""

    def __init__(self, world: World, **passwords: str) -> None:
        self.passwords = passwords
        self.emails: dict[str, str] = {}
        self._world = world
        self._answers: list[Callable[[], None]] = []
        world.hub.accounts = self

    def registered(self, name: str) -> str | None:
        return next((known for known in self.passwords if known.casefold() == name.casefold()), None)

    def password_digest(self, name: str) -> str:
        return self.passwords.get(name, "")

    def withdraw(self, name: str) -> None:
        del self.passwords[name]

    def remove(self, name: str, alias: str, done: AccountCallback) -> None:
        done(None)

    def change(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        self.passwords[name] = password
        self._answers.append(lambda: done(None))

    def check(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        known = self.registered(name)
        right = known is not None and self.passwords[known] == password
        self._answers.append(lambda: done(None if right else Trouble.WRONG_PASSWORD))

    def register(self, name: str, password: str, email: str, source: Source, done: AccountCallback) -> None:
        def answer() -> None:
            if self.registered(name) is not None:
                done(Trouble.TAKEN)
            elif len(password) < 4:
                done(Trouble.POOR_PASSWORD)
            else:
                self.passwords[name], self.emails[name] = password, email
                done(None)

        self._answers.append(answer)

    def answer(self) -> None:
        """Say what was asked since the last time."""
        answers, self._answers = self._answers, []
        for one in answers:
            self._world.house.wake()
            one()
        self._world.run()


def words(element: Element) -> str:
    """An element on one line, for comparing: its tag, its attributes, its text and what it contains."""
    attributes = "".join(f" {name}={value}" for name, value in element.attrs.items())
    inside = "".join(f" <{words(child)}>" for child in element.children)
    text = f" {element.text.strip()}" if element.text.strip() else ""
    return f"{element.tag}{attributes}{text}{inside}"


def zone_of(world: World) -> Zone:
    return world.hub.service(Zone)


def play_out(*people: Person) -> None:
    """Let whoever is asked draw the first line there is, until the game is over."""
    table = people[0].world.tables[0]
    while table.running and table.position is not None:
        mover = next(person for person in people if person.game.to_move)
        mover.game.draw(table.position.legal()[0])
