"""What is said of a wrong call of a command: what to write instead."""

import shlex

import click
import pytest

from audience.cli.main import audience
from audience.cli.wrong_calls import usage_message


def said(words):
    with pytest.raises(click.UsageError) as refused:
        audience.main(shlex.split(words), standalone_mode=False)
    return usage_message(refused.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("subscriber list --limit many", "--limit: write a whole number from 1 to 100,000, not 'many'."),
        ("subscriber list --limit 0", "--limit: write a whole number from 1 to 100,000, not '0'."),
        ("form show x", "FORM_ID: write a whole number from 1 on, not 'x'."),
        ("jobs retry x", "JOB_ID: write a whole number from 1 on, not 'x'."),
        *(
            (f"{words} {2**63}", f"{name}: write a whole number from {least} to 9,007,199,254,740,992, not ")
            for words, name, least in (
                ("imports retry", "IMPORT_ID", 1),
                ("imports undo", "IMPORT_ID", 1),
                ("jobs retry", "JOB_ID", 1),
                ("changes --after", "--after", 0),
                ("form show", "FORM_ID", 1),
            )
        ),
        ("export --format xls", "--format: write csv or jsonl."),
        ("key create --scope all", "--scope: write full, "),
        ("import none.csv", "FILE: there is no file 'none.csv'."),
        ("import", "FILE is missing."),
        ("webhook replay 1", "--after is missing."),
        ("report show", "REPORT_ID is missing."),
        ("api", "METHOD is missing: write GET, "),
        ("subscriber list --limit", "--limit needs a value after it."),
        (
            "tag list two words",
            "`two words` is one argument too many: leave it out, or put quotes around a value that contains "
            "blanks.",
        ),
        ("tag list --sit x", "No such option '--sit'. Did you mean '--site'?"),
        ("api GET sites -q name", "-q / --query: write NAME=VALUE"),
    ],
)
def test_a_wrong_call_is_told_what_to_write(words, sentence):
    assert said(words).startswith(sentence)


def test_the_help_has_no_bound_that_only_a_slip_exceeds(type_):
    help_lines = type_("changes", "--help").output.split()
    assert "after the newest change. [x>=0]" in " ".join(help_lines)


def test_a_question_at_a_terminal_says_it_too(type_, client, tmp_path, monkeypatch):
    monkeypatch.setattr("audience.cli.file_questions.is_terminal", lambda: True)
    file = tmp_path / "people.csv"
    file.write_text("email\nann@example.com\n")
    asked = type_("import", file, asked=True, input="five\n9\n1\n")
    assert "Error: write a whole number from 1 to 4, not 'five'." in asked.output
    assert "Error: write a whole number from 1 to 4, not '9'." in asked.output
    assert client.counts()[0] == 1


@pytest.mark.parametrize("consent", [(), ("--consent", "yes")])
def test_consent_that_is_missing_or_wrong_is_asked_for_with_what_each_answer_means(
    type_, client, tmp_path, consent
):
    file = tmp_path / "people.csv"
    file.write_text("email\nann@example.com\n")
    refused = type_("import", file, *consent, asked=True)
    assert (refused.exit_code, client.counts()[0]) == (2, 0)
    for line in (
        "Who in this file may be written to?",
        "--consent subscribed: Everybody. Each of them agreed to get your emails, and none of them has ",
        "--consent unsubscribed: Nobody. They unsubscribed, or must not get emails.",
        "--consent unconfirmed: Nobody yet. They still have to confirm.",
        "--consent-column COLUMN: A column says who may be written to. Add --subscribed VALUE, "
        "--unsubscribed VALUE and ",
    ):
        assert line in refused.output


@pytest.mark.parametrize("consent", [(), ("--consent", "yes")])
def test_consent_of_one_person_too(type_, client, consent):
    refused = type_("subscriber", "add", "ann@example.com", *consent)
    assert (refused.exit_code, client.counts()[0]) == (2, 0)
    assert "--consent subscribed: Yes. They agreed to get your emails, and have not uns" in refused.output
