"""Is a short text safe to publish? (spec section 4.4): what is in it, and the text made safe to show."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from audience.checks.cleaning import REFERENCE, UNSEEN, clean
from audience.checks.contacts import has_link, has_phone_number
from audience.checks.markup import breakouts, other_markup, readings, tags, tree
from audience.checks.profanity import has_profanity
from audience.checks.reasons import ModerationReason as Reason
from audience.checks.threats import breaks_out, is_script, is_script_address, style_loads, threatens

MOST_CHARACTERS = 10_000
MOST_ESCAPED = 6 * MOST_CHARACTERS
"""A text of the permitted length, each character written as the longest reference that `clean` writes."""
CHARACTER = re.compile(rf"{REFERENCE.pattern}|.", re.DOTALL)
BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols without ink: Hangul fillers and the empty Braille pattern."""


@dataclass(frozen=True)
class Verdict:
    """`reasons` in the order of `ModerationReason`; `valid` is false as soon as one of them is fatal."""

    valid: bool
    reasons: tuple[Reason, ...]
    safe_original_content: str


def judge(content: str) -> Verdict:
    """The verdict over `content`. No text is refused: one of more than 10,000 characters is `too_long`, and
    its first 10,000 are judged and cleaned. A character reference (`&lt;`) counts as the one character that
    it stands for, so that a cleaned text is as long as the text it came from."""
    text = _beginning(content)
    found = set(_reasons(text))
    if len(text) < len(content):
        found.add(Reason.TOO_LONG)
    reasons = tuple(reason for reason in Reason if reason in found)
    return Verdict(not any(reason.fatal for reason in reasons), reasons, clean(text))


def _beginning(content: str) -> str:
    """The first 10,000 characters, references counted as what they stand for."""
    if len(content) <= MOST_CHARACTERS:
        return content
    count = 0
    for found in CHARACTER.finditer(content[:MOST_ESCAPED]):
        count += len(unescape(found[0])) if len(found[0]) > 1 else 1
        if count > MOST_CHARACTERS:
            return content[: found.start()]
    return content[:MOST_ESCAPED]


def _reasons(text: str) -> Iterator[Reason]:
    for form in readings(text):
        yield from _markup_reasons(form)
    plain = UNSEEN.sub("", unescape(unescape(text)))
    if not any(map(_is_seen, plain)):
        yield Reason.EMPTY
    if has_link(plain):
        yield Reason.LINK
    if has_profanity(plain):
        yield Reason.PROFANITY
    if has_phone_number(plain):
        yield Reason.PHONE_NUMBER


def _markup_reasons(text: str) -> Iterator[Reason]:
    if is_script_address(text) or any(map(breaks_out, breakouts(text))):
        yield Reason.XSS
    if "<" not in text:
        return
    found = list(tags(text))
    threats = {tag.name for tag in found if threatens(tag)}
    if style_loads(text):
        threats.add("style")
    if threats or any(map(threatens, tree(text))):
        yield Reason.XSS
    if any(map(is_script, found)):
        yield Reason.SCRIPT_TAG
    if any(tag.ordinary and tag.name not in threats for tag in found) or other_markup(text, threats):
        yield Reason.HTML


def _is_seen(character: str) -> bool:
    """Whether a character leaves ink: not a space, a control or format character, a mark or a filler."""
    return unicodedata.category(character)[0] not in "ZCM" and character not in BLANKS
