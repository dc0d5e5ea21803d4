"""Workbooks: what is read of them, and what is refused."""

import datetime as dt
import io
import tempfile
import zipfile

import openpyxl
import pytest

from schemas.base import FormError
from schemas.formats import encodings, workbook
from schemas.formats.readers import sheet_records
from schemas.formats.refusals import FileRefused
from tests.rows import each_row
from workers.child_process import ChildProcess

PEOPLE = [
    ["E-Mail", "Vorname", "Plan", "Seats", "Joined"],
    ["hedi@example.org", "Hedi", "pro", 3, dt.date(2024, 5, 6)],
    ["ivo@example.org", "Ivo", None, 1.5],
]


def moment(microsecond):
    return dt.datetime(2024, 5, 6, 7, 8, 9, microsecond)  # noqa: DTZ001 - a spreadsheet knows no zones


def book(*sheets):
    """The bytes of a workbook with sheets of these names and rows."""
    made = openpyxl.Workbook()
    assert made.active is not None
    made.remove(made.active)
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


def rewritten(content, changes):
    """The workbook with some of its parts changed or added."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {**dict.fromkeys(old.namelist()), **changes}:
            new.writestr(name, changes[name] if name in changes else old.read(name))
    return made.getvalue()


def here(function, *arguments):
    """In this process, for workbooks that do no harm."""
    return function(*arguments)


def unpack(content, sheet=None, run=here):
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(content)
        told = workbook.unpack(run, source, target, sheet)
        return told, list(sheet_records(target))


def refused(content, sheet=None, run=here):
    with pytest.raises(FormError) as error:
        unpack(content, sheet, run)
    return error.value.problems[0].message


def test_numbers_and_dates_keep_their_types():
    told, rows = unpack(book(("People", PEOPLE)), run=ChildProcess())
    assert told == workbook.Workbook("People", ["People"], merged=[])
    assert repr(rows) == repr(
        [
            (1, ["E-Mail", "Vorname", "Plan", "Seats", "Joined"]),
            (2, ["hedi@example.org", "Hedi", "pro", 3, "2024-05-06"]),
            (3, ["ivo@example.org", "Ivo", "", 1.5]),
        ]
    )


@each_row(
    ("value", "cell"),
    [
        ("007", "007"), ("Größe\n😀", "Größe\n😀"), (True, True), (False, False), (2.0, 2), (-1.25, -1.25),
        (2**63, "9.223372036854776e+18"), (moment(0), "2024-05-06T07:08:09"),
        (moment(120_000), "2024-05-06T07:08:09.120"), (dt.time(7, 8), "07:08:00"),
        (dt.timedelta(hours=30), "1 day, 6:00:00"), ("#N/A", "#N/A"),
    ],
)  # fmt: skip
def test_cells(value, cell):
    rows = unpack(book(("People", [[value]])))[1]
    assert repr(rows) == repr([(1, [cell])])


def changed(change, *rows):
    """The bytes of a workbook with a sheet of such rows, which was changed."""
    made = openpyxl.load_workbook(io.BytesIO(book(("People", rows))))
    change(made.active)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


@each_row(
    ("number_format", "value", "cell"),
    [
        ("00000", 501, "00501"),
        ("00000", 501.0, "00501"),
        ("00000", 123456, "123456"),
        ("0", 501, 501),
        ("0.00", 501, 501),
        ("#,##0", 501, 501),
        ("General", 501, 501),
        ("00000", 0.5, 0.5),
        ("00000", -5, -5),
        ("00000", "501", "501"),
        ("00000\\-0000", 5010001, "00501-0001"),
        ("000-00-0000", 12345678, "012-34-5678"),
        ('"+"00 00 00', 12345, "+01 23 45"),
        ("00000;[Red]-00000", 501, "00501"),
        ("00", True, True),
    ],
)
def test_numbers_are_read_as_their_format_pads_them(number_format, value, cell):
    def pad(sheet):
        sheet["A1"].number_format = number_format

    rows = unpack(changed(pad, [value]))[1]
    assert repr(rows) == repr([(1, [cell])])


def test_hidden_rows_are_counted_and_left_out_if_that_is_said():
    def hide(sheet):
        for row in (2, 4, 9):
            sheet.row_dimensions[row].hidden = True

    content = changed(hide, ["email"], ["a@b.co"], ["c@d.co"], [None])
    told, rows = unpack(content)
    assert (told.hidden, len(rows)) == (1, 3)
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(content)
        workbook.unpack(here, source, target, None, skip_hidden=True)
        assert list(sheet_records(target)) == [(1, ["email"]), (3, ["c@d.co"])]


def test_merged_cells_and_formulas_without_a_value_are_told():
    def merge(sheet):
        sheet.merge_cells("B2:B4")
        sheet.merge_cells("C1:D1")
        sheet["D3"] = "=A3"
        sheet["D4"] = "=A4"

    told, rows = unpack(
        changed(merge, ["email", "status"], ["a@b.co", "left"], ["c@d.co"]), run=ChildProcess()
    )
    assert told.merged == [[2, 2, 4, "left"]]
    assert told.not_computed == {4: 3}
    assert rows == [(1, ["email", "status"]), (2, ["a@b.co", "left"]), (3, ["c@d.co"])]


def test_a_formula_that_gives_no_text_is_computed():
    content = changed(lambda sheet: sheet.__setitem__("B1", "=A1"), ["x"])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    assert unpack(content)[0].not_computed == {2: 1}
    computed = sheet.replace(b'<c r="B1">', b'<c r="B1" t="str">')
    assert unpack(rewritten(content, {"xl/worksheets/sheet1.xml": computed}))[0].not_computed == {}


def test_rows_keep_their_numbers_and_blank_ones_are_left_out():
    rows = unpack(book(("People", [[], ["email"], [None, None], [], ["a@example.org", None, ""]])))[1]
    assert rows == [(2, ["email"]), (5, ["a@example.org"])]


def test_a_wrong_dimension_hides_nothing():
    content = book(("People", PEOPLE))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    assert b'"A1:E3"' in sheet
    wrong = rewritten(content, {"xl/worksheets/sheet1.xml": sheet.replace(b'"A1:E3"', b'"A1:B2"')})
    assert len(unpack(wrong)[1]) == 3
    assert unpack(wrong)[1][1][1][4] == "2024-05-06"


TWO = book(("Notes", [["nothing"]]), ("People", [["email"]]), ("1", [["one"]]))


@pytest.mark.parametrize(
    ("sheet", "name"),
    [(None, "Notes"), ("People", "People"), (" people ", "People"), ("2", "People"), ("3", "1"), ("1", "1")],
)
def test_a_sheet_is_chosen_by_its_name_or_else_its_place(sheet, name):
    told, rows = unpack(TWO, sheet)
    others = {} if sheet else {"People": [["email"]], "1": [["one"]]}
    assert told == workbook.Workbook(name, ["Notes", "People", "1"], merged=[], others=others)
    assert rows[0][1] == [{"Notes": "nothing", "People": "email", "1": "one"}[name]]


@pytest.mark.parametrize("sheet", ["0", "4", "Peoples", "", "-1", "9" * 5000])
def test_a_sheet_that_is_not_there_is_refused_with_those_that_are(sheet):
    with pytest.raises(FileRefused) as error:
        unpack(TWO, sheet)
    assert error.value.found == {"values": ["Notes", "People", "1"]}
    assert error.value.problems[0].message == workbook.NO_SHEET


def test_a_hidden_sheet_is_not_the_first():
    made = openpyxl.load_workbook(io.BytesIO(TWO))
    made["Notes"].sheet_state = "hidden"
    content = io.BytesIO()
    made.save(content)
    assert unpack(content.getvalue())[0].sheet == "People"


def archive(**parts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for name, text in parts.items():
            made.writestr(name.replace("__", "/"), text)
    return content.getvalue()


@each_row(
    ("content", "sentence"),
    [
        (archive(people="email\n"), encodings.ZIP),
        (archive(), encodings.ZIP),
        (archive(mimetype="application/vnd.oasis.opendocument.spreadsheet"), workbook.OPEN_DOCUMENT),
        (rewritten(TWO, {"xl/workbook.bin": b"\x83\x01\0"}), workbook.BINARY),
        (b"PK\x03\x04" + bytes(100), workbook.UNREADABLE),
        (rewritten(TWO, {"xl/workbook.xml": b"<workbook"}), workbook.UNREADABLE),
        (
            rewritten(TWO, {"xl/worksheets/sheet1.xml": b"<worksheet><sheetData><row r='x'/>"}),
            workbook.UNREADABLE,
        ),
        (TWO[:-500], workbook.UNREADABLE),
    ],
)
def test_what_is_no_workbook_is_refused_in_words(content, sentence):
    assert refused(content) == sentence
