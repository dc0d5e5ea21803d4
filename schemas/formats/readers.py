"""Reads a file in constant memory: lines, CSV records, rows of a workbook, elements of a JSON array."""

import csv
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TextIO

from schemas.base import CONTAINERS, TWICE, Doubled
from schemas.formats.encodings import UTF8, reading
from schemas.formats.refusals import FileRefused

DELIMITERS = (",", ";", "\t", "|")
SEPARATOR = re.compile(r'"?sep=([^\w"\r\n\0])"?[\r\n]*', re.IGNORECASE)
SEPARATOR_LENGTH = 16  # at most, of a line that names the delimiter
MAX_LENGTH = 2**20  # characters
CHUNK_SIZE = 2**16
SAMPLE_LENGTH = 2**12
BETWEEN = re.compile(r"[ \t\r\n,]*")
END = "\0end"
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # may begin half a surrogate pair, or a whole one
SURROGATE = re.compile("[\ud800-\udfff]")
LINE_BREAK = ("\n", "\r")

NUL_CODE = "invalid_text"
HALF_TEXT = "A text contains half a character, such as \\ud800 in JSON: complete the character, or remove it."
NUL = "A cell contains the character NUL, which is not text: remove it."
LONG_LINE = f"Line {{number}} is longer than {MAX_LENGTH:,} characters: check the line breaks."
LONG_CELL = f"Line {{line}} begins a row with a cell of over {MAX_LENGTH:,} characters: check its quotes."
OPEN_QUOTE = "The quote on line {line} is not closed: close it, or double it if it is part of the text."
BEHIND_ARRAY = "The file continues after the end of its JSON array: send one array, with all people in it."
NO_ARRAY = "The file is not a JSON array of objects: object {number} cannot be read."


def lines(text: TextIO) -> Iterator[str]:
    """Yields the lines of a file. Raises `FormError` for a line that is too long."""
    number = 1
    while line := text.readline(MAX_LENGTH):
        if len(line) == MAX_LENGTH and line[-1] not in "\r\n":
            raise FileRefused(LONG_LINE.format(number=number))
        yield line
        number += 1


def delimiters(binary: BinaryIO, encoding: str) -> Sequence[str]:
    """The possible delimiters: the one in a first line such as `sep=;`, else all that are supported."""
    with reading(binary, encoding) as text:
        match = SEPARATOR.fullmatch(text.readline(SEPARATOR_LENGTH))
    return match[1] if match else DELIMITERS


def header(binary: BinaryIO, encoding: str, delimiter: str, row: int = 1) -> list[str]:
    """The first record from the row `row` on that is not blank; empty if there is none."""
    with reading(binary, encoding) as text:
        return next((record for number, record in records(text, delimiter) if number >= row), [])


def records(text: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the records of a CSV file (RFC 4180), each with its row number.

    Blank rows before the first record are left out, and a first line `sep=;` is no row. Raises `FormError`
    for a quote that is not closed: a line added at the end then becomes part of the last cell.
    """
    csv.field_size_limit(MAX_LENGTH)
    source = lines(text)
    first = next(source, "")
    skipped = 1 if SEPARATOR.fullmatch(first) else 0
    reader = csv.reader(
        _lines_and_end(source if skipped else itertools.chain([first], source)), delimiter=delimiter
    )
    begun, end = False, skipped
    try:
        for number, record in enumerate(reader, 1):
            if record == [END]:
                return
            if record and record[-1].endswith(END):
                raise FileRefused(
                    OPEN_QUOTE.format(line=skipped + reader.line_num - _line_breaks(record[-1]))
                )
            begun = begun or any(map(str.strip, record))
            if begun:
                yield number, record
            end = skipped + reader.line_num
    except csv.Error as error:
        raise FileRefused(LONG_CELL.format(line=end + 1)) from error


def _lines_and_end(source: Iterator[str]) -> Iterator[str]:
    """Yields the lines of the source, each with a line break, then the line `END`."""
    for line in source:
        yield line if line.endswith(LINE_BREAK) else f"{line}\n"
    yield END


def _line_breaks(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def has_nul(record: Sequence[str]) -> bool:
    return "\0" in "".join(record)


def sheet_records(binary: BinaryIO) -> Iterator[tuple[int, list[Any]]]:
    """Yields the rows written by `workbook.unpack`: number, and cells (texts, numbers, booleans)."""
    with reading(binary, UTF8) as text:
        for line in lines(text):
            number, cells = json.loads(line)
            yield number, cells


class Unclear(Doubled):
    """A JSON object that can be read in two ways. Its row is refused with `code` and `message`."""

    def __init__(
        self, values: Mapping[str, Any], doubled: Mapping[str, list[Any]], code: str, message: str
    ) -> None:
        super().__init__(values, doubled)
        self.code, self.message = code, message


class Objects:
    """Decodes JSON values at positions of a text. An object that can be read in two ways is `Unclear`."""

    def __init__(self) -> None:
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)
        self._doubled: dict[str, list[Any]] = {}

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            for key, value in pairs:
                if counts[key] > 1:
                    self._doubled.setdefault(key, []).append(value)
        return members

    def read(self, text: str, start: int) -> tuple[Any, int]:
        """Decodes the value at `start`. Returns it and the position of its end.

        An object that can be read in two ways becomes `Unclear`; a value nested too deep to examine becomes
        text. Raises `ValueError` for malformed JSON, and `RecursionError` if the decoder cannot nest so deep.
        """
        self._doubled = {}
        value, end = self._decoder.raw_decode(text, start)
        try:
            return self._judge(value, bool(HALF.search(text, start, end))), end
        except RecursionError:
            return text[start:end].strip(), end

    def _judge(self, value: Any, may_have_half: bool) -> Any:
        """Returns `value`, as `Unclear` if it is an object that can be read in two ways.

        That is if a key in it has different values, or if it contains half a surrogate pair, which becomes
        U+FFFD.
        """
        doubled = {key: values for key, values in self._doubled.items() if _differ(values)}
        code, message = ("invalid_json", TWICE) if doubled else ("", "")
        text = json.dumps([value, doubled], ensure_ascii=False) if may_have_half else ""
        if SURROGATE.search(text):
            value, doubled = json.loads(SURROGATE.sub("\ufffd", text))
            code, message = NUL_CODE, HALF_TEXT
        return Unclear(value, doubled, code, message) if code and isinstance(value, dict) else value


def _differ(values: Sequence[Any]) -> bool:
    """Whether values differ in more than case and outer blanks."""
    first, *others = map(_spelling, values)
    return any(other != first for other in others)


def _spelling(value: Any) -> Any:
    """The form in which a value is compared: without case and outer blanks. null is the same as blank."""
    if isinstance(value, CONTAINERS):
        return value
    return "" if value is None else str(value).strip().casefold()


def array(text: TextIO) -> Iterator[Any]:
    """Yields the elements of a JSON array. Raises `FormError` if the text is not one JSON array."""
    objects, buffer, position, number = Objects(), text.read(CHUNK_SIZE).lstrip(), 1, 1
    if buffer[:1] != "[":
        raise FileRefused(NO_ARRAY.format(number=number))
    while True:
        position = _after(BETWEEN, buffer, position)
        if buffer[position : position + 1] == "]":
            _check_end(buffer[position + 1 :], text)
            return
        value, end = _read_value(objects, buffer, position)
        if end < len(buffer):
            yield value
            position, number = end, number + 1
            continue
        rest = len(buffer) - position
        chunk = text.read(max(CHUNK_SIZE, min(rest, MAX_LENGTH - rest)))  # a long element is decoded 5 times
        if not chunk or rest > MAX_LENGTH:
            raise FileRefused(NO_ARRAY.format(number=number))
        buffer, position = buffer[position:] + chunk, 0


def _check_end(rest: str, text: TextIO) -> None:
    """Raises `FormError` if text follows the end of an array."""
    while rest:
        if rest.strip():
            raise FileRefused(BEHIND_ARRAY)
        rest = text.read(CHUNK_SIZE)


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The position behind the match of a pattern; `position` without a match."""
    match = pattern.match(text, position)
    return match.end() if match else position


def _read_value(objects: Objects, buffer: str, position: int) -> tuple[Any, int]:
    """The (value at a position, position of its end); (None, end of the buffer) if it is not whole."""
    try:
        return objects.read(buffer, position)
    except (ValueError, RecursionError):
        return None, len(buffer)
