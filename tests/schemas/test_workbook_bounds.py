"""Workbooks that are made to harm are refused within bounds of memory and time."""

import hashlib
import io
import random
import resource
import zipfile

import pytest

from schemas.formats import workbook
from tests.schemas.test_workbook import TWO, book, refused, rewritten, unpack
from workers.child_process import ChildProcess

LAUGHS = b"""<!DOCTYPE workbook [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>"""
OUTSIDE = b'<!DOCTYPE workbook [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
SMALL = b'<!DOCTYPE workbook [<!ENTITY a "ha">]>'


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "x"])
@pytest.mark.parametrize("declared", [LAUGHS, OUTSIDE, SMALL])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_entities_are_refused(part, declared, codec):
    text = f"<?xml version='1.0' encoding='{codec}'?>{declared.decode()}<workbook>&a;</workbook>"
    assert refused(rewritten(TWO, {part: text.encode(codec)})) == workbook.CRAFTED


SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def test_a_workbook_that_inflates_too_much_is_refused_by_its_directory():
    content = bytearray(rewritten(TWO, {"xl/big.xml": b"<a/>"}))
    place = content.rindex(b"xl/big.xml") - 46  # its entry in the directory
    content[place + 24 : place + 28] = (workbook.MAX_INFLATED + 1).to_bytes(4, "little")
    assert refused(bytes(content)) == workbook.TOO_LARGE


def test_a_directory_that_lies_is_found_out_while_reading():
    content = bytearray(rewritten(TWO, {"xl/worksheets/sheet1.xml": SHEET + b"<row/>" * 200_000}))
    place = content.rindex(b"xl/worksheets/sheet1.xml") - 46
    content[place + 24 : place + 28] = (10_000).to_bytes(4, "little")
    assert refused(bytes(content)) == workbook.UNREADABLE


STRINGS_TYPE = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def with_strings(text, count=1):
    """A workbook with a table of `count` equal shared strings, of which its first cell is the first."""
    content = book(("People", [["email"]]))
    with zipfile.ZipFile(io.BytesIO(content)) as made:
        types, sheet = made.read("[Content_Types].xml"), made.read("xl/worksheets/sheet1.xml")
    part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + STRINGS_TYPE + b'"/></Types>'
    start = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    cell = b't="inlineStr"><is><t>email</t></is>'
    assert cell in sheet
    changes = {
        "[Content_Types].xml": types.replace(b"</Types>", part),
        "xl/worksheets/sheet1.xml": sheet.replace(cell, b't="s"><v>0</v>'),
        "xl/sharedStrings.xml": start + (b"<si><t>" + text + b"</t></si>") * count + b"</sst>",
    }
    return rewritten(content, changes)


def test_shared_strings_are_read():
    assert unpack(with_strings(b"email"))[1] == [(1, ["email"])]


def test_too_many_shared_strings_are_refused(monkeypatch):
    monkeypatch.setattr(workbook, "MAX_STRINGS", 2)
    assert unpack(with_strings(b"x", 2))[1] != []
    assert refused(with_strings(b"x", 3)) == workbook.TOO_LARGE


def test_too_many_cells_are_refused_of_any_sheet_that_is_read(monkeypatch):
    monkeypatch.setattr(workbook, "MAX_CELLS", 4)
    fair, large = ("Fair", [["a", "b"]] * 2), ("Large", [["a", "b"]] * 3)
    assert unpack(book(fair, fair))[1] != []
    assert refused(book(fair, large)) == workbook.TOO_LARGE
    assert unpack(book(fair, large), "Fair")[1] != []
    assert refused(book(fair, large), "Large") == workbook.TOO_LARGE


@pytest.mark.parametrize("piece", [b"x" * 20, b"</t><t>x"])
def test_a_string_that_is_too_long_is_refused(monkeypatch, piece):
    monkeypatch.setattr(workbook, "LARGE_PIECE_SIZE", 100)
    monkeypatch.setattr(workbook, "MAX_GAP", 800)
    assert unpack(with_strings(piece * 20))[1] != []
    assert refused(with_strings(piece * 110)) == workbook.TOO_LARGE


def long_cell():
    """A workbook with a cell of 300 MB."""
    cell = b'<row><c r="A1" t="inlineStr"><is><t>' + b"x" * 300_000_000 + b"</t></is></c></row>"
    return rewritten(TWO, {"xl/worksheets/sheet1.xml": SHEET + cell + b"</sheetData></worksheet>"})


def crowded(part, old, element, count):
    """A workbook with many elements in a part, of a size that no ratio refuses."""
    with zipfile.ZipFile(io.BytesIO(TWO)) as archive:
        text = archive.read(part) if part in archive.namelist() else b""
    padding = random.Random(1).randbytes(6_000_000)
    assert old in text
    return rewritten(TWO, {part: text.replace(old, element * count + old, 1), "xl/media/image1.png": padding})


CROWDED = {
    "formats": ("xl/styles.xml", b"</cellXfs>", b"<xf/>", 900_000),
    "names": ("xl/workbook.xml", b"</workbook>", b"<definedName>A</definedName>", 380_000),
    "content types": (
        "[Content_Types].xml",
        b"</Types>",
        b'<Default Extension="a" ContentType="b"/>',
        400_000,
    ),
    "rows": ("xl/worksheets/sheet1.xml", b"</sheetData>", b"<row/>", 2_500_000),
    "cells": ("xl/worksheets/sheet1.xml", b"</sheetData>", b"<c/>", 19_000_000),
    "ranges": ("xl/worksheets/sheet1.xml", b"</worksheet>", b'<mergeCell ref="A1:A2"/>', 600_000),
}


@pytest.mark.parametrize("what", CROWDED)
def test_too_many_elements_of_any_kind_are_refused_within_two_seconds(what):
    content, before = crowded(*CROWDED[what]), cpu_seconds()
    assert refused(content, run=ChildProcess()) == workbook.TOO_LARGE
    assert cpu_seconds() - before < 2


@pytest.mark.parametrize("make", [lambda: with_strings(b"a", 10_000_000), long_cell])
def test_what_inflates_to_hundreds_of_times_its_size_is_refused_within_two_seconds(make):
    content, before = make(), cpu_seconds()
    assert len(content) < 500_000
    assert refused(content, run=ChildProcess()) == workbook.TOO_LARGE
    assert cpu_seconds() - before < 2


def cpu_seconds():
    """Of all children so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def test_a_large_workbook_that_is_fair_is_read():
    rows = "".join(
        f'<row><c t="inlineStr"><is><t>person{number}@example.org</t></is></c>'
        f'<c t="inlineStr"><is><t>{hashlib.sha512(b"%d" % number).hexdigest() * 8}</t></is></c></row>'
        for number in range(16_000)
    )
    assert len(rows) > workbook.SMALL
    content = rewritten(
        TWO, {"xl/worksheets/sheet1.xml": SHEET + rows.encode() + b"</sheetData></worksheet>"}
    )
    assert len(unpack(content, run=ChildProcess())[1]) == 16_000


def test_too_many_columns_are_refused_but_not_blank_ones():
    assert len(unpack(book(("People", [["x"] * 1000, [None] * 1500 + [""]])))[1][0][1]) == 1000
    assert refused(book(("People", [["x"] * 1001]))) == workbook.TOO_MANY_COLUMNS


def test_rows_no_spreadsheet_has_are_refused():
    sheet = SHEET + b'<row r="2000000000"/></sheetData></worksheet>'
    assert refused(rewritten(TWO, {"xl/worksheets/sheet1.xml": sheet})) == workbook.TOO_MANY_ROWS


def test_a_row_that_is_too_long_is_refused():
    assert refused(book(("People", [["email"], ["x" * 30_000] * 40]))).startswith("Row 2 ")


def test_a_workbook_that_needs_too_much_memory_is_refused_in_words():
    large = with_strings(b"x" * 9_000, 1_700)
    assert refused(large, run=ChildProcess(memory_bytes=40 * 2**20)) == workbook.TOO_LARGE


def test_a_workbook_that_needs_too_much_time_is_refused_in_words():
    assert refused(with_strings(b"x", 900_000), run=ChildProcess(cpu_seconds=1)) == workbook.TOO_LARGE


def test_a_crafted_workbook_is_refused_by_the_child_too():
    crafted = rewritten(TWO, {"xl/workbook.xml": LAUGHS + b"<workbook>&d;</workbook>"})
    assert refused(crafted, run=ChildProcess()) == workbook.CRAFTED
