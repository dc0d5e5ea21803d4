"""Dates of files: by one cell, and by what the other cells of the column tell."""

import pytest

from schemas.formats import dates
from schemas.values import write_date


@pytest.mark.parametrize(
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
    ],
)
def test_a_date_that_needs_no_order(cell, instant):
    assert write_date(dates.read_date(cell)) == instant


@pytest.mark.parametrize(
    ("cell", "dmy", "mdy"),
    [
        ("01/02/2023", "2023-02-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z"),
        ("1-2-2023", "2023-02-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z"),
        ("1/2/2023, 12:05:06 AM", "2023-02-01T00:05:06.000Z", "2023-01-02T00:05:06.000Z"),
        ("1/2/2023 12:05\u202fp.m.", "2023-02-01T12:05:00.000Z", "2023-01-02T12:05:00.000Z"),
        ("01.02.2023", "2023-02-01T00:00:00.000Z", "2023-02-01T00:00:00.000Z"),
    ],
)
def test_a_date_whose_order_is_told(cell, dmy, mdy):
    assert write_date(dates.read_date(cell, dates.DMY)) == dmy
    assert write_date(dates.read_date(cell, dates.MDY)) == mdy


@pytest.mark.parametrize(
    ("cell", "order"),
    [
        ("01/02/2023", dates.ISO), ("31/12/2022", dates.MDY), ("12/31/2022", dates.DMY),
        ("31/12/22", dates.DMY), ("31.12.22", dates.DMY), ("30/02/2022", dates.DMY), ("0/1/2022", dates.DMY),
        ("1/2/2022 13:00 PM", dates.DMY), ("1/2/2022 0:00 AM", dates.DMY), ("1/2.2022", dates.DMY),
        ("yesterday", dates.ISO), ("", dates.ISO), ("12345", dates.ISO),
        ("2022-01-02 10:00:00 CET", dates.ISO),
        ("٠١/٠٢/٢٠٢٣", dates.DMY), ("9999-12-31 23:00:00 -9900", dates.ISO),
        ("2022-01-01" + " " * 100 + "x", dates.ISO),
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused_in_words(cell, order):
    with pytest.raises(ValueError, match="four digits") as error:
        dates.read_date(cell, order)
    assert str(error.value) == dates.FILE_DATE


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["2023-02-01", "31/12/2022", "01/02/2023"], dates.DMY),
        (["01/02/2023", "", "12/31/2022 3:04 PM"], dates.MDY),
        (["2023-02-01", "", "words"], dates.ISO),
        (["31.12.2022", "1.2.2022"], dates.ISO),
        (["05/05/2024"], dates.ISO),
        (["01/02/2023"], None),
        (["31.12.2022", "01/02/2023"], None),
        (["31/12/2022", "12/31/2022"], None),
        (["13/13/2022"], dates.ISO),
        ([], dates.ISO),
    ],
)
def test_a_column_tells_the_order_by_a_day_above_12(cells, order):
    column = dates.DateOrder()
    for cell in cells:
        column.see(cell)
    assert column.order() == order
