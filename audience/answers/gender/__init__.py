"""A guess of gender from a name, with a confidence.

May import: what audience.answers may.
Never: uses the network, or guesses from a name that no table contains.
"""
