"""SQL text with its bound values."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any


@dataclass(frozen=True, slots=True)
class Sql:
    """A part of a statement. `parameters` are in the order of the marks in `text`; `text` never contains
    input.

    A `rare` condition finds its few subscribers by itself: it is faster to find them first, and sort them
    then.
    """

    text: str
    parameters: tuple[Any, ...] = ()
    rare: bool = False


AND = " AND "
MAX_PARAMETERS = 10_000


def join(separator: str, parts: list[Sql]) -> Sql:
    return Sql(
        separator.join(part.text for part in parts),
        tuple(chain.from_iterable(part.parameters for part in parts)),
        rare=separator == AND and any(part.rare for part in parts),
    )


def slices(values: Iterable[Any]) -> Iterator[list[Any]]:
    """The values in lists of at most `MAX_PARAMETERS`, as many as a statement takes."""
    remaining = iter(values)
    while chunk := list(islice(remaining, MAX_PARAMETERS)):
        yield chunk
