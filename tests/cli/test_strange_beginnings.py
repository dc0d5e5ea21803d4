"""Files whose first row is no header: the advice is what helps."""

import io

import openpyxl
import pytest

PRETTY = '[\n {\n  "email": "ann@example.com"\n }\n]\n'


@pytest.fixture
def refused(run, client, tmp_path):
    """What the command says of a file that it refuses."""

    def invoke(content, name="people.csv", exit_code=1):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return run("import", file, "--site", client.site.uuid, exit_code=exit_code)

    return invoke


def book(**sheets):
    """A workbook of these sheets, each of some rows."""
    made, binary = openpyxl.Workbook(), io.BytesIO()
    del made[made.sheetnames[0]]
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(binary)
    return binary.getvalue()


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_lines_that_are_in_quotes_as_a_whole(refused, mark):
    said = refused(f'"email{mark}status"\n"ann@example.com{mark}unsubscribed"\n')
    assert "completely in quotes" in said
    assert "--map" not in said


@pytest.mark.parametrize("text", ['[{"email": "ann@example.com"}]', PRETTY, '{"email": "ann@example.com"}\n'])
def test_json_by_the_name_of_csv(refused, text):
    said = refused(text)
    assert "is JSON, not CSV: give it a name that ends in .json" in said
    assert "--no-header" not in said


@pytest.mark.parametrize("text", [
    "Export of My list,,\nemail,name,plan\nann@example.com,Ann,pro\n",
    "Mailing list\n2 people\nName;Email\nAnn;ann@example.com\n",
])  # fmt: skip
def test_a_title_above_the_header(refused, text):
    row = 1 + [("mail," in line or ";Email" in line) for line in text.splitlines()].index(True)
    said = refused(text, exit_code=2)
    assert f"the header seems to be row {row}: give `--header-row {row}`." in said
    assert "--map" not in said


def test_a_title_on_the_sheet_of_a_workbook(refused):
    rows = [["Export"], ["email", "name"], ["ann@example.com", "Ann"]]
    assert "give `--header-row 2`" in refused(book(People=rows), "people.xlsx", exit_code=2)


def test_a_workbook_that_begins_with_a_cover(refused):
    said = refused(
        book(Cover=[["Members 2026"]], People=[["email"], ["ann@example.com"]], Old=[["email"]]),
        "people.xlsx",
        exit_code=2,
    )
    assert "Other sheets also have a column of addresses: give `--sheet People` or `--sheet Old`." in said


def test_a_first_row_of_a_person_is_still_asked_about(refused):
    said = refused("ann@example.com,post\nbob@example.com,email\n", exit_code=2)
    assert "it seems to be a subscriber, not a header" in said
    said = refused("Contact,Prefers\nann@example.com,x\nbob@example.com,email\n", exit_code=2)
    assert "give `--map 1=email`" in said


@pytest.mark.parametrize("bom", [True, False])
@pytest.mark.parametrize("codec", ["utf-32-le", "utf-32-be"])
def test_utf_32_is_named(refused, codec, bom):
    text = "email,plan\nann@example.com,pro\n"
    said = refused((("\ufeff" if bom else "") + text).encode(codec))
    assert "The file is in UTF-32: save it as CSV in UTF-8." in said
