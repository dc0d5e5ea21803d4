"""Refusing a file as a whole: one sentence for the API, the console and the command line, and what was found
in the file.
"""

import re
from collections.abc import Sequence

from schemas.base import FormError
from schemas.codes import Code
from schemas.formats.readings import options
from schemas.values import FieldError

MAX_FOUND, MAX_FOUND_LENGTH = 100, 100  # names or values in an answer, and characters of each
MAX_VALUE = 500  # characters of a value that is asked about: it is sent back whole
MAX_LISTED = 30  # in a sentence
PARAMETER = re.compile(
    r"`(map\[[^\]`]*\]|map|answers|consent|consent_column|header|header_row|ignore_column|subscribed"
    r"|unsubscribed|unconfirmed)(?:=([^`]*))?`"
)
NAMED = re.compile(r" `(columns|values)` (?:lists them|names it)\.")


class FileRefused(FormError):
    """A file is refused as a whole. `message` repeats nothing of the file; `found` has such values by key.

    `command` is the message for the command line, and may repeat them.
    """

    code = Code.FILE_REFUSED

    def __init__(self, message: str, **found: Sequence[str]) -> None:
        listed = {name: [shorten(value) for value in values[:MAX_FOUND]] for name, values in found.items()}
        super().__init__(
            [FieldError("file", message)], {name: values for name, values in listed.items() if values}
        )
        self.command = NAMED.sub(lambda key: f" Found: {quoted(found.get(key[1], ()))}.", in_options(message))


def in_options(message: str) -> str:
    """The sentence for the command line, with options in place of parameters."""
    text = message.replace("Send ", "Give ").replace(" send ", " give ")
    return PARAMETER.sub(lambda option: f"`{_option(option[1], option[2])}`", text)


def _option(name: str, value: str | None) -> str:
    return " ".join(options([(name, value)])) if value else f"--{name.replace('_', '-')}"


def shorten(text: str, length: int = MAX_FOUND_LENGTH) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def quoted(names: Sequence[str]) -> str:
    """The names, quoted for a sentence of the command line."""
    return listed([f"`{shorten(name)}`" for name in names])


def listed(names: Sequence[str]) -> str:
    """The first `MAX_LISTED` names, and how many more there are."""
    more = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {more:,} more" if more > 0 else "")
