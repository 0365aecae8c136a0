"""Connect Four: public positions with known values, times by ply, nodes per second beside a loop in C."""
