"""Consent in imported files: a column of consent only takes people out (docs/files.md)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.sent_files import CSV, LINES, import_file, people, send
from tests.client import open_client
from tests.depth import examples
from tests.response_assertions import error


def status(client, email):
    return client.find(email)["attributes"]["unsubscribed_at"]


def is_in(client, email):
    return status(client, email) is None


def command(client, name, email):
    client.post("/fetch/commands", {"command": {"command": name, "email": email}})


def refused(client, text, query=None, content_type=CSV):
    """The answer that refuses a file; nothing of the file is left."""
    response = send(client, text, content_type, query=query or {})
    error(response, 422)
    assert client.get("/batch/imports").json == {"data": []}
    assert client.counts()[0] == 0
    return response.json


@pytest.mark.parametrize(
    ("column", "values", "left"),
    [
        ("subscribed", ["yes", "no", "", "FALSE", "1", "0", "unsubscribed", "on"], {1, 3, 5, 6}),
        ("Unsubscribed?", ["yes", "no", "", "true", "0", "subscribed"], {0, 3}),
        ("opt_out", ["1", "0", "2024-05-06"], {0, 2}),
        ("email_disabled", ["false", "true"], {1}),
        ("bounced", ["on", "off"], {0}),
        ("Email Marketing Status", ["Subscribed", "Cleaned", "Unsubscribed"], {1, 2}),
        ("status", ["enabled", "blocklisted"], {1}),
        ("status", ["active", "inactive"], {1}),
        ("Status", ["aktiv", "abgemeldet", "gesperrt"], {1, 2}),
        ("status", ["confirmed", "unconfirmed", "pending"], {1, 2}),
        ("state", ["active", "opted out"], {1}),
        ("unsubscribed_at", ["", "2024-05-06"], {1}),
        ("CLEAN_TIME", ["", "2024-02-03 04:05:06"], {1}),
    ],
)
def test_who_left_comes_in_unsubscribed(client, column, values, left):
    import_file(client, people(column, *values))
    assert {n for n in range(len(values)) if not is_in(client, f"p{n}@example.com")} == left
    assert client.get("/fetch/fields").json == {"data": []}


@pytest.mark.parametrize("value", ["yes", "subscribed", "active", "1"])
def test_a_word_for_yes_brings_nobody_back(client, value):
    for name in ("left", "gone"):
        client.create(f"{name}@example.com")
    command(client, "unsubscribe", "left@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    text = f"email,subscribed\nleft@example.com,{value}\ngone@example.com,{value}\nnew@example.com,{value}\n"
    outcome = import_file(client, text)
    assert not is_in(client, "left@example.com")
    assert client.find("gone@example.com") is None
    assert is_in(client, "new@example.com")
    assert (outcome["created"], outcome["suppressed"]) == (1, 1)


def test_a_word_for_no_unsubscribes_and_one_for_not_yet_changes_nobody_known(client):
    for name in ("ann", "bob"):
        client.create(f"{name}@example.com")
    import_file(
        client,
        "email,status\nann@example.com,unsubscribed\nbob@example.com,pending\ncy@example.com,pending\n",
    )
    assert [is_in(client, f"{name}@example.com") for name in ("ann", "bob", "cy")] == [False, True, False]


def test_of_two_columns_the_one_that_says_left_wins(client):
    text = (
        "email,subscribed,status,unsubscribed_at\nann@example.com,yes,unsubscribed,\n"
        "bob@example.com,no,active,\ncy@example.com,yes,active,2024-05-06\ndan@example.com,yes,pending,\n"
        "eve@example.com,,active,\n"
    )
    import_file(client, text)
    assert [is_in(client, f"{name}@example.com") for name in ("ann", "bob", "cy", "dan", "eve")] == [
        False, False, False, False, True,
    ]  # fmt: skip
    assert status(client, "cy@example.com") == "2024-05-06T00:00:00.000Z"


def test_only_a_command_brings_back(client):
    client.create("ann@example.com")
    command(client, "unsubscribe", "ann@example.com")
    import_file(client, "email,command\nann@example.com,subscribe\n")
    assert is_in(client, "ann@example.com")


def test_a_date_of_leaving_counts_as_that_of_an_event(client):
    client.create("ann@example.com")
    command(client, "subscribe", "ann@example.com")
    import_file(client, "email,UNSUB_TIME\nann@example.com,2020-01-01\nbob@example.com,2020-01-01\n")
    assert is_in(client, "ann@example.com")
    assert status(client, "bob@example.com") == "2020-01-01T00:00:00.000Z"


@pytest.mark.parametrize("column", ["active_subscription", "plan", "paid", "email_verified_by"])
def test_a_column_about_something_else_is_a_field(client, column):
    import_file(client, people(column, "true", "false"))
    assert is_in(client, "p1@example.com")
    assert client.find("p1@example.com")["attributes"]["fields"] == {column: False}


def test_a_status_of_something_else_is_a_field_and_the_answer_says_so(client):
    response = send(client, people("status", "gold", "silver", "bronze"))
    [_, column] = response.json["meta"]["columns"]
    assert (column["meaning"], column["name"]) == ("field:status", "status")
    assert "values are not" in column["reason"]
    [_, column] = send(client, people("status", "active", "bounced")).json["meta"]["columns"]
    assert column["meaning"] == "status"
    assert "values are about consent" in column["reason"]


def test_a_word_of_having_left_further_down_refuses_the_file(client):
    values = ["gold", "silver", "bronze"] * 400 + ["unsubscribed"]
    body = refused(client, people("state", *values))
    assert (body["columns"], body["values"]) == (["state"], ["unsubscribed"])
    assert "map[2]=field:KEY" in body["errors"][0]["message"]
    import_file(client, people("state", *values), query={"map[state]": "field:state"})
    assert client.find("p1200@example.com")["attributes"]["fields"] == {"state": "unsubscribed"}


def test_a_value_of_consent_that_is_not_understood_refuses_the_file(client):
    values = ["yes"] * 1500 + ["perhaps", "no"]
    body = refused(client, people("subscribed", *values))
    assert (body["columns"], body["values"]) == (["subscribed"], ["perhaps"])
    assert "perhaps" not in body["errors"][0]["message"]


@pytest.mark.parametrize(
    ("meaning", "value", "left"),
    [
        ("unsubscribed", "yes", True),
        ("subscribed", "yes", False),
        ("status", "bounced", True),
        ("ignore", "no", False),
    ],
)
def test_a_column_is_mapped_to_consent(client, meaning, value, left):
    import_file(client, people("Mailing?!", value), query={"map[Mailing?!]": meaning})
    assert is_in(client, "p0@example.com") is not left
    assert client.get("/fetch/fields").json == {"data": []}


def test_everyone_in_a_file_has_left(client):
    client.create("p0@example.com")
    import_file(client, people("plan", "a", "b"), query={"consent": "unsubscribed"})
    assert not is_in(client, "p0@example.com")
    assert not is_in(client, "p1@example.com")


def test_consent_in_json_lines(client):
    text = '{"email": "ann@example.com", "subscribed": false}\n'
    text += '{"email": "bob@example.com", "status": "bounced"}\n'
    import_file(
        client,
        text + '{"email": "cy@example.com", "subscribed": true, "fields": {"status": "left"}}\n',
        LINES,
    )
    assert [is_in(client, f"{name}@example.com") for name in ("ann", "bob", "cy")] == [False, False, True]
    body = refused(
        open_client(client.http), '{"email": "ann@example.com", "subscribed": "perhaps"}\n', None, LINES
    )
    assert body["values"] == ["perhaps"]


def test_a_custom_field_of_a_name_that_means_consent_survives_export_and_import(client, other_client):
    fields = {"status": "unsubscribed", "subscribed": "no", "leid": "7", "name": "x"}
    client.create("ann@example.com", fields=fields)
    exported = client.get("/fetch/export").data
    assert import_file(other_client, exported)["created"] == 1
    assert is_in(other_client, "ann@example.com")
    assert other_client.find("ann@example.com")["attributes"]["fields"] == fields


EMAILS = [f"p{n}@example.com" for n in range(6)]
CELLS = st.sampled_from(
    [
        "",
        " ",
        "yes",
        "no",
        "1",
        "0",
        "true",
        "Subscribed",
        "unsubscribed",
        "active",
        "bounced",
        "pending",
        "oui",
        "off",
    ]
)
DATES = st.sampled_from(["", "2020-01-01", "2999-01-01"])
COMMANDS = st.sampled_from(["", "", "", "unsubscribe", "subscribe"])
HEADERS = ["email", "subscribed", "opt_out", "status", "unsubscribed_at", "command"]
ROWS = st.lists(st.tuples(st.sampled_from(EMAILS), CELLS, CELLS, CELLS, DATES, COMMANDS), max_size=12)


def test_no_file_brings_back_who_left(app):
    """Random files on people who are in, left or erased: only the command `subscribe` brings back."""
    http = app.test_client()

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(ROWS, st.sampled_from(["", "unsubscribed"]))
    def check(rows, consent):
        client = open_client(http)
        for email in EMAILS[:4]:
            client.create(email)
        command(client, "unsubscribe", EMAILS[1])
        command(client, "unsubscribe", EMAILS[2])
        client.delete("/fetch/subscribers", query={"email": EMAILS[3]})
        text = "".join(",".join(row) + "\n" for row in [HEADERS, *rows])
        import_file(client, text, query={"consent": consent})
        for email in EMAILS[1:4]:
            found = client.find(email)
            back = any(row[0] == email and row[-1] == "subscribe" for row in rows) and not consent
            assert back or found is None or found["attributes"]["unsubscribed_at"] is not None
        for email, *cells, _, asked in rows:
            says_left = cells[0] in LEFT_IF_NO or cells[1] in LEFT_IF_YES or cells[2] in LEFT_IF_NO
            later = [row for row in rows if row[0] == email and row[-1] == "subscribe"]
            if (says_left or asked == "unsubscribe" or consent) and (consent or not later):
                found = client.find(email)
                assert found is None or found["attributes"]["unsubscribed_at"] is not None

    check()


LEFT_IF_NO = ("no", "0", "off", "unsubscribed", "bounced")
LEFT_IF_YES = ("yes", "1", "true", "oui", "unsubscribed", "bounced")


@pytest.mark.parametrize(
    "words", [("unsubscribe",), ("subscribe", "unsubscribe"), ("unsubscribe", "subscribe", "unsubscribe")]
)
def test_the_last_word_of_a_long_file_counts(client, words):
    """Each word is written in a transaction of its own: several thousand rows lie between them."""
    others = [f"p{n}@example.com," for n in range(2_000)]
    rows = [row for word in words for row in (f"ann@example.com,{word}", *others)]
    assert import_file(client, "\n".join(["email,command", *rows]) + "\n")["failed"] == 0
    assert not is_in(client, "ann@example.com")
    assert client.counts() == (2_001, 2_000, 1)
