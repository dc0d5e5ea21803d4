"""Webhooks that name `import_finished` are told of each import that has ended: signed, at least once each."""

import json
import time

import pytest

from audience import clock, jobs
from audience.clock import DAY_MS
from audience.imports import imports
from audience.operations import site_lane
from audience.undo import undos
from audience.webhooks import finished_imports, webhooks
from storage import database
from storage import jobs as stored_jobs
from tests.audience.undo.test_undos import put
from tests.receiver import breaks_off, status
from tests.webhook_steps import make, send_all

KIND = finished_imports.kind(True)


def tell(site):
    jobs.work([KIND], site.id, 60)


def again(site):
    """Does at once what waits to be tried again."""
    with database.write(site.id):
        for import_ in imports.newest(site):
            if stored_jobs.exists(site.id, KIND.name, import_.id):
                stored_jobs.hasten(site.id, KIND.name, import_.id)
    tell(site)


@database.session()
def waits(site):
    return any(stored_jobs.exists(site.id, KIND.name, import_.id) for import_ in imports.newest(site))


def messages(receiver):
    return [json.loads(message.body) for message in receiver.received]


def test_only_who_names_it_is_told_with_counts_and_nobody(site, receiver):
    webhook, secret = webhooks.create(site, {"url": receiver.url, "kinds": ["import_finished"]})
    make(site, receiver)
    import_id = put(site, {"email": "zoe@example.com"}, {"email": "ann@example.com"})
    tell(site)
    [message], [received] = messages(receiver), receiver.received
    [data] = message["data"]
    assert message["type"] == "import_finished"
    assert (data["id"], data["status"], data["created"], data["total"]) == (str(import_id), "finished", 2, 2)
    assert "@" not in received.body.decode()
    assert received.is_signed_with(secret)
    assert not waits(site)
    send_all()
    assert [one["type"] for one in messages(receiver)] == ["import_finished", "changes"]
    assert webhook.kinds == '["import_finished"]'


def test_nobody_asks_and_nothing_waits(site, receiver):
    make(site, receiver)
    make(site, receiver, kinds=["created"])
    put(site, {"email": "zoe@example.com"})
    assert not waits(site)


def test_what_is_not_taken_is_tried_again_under_the_same_id(site, receiver):
    first = make(site, receiver, kinds=["import_finished", "created"])
    receiver.script = [breaks_off, status(500)]
    put(site, {"email": "zoe@example.com"})
    tell(site)
    again(site)
    again(site)
    again(site)
    assert len({message.id for message in receiver.received}) == 1
    assert len(receiver.received) == 3
    assert receiver.received[0].id.startswith(f"webhook-{first.id}-import-")


def test_one_that_fails_keeps_no_other_and_a_paused_one_waits(site, receiver, monkeypatch):
    broken = make(site, receiver, kinds=["import_finished"])
    paused = make(site, receiver, kinds=["import_finished"], paused=True)
    good = make(site, receiver, kinds=["import_finished"])
    receiver.script = [status(410)]
    put(site, {"email": "zoe@example.com"})
    tell(site)
    again(site)
    told = [message.id.split("-")[1] for message in receiver.received]
    assert told == [str(webhook.id) for webhook in (broken, good, broken)]
    webhooks.pause(site, paused.id, False)
    again(site)
    assert receiver.received[-1].id.startswith(f"webhook-{paused.id}-")
    assert not waits(site)
    webhooks.pause(site, paused.id, True)
    put(site, {"email": "ann@example.com"})
    later = clock.now_ms() + 4 * DAY_MS
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    again(site)
    assert not waits(site)


def test_who_is_made_afterwards_is_not_told(site, receiver):
    make(site, receiver, kinds=["import_finished"], paused=True)
    put(site, {"email": "zoe@example.com"})
    time.sleep(0.002)
    make(site, receiver, kinds=["import_finished"])
    tell(site)
    assert not receiver.received


@pytest.mark.parametrize("ends", ["given up", "undone"])
def test_a_failure_is_told_and_the_success_after_it(site, receiver, ends):
    make(site, receiver, kinds=["import_finished"])
    import_id = put(site, {"email": "zoe@example.com"}, wait=False)
    if ends == "undone":
        undos.undo_import(site, import_id, 30)
    else:
        with database.write(site.id):
            imports.give_up(site.id, import_id)
    tell(site)
    assert [one["data"][0]["status"] for one in messages(receiver)] == ["failed"]
    if ends == "given up":
        imports.retry(import_id)
        site_lane.drain(site.id, 30)
        tell(site)
        assert [one["data"][0]["status"] for one in messages(receiver)] == ["failed", "finished"]
        assert len({message.id for message in receiver.received}) == 2
