"""Attacks on the service, which repeat until something gives: see README.md.

Each row is a module with `SHORT` and `LONG`, its numbers of attacks, `UNIT`, what they are called, and
`opened(short)`, a context manager that gives the attack: a function of its number and its own random
numbers, which raises what went wrong and returns the figures that it measured.
"""
