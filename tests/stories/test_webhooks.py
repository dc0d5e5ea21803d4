"""A service with its worker sends what changes, whatever dies meanwhile (a story)."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from audience.access import sites
from storage import database
from storage.looks import looks as stored_looks
from tests.receiver import OK, receiving
from tests.service import free_port, serving, until
from tests.stories.test_starts import type_

PAGE = Path(__file__).parent.parent.parent / "docs" / "integrations.md"
RECEIVER = re.compile(r"^```python3\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def url(request):
    """Of a new database; "" of a file."""
    return "" if request.param == "sqlite" else request.getfixturevalue("server").create()


@pytest.fixture(scope="module")
def with_two_workers(tmp_path_factory, url):
    with serving(
        tmp_path_factory.mktemp("webhooks"),
        AUDIENCE_DATABASE_URL=url,
        AUDIENCE_DNS_SERVERS="127.0.0.1:9",
        AUDIENCE_WEBHOOK_PRIVATE_ADDRESSES="true",
        AUDIENCE_WORKERS="2",
    ) as service:
        yield service


@pytest.fixture
def service(with_two_workers, url):
    """With two workers, and a new site as its first."""
    instance = with_two_workers.instance
    created = type_(instance, "site", "create", "News", "--json", AUDIENCE_DATABASE_URL=url)
    return replace(with_two_workers, first=json.loads(created.stdout))


def make(service, url):
    """The id and the secret of a new webhook."""
    status, answer = service.call("POST", "/fetch/webhooks", {"webhook": {"url": url}})
    assert status == 201, answer
    return answer["data"]["id"], answer["data"]["attributes"]["secret"]


def people(service, *names):
    rows = [{"email": f"{name}@example.com"} for name in names]
    assert service.call("POST", "/batch/subscribers", {"subscribers": rows})[0] == 200


def test_the_receiver_of_the_page_prints_what_changed(service, tmp_path):
    port, log = free_port(), tmp_path / "received"
    [program] = RECEIVER.findall(PAGE.read_text("utf-8"))
    assert len([line for line in program.splitlines() if line]) <= 15
    id_, secret = make(service, f"http://127.0.0.1:{port}/")
    environment = os.environ | {"SECRET": secret, "PORT": str(port)}
    with log.open("w") as out:
        receiver = subprocess.Popen(
            [sys.executable, "-c", program], env=environment, stdout=out, stderr=subprocess.DEVNULL
        )
        try:
            until(
                lambda: (
                    service.call("POST", f"/fetch/webhooks/{id_}/test")[1]["data"]["attributes"]["status"]
                    == 200
                )
            )
            people(service, "ann")
            people(service, "bob", "eve")
            until(lambda: len(log.read_text().splitlines()) == 3)
        finally:
            receiver.kill()
            receiver.wait()
    assert log.read_text().splitlines() == [
        "1 created ann@example.com", "2 created bob@example.com", "3 created eve@example.com",
    ]  # fmt: skip


def test_a_worker_that_is_killed_in_the_middle_of_a_delivery_repeats_it_and_skips_nothing(service):
    with receiving() as receiver:
        receiver.script = [receiver.hangs]
        _, secret = make(service, receiver.url)
        people(service, "ann", "bob")
        until(lambda: receiver.received)
        for worker in service.processes("app worker"):
            os.kill(worker, signal.SIGKILL)
        people(service, "eve")
        receiver.released.set()
        until(lambda: len(receiver.received) == 3)
        first, again, rest = receiver.received
        assert (first.numbers, again.numbers, rest.numbers) == ([1, 2], [1, 2], [3])
        assert first.id == again.id
        assert again.is_signed_with(secret)
        [webhook] = until(lambda: delivered(service, "3"))
        assert webhook["attributes"]["failures"] == 0


def test_a_worker_hands_a_sign_up_over_whose_link_confirms(service, url):
    set_privacy(service, url)
    with receiving() as receiver:
        webhook = {"url": receiver.url, "sign_ups": True, "kinds": ["erased"]}
        secret = service.call("POST", "/fetch/webhooks", {"webhook": webhook})[1]["data"]["attributes"][
            "secret"
        ]
        webhook_id = service.call("GET", "/fetch/webhooks")[1]["data"][0]["id"]
        form = {"name": "Footer", "language": "en", "delivery": webhook_id, "state": "open"}
        form["wording"] = {"en": "Yes, send me news."}
        status, made = service.call("POST", "/fetch/forms", {"form": form})
        assert status == 201, made
        sign_up = {"email": "zoe@example.com", "form_id": made["data"]["id"]}
        assert service.call("POST", "/fetch/sign_ups", {"sign_up": sign_up})[0] == 201
        until(lambda: service.call("GET", "/fetch/sign_ups?status=sent")[1]["data"])
        [message] = receiver.received
        assert message.is_signed_with(secret)
        path = urlsplit(message.data[0]["confirm_url"]).path
        with urllib.request.urlopen(f"http://127.0.0.1:{service.port}{path}", b"") as page:
            assert page.status == 200
        found = service.call("GET", "/fetch/subscribers?email=zoe@example.com")[1]["data"]
        assert found["attributes"]["unsubscribed_at"] is None


def set_privacy(service, url):
    """Sets the privacy page of the service's site, as the console does."""
    database.open(url or f"sqlite:///{service.instance / 'audience.db'}")
    try:
        site = sites.choose(service.first["site_uuid"])
        with database.write(site.id):
            stored_looks.put(site.id, {"privacy": "https://harbour.example/privacy"})
    finally:
        database.close()


def test_two_workers_send_each_change_once_and_in_order(service):
    with receiving() as receiver:
        under_way: list[str] = []
        at_once = []

        def counts(request):
            under_way.append(request.path)
            at_once.append(under_way.count(request.path))
            under_way.remove(request.path)
            OK(request)

        receiver.always = counts
        ids = [make(service, f"{receiver.url}/{number}")[0] for number in (1, 2)]
        for start in range(0, 4_000, 1_000):
            people(service, *(f"p{number}" for number in range(start, start + 1_000)))
        until(lambda: len(delivered(service, "4000")) == 2)
    for id_ in ids:
        sent = [each.numbers for each in receiver.received if each.id.startswith(f"webhook-{id_}-")]
        assert [number for some in sent for number in some] == list(range(1, 4_001))
    assert set(at_once) == {1}


def delivered(service, number):
    listed = service.call("GET", "/fetch/webhooks")[1]["data"]
    return [each for each in listed if each["attributes"]["delivered"] == number]
