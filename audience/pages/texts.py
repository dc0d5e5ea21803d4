"""The texts of the pages: a table for each language, `languages/en.json` and so on, with the same keys."""

import json
from functools import cache
from importlib.resources import files

from markupsafe import Markup, escape

from audience import local_dates
from audience.looks.looks import LANGUAGES

DEFAULT = "en"
ADDRESS = "{address}"


class Texts:
    """The texts of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = table(language)

    def __getitem__(self, key: str) -> str:
        return self._texts[key]

    def say(self, key: str, **values: object) -> Markup:
        """The text of a key, with escaped values. An empty `address` becomes *this address*."""
        text = self[key]
        if values.get("address") == "":
            this = self["this_address"]
            values["address"] = this[0].upper() + this[1:] if text.startswith(ADDRESS) else this
        return escape(text).format(**values)

    def time(self, at: int, zone: str) -> str:
        """The time of day of an instant, in milliseconds, in a time zone."""
        return local_dates.time(self.language, at, zone)

    def date(self, at: int, zone: str) -> str:
        return local_dates.date(self.language, at, zone)


@cache
def table(language: str) -> dict[str, str]:
    text = (files("audience.pages") / "languages" / f"{language}.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def supported_language(language: str) -> str:
    """The language among `LANGUAGES` of a tag such as `de-AT` or `DE`; "" without one."""
    tag = language[:2].lower()
    return tag if tag in LANGUAGES and language[2:3] in ("", "-", "_") else ""
