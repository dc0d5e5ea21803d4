"""Web addresses and telephone numbers in running text.

A link is anything with a scheme (`https://…`), anything that starts with `www.`, and a bare domain under a
TLD of the public suffix list. A missing space after a full stop (`the end.So I left`), file names
(`readme.md`), code (`foo.bar()`), product names (`ASP.NET`) and e-mail addresses are no links:
`DOTTED_WORDS` and `SENTENCE_WORDS` say which TLDs are doubted, and `_is_domain` what settles the doubt.
"""

import re
import unicodedata

from audience.checks.domains import is_registrable

MAIL = re.compile(r"(?<![^\s@<>()\[\]\"',;:])[^\s@<>()\[\]\"',;:]+@[\w.-]+")
BRACKETED_DOT = re.compile(r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?", re.IGNORECASE)
SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{1,15}://[^\s/]|(?<![\w.@-])www\.\w", re.IGNORECASE)
DOTTED = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+)+")
NAMESPACE = re.compile(r"https?://www\.w3\.org/[\w/.#-]*", re.IGNORECASE)
"""Names of XML languages, not addresses to follow."""

PLAIN_TLDS = frozenset({"com", "net", "org"})
"""Nobody starts a sentence with these: `Example.Com` is a domain."""
DOTTED_WORDS = frozenset({
    "md", "py", "rs", "sh", "pl", "zip", "mov", "ps", "so", "cc", "java", "bar", "name", "map", "data",
    "run", "open", "target", "host", "search", "zone", "page", "next", "abc", "date", "foo", "int", "build",
    "save", "email", "style", "video",
})  # fmt: skip
"""TLDs that are file endings or members in code: two labels without a path are no domain."""
SENTENCE_WORDS = frozenset({
    "am", "as", "at", "be", "by", "do", "id", "in", "is", "it", "me", "my", "no", "so", "to", "us", "call",
    "how", "now", "here", "you", "one", "new", "like", "man", "day", "best", "live", "love", "okay", "red",
    "see",
})  # fmt: skip
"""TLDs that are words: with a space and a small letter behind (`I went home.it was late`), no domain."""
CODE_OBJECTS = frozenset({"self", "this", "os", "log", "node", "obj", "req", "res", "window", "document"})
"""What stands before the dot in code."""
PRODUCTS = frozenset({"asp.net", "ado.net", "vb.net", "ml.net", "paint.net", "socket.io"})

BEFORE = r"(?<![\w.,:/#-])(?<!\d )"
BEHIND = r"(?![\w:/-]|[.,]\d)"
"""What a number does not stand in: a word, another number, an address, a reference such as `#123`."""
SEPARATED = r"(?:[ .\-/()]{0,2}\d)"
PHONES = (
    re.compile(rf"(?<![\w.+])\+[ (]{{0,2}}[1-9]{SEPARATED}{{6,14}}(?!\d)"),
    re.compile(rf"{BEFORE}00[1-9]{SEPARATED}{{8,12}}(?!\d)"),
    re.compile(rf"{BEFORE}(?:1[ .-])?(?:\(\d{{3}}\) ?|\d{{3}}[ .-])\d{{3}}[ .-]\d{{4}}{BEHIND}"),
    re.compile(rf"{BEFORE}\(?0[1-9]\d{{0,4}}\)?(?:[ .\-/]{{1,2}}\d{{2,8}}){{1,4}}{BEHIND}"),
    re.compile(rf"{BEFORE}0[1-9]\d{{8,9}}{BEHIND}"),
    re.compile(
        rf"\b(?:tel|phone|telephone|mobile|cell|call|ring|dial|text|sms|fax|whats?app)\b[^\d\n]{{0,15}}"
        rf"\d{SEPARATED}{{6,14}}(?!\d)",
        re.IGNORECASE,
    ),
)
"""International with + and with 00, North American, national with a leading 0 in groups and in one, and any
digits after a word that announces a number."""
DATE = re.compile(r"\(?(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d|[./-]\d)")
PHONE_DIGITS = range(7, 16)  # E.164: 15 at most


def has_link(text: str) -> bool:
    """Whether `text` holds a web address or a bare domain."""
    text = BRACKETED_DOT.sub(".", unicodedata.normalize("NFKC", text).replace("。", "."))
    text = NAMESPACE.sub(" ", text)
    if SCHEME.search(text):
        return True
    text = MAIL.sub(" ", text)
    return any(_is_domain(found[0], text[found.end() : found.end() + 3]) for found in DOTTED.finditer(text))


def has_phone_number(text: str) -> bool:
    """Whether `text` holds what looks like a telephone number; dates, prices and versions do not."""
    text = unicodedata.normalize("NFKC", text).replace("‐", "-").replace("‑", "-").replace("–", "-")
    return any(_is_phone(found[0]) for pattern in PHONES for found in pattern.finditer(text))


def _is_domain(name: str, after: str) -> bool:
    first, *between, tld = name.split(".")
    if "_" in name or first in CODE_OBJECTS or name.casefold() in PRODUCTS:
        return False
    if [first, *between][-1].isdigit() and tld.casefold() not in PLAIN_TLDS:
        return False
    if not is_registrable(name.casefold()):
        return False
    return after[:1] == "/" or (not _starts_sentence(name, tld) and not _is_word(name, tld.casefold(), after))


def _starts_sentence(name: str, tld: str) -> bool:
    """Whether the last label is written like a sentence's first word: `end.So`, but not `EXAMPLE.COM`."""
    return tld[0].isupper() and not name.isupper() and tld.casefold() not in PLAIN_TLDS


def _is_word(name: str, tld: str, after: str) -> bool:
    if after[:1] in ("(", "[", "="):
        return True
    if name.count(".") > 1:
        return False
    return tld in DOTTED_WORDS or (tld in SENTENCE_WORDS and after[:1].isspace() and after[1:2].islower())


def _is_phone(number: str) -> bool:
    start = re.search(r"[\d(+]", number)
    digits = sum(character.isdigit() for character in number)
    return start is not None and digits in PHONE_DIGITS and not DATE.match(number, start.start())
