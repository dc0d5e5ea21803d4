"""Making text safe to display.

The result of `clean` is safe as HTML text and in a quoted attribute value, and `clean(clean(text)) ==
clean(text)`. No visible character is lost. It is not safe in scripts, URLs (`href`), CSS and unquoted
attributes: the caller must encode for these.
"""

import html
import re
import threading

from bleach.sanitizer import Cleaner

# Control characters except tab and newline, those that turn the direction of what follows, and surrogates.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A reference to a character that turns the direction.
TURN = re.compile(r"&(#(?:0*+(?:823[4-8]|829[4-7])|[xX]0*+(?:202[a-eA-E]|206[6-9]));)")
# A character reference, which `clean` does not escape.
REFERENCE = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")

# A decimal character reference, maybe with more digits than Python reads as a number.
LONG_REFERENCE = re.compile(r"&#([0-9]{9,})")

_local = threading.local()


def clean(text: str) -> str:
    """Returns `text` without control characters and direction marks, and with brackets, quotes and bare
    ampersands escaped.

    Character references (`&lt;`), except those of direction marks, are not escaped, so that a second pass
    changes nothing. A text that contains one is therefore displayed with its character.

    Brackets are escaped before bleach is called, which would drop comments, doctypes and unfinished tags. A
    text without ampersands does not need bleach.
    """
    text = CONTROL.sub("", text.replace("\r\n", "\n"))
    text = TURN.sub(r"&amp;\1", text)
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    text = _cleaner().clean(text) if "&" in text else text
    return text.replace('"', "&quot;").replace("'", "&#39;")


def unescape(text: str) -> str:
    """`text` with character references resolved."""
    return html.unescape(LONG_REFERENCE.sub(_shortened, text))


def _shortened(reference: re.Match[str]) -> str:
    """The same decimal character reference in at most 8 digits, without leading zeros. A longer number means
    no character, and neither do its first 8 digits.
    """
    return f"&#{reference[1].lstrip('0')[:8] or 0}"


def _cleaner() -> Cleaner:
    """The cleaner of this thread. It is slow to make, and must not be shared by threads."""
    if not hasattr(_local, "cleaner"):
        _local.cleaner = Cleaner(tags=frozenset(), attributes={}, protocols=frozenset())
    cleaner: Cleaner = _local.cleaner
    return cleaner
