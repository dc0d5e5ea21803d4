"""How deep the tests go: `make test` takes samples of long tables and histories, `--whole` takes all."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

T = TypeVar("T")

whole = False  # set by tests/conftest.py, before the modules of tests are imported


def examples(number: int) -> int:
    """How many random examples to try: `number` with `--whole`, otherwise a tenth, at least ten."""
    return number if whole else max(10, number // 10)


def sample(cells: Sequence[T], of: int) -> Sequence[T]:
    """Every cell with `--whole`; otherwise every `of`th, and the last."""
    return cells if whole else [*cells[:-1:of], *cells[-1:]]


def crossed(*tables: Iterable[Any], of: int) -> Sequence[tuple[Any, ...]]:
    """A sample of all combinations of the tables' rows: with `--whole` all, otherwise every `of`th.

    Of two tables, every row is in the sample if `of` is at most the length of the last, and coprime to it.
    """
    return sample([*product(*tables)], of)
