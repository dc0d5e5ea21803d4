"""Text out of a file, in constant memory: its encoding, its lines, its CSV records, its JSON array."""

import codecs
import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from schemas.columns import refusal

DELIMITERS = (",", ";", "\t")
LONGEST = 2**20  # characters
PIECE = 2**16
SAMPLE = 2**12
BETWEEN = re.compile(r"[ \t\r\n,]*")
END = "\0the file ends here"
UTF8, LATIN1 = "utf-8", "latin-1"
CODECS = {UTF8: ("utf-8-sig", "strict"), LATIN1: ("cp1252", "as_latin1")}

NOT_PLAIN = (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")  # UTF-16, and gzip
PLAIN = "This is UTF-16 or compressed: save the file as UTF-8, uncompressed."
LONG_LINE = "Line {number} is longer than 1,048,576 characters: is this a file of lines?"
LONG_CELL = "A cell in row {number} is longer than 1,048,576 characters: is a quote not closed?"
OPEN_QUOTE = "A quote in row {number} is never closed: close it, or double it where it is meant."
NO_ARRAY = "This is not a JSON array of objects: object {number} cannot be read."

csv.field_size_limit(LONGEST)


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    """The five octets that Windows-1252 leaves out."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101
    return chr(error.object[error.start]), error.start + 1


codecs.register_error("as_latin1", _as_latin1)


def encoding(binary: BinaryIO) -> str:
    """UTF-8 where all of the file is; else Latin-1, as Windows writes it. Raises `FormError` for what is no
    text of either."""
    binary.seek(0)
    if binary.read(2) in NOT_PLAIN:
        raise refusal(PLAIN)
    binary.seek(0)
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        while piece := binary.read(LONGEST):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return LATIN1
    return UTF8


@contextlib.contextmanager
def reading(binary: BinaryIO, encoding: str) -> Iterator[TextIO]:
    """The file's text from its beginning, without a BOM; line ends are kept as they are."""
    binary.seek(0)
    codec, errors = CODECS[encoding]
    text = io.TextIOWrapper(binary, codec, errors, newline="")
    try:
        yield text
    finally:
        text.detach()


def lines(text: TextIO) -> Iterator[str]:
    """Raises `FormError` on a line without end."""
    number = 1
    while line := text.readline(LONGEST):
        if len(line) == LONGEST and line[-1] not in "\r\n":
            raise refusal(LONG_LINE.format(number=number))
        yield line
        number += 1


def header(binary: BinaryIO, encoding: str, delimiter: str) -> list[str]:
    """The first record."""
    with reading(binary, encoding) as text:
        return next(records(text, delimiter))[1]


def records(text: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Numbered CSV records (RFC 4180). Raises `FormError` on a quote that is not closed.

    The end is marked by a line of our own: a quote that is still open takes that line into its cell.
    """
    reader = csv.reader(_marked(text), delimiter=delimiter)
    number = 0
    try:
        for number, record in enumerate(reader, 1):
            if record == [END]:
                return
            if record and record[-1].endswith(END):
                raise refusal(OPEN_QUOTE.format(number=number))
            yield number, record
    except csv.Error as error:
        raise refusal(LONG_CELL.format(number=number + 1)) from error


def _marked(text: TextIO) -> Iterator[str]:
    yield from lines(text)
    yield END


def array(text: TextIO) -> Iterator[Any]:
    """The elements of a JSON array, objects above all. Raises `FormError` where it is none."""
    decoder, buffer, position, number = json.JSONDecoder(), text.read(PIECE).lstrip(), 1, 1
    if buffer[:1] != "[":
        raise refusal(NO_ARRAY.format(number=number))
    while True:
        position = _after(BETWEEN, buffer, position)
        if buffer[position : position + 1] == "]":
            return
        value, end = _decoded(decoder, buffer, position)
        if end < len(buffer):
            yield value
            position, number = end, number + 1
            continue
        piece = text.read(PIECE)
        if not piece or len(buffer) - position > LONGEST:
            raise refusal(NO_ARRAY.format(number=number))
        buffer, position = buffer[position:] + piece, 0


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _decoded(decoder: json.JSONDecoder, buffer: str, position: int) -> tuple[Any, int]:
    """The value at a position and where it ends; the end of the buffer where there is not all of it."""
    try:
        return decoder.raw_decode(buffer, position)
    except (ValueError, RecursionError):
        return None, len(buffer)
