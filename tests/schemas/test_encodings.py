"""The encoding of a file, and files that are no text."""

import gzip
import io
import zipfile

import pytest

from schemas.base import FormError
from schemas.formats import encoding_readings, encodings
from tests.rows import each_row

TEXT = "email\tfirst_name\r\nann@example.org\tИгорь 😀\r\n"


def read(content, said=None):
    binary = io.BytesIO(content)
    name = encodings.encoding(binary, said)
    assert name
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


@pytest.mark.parametrize("said", ["windows-1252", "CP1252", " cp1252 "])
def test_what_is_not_utf_8_is_read_as_it_is_said(said):
    content = "email;Größe €\n".encode("cp1252")
    assert encodings.encoding(io.BytesIO(content)) is None
    assert read(content, encodings.find_encoding(said)) == ("cp1252", "email;Größe €\n")


@each_row("name", ["", "cp1", "punycode", "unicode_escape", "rot13", "x" * 1000, "a\0b", "utf-7"])
def test_only_encodings_of_files_are_known(name):
    assert encodings.find_encoding(name) is None


def test_each_of_the_encodings_is_known_to_python_by_that_name():
    assert [encodings.find_encoding(name) for name in encodings.SAID] == list(encodings.SAID)


def test_an_answer_of_before_does_not_spoil_a_file_that_is_utf_8():
    """A nightly job sends the encoding again, when the program beside it writes UTF-8 at last."""
    with pytest.raises(FormError) as error:
        read("email;Größe €\n".encode(), "cp1252")
    assert error.value.problems[0].message == encodings.IS_UTF8
    assert read(b"email;plan\n", "cp1252") == ("cp1252", "email;plan\n")


@pytest.mark.parametrize("name", ["utf-8", "cp1252", "gb18030"])
def test_a_file_that_is_not_as_it_is_said_names_the_line(name):
    with pytest.raises(FormError) as error:
        read(b"email\n" * 2000 + b"\x81\n", name)
    assert error.value.problems[0].message[:66] in {
        f"The file is not in the encoding that you named: line {line}, or a line"[:66]
        for line in range(1300, 2002)
    }


@each_row(
    ("codec", "text"),
    [
        ("cp1250", "email;jméno\nx;Žofie Dvořáková"),
        ("cp1251", "имя;Иван Петров"),
        ("cp1252", "Größe;Jürgen €"),
        ("cp1253", "όνομα;Ελένη"),
        ("cp1254", "ad;Ayşe Yıldız"),
        ("gb18030", "姓名,王小明"),
        ("big5", "姓名,王小明"),
        ("cp932", "名前,山田太郎"),
        ("cp949", "이름,김철수"),
        ("mac-roman", "prénom;Zoë Müller"),
        ("cp850", "prénom;Zoë Müller"),
        ("koi8-r", "имя;Иван Петров"),
    ],
)
def test_the_right_reading_is_among_the_likeliest_three(codec, text):
    readings = encoding_readings.likely(io.BytesIO((text + "\nann@example.com\n" * 9_000).encode(codec)))
    assert len(readings) <= 3
    words = [word for word in text.replace(",", ";").replace("\n", ";").split(";") if not word.isascii()]
    assert readings[codec] == words[:3]


def test_no_reading_is_likely_that_fails_further_down():
    content = "prénom\n".encode("cp1252") + b"Zo\x81\n"
    assert "cp1252" not in encoding_readings.likely(io.BytesIO(content))


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
