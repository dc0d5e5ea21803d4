"""Files of programs without the column by which they say who left (docs/files.md, Consent)."""

import csv
import io
from pathlib import Path

import pytest

from schemas.formats.presets import PRESETS
from tests.api.sent_files import import_file, send
from tests.response_assertions import error

PEERS = Path(__file__).parents[1] / "schemas" / "data" / "peers"
FILES = {
    "listmonk": "listmonk.csv",
    "ghost": "ghost.csv",
    "keila": "keila.csv",
    "substack": "email_list.example.csv",
    "beehiiv": "beehiiv.csv",
}
COLUMNS = {
    "listmonk": "status",
    "ghost": "subscribed_to_emails",
    "keila": "Status",
    "substack": "email_disabled",
    "beehiiv": "status",
}
MAILCHIMP = "subscribed_email_audience_export_0a1b2c3d4e.csv"


def with_header(program, header):
    """The file of a program, its column of consent called otherwise; left out without a `header`."""
    rows = list(csv.reader(io.StringIO((PEERS / FILES[program]).read_text())))
    place = rows[0].index(COLUMNS[program])
    rows[0][place] = header
    kept = rows if header else [[*row[:place], *row[place + 1 :]] for row in rows]
    text = io.StringIO()
    csv.writer(text).writerows(kept)
    return text.getvalue()


def test_every_program_that_says_it_in_a_column_is_tried():
    assert FILES.keys() == {preset.name for preset in PRESETS.values() if preset.consent}


@pytest.mark.parametrize("query", [{}, {"dry_run": "1"}])
@pytest.mark.parametrize("program", FILES)
def test_a_file_that_is_said_to_be_of_a_program_but_cannot_say_who_left_is_refused(client, program, query):
    response = send(client, with_header(program, ""), query={"from": program, **query})
    error(response, 422)
    message = response.json["errors"][0]["message"]
    assert f"`{COLUMNS[program].lower()}`" in message
    assert "consent=unsubscribed" in message
    assert client.get("/batch/imports").json == {"data": []}
    import_file(client, with_header(program, ""), query={"from": program, "consent": "unsubscribed"})
    assert client.counts()[1] == 0 < client.counts()[2]


@pytest.mark.parametrize("program", FILES)
def test_another_column_may_say_it(client, program):
    text, means = with_header(program, "kept"), PRESETS[program].columns[PRESETS[program].consent]
    error(send(client, text, query={"from": program}), 422)
    import_file(client, text, query={"from": program, "map[kept]": means})
    assert client.counts()[2] > 0


@pytest.mark.parametrize("program", FILES)
@pytest.mark.parametrize("query", [{}, {"dry_run": "1"}])
def test_of_a_file_that_only_looks_like_that_of_a_program_it_is_told(client, program, query):
    meta = send(client, with_header(program, ""), query=query).json["meta"]
    assert meta["preset"] is None
    assert PRESETS[program].program in meta["advice"]
    assert f"`{PRESETS[program].consent}`" in meta["advice"]


def test_nothing_is_told_where_it_is_said_who_left(client):
    text = with_header("listmonk", "")
    assert send(client, text, query={"consent": "unsubscribed"}).json["meta"]["advice"] is None
    text = with_header("listmonk", "kept")
    assert send(client, text, query={"map[kept]": "status"}).json["meta"]["advice"] is None


def test_a_program_without_such_a_column_needs_none(client):
    import_file(client, (PEERS / MAILCHIMP).read_text(), query={"from": "mailchimp"})
    assert client.counts()[1] > 0


@pytest.mark.parametrize("query", [{}, {"dry_run": "1"}])
def test_a_file_without_people_is_called_one(client, query):
    assert send(client, "email,plan\n", query=query).json["meta"]["advice"] == "The file has no people."


@pytest.mark.parametrize(
    ("program", "header"),
    [("listmonk", "Zustand"), ("ghost", "newsletter"), ("keila", "Abostatus"), ("beehiiv", "email_status")],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_column_of_consent_that_is_called_otherwise_is_the_one(client, program, header, named):
    text, query = with_header(program, header), {"from": program} if named else {}
    meta = send(client, text, query={**query, "dry_run": "1"}).json["meta"]
    assert meta["preset"] == program
    assert "is missing" not in meta["advice"]
    import_file(client, text, query=query)
    assert client.counts()[2] > 0


def test_a_column_that_only_sounds_like_consent_is_not_the_one(client):
    text = (
        "uuid,email,name,attributes,Zustand\n1,ann@example.com,Ann,{},Bayern\n2,bo@example.com,Bo,{},Berlin\n"
    )
    assert "`status`, which says who left, is missing" in send(client, text).json["meta"]["advice"]
    error(send(client, text, query={"from": "listmonk"}), 422)
