"""The question who in a file may be written to: the values of the columns to choose from, and the answer that
their wording suggests.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from schemas.formats import header_names
from schemas.formats.columns import Column
from schemas.formats.consent import BLANK, COMMAND, DATE, ConsentAnswer, ConsentColumn, comparable, is_date
from schemas.formats.consent_words import is_of_consent, suggested_state
from schemas.formats.meanings import normal
from schemas.formats.presets import Preset
from schemas.formats.questions import FileQuestion, plain_values
from schemas.formats.refusals import MAX_VALUE, shorten
from schemas.formats.tables import Table
from schemas.values import STATES, UNSUBSCRIBED

MAX_VALUES, MAX_COUNTED = 50, 1_000  # different values of a column, and of all columns

WHO = "Who in this file may be written to?"
OPEN = (
    f"{WHO} Send `consent=subscribed` if everyone has agreed, `consent=unsubscribed` if nobody may be "
    f"written to, or `consent=unconfirmed` if everyone still has to confirm. If a column says who, send "
    f"`consent_column=HEADER` with `subscribed=VALUE`, `unsubscribed=VALUE` and `unconfirmed=VALUE` for its "
    f"values."
)
VALUES = (
    "Some values of the consent column have no meaning yet. Send each as `subscribed=VALUE`, "
    "`unsubscribed=VALUE` or `unconfirmed=VALUE`; a blank one is empty, and `date` stands for all dates. "
    "`values` lists them."
)
VALUES_PAGE = "Say what each value of the column means."
NONE = (
    f"has more than {MAX_VALUES} different values, or a value of more than {MAX_VALUE} characters, so it "
    f"is not a consent column"
)
MANY = f"The column {NONE}. Send another `consent_column`, or `consent` for everyone. `columns` names it."
MANY_PAGE = f"The column {NONE}."
ABOUT, STATUS = "consent", "status"
KEPT_OUT = "They unsubscribed, or must not get emails. They are kept on the list, but get no emails."
TO_CONFIRM = "They still have to confirm. They are kept on the list, but get no emails until they confirm."
ANSWERS = (  # of everybody, in the order of `STATES`, and the one that a column says so
    ("Everybody", "Each of them agreed to get your emails, and none of them has unsubscribed."),
    ("Nobody", KEPT_OUT),
    ("Nobody yet", TO_CONFIRM),
    ("A column says who", "The file has a column such as status, consent, opt-in or unsubscribed."),
)
WHO_OF_ONE = "May this person be written to?"
ANSWERS_OF_ONE = (  # in the order of `STATES`
    ("Yes", "They agreed to get your emails, and have not unsubscribed."),
    ("No", KEPT_OUT),
    ("Not yet", TO_CONFIRM),
)
BY_HEADER = "consent_column=HEADER"


@dataclass
class CountedColumn:
    """A column and its different values. The keys of `values` are the forms that `same` makes; each has the
    first spelling and the number of rows.

    `many` is true if the values are too many, or too long, for a column of consent.
    """

    column: Column
    values: dict[str, list[Any]] = field(default_factory=dict)
    many: bool = False
    rows: int = 0  # that have the column

    def see(self, cell: str) -> int:
        """Counts the value of a cell. Returns 1 for a new value, else 0."""
        self.rows += 1
        if self.many or len(cell) > MAX_VALUE:
            self.many = True
            return 0
        value = DATE if is_date(cell) and not cell.strip().isdigit() else comparable(cell)
        if value in self.values:
            self.values[value][1] += 1
            return 0
        self.many = len(self.values) == MAX_VALUES
        self.values[value] = [value if value in (BLANK, DATE) else cell.strip(), 1]
        return 1

    @property
    def listed(self) -> list[tuple[str, int]]:
        """The (value, number of rows) of each value, the most common first."""
        return sorted(((value, count) for value, count in self.values.values()), key=lambda pair: -pair[1])

    @property
    def as_json(self) -> dict[str, Any]:
        values = {"many": True} if self.many else {"values": plain_values(self.listed)}
        return {"place": self.column.position, "name": shorten(self.column.name), **values}


class ConsentLook:
    """Watches the rows of a file, and counts the values whose meaning the user must give.

    Without an answer about consent, these are the values of all columns. If the answer is by columns, they
    are the values without a state there; if it is for everyone, there are none. If a program's file has
    several consent columns, a blank cell beside one with a state needs no answer.
    """

    def __init__(
        self, table: Table, columns: Sequence[Column], answer: ConsentAnswer, preset: Preset | None
    ) -> None:
        self._table = table
        self._preset = preset
        self._answer = answer
        self._all = [CountedColumn(column) for column in columns] if answer.is_open else []
        self._counted = {
            column.column.name if table.is_json else column.column.position: column
            for column in self._all
            if column.column.meaning != "email"
        }
        self._rows = 0
        untold = () if answer.everyone else answer.columns
        self._untold = [(column, CountedColumn(column.column)) for column in untold]
        self._every = [CountedColumn(column.column) for column in untold]
        self._left = MAX_COUNTED

    def see(self, record: Any) -> None:
        """Counts the values of a row that need an answer. A row that is surely refused must not be passed."""
        self._rows += 1
        for position, value in self._table.cells(record) if self._counted else ():
            if counted := self._counted.get(position):
                self._left -= counted.see(self._table.cell(value))
                counted.many = counted.many or (self._left < 0 and len(counted.values) > 1)
        cells = [self._table.cell_of(record, consent.column) for consent, _ in self._untold]
        states = [consent.state(cell) for (consent, _), cell in zip(self._untold, cells, strict=True)]
        is_told = any(states)
        for (consent, counted), every, cell, state in zip(
            self._untold, self._every, cells, states, strict=True
        ):
            every.see(DATE if consent.is_dated(cell) else cell)
            if state is None and not (is_told and comparable(cell) == BLANK and BLANK in consent.states):
                counted.see(cell)

    def questions(self) -> list[FileQuestion]:
        """The open questions about consent. Call it once all rows are seen."""
        self._count_blanks()
        if self._answer.is_open:
            options = [*(f"consent={state}" for state in STATES), BY_HEADER]
            return [FileQuestion(about=ABOUT, message=OPEN, page=WHO, options=options)]
        advice = self._preset.advice if self._preset else ""
        return [
            _ask(consent, every if every.many else counted, advice)
            for (consent, counted), every in zip(self._untold, self._every, strict=True)
            if every.many or counted.values
        ]

    def _count_blanks(self) -> None:
        """Counts rows that lack a column as rows with a blank cell there."""
        for counted in self._counted.values():
            if not counted.many and counted.rows < self._rows:
                counted.values.setdefault(BLANK, [BLANK, 0])[1] += self._rows - counted.rows
                counted.rows = self._rows

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The columns with their values, as JSON; empty if consent is answered."""
        return [counted.as_json for counted in self._all]

    @property
    def suggestion(self) -> dict[str, Any] | None:
        """The parameters that headers and values suggest as the answer; None if they suggest nothing.

        They only fill in the form, and are never used as the answer.
        """
        preset = self._preset
        if preset and self._answer.is_open and preset.consent_of(self._table.names, chosen=True):
            return {"from": preset.name}
        suggestions = filter(None, (_suggest(counted) for counted in sorted(self._all, key=_by_header)))
        return max(suggestions, key=len, default=None)  # the column whose words tell the most states


def _ask(consent: ConsentColumn, counted: CountedColumn, advice: str) -> FileQuestion:
    name = consent.column.name.strip() or str(consent.column.position)
    if counted.many:
        return FileQuestion(
            about=ABOUT, message=MANY, page=MANY_PAGE,
            options=[BY_HEADER, *(f"consent={state}" for state in STATES)], columns=[name],
        )  # fmt: skip
    return FileQuestion(
        about=ABOUT, message=f"{VALUES} {advice}".strip(), page=f"{VALUES_PAGE} {advice}".strip(),
        options=[f"{state}=VALUE" for state in STATES], columns=[name], values=counted.listed,
    )  # fmt: skip


def _by_header(counted: CountedColumn) -> int:
    """The rank of a column among those to suggest, lowest first: about consent, perhaps about it, others."""
    order = header_names.OF_CONSENT
    meaning = header_names.meaning_of(counted.column.name)
    return order.index(meaning) if meaning in order else len(order)


def _suggest(counted: CountedColumn) -> dict[str, Any] | None:
    states = {} if counted.many else by_words(counted.column.name, counted.listed)
    return {"consent_column": counted.column.name, **states} if states else None


def by_words(name: str, values: Iterable[tuple[str, int]]) -> dict[str, list[str]]:
    """The values whose exact wording suggests a state, by that state. `values` are (value, number of rows).

    `name` is the header. Returns nothing for a column that may be about an account, such as `status`: its
    words suggest unsubscribing, and none of them is about consent.
    """
    header = header_names.meaning_of(name) or (STATUS if normal(name) == COMMAND else "")
    values_by_state: dict[str, list[str]] = {}
    for value, _ in values:
        if state := suggested_state(value, header):
            values_by_state.setdefault(state, []).append(value)
    is_account = header == STATUS and not any(
        map(is_of_consent, chain.from_iterable(values_by_state.values()))
    )
    return {} if is_account and UNSUBSCRIBED in values_by_state else values_by_state
