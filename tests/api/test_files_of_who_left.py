"""Files whose headers say that they are of people who left, whatever they are called (docs/files.md)."""

from pathlib import Path

import pytest

from tests.api.sent_files import import_file, send
from tests.response_assertions import error

PEERS = Path(__file__).parents[1] / "schemas" / "data" / "peers"
LEFT = (PEERS / "unsubscribed_email_audience_export_0a1b2c3d4e.csv").read_text()


@pytest.mark.parametrize(
    ("text", "shown", "out"),
    [
        (LEFT, ["UNSUB_TIME", "UNSUB_REASON"], "map[16]=unsubscribed_at"),
        ("LEID,EUID,E-Mail,clean time\n1,a,ann@example.com,\n", ["clean time"], "map[4]=unsubscribed_at"),
        (
            "Email Address,UNSUB_REASON\nann@example.com,x\n",
            ["UNSUB_REASON"],
            "map[2]=field:unsub_reason",
        ),
        (
            "Email,CLEAN_CAMPAIGN_ID\na@example.com,7\n",
            ["CLEAN_CAMPAIGN_ID"],
            "map[2]=field:clean_campaign_id",
        ),
        ("Email Address,UNSUB_TIME\nann@example.com,0000-00-00\n", ["UNSUB_TIME"], "map[2]=unsubscribed_at"),
    ],
)
@pytest.mark.parametrize("query", [{}, {"dry_run": "1"}, {"from": "mailchimp"}])
def test_who_has_no_date_of_leaving_does_not_come_in_subscribed(client, text, shown, out, query):
    response = send(client, text, query=query)
    error(response, 422)
    message = response.json["errors"][0]["message"]
    assert 0 < message.find("consent=unsubscribed") < message.find(out) < message.find("comes in subscribed")
    assert response.json["columns"][: len(shown)] == shown
    assert client.get("/batch/imports").json == {"data": []}
    import_file(client, text, query={"consent": "unsubscribed"})
    assert client.counts()[1] == 0 < client.counts()[2]


@pytest.mark.parametrize(
    ("text", "query", "left"),
    [
        # each row says it
        ("Email Address,UNSUB_TIME,UNSUB_REASON\nann@example.com,2024-02-03,x\n", {}, 1),
        ("Email Address,UNSUB_TIME,status\nann@example.com,,subscribed\nb@example.com,,cleaned\n", {}, 1),
        # who imports it says it
        ("Email Address,UNSUB_TIME\nann@example.com,\n", {"map[2]": "unsubscribed_at"}, 0),
        ("Email Address,UNSUB_REASON\nann@example.com,\n", {"map[2]": "field:reason"}, 0),
        # files of others, and of everybody
        ("email,unsubscribed_at\nann@example.com,\nb@example.com,2024-02-03\n", {}, 1),
        ("email,unsub_time\nann@example.com,\n", {}, 0),
        ("email,unsub_reason\nann@example.com,\n", {}, 0),
        # nobody is in a row without an address
        ("Email Address,First Name,UNSUB_TIME\n,Ann,\nann@example.com,Ann,2024-02-03\n", {}, 1),
    ],
)
def test_a_file_in_which_everybody_says_so_is_taken(client, text, query, left):
    import_file(client, text, query=query)
    assert client.counts()[2] == left


@pytest.mark.parametrize(
    "name", ["subscribed_email_audience_export_0a1b2c3d4e", "beehiiv", "ghost", "listmonk", "keila"]
)
def test_a_file_of_everybody_needs_no_word(client, name):
    import_file(client, (PEERS / f"{name}.csv").read_text())
    assert client.counts()[1] > 0


def test_to_say_that_a_reason_is_left_out_says_nothing_of_who_left(client):
    text = "Email Address,UNSUB_REASON\nann@example.com,x\n"
    error(send(client, text, query={"map[2]": "ignore"}), 422)


@pytest.mark.parametrize("column", ["status", "subscribed", "newsletter", "unsubscribed"])
def test_where_everyone_has_left_no_word_of_consent_need_be_understood(client, column):
    text = f"email,{column}\nann@example.com,vielleicht\nbob@example.com,subscribed\ncy@example.com,cleaned\n"
    error(send(client, text), 422)
    import_file(client, text, query={"consent": "unsubscribed"})
    assert client.counts() == (3, 0, 3)


def test_where_everyone_has_left_a_late_word_of_having_left_is_nothing_new(client):
    rows = "".join(f"p{n}@example.com,plan {n}\n" for n in range(1_000))
    text = f"email,status\n{rows}ann@example.com,unsubscribed\n"
    error(send(client, text), 422)
    import_file(client, text, query={"consent": "unsubscribed"})
    assert client.counts() == (1_001, 0, 1_001)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ["ghost", "keila", "listmonk", "beehiiv", "email_list.example"])
def test_who_left_does_not_come_in_subscribed_from_a_file_that_breaks_off(client, name, encoding):
    whole = (PEERS / f"{name}.csv").read_text().replace("\r\n", "\n").rstrip("\n")
    lines = whole.splitlines()
    short = ",".join(lines[-1].split(",")[:2]) + ","
    cut = "\n".join([*lines[:-1], short])
    response = send(client, cut.encode(encoding))
    error(response, 422)
    assert "breaks off" in response.json["errors"][0]["message"]
    import_file(client, cut.encode(encoding), query={"consent": "unsubscribed"})
    assert client.counts()[1] == 0
    assert send(client, f"{cut}\n".encode(encoding)).status_code == 200
    assert send(client, whole.encode(encoding)).status_code == 200


def test_a_short_last_row_that_lacks_nothing_of_consent_is_taken(client):
    import_file(client, "email,status,plan\nann@example.com,cleaned,pro\nbob@example.com,subscribed")
    import_file(client, "email,plan\ncy@example.com")
    assert client.counts() == (3, 2, 1)
