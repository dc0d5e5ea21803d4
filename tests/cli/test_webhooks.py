"""`audience webhook`: where changes are sent."""

import pytest

from audience.access import audit_log
from audience.segments import segments
from audience.webhooks import webhooks
from tests.deliveries.receivers import OK, receiver, says
from tests.webhook_steps import send

URL = "http://127.0.0.1:9/hook"
NO = b"HTTP/1.1 500 No\r\nContent-Length: 12\r\n\r\n\x1b[31mred\x00\xff"


@pytest.fixture
def ask(run, client):
    """Runs `audience webhook` on the site of `client`; returns its output, or its JSON."""
    return lambda *words, **options: run("webhook", *words, "--site", client.site.uuid, **options)


@pytest.fixture
def settings(settings):
    return settings.__class__(**{**vars(settings), "webhook_private_addresses": True})


def test_a_webhook_is_added_listed_changed_and_removed(ask, client):
    assert ask("list") == ""
    added = ask("add", URL, "--kind", "created", "--kind", "updated", "--json")
    assert added["attributes"]["secret"].startswith("whsec_")
    assert added["attributes"]["kinds"] == ["created", "updated"]
    [listed] = ask("list", "--json")
    assert listed["attributes"] == {k: v for k, v in added["attributes"].items() if k != "secret"}
    assert f"{URL}  works" in ask("list")
    assert "created, updated" in ask("show", added["id"])
    ask("change", added["id"], "--url", f"{URL}/2", "--all-kinds")
    assert ask("show", added["id"], "--json")["attributes"]["kinds"] is None
    assert ask("remove", added["id"]) == "Removed.\n"
    assert ask("list", "--json") == []
    acts = [entry.act for entry in audit_log.page(client.site)[:3]]
    assert acts == ["webhook deleted", "webhook changed", "webhook made"]


def test_links_are_sent_if_asked_and_stay_until_another_answer(ask, client):
    https = "https://hooks.example/x"
    assert "links     sent" in ask("show", ask("add", https, "--links", "--json")["id"])
    ask("change", 1, "--url", f"{https}/2")
    assert webhooks.get(client.site, 1).links
    ask("change", 1, "--no-links")
    assert "links     not sent" in ask("show", 1)


def test_the_secret_is_shown_once_and_renewed(ask, client):
    added = ask("add", URL)
    [secret] = [word for word in added.split() if word.startswith("whsec_")]
    assert not any(
        secret in ask(*words) for words in (("list",), ("show", 1), ("show", 1, "--json"), ("deliveries", 1))
    )
    renewed = ask("rotate", 1, "--json")["attributes"]["secret"]
    assert renewed != secret
    row = webhooks.get(client.site, 1)
    assert webhooks.current_secrets(client.site.id, row) == [renewed, secret]


def test_what_a_change_does_not_name_stays(ask, client):
    segment = segments.create(client.site, {"name": "VIP", "rules": {"tag": "vip"}})
    ask("add", URL, "--kind", "created", "--segment", segment.id, "--paused")
    assert "paused: by an operator" in ask("list")
    resumed = ask("change", 1, "--resume", "--json")["attributes"]
    assert (resumed["paused"], resumed["kinds"], resumed["segment_id"]) == (
        False,
        ["created"],
        str(segment.id),
    )
    paused = ask("change", 1, "--pause", "--everybody", "--json")["attributes"]
    assert (paused["paused"], paused["kinds"], paused["segment_id"]) == (True, ["created"], None)
    assert ask("change", 1, "--kind", "erased", "--json")["attributes"]["paused"] is True
    assert "name at least one change" in ask("change", 1, exit_code=2)


def test_a_test_says_what_came_of_it(ask):
    with receiver(says(OK)) as server:
        ask("add", server.url())
        assert "delivered" in ask("test", 1)
        assert b'"type":"test"' in server.requests[0]
    assert "cannot be reached" in ask("test", 1, exit_code=1)


def test_deliveries_are_listed_and_made_again(ask, client, settings):
    with receiver(says(NO)) as server:
        ask("add", server.url())
        client.create("ann@example.com")
        assert send()
    listed = ask("deliveries", 1)
    assert "  500  " in listed
    assert listed.rstrip("\n").isprintable()
    assert "1 failed try" in ask("list")
    [delivery] = ask("deliveries", 1, "--json")
    assert delivery["attributes"]["status"] == 500
    before = int(delivery["attributes"]["first"]) - 1
    assert ask("replay", 1, "--after", before, "--json")["attributes"]["delivered"] == str(before)
    assert ask("replay", 1, "--after", 2**53, exit_code=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "ftp://a.example/"), "https://"),
        (("add", "https://user:secret@a.example/"), "user name"),
        (("add", URL, "--segment", "9"), "segment"),
        (("show", "9"), "`audience webhook list`"),
        (("remove", "9"), "`audience webhook list`"),
        (("test", "9"), "`audience webhook list`"),
    ],
)
def test_what_is_wrong_is_said(ask, type_, client, words, said):
    result = type_("webhook", *words, "--site", client.site.uuid)
    assert result.exit_code == 1
    assert said in (result.output or str(result.exception)) + str(result.exception)
    assert "secret@" not in result.output
