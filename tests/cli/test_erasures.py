"""`audience erasures apply`, after a restore of the database by other means."""

import json

from audience import erasures, subscribers
from storage import database
from tests.client import open_client

ANN, BOB = "ann@example.com", "bob@example.com"


def go_back(site):
    """Lets the database be as it was before an erasure."""
    with database.write():
        database.execute("DELETE FROM suppressions WHERE site_id = ?", (site.id,))
        database.execute("UPDATE site_counters SET accepted = 2 WHERE site_id = ?", (site.id,))


def test_who_was_erased_after_the_backup_is_erased_again(app, settings, run):
    client = open_client(app.test_client())
    client.create(ANN)
    client.create(BOB)
    erasures.erase(client.site, settings.instance, email=ANN)
    go_back(client.site)
    client.create(ANN)
    go_back(client.site)
    assert run("erasures", "apply", "--json") == {"erased": 1}
    assert subscribers.find(client.site, ANN) is None
    assert subscribers.find(client.site, BOB) is not None
    assert client.counts() == (1, 1, 0)
    answer = client.post("/batch/subscribers", {"subscribers": [{"email": ANN}]})
    assert json.loads(answer.text)["failed"] == 1
    assert run("erasures", "apply", "--json") == {"erased": 0}


def test_the_log_of_another_instance_is_refused(app, settings, type_):
    client = open_client(app.test_client())
    line = {"site_uuid": client.site.uuid, "address_hash": "0", "at": 1, "number": 9, "pepper_check": "other"}
    (settings.instance / erasures.LOG).write_text(json.dumps(line) + "\n")
    result = type_("erasures", "apply")
    assert result.exit_code == 1
    assert "another instance's" in str(result.exception)
