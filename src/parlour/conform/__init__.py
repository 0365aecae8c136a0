"""`parlour conform`: servers and clients of the wires, examined case by case against their documents."""
