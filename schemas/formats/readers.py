"""Reads a file in constant memory: encoding, lines, CSV records, the elements of a JSON array."""

import codecs
import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from schemas.formats.csv_columns import refusal

DELIMITERS = (",", ";", "\t")
MAX_LENGTH = 2**20  # characters
CHUNK_SIZE = 2**16
SAMPLE_LENGTH = 2**12
BETWEEN = re.compile(r"[ \t\r\n,]*")
END = "\0end of file"
UTF8, LATIN1 = "utf-8", "latin-1"
CODECS = {UTF8: ("utf-8-sig", "strict"), LATIN1: ("cp1252", "as_latin1")}

NOT_PLAIN = (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")  # UTF-16, and gzip
PLAIN = "The file is UTF-16 or compressed: save it as UTF-8, uncompressed."
LONG_LINE = f"Line {{number}} is longer than {MAX_LENGTH:,} characters: check the line breaks."
LONG_CELL = f"A cell in row {{number}} is longer than {MAX_LENGTH:,} characters: check the quotes."
OPEN_QUOTE = "A quote in row {number} is not closed: close it, or double it if it is part of the text."
NO_ARRAY = "The file is not a JSON array of objects: object {number} cannot be read."


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    """Decodes the five bytes that Windows-1252 does not define."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101
    return chr(error.object[error.start]), error.start + 1


def encoding(binary: BinaryIO) -> str:
    """UTF-8 if all of the file is, otherwise Latin-1 (Windows-1252). Raises `FormError` on UTF-16, gzip."""
    binary.seek(0)
    if binary.read(2) in NOT_PLAIN:
        raise refusal(PLAIN)
    binary.seek(0)
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        while piece := binary.read(MAX_LENGTH):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return LATIN1
    return UTF8


@contextlib.contextmanager
def reading(binary: BinaryIO, encoding: str) -> Iterator[TextIO]:
    """The file's text from its beginning, without a BOM; line endings are kept."""
    codecs.register_error("as_latin1", _as_latin1)
    binary.seek(0)
    codec, errors = CODECS[encoding]
    text = io.TextIOWrapper(binary, codec, errors, newline="")
    try:
        yield text
    finally:
        text.detach()


def lines(text: TextIO) -> Iterator[str]:
    """Raises `FormError` on a line that is too long."""
    number = 1
    while line := text.readline(MAX_LENGTH):
        if len(line) == MAX_LENGTH and line[-1] not in "\r\n":
            raise refusal(LONG_LINE.format(number=number))
        yield line
        number += 1


def header(binary: BinaryIO, encoding: str, delimiter: str) -> list[str]:
    """The first record."""
    with reading(binary, encoding) as text:
        return next(records(text, delimiter))[1]


def records(text: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Numbered CSV records (RFC 4180). Raises `FormError` on a quote that is not closed.

    An added last line marks the end: an open quote absorbs it into a cell.
    """
    csv.field_size_limit(MAX_LENGTH)
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
    """The elements of a JSON array. Raises `FormError` unless it is one."""
    decoder, buffer, position, number = json.JSONDecoder(), text.read(CHUNK_SIZE).lstrip(), 1, 1
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
        rest = len(buffer) - position
        piece = text.read(max(CHUNK_SIZE, min(rest, MAX_LENGTH - rest)))  # a long element is decoded 5 times
        if not piece or rest > MAX_LENGTH:
            raise refusal(NO_ARRAY.format(number=number))
        buffer, position = buffer[position:] + piece, 0


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _decoded(decoder: json.JSONDecoder, buffer: str, position: int) -> tuple[Any, int]:
    """The value at a position and its end; None and the end of the buffer if it is incomplete."""
    try:
        return decoder.raw_decode(buffer, position)
    except (ValueError, RecursionError):
        return None, len(buffer)
