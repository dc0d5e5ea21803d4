"""How to read a file that is not in UTF-8: the likeliest encodings, each with the first cells as it reads
them.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import BinaryIO

from schemas.formats import encodings

SAMPLE_BYTES, MAX_LINE, MAX_CELL = 2**13, 2**16, 200
MOST_CELLS, MOST_READINGS = 3, 3
USUAL = "cp1252"
ANY = "iso8859-1"  # which reads everything
LATIN = "LATIN"
WORD = re.compile(r"[^\W\d_]+")
ASCII = bytes(range(128))
BETWEEN = bytes.maketrans(b',;\t\r"', b"\n\n\n\n\n")  # cells; none is part of a character in any encoding

Readings = dict[str, list[str]]  # the same cells by each encoding, the likeliest first


def likely(binary: BinaryIO) -> Readings:
    """The likeliest encodings that can read the whole file, each with the first cells as it reads them.

    At most `MOST_READINGS`, among them the usual one (`USUAL`) if it can read the file.
    """
    from charset_normalizer import from_bytes  # takes a while to load

    cells, readings = _cells(binary), Readings()
    isolated = list(encodings.SAID[: -len(encodings.UNICODE)])
    matches = from_bytes(b"\n".join(cells), cp_isolation=isolated, threshold=0.9, enable_fallback=False)
    ranked = sorted(
        (_mixes_scripts(cells, name), round(match.chaos, 1), encodings.SAID.index(name), name)
        for match in matches
        for codec in match.could_be_from_charset
        if (name := encodings.find_encoding(codec))
    )
    for *_, name in ranked:
        texts = _texts(binary, cells, name) if len(readings) < MOST_READINGS else []
        if texts and texts not in readings.values():
            readings[name] = texts
    usual = _texts(binary, cells, USUAL)
    if usual and usual not in readings.values():
        readings = Readings([*readings.items()][: MOST_READINGS - 1]) | {USUAL: usual}
    return readings


def _mixes_scripts(cells: Sequence[bytes], encoding: str) -> bool:
    """Whether a word has both Latin and other letters, which is rare in real text."""
    text = b"\n".join(cells).decode(encoding, "replace")
    return any(
        len({unicodedata.name(letter, "")[:5] == LATIN for letter in word}) > 1 for word in WORD.findall(text)
    )


def _texts(binary: BinaryIO, cells: Sequence[bytes], encoding: str) -> list[str]:
    """The first of the `cells` in an encoding; empty if that cannot read the whole file."""
    if not encodings.can_read(binary, encoding):
        return []
    return [cell.decode(encoding, "replace") for cell in cells[:MOST_CELLS]]


def _cells(binary: BinaryIO) -> list[bytes]:
    """Some of the file's cells that are not ASCII: the first ones, and later ones with a byte new to them."""
    samples: dict[bytes, None] = {}
    characters: set[int] = set()
    size = 0
    binary.seek(0)
    while (line := binary.readline(MAX_LINE)) and size < SAMPLE_BYTES:
        if line.isascii():
            continue
        for cell in line.translate(BETWEEN).split(b"\n"):
            new = set(cell.translate(None, ASCII)) - characters
            if len(cell) <= MAX_CELL and not cell.isascii() and (new or len(samples) < MOST_CELLS):
                samples[cell.strip()] = None
                characters |= new
                size += len(cell)
    return list(samples)
