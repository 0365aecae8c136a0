"""`make bench-peers`: the same game of Connect Four on our server, on Colyseus and on boardgame.io."""
