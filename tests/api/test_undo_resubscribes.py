"""Undo of an import that unsubscribed people by mistake (docs/contract.md, Undo)."""

import pytest

from audience.undo import undos
from schemas.values import write_date
from storage import database
from tests.api.test_consent import ADA, command, consent, event, move, queue
from tests.api.test_consent_instants import file, stored
from tests.api.test_consent_order import drain

OTHER = "other@example.com"


def wrong(client, *emails, word="unsubscribe"):
    """Imports people as unsubscribed; the id of the import."""
    return file(client, "email,command", *[f"{email},{word}" for email in emails])


def undo(client, import_id, **query):
    answer = client.post(f"/batch/imports/{import_id}/undo", query={"resubscribe": "1"} | query)
    assert answer.status_code == 200, answer.text
    drain(client)
    return client.get(f"/batch/imports/{import_id}/undo").json["data"]["attributes"]


def hashes(client):
    with database.session():
        query = "SELECT count(*) FROM suppressions WHERE site_id = ?"
        return database.row(query, (client.site.id,))[0]


def test_who_was_subscribed_is_subscribed_as_before(client):
    command(client, "subscribe")
    before = stored(client)
    import_id = wrong(client, ADA)
    assert consent(client)
    done = undo(client, import_id)
    assert (done["restored"], done["resubscribed"], done["unsubscribed_kept"]) == (1, 1, 0)
    after = stored(client)
    assert consent(client) is None
    assert (after.consent_at, after.consent_number, after.consent_kind) == (
        before.consent_at, before.consent_number, before.consent_kind,
    )  # fmt: skip


def test_without_it_nobody_comes_back(client):
    client.create(ADA)
    import_id = wrong(client, ADA)
    done = undo(client, import_id, resubscribe="0")
    assert (done["resubscribed"], done["unsubscribed_kept"]) == (0, 1)
    assert consent(client)


def test_84_people_unsubscribed_by_mistake_are_subscribed_by_the_right_file(client):
    people = [f"p{number}@example.com" for number in range(84)]
    done = undo(client, wrong(client, *people))
    assert (done["removed"], done["resubscribed"]) == (84, 0)
    assert (hashes(client), client.counts()) == (0, (0, 0, 0))
    file(client, "email", *people)
    assert client.counts() == (84, 84, 0)


def test_whom_the_right_file_mentioned_before_the_undo_is_subscribed(client):
    import_id = wrong(client, ADA)
    file(client, "email,city", f"{ADA},Oslo")
    done = undo(client, import_id)
    assert (done["kept"], done["resubscribed"]) == (1, 1)
    assert consent(client) is None


@pytest.mark.parametrize("leave", [
    lambda client: command(client, "unsubscribe"),
    lambda client: event(client, "$unsubscribe", "2001-01-01"),
], ids=["pressed", "dated earlier"])  # fmt: skip
@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
def test_who_unsubscribes_as_well_stays_unsubscribed(client, leave, known):
    if known:
        client.create(ADA)
    import_id = wrong(client, ADA)
    leave(client)
    assert undo(client, import_id)["resubscribed"] == 0
    assert consent(client)


def test_an_unsubscribe_that_waits_counts_after_the_undo(client):
    command(client, "subscribe")
    import_id = wrong(client, ADA)
    client.post(f"/batch/imports/{import_id}/undo", query={"resubscribe": "1"})
    queue(client, command="unsubscribe")
    drain(client)
    assert consent(client)


def test_an_unsubscribe_from_between_counts_after_the_undo(client):
    command(client, "subscribe")
    at = stored(client).consent_at
    import_id = wrong(client, ADA)
    undo(client, import_id)
    event(client, "$unsubscribe", write_date(at + 1))
    assert consent(client)


def test_one_that_was_applied_before_the_undo_and_outweighed_counts_after_it(client):
    command(client, "subscribe")
    at = stored(client).consent_at
    import_id = wrong(client, ADA, word="subscribe")
    event(client, "$unsubscribe", write_date(at + 1))
    assert consent(client) is None
    assert undo(client, import_id)["unsubscribed_again"] == 1
    assert consent(client) == write_date(at + 1)


def test_who_had_left_before_stays_unsubscribed(client):
    command(client, "unsubscribe")
    left = consent(client)
    undo(client, wrong(client, ADA))
    assert consent(client) == left


def test_who_has_moved_or_is_erased_does_not_come_back(client):
    client.create(ADA)
    client.create(OTHER)
    import_id = wrong(client, ADA, OTHER)
    client.delete("/fetch/subscribers", query={"email": OTHER})
    move(client, ADA, "new@example.com")
    undo(client, import_id)
    assert client.find("new@example.com")["attributes"]["unsubscribed_at"]
    assert client.find(OTHER) is None


def test_who_came_in_unconfirmed_leaves_no_hash(client):
    import_id = file(client, "email,status", f"{ADA},pending", f"{OTHER},confirmed")
    done = undo(client, import_id, resubscribe="0")
    assert done["removed"] == 2
    assert hashes(client) == 0


def test_it_is_counted_before_and_not_begun_twice_otherwise(client):
    client.create(ADA)
    import_id = wrong(client, ADA, OTHER)
    counts, emails = undos.dry_run(client.site, undos.import_source(int(import_id)), 30)
    assert (counts["only_unsubscribed"], set(emails)) == (2, {ADA, OTHER})
    asked = client.post(f"/batch/imports/{import_id}/undo", query={"resubscribe": "1", "dry_run": "1"})
    assert asked.json["data"]["attributes"]["resubscribed"] == 1
    assert consent(client)
    undo(client, import_id, resubscribe="0")
    again = client.post(f"/batch/imports/{import_id}/undo", query={"resubscribe": "1"})
    assert again.status_code == 422
    assert again.json["errors"][0]["field"] == "resubscribe"


def test_history_and_audit_log_tell_who_brought_them_back(client):
    client.create(ADA)
    undo(client, wrong(client, ADA))
    uuid = client.find(ADA)["attributes"]["uuid"]
    history = client.get(f"/fetch/subscribers/{uuid}/events", query={"history": "1"}).json["history"]
    assert history["consents"][-1]["subscribed"]
    assert history["consents"][-1]["source"]["type"] == "undo"
