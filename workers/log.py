"""Logging: JSON lines to standard error, without data from requests.

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


class JsonFormatter(logging.Formatter):
    """One JSON object per line. A record's `fields` become keys; the message of an exception is left out."""

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


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes to standard error."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def say(line: str, stream: TextIO) -> None:
    """Prints a line of plain text."""
    with suppress(OSError):
        print(line, file=stream, flush=True)


def configure(level: str) -> None:
    """Logs from `level` up for Audience, and from at least `warning` up for libraries."""
    handler = LineHandler()
    handler.setFormatter(JsonFormatter())
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
