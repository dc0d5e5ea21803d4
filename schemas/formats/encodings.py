"""The encoding of a text file: UTF-8, UTF-16, or the one that the user names. Archives and old workbooks are
refused.
"""

import codecs
import contextlib
import io
from collections.abc import Iterator
from encodings.aliases import aliases
from functools import partial
from itertools import takewhile
from typing import BinaryIO, TextIO

from schemas.formats.refusals import FileRefused

UTF8, UTF16_LE, UTF16_BE = "utf-8", "utf-16-le", "utf-16-be"
UNICODE = (UTF8, UTF16_LE, UTF16_BE)
UTF8_ANYHOW = "utf-8 with other bytes"  # they become lone surrogates
SAID = (  # the more common first
    "cp1252", "cp1250", "cp1254", "cp1251", "cp1253", "gb18030", "cp932", "big5", "cp949", "cp1257", "cp1255",
    "cp1256", "mac-roman", "koi8-r", "cp850", "iso8859-2", "cp874", "cp1258", "iso8859-15", "iso8859-1",
    "cp437", "cp852", "cp866", "euc_jp", "gbk", "mac-latin2", "mac-cyrillic", "koi8-u", "iso8859-5",
    "iso8859-7", "iso8859-9", "iso8859-13", *UNICODE,
)  # fmt: skip
BOMS = {codecs.BOM_UTF8: UTF8, codecs.BOM_UTF16_LE: UTF16_LE, codecs.BOM_UTF16_BE: UTF16_BE}
SAMPLE_SIZE = 2**12
PIECE_SIZE = 2**12
UTF16_SHARE = 0.2  # of the high bytes that are NUL: addresses are ASCII, whatever the rest

GZIP = "The file is compressed with gzip: unpack it first, and import the CSV inside."
ZIP = "The file is a zip archive: unpack it first, and import the CSV inside."
OLD_WORKBOOK = (
    "The file is an old workbook (.xls) or protected by a password. Save it without a password, as an Excel "
    "workbook (.xlsx) or as CSV in UTF-8."
)
PDF = "The file is a PDF, not a table: export the people as CSV or as an Excel workbook (.xlsx)."
PAGE = (
    "The file is a web page, not a table. If it asks you to sign in, do so and download it again. If it "
    "shows the people, export them as CSV or as an Excel workbook (.xlsx)."
)
PAGE_BEGINS = ("<!", "<html", "<head", "<script", "<?xml")
BROKEN_UTF16 = "The file looks like UTF-16 but is not: save it as CSV in UTF-8."
IS_UTF8 = "The file is in UTF-8, not in the encoding that you named: leave encoding out."
WRONG = (
    "The file is not in the encoding that you named: line {line}, or a line soon after it, cannot be "
    "read. Name another encoding."
)
UTF32 = "The file is in UTF-32: save it as CSV in UTF-8."
ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
NOT_TEXT = {
    b"\x1f\x8b": GZIP,
    **dict.fromkeys(ZIP_SIGNATURES, ZIP),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": OLD_WORKBOOK,
    b"%PDF-": PDF,
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), UTF32),
}


def is_zip(binary: BinaryIO) -> bool:
    """Whether the file is a zip archive, as a workbook (XLSX) is."""
    return _start(binary).startswith(ZIP_SIGNATURES)


def find_encoding(name: str) -> str | None:
    """The encoding in `SAID` with a name; None if the name is unknown."""
    module = _normal(name)
    return _MODULES.get(aliases.get(module, module))


def _normal(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


_MODULES = {aliases.get(_normal(name), _normal(name)): name for name in SAID}  # which read the encodings


def encoding(binary: BinaryIO, name: str | None = None) -> str | None:
    """The encoding of a file; None if the user must be asked.

    It is the named one (`name`), else UTF-16 if a BOM or NULs show it, else UTF-8 if that can read the whole
    file. Raises `FormError` for a file that is no text, or not in that encoding.
    """
    start = _start(binary)
    for beginning, sentence in NOT_TEXT.items():
        if start.startswith(beginning):
            raise FileRefused(sentence)
    if start[:3].count(0) != start[1:4].count(0) and b"\0\0\0" in start[:4]:
        raise FileRefused(UTF32)
    guess = name or BOMS.get(_bom(start)) or _utf16(start) or UTF8
    if (
        name
        and name not in UNICODE
        and not all(map(bytes.isascii, _pieces(binary)))
        and can_read(binary, UTF8)
    ):
        raise FileRefused(IS_UTF8)
    if can_read(binary, guess):
        return guess
    if name:
        raise FileRefused(WRONG.format(line=_lines_before(binary, guess)))
    if guess != UTF8:
        raise FileRefused(BROKEN_UTF16)
    return None


@contextlib.contextmanager
def reading(binary: BinaryIO, encoding: str) -> Iterator[TextIO]:
    """Opens the file's text from its beginning, without a BOM. Keeps line endings, and `binary` open."""
    binary.seek(len(_bom(_start(binary))))
    codec, errors = (UTF8, "surrogateescape") if encoding == UTF8_ANYHOW else (encoding, "strict")
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
    """The variant of UTF-16 in which a file without a BOM begins; None if it seems to be another encoding.

    Its first character must be ASCII, and many others, too.
    """
    for name, high, low in ((UTF16_LE, start[1::2], start[0::2]), (UTF16_BE, start[0::2], start[1::2])):
        if high[:1] == b"\0" and low[:1] != b"\0" and high.count(0) > UTF16_SHARE * len(high):
            return name
    return None


def can_read(binary: BinaryIO, encoding: str) -> bool:
    """Whether the whole file can be decoded in an encoding."""
    return all(_decodable_chunks(binary, encoding))


def _lines_before(binary: BinaryIO, encoding: str) -> int:
    """The approximate number of the first line that the encoding cannot read."""
    return 1 + sum(chunk.count(b"\n") for chunk in takewhile(bool, _decodable_chunks(binary, encoding)))


def _decodable_chunks(binary: BinaryIO, encoding: str) -> Iterator[bytes]:
    """Yields the chunks of a file up to the first that cannot be decoded, then an empty one."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in _pieces(binary):
            decoder.decode(chunk)
            yield chunk
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        yield b""


def _pieces(binary: BinaryIO) -> Iterator[bytes]:
    binary.seek(0)
    return iter(partial(binary.read, PIECE_SIZE), b"")
