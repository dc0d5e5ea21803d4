"""Finding words of the bundled list in a text: whole words, plain or disguised.

Disguises: capitals, accents, full-width and look-alike letters (`shіt`), digits and signs (`sh1t`, `a$$`),
masks (`f*ck`, `sh-t`), punctuation inside (`fu.ck`), spaced letters (`s h i t`), repeated letters (`shiiit`).
Not found: words inside other words (Scunthorpe, classic), except `fuck`, which no other word contains.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import groupby
from string import ascii_lowercase

from audience.answers.folding import fold
from audience.answers.moderation.languages import rows, without_foreign_words
from audience.answers.moderation.people import without_names

LEET = {"0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a", "$": "s", "+": "t"}
LEET_AS_I = str.maketrans(LEET | {"1": "i", "!": "i", "|": "i"})
LEET_AS_L = str.maketrans(LEET | {"1": "l", "!": "l", "|": "l"})
# Cyrillic and Greek letters, read as Latin in words that also have Latin letters.
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһкмтвнзαεοιυκρτχνβγ", "aeopcyxijsdhkmtbhzaeoiukptxvby")
SELDOM_DOUBLED = frozenset("aiuhjkqvwxy")

WORD = re.compile(r"[^\W_]+")
LEET_WORD = re.compile(r"[@$!|+\w]+")
MASKED = re.compile(r"(?<![\w*#])[a-z]+[*#][a-z*#]*[a-z](?![\w*#])|(?<![\w*#])f\*{3,}")
HYPHENATED = re.compile(r"(?<![\w.-])[^\W\d_]+(?:[-_.'~^][^\W\d_]+)+(?![\w-])")
APART = re.compile(r"(?<![^\W_])[a-z0-9@$!](?:(?:[ .*_~-]|[.,] )[a-z0-9@$!]){3,}(?![^\W_])")
LATIN = re.compile(r"[a-z]")
DIGIT = re.compile(r"\d")
APART_SIGNS = re.compile(r"[ .,*_~-]")
INNER_SIGNS = re.compile(r"[-_.'~^]")
VOWELS = frozenset("aeiou")
MAX_PHRASE_WORDS = 6
LENGTHS = range(4, 14)  # of the words found in spaced letters


def has_profanity(text: str) -> bool:
    """Whether `text` contains a word or phrase of the list, plain or disguised."""
    text = _fold(without_names(unicodedata.normalize("NFKC", text), _is_doubled))
    text = without_foreign_words(text)
    if "🖕" in text:
        return True
    words = [_read_latin(word) for word in WORD.findall(text)]
    return _has_phrase(words) or any(map(_is_profane, _disguised(text)))


def _fold(text: str) -> str:
    """Folded, without invisible characters."""
    return "".join(char for char in fold(text) if unicodedata.category(char) not in ("Mn", "Cf"))


def _read_latin(word: str) -> str:
    return word if word.isascii() or not LATIN.search(word) else word.translate(LOOK_ALIKES)


def _has_phrase(words: list[str]) -> bool:
    """Whether a word or phrase is on the list, and not part of an allowed phrase."""
    position = 0
    while position < len(words):
        run = [" ".join(words[position : position + length]) for length in range(MAX_PHRASE_WORDS, 0, -1)]
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
    """Readings of the disguised words of a folded text."""
    for word in LEET_WORD.findall(text):
        yield from _without_leet(word.strip("!|+"))
    for word in MASKED.findall(text):
        yield from _unmasked(word)
    for word in HYPHENATED.findall(text):
        yield from _joined(word)
    for word in APART.findall(text):
        letters = APART_SIGNS.sub("", word).translate(LEET_AS_I)
        yield from (letters[:length] for length in LENGTHS)
        yield from (letters[-length:] for length in LENGTHS)


def _without_leet(word: str) -> Iterator[str]:
    """Readings of `sh1t`. Three characters with a digit (`A55`) are more often a road or a model."""
    if word.isalpha() or not LATIN.search(word) or (len(word) < 4 and DIGIT.search(word)):
        return
    for part in word.split("_"):
        yield _read_latin(part.translate(LEET_AS_I))
        yield _read_latin(part.translate(LEET_AS_L))


def _unmasked(masked: str) -> Iterator[str]:
    """Readings of `f*ck`."""
    if masked.startswith("f***"):
        yield "fuck"
        return
    letters = [char for char in masked if char not in "*#"]
    if len(masked) < 4 or len(letters) < 2:
        return
    yield from (word for word in _of_length().get(len(masked), ()) if _fits(masked, word))


def _fits(masked: str, word: str) -> bool:
    return all(
        char == letter or (char in "*#" and letter in ascii_lowercase)
        for char, letter in zip(masked, word, strict=True)
    )


def _joined(word: str) -> Iterator[str]:
    """Readings of `fu.ck`, of four letters or more, and of `sh-t` with its missing vowel."""
    parts = INNER_SIGNS.split(word)
    joined = "".join(parts)
    if len(joined) >= 4:
        yield joined
    if len(parts) == 2 and len(joined) == 3 and not set(joined) & VOWELS:
        yield from (vowel.join(parts) for vowel in VOWELS if vowel.join(parts) in _words())


def _is_drawn_out(word: str) -> bool:
    """Whether the word is on the list but for repeated letters: three or more, or two of a letter that is
    seldom doubled."""
    runs = _runs(word)
    if not any(count > 2 or (count > 1 and letter in SELDOM_DOUBLED) for letter, count in runs):
        return False
    known = _drawn_out().get("".join(letter for letter, _ in runs), [])
    return any(
        all(count >= minimum for (_, count), (_, minimum) in zip(runs, real, strict=True)) for real in known
    )


def _is_doubled(word: str) -> bool:
    """Whether the word is on the list but for a letter that comes twice."""
    return all(count < 3 for _, count in _runs(word)) and word not in _words() and _is_drawn_out(word)


def _runs(word: str) -> list[tuple[str, int]]:
    return [(letter, len(list(group))) for letter, group in groupby(word)]


@cache
def _table(name: str) -> frozenset[str]:
    file = resources.files("audience.data").joinpath(f"moderation/{name}.txt")
    return frozenset(file.read_text("utf-8").splitlines())


@cache
def _phrases() -> frozenset[str]:
    """The folded list, words separated by one space."""
    more = {row["word"] for row in rows("naughty_words_more")}
    entries = (_table("naughty_words_en") | more) - _table("ordinary_words")
    split = [WORD.findall(_fold(entry)) for entry in entries]
    inflected = [
        [word + ending] for word, *endings in map(str.split, _table("inflections")) for ending in endings
    ]
    plurals = [[_plural(words[0])] for words in split if len(words) == 1]
    phrases = {
        " ".join(words) for words in split + inflected + plurals if any(len(word) > 1 for word in words)
    }
    return frozenset(phrases - _table("ordinary_words"))


def _plural(word: str) -> str:
    """As English forms it: faggots, bitches, trannies."""
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


@cache
def _words() -> frozenset[str]:
    return frozenset(phrase for phrase in _phrases() if " " not in phrase)


@cache
def _of_length() -> dict[int, list[str]]:
    by_length: dict[int, list[str]] = {}
    for word in _words():
        by_length.setdefault(len(word), []).append(word)
    return by_length


@cache
def _drawn_out() -> dict[str, list[list[tuple[str, int]]]]:
    known: dict[str, list[list[tuple[str, int]]]] = {}
    for word in _words():
        runs = _runs(word)
        known.setdefault("".join(letter for letter, _ in runs), []).append(runs)
    return known
