"""How deep the tests go: `make test` takes samples of long tables and histories, `--whole` takes all."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

T = TypeVar("T")

whole = False  # set by tests/conftest.py, before the modules of tests are imported


def examples(number: int) -> int:
    """How many of so many random examples to try: a tenth, at least ten."""
    return number if whole else max(10, number // 10)


def sample(cells: Sequence[T], of: int) -> Sequence[T]:
    """One of so many cells, spread over all of them, the first and the last among them."""
    return cells if whole else [*cells[:-1:of], *cells[-1:]]


def crossed(*tables: Iterable[Any], of: int) -> Sequence[tuple[Any, ...]]:
    """One of so many combinations; every row of each of two tables is in one where `of` and the length of the
    last have no divisor in common, and it is no longer."""
    return sample([*product(*tables)], of)
