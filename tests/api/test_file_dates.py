"""Dates in files: which they set, of whom, and how far."""

import pytest

from audience.access import sites
from audience.operations import site_lane
from tests.api.sent_files import import_file, send

DATES = {
    "created_at": "2020-01-02T03:04:05.678Z",
    "updated_at": "2021-01-02T03:04:05.678Z",
    "last_event_at": "2022-01-02T03:04:05.678Z",
    "unsubscribed_at": "2023-01-02T03:04:05.678Z",
}


def test_a_file_sets_the_dates_of_the_subscribers_it_creates(client):
    import_file(client, f"email,{','.join(DATES)}\nann@example.com,{','.join(DATES.values())}\n")
    subscriber = client.find("ann@example.com")["attributes"]
    assert {name: subscriber[name] for name in DATES} == DATES
    assert client.counts() == (1, 0, 1)


def test_of_existing_subscribers_a_file_changes_only_the_unsubscribe_date(client):
    before = client.create("ann@example.com")["attributes"]
    import_file(client, f"email,{','.join(DATES)}\nann@example.com,{','.join(DATES.values())}\n")
    after = client.find("ann@example.com")["attributes"]
    assert after["unsubscribed_at"] == DATES["unsubscribed_at"]
    assert after["created_at"] == before["created_at"]
    assert after["last_event_at"] is None
    assert after["updated_at"] > DATES["updated_at"]
    import_file(client, "email,unsubscribed_at\nann@example.com,\n")
    assert client.find("ann@example.com")["attributes"]["unsubscribed_at"] == DATES["unsubscribed_at"]
    assert client.counts() == (1, 0, 1)


def test_an_older_unsubscribe_date_does_not_override_a_later_subscribe(client):
    client.create("ann@example.com")
    for command in ("unsubscribe", "subscribe"):
        client.post("/fetch/commands", {"command": {"command": command, "email": "ann@example.com"}})
    import_file(client, "email,unsubscribed_at\nann@example.com,2020-01-01\n")
    assert client.find("ann@example.com")["attributes"]["unsubscribed_at"] is None


def test_the_second_row_of_a_new_subscriber_advances_updated_at(client):
    import_file(client, "email,updated_at,plan\nann@example.com,2020-01-01,a\nann@example.com,2020-01-01,b\n")
    assert client.find("ann@example.com")["attributes"]["updated_at"] > "2025"


def test_json_imports_do_not_read_dates(client):
    client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"} | DATES]})
    subscriber = client.find("ann@example.com")["attributes"]
    assert subscriber["unsubscribed_at"] is None
    assert subscriber["created_at"] > "2025"


def test_future_dates_become_now(client):
    import_file(client, "email,created_at,last_event_at\nann@example.com,2999-01-01,2999-01-01\n")
    subscriber = client.find("ann@example.com")["attributes"]
    assert subscriber["created_at"] < "2999"
    assert subscriber["last_event_at"] < "2999"


@pytest.mark.parametrize(
    "cell",
    [
        "NULL",
        "\\N",
        "null",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "0000-00-00 00:00:00.000000",
        "0001-01-01",
        "0001-01-01T00:00:00Z",
        "0001-01-01 00:00:00 +0000 UTC",
    ],
)
def test_what_databases_write_for_nothing_is_an_empty_cell(client, cell):
    for column in ("created_at", "unsubscribed_at", "unsubscribed", "subscribed", "bounced"):
        address = f"{column}@example.com"
        import_file(client, f"email,{column}\n{address},{cell}\ntwo-{address},\n")
        assert client.find(address)["attributes"]["unsubscribed_at"] is None
    assert client.counts() == (10, 10, 0)


UNREAD = "email,created_at,Joined\nann@example.com,0000-01-01,2020-01-02\nbob@example.com,2020-01-02,soon\n"
LINES = (
    '{"email": "ann@example.com", "created_at": "0000-01-01", "Joined": "2020-01-02"}\n'
    '{"email": "bob@example.com", "created_at": "2020-01-02", "Joined": "soon"}\n'
)


@pytest.mark.parametrize(("text", "kind"), [(UNREAD, "text/csv"), (LINES, "application/x-ndjson")])
def test_cells_that_are_no_dates_are_asked_about_once_and_lose_nobody(client, text, kind):
    query = {"map[Joined]": "last_event_at"}
    answer = send(client, text, kind, query=query)
    assert answer.status_code == 422
    (question,) = answer.json["asks"]
    assert (question["about"], question["columns"]) == ("dates", ["created_at", "Joined"])
    assert question["options"] == ["unread_dates=ignore", "unread_dates=field"]
    assert [each["value"] for each in question["values"]] == ["0000-01-01", "soon"]
    assert client.counts() == (0, 0, 0)
    import_file(client, text, kind, query={**query, "unread_dates": "field"})
    ann, bob = (client.find(f"{name}@example.com")["attributes"] for name in ("ann", "bob"))
    assert ann["fields"] == {"created_at": "0000-01-01"}
    assert (ann["last_event_at"][:10], ann["created_at"][:2]) == ("2020-01-02", "20")
    assert bob["fields"] == {"Joined": "soon"}
    assert (bob["last_event_at"], bob["created_at"][:10]) == (None, "2020-01-02")


def test_cells_that_are_no_dates_are_left_out(client):
    import_file(client, UNREAD, query={"map[Joined]": "last_event_at", "unread_dates": "ignore"})
    ann, bob = (client.find(f"{name}@example.com")["attributes"] for name in ("ann", "bob"))
    assert (ann["fields"], bob["fields"], bob["last_event_at"]) == ({}, {}, None)


@pytest.mark.parametrize("answer", ["ignore", "field"])
def test_who_has_an_unread_date_of_unsubscribing_is_unsubscribed(client, answer):
    client.create("bob@example.com")
    text = "email,unsubscribed_at\nann@example.com,last week\nbob@example.com,Tuesday\ncy@example.com,\n"
    (question,) = send(client, text).json["asks"]
    assert "is unsubscribed either way" in question["message"]
    assert client.counts() == (1, 1, 0)
    import_file(client, text, query={"unread_dates": answer})
    assert client.counts() == (3, 1, 2)
    assert client.find("cy@example.com")["attributes"]["unsubscribed_at"] is None


@pytest.mark.parametrize(
    ("cell", "instant"),
    [
        ("11/20/2026", "2026-11-20T05:00:00.000Z"),
        ("2026-07-20 10:00:00", "2026-07-20T14:00:00.000Z"),
        ('"July 20, 2026"', "2026-07-20T04:00:00.000Z"),
        ("2026-07-20T10:00:00Z", "2026-07-20T10:00:00.000Z"),
        ('"Mon, 20 Jul 2026 10:00:00 PDT"', "2026-07-20T17:00:00.000Z"),
    ],
)
def test_dates_without_a_zone_are_of_the_site_s(client, cell, instant):
    sites.set_time_zone(client.site, "America/New_York")
    answer = send(client, f"email,created_at\nann@example.com,{cell}\n")
    assert answer.json["meta"]["time_zone"] == "America/New_York"
    site_lane.drain(client.site.id, 30)
    assert client.find("ann@example.com")["attributes"]["created_at"] == instant


def test_a_column_of_seconds_since_1970_is_read_and_0_is_no_date(client):
    text = "email,created_at,last_event_at\nann@example.com,1586270016,1586270016123\nbob@example.com,0,0\n"
    import_file(client, text)
    ann, bob = (client.find(f"{name}@example.com")["attributes"] for name in ("ann", "bob"))
    assert ann["created_at"] == "2020-04-07T14:33:36.000Z"
    assert ann["last_event_at"] == "2020-04-07T14:33:36.123Z"
    assert bob["last_event_at"] is None


def test_two_digits_of_a_year_are_read_when_the_order_is_said(client):
    text = 'email,created_at\nann@example.com,"11/1/16 3pm"\nbob@example.com,"1/13/17 9am"\n'
    (question,) = send(client, text).json["asks"]
    assert (question["about"], question["options"]) == ("dates", ["dates=dmy", "dates=mdy"])
    import_file(client, text, query={"dates": "mdy"})
    assert client.find("ann@example.com")["attributes"]["created_at"] == "2016-11-01T15:00:00.000Z"
    assert client.find("bob@example.com")["attributes"]["created_at"] == "2017-01-13T09:00:00.000Z"


def test_an_order_of_two_columns_is_asked_about_once(client):
    text = "email,created_at,updated_at\nann@example.com,01/02/2023,02/03/2023\n"
    answer = send(client, text).json
    (question,) = answer["asks"]
    assert question["about"] == "dates"
    assert question["options"] == ["dates=dmy", "dates=mdy"]
    assert question["columns"] == ["created_at", "updated_at"]
    assert [each["name"] for each in answer["columns"]] == ["email", "created_at", "updated_at"]
    assert client.counts() == (0, 0, 0)
