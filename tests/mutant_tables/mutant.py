"""One seeded fault: a text, what replaces it, and the test or row that must fail."""

from typing import NamedTuple

TORTURE = "torture "  # rows of `tests/torture`, or one attack of a row, in the short form


class Mutant(NamedTuple):
    name: str
    file: str
    text: str
    by: str
    test: str
