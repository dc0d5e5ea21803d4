"""The questions about a file's form, which come before those about consent: encoding, sheet, header, hidden
rows and the column of addresses.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from schemas.formats import beginnings, csv_values, encodings, tables
from schemas.formats.beginnings import FIRST_ROWS
from schemas.formats.columns import Column, has_email
from schemas.formats.consent import ConsentAnswer
from schemas.formats.consent_guards import unsubscribing
from schemas.formats.encoding_readings import Readings
from schemas.formats.meanings import OWN
from schemas.formats.questions import FileQuestion, choice
from schemas.formats.readings import Reading
from schemas.formats.refusals import MAX_FOUND, FileRefused
from schemas.formats.tables import IMPORT, SKIP, Table, is_object
from schemas.values import compact_json

BAD = re.compile("[\ud800-\udfff]")
WIDE = re.compile("[^\0-\x7f\ud800-\udfff]")

NOT_UTF8 = "The file is not UTF-8; choose the encoding with which the names look right, or name another"
BAD_BYTE = (
    "A few bytes of the file are not UTF-8, the first of them in row {row}, column {place}; correct "
    "them, or choose"
)
HEADER = "The first row has no column of addresses; the header seems to be row {row}"
HIDDEN = "{count} hidden, for example by a filter; hidden rows can be imported too"
SHEETS = "Other sheets also have a column of addresses"
NO_ADDRESS = "No column holds addresses"
NO_ADDRESS_PAGE = f"{NO_ADDRESS}: choose below which one does."
HEADLESS = (
    "No column holds addresses, but the first row has an address: it seems to be a subscriber, not a header"
)
HEADLESS_PAGE = (
    "The first row has an address, so it seems to be a person. Untick “The first row has the names of the "
    "columns”, choose which column is the address, and look again."
)
NOT_COMPUTED = (
    "The formula in column {place}, row {row} has no stored value: open the workbook in a "
    "spreadsheet program, save it, and import the saved file."
)


def from_header(table: Table, reading: Reading) -> tuple[Table, list[FileQuestion]]:
    """The table below the row that is probably the header, and the open questions.

    They are about encoding, header, hidden rows and sheet.
    """
    asks = [_ask_encoding(table, table.readings)] if table.readings is not None else []
    row = beginnings.header_row(table, reading)
    if row is not None:
        table = tables.at_row(table, row)
        asks.append(choice(HEADER.format(row=row), "header_row", [str(row)]))
    book = table.book
    if book and book.hidden and not reading.hidden_rows:
        count = "1 row is" if book.hidden == 1 else f"{book.hidden:,} rows are"
        asks.append(choice(HIDDEN.format(count=count), "hidden_rows", [IMPORT, SKIP]))
    others = [name for name, rows in book.others.items() if any(map(has_email, rows))] if book else []
    if others and not reading.sheet:
        open_sheet = [table.sheet or ""] if has_email(table.names) else []
        asks.append(choice(SHEETS, "sheet", [*open_sheet, *others]))
    return table, asks


def ask_address(table: Table, columns: Sequence[Column]) -> list[FileQuestion]:
    """The question which column holds addresses; empty if a column already does.

    It suggests the column that has addresses in the first rows.
    """
    if not columns or any(column.meaning == "email" for column in columns):
        return []
    names = [column.name for column in columns]
    is_headed = table.headed and not table.is_json
    first = next((position for position, name in enumerate(names, 1) if is_headed and "@" in name), 0)
    like = _position_of_addresses(table, columns)
    what, page, option = NO_ADDRESS, NO_ADDRESS_PAGE, f"map[{like or 'COLUMN'}]=email"
    if first:
        what, page, option = HEADLESS, HEADLESS_PAGE, f"header=0&map[{first}]=email"
    return [
        FileQuestion(
            about="email",
            message=f"{what}: send `options`.",
            page=page,
            options=[option],
            columns=names[:MAX_FOUND],
        )
    ]


def _position_of_addresses(table: Table, columns: Sequence[Column]) -> int:
    """The position of the only column with an address in the first rows; 0 if none or several have one."""
    records = [record for _, record in islice(table.records(), FIRST_ROWS)]
    positions = [
        column.position
        for column in columns[:MAX_FOUND]
        if any(csv_values.is_address(table.cell_of(record, column)) for record in records)
    ]
    return positions[0] if len(positions) == 1 else 0


def fill_merged_cells(
    table: Table, columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]
) -> Table:
    """The table in which, in columns about consent, all rows of a merged cell have its value.

    `ignored` are positions of columns not about consent. Raises `FileRefused` if a formula for an address or
    consent has no stored value.
    """
    if table.book is None:
        return table
    saying = [
        *(column for column in columns if column.meaning in OWN),
        *(column.column for column in answer.columns),
        *unsubscribing(columns, answer, ignored),
    ]
    for column in (*(column for column in columns if column.meaning == "email"), *saying):
        if row := table.book.not_computed.get(column.position):
            raise FileRefused(NOT_COMPUTED.format(place=column.position, row=row), columns=[column.name])
    return replace(table, filled={column.position for column in saying})


def _ask_encoding(table: Table, readings: Readings) -> FileQuestion:
    """The question about the encoding, with the likeliest readings side by side.

    If most of the file is UTF-8, also names the first cell that is not.
    """
    with encodings.reading(table.binary, encodings.UTF8_ANYHOW) as text:
        good = bad = 0
        while chunk := text.read(encodings.PIECE_SIZE):
            good, bad = good + len(WIDE.findall(chunk)), bad + len(BAD.findall(chunk))
    row, position = next(_bad_cells(table), (1, 1)) if good >= bad else (0, 0)
    what = BAD_BYTE.format(row=row, place=position) if row else NOT_UTF8
    return choice(what, "encoding", list(readings), readings=readings)


def _bad_cells(table: Table) -> Iterator[tuple[int, int]]:
    """Yields the (row number, position) of cells that are not UTF-8. In JSON, keys count as positions."""
    for number, record in replace(table, encoding=encodings.UTF8_ANYHOW, headed=False).records():
        cells = record.values() if is_object(record) else record if isinstance(record, list) else [record]
        for position, cell in enumerate(cells, 1):
            if BAD.search(cell if isinstance(cell, str) else compact_json(cell)):
                yield number, position
