"""Logging: JSON lines to standard error, without data from requests."""

import json
import logging
import time
from datetime import UTC, datetime

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


def configure(level: str) -> None:
    """Logs from `level` up for Audience, and from at least `warning` up for libraries."""
    handler = logging.StreamHandler()
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
