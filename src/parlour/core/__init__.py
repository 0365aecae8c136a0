"""The pure part: tables, seats, ballots and the words they speak. No sockets, no clock, no global randomness."""
