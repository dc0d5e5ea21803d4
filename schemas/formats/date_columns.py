"""What the cells of a column of dates tell of how they are written, and how they are read by that."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.formats import dates
from schemas.formats.dates import DMY, EPOCH, FORMS, ISO, MDY

MAX_SHOWN = 3
EITHER, SHORT = "either", "short"  # of a cell: both orders are possible, or its year has two digits
IGNORE, FIELD = "ignore", "field"  # what becomes of cells that cannot be read


class DateColumn:
    """The forms that a column's cells have.

    `unread` are the cells that a form cannot read, `shown` the first of them, each with how many rows have
    it, and `first_row` where they begin; those that no form of written dates reads are under None.
    """

    def __init__(self) -> None:
        self.unread: Counter[str | None] = Counter()
        self.shown: dict[str | None, Counter[str]] = {form: Counter() for form in (None, *FORMS)}
        self.first_row: dict[str | None, int] = {}
        self._cells = 0
        self._told: set[str] = set()

    def see(self, row: int, cell: str) -> None:
        """A cell of a row that is not blank."""
        readable, self._cells = dates.forms_of(cell), self._cells + 1
        for form in (form for form in FORMS if form not in readable):
            self._note(form, row, cell)
        if not readable - {EPOCH}:
            self._note(None, row, cell)
        orders = readable & {DMY, MDY}
        if orders and ISO not in readable:
            self._told |= {SHORT} if dates.has_short_year(cell) else {EITHER} if len(orders) == 2 else orders

    def _note(self, form: str | None, row: int, cell: str) -> None:
        self.unread[form] += 1
        self.first_row.setdefault(form, row)
        shown, known = self.shown[form], cell[: dates.MAX_LENGTH]
        if known in shown or len(shown) < MAX_SHOWN:
            shown[known] += 1

    def form(self) -> str | None:
        """The form of all; None if the day or the month could come first, or a year has two digits."""
        if self._cells and not self.unread[EPOCH]:
            return EPOCH
        decided = self._told & {DMY, MDY}
        if len(decided) == 1 and SHORT not in self._told:
            return decided.pop()
        return None if self._told else ISO


@dataclass(frozen=True)
class DateReading:
    """How the dates of a file are read: the form of each column by place, and the zone of those without one.

    `unread` is what becomes of a cell that cannot be read: it is left out, or kept as a custom field.
    """

    forms: Mapping[int, str]
    zone: dt.tzinfo
    unread: str | None = None

    def read(self, place: int, cell: str) -> int | None:
        """Milliseconds since 1970; None of a cell that cannot be read, or has 0 for nothing."""
        try:
            return dates.read_date(cell, self.forms.get(place, ISO), self.zone)
        except ValueError:
            return None
