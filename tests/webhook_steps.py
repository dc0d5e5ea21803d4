"""Steps of tests of webhooks: write people, send what is due, read what a receiver got."""

import time

from audience import jobs
from audience.changes.changes import Change
from audience.sources import Source
from audience.subscribers import subscribers
from audience.webhooks import sender as webhook_sender
from audience.webhooks import webhooks
from schemas.change_log import change
from storage import database, leases
from storage.webhooks.webhooks import JOB

API = Source("api", 1)
SECOND_MS = 1_000
WEBHOOK = {"url": "http://127.0.0.1:9/"}
KIND = webhook_sender.kind(True, change, "https://people.example")


class Clock:
    """The clock of leases, which a test advances."""

    now_ms = 10**12

    def __call__(self, _uptime_ms):
        return self.now_ms


def lease_clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(leases, "now", clock)
    return clock


def make(site, receiver, **values):
    webhook, _ = webhooks.create(site, {"url": receiver.url} | values)
    return webhook


def write(site, *keys, **values):
    with database.write(site.id):
        accepted = subscribers.accept_now(site.id, API)
        subscribers.write(site.id, [Change(key, key, **values) for key in keys], accepted)


def people(count, start=0):
    return [f"p{number}@example.com" for number in range(start, start + count)]


def due():
    """The number of sites at which a webhook is due."""
    return sum(JOB in jobs.due_kinds(site_id) for site_id in jobs.due_sites())


def send():
    """Does one step of a webhook. Returns False if none is due."""
    for site_id in jobs.due_sites():
        if job := jobs.claim([KIND], site_id):
            jobs.step([KIND], job, time.monotonic())
            return True
    return False


def send_all():
    """Sends until nothing is due. Returns the number of steps."""
    turns = 0
    while send():
        turns += 1
        assert turns < 1_000
    return turns


def numbers(receiver):
    return [request.numbers for request in receiver.received]


def all_numbers(receiver):
    return [number for request in receiver.received for number in request.numbers]


def place(site):
    [webhook] = webhooks.list_all(site)
    return webhook.place
