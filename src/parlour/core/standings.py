"""How registered players have done, folded from the ends of their games."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from parlour.core.words import Finished, Reason


class Tally(msgspec.Struct, frozen=True):
    """Games of one player in one game, by how they ended. A forfeit is a loss before the end of the game."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    forfeits: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.wins + other.wins,
            self.losses + other.losses,
            self.ties + other.ties,
            self.forfeits + other.forfeits,
        )


def broken_off(end: Finished) -> bool:
    """Whether a game has ended without a result; a player who vanished may have lost it all the same."""
    return end.reason is Reason.ABANDONED and not end.winners


def counted(accounts: Sequence[str], end: Finished) -> Iterator[tuple[str, Tally]]:
    """What a game that ended so adds to the tallies of its players; by seat, their registered names, or ""."""
    if broken_off(end):
        return
    for seat, account in enumerate(accounts):
        if account and list(accounts).count(account) == 1:  # no one wins against themselves
            if not end.winners:
                yield account, Tally(ties=1)
            elif seat in end.winners:
                yield account, Tally(wins=1)
            else:
                yield account, Tally(losses=1, forfeits=int(end.reason is not Reason.PLAYED_OUT))


class Standings:
    """Every tally, by game and account."""

    def __init__(self) -> None:
        self._by_game: dict[str, dict[str, Tally]] = {}

    def reset(self, rows: Iterable[tuple[str, str, Tally]]) -> None:
        """Begin again with what the log knows: game, account and tally."""
        self._by_game = {}
        for game, account, tally in rows:
            self.load(game, account, tally)

    def load(self, game: str, account: str, tally: Tally) -> None:
        """What the log knows already."""
        self._by_game.setdefault(game, {})[account] = tally

    def note(self, game: str, accounts: Sequence[str], end: Finished) -> None:
        """A game has ended."""
        for account, tally in counted(accounts, end):
            self.load(game, account, self.of(game, account) + tally)

    def forget(self, account: str) -> None:
        """The account is no more."""
        for tallies in self._by_game.values():
            tallies.pop(account, None)

    def of(self, game: str, account: str) -> Tally:
        return self._by_game.get(game, {}).get(account, Tally())

    def ranking(self, game: str) -> list[tuple[str, Tally]]:
        """Every account that has played, the best first: by wins less losses, then wins, then name."""
        players = self._by_game.get(game, {}).items()
        return sorted(players, key=lambda row: (row[1].losses - row[1].wins, -row[1].wins, row[0]))
