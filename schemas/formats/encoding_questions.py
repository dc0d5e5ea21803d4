"""A file that is not UTF-8: its likeliest readings side by side, of which the operator chooses one."""

import re
from collections.abc import Iterator
from dataclasses import replace

from schemas.formats import encodings
from schemas.formats.encoding_readings import Readings
from schemas.formats.questions import FileQuestion
from schemas.formats.refusals import quoted
from schemas.formats.tables import Table, is_object
from schemas.values import compact_json

BAD = re.compile("[\ud800-\udfff]")
WIDE = re.compile("[^\0-\x7f\ud800-\udfff]")

NOT_UTF8 = (
    "The file is not UTF-8: send encoding with the one whose reading is right. `readings` has its first "
    "cells by the likeliest encodings; others can be named, too."
)
COMMAND = (
    "The file is not UTF-8: say with --encoding which reading of its first cells is right ({readings}), or "
    "name another encoding"
)
PAGE = "The file is not UTF-8: choose below the reading that is right."
BAD_BYTE = " All but a few bytes are UTF-8; the first other one is in row {row}, column {column}: correct it."


def ask(table: Table, readings: Readings) -> FileQuestion:
    """About a table that is read, for now, by the first of some readings."""
    shown = "; ".join(f"{name}: {quoted(texts)}" for name, texts in readings.items())
    bad = _bad_byte(table)
    return FileQuestion(
        about="encoding",
        message=NOT_UTF8 + bad,
        command=COMMAND.format(readings=shown or "none is likely") + ("." + bad if bad else ""),
        page=PAGE + bad,
        options=[f"encoding={name}" for name in readings],
        readings=readings,
    )


def _bad_byte(table: Table) -> str:
    """Where the first is that is no UTF-8, if most others are."""
    with encodings.reading(table.binary, encodings.UTF8_ANYHOW) as text:
        good = bad = 0
        while piece := text.read(encodings.PIECE_SIZE):
            good, bad = good + len(WIDE.findall(piece)), bad + len(BAD.findall(piece))
    if good < bad:
        return ""
    row, column = next(_bad_cells(table), (1, 1))
    return BAD_BYTE.format(row=row, column=column)


def _bad_cells(table: Table) -> Iterator[tuple[int, int]]:
    """(row, place) of the cells that are no UTF-8; of JSON, the place is that of the key in its object."""
    for number, record in replace(table, encoding=encodings.UTF8_ANYHOW, headed=False).records():
        cells = record.values() if is_object(record) else record if isinstance(record, list) else [record]
        for place, cell in enumerate(cells, 1):
            if BAD.search(cell if isinstance(cell, str) else compact_json(cell)):
                yield number, place
