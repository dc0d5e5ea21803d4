"""What no answer switches off, at the command line (the rest is in tests/api/test_file_guards.py)."""

import json
import shlex

import pytest

IN = ("--consent", "subscribed")
BY_COLUMN = ("--consent-column", "state", "--subscribed", "in", "--unsubscribed", "out")


@pytest.mark.parametrize(
    ("name", "text", "options", "sentence", "found"),
    [
        ("people.jsonl", '{"email": "ann@example.com", "status": {"email": "unsubscribed"}}\n', IN,
         "Row 1 of a column says that somebody has unsubscribed", "Found: `status`."),
        ("people.json", '[{"email": "ann@example.com", "states": ["active", "unsubscribed"]}]', IN,
         "Row 1 of a column says that somebody has unsubscribed", "Found: `states`."),
        ("people.csv", "email,Data cancellazione\nann@example.com,2024-05-06\n", IN,
         "Row 2 of a column says that somebody has unsubscribed", "Found: `Data cancellazione`."),
        ("people.csv", "email,state,Opted out\nann@example.com,in,1\n", BY_COLUMN,
         "Row 2 is subscribed by your answer, but another column says that somebody has unsubscribed",
         "Found: `Opted out`."),
    ],
)  # fmt: skip
def test_who_unsubscribed_does_not_come_in_subscribed(
    import_file, client, name, text, options, sentence, found
):
    refused = import_file(text, *options, name=name, exit_code=1)
    assert (sentence in refused, found in refused) == (True, True)
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
        assert "Row 4 looks like a heading" in refused
    assert client.counts() == (0, 0, 0)


def test_values_that_are_not_told_are_asked_for_though_another_column_has_dates(import_file, client):
    """Not taken for subscribed, against which the other column would speak."""
    text = "email,state,Unsubscribed on\nann@example.com,in,\nbob@example.com,gone,2024-05-06\n"
    asked = import_file(text, "--consent-column", "state", exit_code=2)
    assert "`gone` (1)" in asked
    import_file(text, *BY_COLUMN, "--unsubscribed", "gone", exit_code=0)
    assert client.counts() == (2, 1, 1)


def test_one_command_goes_on_from_what_contradicts(type_, client, tmp_path):
    """With the values of the column, and answers to all else that is open."""
    file = tmp_path / "people.csv"
    text = "email,Statut,created_at\nann@example.com,désabonné,01/02/2023\nbob@example.com,abonné,\n"
    file.write_bytes(f"{text}cy@example.com,à part,\n".encode("latin-1"))
    result = type_("import", file, "--site", client.site.uuid, *IN, "--tag", "old", asked=True)
    assert result.exit_code == 1
    assert "  2 Statut: désabonné (1), abonné (1), à part (1)\n" in result.output
    assert "`--dates dmy` or `--dates mdy`" in result.output
    [command] = [
        shlex.split(line)[1:] for line in result.output.splitlines() if line.startswith("  audience")
    ]
    assert "--consent" not in command
    left = command.index("à part") - 1
    assert command[left] == "--subscribed or --unsubscribed or --unconfirmed"
    assert [command[command.index(each) - 1] for each in ("abonné", "désabonné")] == [
        "--subscribed",
        "--unsubscribed",
    ]
    command = [word.partition(" or ")[0] for word in command]
    assert type_(*command, asked=True).exit_code == 0
    assert client.counts() == (3, 2, 1)


def test_the_suggested_column_is_not_alone_where_another_says_no(type_, client, tmp_path):
    file = tmp_path / "people.tsv"
    file.write_text(
        "email\tconfirmed\tblacklisted\na@example.com\t1\t0\nb@example.com\t0\t0\nc@example.com\t1\t1\n"
    )
    words = ["import", file, "--site", client.site.uuid]
    for _ in range(2):
        result = type_(*words, asked=True)
        assert (result.exit_code, client.counts()) == (2, (0, 0, 0))
        lines = [line for line in result.output.splitlines() if line.startswith("  audience")]
        words = shlex.split(lines[-1])[1:]
    assert "Found: `confirmed`" in result.output
    assert type_(*words, asked=True).exit_code == 0
    assert client.counts() == (3, 2, 1)
