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
    *map(fold, (*CYRILLIC, *LATIN_CYRILLIC)),
    *map(
        fold, ("קראטוןםפ", "שדגכעיחלך", "ضصثقفغعهخحجچ", "شسيبلاتنمك", "شسیبلاتنمک", "ςερτυθιοπ", "ασδφγηξκλ")
    ),
    *map(fold, ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ", "ๆไำพะัีรนยบล", "ฟหกดเ้่าสวง")),
)
MIN_RUN_LENGTH = 4
MIN_PART_LENGTH = 3  # of a walk in parts: `qazwsx`, or of each hand's keys: `qpwoei`
DRUMMED = re.compile(r"(?:[sdfghjkl._-]{6,}|[zxcvbnm._-]{6,})\d*")  # keys of a row without a vowel
REPEATED = re.compile(r"(\w{2,3}?)\1{2,}")  # lalala, wefwefwef


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
    without a vowel (`fjdksl`). Digits at its end need not belong to the walk.
    """
    return _is_walk(text) or _is_walk(text.rstrip(digits))


def _is_walk(text: str) -> bool:
    if len(text) < 2 * MIN_PART_LENGTH:
        return len(text) >= MIN_RUN_LENGTH and len(_parts(text)) == 1
    hands = [_parts(text[::2]), _parts(text[1::2])]
    return (
        all(len(part) >= MIN_PART_LENGTH for part in _parts(text))
        or all(len(parts) == 1 for parts in hands)
        or _is_repeated(text)
        or DRUMMED.fullmatch(text) is not None
    )


def _is_repeated(text: str) -> bool:
    match = REPEATED.match(text)
    return match is not None and match[1].startswith(text[match.end() :])


def _parts(text: str) -> list[str]:
    """The text, cut where the next key is not the adjacent one in the same line of keys and direction."""
    parts = [text[:1]]
    for key in text[1:]:
        if any(parts[-1] + key in keys for line in LINES for keys in (line, line[::-1])):
            parts[-1] += key
        else:
            parts.append(key)
    return parts
