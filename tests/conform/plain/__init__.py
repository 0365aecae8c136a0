"""Small servers and clients in plain blocking sockets, written from the documents alone.

They share no code with ours, with each other, or with the other students: another hand, another style. Each takes a set
of quirks: legal ways that the document leaves open, at which no case may complain, and faults, each of which a case
must find.
"""
