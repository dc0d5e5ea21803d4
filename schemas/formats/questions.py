"""What a file leaves open: its questions, all asked together, each answered by a flag (docs/files.md)."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.formats.refusals import MAX_VALUE, FileRefused, shorten
from schemas.values import FieldError

MAX_OPTIONS = 100


@dataclass(frozen=True, kw_only=True)
class FileQuestion:
    """A question that a file leaves open, and how to answer it.

    `message` asks over HTTP, and repeats nothing of the file; `command` asks at the command line, and `page`
    in the console. `options` are the answers as parameters (`dates=dmy`); each is a field of `Reading`.
    `columns` are the headers that it is about, `values` (cell, number of rows) what was found in them;
    `readings` are cells as each answer would read them.
    """

    about: str
    message: str
    command: str
    page: str
    options: Sequence[str]
    columns: Sequence[str] = ()
    values: Sequence[tuple[str, int]] = ()
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def plain(self, message: str) -> dict[str, Any]:
        """As JSON, asked in the words of `message`."""
        return {
            "about": self.about,
            "message": message,
            "options": list(self.options[:MAX_OPTIONS]),
            "columns": [shorten(column) for column in self.columns],
            "values": plain_values(self.values),
            **({"readings": _shorten(self.readings)} if self.readings else {}),
        }


def choice(what: str, name: str, answers: Sequence[str], found: str = "", **parts: Any) -> FileQuestion:
    """A question whose answers are values of one parameter; `found` is told at the command line only."""
    words = [shlex.join([f"--{name.replace('_', '-')}", answer]) for answer in answers]
    return FileQuestion(
        **{"about": name} | parts,
        message=f"{what}: send one of `options`.",
        command=f"{what}{found}: answer with {' or '.join(words) or '--' + name}",
        page=f"{what}: choose below.",
        options=[f"{name}={answer}" for answer in answers],
    )


def plain_values(values: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"value": shorten(value, MAX_VALUE), "count": count} for value, count in values]


def _shorten(readings: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: [shorten(cell) for cell in cells] for name, cells in readings.items()}


class QuestionsOpen(FileRefused):
    """A file with open questions: nothing of it is imported before all are answered.

    `whole` if all of the file was looked through for them.
    """

    def __init__(self, questions: Sequence[FileQuestion], whole: bool = True, **found: Any) -> None:
        columns = list(dict.fromkeys(column for question in questions for column in question.columns))
        super().__init__(
            questions[0].message, "\n".join(question.command for question in questions), columns=columns
        )
        self.problems = [FieldError("file", question.message) for question in questions]
        self.questions = list(questions)
        self.whole = whole
        self.found |= {"asks": [question.plain(question.message) for question in questions], **found}

    @property
    def page_found(self) -> dict[str, Any]:
        return self.found | {"asks": [question.plain(question.page) for question in self.questions]}


def check_answered(questions: Iterable[FileQuestion], whole: bool = True, **found: Any) -> None:
    """Raises `QuestionsOpen` if there are any, with what else was `found` in the file, as JSON."""
    if asked := list(questions):
        raise QuestionsOpen(asked, whole, **found)
