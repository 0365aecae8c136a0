"""A whole server in memory: the real hub, house, links and sessions, with a clock that tests turn by hand."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from parlour.core.accounts import AccountCallback, Source, Trouble, folded
from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.game import Game
from parlour.core.house.hub import Hub
from parlour.core.names import alike
from parlour.core.ports import Accounts
from parlour.core.rated import Outcome, Rating
from parlour.core.session import Do, Door
from parlour.core.table.ballot import OFFERS
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Seated, Update
from parlour.core.words import Cap, Command, Kind, Offer, Play, Proposed, Record, Vote
from parlour.registry import games, protocols
from parlour.server.house import House
from parlour.server.limits import TICK_SECONDS
from parlour.server.link import Link
from parlour.store.base import Batch, RatingsKept, Standing, StoredAccount

START = 1_000_000.0


class FakeStore:
    """A log in a list. With `hold`, commits wait until the test lets them through (or lets them fail)."""

    def __init__(self) -> None:
        self.log: list[tuple[int, Record]] = []
        self.waits = False
        self.hold = False
        self.go_on: Callable[[], None] = lambda: None
        """Lets the loop do what follows from a commit that was let through."""
        self.failure: LocalError | None = None
        self.waiting: deque[tuple[Batch, Callable[[LocalError | None], None]]] = deque()
        self._tables = 0
        self.kept: dict[str, StoredAccount] = {}
        self.counted: list[Standing] = []
        """What is said of standings; nothing is folded here."""
        self.rated: list[Outcome] = []
        """The same of rated games."""
        self.ratings_kept: list[Rating] = []

    def next_table(self) -> int:
        self._tables += 1
        return self._tables

    def batch(self) -> Batch:
        return Batch()

    def commit(self, batch: Batch, done: Callable[[LocalError | None], None]) -> None:
        self.waiting.append((batch, done))
        if not self.hold:
            self.let_through()

    def keep(self, batch: Batch) -> None:
        self.log += [(table.no, record) for table, record in batch.rows]

    def let_through(self) -> None:
        """The oldest commit succeeds, or fails with `failure`."""
        batch, done = self.waiting.popleft()
        if self.failure is None:
            self.keep(batch)
        done(self.failure)
        if self.hold:
            self.go_on()

    def probe(self, done: Callable[[LocalError | None], None]) -> None:
        done(self.failure)

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        from parlour.core.words import Closed

        by_table: dict[int, list[Record]] = {}
        for number, record in self.log:
            by_table.setdefault(number, []).append(record)
        for number, records in by_table.items():
            if not any(isinstance(record.event, Closed) for record in records):
                yield number, records

    def accounts(self) -> Iterator[StoredAccount]:
        return iter(self.kept.values())

    def away(self) -> None:
        """Never."""

    def ratings(self) -> RatingsKept:
        return [], self.rated

    def keep_ratings(self, ratings: Sequence[Rating], done: Callable[[LocalError | None], None]) -> None:
        if self.failure is None:
            self.ratings_kept += ratings
        done(self.failure)

    def standings(self) -> Iterator[Standing]:
        return iter(self.counted)

    def check(self, done: Callable[[LocalError | None], None]) -> None:
        done(self.failure)

    def drop_account(self, erasure: Erasure, done: Callable[[LocalError | None], None]) -> None:
        done(None)

    def keep_account(self, account: StoredAccount, done: Callable[[LocalError | None], None]) -> None:
        if self.failure is None:
            self.kept[folded(account.name)] = account
        done(self.failure)

    def close(self) -> None:
        pass


class FirstLegal:
    """Engines for tests: they play the first legal move, at once, and agree to everything."""

    def __init__(self) -> None:
        self.submit: Callable[[Participant, Command], None] = lambda _who, _command: None

    def hire(self, game: Game, level: str, name: str) -> Participant:
        tables: list[Table] = []

        def tell(told: Update) -> None:
            if isinstance(told, Seated):
                tables.append(told.table)
            if isinstance(told, Record) and isinstance(told.event, Proposed):
                self.submit(engine, Offer(told.event.what) if told.event.what in OFFERS else Vote(True))
            position = tables[-1].position if tables else None
            if position is not None and tables[-1].running and position.turn == engine.seat:
                self.submit(engine, Play(position.legal()[0]))

        engine = Participant(tell, name, "engine", Cap.ALL & ~Cap.RESUME, Kind.ENGINE, level)
        return engine


class FakeAccounts:
    """Names with their passwords in a dict. With `hold`, answers wait until the test lets them through."""

    def __init__(self, **passwords: str) -> None:
        self.passwords = {folded(name): (name, password) for name, password in passwords.items()}
        self.emails: dict[str, str] = {}
        self.hold = False
        self.trouble: Trouble | None = None
        """What befalls everybody, if so: FAILED, CLOSED."""
        self.waiting: deque[Callable[[], None]] = deque()

    def registered(self, name: str) -> str | None:
        return next((owner for owner, _ in self.passwords.values() if alike(owner, name)), None)

    def password_digest(self, name: str) -> str:
        found = self.passwords.get(folded(name))
        return "" if found is None else f"mark of {found[1]}"

    def check(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        def answer() -> None:
            known = self.passwords.get(folded(name))
            if known is None:
                done(self.trouble or Trouble.UNKNOWN)
            else:
                done(self.trouble or (None if known[1] == password else Trouble.WRONG_PASSWORD))

        self._later(answer)

    def change(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        def answer() -> None:
            found = self.registered(name)
            if found is not None:
                self.passwords[folded(name)] = found, password
            done(Trouble.UNKNOWN if found is None else None)

        self._later(answer)

    def withdraw(self, name: str) -> None:
        self.withdrawn = self.passwords.pop(folded(name))

    def remove(self, name: str, alias: str, done: AccountCallback) -> None:
        self._later(lambda: done(self.trouble))

    def register(self, name: str, password: str, email: str, source: Source, done: AccountCallback) -> None:
        def answer() -> None:
            trouble = self.trouble
            if trouble is None and self.registered(name) is not None:
                trouble = Trouble.TAKEN
            elif trouble is None and not 4 <= len(password.encode()) <= 128:
                trouble = Trouble.POOR_PASSWORD
            if trouble is None:
                self.passwords[folded(name)] = name, password
                self.emails[name] = email
            done(trouble)

        self._later(answer)

    def _later(self, answer: Callable[[], None]) -> None:
        self.waiting.append(answer)
        if not self.hold:
            self.let_through()

    def let_through(self) -> None:
        """The oldest question is answered. Whoever holds answers back does this through `house.enter`."""
        self.waiting.popleft()()


class FakeTransport(asyncio.Transport):
    """Collects what is written, one entry per write, as a peer that reads promptly would see it."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        super().__init__(extra={"peername": (address, 50000)})
        self.writes: list[bytes] = []
        self.closed = False
        self.eof = False
        self.reading = True
        self.link: Link | None = None

    def write(self, data: Any) -> None:
        assert not self.eof, "written after the end of file"
        if not self.closed:
            self.writes.append(bytes(data))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.eof = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True


class Wire:
    """The peer's end of one connection to the world's server."""

    def __init__(self, world: "World", link: Link, transport: FakeTransport) -> None:
        self.world = world
        self.link = link
        self.transport = transport
        self._taken = 0

    def send(self, data: bytes) -> "Wire":
        self._check_shortcut(data)
        self.link.data_received(data)
        self.world.run()
        return self

    def _check_shortcut(self, data: bytes) -> None:
        """Parsing and receiving would come to the same, whatever the tests send."""
        session = getattr(self.link, "session", None)
        play = None if session is None else session.shortcut(data)
        if session is not None and play is not None:
            message, end = self.link.protocol.codec.parse(data, 0, session.phase) or (None, 0)
            assert (end, tuple(session.receive(message))) == (len(data), (Do(play),))

    def take(self) -> bytes:
        """Everything received since the last take."""
        new = self.transport.writes[self._taken :]
        self._taken = len(self.transport.writes)
        return b"".join(new)

    def take_writes(self) -> list[bytes]:
        """The same, one entry per segment."""
        new = self.transport.writes[self._taken :]
        self._taken = len(self.transport.writes)
        return new

    @property
    def closed(self) -> bool:
        """Whether the server has closed the connection (or said that it is done writing)."""
        return self.transport.closed or self.transport.eof

    def end_of_file(self) -> None:
        self.link.eof_received()
        self.world.run()

    def reset(self) -> None:
        self.transport.closed = True
        self.link.connection_lost(ConnectionResetError())
        self.world.run()


class World:
    """A server without sockets."""

    make_house: type[House] = House

    def __init__(
        self,
        seed: int = 0,
        max_connections: int = 20_000,
        accounts: Accounts | None = None,
        store: Any = None,
        start: float = START,
    ) -> None:
        self.now = start
        self.soon: deque[Callable[[], None]] = deque()
        self.store: FakeStore = store or FakeStore()
        self.store.go_on = self.run
        self.complaints: list[str] = []
        self.spent = self.toll = 0.0
        """What the stopwatch says, and what each look at it adds: nothing takes time unless a test says so."""
        self.house = self.make_house(
            self.store,
            self.store,
            self.soon.append,
            lambda: self.now,
            self.complaints.append,
            max_connections,
            self._look_at_stopwatch,
        )
        self.engines = FirstLegal()
        secrets = Random(seed + 1)
        self.hub = Hub(
            games(),
            self.house,
            self.engines,
            Random(seed),
            lambda length: "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(length)),
            accounts,
            self.house.book,
        )
        self.engines.submit = self.hub.submit
        self.house.connect(self.hub)
        self.run()

    def _look_at_stopwatch(self) -> float:
        self.spent += self.toll
        return self.spent

    def connect(self, protocol: str, address: str = "127.0.0.1", **keys: str) -> Wire:
        """A new connection through a door with these keys (others at their defaults)."""
        wire = protocols()[protocol]
        full = {name: key.default for name, key in wire.keys.items()} | keys
        door = Door(protocol, full, self.hub.matchmaker.waiting_for)
        link = Link(self.house, wire, door)
        transport = FakeTransport(address)
        transport.link = link
        link.connection_made(transport)
        self.run()
        return Wire(self, link, transport)

    def run(self) -> None:
        """Let the loop come to rest."""
        while self.soon:
            self.soon.popleft()()

    def advance(self, seconds: float) -> None:
        """Let time pass, tick by tick."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + TICK_SECONDS)
            self.house.tick()
            self.run()

    @property
    def tables(self) -> list[Table]:
        return list(self.hub.tables.values())
