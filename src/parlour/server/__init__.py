"""The only part with sockets: the loop, the doors, deadlines and limits."""
