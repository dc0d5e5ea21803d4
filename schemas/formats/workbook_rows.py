"""The rows of a sheet, read in the child process: the values that its cells show, and which are hidden,
merged or not computed.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import IO, Any
from xml.parsers import expat

EXACT = 2**53  # whole numbers up to it are exact as floating point
MAX_MERGED = 10_000  # ranges
PIECE_SIZE = 2**16
TRUE = ("1", "true")
PADDED = re.compile(r'(?:0|\\.|"[^"]*"|[-/() ])+')  # a format of digits, each of which is shown, and of marks
MARK = re.compile(r'\\.|"[^"]*"|.')


@dataclass
class SheetNotes:
    """Facts about a sheet that the values of its cells do not show. Columns and rows count from 1.

    `hidden` are the hidden rows. `merged` are the merged ranges, each as its first and last cell.
    `not_computed` has, by column, the first row with a formula that has no stored value.
    """

    hidden: set[int] = field(default_factory=set)
    merged: list[tuple[str, str]] = field(default_factory=list)
    not_computed: dict[int, int] = field(default_factory=dict)


class Scan:
    """Reads the XML of a sheet for its notes."""

    def __init__(self) -> None:
        self.notes = SheetNotes()
        self._row = self._column = 0
        self._cell: dict[str, str] = {}
        self._parts: set[str] = set()
        self._text = False
        self._begins = {"row": self._begin_row, "c": self._begin_cell, "mergeCell": self._merge}

    def read(self, source: IO[bytes]) -> SheetNotes:
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        while chunk := source.read(PIECE_SIZE):
            parser.Parse(chunk)
        return self.notes

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        plain = name.rpartition(":")[2]
        self._text = plain == "v"
        self._parts.add(plain)
        if begin := self._begins.get(plain):
            begin(attributes)

    def _begin_row(self, attributes: dict[str, str]) -> None:
        self._row, self._column = int(float(attributes.get("r", self._row + 1))), 0
        if attributes.get("hidden") in TRUE:
            self.notes.hidden.add(self._row)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._column, self._cell, self._parts = self._column + 1, attributes, set()

    def _merge(self, attributes: dict[str, str]) -> None:
        if len(self.notes.merged) < MAX_MERGED:
            first, _, last = attributes.get("ref", "").partition(":")
            self.notes.merged.append((first, last or first))

    def _characters(self, _: str) -> None:
        if self._text:
            self._parts.add("value")

    def _end(self, name: str) -> None:
        self._text = False
        is_formula = name.rpartition(":")[2] == "c" and "f" in self._parts
        if is_formula and "value" not in self._parts and self._cell.get("t") != "str":
            self.notes.not_computed.setdefault(_column_number(self._cell.get("r"), self._column), self._row)


def _column_number(reference: str | None, column: int) -> int:
    """The number of the column in a reference such as B7; `column` without a reference."""
    from openpyxl.utils.cell import coordinate_to_tuple

    return coordinate_to_tuple(reference)[1] if reference else column


def merged_columns(notes: SheetNotes) -> list[list[Any]]:
    """The ranges merged downwards: [column, first row, last row, ""]. `_lines` adds the value."""
    from openpyxl.utils.cell import coordinate_to_tuple

    ends = ((coordinate_to_tuple(first), coordinate_to_tuple(last)) for first, last in notes.merged)
    return [[column, top, bottom, ""] for (top, column), (bottom, _) in ends if top < bottom]


def shown_cells(cells: Iterable[Any]) -> list[Any]:
    """The cells of a row as the sheet shows them."""
    return ["" if cell.value is None else _shown_value(cell) for cell in cells]


def _shown_value(cell: Any) -> Any:
    """A cell's value as the sheet shows it: text, boolean, storable number, or a date as ISO 8601 text.

    A number that is padded with zeros becomes text.
    """
    value = cell.value
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        value = int(value)
    if isinstance(value, int) and value >= 0 and (marks := _marks(cell.number_format)):
        return _padded(value, marks)
    if isinstance(value, int | float):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, dt.datetime):
        return _date(value)
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


@cache
def _marks(number_format: str) -> Sequence[str]:
    """The marks of a number format that pads with zeros, such as 00000; empty for others."""
    first = number_format.partition(";")[0]
    marks = MARK.findall(first) if PADDED.fullmatch(first) else []
    return marks if marks.count("0") > 1 else []


def _padded(value: int, marks: Sequence[str]) -> str:
    """The number in a format of `marks`: 501 by 00000 is 00501. Further digits come first."""
    wanted = marks.count("0")
    digits = f"{value:0{wanted}d}"
    more, rest = digits[: len(digits) - wanted], iter(digits[len(digits) - wanted :])
    return more + "".join(next(rest) if mark == "0" else mark.strip('\\"') or mark[-1] for mark in marks)


def _date(value: dt.datetime) -> str:
    if value.time() == dt.time():
        return value.date().isoformat()
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
