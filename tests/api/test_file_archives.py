"""Exports that come as a zip are taken whole: one preview, consent by file, one undo."""

import io
import zipfile
from pathlib import Path

import pytest

from audience.operations import site_lane
from tests.api.sent_files import ask
from tests.response_assertions import error

PEERS = Path(__file__).parents[1] / "schemas" / "data" / "peers"
MAILCHIMP = sorted(PEERS.glob("*_email_audience_export_*.csv"))
ZIP = "application/zip"


def zipped(files):
    binary = io.BytesIO()
    with zipfile.ZipFile(binary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return binary.getvalue()


def test_the_files_of_mailchimp_are_one_import(client):
    data = zipped({f"export/{file.name}": file.read_bytes() for file in MAILCHIMP})
    dry = ask(client, data, ZIP, {"dry_run": "1"}).json
    assert (dry["dry_run"]["created"], dry["dry_run"]["unsubscribed"]) == (6, 4)
    assert (dry["meta"]["preset"], dry["meta"]["format"]) == ("mailchimp", "zip")
    assert [row["status"] for row in dry["dry_run"]["rows"]].count("unsubscribed") == 4
    response = ask(client, data, ZIP)
    assert response.status_code == 200, response.text
    site_lane.drain(client.site.id, 30)
    assert client.counts() == (6, 2, 4)
    ola = client.find("ola@example.org")["attributes"]
    assert ola["unsubscribed_at"].startswith("2024-02-03")
    assert client.post("/batch/imports/1/undo").status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.counts()[0] == 0


def test_a_field_of_the_list_is_asked_about_and_the_answer_is_the_program(client):
    header = "Email Address,OPTIN_TIME,Shoe\n"
    data = zipped({
        "subscribed_a.csv": f"{header}ann@example.org,2024-01-02,7\nrag@example.org,2024-01-02,,x\n",
        "cleaned_a.csv": f"{header}bob@example.org,2024-01-02,\n",
    })  # fmt: skip
    answer = ask(client, data, ZIP)
    error(answer, 422)
    assert answer.json["suggestion"] == {"from": "mailchimp"}
    assert ask(client, data, ZIP, {"from": "mailchimp"}).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.counts() == (2, 1, 1)
    assert client.find("ann@example.org")["attributes"]["fields"]["Shoe"] == 7


@pytest.mark.parametrize("state", ["unsubscribed", "cleaned", "nonsubscribed", "sms_only", "archived"])
@pytest.mark.parametrize(
    "answer",
    [
        {"consent": "subscribed"},
        {"consent": "subscribed", "ignore_column": "Mailchimp file"},
        {"consent_column": "Email Address", "subscribed": ["ann@a.example", "bob@a.example"]},
        {"consent_column": "Mailchimp file", "subscribed": [
            "subscribed", "unsubscribed", "cleaned", "nonsubscribed", "sms_only", "archived",
        ]},
    ],
)  # fmt: skip
def test_no_answer_subscribes_those_whom_a_file_of_the_archive_names_otherwise(client, state, answer):
    header = "Email Address,LEID,EUID\n"
    data = zipped({
        "subscribed_a.csv": f"{header}ann@a.example,1,1\n",
        f"{state}_a.csv": f"{header}bob@a.example,2,2\n",
    })  # fmt: skip
    refused = ask(client, data, ZIP, answer)
    error(refused, 422)
    assert [column["name"] for column in refused.json["columns"]] == ["Mailchimp file"]
    assert client.counts() == (0, 0, 0)


def test_of_substacks_archive_the_readers_are_taken(client):
    people = (PEERS / "email_list.example.csv").read_bytes()
    data = zipped({"posts/1.html": "<p>", "posts.csv": "id\n1\n", "email_list.example.csv": people})
    assert ask(client, data, ZIP).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert client.counts() == (3, 2, 1)


@pytest.mark.parametrize(
    "files",
    [{"people.csv": "email\nann@example.org\n"}, {"subscribed_a.csv": "email\n\xff".encode("latin-1")}, {}],
)
def test_any_other_archive_is_refused(client, files):
    error(ask(client, zipped(files), ZIP, {"consent": "subscribed"}), 422)
    assert client.counts() == (0, 0, 0)
