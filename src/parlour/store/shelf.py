"""A shelf: the log of the tables of one keeper, as a stream of JetStream on the brokers' disks.

One message is one batch. Each names the sequence that it wants to follow, so of two who write at the same time one is
refused: that, and no clock, keeps a keeper out who was replaced. A new keeper *seals* a shelf with an empty batch and
then reads it up to there.

A batch carries a mark of its own in a header. When an acknowledgement is lost, the last message tells by its mark
whether it was ours. (`Nats-Msg-Id` is no such guard: a new batch under an old id is acknowledged and not stored.)
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from secrets import token_hex

import msgspec
from nats.errors import MaxPayloadError
from nats.js.api import RawStreamMsg, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from parlour.core.errors import LocalError
from parlour.store.base import Fenced
from parlour.store.brokers import Brokers, Failure, unplaced

STREAM = "PARLOUR-SHELF-"
SUBJECT = "parlour.shelf."
BITS = 32
"""A table's number is that of its shelf, and so many bits that count the tables there."""
RETRY = 0.02
"""Seconds between two tries to write one batch."""
GIVE_UP = 15.0
"""Seconds after which the log counts as down: an election of the brokers takes 4 to 9."""
ATTEMPT = 1.0
"""Seconds for one answer."""
LARGEST = 900_000
"""Bytes of one message; brokers take a megabyte. A larger batch is several messages, which count when all are there."""
AT_A_TIME = 500
"""Messages asked for at once."""

WRONG_SEQUENCE = 10071
"""What JetStream answers when another message is there already."""
UNDECIDED = 10164
"""What it answers while another one is on its way through the brokers. It decides nothing yet: it is tried again."""

EXPECTED, MARK, MORE, CARRY, COUNT = (
    "Nats-Expected-Last-Subject-Sequence",
    "Parlour-Batch",
    "Parlour-More",
    "Parlour-Carry",
    "Parlour-Tables",
)


class Message(msgspec.Struct, frozen=True):
    """One message of a shelf."""

    sequence: int
    mark: str
    payload: bytes
    more: bool
    """Whether the batch goes on in the next message."""
    carry: bool
    """Whether these are records of earlier messages once more."""
    count: int
    """How many tables there had been on this shelf; 0 where the message does not say."""


def stream_of(shelf: int) -> str:
    return f"{STREAM}{shelf}"


def shelf_of(table: int) -> int:
    """On which shelf a table of this number is."""
    return table >> BITS


def kept_by(keeper: str, shelf: int) -> Fenced:
    """What is said of a shelf that is not ours any more."""
    return Fenced(f"shelf {shelf} is kept by {keeper} now", frozenset({shelf}))


class Shelf:
    """One shelf, for its keeper or for those who only read."""

    def __init__(self, brokers: Brokers, number: int, node: str) -> None:
        self._brokers = brokers
        self._js = brokers.js
        self.number = number
        self.stream = stream_of(number)
        self.subject = f"{SUBJECT}{number}"
        self.last = 0
        """The sequence of the last message that we know of: ours, if we keep the shelf."""
        self.settled = 0
        """The last of them that ends a batch."""
        self.count = 0
        """The tables that there ever were here."""
        self.counted = 0
        """The last message that says so."""
        self._mark = f"{node}/{token_hex(6)}/"
        self._marks = 0
        self._writing = asyncio.Lock()

    async def create(self) -> None:
        """Make the stream, unless it is there. Raises LocalError."""
        config = StreamConfig(
            name=self.stream,
            subjects=[self.subject],
            storage=StorageType.FILE,
            num_replicas=self._brokers.replicas,
            allow_direct=True,
            duplicate_window=0.1,
        )
        try:
            with suppress(NotFoundError):
                await self._js.stream_info(self.stream)
                return
            await self._js.add_stream(config)
        except APIError as error:
            raise unplaced(error, self._brokers.replicas) from error
        except Failure as error:
            raise self._down(error) from error

    # --- writing -----------------------------------------------------------------------------------------------------

    def next_table(self) -> int:
        self.count += 1
        return self.number << BITS | self.count

    async def write(self, payload: bytes, carry: bool = False) -> list[Message]:
        """Append a batch behind the last message; the messages it became.

        Raises Fenced when the last message is another's, and LocalError when the brokers do not answer.
        """
        parts = list(_cut(payload))
        async with self._writing:
            self._marks += 1
            mark = f"{self._mark}{self._marks}"
            written = []
            for place, part in enumerate(parts, 1):
                message = Message(self.last + 1, mark, part, place < len(parts), carry, self.count)
                self.last = await self._append(message)
                self.counted = self.last
                written.append(msgspec.structs.replace(message, sequence=self.last))
            self.settled = self.last
            return written

    async def _append(self, message: Message) -> int:
        """Try until it is there, or another is in its place."""
        headers = {EXPECTED: str(self.last), MARK: message.mark}
        headers |= {name: "1" for name, said in ((MORE, message.more), (CARRY, message.carry)) if said}
        if message.count:
            headers[COUNT] = str(message.count)
        clock = asyncio.get_running_loop().time
        end = clock() + GIVE_UP
        while True:
            try:
                ack = await self._js.publish(self.subject, message.payload, timeout=ATTEMPT, headers=dict(headers))
                return ack.seq
            except APIError as error:
                trouble: Exception = error
                if error.err_code == WRONG_SEQUENCE:
                    found = await self._found_ours(message, end)
                    if found is not None:
                        return found
            except MaxPayloadError as error:
                raise self._down(error) from error
            except Failure as error:
                trouble = error
            if clock() > end:
                raise self._down(trouble)
            await asyncio.sleep(RETRY)

    async def _found_ours(self, message: Message, end: float) -> int | None:
        """We were refused: the sequence of our message, if it was stored before; None while the brokers do not tell."""
        clock = asyncio.get_running_loop().time
        while clock() < end:
            try:
                last = _message(await self._js.get_last_msg(self.stream, self.subject))
            except Failure:
                await asyncio.sleep(RETRY)
                continue
            if last.mark == message.mark and last.more == message.more and last.sequence > self.last:
                return last.sequence
            raise self._fence(last)
        return None

    def _fence(self, last: Message) -> Fenced:
        return kept_by(last.mark.partition("/")[0] or "a stranger", self.number)

    async def seal(self) -> int:
        """Put an empty batch at the end, wherever that is: from here on this node alone can write. Raises LocalError.

        A busy writer is a message further by then. Refusals tell where the end is, or that it is about to be one
        further: it is tried again without a pause, until we come between two of its messages.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + GIVE_UP
        async with self._writing:
            self._marks += 1
            headers = {MARK: f"{self._mark}{self._marks}"}
            under_way = False
            while True:
                expected = {EXPECTED: str(self.last + under_way)}
                try:
                    ack = await self._js.publish(self.subject, timeout=ATTEMPT, headers=headers | expected)
                    self.last = self.settled = ack.seq
                    return ack.seq
                except APIError as error:
                    trouble: Exception = error
                    told = re.search(r"(\d+)$", error.description or "")
                    under_way = error.err_code == UNDECIDED
                    if error.err_code == WRONG_SEQUENCE and told:
                        self.last = int(told[1])
                    if error.err_code in (WRONG_SEQUENCE, UNDECIDED) and clock() < end:
                        continue
                except Failure as error:
                    trouble = error
                if clock() > end:
                    raise self._down(trouble)
                await asyncio.sleep(RETRY)

    async def seal_again(self) -> int:
        """Seal our own shelf, of which we do not know whether our last batch is there.

        Raises Fenced when another has sealed it meanwhile: that one keeps it. LocalError as ever.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + GIVE_UP
        async with self._writing:
            self._marks += 1
            mark = f"{self._mark}{self._marks}"
            while True:
                try:
                    last = _message(await self._js.get_last_msg(self.stream, self.subject))
                    if not last.mark.startswith(self._mark):
                        raise self._fence(last)
                    if last.mark != mark:  # else only the acknowledgement was lost
                        headers = {MARK: mark, EXPECTED: str(last.sequence)}
                        ack = await self._js.publish(self.subject, timeout=ATTEMPT, headers=headers)
                        last = msgspec.structs.replace(last, sequence=ack.seq)
                    self.last = self.settled = last.sequence
                    return last.sequence
                except Failure as error:
                    if clock() > end:
                        raise self._down(error) from error
                await asyncio.sleep(RETRY)

    async def end(self) -> int:
        """The sequence of the last message, 0 of an empty shelf. Raises LocalError."""
        try:
            return int((await self._js.get_last_msg(self.stream, self.subject)).seq or 0)
        except NotFoundError:
            return 0
        except Failure as error:
            raise self._down(error) from error

    async def keeper(self) -> str:
        """The node that wrote the last message; empty when there is none. Raises LocalError."""
        try:
            return _message(await self._js.get_last_msg(self.stream, self.subject)).mark.partition("/")[0]
        except NotFoundError:
            return ""
        except Failure as error:
            raise self._down(error) from error

    async def trim(self, first: int) -> None:
        """Forget the messages before this one, but never the one that says how many tables there were."""
        first = min(first, self.counted)
        if first > 1:
            with suppress(*Failure):  # the next time will do
                await self._js.purge_stream(self.stream, seq=first)

    def _down(self, error: Exception) -> LocalError:
        why = str(error) or type(error).__name__
        return LocalError(f"shelf {self.number} cannot be used: the brokers do not answer ({why})")

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self, first: int, upto: int) -> AsyncIterator[Message]:
        """The messages between these two, as far as they are still there. Raises LocalError.

        Any broker that has a copy answers. One that lags behind has fewer: it is asked again.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + GIVE_UP
        while first <= upto:
            found: list[Message] = []
            with suppress(*Failure):
                found = await self._some(first)
            for message in found:
                if first <= message.sequence <= upto:
                    yield message
                first = message.sequence + 1
            if found:
                end = clock() + GIVE_UP
            elif clock() > end:
                raise LocalError(f"shelf {self.number} cannot be read: the brokers lack message {first}")
            else:
                await asyncio.sleep(RETRY)

    async def _some(self, first: int) -> list[Message]:
        """A few hundred messages from here on, in one question and many answers (JetStream's "batch get")."""
        client = self._brokers.client
        inbox = client.new_inbox()
        answers = await client.subscribe(inbox)
        question = msgspec.json.encode({"seq": first, "next_by_subj": self.subject, "batch": AT_A_TIME})
        messages: list[Message] = []
        try:
            await client.publish(f"$JS.API.DIRECT.GET.{self.stream}", question, reply=inbox)
            while True:
                answer = await answers.next_msg(ATTEMPT)
                headers = answer.headers or {}
                if "Status" in headers:  # 204: that was all; 404: there is none; 503: no broker has it
                    return messages
                sequence = int(headers["Nats-Sequence"])
                messages.append(_with(sequence, headers, answer.data))
        except Failure:
            return messages
        finally:
            with suppress(*Failure):
                await answers.unsubscribe()


def _message(raw: RawStreamMsg) -> Message:
    return _with(int(raw.seq or 0), raw.headers or {}, raw.data or b"")


def _with(sequence: int, headers: dict[str, str], payload: bytes) -> Message:
    count = int(headers.get(COUNT, 0))
    return Message(sequence, headers.get(MARK, ""), payload, MORE in headers, CARRY in headers, count)


def _cut(payload: bytes) -> Iterable[bytes]:
    """A payload in parts that brokers take, each of whole lines."""
    while len(payload) > LARGEST:
        end = payload.rfind(b"\n", 0, LARGEST) + 1
        if not end:
            break
        yield payload[:end]
        payload = payload[end:]
    yield payload


async def shelves(brokers: Brokers) -> list[int]:
    """The numbers of all shelves that there are, in order. Raises LocalError."""
    names: list[str] = []
    try:
        while page := await brokers.js.streams_info(offset=len(names)):
            names += [info.config.name or "" for info in page]
    except Failure as error:
        raise LocalError(f"the brokers do not answer ({error})") from error
    return sorted(int(found[1]) for name in names if (found := re.fullmatch(rf"{STREAM}(\d+)", name)))
