"""A service with its worker sends what changes, whatever dies meanwhile (a story)."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.page_mirrors import PAGE
from tests.receiver import OK, receiving
from tests.service import free_port, serving, until
from tests.stories.test_starts import type_

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
