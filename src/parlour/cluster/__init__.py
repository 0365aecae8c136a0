"""One house in several processes. Nothing outside this folder imports it, and a house of one process never loads it."""
