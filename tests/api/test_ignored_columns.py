"""Columns that are ignored by themselves, whose cells say who left (docs/files.md, Consent)."""

import pytest

from tests.api.sent_files import LINES, import_file, people, send
from tests.response_assertions import error

UNNAMED = {"header": "0", "map[1]": "email"}


def query(header):
    return {} if header is not None else UNNAMED


HEADERS = ["", " ", "type", "id", "ID", "site_id", None]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize(
    ("values", "left"),
    [
        (["unsubscribed", "active"], {0}),
        (["bounced", "subscribed", ""], {0}),
        (["subscribed", "pending"], {1}),
        (["Abgemeldet", "Abgemeldet"], {0, 1}),
    ],
)
def test_it_is_consent_if_its_values_say_so(client, header, values, left):
    text = people(header, *values)
    response = send(client, text, query={"dry_run": "1"} | query(header))
    column = response.json["meta"]["columns"][1]
    assert column["meaning"] == "status"
    assert "values are about consent" in column["reason"]
    import_file(client, text, query=query(header))
    shown = [client.find(f"p{n}@example.com")["attributes"]["unsubscribed_at"] for n in range(len(values))]
    assert {n for n, at in enumerate(shown) if at is not None} == left


@pytest.mark.parametrize("header", HEADERS)
def test_a_value_beside_them_that_is_not_understood_refuses_the_file(client, header):
    response = send(client, people(header, "regular", "unsubscribed"), query=query(header))
    error(response, 422)
    assert response.json["values"] == ["regular"]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize(
    "values",
    [
        ["1", "2"],
        ["0", "1"],
        ["yes", "no"],
        ["true"],
        ["regular", "page"],
        ["", ""],
        ["Jo", "Ka"],
        ["cancelled"],
    ],
)
def test_without_such_values_it_stays_ignored(client, header, values):
    response = send(client, people(header, *values), query={"dry_run": "1"} | query(header))
    assert response.json["meta"]["columns"][1]["meaning"] == "ignore"
    import_file(client, people(header, *values), query=query(header))
    assert client.counts() == (len(values), len(values), 0)
    assert client.get("/fetch/fields").json == {"data": []}


@pytest.mark.parametrize("header", ["", "type", None])
def test_a_word_that_turns_up_later_refuses_the_file(client, header):
    text = people(header, *[f"plan {n}" for n in range(1_000)], "unsubscribed")
    response = send(client, text, query=query(header))
    error(response, 422)
    assert response.json["values"] == ["unsubscribed"]
    assert import_file(client, text, query=query(header) | {"map[2]": "ignore"})["created"] == 1_001


@pytest.mark.parametrize("meaning", ["ignore", "field:kind"])
def test_who_says_what_it_is_is_believed(client, meaning):
    import_file(client, people("type", "unsubscribed", "x"), query={"map[type]": meaning})
    assert client.counts() == (2, 2, 0)


def test_in_json_lines_too(client):
    text = (
        '{"email": "ann@example.com", "type": "unsubscribed", "id": 1}\n{"email": "b@example.com", "id": 2}\n'
    )
    import_file(client, text, LINES)
    assert client.counts() == (2, 1, 1)


def test_bookkeeping_of_a_program_that_says_elsewhere_who_left(client):
    text = (
        "uuid,email,name,attributes,status,type\nunsubscribed,ann@example.com,Ann,{},enabled,unsubscribed\n"
    )
    import_file(client, text)
    assert client.counts() == (1, 1, 0)


def test_our_own_export_is_what_it_was(client, other_client):
    client.create("ann@example.com", fields={"type": "unsubscribed", "id": "bounced"})
    import_file(other_client, client.get("/fetch/export").data)
    assert other_client.counts() == (1, 1, 0)


def test_the_last_row_may_end_before_a_column_without_a_header(client):
    import_file(client, "email,name,\nann@example.com,Ann")
    assert client.counts() == (1, 1, 0)
