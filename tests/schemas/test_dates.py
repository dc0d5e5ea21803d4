"""Dates of files: by one cell, and by what the other cells of the column tell."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from schemas.formats import dates
from schemas.formats.date_columns import DateColumn
from schemas.values import WholeDay, write_date
from tests.rows import each_row


@each_row(
    ("cell", "instant"),
    [
        ("2022-01-01", "2022-01-01T00:00:00.000Z"),
        ("2021-08-30T10:00:00.000Z", "2021-08-30T10:00:00.000Z"),
        ("2022-01-01 10:00:00.123456 +0000 +0000", "2022-01-01T10:00:00.123Z"),
        ("2022-01-02 10:00:00 +0000 UTC", "2022-01-02T10:00:00.000Z"),
        ("2022-01-02 10:00:00 +0100 CET", "2022-01-02T09:00:00.000Z"),
        ("2022-01-02 10:00:00.5 -0330 NST m=+0.000123", "2022-01-02T13:30:00.500Z"),
        ("2022-01-02T10:00:00.123456789Z", "2022-01-02T10:00:00.123Z"),
        ("2022-01-02 10:00:00 UTC", "2022-01-02T10:00:00.000Z"),
        ("2022/1/2", "2022-01-02T00:00:00.000Z"),
        ("2022/01/02 3:04 PM", "2022-01-02T15:04:00.000Z"),
        ("31.12.2022", "2022-12-31T00:00:00.000Z"),
        ("1.2.2022 7:05", "2022-02-01T07:05:00.000Z"),
        ("\u200b 01.02.2022\u00a007:05:09 \ufeff", "2022-02-01T07:05:09.000Z"),
        ("05/05/2024", "2024-05-05T00:00:00.000Z"),
        ("45418", "2024-05-06T00:00:00.000Z"),
        ("45418.75", "2024-05-06T18:00:00.000Z"),
        ("Jan 5, 2024", "2024-01-05T00:00:00.000Z"),
        ("5 January 2024", "2024-01-05T00:00:00.000Z"),
        ("5th of March 2024", "2024-03-05T00:00:00.000Z"),
        ("May 31st, 2024 at 3pm", "2024-05-31T15:00:00.000Z"),
        ("Mar 5, 2024, 10:00AM", "2024-03-05T10:00:00.000Z"),
        ("Thursday, February 29, 2024", "2024-02-29T00:00:00.000Z"),
        ("05-Jan-24", "2024-01-05T00:00:00.000Z"),
        ("05-JAN-69 11:30 p.m.", "1969-01-05T23:30:00.000Z"),
        ("2024-Sep-05", "2024-09-05T00:00:00.000Z"),
        ("Tue, 05 Mar 2024 10:00:00 +0100", "2024-03-05T09:00:00.000Z"),
        ("5 Mar 24 10:00 EST", "2024-03-05T15:00:00.000Z"),
        ("Tue, 5 Mar 2024 10:00:00 +0100 (CET)", "2024-03-05T09:00:00.000Z"),
        ("Tue Mar 05 2024 10:00:00 GMT+0100 (Central European Standard Time)", "2024-03-05T09:00:00.000Z"),
        ("Tue Mar  5 10:00:00 2024", "2024-03-05T10:00:00.000Z"),
        ("Tue Mar 05 10:00:00 -0330 2024", "2024-03-05T13:30:00.000Z"),
        ("5. März 2024", "2024-03-05T00:00:00.000Z"),
        ("1 août 2023 08:15", "2023-08-01T08:15:00.000Z"),
        ("5 de enero de 2024", "2024-01-05T00:00:00.000Z"),
    ],
)
def test_a_date_that_needs_no_order(cell, instant):
    assert write_date(dates.read_date(cell)) == instant


@each_row(
    ("cell", "dmy", "mdy"),
    [
        ("01/02/2023", "2023-02-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z"),
        ("1-2-2023", "2023-02-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z"),
        ("1/2/2023, 12:05:06 AM", "2023-02-01T00:05:06.000Z", "2023-01-02T00:05:06.000Z"),
        ("1/2/2023 12:05\u202fp.m.", "2023-02-01T12:05:00.000Z", "2023-01-02T12:05:00.000Z"),
        ("01.02.2023", "2023-02-01T00:00:00.000Z", "2023-02-01T00:00:00.000Z"),
        ("11/1/16 3pm", "2016-01-11T15:00:00.000Z", "2016-11-01T15:00:00.000Z"),
        ("02-03-70", "1970-03-02T00:00:00.000Z", "1970-02-03T00:00:00.000Z"),
        ("02.03.68", "2068-03-02T00:00:00.000Z", "2068-03-02T00:00:00.000Z"),
    ],
)
def test_a_date_whose_order_is_told(cell, dmy, mdy):
    assert write_date(dates.read_date(cell, dates.DMY)) == dmy
    assert write_date(dates.read_date(cell, dates.MDY)) == mdy


@each_row(
    ("cell", "order"),
    [
        ("01/02/2023", dates.ISO), ("31/12/2022", dates.MDY), ("12/31/2022", dates.DMY),
        ("31/12/22", dates.ISO), ("05.05.22", dates.ISO), ("31/12/222", dates.DMY), ("0/1/2022", dates.DMY),
        ("30/02/2022", dates.DMY), ("1/2/2022 13:00 PM", dates.DMY), ("1/2/2022 0:00 AM", dates.DMY),
        ("1/2.2022", dates.DMY), ("yesterday", dates.ISO), ("", dates.ISO), ("12345", dates.ISO),
        ("2022-01-02 10:00:00 CET", dates.ISO), ("٠١/٠٢/٢٠٢٣", dates.DMY), ("5 Ju 2024", dates.ISO),
        ("9999-12-31 23:00:00 -9900", dates.ISO), ("5 Jui 2024", dates.ISO), ("Jan 5, 24", dates.ISO),
        ("until 5 March 2024", dates.ISO), ("30 February 2024", dates.DMY), ("5 March 2024 15", dates.ISO),
        ("March 2024", dates.ISO), ("1586270016", dates.ISO), ("1586270016", dates.MDY),
        ("2024-03-05", dates.EPOCH), ("15862700", dates.EPOCH),
        ("2022-01-01" + " " * 100 + "x", dates.ISO),
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused_in_words(cell, order):
    with pytest.raises(ValueError, match="four digits") as error:
        dates.read_date(cell, order)
    assert str(error.value) == dates.FILE_DATE


@pytest.mark.parametrize(
    ("cell", "instant"),
    [
        ("1586270016", "2020-04-07T14:33:36.000Z"),
        ("1586270016000.0", "2020-04-07T14:33:36.000Z"),
        ("999999999", "2001-09-09T01:46:39.000Z"),
    ],
)
def test_a_number_since_1970(cell, instant):
    assert write_date(dates.read_date(cell, dates.EPOCH)) == instant


@each_row(
    ("cell", "form", "instant"),
    [
        ("11/20/2026", dates.MDY, "2026-11-20T05:00:00.000Z"),
        ("2026-07-20 10:00", dates.ISO, "2026-07-20T14:00:00.000Z"),
        ("45418", dates.ISO, "2024-05-06T04:00:00.000Z"),
        ("July 20, 2026", dates.ISO, "2026-07-20T04:00:00.000Z"),
        ("2026-07-20T10:00Z", dates.ISO, "2026-07-20T10:00:00.000Z"),
        ("20 Jul 2026 10:00 GMT", dates.ISO, "2026-07-20T10:00:00.000Z"),
        ("2026-07-20 10:00:00 +0200 CEST", dates.ISO, "2026-07-20T08:00:00.000Z"),
        ("1586270016", dates.EPOCH, "2020-04-07T14:33:36.000Z"),
    ],
)
def test_a_date_without_a_zone_is_of_the_one_that_is_passed(cell, form, instant):
    assert write_date(dates.read_date(cell, form, ZoneInfo("America/New_York"))) == instant


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("11/20/2026", dt.date(2026, 11, 20)), ("45418", dt.date(2024, 5, 6)),
        ("2026-08-21", dt.date(2026, 8, 21)),
        ("July 20, 2026", dt.date(2026, 7, 20)), ("45418.75", None), ("2026-08-21 00:00", None),
        ("20 Jul 2026 0:00 EST", None),
    ],
)  # fmt: skip
def test_a_day_without_a_time_is_a_whole_day(cell, day):
    at = dates.read_date(cell, dates.MDY, ZoneInfo("America/New_York"))
    assert (at.date if isinstance(at, WholeDay) else None) == day


@each_row(
    ("cells", "form"),
    [
        (["2023-02-01", "31/12/2022", "01/02/2023"], dates.DMY),
        (["01/02/2023", "12/31/2022 3:04 PM"], dates.MDY),
        (["2023-02-01", "words"], dates.ISO),
        (["31.12.2022", "1.2.2022"], dates.ISO),
        (["05/05/2024"], dates.ISO),
        (["01/02/2023"], None),
        (["31.12.2022", "01/02/2023"], None),
        (["31/12/2022", "12/31/2022"], None),
        (["31/12/2022", "30/11/22"], None),
        (["05/05/24"], None),
        (["31.12.22"], None),
        (["05-Jan-24", "Jan 13, 2024"], dates.ISO),
        (["13/13/2022"], dates.ISO),
        (["1586270016", "1586270016000"], dates.EPOCH),
        (["1586270016", "2022-01-01"], dates.ISO),
        ([], dates.ISO),
    ],
)
def test_a_column_tells_its_form(cells, form):
    assert _column(cells).form() == form


def test_a_column_tells_which_cells_each_form_cannot_read():
    column = _column(["1586270016", "2022-01-01", "31/12/2022", "12/31/2022", "soon", "later", "soon"])
    assert column.unread == {None: 4, dates.ISO: 6, dates.DMY: 5, dates.MDY: 5, dates.EPOCH: 6}
    assert column.shown[dates.DMY] == {"1586270016": 1, "12/31/2022": 1, "soon": 2}
    assert (column.first_row[dates.DMY], column.first_row[dates.EPOCH]) == (2, 3)


def _column(cells):
    column = DateColumn()
    for row, cell in enumerate(cells, 2):
        column.see(row, cell)
    return column
