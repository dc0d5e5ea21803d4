"""Sheets of workbooks whose names say that the people in them have left, over HTTP and by command."""

import io

import openpyxl
import pytest

from schemas.file_imports import WORKBOOK
from tests.api.sent_files import import_file, send
from tests.response_assertions import error


def workbook(*sheets):
    """A workbook with sheets of these names and rows."""
    book, binary = openpyxl.Workbook(), io.BytesIO()
    for place, (name, rows) in enumerate(sheets):
        sheet = book.create_sheet(name, place)
        for row in rows:
            sheet.append(row)
    book.save(binary)
    return binary.getvalue()


ANN = [["email", "name"], ["ann@example.com", "Ann"]]
TWO = workbook(("Subscribed", ANN), ("Unsubscribed", ANN))


@pytest.mark.parametrize(
    ("data", "query"),
    [
        (TWO, {"sheet": "Unsubscribed"}),
        (TWO, {"sheet": "2"}),
        (workbook(("nonsubscribed_email_audience_ex", ANN)), {}),
        (workbook(("sms_only_email_audience_export", ANN)), {}),
        (workbook(("Unconfirmed", ANN)), {"dry_run": "1"}),
        (workbook(("Cleaned", [["email", "status"], ["ann@example.com", "active"]])), {}),
    ],
)
def test_a_sheet_whose_name_says_that_its_people_left_is_refused_until_it_is_said(client, data, query):
    response = send(client, data, WORKBOOK, query=query)
    error(response, 422)
    assert "name of the sheet" in response.json["errors"][0]["message"]
    assert "consent=unsubscribed" in response.json["errors"][0]["message"]
    assert client.counts()[0] == 0
    import_file(client, data, WORKBOOK, query={"consent": "unsubscribed", "sheet": query.get("sheet", "1")})
    assert client.counts() == (1, 0, 1)


@pytest.mark.parametrize(
    "data",
    [
        TWO,  # the first sheet is read
        workbook(("Unsubscribed", [["email", "status"], ["ann@example.com", "cleaned"]])),
        workbook(("Sheet1", ANN)),
    ],
)
def test_any_other_sheet_is_taken(client, data):
    assert import_file(client, data, WORKBOOK)["created"] == 1


def test_the_command_refuses_such_a_sheet(run, client, tmp_path):
    file = tmp_path / "book.xlsx"
    file.write_bytes(TWO)
    command = ("import", file, "--site", client.site.uuid, "--sheet", "Unsubscribed")
    said = run(*command, exit_code=1)
    assert "The name of the sheet" in said
    assert "--consent unsubscribed" in said
    run(*command, "--consent", "unsubscribed")
    assert client.counts() == (1, 0, 1)
