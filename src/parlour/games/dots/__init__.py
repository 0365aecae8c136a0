"""Dots and boxes."""

from parlour.games.dots.rules import Dots, DotsPosition

GAME = Dots()

__all__ = ["GAME", "Dots", "DotsPosition"]
