"""The questions that a file leaves open. All are asked together, and each is answered by a parameter
(docs/files.md).
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from schemas.codes import Code
from schemas.formats.readings import options
from schemas.formats.refusals import MAX_VALUE, NAMED, FileRefused, in_options, quoted, shorten
from schemas.values import FieldError

MAX_OPTIONS = 100


@dataclass(frozen=True, kw_only=True)
class FileQuestion:
    """A question that a file leaves open, and how to answer it.

    `message` asks it without repeating anything of the file. `command` asks it on the command line, with the
    values that were found, and `page` in the console.

    `options` are the possible answers as parameters (`dates=dmy`), each a field of `Reading`. `columns` are
    the headers in question, `values` pairs of a cell and its number of rows. `readings` shows, by answer, how
    cells would then be read.
    """

    about: str
    message: str
    page: str
    options: Sequence[str]
    columns: Sequence[str] = ()
    values: Sequence[tuple[str, int]] = ()
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The message for the command line: with options, and with the values that were found."""
        words = [[pair.partition("=")[::2] for pair in option.split("&")] for option in self.options]
        alternatives = " or ".join(f"`{shlex.join(options(pairs))}`" for pairs in words)
        together = f"`{shlex.join(options(chain.from_iterable(words)))}`"
        text = NAMED.sub("", self.message)
        text = in_options(text).replace("one of `options`", alternatives).replace("`options`", together)
        return f"{text} {self._found_sentence}".rstrip()

    @property
    def _found_sentence(self) -> str:
        readings = [f"{name} {quoted(texts)}" for name, texts in self.readings.items()]
        where = f" in {quoted(self.columns)}" if self.columns and self.values else ""
        found = "; ".join(readings) or shown_values(self.values) or quoted(self.columns)
        return f"Found{where}: {found}." if found else ""

    def as_json(self, message: str) -> dict[str, Any]:
        """The question as JSON, with `message` as its text."""
        return {
            "about": self.about,
            "message": message,
            "options": list(self.options[:MAX_OPTIONS]),
            "columns": [shorten(column) for column in self.columns],
            "values": plain_values(self.values),
            **({"readings": _shorten(self.readings)} if self.readings else {}),
        }


def choice(what: str, name: str, answers: Sequence[str], **parts: Any) -> FileQuestion:
    """A question about `what`, answered by a value of the parameter `name`. `parts` are its further
    fields.
    """
    return FileQuestion(
        **{"about": name} | parts,
        message=f"{what}: send one of `options`.",
        page=f"{what}: choose below.",
        options=[f"{name}={answer}" for answer in answers],
    )


def plain_values(values: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"value": shorten(value, MAX_VALUE), "count": count} for value, count in values]


def shown_values(values: Iterable[tuple[str, int]]) -> str:
    texts = ((f"`{value}`" if value else "blank", count) for value, count in values)
    return ", ".join(f"{value} ({count:,})" for value, count in texts)


def _shorten(readings: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: [shorten(cell) for cell in cells] for name, cells in readings.items()}


class QuestionsOpen(FileRefused):
    """The file has open questions: none of its rows is imported before all are answered.

    `whole` is true if all of the file was looked through.
    """

    code = Code.FILE_QUESTIONS

    def __init__(self, questions: Sequence[FileQuestion], whole: bool = True, **found: Any) -> None:
        columns = list(dict.fromkeys(column for question in questions for column in question.columns))
        super().__init__(questions[0].message, columns=columns)
        self.command = "\n".join(question.command for question in questions)
        self.problems = [FieldError("file", question.message) for question in questions]
        self.questions = list(questions)
        self.whole = whole
        self.found |= {"asks": [question.as_json(question.message) for question in questions], **found}

    @property
    def page_found(self) -> dict[str, Any]:
        return self.found | {"asks": [question.as_json(question.page) for question in self.questions]}


def check_answered(questions: Iterable[FileQuestion], whole: bool = True, **found: Any) -> None:
    """Raises `QuestionsOpen` if any of these questions is open. It tells what was `found` in the file: the
    other keyword arguments, of types that JSON has.

    `whole` is true if all of the file was looked through.
    """
    if asked := list(questions):
        raise QuestionsOpen(asked, whole, **found)
