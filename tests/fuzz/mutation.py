"""Damaged messages, made from good ones."""

from collections.abc import Callable, Sequence
from random import Random

from tests.conftest import ROOT

CORPUS = ROOT / "tests" / "fuzz" / "corpus"

TROUBLE = (
    b"\0",
    b"\n",
    b"\r\n",
    b" ",
    b"\xff\xfe",
    b"\xc3\x28",
    b"-1",
    b"99999999999999999999",
    b"1e9",
    b"%s%n",
    b"\x1b[2J",
    b"\xe2\x80\xae",
    b"A" * 300,
)
"""Pieces that have broken parsers before: ends, signs, sizes, encodings."""


def seeds(protocol: str) -> list[bytes]:
    """The corpus of one protocol, in a fixed order."""
    found = [path.read_bytes() for path in sorted((CORPUS / protocol).glob("*")) if path.is_file()]
    assert found, f"no corpus in {CORPUS / protocol}"
    return found


def _flip(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes((data[at] ^ (1 << rng.randrange(8)),)) + data[at + 1 :]


def _drop(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 8) :]


def _double(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    piece = data[at : at + rng.randint(1, 40)]
    return data[:at] + piece * rng.randint(2, 5) + data[at:]


def _insert(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TROUBLE) + data[at:]


def _splice(rng: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _scramble(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 24)) + data[at:]


_WAYS: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    _flip,
    _drop,
    _double,
    _insert,
    _splice,
    _scramble,
)


def mutated(rng: Random, corpus: Sequence[bytes]) -> bytes:
    """A message from the corpus, as it is one time in three, so that conversations get somewhere; else damaged."""
    data = rng.choice(corpus)
    for _ in range(rng.choice((0, 1, 1, 2, 4, 0))):
        if data:
            data = rng.choice(_WAYS)(rng, data, corpus)
    return data


def pieces(rng: Random, data: bytes) -> list[bytes]:
    """The same bytes in one to four segments."""
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((0, 0, 1, 3))))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True) if start < end]
