"""The tags in a text: in the tree that a browser would build, and at every place where one could begin.

Which `<` opens a tag depends on where in a page the text ends up, on the browser's version and on what a
sanitizer makes of it: what is a comment, an attribute's value or an ignored child of `select` here is an
element there. `tags` therefore reads a tag at each `<` whatever stands around it, in time linear in the text;
`tree` is the second opinion of a whole parser (html5lib, scripting on), asked where its cost is bounded.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from html5lib import HTMLParser

from audience.checks.cleaning import UNSEEN

SPACE = r" \t\n\f\r"  # what HTML calls ASCII whitespace
OPENING = re.compile(rf"<([a-zA-Z][^{SPACE}/<>]*)")
CLOSING = re.compile(rf"</([a-zA-Z][^{SPACE}/>]*)")
VALUE = rf"[{SPACE}]*=[{SPACE}]*(?:\"([^\"]*)\"?|'([^']*)'?|([^{SPACE}>]*))"
ATTRIBUTE = re.compile(rf"[{SPACE}/]*(=?[^{SPACE}/>=]{{1,100}}|=)(?:{VALUE})?")
"""A longer name is read as several, none of which matters: from each of its quotes, reading it whole would
cost the square of its length."""
DECLARATION = re.compile(r"<!--|<![a-zA-Z\[]|<\?[a-zA-Z]")
QUOTE = re.compile(r"\"|'(?=[\s/]*on\w+\s*=)|(?<!\w)'|'(?!\w)")
"""A quote that could end an attribute's value; an apostrophe within a word could too, but hardly means to."""
TREE_LIMIT = 200
"""Tags and character references that a text may hold for the tree to be built: html5lib's time grows with the
square of nested formatting tags."""

ELEMENTS = frozenset(
    resources.files("audience.data").joinpath("moderation/elements.txt").read_text("utf-8").split()
)
BOOLEAN_ATTRIBUTES = frozenset({
    "allowfullscreen", "async", "autofocus", "autoplay", "checked", "controls", "default", "defer",
    "disabled", "download", "hidden", "inert", "ismap", "loop", "multiple", "muted", "nomodule",
    "novalidate", "open", "playsinline", "popover", "readonly", "required", "reversed", "selected",
    "contenteditable", "draggable",
})  # fmt: skip

Attribute = tuple[str, str | None]


@dataclass(frozen=True)
class Tag:
    """A start tag: names in lower case, values with their character references resolved, None without one."""

    name: str
    attributes: tuple[Attribute, ...] = ()
    closed: bool = True

    @property
    def ordinary(self) -> bool:
        """Whether it reads as markup that somebody meant: `<b>` does, `a <b and c> d` and `<name>` do not."""
        if not self.closed:
            return False
        if self.name in ELEMENTS:
            return all(value is not None or name in BOOLEAN_ATTRIBUTES for name, value in self.attributes)
        return self.name.replace("-", "").isalnum() and any(value for _, value in self.attributes)


def readings(text: str) -> list[str]:
    """`text` as it stands, unescaped and doubly unescaped, each also without control characters."""
    once = html.unescape(text)
    twice = html.unescape(once)
    return list(dict.fromkeys(form for raw in (text, once, twice) for form in (raw, UNSEEN.sub("", raw))))


def tags(text: str) -> Iterator[Tag]:
    """A tag for each `<` that a letter follows, as if a tag began there."""
    seen: set[int] = set()
    for start in OPENING.finditer(text):
        attributes, end = _attributes(text, start.end(), seen)
        yield Tag(start[1].lower(), attributes, ">" in text[end : end + 1] or text.find(">", end) >= 0)


def breakouts(text: str) -> Iterator[Attribute]:
    """The attributes that `text` would add to the tag around it, were it put raw into a quoted value."""
    seen: set[int] = set()
    for quote in QUOTE.finditer(text):
        yield from _attributes(text, quote.end(), seen)[0]


def tree(text: str) -> Iterator[Tag]:
    """The elements of the tree that a browser with scripting would build; nothing if that could be slow."""
    if "<" not in text or text.count("<") + text.count("&") > TREE_LIMIT:
        return
    for element in HTMLParser(namespaceHTMLElements=False).parse(text, scripting=True).iter():
        if isinstance(element.tag, str):
            attributes = tuple((_local(name), value) for name, value in element.attrib.items())
            yield Tag(_local(element.tag), attributes)


def other_markup(text: str, known: set[str]) -> bool:
    """Whether `text` holds end tags, comments or a doctype; end tags of `known` names do not count."""
    ends = {end[1].lower() for end in CLOSING.finditer(text)}
    return bool(DECLARATION.search(text)) or bool((ends & ELEMENTS) - known)


def _attributes(text: str, position: int, seen: set[int]) -> tuple[tuple[Attribute, ...], int]:
    """The attributes from `position` on, and the position reached: the end of the tag, or one that was `seen`
    (read) before. Each position is read once, so all calls together are linear in the text."""
    found: list[Attribute] = []
    while position not in seen:
        seen.add(position)
        match = ATTRIBUTE.match(text, position)
        if match is None:
            break
        value = next((group for group in match.groups()[1:] if group is not None), None)
        found.append((match[1].lower(), value if value is None else html.unescape(value)))
        position = match.end()
    return tuple(found), position


def _local(name: str) -> str:
    return name.rpartition("}")[2].lower()
