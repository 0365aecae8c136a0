"""Damaged words of a zone on both connections of our client: it may give up, in words it can say, but never fail."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.words import Leave, Say
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Hearing
from tests.conftest import ROOT
from tests.fuzz.mutation import mutated, pieces
from tests.interop.ggz_lan import GGZ
from tests.visitor import Visitor
from tests.wires.transcripts import load, read

RECORDINGS = [load(path) for path in sorted((ROOT / "tests" / "wires" / "ggz").glob("*.wire"))]
STREAMS = [kept.data(stream) for kept in RECORDINGS for stream in kept.streams() if stream[0] == "S"]
ENOUGH = 40
"""Connections; a client that wants more of them has lost its way."""


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_client_survives_any_server(seed: int) -> None:
    rng = Random(seed)
    vera = Visitor(GGZ, lambda moves: rng.choice(moves), lambda: rng.random() < 0.5, "drv3", query={"opponent": "bot"})
    vera.open()
    healthy = rng.choice(STREAMS)
    script = [healthy] if rng.random() < 0.5 else []
    script += [mutated(rng, STREAMS) for _ in range(4)]
    for data in script:
        for piece in pieces(rng, data):
            where = rng.choice(vera.family)
            if not where.closed and not vera.closed:
                where.feed(piece)
            while rng.random() < 0.8 and vera.decide():
                pass
            assert len(vera.family) < ENOUGH
        if rng.random() < 0.2 and not vera.closed:
            vera.act(Say("hello"))
        for one in vera.family:
            one.advance(rng.choice((0.0, 30.0)))
    if not vera.closed:
        vera.act(Leave())
    assert vera.closed
    assert not read(CODEC, lambda _: Hearing.CLIENT, vera.sent).errors
