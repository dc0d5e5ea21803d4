"""What is asked about a file before its columns are: encoding, sheet, header, hidden rows."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.formats import beginnings, encoding_questions, tables
from schemas.formats.columns import Column, has_email
from schemas.formats.consent import ConsentAnswer
from schemas.formats.meanings import OWN
from schemas.formats.questions import FileQuestion
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused, quoted
from schemas.formats.tables import IMPORT, SKIP, Table

HEADER = (
    "The first row has no column of addresses, but row {row} does: send header_row={row} if it is the header."
)
HEADER_COMMAND = "The header seems to be row {row}: say so with --header-row {row}"
HEADER_PAGE = "The header seems to be row {row}: choose that below."
HIDDEN = "{count} hidden: send hidden_rows=import to import them, too, or hidden_rows=skip to leave them out."
HIDDEN_COMMAND = (
    "{count} hidden, as by a filter: import them, too, with --hidden-rows import, or leave them out with "
    "--hidden-rows skip"
)
HIDDEN_PAGE = "{count} hidden, as by a filter: choose below whether to import them, too."
SHEETS = (
    "Several sheets have a column of addresses: say with sheet which one to import. `options` lists them."
)
SHEETS_COMMAND = "Several sheets have a column of addresses: say with --sheet which one to import: {sheets}"
SHEETS_PAGE = "Several sheets have a column of addresses: choose below which one to import."
NOT_COMPUTED = (
    "The formula in column {place}, row {row} has no stored value: open the workbook in a spreadsheet "
    "program, save it, and import that."
)


def from_header(table: Table, reading: Reading) -> tuple[Table, list[FileQuestion]]:
    """The table, for now from the row that is likely its header, and what is to be asked about it."""
    asks = [encoding_questions.ask(table, table.readings)] if table.readings is not None else []
    row = beginnings.header_row(table, reading)
    if row is not None:
        table = tables.at_row(table, row)
        asks.append(_question("header_row", HEADER, HEADER_COMMAND, HEADER_PAGE, [str(row)], row=str(row)))
    return table, [*asks, *_about_book(table, reading)]


def filled(table: Table, columns: Sequence[Column], answer: ConsentAnswer) -> Table:
    """The table with merged cells of consent in each of their rows.

    Raises `FileRefused` where an address or consent is a formula without a stored value.
    """
    if table.book is None:
        return table
    consents = [each.column for each in answer.columns]
    for column in (*(each for each in columns if each.meaning in ("email", *OWN)), *consents):
        if row := table.book.not_computed.get(column.place):
            raise FileRefused(NOT_COMPUTED.format(place=column.place, row=row), columns=[column.name])
    return replace(table, filled=[column.place for column in consents])


def _about_book(table: Table, reading: Reading) -> list[FileQuestion]:
    asks = []
    if table.book and table.book.hidden and not reading.hidden_rows:
        count = "1 row is" if table.book.hidden == 1 else f"{table.book.hidden:,} rows are"
        asks.append(
            _question("hidden_rows", HIDDEN, HIDDEN_COMMAND, HIDDEN_PAGE, [IMPORT, SKIP], count=count)
        )
    others = [
        name for name, rows in (table.book.others if table.book else {}).items() if any(map(has_email, rows))
    ]
    if others and not reading.sheet and has_email(table.names):
        names = [table.sheet or "", *others]
        asks.append(_question("sheet", SHEETS, SHEETS_COMMAND, SHEETS_PAGE, names, sheets=quoted(names)))
    return asks


def _question(
    about: str, message: str, command: str, page: str, answers: list[str], **parts: str
) -> FileQuestion:
    return FileQuestion(
        about=about,
        message=message.format(**parts),
        command=command.format(**parts),
        page=page.format(**parts),
        options=[f"{about}={answer}" for answer in answers],
    )
