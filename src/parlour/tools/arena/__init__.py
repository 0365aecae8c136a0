"""`parlour arena`: matches between levels, engines and outside programs."""
