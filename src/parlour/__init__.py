"""Parlour: small network board games, five old wires, one table."""

__version__ = "0.1.0"
