"""The instance folder is moved or deleted while the service runs."""

import shutil

import pytest

from audience.access import sites
from storage import database
from storage.errors import Unavailable
from tests import response_assertions

ADA = "ada@example.com"


@pytest.fixture
def folder(settings):
    """The folder's path, to which the folder comes back after the test."""
    elsewhere = settings.instance.with_name("elsewhere")
    yield settings.instance
    if elsewhere.exists():
        shutil.rmtree(settings.instance, ignore_errors=True)
        elsewhere.rename(settings.instance)


def copied(folder):
    """Another folder of the same contents has its place."""
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    shutil.copytree(elsewhere, folder)


@pytest.mark.parametrize("lose", [
    lambda folder: folder.rename(folder.with_name("elsewhere")),
    copied,
    lambda folder: (folder / "audience.db").rename(folder / "other.db"),
    shutil.rmtree,
], ids=["moved", "replaced", "database", "deleted"])  # fmt: skip
def test_writes_are_refused_and_readyz_says_why(client, folder, lose):
    client.create(ADA)
    lose(folder)
    body = {"subscriber": {"email": "bob@example.com"}}
    refused = client.post("/fetch/subscribers", body)
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    with pytest.raises(Unavailable):
        sites.create("Other")
    ready = client.http.get("/readyz")
    assert ready.status_code == 503
    assert "moved or deleted" in ready.json["checks"]["database"]


def test_writes_go_on_when_the_folder_is_back(client, folder):
    client.create(ADA)
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    assert client.post("/fetch/subscribers", {"subscriber": {"email": ADA}}).status_code == 503
    elsewhere.rename(folder)
    client.create(ADA, first_name="Ada")
    assert response_assertions.subscriber(client.find(ADA))["first_name"] == "Ada"
    assert client.http.get("/readyz").json["checks"]["database"] == "ok"
    assert not database.was_moved()
