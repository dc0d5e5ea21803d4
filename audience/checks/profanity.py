"""Words of the bundled list in a text: whole words only, plain or in one of the usual disguises.

Seen through: capitals, accents, full-width and look-alike letters (`shіt`), digits and signs (`sh1t`, `a$$`),
masks (`f*ck`, `sh-t`), punctuation inside (`fu.ck`), letters apart (`s h i t`), letters repeated (`shiiit`).
Not looked for: words inside other words (Scunthorpe, classic), but `fuck`, which no other word contains.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import groupby

from audience.checks.folding import fold

LEET = {"0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a", "$": "s", "+": "t"}
LEET_AS_I = str.maketrans(LEET | {"1": "i", "!": "i", "|": "i"})
LEET_AS_L = str.maketrans(LEET | {"1": "l", "!": "l", "|": "l"})
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһкмтвнзαεοιυκρτχνβγ", "aeopcyxijsdhkmtbhzaeoiukptxvby")
"""Cyrillic and Greek letters, read as Latin in words that have Latin letters too."""
SELDOM_DOUBLED = frozenset("aiuhjkqvwxy")

WORD = re.compile(r"[^\W_]+")
LEET_WORD = re.compile(r"[@$!|+\w]+")
MASKED = re.compile(r"(?<![\w*#])[a-z]+[*#]+[a-z*#]*[a-z](?![\w*#])|(?<![\w*#])f\*{3,}")
HYPHENATED = re.compile(r"(?<![\w.-])[^\W\d_]+(?:[-_.'~^][^\W\d_]+)+(?![\w-])")
APART = re.compile(r"(?<![^\W_])[a-z0-9@$!](?:(?:[ .*_~-]|[.,] )[a-z0-9@$!]){3,}(?![^\W_])")
GIVEN_NAME = re.compile(r"\bDick(?= [A-Z][a-z])")
VOWELS = frozenset("aeiou")
LONGEST_PHRASE = 6
LENGTHS = range(4, 14)
"""Of the words looked for in letters that stand apart."""


def has_profanity(text: str) -> bool:
    """Whether `text` holds a word or phrase of the list, plain or disguised."""
    text = _fold(GIVEN_NAME.sub(" ", unicodedata.normalize("NFKC", text)))
    if "🖕" in text:
        return True
    words = [_read_latin(word) for word in WORD.findall(text)]
    return _has_phrase(words) or any(map(_is_profane, _disguised(text)))


def _fold(text: str) -> str:
    """Folded, and without characters that cannot be seen."""
    return "".join(char for char in fold(text) if unicodedata.category(char) not in ("Mn", "Cf"))


def _read_latin(word: str) -> str:
    return word if word.isascii() or not re.search("[a-z]", word) else word.translate(LOOK_ALIKES)


def _has_phrase(words: list[str]) -> bool:
    """Whether a word, or words that follow each other, are on the list and not in an allowed phrase."""
    position = 0
    while position < len(words):
        run = [" ".join(words[position : position + length]) for length in range(LONGEST_PHRASE, 0, -1)]
        allowed = next((phrase for phrase in run if phrase in _table("allowed_phrases")), None)
        if allowed:
            position += allowed.count(" ") + 1
            continue
        if any(phrase in _phrases() for phrase in run) or _is_profane(words[position]):
            return True
        position += 1
    return False


def _is_profane(word: str) -> bool:
    return word in _words() or "fuck" in word or _is_drawn_out(word)


def _disguised(text: str) -> Iterator[str]:
    """What the disguised words of a folded text may stand for."""
    for found in LEET_WORD.findall(text):
        yield from _without_leet(found.strip("!|+"))
    for found in MASKED.findall(text):
        yield from _unmasked(found)
    for found in HYPHENATED.findall(text):
        yield from _joined(found)
    for found in APART.findall(text):
        letters = re.sub(r"[ .,*_~-]", "", found).translate(LEET_AS_I)
        yield from (letters[:length] for length in LENGTHS)
        yield from (letters[-length:] for length in LENGTHS)


def _without_leet(found: str) -> Iterator[str]:
    """Readings of `sh1t`. Three letters with a digit (`A55`) are more often a road or a model."""
    if found.isalpha() or not re.search("[a-z]", found) or (len(found) < 4 and re.search(r"\d", found)):
        return
    for part in found.split("_"):
        yield _read_latin(part.translate(LEET_AS_I))
        yield _read_latin(part.translate(LEET_AS_L))


def _unmasked(found: str) -> Iterator[str]:
    """The words that `f*ck` may stand for."""
    if found.startswith("f***"):
        yield "fuck"
        return
    letters = [char for char in found if char not in "*#"]
    if len(found) < 4 or len(letters) < 2:
        return
    pattern = re.compile(re.sub(r"[*#]", "[a-z]", found))
    yield from (word for word in _words() if len(word) == len(found) and pattern.fullmatch(word))


def _joined(found: str) -> Iterator[str]:
    """`fu.ck` as one word of four letters or more, and `sh-t` with the vowel that it leaves out."""
    parts = re.split(r"[-_.'~^]", found)
    joined = "".join(parts)
    if len(joined) >= 4:
        yield joined
    if len(parts) == 2 and len(joined) == 3 and not set(joined) & VOWELS:
        yield from (vowel.join(parts) for vowel in VOWELS if vowel.join(parts) in _words())


def _is_drawn_out(word: str) -> bool:
    """Whether the word is one of the list with letters repeated: three times or more, or letters that are
    seldom doubled."""
    runs = _runs(word)
    if not any(count > 2 or (count > 1 and letter in SELDOM_DOUBLED) for letter, count in runs):
        return False
    known = _drawn_out().get("".join(letter for letter, _ in runs), [])
    return any(
        all(count >= least for (_, count), (_, least) in zip(runs, real, strict=True)) for real in known
    )


def _runs(word: str) -> list[tuple[str, int]]:
    return [(letter, len(list(group))) for letter, group in groupby(word)]


@cache
def _table(name: str) -> frozenset[str]:
    file = resources.files("audience.data").joinpath(f"moderation/{name}.txt")
    return frozenset(file.read_text("utf-8").splitlines())


@cache
def _phrases() -> frozenset[str]:
    """The list in the form that texts are compared in: folded, words separated by one space."""
    entries = _table("naughty_words_en") - _table("ordinary_words")
    split = [WORD.findall(_fold(entry)) for entry in entries]
    inflected = [
        [word + ending] for word, *endings in map(str.split, _table("inflections")) for ending in endings
    ]
    return frozenset(" ".join(words) for words in split + inflected if any(len(word) > 1 for word in words))


@cache
def _words() -> frozenset[str]:
    return frozenset(phrase for phrase in _phrases() if " " not in phrase)


@cache
def _drawn_out() -> dict[str, list[list[tuple[str, int]]]]:
    known: dict[str, list[list[tuple[str, int]]]] = {}
    for word in _words():
        runs = _runs(word)
        known.setdefault("".join(letter for letter, _ in runs), []).append(runs)
    return known
