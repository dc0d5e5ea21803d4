"""Dates in files: which they set, of whom, and how far."""

import pytest

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


def test_a_date_that_is_none_still_refuses_its_row(client):
    import_file(client, "email,created_at\nann@example.com,0000-01-01\nbob@example.com,NULLS\n")
    assert client.counts()[0] == 0


def test_ones_and_zeros_of_spreadsheets_are_consent(client):
    import_file(client, "email,subscribed\nann@example.com,1.0\nbob@example.com,0.0\n")
    left = {
        name: client.find(f"{name}@example.com")["attributes"]["unsubscribed_at"] for name in ("ann", "bob")
    }
    assert (left["ann"], left["bob"] is None) == (None, False)


def test_an_order_of_two_columns_is_asked_about_once(client):
    text = "email,created_at,updated_at\nann@example.com,01/02/2023,02/03/2023\n"
    answer = send(client, text).json
    (question,) = answer["asks"]
    assert question["about"] == "dates"
    assert question["options"] == ["dates=dmy", "dates=mdy"]
    assert question["columns"] == answer["columns"] == ["created_at", "updated_at"]
    assert client.counts() == (0, 0, 0)
