"""Text made safe to show.

The promise of `clean`: its answer is safe as HTML text and inside a quoted attribute value, and
`clean(clean(text)) == clean(text)`. No visible character is lost. Scripts, addresses (`href`), CSS and
unquoted attributes are not covered: they need an encoding of their own, which is the caller's.
"""

import re
import threading

from bleach.sanitizer import Cleaner

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters but tab and newline, and surrogates."""
REFERENCE = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
"""A character reference that `clean` leaves as it is."""

_local = threading.local()


def clean(text: str) -> str:
    """`text` without control characters, and with brackets, quotes and bare ampersands escaped.

    Everything is escaped before bleach sees it, because bleach drops comments, doctypes and unfinished
    tags. Character references (`&lt;`) stay as they are, which is what makes a second pass change nothing;
    a text that spells one out is therefore shown as the character that it names.
    """
    text = UNSEEN.sub("", text.replace("\r\n", "\n"))
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    return _cleaner().clean(text).replace('"', "&quot;").replace("'", "&#39;")


def _cleaner() -> Cleaner:
    """This thread's cleaner: building one costs more than a short text, and it may not be shared."""
    if not hasattr(_local, "cleaner"):
        _local.cleaner = Cleaner(tags=frozenset(), attributes={}, protocols=frozenset())
    cleaner: Cleaner = _local.cleaner
    return cleaner
