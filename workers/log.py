"""Log lines: short, to standard error, without what people sent."""

import logging
import time
import traceback


def configure() -> None:
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)


def where(error: BaseException) -> str:
    """The kind of an error and the line that raised it; never its message, which may hold an address."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


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
