"""Logging to standard error, without data from requests: lines for people on a terminal, else JSON lines.

A line that cannot be written, as on a full disk, is dropped.
"""

import json
import logging
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from audience.errors import where

REPEAT_SECONDS = 60.0
REQUEST = "{method} {route} {status} in {ms} ms, request {request_id}"


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object on one line, with its `fields`, without exceptions' messages."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1]:
            line["error"] = where(record.exc_info[1])
        return json.dumps(line)


class TextFormatter(logging.Formatter):
    """Formats a record as a line for people: the time of day, the message, and its `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, "fields", {})
        if record.getMessage() == "request":
            text = REQUEST.format_map(fields)
        else:
            level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
            text = ", ".join([f"{level}{record.getMessage()}", *map("{0[0]} {0[1]}".format, fields.items())])
        if record.exc_info and record.exc_info[1]:
            text += f" ({where(record.exc_info[1])})"
        return f"{self.formatTime(record, '%H:%M:%S')} {text}"


class LineHandler(logging.StreamHandler[TextIO]):
    """A log handler that writes to standard error."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def say(line: str, stream: TextIO) -> None:
    """Prints a line of plain text."""
    with suppress(OSError):
        print(line, file=stream, flush=True)


def configure(level: str, form: str = "") -> None:
    """Configures logging: from `level` up for Audience, from `warning` up or higher for libraries.

    `form` is `text`, `json`, or empty: text on a terminal, else JSON.
    """
    handler = LineHandler()
    as_text = form == "text" or (not form and handler.stream.isatty())
    handler.setFormatter(TextFormatter() if as_text else JsonFormatter())
    minimum = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(handlers=[handler], level=max(minimum, logging.WARNING))
    for room in ("audience", "workers"):
        logging.getLogger(room).setLevel(minimum)


class RepeatFilter(logging.Filter):
    """Passes each message once per minute, whatever its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self._muted_until: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        message, now = str(record.msg), time.monotonic()
        if now < self._muted_until.get(message, 0.0):
            return False
        self._muted_until[message] = now + REPEAT_SECONDS
        return True
