"""How strong and how quick the built-in players are, on positions whose values are known."""
