"""Files whose names say that the people in them have left (docs/files.md, Consent)."""

import shutil
import unicodedata
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "schemas" / "data"
PEERS = DATA / "peers"
NONSUBSCRIBED = "nonsubscribed_email_audience_export_0a1b2c3d4e.csv"


@pytest.fixture
def typed(run, client, tmp_path):
    """Imports a file with this text, or another file, under a name; returns what the command says."""

    def invoke(name, content, *options, exit_code=0):
        file = tmp_path / name
        if isinstance(content, Path):
            shutil.copy(content, file)
        else:
            file.write_text(content)
        return run("import", file, "--site", client.site.uuid, *options, exit_code=exit_code)

    return invoke


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(
            (name, PEERS / NONSUBSCRIBED)
            for name in ("nonsubscribed.csv", f"Copy of {NONSUBSCRIBED}", "mc-nonsubscribed.csv")
        ),
        ("listmonk_unsubscribed.csv", PEERS / "listmonk_unsubscribed.csv"),
        ("listmonk_unconfirmed.csv", PEERS / "listmonk_unconfirmed.csv"),
        ("people who opted out.csv", "email\nann@example.com\n"),
        ("left.unsubscribed.refused.csv", "email\nann@example.com\n"),
        (unicodedata.normalize("NFD", "désabonnés.csv"), "email\nann@example.com\n"),
        ("unsubscribed.csv", "email,status\nann@example.com,unsubscribed\nbob@example.com,active\n"),
        ("unsubscribed.csv", "email,unsubscribed_at\nann@example.com,2024-02-03\nbob@example.com,\n"),
        ("unsubscribed.csv", "email,status,command\nann@example.com,unsubscribed,subscribe\n"),
        ("unsubscribed.csv", "email,status\nann@example.com,pending\n"),
        ("unconfirmed.csv", "email,status\nann@example.com,pending\nbob@example.com,active\n"),
        ("unsubscribed.jsonl", '{"email": "ann@example.com"}\n'),
    ],
)  # fmt: skip
def test_a_file_of_such_a_name_is_refused_until_it_is_said_who_left(typed, client, name, content):
    said = typed(name, content, exit_code=1)
    assert "--consent unsubscribed" in said
    assert client.counts() == (0, 0, 0)
    typed(name, content, "--consent", "unsubscribed")
    assert client.counts()[1] == 0 < client.counts()[2]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mailchimp_unsubscribed.csv", DATA / "everyday_files" / "mailchimp_unsubscribed.csv"),
        ("unsubscribed.csv", "email,status\nann@example.com,unsubscribed\nbob@example.com,bounced\n"),
        ("unsubscribed.csv", "email,subscribed\nann@example.com,no\n"),
        ("unconfirmed.csv", "email,status\nann@example.com,pending\nbob@example.com,unsubscribed\n"),
        ("unsubscribed.csv", "email,unsubscribed\nann@example.com,2024-02-03\n"),
        ("unsubscribed.csv", "email,command\nann@example.com,unsubscribe\n"),
        ("unsubscribed.jsonl", '{"email": "ann@example.com", "status": "unsubscribed"}\n'),
    ],
)
def test_a_file_of_such_a_name_needs_no_word_where_each_row_says_it(typed, client, name, content):
    typed(name, content)
    assert client.counts()[1] == 0 < client.counts()[2]


@pytest.mark.parametrize("name", ["archive of 2024", "unsubscribedness"])
def test_a_file_of_any_other_name_is_taken(typed, client, name):
    typed(f"{name}.csv", "email\nann@example.com\n")
    assert client.counts() == (1, 1, 0)


def test_another_name_is_the_way_out(typed, client):
    text = "email\nann@example.com\n"
    assert "another name" in typed("cleaned list.csv", text, exit_code=1)
    typed("list.csv", text)
    assert client.counts() == (1, 1, 0)
