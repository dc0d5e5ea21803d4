"""The tags in a text, at every `<`.

Which `<` opens a tag depends on where a page includes the text, on the browser's version and on sanitizers.
What is a comment, an attribute's value or an ignored child of `select` in one place is an element in another.
`tags` therefore parses a tag at each `<` regardless of context, in time linear in the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from audience.answers.moderation.cleaning import CONTROL, unescape
from audience.answers.tables import lines

SPACE = r" \t\n\f\r"  # ASCII whitespace in HTML
OPENING = re.compile(rf"<([a-zA-Z][^{SPACE}/<>]*)")
CLOSING = re.compile(rf"</([a-zA-Z][^{SPACE}/>]*)")
VALUE = rf"[{SPACE}]*=[{SPACE}]*(?:\"([^\"]*)\"?|'([^']*)'?|([^{SPACE}>]*))"
# A longer name is read as several, none of which matters: reading it whole from each of its quotes would take
# quadratic time.
ATTRIBUTE = re.compile(rf"[{SPACE}/]*(=?[^{SPACE}/>=]{{1,100}}|=)(?:{VALUE})?")
DECLARATION = re.compile(r"<!--|<![a-zA-Z\[]|<\?[a-zA-Z]")
# A quote that could end an attribute's value; an apostrophe within a word is hardly one.
QUOTE = re.compile(r"\"|'(?=[\s/]*on\w+\s*=)|(?<!\w)'|'(?!\w)")

ELEMENTS = frozenset(" ".join(lines("moderation/elements")).split())
BOOLEAN_ATTRIBUTES = frozenset({
    "allowfullscreen", "async", "autofocus", "autoplay", "checked", "controls", "default", "defer",
    "disabled", "download", "hidden", "inert", "ismap", "loop", "multiple", "muted", "nomodule",
    "novalidate", "open", "playsinline", "popover", "readonly", "required", "reversed", "selected",
    "contenteditable", "draggable",
})  # fmt: skip

Attribute = tuple[str, str | None]


@dataclass(frozen=True)
class MarkupTag:
    """A start tag. Names are in lower case. Values are unescaped; an attribute without a value has None.
    `closed` tells whether a `>` follows.
    """

    name: str
    attributes: tuple[Attribute, ...] = ()
    closed: bool = True

    @property
    def ordinary(self) -> bool:
        """Whether the tag looks like markup that its writer meant: `<b>` does, `a <b and c> d` and `<name>`
        do not.
        """
        if not self.closed:
            return False
        if self.name in ELEMENTS:
            return all(value is not None or name in BOOLEAN_ATTRIBUTES for name, value in self.attributes)
        return self.name.replace("-", "").isalnum() and any(value for _, value in self.attributes)


def readings(text: str) -> list[str]:
    """The texts that a browser may see: `text` as it is, unescaped and unescaped twice, each also without
    control characters.
    """
    once = unescape(text)
    twice = unescape(once)
    return list(dict.fromkeys(form for raw in (text, once, twice) for form in (raw, CONTROL.sub("", raw))))


def tags(text: str) -> Iterator[MarkupTag]:
    """A tag for each `<` before a letter, regardless of context."""
    seen: set[int] = set()
    for start in OPENING.finditer(text):
        attributes, end = _attributes(text, start.end(), seen)
        yield MarkupTag(start[1].lower(), attributes, ">" in text[end : end + 1] or text.find(">", end) >= 0)


def breakouts(text: str) -> Iterator[Attribute]:
    """The attributes that `text` would add to a tag if it were put unescaped into the quoted value of an
    attribute.
    """
    seen: set[int] = set()
    for quote in QUOTE.finditer(text):
        yield from _attributes(text, quote.end(), seen)[0]


def other_markup(text: str, known: set[str]) -> bool:
    """Whether `text` contains a comment, a doctype, or the end tag of an element whose name is not in
    `known`.
    """
    ends = {end[1].lower() for end in CLOSING.finditer(text)}
    return bool(DECLARATION.search(text)) or bool((ends & ELEMENTS) - known)


def _attributes(text: str, position: int, seen: set[int]) -> tuple[tuple[Attribute, ...], int]:
    """The attributes from `position` on, and the position after them.

    Adds the position of each attribute to `seen`, and stops at one that is there: so all calls together take
    linear time.
    """
    attributes: list[Attribute] = []
    while position not in seen:
        seen.add(position)
        match = ATTRIBUTE.match(text, position)
        if match is None:
            break
        value = next((group for group in match.groups()[1:] if group is not None), None)
        attributes.append((match[1].lower(), value if value is None else unescape(value)))
        position = match.end()
    return tuple(attributes), position
