"""What is asked about a file before its columns are: encoding, sheet, header, hidden rows."""

import io
import json

import openpyxl
import pytest

from schemas.file_imports import WORKBOOK
from tests.api.sent_files import LINES, ask, import_file, send

NAMES = "email;jméno\nann@example.com;Žofie Dvořáková\n"


def asked(answer, about):
    assert answer.status_code == 422, answer.text
    return next(each for each in answer.json["asks"] if each["about"] == about)


def test_a_file_that_is_not_utf_8_is_asked_about_with_its_readings_side_by_side(client):
    question = asked(send(client, NAMES.encode("cp1250")), "encoding")
    assert question["options"][:2] == ["encoding=cp1252", "encoding=cp1250"]
    assert question["readings"]["cp1252"] == ["jméno", "Žofie Dvoøáková"]
    assert question["readings"]["cp1250"] == ["jméno", "Žofie Dvořáková"]
    assert "row" not in question["message"]
    assert client.counts() == (0, 0, 0)
    import_file(client, NAMES.encode("cp1250"), query={"encoding": "windows-1250"})
    assert client.find("ann@example.com")["attributes"]["fields"] == {"jméno": "Žofie Dvořáková"}


def test_json_lines_are_asked_about_as_well(client):
    content = (json.dumps({"email": "ann@example.com", "město": "Brno"}, ensure_ascii=False) + "\n").encode(
        "cp1250"
    )
    assert "encoding=cp1250" in asked(send(client, content, LINES), "encoding")["options"]
    import_file(client, content, LINES, query={"encoding": "cp1250"})
    assert client.find("ann@example.com")["attributes"]["fields"] == {"město": "Brno"}


@pytest.mark.parametrize(
    ("content", "row", "column"),
    [
        (
            "email,first_name\nann@example.com,Zoë\nbob@example.com,René\n".encode().replace(
                b"Ren\xc3\xa9", b"Ren\xe9"
            ),
            3,
            2,
        ),
        ("email,Größe\nann@example.com,1\n".encode().replace(b"\xc3\x9f", b"\xdf"), 1, 2),
    ],
)
def test_one_byte_that_is_no_utf_8_is_named_by_row_and_column(client, content, row, column):
    message = asked(send(client, content), "encoding")["message"]
    assert f"the first of them in row {row}, column {column}; correct them, or choose" in message


def test_a_file_is_asked_about_all_at_once(client):
    text = "Our members\n\nemail;created_at;jméno\nann@example.com;01/02/2023;Žofie\n"
    answer = ask(client, text.encode("cp1250"))
    assert [each["about"] for each in answer.json["asks"]] == ["consent", "encoding", "header_row", "dates"]


@pytest.mark.parametrize("value", ["klingon", "punycode", "x" * 9_000])
def test_an_encoding_that_is_not_known_is_refused_with_those_that_are(client, value):
    answer = send(client, NAMES, query={"encoding": value})
    assert answer.status_code == 422
    assert "cp1250" in answer.text


def test_a_file_that_is_not_as_it_is_said_is_refused(client):
    answer = send(client, NAMES.encode("cp1250"), query={"encoding": "utf-8"})
    assert answer.status_code == 422
    assert "is not in the encoding that you named: line 1" in answer.text


TITLED = "Members of the choir;\n;\nemail;plan\nann@example.com;pro\n"


def test_a_title_above_the_header_is_asked_about(client):
    assert asked(send(client, TITLED), "header_row")["options"] == ["header_row=3"]
    import_file(client, TITLED, query={"header_row": "3"})
    assert client.find("ann@example.com")["attributes"]["fields"] == {"plan": "pro"}
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("row", ["0", "x", "-1", "9" * 20, "1.5"])
def test_a_row_of_the_header_is_a_number(client, row):
    assert send(client, TITLED, query={"header_row": row}).status_code == 422


def book(*sheets, change=str):
    made = openpyxl.Workbook()
    assert made.active is not None
    made.remove(made.active)
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    change(made)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


PEOPLE = [
    ["email", "plan"],
    ["ann@example.com", "pro"],
    ["bob@example.com", "free"],
    ["cy@example.com", "pro"],
]


def hide(made):
    made.active.row_dimensions[3].hidden = True


@pytest.mark.parametrize(("said", "count"), [("import", 3), ("skip", 2)])
def test_hidden_rows_are_counted_and_asked_about(client, said, count):
    content = book(("People", PEOPLE), change=hide)
    question = asked(send(client, content, WORKBOOK), "hidden_rows")
    assert question["options"] == ["hidden_rows=import", "hidden_rows=skip"]
    assert question["message"].startswith("1 row is hidden")
    import_file(client, content, WORKBOOK, query={"hidden_rows": said})
    assert client.counts()[0] == count


def test_a_title_in_a_workbook_is_asked_about(client):
    content = book(("People", [["Our members"], [], *PEOPLE]))
    assert asked(send(client, content, WORKBOOK), "header_row")["options"] == ["header_row=3"]
    import_file(client, content, WORKBOOK, query={"header_row": "3"})
    assert client.counts()[0] == 3


def test_of_several_sheets_with_addresses_one_is_asked_for(client):
    content = book(("Members", PEOPLE), ("Notes", [["nothing"]]), ("Unsubscribed", PEOPLE[:2]))
    question = asked(send(client, content, WORKBOOK), "sheet")
    assert question["options"] == ["sheet=Members", "sheet=Unsubscribed"]
    import_file(client, content, WORKBOOK, query={"sheet": "Members"})
    assert client.counts()[0] == 3


def test_a_formula_without_a_stored_value_refuses_the_file_only_where_it_counts(client):
    def compute(made):
        made.active["A3"] = "=A2"

    answer = send(client, book(("People", PEOPLE), change=compute), WORKBOOK)
    assert "The formula in column 1, row 3 has no stored value" in answer.text
    assert client.counts() == (0, 0, 0)

    def elsewhere(made):
        made.active["B3"] = "=B2"

    import_file(client, book(("People", PEOPLE), change=elsewhere), WORKBOOK)
    assert client.counts()[0] == 3


def test_digits_are_read_as_the_sheet_shows_them(client):
    def pad(made):
        made.active["B2"].number_format = "00000"

    import_file(client, book(("People", [["email", "zip"], ["ann@example.com", 501]]), change=pad), WORKBOOK)
    assert client.find("ann@example.com")["attributes"]["fields"] == {"zip": "00501"}


STATUS = {"consent_column": "status", "subscribed": "subscribed", "unsubscribed": "unsubscribed"}


def test_merged_cells_fill_down_in_the_column_of_consent(client):
    def merge(made):
        made.active.merge_cells("A2:A5")
        made.active.merge_cells("C3:C5")

    rows = [["company", "email", "status"], ["Ex AS", "ann@example.com", "subscribed"]]
    rows += [["", "bob@example.com", "unsubscribed"], [], ["", "cy@example.com"]]
    content = book(("People", [*rows, ["", "dan@example.com", "subscribed"]]), change=merge)
    import_file(client, content, WORKBOOK, query=STATUS)
    left = {
        name: client.find(f"{name}@example.com")["attributes"]["unsubscribed_at"] is not None
        for name in ("ann", "bob", "cy", "dan")
    }
    assert left == {"ann": False, "bob": True, "cy": True, "dan": False}
    assert client.find("cy@example.com")["attributes"]["fields"] == {}


def test_merged_cells_whose_first_row_is_hidden_fill_down_all_the_same(client):
    def merge(made):
        made.active.merge_cells("B2:B3")
        made.active.merge_cells("B5:B6")
        made.active.row_dimensions[2].hidden = True

    rows = [
        ["email", "status"],
        ["ann@example.com", "unsubscribed"],
        ["bob@example.com"],
        ["cy@example.com", "subscribed"],
    ]
    rows += [["dan@example.com", "unsubscribed"], ["eve@example.com"]]
    content = book(("People", rows), change=merge)
    import_file(client, content, WORKBOOK, query={**STATUS, "hidden_rows": "skip"})
    assert client.counts() == (4, 1, 3)


def test_a_formula_of_consent_without_a_stored_value_refuses_the_file(client):
    def compute(made):
        made.active["B3"] = "=B2"

    rows = [["email", "status"], ["ann@example.com", "subscribed"], ["bob@example.com", "unsubscribed"]]
    answer = send(client, book(("People", rows), change=compute), WORKBOOK, query=STATUS)
    assert answer.status_code == 422
    assert "The formula in column 2, row 3 has no stored value" in answer.text


@pytest.mark.parametrize(("header", "cell"), [("unsubscribed_at", "2020-01-01"), ("command", "unsubscribe")])
def test_merged_cells_fill_down_under_our_own_headers(client, header, cell):
    def merge(made):
        made.active.merge_cells("B2:B3")

    rows = [["email", header], ["p0@example.com", cell], ["p1@example.com"], ["p2@example.com", ""]]
    import_file(client, book(("People", rows), change=merge), WORKBOOK)
    assert client.counts() == (3, 1, 2)


@pytest.mark.parametrize("header", ["unsubscribed_at", "command", "opt_out", "Abgemeldet am"])
def test_a_formula_without_a_value_that_may_say_who_left_refuses_the_file(client, header):
    def compute(made):
        made.active["B3"] = "=B2"

    rows = [["email", header], ["p0@example.com", ""], ["p1@example.com", ""]]
    content = book(("People", rows), change=compute)
    assert "The formula in column 2, row 3" in send(client, content, WORKBOOK).text
    if header in ("opt_out", "Abgemeldet am"):
        import_file(client, content, WORKBOOK, query={"consent": "subscribed", "ignore_column": header})


def test_a_place_of_a_sheet_becomes_its_name(client):
    rows = [["email", "plan"], ["ann@example.com", "pro"]]
    text = book(("Notes", [["x"]]), ("People", rows))
    query = {"sheet": "2", "consent": "subscribed", "dry_run": "1"}
    line = send(client, text, WORKBOOK, query=query).json["meta"]["answers"]
    assert "sheet=People" in line
    other = book(("People", rows), ("Left", [["email", "plan"], ["bob@example.com", "pro"]]))
    import_file(client, other, WORKBOOK, query={"answers": line})
    assert client.find("ann@example.com")
    assert client.find("bob@example.com") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Newsletter of the choir\n\nName,Wohin,Since\nAnn,ann@example.com,2020\n", 2),
        ("Newsletter of the choir;;\n;;\nName;Wohin;Since\nAnn;ann@example.com;2020\n", 2),
        ("Newsletter of the choir\n\nWohin;Name\nann@example.com;Ann\n", 1),
        ("Newsletter of the choir\n\nメールアドレス,Name\n,Bo\nann@example.com,Ann\n", 1),
    ],
)
def test_a_header_below_a_title_without_a_known_address_column_is_offered(client, text, place):
    answer = send(client, text)
    assert asked(answer, "header_row")["options"] == ["header_row=3"]
    assert asked(answer, "email")["options"] == [f"map[{place}]=email"]
    import_file(client, text, query={"header_row": "3", f"map[{place}]": "email"})
    assert client.find("ann@example.com") is not None


def test_a_column_of_addresses_that_is_named_is_looked_for_below_a_title(client):
    text = "My choir\n\nName,Wohin\nAnn,ann@example.com\n"
    assert asked(send(client, text, query={"map[Wohin]": "email"}), "header_row")["options"] == [
        "header_row=3"
    ]


def test_a_first_person_without_an_address_is_no_header(client):
    answer = send(client, "Name,Wohin,Since\nBo,,2020\nAnn,ann@example.com,\n")
    assert [each["about"] for each in answer.json["asks"]] == ["email"]
    assert asked(answer, "email")["options"] == ["map[2]=email"]


def test_no_row_above_a_header_row_is_lost(client):
    rows = [["email", "plan"], ["bob@example.com", "a"], ["email", "plan"], ["cy@example.com", "b"]]
    answer = send(client, book(("People", rows)), WORKBOOK, query={"header_row": "3"})
    assert answer.status_code == 422
    assert "Row 2 has an address" in answer.text
