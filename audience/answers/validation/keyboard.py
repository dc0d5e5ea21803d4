"""Keyboards: which keys are adjacent, and texts that are typed along rows of keys."""

import re
from string import digits

from audience.answers.folding import fold

KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
CYRILLIC = ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю")
LATIN_CYRILLIC = ("ytsukengshschzkh", "icukengss", "jcukengss", "fyvaproldzhe", "fyvaproldj", "yachsmit")
LINES = (  # QWERTY by rows and columns, QWERTZ, AZERTY, Dvorak, the alphabet, and rows of other scripts
    *KEYS,
    *("1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "qwertzuiop", "yxcvbnm"),
    *("azertyuiop", "qsdfghjklm", "wxcvbn", "aoeuidhtns", "qjkxbmwvz", "abcdefghijklmnopqrstuvwxyz"),
    *map(fold, ("asdfghjklöä", "asdfghjklñ", "asdfghjklç")),
    *map(fold, (*CYRILLIC, *LATIN_CYRILLIC)),
    *map(
        fold, ("קראטוןםפ", "שדגכעיחלך", "ضصثقفغعهخحجچ", "شسيبلاتنمك", "شسیبلاتنمک", "ςερτυθιοπ", "ασδφγηξκλ")
    ),
    *map(fold, ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ", "ๆไำพะัีรนยบล", "ฟหกดเ้่าสวง")),
)
RUNS = frozenset(
    keys[start:end]
    for line in LINES
    for keys in (line, line[::-1])
    for start in range(len(keys))
    for end in range(start + 2, len(keys) + 1)
)
MIN_RUN_LENGTH = 4
MIN_PART_LENGTH = 3  # of a walk in parts: `qazwsx`, or of each hand's keys: `qpwoei`
DRUMMED = re.compile(r"[sdfghjkl]{6,}|[zxcvbnm]{6,}")  # keys of a row without a vowel
REPEATED = re.compile(r"(\w{2,3}?)\1{2,}")  # lalala, wefwefwef
ROLLED = re.compile(r"(\w{4,5}?)\1")  # qwpoqwpo
SEPARATORS = str.maketrans("", "", "._-")
HELD = re.compile(r"(.)\1+")  # a key held down


def _neighbours() -> dict[str, str]:
    """The adjacent keys by key."""
    places = {key: (row, at) for row, keys in enumerate(KEYS) for at, key in enumerate(keys)}
    return {
        key: "".join(
            other
            for other, (other_row, other_at) in places.items()
            if other != key and abs(row - other_row) <= 1 and abs(at - other_at) <= 1
        )
        for key, (row, at) in places.items()
    }


NEIGHBOURS = _neighbours()  # the adjacent keys of each key


def is_walk(text: str) -> bool:
    """Whether a text is typed along adjacent keys, in a row (`asdf`, `poiuy`), in several (`qazwsx`) or by
    two hands in turn (`qpwoei`). Also whether it repeats a few keys (`lalala`), or has only keys of a row
    without a vowel (`fjdksl`). Dots and hyphens, digits at its end and keys held down do not matter.
    """
    keys = text.translate(SEPARATORS)
    bare = keys.rstrip(digits)
    repeats = any(_repeated(REPEATED, each) for each in (text, text.rstrip(digits)))
    return repeats or _is_walk(keys) or _is_walk(bare) or _is_held(bare)


def _is_walk(text: str) -> bool:
    parts = _parts(text)
    if len(text) < 2 * MIN_PART_LENGTH:
        return len(text) >= MIN_RUN_LENGTH and len(parts) == 1
    return (
        all(len(part) >= MIN_PART_LENGTH for part in parts)
        or all(len(_parts(hand)) == 1 for hand in (text[::2], text[1::2]))
        or min(map(len, _parts(_repeated(ROLLED, text)))) > 1
        or DRUMMED.fullmatch(text) is not None
    )


def _is_held(text: str) -> bool:
    """Whether keys of one row are held down: most of them (`aaaaabbbcc`), or some of six or more."""
    once = HELD.sub(r"\1", text)
    least = MIN_PART_LENGTH if 2 * len(once) <= len(text) else 2 * MIN_PART_LENGTH
    return len(once) >= least and len(_parts(once)) == 1


def _repeated(pattern: re.Pattern[str], text: str) -> str:
    """The keys that a text repeats from its beginning to its end, which may cut them. Empty without such."""
    match = pattern.match(text)
    return match[1] if match and match[1].startswith(text[match.end() :]) else ""


def _parts(text: str) -> list[str]:
    """The text, cut where the next key is not the adjacent one in the same line of keys and direction."""
    parts = [text[:1]]
    for key in text[1:]:
        if parts[-1] + key in RUNS:
            parts[-1] += key
        else:
            parts.append(key)
    return parts
