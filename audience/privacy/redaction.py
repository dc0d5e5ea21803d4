"""Finds and replaces what looks like an address in a stored text, whatever its encoding."""

import re
from collections.abc import Callable, Iterator

WORD = re.compile(  # with the semicolons of codes such as &amp;#64; in it
    r"(?:[^\s\"<>,:;()\[\]&#%\\]++|(?:&|%(?:25)*+26|\\{1,4}u0026)(?:#?[0-9A-Za-z]{1,32};)*+|#x?[0-9A-F]{1,10};"
    r"|[#%\\])++",
    re.IGNORECASE,
)
SIGN = re.compile(r"[@\ufe6b\uff20%&\\=]")
AT = re.compile("[@\ufe6b\uff20]|\xef\xb9\xab|\xef\xbc\xa0")  # NFKC makes one of each; in UTF-8, too
ENCODED = (
    r"%(?:25)*(?P<percent>[0-9a-f]{2})|(?-i:\\{1,4}U)0000(?P<eight>[0-9a-f]{4})|(?:%|\\{1,4})u(?P<four>[0-9a-f]{4})"
    r"|\\{1,4}u\{0{0,9}(?P<braces>[0-9a-f]{1,6})\}|\\{1,4}x(?P<two>[0-9a-f]{2})"
    r"|&#x0{0,9}(?P<hexadecimal>40|[0-9a-f]{1,6});?|&#0{0,9}(?P<decimal>[0-9]{1,7});?"
    r"|&(?P<named>amp|commat|percnt|equals|num|bsol);?"
)
CODE = re.compile(ENCODED, re.IGNORECASE | re.ASCII)
CODE_OR_QUOTED = re.compile(rf"{ENCODED}|=(?:3D)*(?P<quoted>[0-9a-f]{{2}})", re.IGNORECASE | re.ASCII)
NAMED = {"amp": "&", "commat": "@", "percnt": "%", "equals": "=", "num": "#", "bsol": "\\"}
LIKE_DOMAIN = re.compile(r"@[\w.-]*\.[^\W\d_]{2}")  # for quoted-printable: 40 is often just a number
ROUNDS = 4  # of codes within codes


def without_addresses(text: str, instead: Callable[[str], str]) -> str:
    """The text with the result of `instead` for each word that looks like an address."""

    def shown(word: re.Match[str]) -> str:
        address = address_in(word[0])
        return word[0] if address is None else instead(address)

    return WORD.sub(shown, text) if SIGN.search(text) else text


def addresses_in(text: str) -> Iterator[str]:
    """The words of a text that look like addresses; those whose @ is encoded are decoded."""
    if SIGN.search(text):
        yield from filter(None, (address_in(word[0]) for word in WORD.finditer(text)))


def address_in(word: str) -> str | None:
    """The address that a word looks like, decoded if its @ is encoded; None if it does not look like one."""
    if AT.search(word):
        return word
    if not SIGN.search(word):
        return None
    if AT.search(plain := _decode(CODE, word)):
        return plain
    if "=" in plain and LIKE_DOMAIN.search(plain := _decode(CODE_OR_QUOTED, plain)):
        return plain
    return None


def _decode(code: re.Pattern[str], text: str) -> str:
    for _ in range(ROUNDS):
        before, text = text, code.sub(_character, text)
        if text == before:
            break
    return AT.sub("@", text)


def _character(code: re.Match[str]) -> str:
    kind, digits = str(code.lastgroup), code[str(code.lastgroup)]
    if kind == "named":
        return NAMED[digits.lower()]
    number = int(digits, 10 if kind == "decimal" else 16)
    return chr(number) if number <= 0x10FFFF else code[0]
