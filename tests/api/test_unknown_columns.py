"""Columns of an unknown name whose cells say who left: nobody who left comes in subscribed unseen."""

import pytest

from tests.api.sent_files import LINES, import_file, people, send
from tests.response_assertions import error


@pytest.mark.parametrize("column", ["foo", "lists", "Validation", "wp_status", "Kundenstand", "tier"])
@pytest.mark.parametrize(
    "word",
    ["unsubscribed", "Opted out", "BLOCKLISTED", "blacklisted", "complained", "abgemeldet", "désinscrit"],
)
def test_a_word_that_means_nothing_else_refuses_the_file(client, column, word):
    for query in ({}, {"dry_run": "1"}):
        response = send(client, people(column, "regular", word, "gold"), query=query)
        error(response, 422)
        assert (response.json["columns"], response.json["values"]) == ([column], [word])
        message = response.json["errors"][0]["message"]
        assert all(f"map[2]={out}" in message for out in ("status", "unsubscribed", "field:KEY"))
        assert word not in message.replace("map[2]=unsubscribed", "")
    assert client.counts()[0] == 0


@pytest.mark.parametrize("row", [1_201, 11_001])
def test_however_far_down_it_stands(client, row):
    text = people("foo", *["gold"] * (row - 1), "unsubscribed", "gold")
    for query in ({}, {"dry_run": "1"}):
        error(send(client, text, query=query), 422)


def test_in_json_lines_too(client):
    text = (
        '{"email": "ann@example.com", "foo": "gold"}\n{"email": "bob@example.com", "foo": "unsubscribed"}\n'
    )
    response = send(client, text, LINES)
    error(response, 422)
    assert response.json["columns"] == ["foo"]


@pytest.mark.parametrize(
    ("meaning", "left"),
    [("status", {1}), ("unsubscribed", {1}), ("field:foo", set()), ("ignore", set())],
)
def test_both_ways_out(client, meaning, left):
    import_file(client, people("foo", "subscribed", "unsubscribed"), query={"map[foo]": meaning})
    shown = [client.find(f"p{n}@example.com")["attributes"]["unsubscribed_at"] for n in range(2)]
    assert {n for n, at in enumerate(shown) if at is not None} == left


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("sms_status", "unsubscribed"),
        ("Phone consent", "opted out"),
        ("fields.foo", "unsubscribed"),
        ("notes", "has unsubscribed in May"),
        ("interests", "unsubscribed; gold"),
    ],
)
def test_what_is_no_such_word_is_a_field(client, column, value):
    assert import_file(client, people(column, value))["created"] == 1


def test_everyone_left_or_an_export_of_ours_needs_no_word(client, other_client):
    assert (
        import_file(client, people("foo", "unsubscribed"), query={"consent": "unsubscribed"})["created"] == 1
    )
    client.create("ann@example.com", fields={"foo": "unsubscribed"})
    assert import_file(other_client, client.get("/fetch/export").data)["created"] == 2
    assert other_client.find("ann@example.com")["attributes"]["fields"] == {"foo": "unsubscribed"}


@pytest.mark.parametrize(
    ("column", "values", "left"),
    [
        ("global_status", ["subscribed", "unsubscribed", "unconfirmed", "bounced", "inactive"], {1, 2, 3, 4}),
        ("DNC", ["1", "0"], {0}),
        ("marketing", ["yes", "no"], {1}),
        ("status", ["Subscribed", "Soft bounced", "Marked as spam", "NEVER_SUBSCRIBED", "Hard bounced"],
         {1, 2, 3, 4}),
        ("status", ["active", "cancelled", "bounced"], {1, 2}),
        ("subscribed", ["yes", "Canceled", "cancelado"], {1, 2}),
        ("status", ["subscribed", "No longer subscribed"], {1}),
        ("status", ["active", "unsub"], {1}),
        ("Datum Abmeldung", ["", "2024-02-03"], {1}),
        ("date désinscription", ["2024-02-03", ""], {0}),
        ("Datum uitschrijving", ["2024-02-03", ""], {0}),
        ("blocked_at", ["2024-02-03", ""], {0}),
        ("spam_reported_at", ["", "2024-02-03"], {1}),
        ("deactivated_at", ["", "2024-02-03"], {1}),
        ("gelöscht am", ["03.02.2024", ""], {0}),
        ("no_email", ["1", "0"], {0}),
        ("NoEmail", ["no", "yes"], {1}),
        ("Banned", ["no", "yes"], {1}),
        ("receives_email", ["yes", "no"], {1}),
        ("allow_email", ["1", "0"], {1}),
        ("send_email", ["true", "false"], {1}),
        ("email_ok", ["ja", "nein"], {1}),
        ("Can email", ["Y", "N"], {1}),
    ],
)  # fmt: skip
def test_more_headers_and_words_of_other_programs(client, column, values, left):
    import_file(client, people(column, *values))
    shown = [client.find(f"p{n}@example.com")["attributes"]["unsubscribed_at"] for n in range(len(values))]
    assert {n for n, at in enumerate(shown) if at is not None} == left


@pytest.mark.parametrize("values", [["active", "cancelled"], ["active"] * 1_500 + ["cancelled"]])
def test_who_cancelled_what_is_not_guessed(client, values):
    response = send(client, people("status", *values))
    error(response, 422)
    assert response.json["values"] == ["cancelled"]
    message = response.json["errors"][0]["message"]
    assert "write unsubscribed for somebody who left" in message
    import_file(client, people("status", *values), query={"map[status]": "status"})
    assert client.counts()[2] == 1


def test_never_subscribed_changes_nobody_who_is(client):
    client.create("p0@example.com")
    import_file(client, people("status", "never subscribed", "never subscribed"))
    assert client.counts() == (2, 1, 1)


@pytest.mark.parametrize("word", ["cold", "Implicit", "Not set", "U"])
def test_a_word_that_nobody_knows_is_refused_with_the_safe_way_first(client, word):
    response = send(client, people("status", "unsubscribed", "subscribed", word))
    error(response, 422)
    assert response.json["values"] == [word]
    assert "in their place, write unsubscribed" in response.json["errors"][0]["message"]
