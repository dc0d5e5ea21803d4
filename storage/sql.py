"""SQL text with its bound values."""

from dataclasses import dataclass
from itertools import chain
from typing import Any


@dataclass(frozen=True, slots=True)
class Sql:
    """`parameters` in the order of the marks in `text`; `text` never contains input."""

    text: str
    parameters: tuple[Any, ...] = ()


def join(separator: str, parts: list[Sql]) -> Sql:
    return Sql(
        separator.join(part.text for part in parts),
        tuple(chain.from_iterable(part.parameters for part in parts)),
    )
