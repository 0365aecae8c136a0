"""Reversi, for Parlour."""

from reversi.rules import Reversi, ReversiPosition

GAME = Reversi()

__all__ = ["GAME", "Reversi", "ReversiPosition"]
