"""One table: who is there, one game at a time, and the fold of everything that happened."""
