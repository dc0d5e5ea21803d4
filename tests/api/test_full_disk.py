"""Every write on a full disk is a 503 with Retry-After, leaves nothing, and succeeds once there is room."""

import json
import resource

import pytest

from audience.config import Settings
from audience.erasures.log import LOG
from storage import database
from tests import response_assertions
from tests.small_disk import mounted

AGREED = {"consent": "subscribed"}

ANN = "ann@example.com"
WRITES = [
    ("POST", "/fetch/subscribers", {"subscriber": {"email": ANN, "first_name": "Other"}}),
    ("POST", "/batch/subscribers", {"subscribers": [{"email": ANN}]}),
    ("POST", "/batch/subscribers", {"subscribers": [{"email": ANN}, {"email": "bob@example.com"}]}),
    ("POST", "/fetch/commands", {"command": {"command": "add_tag", "query": "new", "email": ANN}}),
    ("POST", "/fetch/tags", {"tag": {"name": "new"}}),
    ("POST", "/fetch/fields", {"field": {"key": "new"}}),
    ("POST", "/batch/events", {"events": [{"email": ANN, "type": "seen"}]}),
    ("DELETE", "/fetch/subscribers", {"email": ANN}),
]
ROWS = b"email,note\n" + b"".join(b"p%d@example.com,%s\n" % (each, b"x" * 100) for each in range(10_000))


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk", 8) as disk:
        yield disk


@pytest.fixture
def settings(disk):
    return Settings(instance=disk.path)


def upload(client, content=ROWS):
    return client.post("/batch/imports", data=content, content_type="text/csv", query=AGREED)


def assert_refused_for_the_disk(response):
    assert response_assertions.error(response, 503) == []
    assert "disk" in response.json["error"]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_write_on_a_full_disk_is_refused(client, disk, method, path, body):
    client.create(ANN)
    before = client.find(ANN), client.counts()
    disk.fill()
    assert_refused_for_the_disk(client.call(method, path, body))
    assert (client.find(ANN), client.counts()) == before
    disk.make_room()
    assert client.call(method, path, body).status_code in (200, 201)


def test_a_file_that_does_not_fit_is_refused_and_leaves_nothing(client, disk):
    free_pages = 100
    disk.fill(but_pages=free_pages)
    assert len(ROWS) > free_pages * 4096
    assert_refused_for_the_disk(upload(client))
    disk.make_room()
    with database.session():
        assert database.row("SELECT count(*) FROM imports WHERE status != 'receiving'") == (0,)
    assert upload(client).status_code == 200


def test_a_file_on_a_full_disk_is_refused(client, disk):
    disk.fill()
    assert_refused_for_the_disk(upload(client))


def test_an_erasure_that_cannot_be_logged_is_not_done(client, disk):
    """The log is beyond the size that a file may have, the database is not."""
    client.create(ANN)
    log = disk.path / LOG
    with log.open("wb") as file:
        file.seek(2**20)
        file.write(b"\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, before[1]))
    try:
        response = client.delete("/fetch/subscribers", query={"email": ANN})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert_refused_for_the_disk(response)
    assert client.find(ANN)
    assert client.delete("/fetch/subscribers", query={"email": ANN}).status_code == 200
    assert client.find(ANN) is None
    lines = log.read_bytes()[2**20 :].splitlines()
    assert [json.loads(line)["site_uuid"] for line in lines if line] == [client.site.uuid]


def test_readyz_names_the_disk(client, disk):
    def disk_check():
        return client.http.get("/readyz").json["checks"]["disk"]

    disk.fill()
    assert disk_check() != "ok"


def test_readyz_names_a_disk_with_room_that_takes_no_writes(client, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 2**40}))

    def disk_check():
        return client.http.get("/readyz").json["checks"]["disk"]

    assert disk_check() == "ok"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        assert_refused_for_the_disk(client.post("/fetch/tags", {"tag": {"name": "new"}}))
        assert disk_check() == "The disk takes no writes (the last one to the database failed)."
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        assert disk_check() == "The disk takes no writes (File too large)."
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert disk_check() == "ok"
