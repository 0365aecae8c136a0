"""NetDot 1.x, 2.0, the 3.0 beta and the 3.0 draft: dots and boxes in rooms with a lobby."""
