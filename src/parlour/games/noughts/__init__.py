"""Tic-tac-toe."""

from parlour.games.noughts.rules import Noughts, NoughtsPosition

GAME = Noughts()

__all__ = ["GAME", "Noughts", "NoughtsPosition"]
