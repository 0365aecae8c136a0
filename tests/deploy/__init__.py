"""The examples of `deploy/`, tried with the programs that they are for."""
