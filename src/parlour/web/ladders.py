"""Who is how good: leaderboards, and what there is to know about one registered player."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.errors import LocalError
from parlour.core.house.gate import Gate
from parlour.core.rated import Rating
from parlour.protocols.web.answers import RowSeat
from parlour.ratings.book import MANY, Grade
from parlour.store.base import Library, StoredResult
from parlour.web.api import answer, limited, no_such, problem, unreadable
from parlour.web.describing import content, operation, ref, trouble
from parlour.web.site import Site

MOST_RANKED = 100
LAST_GAMES = 20
LONGEST_CURVE = 200
"""Points; of a longer one, the latest."""
PLAYERS = ("two", "many")

Players = Literal["two", "many"]


class LeaderRow(msgspec.Struct, frozen=True):
    """One player on a ladder. A rating is provisional while it is little more than a guess."""

    rank: int
    name: str
    rating: int
    deviation: int
    provisional: bool
    wins: int
    losses: int
    ties: int


class Leaderboard(msgspec.Struct, frozen=True):
    game: str
    players: Players
    total: int
    """How many are on this ladder; the rows are some of them."""
    rows: list[LeaderRow]
    next: int | None
    """Where the next rows go on, for `after`; null when these are the last."""


class CurvePoint(msgspec.Struct, frozen=True):
    at: float
    """Seconds since 1970."""
    rating: int
    deviation: int


class RatingRow(msgspec.Struct, frozen=True):
    """A player on one of the ladders, and how they came there."""

    game: str
    players: Players
    total: int
    place: LeaderRow
    curve: list[CurvePoint]
    """The end of every period with a rated game in it, then every game of the running one."""


class TallyRow(msgspec.Struct, frozen=True):
    """All games of a player, rated or not, that came to an end."""

    game: str
    wins: int
    losses: int
    ties: int
    forfeits: int
    """Losses before the end of the game: given up, out of time, or gone."""


class PlayedGame(msgspec.Struct, frozen=True):
    id: str
    game: str
    at: float
    """When it ended, in seconds since 1970."""
    seat: int
    outcome: Literal["win", "loss", "tie"]
    rated: bool
    moves: int
    players: list[RowSeat]


class PlayerProfile(msgspec.Struct, frozen=True):
    """What there is to know about a registered player."""

    name: str
    results: list[TallyRow]
    ratings: list[RatingRow]
    games: list[PlayedGame]
    """The last ones, the latest first."""


class Ladders:
    """Everything about ratings."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        paths = {"/api/leaderboard": self.leaderboard, "/api/players/{name}": self.player}
        return [Route(path, limited(gate, handler), methods=["GET"]) for path, handler in paths.items()]

    async def leaderboard(self, request: Request) -> Response:
        games = self._site.hub.games
        asked = request.query_params
        game, players = asked.get("game", ""), asked.get("players", PLAYERS[0])
        if "game" not in asked:
            game, players = self._fullest([players] if "players" in asked else PLAYERS)
        if game not in games:
            return no_such("game")
        if players not in PLAYERS:
            return problem(400, "no-such-ladder", f"There are ladders for {' and for '.join(PLAYERS)}.")
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 8):
            return problem(400, "no-such-rank", "A rank is a number.")
        await self._site.flushed()
        ranking = self._ranking(_ladder(game, players))
        above = int(after)
        rows = [_row(rank, grade) for rank, grade in enumerate(ranking[above : above + MOST_RANKED], above + 1)]
        shown = above + len(rows)
        following = shown if shown < len(ranking) else None
        return answer(Leaderboard(game, "many" if players == "many" else "two", len(ranking), rows, following))

    async def player(self, request: Request) -> Response:
        asked: str = request.path_params["name"]
        name = registered(self._site, asked)
        if name is None:
            return problem(404, "no-such-player", "No player of that name is registered here.")
        await self._site.flushed()
        ratings: list[Rating] = []
        games: list[StoredResult] = []
        if self._site.log is not None:
            try:
                ratings, games = await self._site.log.read(lambda library: _look_up(library, name))
            except LocalError:
                return unreadable()
        return answer(
            PlayerProfile(name, self._results(name), self._ratings(name, ratings), [_game(one) for one in games])
        )

    def _fullest(self, kinds: Sequence[str]) -> tuple[str, str]:
        """The ladder with most players; the first one while all are empty."""
        ladders = [(game, players) for game in self._site.hub.games for players in kinds]
        return max(ladders, key=lambda ladder: len(self._ranking(_ladder(*ladder))))

    def _ranking(self, ladder: str) -> list[Grade]:
        """Those who are registered still."""
        hub = self._site.hub
        ranking = self._site.book.ranking(ladder, hub.at)
        return [grade for grade in ranking if hub.accounts.registered(grade.account) == grade.account]

    def _results(self, name: str) -> list[TallyRow]:
        tallies = ((game, self._site.hub.standings.of(game, name)) for game in self._site.hub.games)
        return [
            TallyRow(game, tally.wins, tally.losses, tally.ties, tally.forfeits)
            for game, tally in tallies
            if tally.wins or tally.losses or tally.ties
        ]

    def _ratings(self, name: str, ratings: list[Rating]) -> list[RatingRow]:
        rows = []
        for game in self._site.hub.games:
            for players in ("two", "many"):
                ranking = self._ranking(_ladder(game, players))
                found = next(((rank, grade) for rank, grade in enumerate(ranking, 1) if grade.account == name), None)
                if found is not None:
                    curve = self._curve(_ladder(game, players), name, ratings)
                    rows.append(RatingRow(game, players, len(ranking), _row(*found), curve))
        return rows

    def _curve(self, ladder: str, name: str, ratings: list[Rating]) -> list[CurvePoint]:
        book = self._site.book
        points = [
            CurvePoint((row.period + 1) * book.seconds, round(row.rating), round(row.deviation))
            for row in ratings
            if row.ladder == ladder
        ]
        points += [CurvePoint(at, round(rating), round(sure)) for at, rating, sure in book.lately(ladder, name)]
        return points[-LONGEST_CURVE:]


def registered(site: Site, name: str) -> str | None:
    """A name as its owner spells it; None when it is not registered. Raises HTTPException for what can be no name."""
    if len(name) > 64 or not name.isprintable():
        raise HTTPException(404)
    return site.hub.accounts.registered(name)


def _look_up(library: Library, name: str) -> tuple[list[Rating], list[StoredResult]]:
    return library.ratings_of(name), library.results(name, LAST_GAMES)


def _ladder(game: str, players: str) -> str:
    return game + MANY if players == "many" else game


def _row(rank: int, grade: Grade) -> LeaderRow:
    return LeaderRow(
        rank=rank,
        name=grade.account,
        rating=round(grade.rating),
        deviation=round(grade.deviation),
        provisional=grade.provisional,
        wins=grade.wins,
        losses=grade.losses,
        ties=grade.ties,
    )


def _game(result: StoredResult) -> PlayedGame:
    outcome: Literal["win", "loss", "tie"] = "tie"
    if result.outcome != "tie":
        outcome = "win" if result.outcome == "win" else "loss"
    players = [RowSeat(player.name, player.wire, player.kind.value) for player in result.players]
    return PlayedGame(result.id, result.game, result.at, result.seat, outcome, result.rated, result.moves, players)


TYPES = (Leaderboard, PlayerProfile)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    fullest = "Unless told, the one that most are rated in."
    game = {"name": "game", "in": "query", "schema": {"type": "string"}, "description": fullest}
    players = {"name": "players", "in": "query", "schema": {"type": "string", "enum": list(PLAYERS)}}
    after = {
        "name": "after",
        "in": "query",
        "description": "The `next` of the rows before: only ranks behind this one.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 9_999_999, "default": 0},
    }
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    board = {
        "200": content(ref(Leaderboard), f"At most {MOST_RANKED} players, the best first."),
        "400": trouble("There is no such list, or `after` is not a rank."),
        "404": trouble("There is no such game."),
    }
    profile = {
        "200": content(ref(PlayerProfile), "Results, ratings and last games."),
        "404": trouble("No player of that name is registered."),
        "503": trouble("The log cannot be read."),
    }
    return {
        "/api/leaderboard": {
            "get": operation("The rating list of a game, for two players or for more.", board, game, players, after)
        },
        "/api/players/{name}": {"get": operation("One registered player.", profile, name)},
    }
