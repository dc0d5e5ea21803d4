"""List, create and delete tags (docs/contract.md, Tags)."""

import pytest

from audience.bulk import tag_deletions
from storage import database
from storage.errors import Unavailable
from tests import response_assertions


def create(client, name):
    return client.post("/fetch/tags", {"tag": {"name": name}})


def created(client, name):
    answer = response_assertions.answer(create(client, name), 201)
    response_assertions.keys(answer, "data")
    assert response_assertions.tag(answer["data"])["discarded_at"] is None
    return answer["data"]


def listed(client):
    answer = response_assertions.answer(client.get("/fetch/tags"))
    response_assertions.keys(answer, "data")
    return [response_assertions.tag(each)["name"] for each in answer["data"]]


@pytest.mark.parametrize(("given", "name"), [
    ("vip", "vip"), (" VIP ", "VIP"), ("a,b", "a,b"), (5, "5"), (True, "true"), ("Größe 👋", "Größe 👋"),
    ("e\u0301" * 255, "é" * 255), (f"  {'x' * 255}  ", "x" * 255),
    ("👩\u200d💻", "👩\u200d💻"),
    ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
    ("\ufeffvip\u200b", "\ufeffvip\u200b"),
    ("a\x07b\x85c\td", "ab c d"),
    ("a  b", "a  b"), ("\x1f\xa0vip\x07", "vip"),
])  # fmt: skip
def test_creates(client, given, name):
    assert created(client, given)["attributes"]["name"] == name
    assert listed(client) == [name]


@pytest.mark.parametrize(
    "name",
    [None, "", " ", "\u200b\u200d", "\x07", {}, ["a"], "a\0", "\ud800", float("inf"), 2**63, "é" * 256],
    ids=repr,
)
def test_an_invalid_name_is_a_422(client, name):
    assert response_assertions.error_fields(create(client, name)) == ["tag.name"]
    assert listed(client) == []


@pytest.mark.parametrize("tag_id", ["2", "x", "-1", "1.0", "9" * 30])
def test_an_unknown_or_malformed_id_is_no_tag(client, tag_id):
    created(client, "vip")
    answer = client.delete(f"/fetch/tags/{tag_id}")
    response_assertions.error(answer, 404)
    assert answer.json["error"].startswith("Tag not found")


@pytest.mark.parametrize("tag", [None, "vip", 5, ["vip"]])
def test_a_tag_that_is_not_an_object_is_a_422(client, tag):
    assert response_assertions.error_fields(client.post("/fetch/tags", {"tag": tag})) == ["tag"]


ALIKE = [
    "VIP club",
    "vip  club",
    " vip\u200b club",
    "\ufeffvip\xa0club",
    "v\u00adip\tclub\u2060",
    "vip \u200d club",
]


@pytest.mark.parametrize("name", ALIKE)
def test_names_are_compared_without_what_is_invisible_and_with_runs_of_blanks_as_one(client, name):
    first = created(client, "Vip Club")
    assert created(client, name) == first
    client.create("ada@example.com", tags=[name])
    client.create("bob@example.com", tags="vip club")
    for sent in ({"tags": [name]}, {"tag_names": name}):
        assert len(response_assertions.answer(client.post("/fetch/search", sent))["data"]) == 2
    rules = {"segment": {"rules": {"tag": name}}}
    assert response_assertions.answer(client.post("/fetch/segments/preview", rules))["user_count"] == 2
    client.create("ada@example.com", remove_tags=[name])
    assert client.find("ada@example.com")["attributes"]["cached_tag_ids"] == []
    assert listed(client) == ["Vip Club"]


def test_an_existing_name_returns_the_existing_tag(client):
    first = created(client, "vip")
    assert created(client, "VIP") == first
    client.create("ada@example.com", tags="Vip,other")
    assert sorted(listed(client)) == ["other", "vip"]


@pytest.mark.parametrize("body", [None, {}, {"reason": "x"}, [], "site"])
def test_delete_removes_the_tag_from_every_subscriber(client, body):
    tag, other = created(client, "vip"), created(client, "other")
    tagged_subscribers = [client.create(f"p{number}@example.com", tags="other,vip") for number in range(3)]
    given = {"site_uuid": client.site.uuid} if body == "site" else body
    answer = response_assertions.answer(client.call("DELETE", f"/fetch/tags/{tag['id']}", given))
    response_assertions.keys(answer, "message", "data")
    assert type(answer["message"]) is str
    assert answer["data"] == tag
    assert listed(client) == ["other"]
    for subscriber in tagged_subscribers:
        assert client.find(subscriber["attributes"]["email"])["attributes"]["cached_tag_ids"] == [other["id"]]
    assert response_assertions.answer(client.post("/fetch/search", {"tags": "vip"}))["data"] == []
    response_assertions.error(client.delete(f"/fetch/tags/{tag['id']}"), 404)
    assert created(client, "vip")["id"] != tag["id"]


class Killed(BaseException):
    """Not an `Exception`: no handler runs."""


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(tag_deletions, "CHUNK_ROWS", 2)


def after_each_chunk(monkeypatch, act):
    """Calls `act` between two transactions of the removal of a tag."""
    strip_some = tag_deletions._strip_some

    def strip_and_act(*arguments):
        more = strip_some(*arguments)
        if more:
            act()
        return more

    monkeypatch.setattr(tag_deletions, "_strip_some", strip_and_act)


def count_tagged(client, tag):
    found = [each["attributes"]["cached_tag_ids"] for each in client.post("/fetch/search", {}).json["data"]]
    return sum(tag["id"] in each for each in found)


def test_others_can_write_while_a_tag_is_being_removed(client, small_chunks, monkeypatch):
    tag = created(client, "vip")
    for number in range(5):
        client.create(f"p{number}@example.com", tags="other,vip")
    left: list[int] = []

    def meanwhile():
        client.create(f"new{len(left)}@example.com", tags="VIP")
        client.create("p0@example.com", tags=["more"])
        left.append(count_tagged(client, tag))
        assert tag["id"] not in [each["id"] for each in client.get("/fetch/tags").json["data"]]

    after_each_chunk(monkeypatch, meanwhile)
    response_assertions.answer(client.delete(f"/fetch/tags/{tag['id']}"))
    assert left == [3, 1, 0]
    assert len(client.post("/fetch/search", {"tags": "vip"}).json["data"]) == 3
    assert len(client.find("p0@example.com")["attributes"]["cached_tag_ids"]) == 2


@pytest.mark.parametrize("error", [Unavailable, Killed])
def test_the_sweeper_finishes_an_interrupted_removal(client, small_chunks, monkeypatch, error):
    tag = created(client, "vip")
    for number in range(5):
        client.create(f"p{number}@example.com", tags="other,vip")

    def fail():
        raise error

    with monkeypatch.context() as patch:
        after_each_chunk(patch, fail)
        if error is Killed:
            with pytest.raises(Killed):
                client.delete(f"/fetch/tags/{tag['id']}")
        else:
            response_assertions.answer(client.delete(f"/fetch/tags/{tag['id']}"))
    assert count_tagged(client, tag) == 3
    assert listed(client) == ["other"]
    for _ in range(2):
        tag_deletions.sweep()
        assert count_tagged(client, tag) == 0
    with database.session():
        assert database.rows("SELECT * FROM discarded_tags") == []
        assert database.row("SELECT count(*) FROM subscriber_tags") == (5,)


def test_tags_belong_to_one_site(client, other_client):
    tag = created(client, "vip")
    subscriber = client.create("ada@example.com", tags="vip")
    response_assertions.error(other_client.delete(f"/fetch/tags/{tag['id']}"), 404)
    assert listed(other_client) == []
    theirs = created(other_client, "vip")
    assert theirs["id"] != tag["id"]
    assert theirs["attributes"]["site_id"] != tag["attributes"]["site_id"]
    response_assertions.answer(other_client.delete(f"/fetch/tags/{theirs['id']}"))
    assert client.find("ada@example.com") == subscriber
