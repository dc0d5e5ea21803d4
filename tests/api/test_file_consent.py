"""Who in a file may be written to: asked once, over HTTP, and answered of everyone or by a column."""

import json

import pytest

from audience.access import audit_log
from audience.imports import file_uploads
from tests.api.sent_files import (
    LINES,
    ask,
    asked,
    by_column,
    command,
    import_file,
    is_in,
    left,
    people,
    send,
)
from tests.client import open_client

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"


def status(client, email):
    return client.find(email)["attributes"]["unsubscribed_at"]


def test_a_file_without_an_answer_is_asked_about(client):
    body = asked(client, people("status", "active", "gone", "active", ""))
    (question,) = body["asks"]
    assert question["about"] == "consent"
    assert question["options"] == [
        "consent=subscribed", "consent=unsubscribed", "consent=unconfirmed", "consent_column=HEADER",
    ]  # fmt: skip
    assert question["message"] in body["errors"][0]["message"]
    assert body["columns"][1] == {
        "place": 2, "name": "status",
        "values": [{"value": "active", "count": 2}, {"value": "gone", "count": 1},
                   {"value": "", "count": 1}],
    }  # fmt: skip
    assert "values" not in body["columns"][0] or not body["columns"][0]["values"]
    assert body["suggestion"] == {"consent_column": "status", IN: ["active"]}


@pytest.mark.parametrize(
    ("answer", "known_in", "new_in"), [(IN, True, True), (OUT, False, False), (NOT_YET, True, False)]
)
def test_an_answer_for_everyone(client, answer, known_in, new_in):
    client.create("p0@example.com")
    client.create("p1@example.com")
    command(client, "unsubscribe", "p1@example.com")
    import_file(client, people("plan", "a", "b", "c"), query={"consent": answer})
    assert [is_in(client, f"p{n}@example.com") for n in range(3)] == [known_in, False, new_in]


def test_a_date_of_unsubscribing_is_its_instant_and_counts_as_such(client):
    client.create("p0@example.com")
    text = people("gone", "2020-01-01", "2020-01-01")
    import_file(client, text, query=by_column("gone", unsubscribed="date", subscribed=""))
    assert not is_in(client, "p0@example.com")
    assert status(client, "p1@example.com") == "2020-01-01T00:00:00.000Z"


@pytest.mark.parametrize("column", ["state", "active", "status", "bounced", "inactive", "cancelled", "left"])
@pytest.mark.parametrize("value", ["disabled", "yes", "no", "cancelled", "bounced", "ON"])
def test_who_has_agreed_comes_in_and_the_column_is_a_field(client, column, value):
    client.create("p1@example.com")
    response = send(client, people(column, value, value))
    assert response.status_code == 200
    import_file(client, people(column, value, value))
    assert left(client, 2) == set()
    assert column in client.find("p0@example.com")["attributes"]["fields"]
    assert response.json["meta"]["advice"] is None


GUARDED = [
    ("note", ["hello", "Unsubscribed"]),
    ("anything", ["x"] * 1_200 + ["désabonné"]),
    ("tags", ['"vip, unsubscribed"']),
    ("unsubscribed", ["no", "yes"]),
    ("Unsubscribe Date", ["", "2024-05-06"]),
    ("opt_out", ["0", "1"]),
    ("Abgemeldet", ["nein", "06.05.2024"]),
]


@pytest.mark.parametrize(("header", "values"), GUARDED)
def test_a_file_of_whom_all_agreed_must_not_say_otherwise(client, header, values):
    body = asked(client, people(header, *values), {"consent": IN})
    message = body["errors"][0]["message"]
    assert f"Row {len(values) + 1} " in message
    assert "ignore_column" in message
    assert [each["name"] for each in body["columns"]] == [header]
    import_file(client, people(header, *values), query={"consent": IN, "ignore_column": header})
    assert client.counts() == (len(values), len(values), 0)


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("unsubscribed", ["no", "0", ""]), ("Unsubscribe", ["https://example.org/u/1"]),
        ("note", ["never unsubscribed"]), ("bounced", ["yes"]), ("do_not_email", ["no"]),
    ],
)  # fmt: skip
def test_what_does_not_say_so_literally_is_no_contradiction(client, header, values):
    import_file(client, people(header, *values))
    assert client.counts() == (len(values), len(values), 0)


@pytest.mark.parametrize("meaning", ["status", "subscribed", "unsubscribed", "consent"])
def test_a_meaning_of_consent_is_asked_for_otherwise(client, meaning):
    body = asked(client, people("x", "yes"), {"consent": IN, "map[x]": meaning})
    assert "consent_column=" in body["errors"][0]["message"]


@pytest.mark.parametrize(
    "query",
    [
        {"consent": "yes"}, {"consent": IN, "consent_column": "x"}, {"consent": IN, "subscribed": "a"},
        {"subscribed": "a"}, {"consent_column": "y"}, {"consent_column": "3"},
        {"consent_column": "x", "subscribed": "a", "unsubscribed": "A "},
        {"consent": IN, "ignore_column": "y"},
    ],
)  # fmt: skip
def test_an_answer_that_fits_no_file_is_refused(client, query):
    body = asked(client, people("x", "a"), query)
    assert "asks" not in body
    assert all(each["message"].endswith(".") for each in body["errors"])


def test_json_is_asked_and_answered_alike(client):
    text = (
        '{"email": "p0@example.com", "ok": true, "data": {"in": 1}}\n'
        '{"email": "p1@example.com", "ok": false, "data": {"in": 0}}\n{"email": "p2@example.com"}\n'
    )
    body = asked(client, text, content_type=LINES)
    assert [each["value"] for each in body["columns"][1]["values"]] == ["true", "false", ""]
    query = by_column("ok", subscribed="true", unsubscribed="false", unconfirmed="")
    import_file(client, text, LINES, query=query)
    assert left(client, 3) == {1, 2}
    other = open_client(client.http)
    query = by_column("data", subscribed=['{"in":1}', ""], unsubscribed='{"in":0}')
    import_file(other, text, LINES, query=query)
    assert left(other, 3) == {1}
    person = other.find("p0@example.com")
    assert person
    assert person["attributes"]["fields"] == {"ok": True}


def test_our_own_export_answers_by_itself(client, other_client):
    fields = {"status": "unsubscribed", "subscribed": "no", "leid": "7", "name": "x", "foo": "opted out"}
    client.create("ann@example.com", fields=fields)
    client.create("bob@example.com")
    command(client, "unsubscribe", "bob@example.com")
    response = ask(other_client, client.get("/fetch/export").data)
    assert response.status_code == 200
    import_file(other_client, client.get("/fetch/export").data)
    assert [is_in(other_client, f"{name}@example.com") for name in ("ann", "bob")] == [True, False]
    assert other_client.find("ann@example.com")["attributes"]["fields"] == fields


def test_a_file_that_breaks_off_before_its_consent_is_refused(client):
    query = by_column("ok", subscribed="y", unsubscribed="n")
    body = asked(client, "email,plan,ok\np0@example.com,a,y\np1@example.com,b", query)
    assert "breaks off" in body["errors"][0]["message"]
    asked(client, "email,plan,unsubscribed_at\np0@example.com,a", {"consent": IN})
    import_file(client, "email,plan,ok\np0@example.com,a,y\np1@example.com,b,n", query=query)
    import_file(client, "email,plan,ok\np0@example.com,a")
    assert left(client, 2) == {1}


def test_a_heading_within_a_sheet_is_no_row(client):
    asked(client, "email,x\np0@example.com,1\nUnsubscribed,\np1@example.com,2\n", {"consent": IN})


def test_a_file_without_people_is_not_asked_about(client):
    response = ask(client, "email,plan\n", query={"dry_run": "1"})
    assert response.json["meta"]["advice"] == "The file has no people."


def test_the_answer_is_kept_with_the_import_and_in_the_audit_log(client):
    import_file(client, people("x", "a"))
    file = file_uploads.files(client.site, [1])[1]
    assert file.consent == "everyone has agreed"
    assert file.answers == "consent=subscribed&seen=email&seen=x"
    [entry] = [each for each in audit_log.page(client.site) if each.act == "file imported"]
    assert json.loads(entry.typed) == {"consent": "everyone has agreed"}
    assert entry.actor == file.actor


PHPLIST = (
    "id\temail\tconfirmed\tblacklisted\toptedin\n0\tp0@example.com\t1\t0\t1\n"
    "1\tp1@example.com\t1\t1\t1\n2\tp2@example.com\t0\t0\t1\n3\tp3@example.com\t1\t0\t0\n"
)
BLACKLISTED = by_column("blacklisted", subscribed="0", unsubscribed="1")
CONFIRMED = by_column("confirmed", subscribed="1", unsubscribed="0")


def test_another_column_that_says_no_is_asked_about_beside_the_one_that_says_who(client):
    (question,) = asked(client, PHPLIST, BLACKLISTED)["asks"]
    assert (question["about"], question["columns"]) == ("others", ["confirmed", "optedin"])
    assert question["options"] == ["ignore_column=confirmed", "ignore_column=optedin"]
    import_file(client, PHPLIST, query=BLACKLISTED | {"ignore_column": ["confirmed", "optedin"]})
    assert left(client, 4) == {1}


@pytest.mark.parametrize("order", [(BLACKLISTED, CONFIRMED), (CONFIRMED, BLACKLISTED)])
def test_two_columns_say_who_in_any_order(client, order):
    for answer in order:
        others = {"confirmed", "blacklisted", "optedin"} - {answer["consent_column"]}
        import_file(client, PHPLIST, query=answer | {"ignore_column": sorted(others)})
    assert left(client, 4) == {1, 2}


@pytest.mark.parametrize("header", ["is_confirmed", "Accepts Marketing", "Bestätigt", "opt-in"])
@pytest.mark.parametrize(("cell", "is_open"), [("no", True), ("nein", True), ("", False), ("yes", False)])
def test_only_a_no_of_who_comes_in_is_asked_about(client, header, cell, is_open):
    text = f"email,state,{header}\np0@example.com,in,{cell}\np1@example.com,out,no\n"
    answer = ask(client, text, query=by_column("state", subscribed="in", unsubscribed="out"))
    assert (answer.status_code == 422) == is_open
    assert ask(client, text, query={"consent": IN, "dry_run": "1"}).status_code == 200
