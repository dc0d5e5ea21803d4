"""The labels of a form on an owner's own page, and the wording that is proposed to its owner.

There is a table for each language, `languages/en.json` and so on. In `wording`, `{name}` stands for the
sender's public name.
"""

import json
from functools import cache
from importlib.resources import files


@cache
def table(language: str) -> dict[str, str]:
    text = (files("audience.forms") / "languages" / f"{language}.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found
