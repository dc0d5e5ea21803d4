"""All text of an uploaded file, for a search in it."""

import re
from collections.abc import Generator, Mapping
from typing import Any, BinaryIO

from schemas.formats import encodings, workbook
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import Run

PIECE_LENGTH, OVERLAP = 2**16, 2**11  # characters; a word of interest is shorter than the second
ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(.))|""')
NAME = r"(?:[^\s<>/:]{1,99}:)?"
SEAM = re.compile(rf"</{NAME}t></{NAME}r><{NAME}r>(?:<[^<>]{{1,200}}>){{0,20}}?<{NAME}t[^<>]{{0,99}}>")
HEADER_MARK = re.compile(r"&amp;(?:[A-Z]|[0-9]{1,3})")  # of a side or a size
BREAKS = dict.fromkeys("bfnrt", "\n")
UNKNOWN = "The encoding of the file is not known."


def kept_texts(
    run: Run, parameters: Mapping[str, Any], binary: BinaryIO, unpacked: BinaryIO
) -> Generator[str, None, None]:
    """Yields the text of a file, or of all parts of an archive such as a workbook, in overlapping chunks.

    A chunk with escapes comes twice: as it is, and without them (`unescape`). The parts of an archive are
    written to `unpacked`. Raises `FormError` if part of the file cannot be read.
    """
    encoding: str | None = "utf-8"
    if encodings.is_zip(binary):
        workbook.unpack_parts(run, binary, unpacked)
        binary = unpacked
    else:
        encoding = encodings.encoding(binary, encodings.find_encoding(str(parameters.get("encoding", ""))))
    if encoding is None:
        raise FileRefused(UNKNOWN)
    before = ""
    with encodings.reading(binary, encoding) as text:
        while chunk := text.read(PIECE_LENGTH):
            part = before + chunk
            yield part
            if (plain := unescape(part)) != part:
                yield plain
            before = chunk[-OVERLAP:]


def unescape(text: str) -> str:
    """The text as a reader of the file would see it: without JSON's escapes, CSV's doubled quotes, and a
    workbook's tags in formatted text and codes in page headers.
    """
    plain = ESCAPE.sub(_character, HEADER_MARK.sub("\n", SEAM.sub("", text)))
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else BREAKS.get(escape[2], escape[2] or '"')
