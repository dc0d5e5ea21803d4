"""The question of consent on the page of a file: the answers that were given, and what is still asked."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas.formats.consent_guards import OF_FILES, OTHERWISE, SAYS_SO
from schemas.formats.consent_question import ABOUT, ANSWERS, by_words
from schemas.formats.consent_words import is_unsubscribed
from schemas.formats.presets import is_file_of_unsubscribed
from schemas.values import STATES

COLUMN = "column"  # the answer that a column says so
VALUE, STATE, IGNORED = "value-", "state-", "ignored-"  # prefixes of fields
SHORT = [
    ("subscribed", "Subscribed", ""),
    ("unsubscribed", "Unsubscribed", "out"),
    ("unconfirmed", "Unconfirmed", "yet"),
]


def read(form: Mapping[str, str]) -> dict[str, Any]:
    """The answers about consent in a form, as parameters of the API, without unanswered questions."""
    chosen = form.get("consent", "")
    ignored = [value for name, value in form.items() if name.startswith(IGNORED)]
    answers: dict[str, Any] = {"ignore_column": ignored} if ignored else {}
    if chosen in STATES:
        return answers | {"consent": chosen}
    column = form.get("consent_column", "")
    if chosen != COLUMN or not column:
        return answers
    states: dict[str, list[str]] = {}
    if form.get("told_column") == column:
        for name, value in form.items():
            state = form.get(STATE + name.removeprefix(VALUE), "") if name.startswith(VALUE) else ""
            if state in STATES:
                states.setdefault(state, []).append(value)
    return answers | {"consent_column": column, **states}


def describe_question(name: str, reading: Mapping[str, Any], outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the page that asks about consent. `reading` has earlier answers, `outcome` what was
    found in the file.

    The file's `name` answers nothing: at most it suggests that the people are unsubscribed. A program's
    column, and a suggestion, fill in the form, and nothing counts before it is sent.
    """
    details = outcome.get("found") or {}
    asks = [ask for ask in details.get("asks", ()) if ask["about"] == ABOUT]
    look = outcome.get("look", {})
    answer = look.get("answer") or {}
    suggestion = (details.get("suggestion") if asks else None) or {}
    answered_values = [(value, None, state) for state in STATES for value in reading.get(state, ())]
    open_values = [value for ask in asks for value in _open_values(ask)]
    column = reading.get("consent_column", "")
    by_file = answer.get("columns", ()) if answer.get("by_file") else None
    if asks and by_file and len(by_file) == 1:
        column = _position(look, by_file[0]["name"])
        answered_values = [(value, None, state) for value, state in by_file[0]["states"]]
    return {
        "answers": [(value, *words) for value, words in zip((*STATES, COLUMN), ANSWERS, strict=True)],
        "chosen": reading.get("consent") or (COLUMN if column else ""),
        "column": column,
        "values": [*answered_values, *open_values],
        "open": sum(count for _, count, state in open_values if not state),
        "states": SHORT,
        "columns": details.get("columns", ()) if asks else (),
        "message": " ".join(ask["message"] for ask in asks if ask["columns"]),
        "suggested": any(state for _, _, state in open_values),
        "suggested_column": _position(look, suggestion.get("consent_column", "")),
        "suggested_program": suggestion.get("from", ""),
        "by_file": None if "problem" in outcome else by_file,
        "ignored": reading.get("ignore_column", ()),
        **_contradiction(outcome.get("problem", ""), details),
        "name_asks": _suggests_unsubscribed(name),
    }


def _open_values(ask: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Yields the values that a question asks about, as (value, number of rows, suggested state or "")."""
    values = [(row["value"], row["count"]) for row in ask["values"]]
    suggested = by_words(ask["columns"][0], values) if values else {}
    states = {value: state for state, of_state in suggested.items() for value in of_state}
    yield from ((value, count, states.get(value, "")) for value, count in values)


def _position(look: Mapping[str, Any], name: str) -> str:
    """The position of the column with the header `name`; "" if it is not shown."""
    positions = (str(column["place"]) for column in look.get("columns", ()) if column["name"] == name)
    return next(positions, "") if name else ""


def _suggests_unsubscribed(name: str) -> bool:
    """Whether a file's name suggests unsubscribed people: a reason to ask about consent, not an answer."""
    words = Path(name).stem.replace("_", " ").replace("-", " ").split()
    says_so = any(is_unsubscribed(word) or word.lower().startswith("unsubscribe") for word in words)
    return says_so or is_file_of_unsubscribed(name)


def _contradiction(problem: str, details: Mapping[str, Any]) -> dict[str, str]:
    """The row and column that contradict an answer about all rows; empty without a contradiction."""
    for sentence in (SAYS_SO, OTHERWISE, OF_FILES):
        row, marks, _ = problem.partition(sentence.partition("{row}")[2][:20])
        if marks and details.get("columns"):
            column = details["columns"][0]
            return {"row": row, "contradicts": column["name"].strip() or str(column["place"])}
    return {}
