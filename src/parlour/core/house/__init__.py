"""The house: all tables, who plays whom, and the way commands take."""
