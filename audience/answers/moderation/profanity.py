"""Finding words of the bundled list in a text: whole words, plain or disguised.

Disguises: capitals, accents, full-width and look-alike letters (`shіt`), digits and signs (`sh1t`, `a$$`),
masks (`f*ck`, `sh-t`), punctuation inside (`fu.ck`), spaced letters (`s h i t`), a blank inside (`reta rd`),
repeated letters (`shiiit`).
Not found: words inside other words (Scunthorpe, classic), except `fuck`, which no other word contains.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from string import ascii_lowercase

from audience.answers import own_lists
from audience.answers.folding import fold
from audience.answers.moderation.languages import LETTER, is_function_word, without_foreign_words
from audience.answers.moderation.people import without_surnames
from audience.answers.tables import lines, rows

LEET = {"0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a", "$": "s", "+": "t"}
LEET_AS_I = str.maketrans(LEET | {"1": "i", "!": "i", "|": "i"})
LEET_AS_L = str.maketrans(LEET | {"1": "l", "!": "l", "|": "l"})
# Cyrillic and Greek letters, read as Latin in words that also have Latin letters.
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһкмтвнзαεοιυκρτχνβγ", "aeopcyxijsdhkmtbhzaeoiukptxvby")
CYRILLIC = str.maketrans("aeopcyxijsdhkmtbiu", "аеорсухіјѕԁһкмтвии")
CAPITAL_I = re.compile("(?<=[a-z])I+")  # in `kiII`, read as `l`
# Chinese, Japanese, Korean and Thai, where words stand side by side, or with endings; and a middle finger.
UNSPACED = re.compile("[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U0001f595]")
FOLDED = re.compile("[^\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\uac00-\ud7af]+")
# What divides a word there: blanks in Chinese, digits and signs in Korean.
DIVIDED = re.compile(
    r"(?<=[\u3400-\u9fff]) ++(?=[\u3400-\u9fff])|(?<=[\uac00-\ud7af])[\d.*~-]++(?=[\uac00-\ud7af])"
)
SELDOM_DOUBLED = frozenset("aiuhjkqvwxy")

WORD = re.compile(rf"{LETTER}++")
LEET_WORD = re.compile(r"(?<![@$!|+\w])[^\W\d_]*+[\d_@$!|+][@$!|+\w]*+")
MASKED = re.compile(r"(?<![\w*#])[a-z]+[*#][a-z*#]*[a-z](?![\w*#])|(?<![\w*#])f\*{3,}")
HYPHENATED = re.compile(r"(?<![\w.-])[^\W\d_]+(?:[-_.'~^][^\W\d_]+)+(?![\w-])")
APART = re.compile(r"(?<![^\W_])[a-z0-9@$!](?:(?:[ .*_~-]|[.,] )[a-z0-9@$!]){3,}(?![^\W_])")
LATIN = re.compile(r"[a-z]")
DOUBLE = re.compile(r"(.)\1")
DIGIT = re.compile(r"\d")
APART_SIGNS = re.compile(r"[ .,*_~-]")
INNER_SIGNS = re.compile(r"[-_.'~^]")
VOWELS = frozenset("aeiou")
SHORTEST_STEM = 3
SHORTEST_DIVIDED = 6  # letters of a word with a blank inside


class WordList:
    """A list of words and phrases. `kinds` has the kind of each (`insult`, `adult`, `threat` or `hate`).
    `stems` has the kind of all words that begin with a stem, except those in `fewer`. Keys are folded;
    phrases have one space between words.
    """

    def __init__(
        self, kinds: Mapping[str, str], stems: Mapping[str, str], fewer: frozenset[str] = frozenset()
    ) -> None:
        self.kinds = kinds
        self.stems = stems
        self._stem_lengths = sorted(set(map(len, stems)))
        self._stem_starts = {stem[:SHORTEST_STEM] for stem in stems}
        self._fewer = fewer
        self._unspaced = list(filter(UNSPACED.match, kinds))
        self.of_length: defaultdict[int, list[str]] = defaultdict(list)
        self._by_letters: defaultdict[str, list[str]] = defaultdict(list)  # each run of one letter as one
        self._most_words: defaultdict[str, int] = defaultdict(lambda: 1)  # of what begins with a word
        for phrase in (*kinds, *_allowed_phrases()):
            first = phrase.partition(" ")[0]
            self._most_words[first] = max(self._most_words[first], phrase.count(" ") + 1)
        for word in kinds:
            self.of_length[len(word)].append(word)
            self._by_letters["".join(letter for letter, _ in _runs(word))].append(word)

    def kind(self, word: str) -> str | None:
        """The kind of a word or phrase; None if it is not on the list. A word with drawn-out letters
        (`shiiit`) has the kind of the listed word.
        """
        kind = self.kinds.get(word) or ("insult" if "fuck" in word else None) or self._kind_of_stem(word)
        return kind or self.kinds.get(self._drawn_out_of(word))

    def _kind_of_stem(self, word: str) -> str | None:
        """The kind of a word that begins with a listed stem; None for any other word."""
        if word[:SHORTEST_STEM] not in self._stem_starts or word in self._fewer:
            return None
        beginnings = (word[:length] for length in self._stem_lengths)
        return next((self.stems[beginning] for beginning in beginnings if beginning in self.stems), None)

    def listed(self, words: Sequence[str]) -> Iterator[str]:
        """The listed words and phrases in consecutive `words`, except those in an allowed phrase."""
        position = 0
        while position < len(words):
            most = self._most_words.get(words[position], 1)
            run = [" ".join(words[position : position + length]) for length in range(most, 0, -1)]
            allowed = next((phrase for phrase in run if phrase in _allowed_phrases()), None)
            if allowed:
                position += allowed.count(" ") + 1
                continue
            yield from (phrase for phrase in run[:-1] if phrase in self.kinds)
            yield from filter(self.kind, run[-1:])
            position += 1

    def unspaced(self, text: str) -> list[str]:
        """The listed phrases in a text whose script has no blanks between words, such as Chinese. Empty for
        any other text.
        """
        if text.isascii() or not UNSPACED.search(text):
            return []
        joined = DIVIDED.sub("", text)
        return [phrase for phrase in self._unspaced if phrase in joined]

    def _drawn_out_of(self, word: str) -> str:
        """The listed word that `word` is if its drawn-out letters are shortened. Empty if there is none.

        Letters are drawn out if three or more equal ones are in a row, or two of a letter that is seldom
        doubled.
        """
        if not DOUBLE.search(word):
            return ""
        runs = _runs(word)
        if not any(count > 2 or (count > 1 and letter in SELDOM_DOUBLED) for letter, count in runs):
            return ""
        for real in self._by_letters.get("".join(letter for letter, _ in runs), ()):
            if all(count >= least for (_, count), (_, least) in zip(runs, _runs(real), strict=True)):
                return real
        return ""


def find_words(text: str, own: WordList) -> dict[str, str]:
    """By kind, the first word or phrase of the list `own` in `text`, plain or disguised. A kind without one
    is left out.
    """
    text = normal_form(without_surnames(unicodedata.normalize("NFKC", text)))
    text = without_foreign_words(text)
    plain, *others = (WORD.findall(form) for form in _forms(text))
    hits = [*own.listed(plain), *filter(own.kind, _masked_words(text, own)), *own.unspaced(text)]
    hits += [hit for words in others for hit in own.listed(words)]
    hits += _divided_words(plain, own)
    return {str(own.kind(hit)): hit for hit in reversed(hits)}


def without_disguise(text: str, signs: Mapping[int, str | int] = LEET_AS_I) -> str:
    """The folded text with letters in place of digits and signs within words (`k!ll`), of look-alike letters
    and of blanks between single letters (`k i l l`).
    """
    text = APART.sub(lambda letters: APART_SIGNS.sub("", letters[0]).translate(signs), text)
    text = LEET_WORD.sub(lambda word: _without_leet(word[0], signs), text)
    return text if text.isascii() else WORD.sub(lambda word: _in_one_script(word[0], LOOK_ALIKES), text)


def phrase_of(entry: str) -> str:
    """An entry in the form of the keys of `WordList.kinds`: folded, and with one space between words."""
    return " ".join(WORD.findall(normal_form(entry)) or [entry])


def normal_form(text: str) -> str:
    """The folded text, without invisible characters and marks, but with the vowel signs of India, the tones
    of Thai and the sounds of Japanese and Korean, which folding would take off (`ミニカー` is no `ニガー`).
    """
    if text.isascii():
        return fold(text)
    return "".join(
        char
        for char in FOLDED.sub(lambda run: fold(run[0]), unicodedata.normalize("NFKC", text))
        if unicodedata.category(char) not in ("Mn", "Cf") or "\u0900" <= char <= "\u0eff"
    )


def _forms(text: str) -> Iterator[str]:
    """The folded text as it may be read: as it is, in Cyrillic letters, and without disguises."""
    yield text if text.isascii() else WORD.sub(lambda word: _in_one_script(word[0], CYRILLIC), text)
    if not text.isascii() or LEET_WORD.search(text) or APART.search(text):
        yield from {without_disguise(text, signs) for signs in (LEET_AS_I, LEET_AS_L)} - {text}


def _in_one_script(word: str, letters: Mapping[int, str | int]) -> str:
    """A word that mixes Latin with other letters, spelled in the one script to which `letters` leads."""
    return word if word.isascii() or not LATIN.search(word) else word.translate(letters)


def _without_leet(word: str, signs: Mapping[int, str | int]) -> str:
    """The word that a word with digits or signs for letters, such as `sh1t`, stands for. Three characters
    with a digit (`A55`), which are more often a road or a model, are left as they are.
    """
    core = word.strip("!|+")
    if core.isalpha() or not LATIN.search(core) or (len(core) < 4 and DIGIT.search(core)):
        return word
    return word.replace(core, core.translate(signs).replace("_", " "))


def _divided_words(words: Sequence[str], own: WordList) -> Iterator[str]:
    """The insults that two words in a row are without the blank between them: `reta rd`, but not `who re`."""
    for pair in pairwise(words):
        word = "".join(pair)
        if len(word) >= SHORTEST_DIVIDED and own.kinds.get(word) == "insult":
            yield from () if any(map(is_function_word, pair)) else (word,)


def _masked_words(text: str, own: WordList) -> Iterator[str]:
    """The words that the masked and hyphenated words of a folded text may stand for."""
    for word in MASKED.findall(text):
        yield from _unmask(word, own)
    for word in HYPHENATED.findall(text):
        yield from _join(word, own)


def _unmask(masked: str, own: WordList) -> Iterator[str]:
    """The listed words that a masked word such as `f*ck` may stand for."""
    if masked.startswith("f***"):
        yield "fuck"
        return
    if len(masked) < 4 or sum(map(str.isalpha, masked)) < 2:
        return
    for word in own.of_length.get(len(masked), ()):
        if all(
            one in ("*", "#", other) and other in ascii_lowercase
            for one, other in zip(masked, word, strict=True)
        ):
            yield word


def _join(word: str, own: WordList) -> Iterator[str]:
    """The words that a word with signs between its letters may stand for.

    One is the word without the signs (`fu.ck`), if four letters remain. Three consonants (`sh-t`) stand for
    words of the list `own` with a vowel in place of the sign.
    """
    parts = INNER_SIGNS.split(word)
    joined = "".join(parts)
    if len(joined) >= 4:
        yield joined
    if len(parts) == 2 and len(joined) == 3 and not set(joined) & VOWELS:
        yield from (vowel.join(parts) for vowel in VOWELS if vowel.join(parts) in own.kinds)


def _runs(word: str) -> list[tuple[str, int]]:
    """The runs of equal letters in a word, each as (letter, length)."""
    return [(letter, len(list(group))) for letter, group in groupby(word)]


@cache
def _allowed_phrases() -> frozenset[str]:
    return frozenset(lines("moderation/allowed_phrases"))


@cache
def bundled() -> WordList:
    kinds: dict[str, str] = {}
    stems: dict[str, str] = {}
    for row in rows("moderation/words"):
        for entry in row["words"].split("|"):
            phrase = phrase_of(entry)
            (stems if entry.endswith("*") else kinds).setdefault(phrase, row["kind"])
            if row["language"] in ("en", "fr") and " " not in phrase:
                kinds.setdefault(_plural(phrase), row["kind"])
    for stem, *endings in map(str.split, lines("moderation/inflections")):
        kinds |= {stem + ending: kinds.get(stem, "insult") for ending in endings}
    return WordList(kinds, stems)


def with_own(folder: Path) -> WordList:
    """The bundled list, changed by an operator's `insults.txt` and `adult.txt` in `folder`. Raises
    `SettingError` if one of these is invalid.
    """
    insults, adult = (own_lists.read(folder / f"{name}.txt", phrase_of) for name in ("insults", "adult"))
    if not insults and not adult:
        return bundled()
    fewer = insults.fewer | adult.fewer
    kinds = {phrase: kind for phrase, kind in bundled().kinds.items() if phrase not in fewer}
    more = dict.fromkeys(adult.more, "adult") | dict.fromkeys(insults.more, "insult")
    return WordList(kinds | more, bundled().stems, fewer)


def _plural(word: str) -> str:
    """The English plural of a word: `bitches`, `trannies`, `faggots`."""
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")
