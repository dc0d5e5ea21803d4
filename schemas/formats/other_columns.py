"""Columns beside the chosen column of consent: whether they say of a subscriber that they may not be written
to.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from schemas.formats import header_names
from schemas.formats.columns import Column
from schemas.formats.consent import ConsentAnswer
from schemas.formats.consent_guards import brings_in, columns_to_watch
from schemas.formats.consent_words import suggested_state
from schemas.formats.questions import FileQuestion
from schemas.formats.tables import Table
from schemas.values import SUBSCRIBED

OTHERS = "others"
ALSO = (
    "Your answer subscribes some people who, according to another column, did not agree or have not "
    "confirmed. Send `ignore_column` for that column here. Before or after, import the file once more by "
    "that column, with `unsubscribed` for the values of people who may not be written to. `columns` has "
    "them."
)
ALSO_PAGE = (
    "Your answer subscribes some people who, according to another column, did not agree or have not "
    "confirmed. Before or after, import the file once more by that column, with these people as "
    "unsubscribed."
)


class OtherColumns:
    """Watches the columns beside the user's column of consent.

    It notes those with a word of refusal in a row that comes in subscribed. `asks` returns a question about
    them.
    """

    def __init__(
        self, table: Table, columns: Sequence[Column], answer: ConsentAnswer, ignored: set[int]
    ) -> None:
        self._table = table
        self._consents = answer.columns
        is_chosen = bool(answer.columns) and not answer.by_file
        others = columns_to_watch(columns, answer, ignored) if is_chosen else []
        self._watched = [column for column in others if header_names.may_deny(column.name)]
        self._found: dict[str, None] = {}

    def see(self, _: int, record: Any) -> None:
        says = [column for column in self._watched if _denies(self._table.cell_of(record, column))]
        if says and brings_in(self._table, self._consents, record):
            self._found |= dict.fromkeys(column.name.strip() for column in says)

    def questions(self) -> list[FileQuestion]:
        names = list(self._found)
        if not names:
            return []
        options = [f"ignore_column={name}" for name in names]
        return [FileQuestion(about=OTHERS, message=ALSO, page=ALSO_PAGE, options=options, columns=names)]


@lru_cache(maxsize=4096)
def _denies(cell: str) -> bool:
    """Whether a cell under a header such as `subscribed` means not subscribed."""
    return suggested_state(cell, SUBSCRIBED) not in (None, SUBSCRIBED)
