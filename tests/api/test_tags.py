"""List, create and delete tags (contract section 3)."""

import pytest

from audience import tags
from storage import database
from storage.errors import Unavailable
from tests import shapes


def create(door, name):
    return door.post("/fetch/tags", {"tag": {"name": name}})


def created(door, name):
    answer = shapes.answer(create(door, name), 201)
    shapes.keys(answer, "data")
    assert shapes.tag(answer["data"])["discarded_at"] is None
    return answer["data"]


def listed(door):
    answer = shapes.answer(door.get("/fetch/tags"))
    shapes.keys(answer, "data")
    return [shapes.tag(each)["name"] for each in answer["data"]]


@pytest.mark.parametrize(("given", "name"), [
    ("vip", "vip"), (" VIP ", "VIP"), ("a,b", "a,b"), (5, "5"), (True, "true"), ("Größe 👋", "Größe 👋"),
])  # fmt: skip
def test_creates(door, given, name):
    assert created(door, given)["attributes"]["name"] == name
    assert listed(door) == [name]


@pytest.mark.parametrize("name", [None, "", " ", {}, ["a"], "a\0", "\ud800", float("inf"), 2**63], ids=repr)
def test_a_name_that_is_none_is_a_422(door, name):
    assert shapes.error_fields(create(door, name)) == ["tag.name"]
    assert listed(door) == []


@pytest.mark.parametrize("tag", [None, "vip", 5, ["vip"]])
def test_a_tag_that_is_no_object_is_a_422(door, tag):
    assert shapes.error_fields(door.post("/fetch/tags", {"tag": tag})) == ["tag"]


def test_an_existing_name_returns_the_existing_tag(door):
    first = created(door, "vip")
    assert created(door, "VIP") == first
    door.create("ada@example.com", tags="Vip,other")
    assert sorted(listed(door)) == ["other", "vip"]


@pytest.mark.parametrize("body", [None, {}, {"reason": "x"}, [], "site"])
def test_delete_takes_it_off_everyone(door, body):
    tag, other = created(door, "vip"), created(door, "other")
    people = [door.create(f"p{number}@example.com", tags="other,vip") for number in range(3)]
    given = {"site_uuid": door.site.uuid} if body == "site" else body
    answer = shapes.answer(door.call("DELETE", f"/fetch/tags/{tag['id']}", given))
    shapes.keys(answer, "message", "data")
    assert type(answer["message"]) is str
    assert answer["data"] == tag
    assert listed(door) == ["other"]
    for person in people:
        assert door.find(person["attributes"]["email"])["attributes"]["cached_tag_ids"] == [other["id"]]
    assert shapes.answer(door.post("/fetch/search", {"tags": "vip"}))["data"] == []
    shapes.error(door.delete(f"/fetch/tags/{tag['id']}"), 404)
    assert created(door, "vip")["id"] != tag["id"]


class Killed(BaseException):
    """Nothing of ours runs after it."""


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(tags, "CHUNK", 2)


def bearing(door, tag):
    found = [each["attributes"]["cached_tag_ids"] for each in door.post("/fetch/search", {}).json["data"]]
    return sum(tag["id"] in each for each in found)


def test_others_write_while_a_tag_is_taken_off_everyone(door, few_at_once, monkeypatch):
    tag = created(door, "vip")
    for number in range(5):
        door.create(f"p{number}@example.com", tags="other,vip")
    left = []

    def meanwhile(_):
        door.create(f"new{len(left)}@example.com", tags="VIP")
        door.create("p0@example.com", tags=["more"])
        left.append(bearing(door, tag))
        assert tag["id"] not in [each["id"] for each in door.get("/fetch/tags").json["data"]]

    monkeypatch.setattr(tags.time, "sleep", meanwhile)
    shapes.answer(door.delete(f"/fetch/tags/{tag['id']}"))
    assert left == [3, 1, 0]
    assert len(door.post("/fetch/search", {"tags": "vip"}).json["data"]) == 3
    assert len(door.find("p0@example.com")["attributes"]["cached_tag_ids"]) == 2


@pytest.mark.parametrize("trouble", [Unavailable, Killed])
def test_a_tag_that_was_not_taken_off_everyone_is_swept_off(door, few_at_once, monkeypatch, trouble):
    tag = created(door, "vip")
    for number in range(5):
        door.create(f"p{number}@example.com", tags="other,vip")

    def fail(_):
        raise trouble

    with monkeypatch.context() as patch:
        patch.setattr(tags.time, "sleep", fail)
        if trouble is Killed:
            with pytest.raises(Killed):
                door.delete(f"/fetch/tags/{tag['id']}")
        else:
            shapes.answer(door.delete(f"/fetch/tags/{tag['id']}"))
    assert bearing(door, tag) == 3
    assert listed(door) == ["other"]
    for _ in range(2):
        tags.sweep()
        assert bearing(door, tag) == 0
    with database.session():
        assert database.rows("SELECT * FROM discarded_tags") == []
        assert database.row("SELECT count(*) FROM subscriber_tags") == (5,)


def test_tags_are_the_sites_own(door, stranger):
    tag = created(door, "vip")
    person = door.create("ada@example.com", tags="vip")
    shapes.error(stranger.delete(f"/fetch/tags/{tag['id']}"), 404)
    assert listed(stranger) == []
    theirs = created(stranger, "vip")
    assert theirs["id"] != tag["id"]
    assert theirs["attributes"]["site_id"] != tag["attributes"]["site_id"]
    shapes.answer(stranger.delete(f"/fetch/tags/{theirs['id']}"))
    assert door.find("ada@example.com") == person
