"""The encoding of a text file: UTF-8, UTF-16, or Windows' Latin-1; archives and old workbooks are refused."""

import codecs
import contextlib
import io
from collections.abc import Iterator
from typing import BinaryIO, TextIO

from schemas.formats.refusals import FileRefused

UTF8, UTF16_LE, UTF16_BE, LATIN1 = "utf-8", "utf-16-le", "utf-16-be", "latin-1"
CODECS = {
    UTF8: ("utf-8", "strict"),
    UTF16_LE: ("utf-16-le", "strict"),
    UTF16_BE: ("utf-16-be", "strict"),
    LATIN1: ("cp1252", "as_latin1"),
}
BOMS = {codecs.BOM_UTF8: UTF8, codecs.BOM_UTF16_LE: UTF16_LE, codecs.BOM_UTF16_BE: UTF16_BE}
SAMPLE_SIZE = 2**12
PIECE_SIZE = 2**20
UTF16_SHARE = 0.2  # of the high bytes that are NUL: addresses are ASCII, whatever the rest

GZIP = "The file is compressed with gzip: unpack it first, and import the CSV inside."
ZIP = "The file is a zip archive: unpack it first, and import the CSV inside."
OLD_WORKBOOK = (
    "The file is an old workbook (.xls) or protected by a password: "
    "save it without a password, as an Excel workbook (.xlsx) or as CSV in UTF-8."
)
PDF = "The file is a PDF, not a table: export the people as CSV or as an Excel workbook (.xlsx)."
PAGE = (
    "The file is a web page, not a table. If it asks you to sign in, do so and download it again; if it "
    "shows the people, export them as CSV or as an Excel workbook (.xlsx)."
)
PAGE_BEGINS = ("<!", "<html", "<head", "<script", "<?xml")
BROKEN_UTF16 = "The file looks like UTF-16 but is not: save it as CSV in UTF-8."
UTF32 = "The file is in UTF-32: save it as CSV in UTF-8."
ZIP_BEGINS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
NOT_TEXT = {
    b"\x1f\x8b": GZIP,
    **dict.fromkeys(ZIP_BEGINS, ZIP),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": OLD_WORKBOOK,
    b"%PDF-": PDF,
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), UTF32),
}


def is_zip(binary: BinaryIO) -> bool:
    """Whether the file is a zip archive, as a workbook (XLSX) is."""
    return _start(binary).startswith(ZIP_BEGINS)


def encoding(binary: BinaryIO) -> str:
    """By a BOM or the NULs of UTF-16; else UTF-8 if all of the file is, otherwise Latin-1 (Windows-1252).

    Raises `FormError` on a file that is no text.
    """
    start = _start(binary)
    for beginning, sentence in NOT_TEXT.items():
        if start.startswith(beginning):
            raise FileRefused(sentence)
    if start[:3].count(0) != start[1:4].count(0) and b"\0\0\0" in start[:4]:
        raise FileRefused(UTF32)
    guess = BOMS.get(_bom(start)) or _utf16(start) or UTF8
    if _is_all(binary, guess):
        return guess
    if guess != UTF8:
        raise FileRefused(BROKEN_UTF16)
    return LATIN1


@contextlib.contextmanager
def reading(binary: BinaryIO, encoding: str) -> Iterator[TextIO]:
    """The file's text from its beginning, without a BOM; line endings are kept."""
    codecs.register_error("as_latin1", _as_latin1)
    binary.seek(len(_bom(_start(binary))))
    codec, errors = CODECS[encoding]
    text = io.TextIOWrapper(binary, codec, errors, newline="")
    try:
        yield text
    finally:
        text.detach()


def _start(binary: BinaryIO) -> bytes:
    binary.seek(0)
    return binary.read(SAMPLE_SIZE)


def _bom(start: bytes) -> bytes:
    return next((bom for bom in BOMS if start.startswith(bom)), b"")


def _utf16(start: bytes) -> str | None:
    """UTF-16 without a BOM: the first character is ASCII, and many others are."""
    for name, high, low in ((UTF16_LE, start[1::2], start[0::2]), (UTF16_BE, start[0::2], start[1::2])):
        if high[:1] == b"\0" and low[:1] != b"\0" and high.count(0) > UTF16_SHARE * len(high):
            return name
    return None


def _is_all(binary: BinaryIO, encoding: str) -> bool:
    """Whether the whole file can be decoded so."""
    decoder = codecs.getincrementaldecoder(encoding)()
    binary.seek(0)
    try:
        while piece := binary.read(PIECE_SIZE):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    """Decodes the five bytes that Windows-1252 does not define."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101
    return chr(error.object[error.start]), error.start + 1
