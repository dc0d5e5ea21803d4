"""What a text of a megabyte costs a pattern or a function. Each row of a table has the units to repeat, and
how to run them.
"""

import resource
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import marshmallow as ma

from audience.answers.moderation.reasons import MAX_LENGTH as MODERATED
from audience.errors import NotUnderstood, Refused
from schemas.base import FormError

SIZE = 2**20  # characters
CPU_SECONDS, NO_LIMIT = 5, resource.RLIM_INFINITY
PROBE = 2**12  # characters, by which the most expensive inputs of a row are found
REFUSALS = (ValueError, FormError, NotUnderstood, Refused, ma.ValidationError)

PHRASE = "\ufdfa"  # of which NFKC makes 18 characters
MARKS = "\u0300\u0323"  # which NFKC sorts, in quadratic time


@dataclass(frozen=True)
class Worst:
    """A text of `unit`, repeated, between `before` and `behind`."""

    unit: str
    before: str = ""
    behind: str = ""

    def text(self, size: int) -> str:
        room = max(0, size - len(self.before) - len(self.behind))
        return self.before + self.unit * (room // len(self.unit)) + self.behind


@dataclass(frozen=True)
class WorstInputs:
    """The inputs of a row: each a unit, or the arguments of `Worst`. `limit` is the longest text that callers
    pass on, in characters; `run` calls the pattern or function of the row's name.
    """

    units: tuple[str | tuple[str, ...], ...]
    run: Callable[[Any, str], Any]
    limit: int = SIZE

    def milliseconds(self, name: str) -> float:
        """The milliseconds of the most expensive input. Only the two that cost most when short are tried at
        full size.
        """
        subject = resolve_name(name) if ":" in name else None
        self._milliseconds(subject, self.units[0], PROBE)  # loads the tables
        costs = {unit: self._milliseconds(subject, unit, PROBE) for unit in self.units}
        worst = sorted(costs, key=costs.__getitem__)[-2:]
        return max(self._milliseconds(subject, unit, SIZE) for unit in worst)

    def _milliseconds(self, subject: Any, unit: str | tuple[str, ...], size: int) -> float:
        text = Worst(*([unit] if isinstance(unit, str) else unit)).text(min(size, self.limit))
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + CPU_SECONDS, NO_LIMIT))
        start = time.process_time()
        with suppress(*REFUSALS):
            self.run(subject, text)
        return (time.process_time() - start) * 1000


def looked_for(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """The inputs of a pattern, or several, searched for all over a text."""
    return WorstInputs(("a", " ", *units), _find_all, limit)


def _find_all(subject: Any, text: str) -> None:
    for pattern in subject if isinstance(subject, tuple) else (subject,):
        pattern.sub("", text)


def begins(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """The inputs of a pattern that is compared with the beginning of a text."""
    return WorstInputs(("a", *units), lambda pattern, text: pattern.match(text), limit)


def is_whole(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """The inputs of a pattern that is compared with a whole text."""
    return WorstInputs(("a", *units), lambda pattern, text: pattern.fullmatch(text), limit)


def is_any(patterns: Any, text: str) -> None:
    """Compares a whole text with each of the patterns."""
    for pattern in patterns.values():
        pattern.fullmatch(text)


def takes(*units: str | tuple[str, ...], more: Callable[[], Any] = tuple, limit: int = SIZE) -> WorstInputs:
    """The inputs of a function of a text; `more` makes its further arguments."""
    usual = ("a", " ", "@", "1", "é", PHRASE, MARKS, "a.")
    return WorstInputs((*usual, *units), lambda function, text: function(text, *more()), limit)


def door(run: Callable[[str], Any], *units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """The inputs of anything else that reads a user's text: `run` gets the text."""
    usual = ("a", " ", "@", "1", "é", PHRASE, MARKS, "[", '{"":')
    return WorstInputs((*usual, *units), lambda _, text: run(text), limit)


NUMBERS = ("1", " 1", "1-", "+1 ", "0 ", "(", "01 ", "call ")
TAGS = ("<a", "<a ", "<b>x", "</b", "&", "&a", "'on", '"', " a='", "<!--", ("b ", "<a ", ">"), ("9", "&#"))
WORDS = (("*", "a"), ("a*", "", "1"), "a'", ("a'_", "", "1"), "a ", "a. ", "a1_", "a-", "aab", "a*bc ")
LINKS = ("a.", ("a.", "", "com"), "www.", "a@", "a:", "[dot]", "http://", "http://www.w3.org/", "a-", "a_")
CSS = (
    (" ", "url(", "#"), (" ", "url ( '", "#"), "url( '", (" ", "expression"), "\\", "/*", "\\1 ",
    "image-set ", (" ", "<style>url(", "#"), (" ", "<p style='url(", "#'>"),
)  # fmt: skip
ANSWERS = "audience.answers"
VALIDATION, MODERATION = f"{ANSWERS}.validation", f"{ANSWERS}.moderation"
NORMALIZED = 18 * MODERATED  # after NFKC
