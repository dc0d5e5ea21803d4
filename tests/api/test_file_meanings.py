"""What the columns of an imported file mean: parameters of POST /v1/batch/imports, and its dry run."""

import io
import json
from urllib.parse import parse_qsl

import openpyxl
import pytest

from audience.operations import site_lane
from schemas.file_imports import DRY_RUN_ROWS, WORKBOOK
from tests.api.sent_files import CSV, LINES, ask, import_file, send
from tests.response_assertions import error

ANN = "ann@example.com"


def meanings(response):
    return {column["name"]: column["meaning"] for column in response.json["meta"]["columns"]}


def fields(client, email=ANN):
    return client.find(email)["attributes"]["fields"]


def tags(client, email=ANN):
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    return sorted(names[each] for each in client.find(email)["attributes"]["cached_tag_ids"])


@pytest.mark.parametrize(
    "query",
    [
        {"map[Post]": "email", "map[Wohnort]": "field:city", "map[4]": "ignore"},
        {"map[post]": "email", "map[2]": "fields.city", "map[x]": "ignore"},
        {"map[1]": "EMAIL", "map[WOHNORT]": "field: city", "map[X]": "Ignore"},
    ],
)
def test_columns_are_mapped_by_header_or_place(client, query):
    import_file(client, f"Post,Wohnort,tags,x\n{ANN},Bern,vip,1\n", query=query)
    assert fields(client) == {"city": "Bern"}
    assert tags(client) == ["vip"]


@pytest.mark.parametrize("header", ["City [de]", "City\nde", "[City]", "City]"])
def test_a_header_may_have_brackets_and_breaks(client, header):
    import_file(client, f'email,"{header}"\n{ANN},Bern\n', query={f"map[{header}]": "field:city"})
    assert fields(client) == {"city": "Bern"}


def test_keys_of_json_are_mapped(client):
    text = json.dumps({"Post": ANN, "Wohnort": "Bern", "x": 1, "n": [1]}) + "\n"
    import_file(
        client, text, LINES, query={"map[Post]": "email", "map[Wohnort]": "field:city", "map[x]": "ignore"}
    )
    assert fields(client) == {"city": "Bern", "n": [1]}


@pytest.mark.parametrize(
    ("text", "query", "columns"),
    [
        ("email,plan\nx,y\n", {"map[color]": "ignore"}, ["email", "plan"]),
        ("email,plan\nx,y\n", {"map[plan]": "ignore", "map[2]": "tags"}, None),
        ("email,plan\nx,y\n", {"map[3]": "ignore"}, ["email", "plan"]),
        ("email,plan,plan\nx,y,z\n", {"map[plan]": "ignore"}, ["email", "plan", "plan"]),
        ("email,plan\nx,y\n", {"map[plan]": "email"}, ["email (1)", "plan (2)"]),
        ("email,tags,labels,tags\nx,y,z,a\n", {}, ["tags (2)", "tags (4)"]),
    ],
)
def test_a_file_that_is_not_understood_is_refused_with_what_was_found(client, text, query, columns):
    response = send(client, text, query=query)
    error(response, 422)
    assert response.json.get("columns") == columns
    assert client.get("/batch/imports").json == {"data": []}


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("LEID,Mail\n1,ann@example.com\n", "map[2]=email"),
        ("plan,who\nx,ann@example.com\n", "map[2]=email"),
        ("for whom,who\nbob@example.com,ann@example.com\n", "map[COLUMN]=email"),
        ("ann@example.com,Jo\nbob@example.com,Al\n", "header=0&map[1]=email"),
        ('{"Post": "ann@example.com", "ok": true}\n', "map[1]=email"),
    ],
)
def test_a_column_of_addresses_is_asked_for_together_with_all_else(client, text, option):
    content_type = LINES if text.startswith("{") else CSV
    response = ask(client, text, content_type)
    error(response, 422)
    assert [(each["about"], each["options"][:1]) for each in response.json["asks"]] == [
        ("consent", ["consent=subscribed"]), ("email", [option]),
    ]  # fmt: skip
    names = [column["name"] for column in response.json["columns"]]
    assert response.json["asks"][1]["columns"] == names
    column = "Post" if "Post" in names else "2"
    told = dict(parse_qsl(option.replace("COLUMN", column)))
    query = {"upload": response.json["upload"], "consent": "subscribed", **told}
    assert client.call("POST", "/batch/imports", query=query).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.find(ANN)["attributes"]["unsubscribed_at"] is None


@pytest.mark.parametrize(
    "query",
    [
        {"map[plan]": "nonsense"}, {"map[plan]": "field:"}, {"map": "email"}, {"from": "pigeon"},
        {"consent": "yes"},
        {"header": "perhaps"}, {"dates": "ymd"}, {"dry_run": "maybe"},
    ],
)  # fmt: skip
def test_unknown_parameters_are_refused(client, query):
    error(send(client, f"email,plan\n{ANN},x\n", query=query), 422)
    assert client.counts()[0] == 0


def test_a_file_without_header(client):
    response = send(
        client, f"{ANN},Bern,x\n", query={"header": "0", "map[1]": "email", "map[2]": "field:city"}
    )
    assert meanings(response) == {"1": "email", "2": "field:city", "3": "ignore"}
    import_file(client, f"{ANN},Bern,x\n", query={"header": "0", "map[1]": "email", "map[2]": "field:city"})
    assert fields(client) == {"city": "Bern"}


@pytest.mark.parametrize(("order", "date"), [("dmy", "2023-02-01"), ("mdy", "2023-01-02")])
def test_the_order_of_dates_is_said(client, order, date):
    import_file(client, f"email,created_at\n{ANN},01/02/2023\n", query={"dates": order})
    assert client.find(ANN)["attributes"]["created_at"][:10] == date


def test_everyone_in_a_file_is_tagged(client):
    import_file(client, f"email,tags\n{ANN},vip\n", query={"tag": ["list, old", "vip", " "]})
    assert tags(client) == ["list, old", "vip"]


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("E-Mail,email", {"E-Mail": "field:E-Mail", "email": "email"}),
        ("email,Vorname,Name", {"email": "email", "Vorname": "first_name", "Name": "last_name"}),
        ("email,Name", {"email": "email", "Name": "name"}),
        ("email,created at,subscribed_at", {
            "email": "email", "created at": "created_at", "subscribed_at": "field:subscribed_at",
        }),
        ("email,signup_date,date_added", {
            "email": "email", "signup_date": "created_at", "date_added": "field:date_added",
        }),
        ("email,tags,labels", {"email": "email", "tags": "tags", "labels": "field:labels"}),
        ("email,unsub_time,clean_time,status", {
            "email": "email", "unsub_time": "field:unsub_time", "clean_time": "field:clean_time",
            "status": "field:status",
        }),
        ("email,fields.status,fields.email", {
            "email": "email", "fields.status": "field:status", "fields.email": "field:email",
        }),
    ],
)  # fmt: skip
def test_headers_are_understood(client, header, wanted):
    response = send(client, f"{header}\n{ANN}" + "," * header.count(",") + "\n")
    assert meanings(response) == wanted
    assert all(column["reason"].endswith(".") for column in response.json["meta"]["columns"])


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Ann", "Ann", None), ("Ann Lee", "Ann", "Lee"), ("Ann Mary Lee", "Ann Mary", "Lee"),
        ('"Lee, Ann"', "Ann", "Lee"), (" Ann ", "Ann", None), ('"Lee,"', None, "Lee"),
    ],
)  # fmt: skip
def test_a_whole_name_is_split(client, name, first, last):
    import_file(client, f"email,name\n{ANN},{name}\n")
    person = client.find(ANN)["attributes"]
    assert (person["first_name"], person["last_name"]) == (first, last)


def test_a_part_of_the_name_that_has_a_column_wins(client):
    import_file(client, f"email,name,first_name,last_name\n{ANN},Bob Ray,Ann,\n")
    person = client.find(ANN)["attributes"]
    assert (person["first_name"], person["last_name"]) == ("Ann", "Ray")


def test_the_latest_of_several_dates_of_leaving_counts(client):
    query = {"map[2]": "unsubscribed_at", "map[3]": "unsubscribed_at"}
    import_file(client, f"email,unsub_time,clean_time\n{ANN},2020-01-01,2021-01-01\n", query=query)
    assert client.find(ANN)["attributes"]["unsubscribed_at"][:4] == "2021"


def workbook(*sheets):
    book, binary = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(binary)
    return binary.getvalue()


def test_a_workbook_is_read_and_its_sheet_chosen(client):
    data = workbook(
        ("Notes", [["E-Mail"], ["no@example.com"]]), ("People", [["email", "n"], [ANN, 3], ["x", 4]])
    )
    assert send(client, data, WORKBOOK).json["asks"][0]["options"] == ["sheet=Notes", "sheet=People"]
    response = send(client, data, WORKBOOK, query={"sheet": "Notes"})
    assert (response.json["meta"]["sheet"], response.json["meta"]["sheets"]) == ("Notes", ["Notes", "People"])
    outcome = import_file(client, data, WORKBOOK, query={"sheet": "People"})
    assert (outcome["created"], outcome["failed"]) == (1, 1)
    assert fields(client) == {"n": 3}
    response = send(client, data, WORKBOOK, query={"sheet": "Gone"})
    error(response, 422)
    assert response.json["values"] == ["Notes", "People"]


def test_a_workbook_is_asked_about_and_answered_alike(client):
    data = workbook(("A", [["email", "ok"], [ANN, True], ["bob@example.com", False], ["cy@example.com"]]))
    answer = ask(client, data, WORKBOOK)
    error(answer, 422)
    assert answer.json["columns"][1]["values"] == [
        {"value": "true", "count": 1}, {"value": "false", "count": 1}, {"value": "", "count": 1},
    ]  # fmt: skip
    told = {"consent_column": "ok", "subscribed": "TRUE", "unsubscribed": "false", "unconfirmed": ""}
    query = {"upload": answer.json["upload"], **told}
    assert client.call("POST", "/batch/imports", query=query).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.counts() == (3, 1, 2)


def test_a_dry_run_judges_and_keeps_nothing(client):
    client.create(ANN, tags="vip", plan="pro")
    client.create("gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    client.create("left@example.com")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "left@example.com"}})
    before = client.counts()
    text = (
        f"email,plan,tags,status\n{ANN},free,new,bounced\nbob@example.com,,,\nnobody,,,active\n"
        "gone@example.com,,,\nbob@example.com,a,,unsubscribed\nleft@example.com,,,active\n"
    )
    told = {"subscribed": ["active", ""], "unsubscribed": ["bounced", "unsubscribed"]}
    answer = send(client, text, query={"dry_run": "1", "consent_column": "status", **told}).json
    assert answer["data"] is None
    assert answer["meta"]["columns"][3]["meaning"] == "consent"
    judged = answer["dry_run"]
    assert {name: value for name, value in judged.items() if name != "rows"} == {
        "rows_seen": 6, "whole": True, "created": 1, "updated": 2, "unchanged": 1, "failed": 2,
        "suppressed": 1, "unsubscribed": 2, "stay_unsubscribed": 1,
    }  # fmt: skip
    assert [(row["row"], row["outcome"], row["email"]) for row in judged["rows"]] == [
        (2, "updated", ANN), (3, "created", "bob@example.com"), (4, "refused", "nobody"),
        (5, "suppressed", "gone@example.com"), (6, "updated", "bob@example.com"),
        (7, "unchanged", "left@example.com"),
    ]  # fmt: skip
    first = judged["rows"][0]
    assert (first["fields"], first["tags"]) == ({"plan": "free"}, ["vip", "new"])
    assert first["unsubscribed_at"] is not None
    assert judged["rows"][2]["message"]
    assert [row["status"] for row in judged["rows"]] == [
        "unsubscribed", "unsubscribed", None, None, "unsubscribed", "unsubscribed",
    ]  # fmt: skip
    assert client.counts() == before
    assert client.get("/batch/imports").json == {"data": []}
    assert fields(client) == {"plan": "pro"}


def test_a_dry_run_judges_the_first_rows_of_a_long_file(client):
    rows = "".join(f"p{n}@example.com\n" for n in range(DRY_RUN_ROWS + 1))
    judged = send(client, f"email\n{rows}", query={"dry_run": "1"}).json["dry_run"]
    assert (judged["rows_seen"], judged["whole"], judged["created"]) == (DRY_RUN_ROWS, False, DRY_RUN_ROWS)
    assert len(judged["rows"]) == 20


def test_a_preset_is_found_or_said(client):
    header = "uuid,email,name,attributes,status,created_at,updated_at\n"
    response = send(client, f"{header},ann@example.com,Ann,,enabled,,\n")
    assert response.json["meta"]["preset"] == "listmonk"
    assert "`enabled`" in response.json["meta"]["advice"]
    assert (
        send(client, "email,leid\n", query={"from": "mailchimp"}).json["meta"]["columns"][1]["meaning"]
        == "ignore"
    )
    assert send(client, "email,leid\n").json["meta"]["columns"][1]["meaning"] == "field:leid"


def test_every_type_of_a_table_is_taken(client):
    assert import_file(client, f"email\n{ANN}\n", WORKBOOK)["created"] == 1
    assert import_file(client, workbook(("A", [["email"], ["bob@example.com"]])), CSV)["created"] == 1
