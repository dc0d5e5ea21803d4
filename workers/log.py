"""Log lines: JSON, to standard error, without what people sent."""

import json
import logging
import time
from datetime import UTC, datetime

from audience.errors import where


class Line(logging.Formatter):
    """One JSON object a line; `fields` of the record are keys of it. An exception's message stays out."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1]:
            told["error"] = where(record.exc_info[1])
        return json.dumps(told)


def configure(level: str) -> None:
    """Logs ours from `level` on, and from warnings on what others say."""
    handler = logging.StreamHandler()
    handler.setFormatter(Line())
    least = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(handlers=[handler], level=max(least, logging.WARNING))
    for room in ("audience", "workers"):
        logging.getLogger(room).setLevel(least)


class OnceAMinute(logging.Filter):
    """Lets each message through once a minute, whatever its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        message, now = str(record.msg), time.monotonic()
        if now < self._next.get(message, 0.0):
            return False
        self._next[message] = now + 60
        return True
