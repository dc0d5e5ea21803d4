"""The mark that separates the tags of a cell where no comma does. The user is asked, because the name of a
tag may contain any mark.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from schemas.export_columns import EXPORT_COLUMNS
from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.questions import FileQuestion, choice
from schemas.formats.tables import Table

MARKS = (";", "|", csv_values.GOOGLE)
SEPARATORS = re.compile(r"[,;|#/]{1,5}|:::")
COMMA = {csv_values.COMMA}
MAX_SHOWN = 3
UNCLEAR = "Some tags contain ; | or ::: but no comma; if you answer with a comma, each cell is one tag"


class TagWatch:
    """Watches the cells of tag columns: `shown` has the first cells of each, `marks` the marks in them.

    Watches nothing if the user chose the `separator`, or in our own export.
    """

    def __init__(self, table: Table, columns: Sequence[Column], separator: str | None) -> None:
        self.table = table
        is_told = separator or set(EXPORT_COLUMNS) <= set(table.names)
        tagged = [column for column in columns if column.meaning in ("tags", "remove_tags")]
        self.columns = [] if is_told else tagged
        self.shown: dict[int, Counter[str]] = {column.position: Counter() for column in tagged}
        self.marks: dict[int, set[str]] = {column.position: set() for column in tagged}

    def see(self, _row: int, record: Any) -> None:
        for column in self.columns:
            cell, marks = self.table.cell_of(record, column), self.marks[column.position]
            if cell[:1] == "[" or '"' in cell:
                continue
            if present := {mark for mark in (*MARKS, csv_values.COMMA) if mark in cell}:
                marks |= present
                shown = self.shown[column.position]
                if cell in shown or len(shown) < MAX_SHOWN:
                    shown[cell] += 1

    def questions(self) -> list[FileQuestion]:
        """The question which mark separates tags; none for columns with commas, or without another mark."""
        asked = [
            column
            for column in self.columns
            if self.marks[column.position] - COMMA == self.marks[column.position]
        ]
        marks = sorted(set().union(*(self.marks[column.position] for column in asked)))
        if not marks:
            return []
        several = "".join(mark for mark in marks if mark != csv_values.GOOGLE)
        answers = dict.fromkeys([*marks, *filter(None, [several]), csv_values.COMMA])
        asked = [column for column in asked if self.marks[column.position]]
        values = sum((self.shown[column.position] for column in asked), Counter[str]())
        names = [column.name for column in asked]
        return [choice(UNCLEAR, "tag_separator", list(answers), columns=names, values=values.most_common())]
