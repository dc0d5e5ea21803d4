"""Parsing personal names into titles and given names."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from audience.answers.folding import fold
from audience.answers.tables import BUNDLED, rows

DATA = BUNDLED / "gender"
MAX_LENGTH = 300  # the rest is ignored

MARKS = str.maketrans(
    dict.fromkeys("‘’‛ʻʼ`´′", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‐‑‒–—", "-")
)
ASIDE = re.compile(r"""["(\[]([^"()\[\]]*)["\])]|(?<!\S)'([^\s']+)'(?!\S)""")  # "Bob", (Bob), [Bob], 'Bob'
COUPLE = re.compile(r"[&+]|\b(?:and|und|et)\b")
LETTER = r"(?:[^\W\d_]|[\u0900-\u0e7f])"  # with vowel signs from India to Thailand
WORD = re.compile(rf"{LETTER}++(?:[.-]++{LETTER}++)*+")
EASTERN = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")  # Korean, Japanese, Chinese
THAI_TITLE = re.compile(fold(r"^(นางสาว|เด็กหญิง|เด็กชาย|นาง|นาย)(?=\w{2})"))  # before a name without a blank
BREAK = re.compile(r"[.]|^-+|-+$")

Kinds = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class PersonalName:
    """A parsed name. `title` is the gender of its title: `male`, `female` or `neither`, or empty without such
    a title.

    `given` has the folded given names in the order in which to look them up. `surname_likely` is true if a
    title is followed by a single name, as in `Dr. Smith`.

    `surname` is the folded last word of the surname. `words` has all words in their order, and is empty for
    `Last, First`.
    """

    title: str = ""
    given: tuple[str, ...] = ()
    surname_likely: bool = False
    surname: str = ""
    words: tuple[str, ...] = ()
    text: str = ""


def load_kinds() -> Kinds:
    """The kinds of each word in `name_words.csv`, whose README explains them."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for row in rows("gender/name_words"):
        kinds[fold(row["word"]).replace(".", "")].add(row["kind"])
    return {word: frozenset(word_kinds) for word, word_kinds in kinds.items()}


def parse(text: str, kinds: Kinds) -> PersonalName:
    """Parses `First Middle Last` and `Last, First Middle`, with titles, suffixes, initials, surname
    particles, and nicknames in quotes or brackets. A couple (`Mr. and Mrs. Smith`) and a
    group (`Smith Ltd`) have no given name."""
    text = fold(text[:MAX_LENGTH].translate(MARKS))
    asides = [next(filter(None, groups), "") for groups in ASIDE.findall(text)]
    text = THAI_TITLE.sub(r"\1 ", ASIDE.sub(" ", text).replace("'", ""))
    if COUPLE.search(text):
        return PersonalName()
    first, *rest = (_words(part, kinds) for part in text.split(","))
    if any("group" in kinds.get(word, ()) for part in (first, *rest) for word in part):
        return PersonalName()
    parts = [_without_suffixes(first, kinds, at_least=1)]
    parts += [_without_suffixes(part, kinds, at_least=0) for part in rest]
    main, *others = [part for part in parts if part] or [[]]
    title, main = _split_title(main, kinds)
    last = main
    if others:
        own_title, main = _split_title(others[0], kinds)
        title = own_title or title
    given = _given(main, kinds, has_surname=not others)
    nicknames = [word for aside in asides if len(word := "".join(_words(aside, kinds))) > 1]
    spelled = tuple(spelling for word in [*given, *nicknames] for spelling in _spellings(word))
    lone = bool(title) and len(main) == 1 and not others
    words = () if others else tuple(main)
    surname = (last[-1:] if others else main[1:][-1:]) or [""]
    return PersonalName("" if title == "title" else title, spelled, lone, surname[0], words, text)


def _words(text: str, kinds: Kinds) -> list[str]:
    """Splits a text into words, which may have hyphens, and removes dots. A word with dots stays whole only
    if it is in the table, as `ph.d.` is; `c.l.` and `dr.who` are two words.
    """
    words: list[str] = []
    for word in WORD.findall(text):
        whole = word.replace(".", "")
        words += [whole] if whole in kinds else filter(None, BREAK.split(word))
    return words


def _without_suffixes(words: list[str], kinds: Kinds, at_least: int) -> list[str]:
    """The words without suffixes such as `Jr` at their end; the first `at_least` words stay."""
    while len(words) > at_least and "suffix" in kinds.get(words[-1], ()):
        words = words[:-1]
    return words


def _split_title(words: list[str], kinds: Kinds) -> tuple[str, list[str]]:
    """Splits the titles off the beginning of a name. Returns their gender and the words after them.

    The last title with a gender counts. The gender is `title` if no title has one, and empty without a title.
    """
    title = ""
    while words:
        own = kinds.get(words[0], frozenset())
        gender = next(iter(own & {"male", "female", "neither"}), "")
        if not gender and "title" not in own and not ("name_or_title" in own and len(words) > 2):
            break
        title = gender or title or "title"
        words = words[1:]
    return title, words


def _given(words: list[str], kinds: Kinds, has_surname: bool) -> list[str]:
    """The given names among `words`. They are all words before a particle such as `von`; without a particle,
    all but the last if the words have the surname. A single word is a given name. In Chinese, Japanese and
    Korean writing the family name comes first, also without a blank; in other scripts it may.
    """
    if words and EASTERN.match(words[0]):
        return words[1:] or _ends(words[0])
    if not "".join(words).isascii():
        return words
    for at, word in enumerate(words[1:], 1):
        if "particle" in kinds.get(word, ()):
            return words[:at]
    return words[:-1] if has_surname and len(words) > 1 else words


def _ends(name: str) -> list[str]:
    """The folded `name`, which has no blanks, and its ends of two letters or more: what may be the given
    name.
    """
    letters = unicodedata.normalize("NFC", name)
    return [fold(letters[at:]) for at in range(max(1, len(letters) - 1))]


def _spellings(word: str) -> list[str]:
    """The forms in which a given name is looked up: `mariajose`, `maria`, `jose` for `maria-jose`. An initial
    has no forms.
    """
    parts = word.split("-")
    spellings = ["".join(parts), *parts] if len(parts) > 1 else parts
    return [spelling for spelling in spellings if len(spelling) > 1 or EASTERN.match(spelling)]
