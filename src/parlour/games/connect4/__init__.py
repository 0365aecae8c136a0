"""Connect Four, on boards of any size from 4x4 to 12x12."""

from parlour.games.connect4.rules import Connect4, Connect4Position

GAME = Connect4()

__all__ = ["GAME", "Connect4", "Connect4Position"]
