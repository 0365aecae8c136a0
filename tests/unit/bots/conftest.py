"""For tests about thinking: every move takes a thought."""

import pytest

from parlour.bots import seat


@pytest.fixture
def thoughtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines think about moves that they know, too."""
    monkeypatch.setattr(seat, "is_known", lambda *_: False)
