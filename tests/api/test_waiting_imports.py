"""Imports that wait for others of their site, and who is answered meanwhile (docs/contract.md, Imports)."""

import threading
from dataclasses import replace

from audience.imports import imports
from audience.operations import site_lane
from tests import response_assertions
from tests.api.endpoints import ADDRESSES
from tests.api.test_imports import ADA, accepted, progress
from tests.client import FakeQueue


def test_a_batch_of_bad_items_behind_a_waiting_import_is_answered(client):
    accepted(client, *({"email": email} for email in ADDRESSES[:2]))
    answer, _ = accepted(client, *[{}] * 1000)
    assert (answer["result"], answer["failed"]) == (0, 1000)
    site_lane.drain(client.site.id, 30)
    assert progress(client, answer["import_id"])["status"] == "finished"


def test_a_single_item_waits_behind_queued_imports(client, app, monkeypatch):
    """The worker drains as soon as it is notified of the second import."""
    monkeypatch.setattr(imports, "WAIT_SECONDS", 30.0)
    drained = []

    class Worker(FakeQueue):
        def notify(self, site_id):
            super().notify(site_id)
            if len(self.sites) == 2:
                drained.append(threading.Thread(target=site_lane.drain, args=(site_id, 30)))
                drained[0].start()

    app.extensions["audience"] = replace(app.extensions["audience"], import_queue=Worker())
    accepted(client, {"email": ADA, "plan": "old"}, {"email": "b@example.com"})
    answer, _ = accepted(client, {"email": ADA, "plan": "new"})
    assert progress(client, answer["import_id"])["status"] == "finished"
    drained[0].join(30)
    assert response_assertions.subscriber(client.find(ADA))["fields"] == {"plan": "new"}


def test_a_single_item_behind_stuck_imports_is_answered(client, monkeypatch):
    monkeypatch.setattr(imports, "WAIT_SECONDS", 0.0)
    accepted(client, {"email": ADA, "plan": "old"}, {"email": "b@example.com"})
    answer, _ = accepted(client, {"email": ADA, "plan": "new"})
    assert progress(client, answer["import_id"])["status"] == "queued"
    assert client.find(ADA) is None
    site_lane.drain(client.site.id, 30)
    assert response_assertions.subscriber(client.find(ADA))["fields"] == {"plan": "new"}


def test_imports_of_another_site_do_not_delay_this_one(client, other_client):
    accepted(other_client, {"email": ADA}, {"email": "b@example.com"})
    accepted(client, {"email": ADA})
    assert client.find(ADA) is not None
