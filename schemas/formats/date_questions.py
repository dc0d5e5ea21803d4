"""What the dates of a file leave open: day or month first, and cells that are no dates."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.date_columns import FIELD, IGNORE, DateColumn, DateReading
from schemas.formats.dates import DMY, EPOCH, ISO, MDY, forms_of
from schemas.formats.questions import FileQuestion
from schemas.formats.readings import Reading
from schemas.formats.refusals import quoted
from schemas.formats.tables import Table
from schemas.values import DATES

ORDER = (
    "Dates may have the day or the month first, or have two digits for the year: "
    "send dates=dmy or dates=mdy. `columns` names the columns."
)
ORDER_COMMAND = (
    "The dates in column {columns} may have the day or the month first, such as {values}: "
    "say which with --dates dmy or --dates mdy"
)
ORDER_PAGE = "The dates may have the day or the month first: choose below which."
UNREAD = (
    "Some cells are no dates: send unread_dates=ignore to leave them out, or unread_dates=field to keep "
    "them as custom fields. `columns` and `values` name them."
)
UNREAD_COMMAND = (
    "{count} in column {columns} cannot be read as dates, such as {values} in row {row}: leave them out "
    "with --unread-dates ignore, or keep them as custom fields with --unread-dates field"
)
UNREAD_PAGE = "Some cells are no dates: choose below whether to leave them out, or to keep them as text."
UNSUBSCRIBED = " Who has one in unsubscribed_at is unsubscribed either way."


class DateWatch:
    """Sees the cells of columns of dates while the file is looked through, and dates of other columns."""

    def __init__(self, table: Table, columns: Sequence[Column], reading: Reading) -> None:
        self.table, self.reading = table, reading
        self.columns = [(column, DateColumn()) for column in columns]

    def see(self, row: int, record: Any) -> None:
        for column, dates in self.columns:
            cell = self.table.cell_of(record, column).strip()
            is_date = column.meaning in DATES or forms_of(cell)
            if is_date and not csv_values.is_no_date(cell):
                dates.see(row, cell)

    def _form(self, dates: DateColumn) -> str | None:
        form = dates.form()
        return form if form == EPOCH else self.reading.dates or form

    def dates(self) -> DateReading:
        """How they are read, once all is answered."""
        forms = {column.place: self._form(dates) or ISO for column, dates in self.columns}
        return DateReading(forms, ZoneInfo(self.reading.zone), self.reading.unread_dates)

    def asks(self) -> list[FileQuestion]:
        unclear = [(column, dates.shown[ISO]) for column, dates in self.columns if self._form(dates) is None]
        unread = [each for each in self.columns if each[1].unread[self._form(each[1])]]
        questions = []
        if unclear:
            questions.append(_question(ORDER, ORDER_COMMAND, ORDER_PAGE, ("dates", (DMY, MDY)), unclear))
        if unread and not self.reading.unread_dates:
            questions.append(self._ask_unread(unread))
        return questions

    def _ask_unread(self, unread: Sequence[tuple[Column, DateColumn]]) -> FileQuestion:
        shown = [(column, dates.shown[self._form(dates)]) for column, dates in unread]
        count = sum(dates.unread[self._form(dates)] for _, dates in unread)
        row = min(dates.first_row[self._form(dates)] for _, dates in unread)
        cells = "1 cell" if count == 1 else f"{count:,} cells"
        also = UNSUBSCRIBED if any(column.meaning == "unsubscribed_at" for column, _ in unread) else ""
        command = UNREAD_COMMAND.replace("{count}", cells).replace("{row}", str(row))
        return _question(
            UNREAD + also, command + ("." + also if also else ""), UNREAD_PAGE + also,
            ("unread_dates", (IGNORE, FIELD)), shown,
        )  # fmt: skip


def _question(
    message: str,
    command: str,
    page: str,
    answers: tuple[str, Sequence[str]],
    shown: Sequence[tuple[Column, Counter[str]]],
) -> FileQuestion:
    names, values = [column.name for column, _ in shown], sum((cells for _, cells in shown), Counter[str]())
    return FileQuestion(
        about="dates",
        message=message,
        command=command.format(columns=quoted(names), values=quoted([next(iter(values))])),
        page=page,
        options=[f"{answers[0]}={answer}" for answer in answers[1]],
        columns=names,
        values=values.most_common(),
    )
