"""How good registered players are, reckoned from the rated games of the log and from nothing else."""
