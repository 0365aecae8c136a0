"""Glendy: a trapper walls in a rabbit that runs for the rim."""

from parlour.games.glenda.rules import Glenda, GlendaPosition

GAME = Glenda()

__all__ = ["GAME", "Glenda", "GlendaPosition"]
