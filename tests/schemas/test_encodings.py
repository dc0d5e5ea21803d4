"""The encoding of a file, and files that are no text."""

import gzip
import io
import zipfile

import pytest

from schemas.base import FormError
from schemas.formats import encodings

TEXT = "email\tfirst_name\r\nann@example.org\tИгорь 😀\r\n"


def read(content):
    binary = io.BytesIO(content)
    name = encodings.encoding(binary)
    with encodings.reading(binary, name) as text:
        return name, text.read()


@pytest.mark.parametrize(
    ("codec", "bom", "name"),
    [
        ("utf-8", b"", "utf-8"),
        ("utf-8", b"\xef\xbb\xbf", "utf-8"),
        ("utf-16-le", b"\xff\xfe", "utf-16-le"),
        ("utf-16-be", b"\xfe\xff", "utf-16-be"),
        ("utf-16-le", b"", "utf-16-le"),
        ("utf-16-be", b"", "utf-16-be"),
    ],
)
def test_every_encoding_is_read_without_its_bom(codec, bom, name):
    assert read(bom + TEXT.encode(codec)) == (name, TEXT)


def test_a_utf_16_file_of_mostly_foreign_letters_is_known_by_its_addresses():
    rows = "email,name\n" + "a@b.jp,山田太郎山田太郎\n" * 3_000
    assert read(rows.encode("utf-16-le")) == ("utf-16-le", rows)


def test_what_is_not_utf_8_is_windows_1252():
    assert read("email;Größe €\n".encode("cp1252")) == ("latin-1", "email;Größe €\n")
    assert read(b"\xef\xbb\xbfemail\n\xff\x81")[1] == "email\nÿ\x81"


@pytest.mark.parametrize("content", [b"email,plan\nua@example.org,pr\0o\n", b"\0\0\0\0", b"e", b""])
def test_nul_alone_does_not_make_utf_16(content):
    assert read(content) == ("utf-8", content.decode())


@pytest.mark.parametrize("content", [b"\xff\xfee\0m\0a", b"\xff\xfee\0\x00\xd8e\0", b"e\0m\0a\0i\0l"])
def test_broken_utf_16_is_refused_in_words(content):
    with pytest.raises(FormError) as error:
        read(content)
    assert error.value.problems[0].message == encodings.BROKEN_UTF16


def zipped():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("people.csv", "email\n")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"email\n", mtime=0), ("gzip", "unpack it first, and import the CSV inside")),
        (zipped(), ("zip", "unpack it first, and import the CSV inside")),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), ("password", ".xlsx")),
        (b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\nann@example.org\n", ("PDF", "CSV")),
    ],
    ids=["gzip", "zip", "xls", "pdf"],
)
def test_what_is_no_text_is_refused_in_words(content, words):
    with pytest.raises(FormError) as error:
        read(content)
    assert all(word in error.value.problems[0].message for word in words)


def test_a_zip_is_known_by_its_beginning():
    assert encodings.is_zip(io.BytesIO(zipped()))
    assert not encodings.is_zip(io.BytesIO(b"PK,email\n"))
