"""`audience erasures`, before and after a restore of the database by other means."""

import json

import pytest

from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.erasures.log import LOG
from audience.subscribers import subscribers
from audience.webhooks import webhooks
from storage import database
from storage.engines.chosen import engine
from storage.erasures import suppressions
from tests.client import open_client
from tests.webhook_steps import WEBHOOK

ANN, BOB = "ann@example.com", "bob@example.com"


@pytest.fixture
def client(app):
    client = open_client(app.test_client())
    client.create(ANN)
    client.create(BOB)
    return client


@pytest.fixture
def log(tmp_path):
    """A file that `export` writes."""
    return tmp_path / "erasures.jsonl"


def go_back(site):
    """Lets the database be as it was before an erasure."""
    with database.write():
        database.execute("DELETE FROM logged_erasures WHERE kind <> 'beginning'")
        database.execute("DELETE FROM suppressions WHERE site_id = ?", (site.id,))
        database.execute("UPDATE site_counters SET accepted = 2 WHERE site_id = ?", (site.id,))


def test_who_was_erased_after_the_backup_is_erased_again(client, settings, run, log):
    erasures.erase(client.site, settings.instance, email=ANN)
    assert run("erasures", "export", log, "--json") == {"file": str(log), "lines": 2}
    assert log.stat().st_mode & 0o777 == 0o600
    go_back(client.site)
    client.create(ANN)
    go_back(client.site)
    webhooks.create(client.site, WEBHOOK)
    applied = {"erased": 1, "left": 0, "paused_webhooks": 1, "cut_off_bytes": 0}
    assert run("erasures", "apply", log, "--json") == applied
    assert [each.paused for each in webhooks.list_all(client.site)] == ["restored"]
    assert subscribers.find(client.site, ANN) is None
    assert subscribers.find(client.site, BOB) is not None
    assert client.counts() == (1, 1, 0)
    answer = client.post("/batch/subscribers", {"subscribers": [{"email": ANN}]})
    assert json.loads(answer.text)["failed"] == 1
    assert run("erasures", "apply", log, "--json")["erased"] == 0
    assert {*erasure_log.list_all(settings.instance)} == {*erasure_log.read(log)}


def test_who_unsubscribed_after_the_backup_is_unsubscribed_again(client, settings, run, log):
    run("erasures", "export", log)
    for email, command in ((ANN, "unsubscribe"), (BOB, "unsubscribe"), (BOB, "subscribe")):
        client.post("/fetch/commands", {"command": {"command": command, "email": email}})
    newer = log.with_name("newer.jsonl")
    assert run("erasures", "export", newer, "--json") == {"file": str(newer), "lines": 4}
    go_back(client.site)
    with database.write():
        database.execute(
            "UPDATE subscribers SET unsubscribed_at = NULL, consent_kind = 0 WHERE site_id = ?",
            (client.site.id,),
        )
        database.execute("UPDATE site_counters SET unsubscribers = 0 WHERE site_id = ?", (client.site.id,))
    assert run("erasures", "apply", log, "--json")["left"] == 0
    assert run("erasures", "apply", newer, "--json")["left"] == 1
    assert client.counts() == (2, 1, 1)


def test_a_newer_log_is_applied_after_an_older_one(client, settings, run, log):
    run("erasures", "export", log)
    ann = subscribers.find(client.site, ANN)
    assert ann is not None
    erasures.erase(client.site, settings.instance, email=ANN)
    newer = log.with_name("newer.jsonl")
    run("erasures", "export", newer)
    go_back(client.site)
    client.create(ANN)
    with database.write():
        database.execute("UPDATE subscribers SET uuid = ? WHERE email_key = ?", (ann.uuid, ANN))
    assert run("erasures", "apply", log, "--json")["erased"] == 0
    assert run("erasures", "apply", newer, "--json")["erased"] == 1
    assert subscribers.find(client.site, ANN) is None
    assert (
        json.loads(client.post("/batch/subscribers", {"subscribers": [{"email": ANN}]}).text)["failed"] == 1
    )


def test_an_address_that_nobody_had_stays_suppressed_after_a_second_log(client, settings, run, log):
    """The first log raises the site's numbers above those of the second."""
    run("erasures", "export", log)
    erasures.erase(client.site, settings.instance, email="nobody@example.com")
    erasures.erase(client.site, settings.instance, email=ANN)
    newer = log.with_name("newer.jsonl")
    run("erasures", "export", newer)
    go_back(client.site)
    assert run("erasures", "apply", log, "--json")["erased"] == 0
    assert run("erasures", "apply", newer, "--json")["erased"] == 0
    for email, failed in (("nobody@example.com", 1), (ANN, 1), ("new@example.com", 0)):
        answer = client.post("/batch/subscribers", {"subscribers": [{"email": email}]})
        assert json.loads(answer.text)["failed"] == failed
    assert run("erasures", "apply", newer, "--json")["erased"] == 0
    with database.session():
        assert len(suppressions.all_of_site(client.site.id)) == 2


def test_who_came_back_after_being_erased_is_not_erased_again(client, settings, run, log):
    erasures.erase(client.site, settings.instance, email=ANN)
    run("erasures", "export", log)
    client.post("/fetch/commands", {"command": {"command": "subscribe", "email": ANN}})
    client.create(ANN)
    assert subscribers.find(client.site, ANN)
    assert run("erasures", "apply", log, "--json")["erased"] == 0
    assert subscribers.find(client.site, ANN)


def test_without_a_name_the_log_in_the_folder_is_applied(client, settings, run, type_):
    erasures.erase(client.site, settings.instance, email=ANN)
    if engine.HAS_HOSTS:
        assert "name the file" in str(type_("erasures", "apply").exception)
        run("erasures", "export", settings.instance / LOG)
    go_back(client.site)
    client.create(ANN)
    go_back(client.site)
    assert run("erasures", "apply", "--json")["erased"] == 1


def test_applying_that_was_interrupted_goes_on(client, settings, run, type_, log, monkeypatch):
    erasures.erase(client.site, settings.instance, email=ANN)
    run("erasures", "export", log)
    go_back(client.site)
    client.create(ANN)
    go_back(client.site)

    def fail(*_):
        raise OSError("no connection")

    with monkeypatch.context() as patch:
        patch.setattr(suppressions, "add", fail)
        assert type_("erasures", "apply", log).exit_code == 1
    assert run("erasures", "apply", log, "--json")["erased"] == 1
    assert subscribers.find(client.site, ANN) is None


def test_the_log_outlives_its_site(client, settings, run, log):
    erasures.erase(client.site, settings.instance, email=ANN)
    run("site", "delete", client.site.uuid, "--yes")
    assert run("erasures", "export", log, "--json")["lines"] == 2


def test_the_log_of_another_instance_is_refused(client, type_, log):
    line = {"site_uuid": client.site.uuid, "address_hash": "0", "at": 1, "number": 9, "pepper_check": "other"}
    log.write_text(json.dumps(line) + "\n")
    result = type_("erasures", "apply", log)
    assert result.exit_code == 1
    assert "another instance's" in str(result.exception)


@pytest.mark.parametrize(("octets", "said"), [(b"null\n", "at line 1"), (b"PGDMP\x01\xff\xfe", "no log")])
def test_a_file_that_is_no_log_is_refused(client, type_, log, octets, said):
    log.write_bytes(octets)
    result = type_("erasures", "apply", log)
    assert result.exit_code == 1
    assert said in str(result.exception)


def test_an_erasure_that_a_host_has_in_a_file_alone_is_shown_until_it_is_applied(
    client, settings, run, type_, log
):
    erasures.erase(client.site, settings.instance, email=ANN)
    run("erasures", "export", settings.instance / LOG)

    def findings():
        return [
            each["found"]
            for each in json.loads(type_("doctor", "--offline", "--json").stdout)["findings"]
            if each["check"] == "erasures"
        ]

    assert findings() == []
    if engine.HAS_HOSTS:
        with database.write():
            database.execute("DELETE FROM logged_erasures WHERE kind <> 'beginning'")
        assert findings() == ["lines of erasures.log that are not in the database's log: 1"]
        run("erasures", "apply")
        assert findings() == []
