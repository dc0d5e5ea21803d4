"""Links and telephone numbers in text.

A link is a text with a scheme (`https://…`), a text that begins with `www.`, or a bare domain under a public
suffix.

Not links are a missing space after a full stop (`the end.So I left`), file names (`readme.md`), code
(`foo.bar()`), product names (`ASP.NET`) and e-mail addresses. `dotted_names.csv` of moderation has the
ambiguous TLDs and words, by which `_is_domain` decides.
"""

import re
import unicodedata
from functools import cache

from audience.answers.domains import MAX_LENGTH, is_registrable
from audience.answers.tables import rows

MAIL = re.compile(r"(?<![^\s@<>()\[\]\"',;:])[^\s@<>()\[\]\"',;:]+@[\w.-]+")
BRACKETED_DOT = re.compile(r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?", re.IGNORECASE)
SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{1,15}://[^\s/]|(?<![\w.@-])www\.\w", re.IGNORECASE)
DOTTED = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+)+")
WORD_BEFORE = re.compile(r"(\w+)\s+$")
NAMESPACE = re.compile(r"https?://www\.w3\.org/[\w/.#-]*", re.IGNORECASE)  # XML namespaces are not links

# Not within a word, another number, an address, or a reference such as `#123`.
BEFORE = r"(?<![\w.,:/#-])(?<!\d )"
BEHIND = r"(?![\w:/-]|[.,]\d)"
SEPARATED = r"(?:[ .\-/()]{0,2}\d)"
# International with + and with 00, North American, national with a leading 0 (in groups, and in one), and any
# digits after a word that announces a number.
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
FIRST_DIGIT = re.compile(r"[\d(+]")
DATE = re.compile(r"\(?(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d|[./-]\d)")
PHONE_DIGITS = range(7, 16)  # E.164 allows 15


@cache
def _words() -> dict[str, frozenset[str]]:
    return {row["kind"]: frozenset(row["words"].split()) for row in rows("moderation/dotted_names")}


def has_link(text: str) -> bool:
    """Whether `text` contains a URL or a bare domain."""
    text = BRACKETED_DOT.sub(".", unicodedata.normalize("NFKC", text).replace("。", "."))
    text = NAMESPACE.sub(" ", text)
    if SCHEME.search(text):
        return True
    text = MAIL.sub(" ", text)
    return any(_is_domain(match[0], *_around(text, match)) for match in DOTTED.finditer(text))


def has_phone_number(text: str) -> bool:
    """Whether `text` contains what looks like a telephone number; dates, prices and versions do not."""
    text = unicodedata.normalize("NFKC", text).replace("‐", "-").replace("‑", "-").replace("–", "-")
    return any(_is_phone(match[0]) for pattern in PHONES for match in pattern.finditer(text))


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """The text around a match: the word before it, in lower case, and the three characters after it. The word
    is empty unless only blanks separate it from the match.
    """
    before = WORD_BEFORE.search(text, max(0, match.start() - 30), match.start())
    return before[1].casefold() if before else "", text[match.end() : match.end() + 3]


def _is_domain(name: str, before: str, after: str) -> bool:
    """Whether a dotted name is a bare domain, and so a link. `before` and `after` are from `_around`.

    It must be below a known public suffix, and must not be code, a product or a number. Nor may it be two
    words without a space, unless a `/` follows.
    """
    if len(name) > MAX_LENGTH:
        return False
    first, *between, tld = name.split(".")
    if "_" in name or first in _words()["code_object"] or name.casefold() in _words()["product"]:
        return False
    if [first, *between][-1].isdigit() and tld.casefold() not in _words()["plain_tld"]:
        return False
    if not is_registrable(name.casefold()):
        return False
    if after[:1] == "/":
        return True
    return not _starts_sentence(name, tld) and not _is_word(name, tld.casefold(), before, after)


def _starts_sentence(name: str, tld: str) -> bool:
    """Whether the last label looks like the first word of a sentence: in `end.So`, not in `EXAMPLE.COM`."""
    return tld[0].isupper() and not name.isupper() and tld.casefold() not in _words()["plain_tld"]


def _is_word(name: str, tld: str, before: str, after: str) -> bool:
    """Whether a dotted name is code, a file name, or words without a space, by its TLD and what is around it
    (see `_around`).
    """
    if after[:1] in ("(", "[", "="):
        return True
    known = _words()
    if name.count(".") > 1:
        if tld not in known["sentence_noun"]:
            return False
        *_, before, label, _ = name.casefold().split(".")
        name = f"{label}.{tld}"
    if tld in known["dotted_word"]:
        return True
    if not after[:1].isspace():
        return False
    if tld in known["sentence_word"]:
        return after[1:2].islower()
    leads = not before or before in known["leading_word"]
    amid = name.replace(".", "").isalpha() and name.islower() and not leads
    begins = tld in known["sentence_noun"] and after[1:2].islower()
    return amid and (begins or (tld in known["surname_particle"] and after[1:2].isupper()))


def _is_phone(number: str) -> bool:
    start = FIRST_DIGIT.search(number)
    digits = sum(character.isdigit() for character in number)
    return start is not None and digits in PHONE_DIGITS and not DATE.match(number, start.start())
