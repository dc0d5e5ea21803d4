"""Classifying user agents: bots, HTTP libraries, headless browsers."""

import re
from collections.abc import Iterable
from enum import StrEnum

MAX_LENGTH = 1000  # the rest is ignored


class Visitor(StrEnum):
    """The kinds of programs that a user agent can name. The first kind that matches counts."""

    HEADLESS = "headless"
    HTTP_LIBRARY = "http_library"
    BOT = "bot"
    EMPTY = "empty"
    BROWSER = "browser"


class UserAgents:
    """Finds the kind of program that a user agent names. `rows` are pairs of a regular expression, in lower
    case, and the kind that it shows.
    """

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
        text = user_agent.strip()[:MAX_LENGTH].lower()
        if not text:
            return Visitor.EMPTY
        return next((kind for kind, pattern in self._kinds if pattern.search(text)), Visitor.BROWSER)
