"""The wires, one folder each."""
