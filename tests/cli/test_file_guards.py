"""What no answer switches off, at the command line (the rest is in tests/api/test_file_guards.py)."""

import json

import pytest

IN = ("--consent", "subscribed")
BY_COLUMN = ("--consent-column", "state", "--subscribed", "in", "--unsubscribed", "out")


@pytest.mark.parametrize(
    ("name", "text", "options", "sentence"),
    [
        ("people.jsonl", '{"email": "ann@example.com", "status": {"email": "unsubscribed"}}\n', IN,
         'Row 1 of column `status` says that somebody has unsubscribed: `{"email":"unsubscribed"}`.'),
        ("people.json", '[{"email": "ann@example.com", "states": ["active", "unsubscribed"]}]', IN,
         "Row 1 of column `states` says that somebody has unsubscribed"),
        ("people.csv", "email,Data cancellazione\nann@example.com,2024-05-06\n", IN,
         "Row 2 of column `Data cancellazione` says that somebody has unsubscribed"),
        ("people.csv", "email,state,Opted out\nann@example.com,in,1\n", BY_COLUMN,
         "Row 2 is subscribed by the answer, but column `Opted out` says that somebody has unsubscribed"),
    ],
)  # fmt: skip
def test_who_unsubscribed_does_not_come_in_subscribed(import_file, client, name, text, options, sentence):
    refused = import_file(text, *options, name=name, exit_code=1)
    assert sentence in refused
    assert "--ignore-column" in refused
    assert client.counts() == (0, 0, 0)


def test_a_key_with_two_values_is_refused_and_both_are_kept(import_file, client, tmp_path):
    text = '{"email": "ann@example.com", "unsubscribed_at": "2024-05-06", "unsubscribed_at": null}\n'
    assert import_file(text, *IN, name="people.jsonl")["refused"] == 1
    [row] = map(json.loads, (tmp_path / "people.refused.jsonl").read_text().splitlines())
    assert row["unsubscribed_at"] == ["2024-05-06", None]
    assert (row["error_code"], client.counts()) == ("invalid_json", (0, 0, 0))
    deep = '{"email": "ann@example.com", "a": [[[[{"b": 1, "b": 2}]]]]}\n'
    assert import_file(deep, *IN, name="deep.jsonl")["refused"] == 1
    assert "ann@example.com" in json.loads((tmp_path / "deep.refused.jsonl").read_text())["line"]


def test_a_heading_in_another_column_refuses_the_file(import_file, client):
    """Above it stand others than below: to ignore its column would subscribe these."""
    text = "Name,E-mail\nAnn,ann@example.com\n,\nUNSUBSCRIBED,\nCy,cy@example.com\n"
    for options in (IN, (*IN, "--ignore-column", "Name")):
        refused = import_file(text, *options, exit_code=1)
        assert "Row 4 has a word for people who unsubscribed and no address" in refused
    assert client.counts() == (0, 0, 0)


def test_values_that_are_not_told_are_asked_for_though_another_column_has_dates(import_file, client):
    """Not taken for subscribed, against which the other column would speak."""
    text = "email,state,Unsubscribed on\nann@example.com,in,\nbob@example.com,gone,2024-05-06\n"
    asked = import_file(text, "--consent-column", "state", exit_code=2)
    assert "`gone` (1)" in asked
    import_file(text, *BY_COLUMN, "--unsubscribed", "gone", exit_code=0)
    assert client.counts() == (2, 1, 1)
