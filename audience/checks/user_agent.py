"""What a user agent gives away: robots, program libraries, browsers without a screen."""

import re
from collections.abc import Iterable
from enum import StrEnum

MOST_CHARACTERS = 1000  # what lies beyond is not looked at


class Visitor(StrEnum):
    """Who sent a user agent; in the order in which the kinds are tried."""

    HEADLESS = "headless"
    HTTP_LIBRARY = "http_library"
    BOT = "bot"
    EMPTY = "empty"
    BROWSER = "browser"


class UserAgents:
    """`rows` are pairs of a regular expression, in lower case, and the kind that it speaks for."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        patterns: dict[str, list[str]] = {}
        for pattern, kind in rows:
            patterns.setdefault(kind, []).append(pattern)
        self._kinds = [
            (kind, re.compile("|".join(patterns[kind]), re.IGNORECASE))
            for kind in Visitor
            if kind in patterns
        ]

    def visitor(self, user_agent: str) -> Visitor:
        text = user_agent.strip()[:MOST_CHARACTERS].lower()
        if not text:
            return Visitor.EMPTY
        return next((kind for kind, pattern in self._kinds if pattern.search(text)), Visitor.BROWSER)
