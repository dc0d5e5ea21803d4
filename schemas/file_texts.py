"""All text of a file that an operator sent, to search it."""

import re
from collections.abc import Generator, Iterator, Mapping
from typing import Any, BinaryIO

from schemas.formats import encodings, readers, workbook
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import Run

PIECE_LENGTH, OVERLAP = 2**16, 2**11  # characters; a word of interest is shorter than the second
ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(.))|""')
BREAKS = dict.fromkeys("bfnrt", "\n")
UNKNOWN = "The encoding of the file is not known."


def kept_texts(
    run: Run, parameters: Mapping[str, Any], binary: BinaryIO, unpacked: BinaryIO
) -> Generator[str, None, None]:
    """The text of a file in overlapping chunks, also with its escapes resolved; of a workbook, the rows of
    all sheets.

    Raises `FormError` on a file that cannot be read whole.
    """
    if encodings.is_zip(binary):
        yield from _sheets(run, binary, unpacked)
        return
    encoding = encodings.encoding(binary, encodings.find_encoding(str(parameters.get("encoding", ""))))
    if encoding is None:
        raise FileRefused(UNKNOWN)
    before = ""
    with encodings.reading(binary, encoding) as text:
        while chunk := text.read(PIECE_LENGTH):
            part = before + chunk
            yield part
            if (plain := unescaped(part)) != part:
                yield plain
            before = chunk[-OVERLAP:]


def _sheets(run: Run, binary: BinaryIO, unpacked: BinaryIO) -> Iterator[str]:
    sheets = workbook.unpack(run, binary, unpacked).sheets
    if not 0 < len(sheets) < workbook.MAX_NAMES:  # an archive of other files, or too many
        raise FileRefused(workbook.TOO_LARGE)
    for number in range(1, len(sheets) + 1):
        unpacked.seek(0)
        unpacked.truncate()
        workbook.unpack(run, binary, unpacked, str(number))
        for _, cells in readers.sheet_records(unpacked):
            yield "\n".join(map(str, cells))


def unescaped(text: str) -> str:
    """The text without the escapes of JSON, and with the quotes that CSV doubles."""
    plain = ESCAPE.sub(_character, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else BREAKS.get(escape[2], escape[2] or '"')
