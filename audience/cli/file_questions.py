"""The open questions of a file: asked on a terminal, else refused with commands to copy."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import click

from audience.cli.output import is_terminal, printable
from audience.cli.wrong_calls import WholeNumber
from schemas.formats.consent import COMMAND
from schemas.formats.consent_guards import Contradicted
from schemas.formats.consent_question import (
    ABOUT,
    ANSWERS,
    ANSWERS_OF_ONE,
    BY_HEADER,
    WHO,
    WHO_OF_ONE,
    by_words,
)
from schemas.formats.other_columns import OTHERS
from schemas.formats.presets import STATE_COLUMN
from schemas.formats.questions import FileQuestion, QuestionsOpen
from schemas.formats.readings import options
from schemas.values import STATES

UNANSWERED = 2  # exit status
SHOWN_COLUMNS, SHOWN_VALUES = 30, 8
OPEN_WORDS = ("HEADER", "VALUE", "KEY", "[")  # in options that are no answer as they stand
OR = " or "  # between answers, of which a command takes one only
EITHER = f"{OR}--".join(STATES)  # the option of a value that no word tells
BY_COLUMN = (
    "  --consent-column COLUMN: A column says who may be written to. Add --subscribed VALUE, "
    "--unsubscribed VALUE and --unconfirmed VALUE for its values."
)
COLUMNS = "The columns, with their values:"
COMMANDS = "Answer with one of these commands:"
COMMANDS_TO_CHOOSE = (
    "Answer with one of these commands. Where a command says `or`, keep only one of the words beside it:"
)
SUGGESTED = "or, as the values in the file suggest (check each of them):"
Pair = tuple[str, str]  # a parameter and its value
Pairs = Sequence[Pair]


class Unanswered(click.ClickException):
    """There are open questions that could not be asked."""

    exit_code = UNANSWERED


def answers(error: QuestionsOpen, command: Sequence[str], parameters: Pairs, quiet: bool) -> dict[str, Any]:
    """Asks the open questions on a terminal. Returns the answers as parameters.

    Raises `Unanswered` without a terminal, if `quiet`, or if a question has no choices. Its message has
    commands to copy, made of `command`, `parameters` (those already given), and answers.
    """
    if quiet or not is_terminal() or any(map(_is_open, error.questions)):
        raise Unanswered("\n".join(_refusal_lines(error, command, parameters))) from error
    answer: dict[str, Any] = {}
    for question in error.questions:
        if question.about == "consent":
            answer |= _ask_consent(question, error.found)
        else:
            name, _, value = _choose(question.command, question.options).partition("=")
            answer[name] = value
    return answer


def answer_of_one(command: Sequence[str], parameters: Mapping[str, Any], quiet: bool) -> str:
    """Asks on a terminal whether a person may be written to. Returns the state.

    Raises `Unanswered` without a terminal, or if `quiet`, as `answers` does.
    """
    if not quiet and is_terminal():
        return STATES[_choose_answer(WHO_OF_ONE, ANSWERS_OF_ONE)]
    pairs = [*_pairs({name: value for name, value in parameters.items() if value})]
    ready = ([*command, *options([*pairs, ("consent", state)])] for state in STATES)
    raise Unanswered(
        "\n".join([*ask_who_of_one(), "", COMMANDS, *(f"  {shlex.join(words)}" for words in ready)])
    )


def ask_who() -> list[str]:
    """The lines that ask who in a file may be written to, with each answer and its meaning."""
    return [*_lines_of(WHO, ANSWERS), BY_COLUMN]


def ask_who_of_one() -> list[str]:
    """The lines that ask whether a person may be written to."""
    return _lines_of(WHO_OF_ONE, ANSWERS_OF_ONE)


def _lines_of(question: str, answers: Iterable[tuple[str, str]]) -> list[str]:
    lines = zip(STATES, answers, strict=False)
    return [question, *(f"  --consent {state}: {name}. {meaning}" for state, (name, meaning) in lines)]


def _is_open(question: FileQuestion) -> bool:
    """Whether the options of a question do not answer it as they stand, but need a header or a value."""
    words = (word in option for option in question.options for word in OPEN_WORDS)
    return question.about == OTHERS or (question.about != ABOUT and any(words))


def _refusal_lines(error: QuestionsOpen, command: Sequence[str], parameters: Pairs) -> Iterator[str]:
    """Yields the questions, the values of the columns, and commands that answer the questions."""
    for question in error.questions:
        if question.about == ABOUT and not question.columns:
            yield from ask_who()
        else:
            yield question.command
    columns = error.found["columns"]
    if any(column.get("values") or column.get("many") for column in columns):
        yield from ("", COLUMNS)
        yield from map(_column, columns[:SHOWN_COLUMNS])
    ready = list(_answers(error.questions, parameters))
    suggested = options(_suggested_options(error, parameters))
    if any(OR in word for words in (*ready, suggested) for word in words):
        yield from ("", COMMANDS_TO_CHOOSE)
    elif ready or suggested:
        yield from ("", COMMANDS)
    yield from (f"  {shlex.join([*command, *words])}" for words in ready)
    if suggested:
        yield from (SUGGESTED, f"  {shlex.join([*command, *suggested])}")


def _is_by_column(question: FileQuestion) -> bool:
    """Whether a question has only one answer: to take consent from its column."""
    return list(question.options) == [BY_HEADER]


def _answers(questions: Sequence[FileQuestion], parameters: Pairs) -> Iterator[list[str]]:
    """Yields sets of options that each answer all questions.

    The sets differ in where consent comes from: one status for all rows, the column that `parameters` name,
    or a column of commands.
    """
    others = list(_other_answers(questions))
    about = [question for question in questions if question.about == ABOUT]
    values = [pair for ask in about if ask.columns for pair in _suggested_states(ask.columns[0], ask.values)]
    choices: list[Pairs] = [list(dict.fromkeys(values))]
    if about and not values:
        choices = [] if about[0].columns else [[("consent", state)] for state in STATES]
    if not any(map(_is_by_column, questions)):
        yield from (options([*parameters, *choice, *others]) for choice in choices)
    for question in questions:
        if question.about == COMMAND and BY_HEADER in question.options:
            [name] = question.columns
            rest = [other for other in questions if other is not question]
            yield _by_column(parameters, name, _suggested_states(name, question.values), rest)


def _by_column(parameters: Pairs, column: str, states: Pairs, questions: Sequence[FileQuestion]) -> list[str]:
    """Options that answer all questions, with `column` in place of earlier answers about consent.

    `states` has a (consent status, value) pair for each value of the column.
    """
    before = _without_consent(parameters)
    return options([*before, ("consent_column", column), *states, *_other_answers(questions)])


def _without_consent(parameters: Pairs) -> Pairs:
    return [pair for pair in parameters if pair[0] not in ("consent", "consent_column", *STATES)]


def contradiction(error: Contradicted, command: Sequence[str], parameters: Pairs) -> str:
    """The message that a column contradicts an answer.

    It ends in a command that takes consent from the column, unless this has too many values or no `consent`
    was given. For a zip archive of files by state, the command takes it from their names.
    """
    column = error.counted.column
    if column.name == STATE_COLUMN:
        words = options([*_without_consent(parameters), ("from", "mailchimp")])
        return "\n".join([error.command, "", COMMANDS, f"  {shlex.join([*command, *words])}"])
    if error.counted.many or "consent" not in dict(parameters):
        return error.command
    states = _suggested_states(column.name, error.counted.listed)
    words = _by_column(parameters, str(column.position), states, error.questions)
    heading = COMMANDS_TO_CHOOSE if any(OR in word for word in words) else COMMANDS
    values = [COLUMNS, _column(error.counted.as_json), "", heading]
    return "\n".join([error.command, "", *values, f"  {shlex.join([*command, *words])}"])


def _suggested_options(error: QuestionsOpen, parameters: Pairs) -> Pairs:
    """The options that the file's values suggest, with all states for a value without a suggestion.

    Empty if nothing is suggested, or if a question is about the column itself.
    """
    suggestion, questions = error.found["suggestion"], error.questions
    asked = {name for question in questions if question.about == COMMAND for name in question.columns}
    if not suggestion or any(map(_is_by_column, questions)) or suggestion.get("consent_column") in asked:
        return []
    answered_values = {value for state in STATES for value in suggestion.get(state, ())}
    counted = [
        column for column in error.found["columns"] if column["name"] == suggestion.get("consent_column")
    ]
    values = [value["value"] for column in counted for value in column["values"]]
    open_values = [(EITHER, value) for value in values if value not in answered_values]
    return [*parameters, *_pairs(suggestion), *open_values, *_other_answers(questions)]


def _suggested_states(name: str, values: Sequence[tuple[str, int]]) -> Pairs:
    """The (consent status, value) pairs of a column with (value, count) pairs.

    The status is `EITHER` if the wording of the value suggests none.
    """
    states = {value: state for state, states in by_words(name, values).items() for value in states}
    return [(states.get(value, EITHER), value) for value, _ in values]


def _other_answers(questions: Sequence[FileQuestion]) -> Iterator[Pair]:
    """Yields answers to all questions except that of consent; a question's options are joined by `OR`.

    Skips questions about earlier answers: a command that answers everything does not raise them.
    """
    for question in questions:
        parts = [option.split("&") if question.about == "email" else [option] for option in question.options]
        answers: dict[str, list[str]] = {}
        for pair in chain.from_iterable(parts) if question.about not in (ABOUT, "columns") else ():
            name, _, value = pair.partition("=")
            if pair != BY_HEADER:
                answers.setdefault(name, []).append(value)
        for name, values in answers.items():
            yield from ((name, item) for item in (values if question.about == OTHERS else [OR.join(values)]))


def _pairs(parameters: Mapping[str, Any]) -> Iterator[Pair]:
    for name, value in parameters.items():
        yield from ((name, item) for item in ([value] if isinstance(value, str) else value))


def _column(column: Mapping[str, Any]) -> str:
    if column.get("many"):
        return f"  {column['place']} {printable(column['name'])}: many values"
    shown = [
        f"{printable(cell['value']) or 'blank'} ({cell['count']:,})"
        for cell in column["values"][:SHOWN_VALUES]
    ]
    more = ["..."] if len(column["values"]) > SHOWN_VALUES else []
    return f"  {column['place']} {printable(column['name'])}: {', '.join(shown + more)}"


def _ask_consent(question: FileQuestion, details: Mapping[str, Any]) -> dict[str, Any]:
    if question.columns:
        return (
            _ask_values([value for value, _ in question.values]) if question.values else _ask_column(details)
        )
    chosen = _choose_answer(WHO, ANSWERS)
    return {"consent": STATES[chosen]} if chosen < len(STATES) else _ask_column(details)


def _choose_answer(question: str, answers: Sequence[tuple[str, str]]) -> int:
    """Asks a question with these (answer, meaning). Returns the position of the answer."""
    click.echo(question, err=True)
    for number, (name, meaning) in enumerate(answers, 1):
        click.echo(f"  {number}  {name}: {meaning}", err=True)
    number = click.prompt("Answer", type=WholeNumber(1, len(answers)), err=True)
    return int(number) - 1


def _ask_column(details: Mapping[str, Any]) -> dict[str, Any]:
    columns = details["columns"]
    for column in columns[:SHOWN_COLUMNS]:
        click.echo(
            _column(column) if "values" in column else f"  {column['place']} {column['name']}", err=True
        )
    position = click.prompt("Which column", type=WholeNumber(1, len(columns)), err=True)
    values = [cell["value"] for cell in columns[position - 1].get("values", ())]
    return {"consent_column": str(position), **_ask_values(values)}


def _ask_values(values: Sequence[str]) -> dict[str, Any]:
    """Asks what each value means. Returns values by state; the next inspection asks about the others."""
    states: dict[str, list[str]] = {}
    for value in values:
        state = _choose(f"{printable(value) or 'A blank cell'} means", STATES)
        states.setdefault(state, []).append(value)
    return states


def _choose(question: str, choices: Sequence[str]) -> str:
    answer: str = click.prompt(question, type=click.Choice(list(choices)), err=True)
    return answer
