"""How the dates in a column are written, as far as its cells show, and what the user must decide about
them.
"""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from schemas.formats import csv_values, dates
from schemas.formats.columns import Column
from schemas.formats.dates import DMY, EPOCH, FORMS, ISO, MDY
from schemas.formats.questions import FileQuestion, choice
from schemas.formats.readings import Reading
from schemas.formats.tables import Table
from schemas.values import DATES

ORDER = "Some dates may begin with the day or with the month, or have two digits for the year"
UNREAD = "Some cells are not dates; they can be left out, or kept as custom fields"
UNSUBSCRIBED = ", and whoever has one in unsubscribed_at is unsubscribed either way"
MAX_SHOWN = 3
EITHER, SHORT = "either", "short"  # of a cell: both orders are possible, or its year has two digits
IGNORE, FIELD = "ignore", "field"  # what becomes of cells that cannot be read


class DateColumn:
    """Counts the forms of dates (`FORMS`) in the cells of a column.

    By form, `unread` is the number of cells that the form cannot read, and `first_row` the row of the first.
    `shown` has the first few of these cells with their number of rows. The key None has the cells that no
    form reads, except perhaps as seconds since 1970.
    """

    def __init__(self) -> None:
        self.unread: Counter[str | None] = Counter()
        self.shown: dict[str | None, Counter[str]] = {form: Counter() for form in (None, *FORMS)}
        self.first_row: dict[str | None, int] = {}
        self._cells = 0
        self._told: set[str] = set()

    def see(self, row: int, cell: str) -> None:
        """Counts a cell that is not blank."""
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
        counts, example = self.shown[form], cell[: dates.MAX_LENGTH]
        if example in counts or len(counts) < MAX_SHOWN:
            counts[example] += 1

    def form(self) -> str | None:
        """The form of all dates in the column.

        None if the user must decide: day or month could come first, or a year has two digits.
        """
        if self._cells and not self.unread[EPOCH]:
            return EPOCH
        decided = self._told & {DMY, MDY}
        if len(decided) == 1 and SHORT not in self._told:
            return decided.pop()
        return None if self._told else ISO


@dataclass(frozen=True)
class DateReading:
    """How the dates of a file are read: the form of each column by position, and the zone of dates without
    one.

    An unreadable cell is left out if `unread` is `ignore`, and kept as a custom field if it is `field`.
    """

    forms: Mapping[int, str]
    zone: dt.tzinfo
    unread: str | None = None

    def read(self, position: int, cell: str) -> int | None:
        """The instant in a cell, in milliseconds since 1970; None if it is unreadable or means no date."""
        try:
            return dates.read_date(cell, self.forms.get(position, ISO), self.zone)
        except ValueError:
            return None


class DateWatch:
    """Watches the cells of some columns. In a column not meant as a date, only cells that are dates count."""

    def __init__(self, table: Table, columns: Sequence[Column], reading: Reading) -> None:
        self.table, self.reading = table, reading
        self.columns = [(column, DateColumn()) for column in columns]

    def see(self, row: int, record: Any) -> None:
        for column, watch in self.columns:
            cell = self.table.cell_of(record, column).strip()
            if not csv_values.is_no_date(cell) and (column.meaning in DATES or dates.forms_of(cell)):
                watch.see(row, cell)

    def _form(self, watch: DateColumn) -> str | None:
        form = watch.form()
        return form if form == EPOCH else self.reading.dates or form

    def dates(self) -> DateReading:
        """How the dates of the file are read. Call it once all questions are answered."""
        forms = {column.position: self._form(watch) or ISO for column, watch in self.columns}
        return DateReading(forms, ZoneInfo(self.reading.zone), self.reading.unread_dates)

    def questions(self) -> list[FileQuestion]:
        """The open questions about dates: the order of day and month, and what to do with other cells.

        Empty once the user has answered.
        """
        unclear = [(column, watch, ISO) for column, watch in self.columns if self._form(watch) is None]
        unread = [(column, watch, self._form(watch)) for column, watch in self.columns]
        unread = [] if self.reading.unread_dates else [date for date in unread if date[1].unread[date[2]]]
        suffix = UNSUBSCRIBED if any(column.meaning == "unsubscribed_at" for column, *_ in unread) else ""
        asked = (
            (ORDER, "dates", (DMY, MDY), unclear),
            (UNREAD + suffix, "unread_dates", (IGNORE, FIELD), unread),
        )
        return [
            choice(
                f"{what} ({_location(columns)})",
                name,
                answers,
                about="dates",
                columns=[column.name for column, *_ in columns],
                values=_count_shown(columns).most_common(),
            )
            for what, name, answers, columns in asked
            if columns
        ]


Seen = Sequence[
    tuple[Column, DateColumn, str | None]
]  # a column, and the form that some of its cells have not


def _count_shown(columns: Seen) -> Counter[str]:
    return sum((watch.shown[form] for _, watch, form in columns), Counter[str]())


def _location(columns: Seen) -> str:
    """A clause on the cells that the columns' forms cannot read: the row of the first, and their number."""
    row = min(watch.first_row[form] for _, watch, form in columns)
    count = sum(watch.unread[form] for _, watch, form in columns)
    return f"the first in row {row}, {count:,} in all"
