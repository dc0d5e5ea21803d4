"""Moderating short texts: whether one is safe to publish, and the text made safe to display."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from audience.answers.contacts import has_link, has_phone_number
from audience.answers.moderation.cleaning import CONTROL, REFERENCE, clean, unescape
from audience.answers.moderation.markup import breakouts, other_markup, readings, tags
from audience.answers.moderation.phrases import find_phrases
from audience.answers.moderation.profanity import WordList, bundled, find_words
from audience.answers.moderation.reasons import MAX_LENGTH
from audience.answers.moderation.reasons import ModerationReason as Reason
from audience.answers.moderation.threats import (
    breaks_out,
    is_script,
    is_script_address,
    leads_away,
    links_to_script,
    style_loads,
    threatens,
)

MAX_ESCAPED_LENGTH = 6 * MAX_LENGTH  # each character as the longest reference that `clean` produces
CHARACTER = re.compile(rf"{REFERENCE.pattern}|.", re.DOTALL)
FOUND = {  # by kind of word or phrase
    "insult": Reason.PROFANITY,
    "adult": Reason.ADULT,
    "threat": Reason.THREAT,
    "hate": Reason.HATE,
}
BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # Hangul fillers, the empty Braille pattern


@dataclass(frozen=True)
class ModerationResult:
    """The result of moderating a text. `valid` is false if one of the `reasons` is fatal; these are in the
    order of `ModerationReason`.

    `safe_original_content` is the text, safe to display. `details` has, by reason, the words of the text or
    of the lists that gave the reason.
    """

    valid: bool
    reasons: tuple[Reason, ...]
    safe_original_content: str
    details: dict[str, str]


def moderate(content: str, words: WordList | None = None) -> ModerationResult:
    """Moderates any text. `words` takes the place of the bundled list of words.

    Of a text with more than `MAX_LENGTH` characters, only the beginning is moderated and cleaned, and the
    result has the reason `too_long`. A character reference (`&lt;`) counts as one character, so that cleaning
    does not change the length.
    """
    text = _beginning(content)
    plain = CONTROL.sub("", unescape(unescape(text)))
    hits = {
        FOUND[kind]: hit
        for kind, hit in (find_phrases(plain) | find_words(plain, words or bundled())).items()
    }
    detected = {*_reasons(text, plain), *hits}
    if len(text) < len(content):
        detected.add(Reason.TOO_LONG)
    reasons = tuple(reason for reason in Reason if reason in detected)
    details = {str(reason): hits[reason] for reason in reasons if reason in hits}
    return ModerationResult(not any(reason.fatal for reason in reasons), reasons, clean(text), details)


def _beginning(content: str) -> str:
    """The first `MAX_LENGTH` characters of a text; a character reference counts as one."""
    if len(content) <= MAX_LENGTH:
        return content
    count = 0
    for match in CHARACTER.finditer(content[:MAX_ESCAPED_LENGTH]):
        count += len(unescape(match[0])) if len(match[0]) > 1 else 1
        if count > MAX_LENGTH:
            return content[: match.start()]
    return content[:MAX_ESCAPED_LENGTH]


def _reasons(text: str, plain: str) -> Iterator[Reason]:
    for form in readings(text):
        yield from _markup_reasons(form)
    if not any(map(_is_visible, plain)):
        yield Reason.EMPTY
    if has_link(plain):
        yield Reason.LINK
    if has_phone_number(plain):
        yield Reason.PHONE_NUMBER


def _markup_reasons(text: str) -> Iterator[Reason]:
    """The reasons that the markup in a text gives: scripts, links without a scheme, and HTML. The same reason
    may come twice.
    """
    if is_script_address(text) or links_to_script(text) or any(map(breaks_out, breakouts(text))):
        yield Reason.XSS
    if "<" not in text:
        return
    start_tags = list(tags(text))
    threats = {tag.name for tag in start_tags if threatens(tag)}
    if style_loads(text):
        threats.add("style")
    if threats:
        yield Reason.XSS
    if any(map(leads_away, start_tags)):
        yield Reason.LINK
    if any(map(is_script, start_tags)):
        yield Reason.SCRIPT_TAG
    if any(tag.ordinary and tag.name not in threats for tag in start_tags) or other_markup(text, threats):
        yield Reason.HTML


def _is_visible(character: str) -> bool:
    """Whether a character is visible: not a space, a control or format character, a mark or a filler."""
    return unicodedata.category(character)[0] not in "ZCM" and character not in BLANKS
