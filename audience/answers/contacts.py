"""Links and telephone numbers in text.

A link is anything with a scheme (`https://…`) or that starts with `www.`, and a bare domain under a public
suffix. A missing space after a full stop (`the end.So I left`), file names (`readme.md`), code (`foo.bar()`),
product names (`ASP.NET`) and e-mail addresses are not links: `DOTTED_WORDS` and `SENTENCE_WORDS` are the
ambiguous TLDs, and `_is_domain` decides.
"""

import re
import unicodedata

from audience.answers.domains import MAX_LENGTH, is_registrable

MAIL = re.compile(r"(?<![^\s@<>()\[\]\"',;:])[^\s@<>()\[\]\"',;:]+@[\w.-]+")
BRACKETED_DOT = re.compile(r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?", re.IGNORECASE)
SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{1,15}://[^\s/]|(?<![\w.@-])www\.\w", re.IGNORECASE)
DOTTED = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+)+")
WORD_BEFORE = re.compile(r"(\w+)\s+$")
NAMESPACE = re.compile(r"https?://www\.w3\.org/[\w/.#-]*", re.IGNORECASE)  # XML namespaces are not links

PLAIN_TLDS = frozenset({"com", "net", "org"})  # they start no sentence: `Example.Com` is a domain
# TLDs that are also file extensions or members in code: two labels without a path are not a domain.
DOTTED_WORDS = frozenset({
    "md", "py", "rs", "sh", "pl", "zip", "mov", "ps", "so", "cc", "java", "bar", "name", "map", "data",
    "run", "open", "target", "host", "search", "zone", "page", "next", "abc", "date", "foo", "int", "build",
    "save", "email", "style", "video",
})  # fmt: skip
# TLDs that are also words: within a sentence (`I went home.it was late`), not a domain.
SENTENCE_WORDS = frozenset({
    "am", "as", "at", "be", "by", "do", "id", "in", "is", "it", "me", "my", "no", "so", "to", "us", "call",
    "how", "now", "here", "you", "one", "new", "like", "man", "day", "best", "live", "love", "okay", "red",
    "see",
})  # fmt: skip
# The same, but for after a word that leads to a domain (`visit spam.work now`), hyphens and digits.
SENTENCE_NOUNS = frozenset({
    "today", "work", "works", "life", "family", "help", "news", "food", "music", "school", "kids", "dog",
    "men",
})  # fmt: skip
SURNAME_PARTICLES = frozenset({"de", "la"})  # before a capital: `lang.de Vries`
LEADING_WORDS = frozenset({
    "visit", "see", "at", "on", "from", "to", "via", "by", "check", "try", "join", "open", "our", "my",
    "your", "website", "site", "domain", "called", "named", "use", "buy", "link",
    "auf", "bei", "von", "unter", "zu", "besuche", "besucht", "heißt", "über", "jetzt", "neu", "infos",
    "sur", "chez", "visitez", "voir", "visita", "su", "op", "naar", "bij",
})  # fmt: skip
# First labels that suggest code.
CODE_OBJECTS = frozenset({"self", "this", "os", "log", "node", "obj", "req", "res", "window", "document"})
PRODUCTS = frozenset({"asp.net", "ado.net", "vb.net", "ml.net", "paint.net", "socket.io"})

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
    """The word before, in lower case, if only blanks are between; and three characters after."""
    before = WORD_BEFORE.search(text, max(0, match.start() - 30), match.start())
    return before[1].casefold() if before else "", text[match.end() : match.end() + 3]


def _is_domain(name: str, before: str, after: str) -> bool:
    if len(name) > MAX_LENGTH:
        return False
    first, *between, tld = name.split(".")
    if "_" in name or first in CODE_OBJECTS or name.casefold() in PRODUCTS:
        return False
    if [first, *between][-1].isdigit() and tld.casefold() not in PLAIN_TLDS:
        return False
    if not is_registrable(name.casefold()):
        return False
    if after[:1] == "/":
        return True
    return not _starts_sentence(name, tld) and not _is_word(name, tld.casefold(), before, after)


def _starts_sentence(name: str, tld: str) -> bool:
    """Whether the last label looks like the first word of a sentence: in `end.So`, not in `EXAMPLE.COM`."""
    return tld[0].isupper() and not name.isupper() and tld.casefold() not in PLAIN_TLDS


def _is_word(name: str, tld: str, before: str, after: str) -> bool:
    if after[:1] in ("(", "[", "="):
        return True
    if name.count(".") > 1:
        return False
    if tld in DOTTED_WORDS:
        return True
    if not after[:1].isspace():
        return False
    if tld in SENTENCE_WORDS:
        return after[1:2].islower()
    amid = name.replace(".", "").isalpha() and name.islower() and before and before not in LEADING_WORDS
    begins = tld in SENTENCE_NOUNS and after[1:2].islower()
    return bool(amid) and (begins or (tld in SURNAME_PARTICLES and after[1:2].isupper()))


def _is_phone(number: str) -> bool:
    start = FIRST_DIGIT.search(number)
    digits = sum(character.isdigit() for character in number)
    return start is not None and digits in PHONE_DIGITS and not DATE.match(number, start.start())
