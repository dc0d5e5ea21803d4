"""CSV records, by the numbers of rows that a spreadsheet shows and of lines that an editor shows."""

import io

import pytest

from schemas.base import Doubled, FormError
from schemas.formats import readers
from schemas.formats.encodings import UTF8
from tests.rows import each_row


def records(text, delimiter=","):
    return list(readers.records(io.StringIO(text, newline=""), delimiter))


def refusal(text, delimiter=","):
    with pytest.raises(FormError) as error:
        records(text, delimiter)
    return error.value.problems[0].message


@pytest.mark.parametrize("line", ["sep=;\r\n", '"sep=;"\n', "SEP=;\r"])
def test_a_first_line_may_name_the_delimiter_and_is_no_row(line):
    content = f"{line}a;b\r\nc,d;e".encode()
    assert list(readers.delimiters(io.BytesIO(b"\xef\xbb\xbf" + content), UTF8)) == [";"]
    assert readers.header(io.BytesIO(content), UTF8, ";") == ["a", "b"]
    assert records(content.decode(), ";") == [(1, ["a", "b"]), (2, ["c,d", "e"])]


@pytest.mark.parametrize("mark", list(",;\t|^ ~"))
def test_any_mark_may_be_named(mark):
    text = f"sep={mark}\na{mark}b\n"
    assert list(readers.delimiters(io.BytesIO(text.encode()), UTF8)) == [mark]
    assert records(text, mark) == [(1, ["a", "b"])]


@pytest.mark.parametrize("text", ["sep=;b;c\n", "sep=\n", "sep=x\n", "separate\n", ""])
def test_other_first_lines_are_rows(text):
    assert list(readers.delimiters(io.BytesIO(text.encode()), UTF8)) == [",", ";", "\t", "|"]
    assert records(text) == ([(1, [text.strip()])] if text else [])


def test_blank_lines_before_the_header_count_but_are_no_records():
    text = "\n , \nemail,plan\n\nlou@example.org,pro\n"
    assert readers.header(io.BytesIO(text.encode()), UTF8, ",") == ["email", "plan"]
    assert records(text) == [(3, ["email", "plan"]), (4, []), (5, ["lou@example.org", "pro"])]
    assert readers.header(io.BytesIO(b"\n\n"), UTF8, ",") == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
@each_row(
    ("lines", "opened"),
    [
        (["email,plan", 'pa@example.org,"pro', "qa@example.org,free"], 2),
        (['"email', '",plan', '"two', 'lines","open', "", "x,y"], 4),
        (["email", '"'], 2),
        (["sep=,", "email", 'a,"b'], 3),
    ],
)
def test_a_quote_never_closed_is_named_by_its_line(lines, opened, end, last):
    message = refusal(end.join(lines) + (end if last else ""))
    assert (
        message
        == f"The quote on line {opened} is not closed: close it, or double it if it is part of the text."
    )


def test_mixed_line_ends():
    assert records("a\rb\nc\r\nd") == [(1, ["a"]), (2, ["b"]), (3, ["c"]), (4, ["d"])]


def test_a_cell_that_is_too_long_is_named_by_the_line_where_its_row_begins():
    assert refusal('a\n"b\nc"\n"' + "x\n" * 2**20).startswith("Line 4 begins a row")


def test_the_mark_of_the_end_may_occur_in_the_file():
    assert records("a\nb\0end,c\n")[1] == (2, ["b\0end", "c"])


def test_rows_of_a_workbook_keep_their_types():
    binary = io.BytesIO('[1,["email","Plätze"]]\n[3,["a@example.org",3,1.5,true,""]]\n'.encode())
    assert list(readers.sheet_records(binary)) == [
        (1, ["email", "Plätze"]),
        (3, ["a@example.org", 3, 1.5, True, ""]),
    ]


@pytest.mark.parametrize("size", [1, 2**16])
def test_an_element_with_equal_keys_has_all_their_values(monkeypatch, size):
    monkeypatch.setattr(readers, "CHUNK_SIZE", size)
    text = (
        '[{"a": 1, "a": {"b": 2, "b": 3}, "c": 4}, {"a": {"b": 2, "b": 3}}, [{"b": 1, "b": 2}], 5, '
        '{"a": " X", "a": "x"}, {"a": null, "a": ""}]'
    )
    first, second, *others = readers.array(io.StringIO(text))
    assert (first, first.doubled) == ({"a": {"b": 3}, "c": 4}, {"a": [1, {"b": 3}], "b": [2, 3]})
    assert (second, second.doubled) == ({"a": {"b": 3}}, {"b": [2, 3]})
    assert others == [[{"b": 2}], 5, {"a": "x"}, {"a": ""}]
    assert not any(isinstance(each, Doubled) for each in others)
