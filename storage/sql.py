"""A piece of SQL with the values that are bound to it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sql:
    """`parameters` in the order of the marks in `text`, which holds constants of this room only."""

    text: str
    parameters: tuple[Any, ...] = ()


def join(separator: str, parts: list[Sql]) -> Sql:
    return Sql(
        separator.join(part.text for part in parts), tuple(each for part in parts for each in part.parameters)
    )
